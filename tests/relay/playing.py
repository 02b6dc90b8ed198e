"""Matches that are played into a store: what the tests of the relay and of the streams are made of."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from itertools import count
from uuid import UUID

from domain import commands, events
from domain.fairness.openings import DealSecrets
from domain.match.decide import decide
from domain.match.evolve import Match, new_match, open_match
from domain.match.record import GENESIS, MatchAtHead, lines_of, step, stream_of, written_after
from domain.rules.orders import Count
from domain.table.moves import moves
from domain.table.offers import BidMove
from infra.store import Append, Appended, EventStore, ProjectionRow, shard_of
from projections.history import history
from projections.lobby import SHELVES
from projections.view import View, view_of
from services.matches.reads.frame_buffer import StreamItem
from services.matches.reads.queries import UnknownMatch, Viewer, seat_of
from services.matches.reads.streams import Spoken, Told
from services.matches.secrets.tokens import Holder
from services.relay.lobby_projector import LobbyProjector
from tests.relay.poison import append

RULES = {"game": "common_hand", "options": {}, "pause_ms": 0, "seats": 6}
DEADLINE_S = 60.0


def match_id(number: int) -> UUID:
    """Return the id of a match, the same in every run."""
    return UUID(bytes=hashlib.sha256(f"match {number}".encode()).digest()[:16], version=4)


async def lobby_of(store: EventStore) -> list[ProjectionRow]:
    """Return every row of the lobby."""
    shelves = [shelf for those in SHELVES.values() for shelf in those]
    return [row for shelf in shelves for row in await store.projection(LobbyProjector.name, shelf, 1_000)]


def chance(text: str) -> commands.Chance:
    """Return chance that is the same in every run."""
    drawn = (hashlib.sha256(f"{text} {number}".encode()).digest() for number in count())
    return commands.Chance(next(drawn), {seat: next(drawn) for seat in range(1, 7)})


class Played:
    """One match and the secrets of its deals."""

    def __init__(self, store: EventStore, number: int) -> None:
        """Play this match into this store."""
        self.store = store
        self.id = match_id(number)
        self.stream = stream_of(self.id)
        self.keepers: dict[int, DealSecrets] = {}
        self.names: dict[str, str] = {}
        self._written: MatchAtHead | None = None
        self._commands = count()
        self._at = 0

    @property
    def match(self) -> Match:
        assert self._written is not None
        return self._written.match

    @property
    def written(self) -> MatchAtHead:
        assert self._written is not None
        return self._written

    @property
    def shard(self) -> int:
        return shard_of(self.stream)

    async def open(self) -> None:
        event = open_match(self.id, RULES)
        lines = await self._append([event], 0, GENESIS, 0)
        *_, self._written = written_after(None, lines, [event], [new_match(event, 0)])

    async def join(self, name: str) -> None:
        player = f"p{len(self.names)}"
        self.names[player] = name
        await self.ask(commands.Join(player, "server"), people=((player, name),))

    async def ask(self, command: commands.MatchCommand, people: tuple[tuple[str, str], ...] = ()) -> None:
        """Decide a command and store what it leads to."""
        deal = -1 if self.match.ceremony is None else self.match.ceremony.deal
        # Each command has a time of its own, as the handler has it; a line of others may say that it is earlier.
        self._at = at = max(self._at, self.match.at) + 1
        made = decide(self.match, command, at, self.keepers.get(deal))
        lines = await self._append(made.events, self.match.version, self.written.head, at, people)
        *_, self._written = written_after(self.written, lines, made.events, made.steps)
        if made.keeper is not None:
            self.keepers[made.keeper.number] = made.keeper

    async def _append(
        self,
        happened: Iterable[events.Event],
        version: int,
        head: str,
        at: int,
        people: tuple[tuple[str, str], ...] = (),
    ) -> tuple[bytes, ...]:
        lines, _ = lines_of(self.id, version, head, at, happened)
        command = hashlib.sha256(f"{self.id} {next(self._commands)}".encode()).digest()
        outcome = await self.store.append(Append(self.stream, version, lines, command, command, b"{}", people=people))
        assert isinstance(outcome, Appended), outcome
        return lines

    async def seat(self, *names: str) -> None:
        """Open the match and seat people."""
        await self.open()
        for name in names:
            await self.join(name)

    async def deal(self) -> None:
        """Start the match, up to the first roll."""
        await self.ask(commands.Start(chance(str(self.id))))
        await self._log_the_deal()

    async def _log_the_deal(self) -> None:
        assert self.match.ceremony is not None
        if self.match.ceremony.stage == "sealed":
            await self.ask(commands.LogDeal(self.match.ceremony.deal, 0, (), "a checkpoint"))

    async def take(self, line: bytes) -> None:
        """Append a line that somebody else has written, and go on behind it."""
        await append(self.store, self.stream, self.match.version, line)
        self._written, _ = step(self._written, line)

    async def step(self) -> None:
        """Let whoever is due do what comes first: bid the least, and challenge a bid of more than two."""
        state = self.match.table
        assert state is not None
        if state.turn is None:
            await self.ask(commands.Advance(chance(f"{self.id} {self.match.version}")))
            await self._log_the_deal()
            return
        offered = moves(state)[state.turn]
        bid = next((move for move in offered if isinstance(move, BidMove)), None)
        standing = state.round.standing
        if bid is None or (isinstance(standing, Count) and standing.quantity > 2):
            await self.ask(commands.Challenge(state.turn))
        else:
            await self.ask(commands.Bid(state.turn, *bid.minimum[0]))

    async def finish(self) -> None:
        """Play to the last line."""
        while not self.match.ended:
            await self.step()

    async def replay(self, seat: int | None, after: int = 0) -> list[bytes]:
        """Return the frames of a viewer, made from the log alone."""
        lines = await self.store.read(self.stream)
        return list(history(lines, seat, self.keepers, self.names, after))


class Vaulted:
    """The secrets of the deals of some matches, as the dealer's role has them."""

    def __init__(self, played: Iterable[Played]) -> None:
        self._played = {match.id: match for match in played}

    async def keeper(self, match: Match) -> DealSecrets | None:
        keepers = self._played[match.id].keepers
        return None if match.ceremony is None else keepers.get(match.ceremony.deal)


class LogSource:
    """The matches as the log has them, for streams; counts how often it is asked."""

    def __init__(self, *played: Played) -> None:
        self._played = {match.id: match for match in played}
        self.views = 0
        self.pages = 0

    async def holding(self, match_id: UUID, viewer: Viewer) -> Viewer:
        return None if isinstance(viewer, Holder) and seat_of(viewer, self._played[match_id].match) is None else viewer

    async def view(self, match_id: UUID, viewer: Viewer) -> View:
        if match_id not in self._played:
            raise UnknownMatch(str(match_id))
        self.views += 1
        played = self._played[match_id]
        deal = -1 if played.match.ceremony is None else played.match.ceremony.deal
        return view_of(played.written, seat_of(viewer, played.match), played.keepers.get(deal), played.names)

    async def frames(self, match_id: UUID, viewer: Viewer, after: int, limit: int) -> list[bytes]:
        self.pages += 1
        played = self._played[match_id]
        return (await played.replay(seat_of(viewer, played.match), after))[:limit]


class Reader:
    """Reads a stream to its end, or as far as it is let."""

    def __init__(self, items: AsyncGenerator[Told, None]) -> None:
        self.items: list[StreamItem] = []
        self.said: list[tuple[int, bytes]] = []
        self._stream = items
        self.task = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        async for item in self._stream:
            if isinstance(item, StreamItem):
                self.items.append(item)
            elif isinstance(item, Spoken):
                self.said.append((self.version, item.body))

    @property
    def version(self) -> int:
        return self.items[-1].version if self.items else 0

    @property
    def frames(self) -> list[bytes]:
        return [item.body for item in self.items if item.kind == "frame"]

    async def stop(self) -> None:
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)
        await self._stream.aclose()


async def until(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""

    async def asked() -> bool:
        return holds()

    await eventually(asked)


async def eventually(holds: Callable[[], Awaitable[bool]], within_s: float = DEADLINE_S, look_s: float = 0.005) -> None:
    """Wait until something holds that has to be asked for."""
    async with asyncio.timeout(within_s):
        while not await holds():
            await asyncio.sleep(look_s)


@asynccontextmanager
async def running(*work: Awaitable[None]) -> AsyncIterator[None]:
    """Run something beside the test, and cancel it at the end."""
    tasks = [asyncio.ensure_future(each) for each in work]
    try:
        yield
        for task in tasks:
            assert not task.done(), task
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
