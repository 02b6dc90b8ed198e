"""Batches of several shards in one commit.

Under load each shard has a command or two at the same moment. A commit, the call around it and the plans within cost
more than these: whatever comes within one turn of the event loop is stored together, as long as it is little and plain.
Nobody waits for others: a shard that another program writes to just now is left out, and goes its own way.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

import asyncpg

from infra.store import Append, Outcome
from infra.store.batches import Part, are_plain
from infra.store.writer import Send

TOGETHER_MAX: Final = 32
"""How many commands go together: of more, a shard's own have a commit worth its cost, and two cores work at once."""

Stored = dict[int, list[Outcome]]
"""What came of the commands of each shard whose commands are stored."""
SendTogether = Callable[[Sequence[Part]], Awaitable[Stored | None]]


class Joining:
    """Sends batches, together where it can."""

    def __init__(self, send: Send, send_together: SendTogether) -> None:
        """Send a batch with `send`, and those of several shards with `send_together`."""
        self._send = send
        self._send_together = send_together
        self._open: list[Part] = []
        self._sent: asyncio.Future[Stored] | None = None
        self._flying = 0

    async def send(self, shard: int, batch: list[Append]) -> list[Outcome]:
        """Return what came of each command of a batch."""
        self._flying += 1
        try:
            stored = await self._join(shard, batch)
            return stored[shard] if shard in stored else await self._send(shard, batch)
        finally:
            self._flying -= 1

    async def _join(self, shard: int, batch: list[Append]) -> Stored:
        """Send a batch with others; nothing is stored of what has to go alone."""
        # Where nothing else is on its way there is nobody to go with.
        if self._flying == 1 or sum(len(each) for _, each in self._open) + len(batch) > TOGETHER_MAX:
            return {}
        if not are_plain(batch):
            return {}
        self._open.append((shard, batch))
        if self._sent is not None:
            # Shielded: all the others wait for it as well.
            return await asyncio.shield(self._sent)
        self._sent = sent = asyncio.get_running_loop().create_future()
        try:
            stored = await self._send_open()
        except BaseException as trouble:
            # Whoever is cancelled meanwhile takes the connection with it, and nobody knows what is stored by then:
            # for the others that is a lost connection, after which they send theirs again.
            cut = ConnectionAbortedError("the commit was given up")
            sent.set_exception(trouble if isinstance(trouble, Exception) else cut)
            sent.exception()
            raise
        sent.set_result(stored)
        return stored

    async def _send_open(self) -> Stored:
        """Let others come for one turn of the event loop, and send what has come; a batch alone is not sent here."""
        try:
            await asyncio.sleep(0)
        finally:
            parts, self._open, self._sent = self._open, [], None
        if len(parts) == 1:
            return {}
        try:
            return await self._send_together(parts) or {}
        except asyncpg.PostgresError:
            return {}  # it is refused: each goes alone, and whose it is will be told
