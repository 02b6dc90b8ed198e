"""Replays: a page of frames costs its page, spectators share the bytes, and the bytes are those that were published."""

from __future__ import annotations

import asyncio
import random

import msgspec
import pytest

from domain import commands
from domain.audit import access
from infra.feed.memory import MemoryFeed
from infra.store.memory import MemoryStore
from projections.glass import Eyes
from services.matches.reads.access_log import AccessLog
from services.matches.reads.milestones import SPACING
from services.matches.reads.names import NameCache
from services.matches.reads.queries import MatchQueries, UnknownMatch, UnknownSeat
from services.matches.reads.replays import PAGE
from services.matches.reads.shared import shared_reads
from services.relay.publisher import Publisher
from services.work.caches import KeptPages
from services.work.slices import Pace
from tests.reads.counting import CountingStore
from tests.relay.playing import Played, Vaulted, match_id

VIEWERS = (None, 1, 6)


def library(match: Played, pace: Pace | None = None) -> MatchQueries:
    """Return a library that remembers nothing, of a program with the dealer's role."""
    return MatchQueries(match.store, Vaulted([match]), shared_reads(match.store, pace))


@pytest.mark.parametrize("seat", VIEWERS)
async def test_frames_are_those_that_were_published_however_they_are_asked_for(long: Played, seat: int | None) -> None:
    whole, house, drawn = await long.replay(seat), library(long), random.Random(f"{seat}")
    for _ in range(40):
        after, limit = drawn.randrange(len(whole) + 3), drawn.choice((1, 2, PAGE, 32, 256))
        assert await house.frames(long.id, seat, after, limit) == whole[after : after + limit]
    assert await house.frames(long.id, seat, 0, 100_000) == whole


async def test_a_page_costs_its_page_after_the_first(long: Played, store: CountingStore) -> None:
    for seat in VIEWERS:
        house, end = library(long), long.match.version
        await house.frames(long.id, seat, end - 1, 1)
        for after, limit in ((end - 1, 1), (300, 1), (301, 32), (17, 256), (0, 16)):
            store.forget()
            await house.frames(long.id, seat, after, limit)
            assert store.lines <= limit + 3 * SPACING, (seat, after, limit)


async def test_frames_made_for_one_spectator_serve_all(long: Played, store: CountingStore) -> None:
    house = library(long)
    asked = [house.frames(long.id, None, after % 7 + 200, 64) for after in range(200)]
    found = await asyncio.gather(*asked)
    lines, made = store.lines, {id(frame) for frames in found for frame in frames}
    assert len(made) == 7 + 64 - 1, "each is made once"
    assert lines <= 2 * long.match.version + 64 + 4 * PAGE
    store.forget()
    again = await asyncio.gather(*(house.frames(long.id, None, after % 7 + 200, 64) for after in range(200)))
    assert store.queries == 0, "they are good for ever"
    assert {id(frame) for frames in again for frame in frames} == made


async def test_what_a_seat_sees_is_kept_for_nobody_and_is_on_record_each_time(long: Played) -> None:
    house = library(long)
    mine, public = await house.frames(long.id, 1, 30, 16), await house.frames(long.id, None, 30, 16)
    assert not {id(frame) for frame in mine} & {id(frame) for frame in await house.frames(long.id, 1, 30, 16)}
    assert await house.frames(long.id, 2, 30, 16) != mine != public
    assert await house.frames(long.id, None, 30, 16) == public
    noted = await AccessLog(long.store).book(long.id)
    assert {key[0] for key in noted.told} == {f"seat/{seat}" for seat in range(1, 7)}


async def test_dice_of_a_match_without_an_access_stream_leave_with_one() -> None:
    fresh = MemoryStore()
    match = Played(fresh, 1)
    await match.seat("Ada", "Bob")
    await match.deal()
    house, ended = library(match), match.match.version
    (frame,) = await house.frames(match.id, 1, ended - 1, 1)
    dice = msgspec.json.decode(frame)["view"]["seats"][0]["dice"]
    assert all(die["face"] is not None and not die["shown"] for die in dice)
    lines = await fresh.read_access(access.stream_of(match.id))
    assert any(b'"viewer":"seat/1"' in line for line in lines)


async def test_whoever_left_the_lobby_keeps_the_name_in_every_frame_that_shows_them() -> None:
    store, feed = MemoryStore(), MemoryFeed()
    match = Played(store, 1)
    await match.seat("Ada", "Bob", "Cyd")
    await match.ask(commands.Leave(2))
    await match.deal()
    publisher = Publisher(store, feed, None)
    await publisher.start(match.shard)
    await publisher.take(match.shard, await store.follow(match.shard, 0, 1_000))
    published = [placed.body for placed in feed.kept[match.shard]]
    assert any(b'"name":"Bob"' in frame for frame in published), "there was one to see"
    assert await library(match).frames(match.id, None, 0, 256) == published
    assert [(await library(match).frames(match.id, None, n, 1))[0] for n in range(len(published))] == published


async def test_a_match_that_goes_on_has_its_last_page_continued() -> None:
    match = Played(CountingStore(), 1)
    await match.seat("Ada", "Bob", "Cyd")
    await match.deal()
    house = library(match)
    for _ in range(3 * PAGE):
        if match.match.ended:
            break
        whole = await match.replay(None)
        assert await house.frames(match.id, None, len(whole) - 5, 64) == whole[-5:]
        await match.step()


def test_frames_kept_have_a_bound() -> None:
    pages: KeptPages[int] = KeptPages(1_000)
    for number in range(3):
        pages.keep(number, [b"x" * 500])
        assert pages.bytes == sum(len(frame) for at in range(3) for frame in pages.get(at) or ()) <= 1_000
    assert pages.get(0) is None
    assert pages.get(1) is not None
    pages.keep(2, [b"short", b""])
    pages.keep(1, [b"no longer than what is there"])
    assert pages.bytes == 500 + len(b"short")
    pages.keep(3, [b"y" * 500])
    assert (pages.get(1), pages.get(2)) == (None, [b"short", b""])


async def test_a_match_that_is_not_there_has_no_frames(long: Played) -> None:
    with pytest.raises(UnknownMatch):
        await library(long).frames(match_id(99), None, 0, 1)


async def test_making_frames_lets_everybody_else_have_a_turn(long: Played) -> None:
    passes = 0

    async def beside() -> None:
        nonlocal passes
        while True:
            await asyncio.sleep(0)
            passes += 1

    for seat in VIEWERS:
        house, passes = library(long, Pace(slice_s=0)), 0
        await house.frames(long.id, seat, 0, 1)
        running = asyncio.ensure_future(beside())
        frames = await house.frames(long.id, seat, 256, 256)
        running.cancel()
        assert passes >= len(frames), "a pass between any two frames"


# ---- through cups of glass ---------------------------------------------------------------------


def faces_in(frames: list[bytes]) -> list[int | None]:
    """Return the face of every die that was hidden when the frames were made."""
    seats = [seat for frame in frames for seat in msgspec.json.decode(frame)["view"]["seats"]]
    return [die["face"] for seat in seats for die in seat["dice"] if not die["shown"]]


async def test_who_looks_back_on_a_match_that_is_over_sees_every_die_without_a_key(long: Played) -> None:
    house = MatchQueries(long.store, None, shared_reads(long.store))
    frames = await house.frames_through(long.id, "all", 0, 100_000)
    assert len(frames) == long.match.version
    assert None not in faces_in(frames)
    assert await house.frames_through(long.id, "all", 40, 20) == frames[40:60]
    assert set(faces_in(await house.frames_through(long.id, None, 0, 100_000))) == {None}
    assert None in (mine := faces_in(await house.frames_through(long.id, 1, 0, 100_000)))
    assert {1, 2, 3, 4, 5, 6} < set(mine)


async def test_of_a_round_in_play_nobody_sees_through_a_cup() -> None:
    match = Played(MemoryStore(), 1)
    await match.seat("Ada", "Bob")
    await match.deal()
    house = library(match)
    every: tuple[Eyes, ...] = ("all", None, 1)
    for eyes in every:
        assert set(faces_in(await house.frames_through(match.id, eyes, 0, 1_000))) == {None}


async def test_only_who_sits_there_has_eyes_to_look_through(long: Played) -> None:
    with pytest.raises(UnknownSeat) as unknown:
        await library(long).frames_through(long.id, 7, 0, 1)
    assert unknown.value.seats == [1, 2, 3, 4, 5, 6]


async def test_what_is_told_of_a_match_is_told_on_from_where_it_was() -> None:
    match = Played(store := CountingStore(), 1)
    await match.seat("Ada", "Bob", "Cyd")
    await match.deal()
    house = library(match)
    await house.released(match.id)
    while not match.match.ended:
        before = match.match.version
        await match.step()
        store.forget()
        upto = await house.released(match.id)
        assert store.lines <= 2 * (match.match.version - before), "the new lines, for the match and for its glass"
        assert upto == await library(match).released(match.id), "as if it had been read at once"
    assert upto == match.match.version
    earlier = await house.frames_late(match.id, 0, 1_000, match.match.version - 30)
    assert earlier == await library(match).frames_late(match.id, 0, 1_000, match.match.version - 30)


async def test_a_look_back_costs_its_page_after_the_first(long: Played, store: CountingStore) -> None:
    house, end = library(long), long.match.version
    await house.frames_through(long.id, "all", end - 1, 1)
    store.forget()
    assert await house.frames_through(long.id, "all", end, 8) == []
    await house.frames_through(long.id, "all", 300, 16)
    assert store.lines <= 16 + 3 * SPACING


async def test_a_name_is_asked_for_once(long: Played) -> None:
    asked: list[set[str]] = []

    class People:
        """Those of the long match, and how often they were asked for."""

        async def names(self, players: set[str]) -> dict[str, str]:
            asked.append(set(players))
            return {player: long.names[player] for player in players if player in long.names}

        async def erasures(self) -> int:
            return 0

    names = NameCache(People())  # type: ignore[arg-type]
    assert await names.of([long.match, long.match]) == long.names
    assert await names.of([long.match]) == long.names
    assert asked == [set(long.names)]
