"""The NATS connection: what all that travels over it have in common."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import nats.errors
from nats.aio.client import Client

from infra.store import Unavailable

INBOX: Final = "truecup.inbox"
"""Below which subject answers come back, to whoever asked."""
FLUSH_S: Final = 1
"""How long the server may take to answer a ping, in whole seconds, as the library has it."""


@contextmanager
def name_failures() -> Iterator[None]:
    """Name the world's no."""
    try:
        yield
    except (nats.errors.Error, OSError, TimeoutError) as trouble:
        raise Unavailable(f"the bus does not answer: {type(trouble).__name__}") from trouble


class BusClient(Client):
    """The library's client, which goes on hearing when a ping is answered that nobody waits for any more.

    The library gives up a ping by cancelling what its answer would be told to, and fails when the answer comes all the
    same: it then reads no more, says that it is connected, and finds out when answers are missed. Anybody could bring
    that about by opening a stream and leaving at once.
    """

    async def _process_pong(self) -> None:
        """Take the answer to the oldest ping; where that was given up, for nobody."""
        if self._pongs and self._pongs[0].done():
            self._pongs[0] = asyncio.get_running_loop().create_future()
        await super()._process_pong()


async def flush(client: Client) -> None:
    """Return when the server has all that was sent to it before. Cost: two round trips.

    The library lets a ping overtake what still waits to be sent. Once it is answered nothing waits any more, so that
    the second one is behind everything.
    """
    for _ in range(2):
        await client.flush(timeout=FLUSH_S)
