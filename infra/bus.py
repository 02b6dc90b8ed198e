"""The NATS connection: what all that travels over it have in common."""

from __future__ import annotations

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
def named() -> Iterator[None]:
    """Name the world's no."""
    try:
        yield
    except (nats.errors.Error, OSError, TimeoutError) as trouble:
        raise Unavailable(f"the bus does not answer: {type(trouble).__name__}") from trouble


async def flushed(client: Client) -> None:
    """Return when the server has all that was sent to it before. Cost: two round trips.

    The library lets a ping overtake what still waits to be sent. Once it is answered nothing waits any more, so that
    the second one is behind everything.
    """
    for _ in range(2):
        await client.flush(timeout=FLUSH_S)
