"""A client of HTTP for whatever this house asks of others: a connection that is reset as it is made is no answer.

The law of the file: what another machine does to a connection never ends a program here. Between the end of a
connection and the library's hearing of it, the library asks for the address of a socket that is gone, or lets the event
loop work on it, and fails with an error of programmers (httpcore 1.0 over anyio 4.16; uvloop 0.23).
"""

from __future__ import annotations

from typing import Any

import httpx


class OutgoingClient(httpx.AsyncClient):
    """The library's client, which names such a reset."""

    async def send(self, request: httpx.Request, **options: Any) -> httpx.Response:  # noqa: ANN401 - as the library has it
        """Send a request, as the library does.

        Raises:
            httpx.ConnectError: The connection was reset as it was made, among all that the library calls so.
        """
        try:
            return await super().send(request, **options)
        except (AttributeError, OSError, RuntimeError) as trouble:
            if self.is_closed:
                raise
            raise httpx.ConnectError("reset as it was made", request=request) from trouble
