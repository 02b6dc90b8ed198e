"""A house over the memory store whose clock a test sets: its croupier, its usher, and who looks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from time import monotonic_ns, time_ns
from typing import Any
from uuid import UUID

import pytest

from domain import commands, events
from domain.audit.replay import replay
from domain.fairness.records import RecordLine
from domain.log import canonical
from domain.match.evolve import Match
from domain.match.record import event_of, fold
from infra import clock
from infra.clock import MS, Clock
from infra.keys import Ed25519Signer
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.dealer import usher as usher_module
from services.dealer.notary import Notary
from services.dealer.scheduler import MatchScheduler
from services.dealer.usher import Usher
from services.matches.attendance import BotBounds, BotTables
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.looks import LookPace, Looks
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.relay.lobby_projector import LobbyProjector
from services.work.failures import Stuck

PATIENCE_S = 60
IDLE = {"turn_ms": 60_000, "turns": 2, "seeds_ms": 10_000, "lobby_ms": 90_000, "bots_ms": 1_000}
"""A second without a look is waited for; all other times pass when a test says so."""
RULES = {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 3, "pause_ms": 0, "idle": IDLE}
NEVER_ENDING = {"game": "liars_poker", "options": {}, "seats": 3, "pause_ms": 4_000, "idle": IDLE}


class Nap:
    """Wakes its sleeper soon."""

    async def wait(self, timeout_s: float) -> None:
        await asyncio.sleep(min(timeout_s, 0.001))


class House:
    """One store, and as many programs over it as a test starts."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.store = MemoryStore()
        self.tables = BotTables()
        self.matches = self.program()
        self.looks = Looks(pace=LookPace(tell_s=0.05, tick_s=0.01))
        self._patch = monkeypatch
        self._waited_ms = 0
        self._stepped_ms = 0
        self._hearts: list[Heart] = []
        self._numbers = count()
        house = Clock(
            lambda: time_ns() + (self._waited_ms + self._stepped_ms) * MS,
            lambda: monotonic_ns() + self._waited_ms * MS,
        )
        monkeypatch.setattr(clock, "HOUSE", house)
        monkeypatch.setattr(usher_module, "LOOK_S", 0.01)
        monkeypatch.setattr(usher_module, "LOBBIES_S", 0.05)

    def wait(self, ms: int) -> None:
        """Let so much time pass; whatever works has been there all the while."""
        self._waited_ms += ms
        for heart in self._hearts:
            heart.beat()

    def step(self, ms: int) -> None:
        """Set the clock on the wall by so much, forward as after a sleep, or back."""
        self._stepped_ms += ms

    def forget_time(self) -> None:
        """Let whatever begins now be another process, which knows no time but that of the wall."""
        before = clock.HOUSE
        self._patch.setattr(clock, "HOUSE", Clock(before._wall_ns, before._ticks_ns))  # noqa: SLF001 - the same clocks

    def heart(self) -> Heart:
        """Return the heart of another program that begins now."""
        self._hearts.append(Heart(self.store))
        return self._hearts[-1]

    def program(self, heart: Heart | None = None) -> CommandHandler:
        """Return a program that knows nothing but the log."""
        vault = Vault(self.store, Sealing(bytes(32)))
        return CommandHandler(self.store, vault, TokenIssuer(bytes(32)), bot_tables=self.tables, heart=heart)

    def bound(self, bounds: BotBounds) -> None:
        """Begin anew with these bounds, and no memory but the log."""
        self.tables = BotTables(bounds)
        self.matches = self.program()

    def ask(self) -> CommandMetadata:
        return CommandMetadata("test", f"ask-{next(self._numbers)}", b"")

    async def opened(self, **rules: Any) -> UUID:
        return UUID((await self.matches.open({**RULES, **rules}, self.ask())).match)

    async def begun(self, *names: str, bots: int = 0, **rules: Any) -> UUID:
        """Return a match these people and so many bots have started."""
        match_id = await self.opened(seats=len(names) + bots, **rules)
        for name in names:
            await self.matches.join(match_id, name, "server", self.ask())
        if bots:
            await self.matches.seat_bots(match_id, bots, self.ask())
        await self.matches.start(match_id, self.ask())
        return match_id

    async def match(self, match_id: UUID) -> Match:
        return (await self.matches.load_match(match_id)).match

    async def events(self, match_id: UUID) -> list[events.Event]:
        return [event_of(line)[0] for line in await self.store.read(f"match/{match_id}")]

    async def is_whole(self, match_id: UUID) -> bool:
        """Report whether layer 3 of the audit finds nothing in the record."""
        documents = [canonical.decode(line) for line in await self.store.read(f"match/{match_id}")]
        lines = [RecordLine(n, one["type"], one["data"], one["at"]) for n, one in enumerate(documents, start=1)]
        return replay(lines).line is None

    async def until(self, match_id: UUID, true: Callable[[Match], bool]) -> Match:
        """Return the match once this is true of it."""
        async with asyncio.timeout(PATIENCE_S):
            while True:
                (*_, (written, _)) = fold(await self.store.read(f"match/{match_id}"))
                if true(written.match):
                    return written.match
                await asyncio.sleep(0.005)

    async def becomes(self, true: Callable[[], bool]) -> None:
        """Return once this is true of what works here."""
        async with asyncio.timeout(PATIENCE_S):
            while not true():
                await asyncio.sleep(0.005)

    async def stays(self, match_id: UUID, for_s: float = 0.3) -> None:
        """Look on for a moment in which nothing happens at this table."""
        before = len(await self.store.read(f"match/{match_id}"))
        await asyncio.sleep(for_s)
        assert len(await self.store.read(f"match/{match_id}")) == before

    async def pauses_for(self, match_id: UUID, ms: int) -> None:
        """Let that time pass, and see that a pause ends with it and no sooner, however slow this machine is."""
        self.wait(ms - 20_000)
        await self.stays(match_id)
        self.wait(21_000)
        await self.until(match_id, lambda match: match.paused is None)

    async def bid(self, match_id: UUID) -> None:
        """Let the seat in turn claim what is least."""
        await self.matches.submit(match_id, commands.Bid(await self.seat_in_turn(match_id), 1, 2), self.ask())

    async def challenge(self, match_id: UUID) -> None:
        """Let the seat in turn doubt the bid."""
        await self.matches.submit(match_id, commands.Challenge(await self.seat_in_turn(match_id)), self.ask())

    async def seat_in_turn(self, match_id: UUID) -> int:
        table = (await self.match(match_id)).table
        assert table is not None
        assert table.turn is not None
        return table.turn

    @asynccontextmanager
    async def croupier(self, heart: Heart | None = None, stuck: Stuck | None = None) -> AsyncIterator[None]:
        notary = Notary(self.store, "idle.example/log", (Ed25519Signer(bytes(32)),))
        heart = heart or self.heart()
        matches = self.program(heart)
        scheduler = MatchScheduler(self.store, heart, matches, notary, Nap(), stuck=stuck, tables=self.tables)
        async with working(scheduler.run()):
            # A lobby opened before it follows is not its business: the usher finds those.
            await asyncio.sleep(0.05)
            yield

    @asynccontextmanager
    async def usher(self, heart: Heart | None = None) -> AsyncIterator[None]:
        heart = heart or self.heart()
        await heart.find_gap()
        usher = Usher(self.store, self.program(), self.tables, self.looks, heart=heart)
        async with working(usher.run(), self.looks.run(), heart.run()):
            yield

    async def register(self) -> None:
        """Write the rows of the lobby, as a relay does."""
        registrar = LobbyProjector(self.store)
        for shard, end in (await self.store.positions()).items():
            start = await registrar.start(shard)
            if end > start:
                await registrar.take(shard, await self.store.follow(shard, start, 10_000))


@asynccontextmanager
async def working(*works: Any) -> AsyncIterator[None]:
    """Let these work, and cut them off in the middle of whatever they do."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(how, asyncio.CancelledError) for how in ended), ended


def is_dealt(match: Match) -> bool:
    return match.table is not None and match.table.turn is not None


def is_over(match: Match) -> bool:
    return match.ended
