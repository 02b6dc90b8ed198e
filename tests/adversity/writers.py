"""Many writers at one table: each sits down, gets up and sits down again, and is told when there is no room."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from itertools import count
from statistics import median
from time import monotonic
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain import commands
from domain.errors import Refused
from domain.match.record import stream_of
from infra.sealing import Sealing
from infra.store import Unavailable
from infra.store.postgres import open_store
from services.matches.handler import CommandHandler
from services.matches.requests import Answer, CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.adversity.ledger import Account

PATIENCE_S: Final = 300.0
WRITERS: Final = 100
CROWDS: Final = {"writers-1": 1, "writers-2": 2}
"""At how many nodes a crowd writes, by the name it has in the ledger."""


class Scribe:
    """One writer, at one node of a house.

    Attributes:
        served: How often it was answered, granted or refused.
        stored: How often something of it was stored.
        repeats: How often it had to ask again.
        waits_ms: How long each answer took, with what was asked again before it.
    """

    def __init__(self, node: CommandHandler, match: UUID, number: int) -> None:
        """Write to this match, under a name of its own."""
        self.served = self.stored = self.repeats = 0
        self.waits_ms: list[float] = []
        self._node, self._match, self._name = node, match, f"Writer {number}"
        self._keys = (f"{self._name} asks {asked}" for asked in count())
        self._seat: int | None = None

    async def write(self) -> None:
        """Ask for one thing until it is answered."""
        began, key = monotonic(), next(self._keys)
        ask = CommandMetadata(self._name, key, key.encode().ljust(32, b"."))
        while True:
            try:
                answer = await self._ask(ask)
            except Refused:
                break
            except Unavailable:
                self.repeats += 1
                assert monotonic() - began < PATIENCE_S, "nobody answers"
                await asyncio.sleep(0)
            else:
                self._seat = answer.seat if self._seat is None else None
                self.stored += 1
                break
        self.served += 1
        self.waits_ms.append((monotonic() - began) * 1_000)

    async def _ask(self, ask: CommandMetadata) -> Answer:
        if self._seat is None:
            return await self._node.join(self._match, self._name, "server", ask)
        return await self._node.submit(self._match, commands.Leave(self._seat), ask)


class Written(Struct, frozen=True):
    """What came of a crowd of writers at one table.

    Attributes:
        writers: All of them.
        ahead: How many answers any of them has had, at any time, that another had not.
        lines: What is stored of those who sat down and got up.
    """

    writers: tuple[Scribe, ...]
    ahead: int
    lines: int

    @property
    def repeats(self) -> int:
        """How often somebody had to ask again."""
        return sum(one.repeats for one in self.writers)

    @property
    def stored(self) -> int:
        """How many commands were granted."""
        return sum(one.stored for one in self.writers)

    def account(self, name: str) -> Account:
        """Return a row of the ledger."""
        waits, times = [wait for one in self.writers for wait in one.waits_ms], min(one.served for one in self.writers)
        account = Account(mishap=name, times=times, commands=len(waits), repeats=self.repeats, matches=1)
        account.frames, account.back_ms, account.slowest_ms = self.lines, median(waits), max(waits)
        return account


async def written_by_a_crowd(database_url: str, nodes: int, times: int) -> Written:
    """Let a hundred write to one table at so many nodes, until each was answered so often."""
    async with AsyncExitStack() as stack:
        stores = [await open_store(database_url, "truecup_dealer") for _ in range(nodes)]
        for store in stores:
            stack.push_async_callback(store.close)
        made = [CommandHandler(each, Vault(each, Sealing(bytes(32))), TokenIssuer(bytes(32))) for each in stores]
        opened = await made[0].open({"game": "common_hand", "options": {}}, CommandMetadata("host", "open", bytes(32)))
        match = UUID(opened.match)
        writers = tuple(Scribe(made[number % nodes], match, number) for number in range(WRITERS))
        ahead = await _all_served(writers, times)
        lines = [json.loads(line) for line in await stores[0].read(stream_of(match))]
        return Written(writers, ahead, sum(line["type"] in {"seat.joined", "seat.left"} for line in lines))


async def _all_served(writers: tuple[Scribe, ...], times: int) -> int:
    """Let each write until it was answered so often; return how far any of them was ever ahead of another."""
    ahead = 0

    async def write(one: Scribe) -> None:
        nonlocal ahead
        while one.served < times:
            await one.write()
            ahead = max(ahead, one.served - min(other.served for other in writers))

    await asyncio.gather(*map(write, writers))
    return ahead
