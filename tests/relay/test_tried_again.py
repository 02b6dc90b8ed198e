"""Work of the relay that failed once, as where no memory was left: it is done half a minute later, wholly and once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from itertools import count
from typing import Any, Final, cast

import msgspec
import pytest

from domain.tournaments import commands
from infra.feed.memory import MemoryFeed
from infra.store import SHARDS, EventStore, Recorded, Unavailable, shard_of
from infra.store.memory import MemoryStore
from projections.lobby import LobbyRow
from projections.sheets import ROWS as DICE
from projections.sheets import TOTALS
from services.matches.reads.frame_buffer import WaitPolicy
from services.matches.reads.milestones import Milestones
from services.matches.reads.queries import MatchQueries
from services.matches.reads.streams import StreamHub
from services.relay import card_teller, follower
from services.relay.follower import FollowingWork
from services.relay.left_out import LEFT_OUT
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import Publisher
from services.relay.relay import Relay
from services.relay.statistics_projector import StatisticsProjector, Total
from services.relay.tail import LogTail
from services.relay.tournament_projector import TournamentProjector
from services.tournaments.reads import ROWS
from services.work import failures
from services.work.failures import AGAIN_MS, Stuck
from tests.attack.test_embargo import SPOKEN, Kept, _finish_elsewhere, spoken
from tests.director.house import EventHouse
from tests.failing import Failing
from tests.relay import test_statistics
from tests.relay.playing import Played, Reader, eventually, lobby_of, running, until
from tests.relay.test_cards import Told
from tests.relay.test_contained import play_on, two_of_a_shard, version_in_lobby
from tests.relay.test_relay import caught_up

FAULTS: Final[dict[str, Callable[[], Exception]]] = {
    "room": MemoryError,
    "thread": lambda: RuntimeError("can't start new thread"),
}
"""What passes."""


class Hours:
    """A time that a test makes up, by which work is tried again."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 1_000_000
        self._patch = monkeypatch
        monkeypatch.setattr(failures, "now_ms", lambda: self.now)
        monkeypatch.setattr(follower, "IDLE_S", 0.002)
        for work in (StatisticsProjector, LobbyProjector, TournamentProjector):
            monkeypatch.setattr(work, "pause_s", 0.0)

    def pass_by(self) -> None:
        """Let half a minute go by."""
        self.now += AGAIN_MS

    def fail(
        self, owner: object, name: str, failing: Failing, when: Callable[..., bool] = lambda *_given: True
    ) -> None:
        """Let a method fail."""
        self._patch.setattr(owner, name, failing.instead_of(getattr(owner, name), when))


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch) -> Hours:
    return Hours(monkeypatch)


@asynccontextmanager
async def relay(store: MemoryStore, feed: MemoryFeed, stuck: Stuck) -> AsyncIterator[None]:
    """Let a relay work that has come to the end of the log."""
    tail = LogTail(store, feed)
    store.on_commit = tail.on_commit
    async with running(tail.run(), Relay(store, feed, tail, stuck=stuck).run()):
        await eventually(lambda: caught_up(store, feed))
        yield


async def begun(store: MemoryStore) -> Played:
    match = Played(store, 1)
    await match.seat("Ada", "Bob")
    await match.deal()
    return match


async def become_well(stuck: Stuck) -> None:
    async def is_well() -> bool:
        return await stuck.notice() is None

    await eventually(is_well)


# ---- matches ------------------------------------------------------------------------------------

STEPS: Final[dict[str, tuple[type, str]]] = {
    "the row of the lobby": (LobbyProjector, "_row"),
    "reading it": (Milestones, "after"),
    "its dice": (StatisticsProjector, "_count"),
    "its frame": (Publisher, "_make_frame"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("step", STEPS)
async def test_what_failed_at_the_last_lines_of_a_match_is_done_half_a_minute_later(
    store: MemoryStore, hours: Hours, step: str, fault: str
) -> None:
    match, feed, stuck, failing = await begun(store), MemoryFeed(), Stuck(), Failing(0, FAULTS[fault]())
    async with relay(store, feed, stuck):
        hours.fail(*STEPS[step], failing)
        failing.left = 1_000_000
        await match.finish()
        await eventually(lambda: caught_up(store, feed))
        assert await stuck.notice() is not None
        failing.left = 0
        hours.pass_by()
        await become_well(stuck)
    await test_statistics.check(store, [match])
    assert await version_in_lobby(store, match) == match.match.version
    assert [one.version for one in feed.kept[match.shard]] == list(range(1, match.match.version + 1))
    assert await left_out(store, "lobby") == []


async def left_out(store: MemoryStore, name: str) -> list[str]:
    """Return the streams that the rows do not show."""
    rows = await store.projection(name, LEFT_OUT, SHARDS)
    return [stream for row in rows for stream in msgspec.json.decode(row.doc, type=list[str])]


async def test_who_watches_gets_every_frame_once_and_in_order_whichever_could_not_be_made(
    store: MemoryStore, hours: Hours
) -> None:
    """The first that follows, one in the middle, the last: the log has them, and they are not told again."""
    match, feed, stuck, failing = await begun(store), MemoryFeed(), Stuck(), Failing()
    streams = StreamHub(MatchQueries(store, None), feed, WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=0.001))
    first, tried = match.match.version, set[int]()

    def is_first_try(_self: object, line: Recorded) -> bool:
        fails = line.seq in {first, first + 2} or b'"match.ended"' in line.line
        failing.left = 1 if fails and line.seq not in tried else 0
        tried.add(line.seq)
        return True

    async with relay(store, feed, stuck):
        hours.fail(Publisher, "_make_frame", failing, is_first_try)
        reader = Reader(streams.stream(match.id, None, None))
        await until(lambda: bool(reader.items))
        while not match.match.ended:
            await match.step()
            await until(lambda: reader.version == match.match.version)
        await reader.task
        assert stuck.is_stuck("frames", match.stream)
        hours.pass_by()
        await become_well(stuck)
    assert reader.frames == (await match.replay(None))[first:]
    kept = feed.kept[match.shard]
    assert [one.version for one in kept if not one.body] == [first + 1, first + 3, match.match.version]
    assert [one.version for one in kept] == list(range(1, match.match.version + 1))


async def test_a_bus_that_took_no_frame_once_has_every_frame_in_order(store: MemoryStore, hours: Hours) -> None:
    match, feed, stuck, failing = await begun(store), MemoryFeed(), Stuck(), Failing(2, Unavailable("for a moment"))
    hours.fail(feed, "publish", failing)
    await match.finish()
    async with relay(store, feed, stuck):
        assert failing.tried > 2
    assert [one.body for one in feed.kept[match.shard]] == await match.replay(None)


async def test_what_was_left_out_for_want_of_room_is_made_up_for_by_the_next_program(
    store: MemoryStore, hours: Hours
) -> None:
    match, failing = await begun(store), Failing(1_000_000)
    async with relay(store, MemoryFeed(), Stuck()):
        hours.fail(LobbyProjector, "_row", failing)
        hours.fail(StatisticsProjector, "_count", failing)
        await match.finish()
        await eventually(lambda: all_is_followed(store))
    assert await left_out(store, "lobby") == [match.stream]
    failing.left = 0
    async with relay(store, MemoryFeed(), Stuck()):
        pass
    await test_statistics.check(store, [match])
    assert await version_in_lobby(store, match) == match.match.version


async def all_is_followed(store: MemoryStore) -> bool:
    """Report whether rows and counts have come to the end of the log."""
    ends = await store.positions()
    return all([await store.cursor(name, shard) == ends[shard] for name in ("lobby", DICE) for shard in ends])


async def test_a_board_that_there_was_no_room_to_read_shows_its_matches_later(hours: Hours) -> None:
    board, failing = spoken(SPOKEN[0], "left"), Failing()
    kept, stuck = Kept(board), Stuck()
    await kept.tell()
    projector, stream = LobbyProjector(kept.store, kept.shared, stuck), f"board/{board.rules.id}"
    hours.fail(projector, "_matches_of", failing)
    await follow(projector, kept.store)
    _finish_elsewhere(board)
    await kept.tell()
    failing.left = 1
    await follow(projector, kept.store)
    assert await left_out(kept.store, "lobby") == [stream]
    assert await phase_of(kept) != "finished"
    await follow(projector, kept.store)
    assert await phase_of(kept) != "finished", "it is not tried before its time"
    hours.pass_by()
    await follow(projector, kept.store)
    assert await phase_of(kept) == "finished"
    assert await left_out(kept.store, "lobby") == []
    assert await stuck.notice() is None


async def phase_of(kept: Kept) -> str:
    """Return the phase of the match as the lobby has it."""
    docs = [msgspec.json.decode(row.doc, type=LobbyRow) for row in await lobby_of(kept.store)]
    return next(doc.phase for doc in docs if doc.match == str(kept.match))


async def follow(work: FollowingWork, store: MemoryStore) -> None:
    """Let a work do what there is to do, as after trouble."""
    for shard in range(SHARDS):
        position = await work.start(shard)
        await work.try_again(shard, position)
        while page := await store.follow(shard, position, work.page):
            position = await work.take(shard, page)


# ---- counted once -------------------------------------------------------------------------------


class Actuary:
    """A program that counts the dice of a shard, and fails at times that a seed draws."""

    def __init__(self, store: MemoryStore, hours: Hours, shard: int, moments: random.Random) -> None:
        self.store, self.hours, self.shard, self.moments = store, hours, shard, moments
        self.fails = True
        self.position = 0

    async def begin(self) -> None:
        """Begin as another process would."""
        self.work = StatisticsProjector(cast("EventStore", self), stuck=Stuck())
        await self.until_there(self.start)

    async def start(self) -> None:
        self.position = await self.work.start(self.shard)

    async def step(self) -> None:
        """Do what is due, and take some lines."""
        await self.work.try_again(self.shard, self.position)
        page = await self.store.follow(self.shard, self.position, self.moments.randrange(1, 60))
        if page:
            self.position = await self.work.take(self.shard, page)

    async def finish(self) -> None:
        """Do all that is left, without any more trouble."""
        self.fails = False
        await self.work.try_again(self.shard, self.position)
        while self.position < (await self.store.positions())[self.shard]:
            await self.step()

    async def until_there(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do it; after trouble with the store begin anew, with the same memory."""
        try:
            await work()
        except Unavailable:
            await self.until_there(self.start)

    def __getattr__(self, name: str) -> Any:
        if name in {"read", "save_projection", "positions"} and self.fails and self.moments.random() < 0.15:
            faults = [MemoryError(), Unavailable("for a moment")] if name == "read" else [Unavailable("for a moment")]
            return Failing(1, self.moments.choice(faults)).instead_of(self.store.read)
        return getattr(self.store, name)


@pytest.mark.parametrize("seed", range(22, 28))
async def test_whatever_fails_and_is_tried_again_every_match_counts_once(
    store: MemoryStore, hours: Hours, seed: int
) -> None:
    """Two programs take pages of any size, fail, lose their store, are started anew, and try again when it is time."""
    moments = random.Random(seed)
    matches = two_of_a_shard(store)
    for match in matches:
        await match.seat("Ada", "Bob")
        await match.deal()
    both = [Actuary(store, hours, matches[0].shard, moments) for _ in range(2)]
    for one in both:
        await one.begin()
    for _ in range(60):
        match = moments.choice(matches)
        await play_on(match, moments.randrange(4))
        hours.now += moments.choice([0, 0, AGAIN_MS])
        one = moments.choice(both)
        await (one.begin() if moments.random() < 0.1 else one.until_there(one.step))
    hours.pass_by()
    for one in both:
        await one.finish()
    await test_statistics.check(store, matches)
    totals = [msgspec.json.decode(row.doc, type=Total) for row in await store.projection(DICE, TOTALS, SHARDS)]
    assert [total.apart for total in totals] == [{}]


# ---- tournaments --------------------------------------------------------------------------------


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("is_another", [False, True], ids=["the same program", "the next program"])
async def test_a_tournament_that_could_not_be_listed_is_so_later(
    store: MemoryStore, hours: Hours, fault: str, *, is_another: bool
) -> None:
    house, stuck, failing = EventHouse(store), Stuck(), Failing(0, FAULTS[fault]())
    projector, shard = TournamentProjector(store, stuck), 0
    await house.announce()
    await follow(projector, store)
    hours.fail(TournamentProjector, "_rows_of", failing)
    failing.left = 1
    await house.do(commands.Cancel(by=house.host, reason="technical"))
    await follow(projector, store)
    shard = shard_of(f"tournament/{house.id}")
    assert await store.cursor(ROWS, shard) == (await store.positions())[shard], "it keeps no other waiting"
    assert await listed(house) == ["open"]
    if is_another:
        projector, stuck = TournamentProjector(store), Stuck()
    else:
        hours.pass_by()
    await follow(projector, store)
    assert await listed(house) == ["ended"]
    assert await left_out(store, ROWS) == []
    assert await stuck.notice() is None


async def listed(house: EventHouse) -> list[str]:
    """Return the states under which a tournament is listed, where both lists say the same."""
    found = []
    for state in ("open", "live", "ended"):
        docs = [row.doc for row in await house.tournaments.rows(state, 9)]
        assert [row.doc for row in await house.tournaments.rows(state, 9, game="common_hand")] == docs
        found += [state] * len(docs)
    return found


async def test_a_store_that_is_away_when_it_is_tried_again_is_waited_for(store: MemoryStore, hours: Hours) -> None:
    house, failing = EventHouse(store), Failing()
    projector = TournamentProjector(store)
    await house.announce()
    hours.fail(TournamentProjector, "_rows_of", failing)
    failing.left = 1
    await follow(projector, store)
    hours.pass_by()
    for write in (0, 1):  # of one list, and of the other
        writes = count()
        away = Failing(1, Unavailable("for a moment"))
        hours.fail(store, "save_projection", away, lambda *_given, write=write, writes=writes: next(writes) == write)
        with pytest.raises(Unavailable):
            await follow(projector, store)
        assert await left_out(store, ROWS) == [f"tournament/{house.id}"]
    await follow(projector, store)
    assert await listed(house) == ["open"]


async def test_a_card_that_could_not_be_made_is_told_later_and_once(hours: Hours) -> None:
    told, failing = Told(), Failing()
    hours.fail(card_teller, "card_of", failing)
    async with running(told.audience.run()):
        await asyncio.sleep(0.05)
        await told.begin(1)
        failing.left = 1
        await told.house.do(commands.OpenCheckIn(by=told.house.host))
        await told.go_on()
        await told.try_again()
        assert told.heard == []
        for _ in range(2):
            hours.pass_by()
            await told.try_again()
            assert [(each["card"]["number"], each["card"]["now"]) for each in told.heard] == [(1, "check_in")]
            assert failing.tried == 2
