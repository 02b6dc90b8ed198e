"""The end of the program for whoever still waits for an answer then: a problem document, and not a line cut off.

What a request has begun may be done all the same: a command that was sent to the database is stored or is not, and its
idempotency key says which, here or at whoever takes over.
"""

from __future__ import annotations

import asyncio

from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from services.http.front.drain import Drain
from services.http.layers.layered import status_of
from services.http.problems import MEDIA_TYPE, PROBLEMS, document_of, headers_of

CODE = "closing"
WHY = "the answer did not come before the service went down; repeat with the same idempotency key"


class Finishing:
    """Answers for whoever has not by the time the doors say that there is none left."""

    def __init__(self, doors: Drain) -> None:
        """Hear it from these doors."""
        self._doors = doors

    def concerns(self, handler: HTTPRouteHandler) -> bool:  # noqa: ARG002 - of every handler
        """Report that everybody who waits is told."""
        return True

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on; where it is broken off before its answer has begun, say so in its place."""
        task = asyncio.current_task()
        assert task is not None, "a server runs every request as a task"
        self._doors.begin(task)
        try:
            await next_app(scope, receive, send)
        except asyncio.CancelledError:
            if status_of(scope) or not self._doors.hurries:
                raise
            task.uncancel()
            await _say(send)
        finally:
            self._doors.end(task)


async def _say(send: Send) -> None:
    headers = {"Content-Type": MEDIA_TYPE, "Cache-Control": "no-store", "Connection": "close", **headers_of(CODE)}
    told = [(name.lower().encode(), text.encode()) for name, text in headers.items()]
    await send({"type": "http.response.start", "status": PROBLEMS[CODE].status, "headers": told})
    await send({"type": "http.response.body", "body": document_of(CODE, WHY), "more_body": False})
