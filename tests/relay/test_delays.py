"""Spectator delay: who holds no seat sees a match as it was, frame for frame, and a seat sees it as it is."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from domain.match.record import fold
from infra.feed.memory import MemoryFeed
from infra.store import TOP, Card, Choices
from infra.store.memory import MemoryStore
from projections.casting.caster import CHANNELS
from services.matches.reads.frame_buffer import StreamItem, WaitPolicy
from services.matches.reads.queries import MatchQueries
from services.matches.reads.shared import shared_reads
from services.matches.reads.streams import StreamHub
from services.matches.watching.casting import cast
from services.matches.watching.telling import Telling, tell
from services.relay.lobby_projector import LobbyProjector
from services.relay.relay import Relay
from services.relay.tail import LogTail
from tests.relay.playing import Played, Reader, Vaulted, running, until

DELAY_MS = 7
QUICK = WaitPolicy(quiet_s=0.01, away_s=0.01, late_s=0.01)
NEVER = WaitPolicy(quiet_s=3_600, away_s=3_600, late_s=0.01)


class Hand:
    """A clock that is set by hand, in the time of played matches: a millisecond for each command."""

    def __init__(self) -> None:
        self.at = 0

    def __call__(self) -> int:
        return self.at


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
async def match(store: MemoryStore) -> Played:
    """Return a match of three at its first roll, whose host lets spectators wait."""
    return await dealt(store, DELAY_MS)


async def dealt(store: MemoryStore, delay_ms: int) -> Played:
    match = Played(store, 1)
    await store.keep_card(match.stream, Card("Ours", choices=Choices(delay_ms=delay_ms)))
    await match.seat("Ada", "Bob", "Cyd")
    await match.deal()
    return match


def library(match: Played, clock: Hand) -> MatchQueries:
    return MatchQueries(match.store, Vaulted([match]), shared_reads(match.store, now=clock))


async def times(match: Played) -> dict[int, int]:
    """Return from when on spectators may be shown each version."""
    steps = [written.match for written, _ in fold(await match.store.read(match.stream))]
    return {step.version: 0 if step.table is None else step.at + DELAY_MS for step in steps}


async def due(match: Played, now: int) -> int:
    """Return the version that spectators are shown at a time, worked out from the lines."""
    return max(version for version, at in (await times(match)).items() if at <= now)


async def test_a_spectator_sees_no_line_before_its_time_and_then_all_of_its_command(match: Played, clock: Hand) -> None:
    await match.finish()
    house, whole, shown_at = library(match, clock), await match.replay(None), await times(match)
    ends = {at: version for version, at in shown_at.items()}
    for clock.at in range(0, match.match.at + DELAY_MS + 3, 3):
        upto = max(version for version, at in shown_at.items() if at <= clock.at)
        assert (await house.view(match.id, None)).version == upto
        assert upto in ends.values()
        assert await house.frames(match.id, None, 0, 1_000) == whole[:upto]
        assert await house.frames(match.id, None, upto, 5) == await house.frames_through(match.id, "all", upto, 1) == []
        assert await house.released(match.id) <= upto
    assert (await house.view(match.id, None)).phase == "finished"


async def test_a_seat_sees_at_once_what_others_wait_for(match: Played, clock: Hand) -> None:
    house = library(match, clock)
    for _ in range(12):
        after = match.match.version
        await match.step()
        clock.at = match.match.at
        assert (await house.view(match.id, 2)).version == match.match.version
        assert await house.frames(match.id, 2, after, 1_000) == await match.replay(2, after)
        assert (await house.view(match.id, None)).version < match.match.version


async def test_of_a_lobby_everybody_is_told_at_once(store: MemoryStore, clock: Hand) -> None:
    match = Played(store, 1)
    await store.keep_card(match.stream, Card(choices=Choices(delay_ms=900_000)))
    await match.seat("Ada", "Bob")
    assert (await library(match, clock).view(match.id, None)).version == match.match.version


async def test_a_match_that_nobody_has_watched_is_shown_as_far_as_any_other(match: Played, clock: Hand) -> None:
    await match.finish()
    watching = library(match, clock)
    for clock.at in range(0, match.match.at + DELAY_MS + 2, 12):
        view, new = await watching.view(match.id, None), await library(match, clock).view(match.id, None)
        assert view == new


async def test_a_late_stream_has_every_frame_when_its_time_has_come(
    match: Played, store: MemoryStore, clock: Hand
) -> None:
    house, feed = library(match, clock), MemoryFeed()
    clock.at = match.match.at
    streams = StreamHub(house, feed, QUICK, wait_of=house.wait_of)
    reader, seat = Reader(streams.stream(match.id, None, None)), Reader(streams.stream(match.id, 1, None))
    await until(lambda: bool(reader.version and seat.version))
    begun = reader.version
    assert begun < seat.version == match.match.version
    tail = LogTail(store, feed)
    store.on_commit = tail.on_commit
    async with running(tail.run(), Relay(store, feed, tail, Vaulted([match])).run()):
        while not match.match.ended:
            await match.step()
            clock.at = match.match.at
            await until(lambda: seat.items[-1].version == match.match.version)
            assert reader.version <= match.match.version - 1
            if match.match.at % 20 == 0:
                upto = await due(match, clock.at)
                await until(lambda: reader.version == upto)  # noqa: B023 - waited for here
        await asyncio.wait_for(seat.task, 60)
        assert not reader.task.done()
        clock.at += DELAY_MS
        await asyncio.wait_for(reader.task, 60)
    assert reader.frames == (await match.replay(None))[begun:]
    assert reader.items[-1] == StreamItem("ended", match.match.version, b'{"ended":%d}' % match.match.version)


async def test_a_late_stream_waits_for_the_time_and_for_no_news(store: MemoryStore) -> None:
    match = await dealt(store, 150)
    await match.finish()
    loop = asyncio.get_running_loop()
    begun_s = loop.time() - match.match.at / 1_000

    def now() -> int:
        return int((loop.time() - begun_s) * 1_000)

    house = MatchQueries(store, None, shared_reads(store, now=now))
    streams = StreamHub(house, MemoryFeed(), NEVER, wait_of=house.wait_of)
    reader = Reader(streams.stream(match.id, None, 0))
    await asyncio.wait_for(reader.task, 60)
    assert (reader.items[0].version, reader.items[-1].kind) < (match.match.version, "f")
    assert reader.frames == await match.replay(None)


async def test_what_seats_say_now_is_not_told_to_whoever_sees_what_was(match: Played, clock: Hand) -> None:
    house, clock.at = library(match, clock), match.match.at
    streams = StreamHub(house, MemoryFeed(), QUICK, wait_of=house.wait_of)
    late = Reader(streams.stream(match.id, None, None, phrases=True))
    seat = Reader(streams.stream(match.id, 1, None, phrases=True))
    await until(lambda: bool(late.version and seat.version))
    shown = late.version
    await streams.say(match.id, b'{"phrase":"wow","seat":2}')
    await until(lambda: bool(seat.said))
    clock.at += DELAY_MS
    await until(lambda: late.version == match.match.version > shown)
    assert late.said == []
    for reader in (late, seat):
        await reader.stop()


async def test_who_comes_back_to_a_late_stream_misses_nothing(match: Played, clock: Hand) -> None:
    await match.finish()
    house, whole = library(match, clock), await match.replay(None)
    streams = StreamHub(house, MemoryFeed(), QUICK, wait_of=house.wait_of)
    told: list[bytes] = []
    for clock.at in range(DELAY_MS, match.match.at + DELAY_MS + 17, 16):
        upto = await due(match, clock.at)
        reader = Reader(streams.stream(match.id, None, len(told)))
        await until(lambda: reader.version == upto and len(reader.frames) == upto - len(told))  # noqa: B023
        told += reader.frames
        await reader.stop()
    assert told == whole
    assert streams.buffers == 0


async def test_a_caster_is_as_late_as_everybody(match: Played, clock: Hand) -> None:
    await match.finish()
    house = library(match, clock)
    streams = StreamHub(house, MemoryFeed(), QUICK, wait_of=house.wait_of)
    clock.at = match.match.at
    caster = cast(streams.stream(match.id, None, None), house, match.id, 0)
    snapshot = await anext(caster)
    assert snapshot.version == await house.released(match.id) < match.match.version
    clock.at += DELAY_MS
    frames = [item async for item in caster if item.kind == "frame"]
    assert [item.version for item in frames] == list(range(1, match.match.version + 1))


async def test_what_may_be_said_of_a_match_is_as_late_as_its_spectators(match: Played, clock: Hand) -> None:
    await match.finish()
    house, telling = library(match, clock), Telling(frozenset(CHANNELS), "en")
    streams = StreamHub(house, MemoryFeed(), QUICK, wait_of=house.wait_of)
    clock.at = match.match.at
    told = tell(streams.stream(match.id, None, 0), house, match.id, telling)
    snapshot, shown = await anext(told), (await house.view(match.id, None)).version
    assert snapshot.version == shown < match.match.version
    assert await house.told(match.id, shown, 1_000, telling) == []
    clock.at += DELAY_MS
    *frames, end = [item async for item in told]
    assert [item.version for item in frames] == list(range(1, match.match.version + 1))
    assert [item.body for item in frames] == await house.told(match.id, 0, 1_000, telling)
    assert end.kind == "ended"
    assert streams.buffers == 0


async def test_the_lobby_shows_a_late_match_as_its_spectators_see_it(match: Played, clock: Hand) -> None:
    await match.finish()
    store, house = match.store, library(match, clock)
    for number in range(2, 6):
        other = Played(store, number)
        await other.seat("Dan", "Eve")
        await other.deal()
        await other.finish()
    projector = LobbyProjector(store)
    for shard in range(8):
        if page := await store.follow(shard, 0, 10_000):
            await projector.take(shard, page)
    clock.at = match.match.at
    late = {row["match"]: row for row in await house.lobby(None, 24)}[str(match.id)]
    assert late["version"] == await due(match, clock.at)
    assert (late["phase"] != "finished", late["winner"], late["title"]) == (True, None, "Ours")
    assert late["delay_ms"] == DELAY_MS
    everybody = await house.lobby(None, 24)
    ended = [row["match"] for row in everybody if row["match"] != str(match.id)]
    assert [row["match"] for row in await house.lobby("ended", 24)] == ended
    # A page is as long as it is asked for, whoever is left out of it.
    assert [row["match"] for row in await house.lobby("ended", 4)] == ended
    assert [row["match"] for row in await house.lobby("ended", 2)] == ended[:2]
    clock.at += DELAY_MS
    assert await house.lobby(None, 24, TOP) == await house.lobby("ended", 24)
    assert len(await house.lobby("ended", 24)) == 5
    (row,) = await store.projection("lobby", "ended", 1)
    kept, players = msgspec.json.decode(row.doc), {"players": {"1": "p0", "2": "p1", "3": "p2"}}
    (shown,) = [each for each in await house.lobby(None, 24) if each["match"] == row.key]
    called = [{**seat, "name": who["name"]} for seat, who in zip(kept["seats"], shown["seats"], strict=True)]
    assert kept == {**shown, "seats": kept["seats"], **players}
    assert (called, {seat["name"] for seat in kept["seats"]}) == (shown["seats"], {"p0", "p1", "p2"})
