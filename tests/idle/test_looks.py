"""Looks at a table: noted by each program, shared by all, and never taken for nobody where it cannot be known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from infra.feed.memory import MemoryFeed
from infra.store import Unavailable
from services.api.routes.looking import target_of
from services.matches import looks as looks_module
from services.matches.looks import HOUSE, LookPace, Looks

QUICK = LookPace(tell_s=0.02, tick_s=0.01)
UNSEEN_S = 1.0
"""Far longer than a busy machine takes from one tick to the next."""
MATCH = "0d9a1b5e-6f2c-4c1d-9f0e-1a2b3c4d5e6f"


@asynccontextmanager
async def running(*programs: Looks) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(one.run()) for one in programs]
    await asyncio.sleep(0)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def until_unseen(looks: Looks, what: str, for_s: float = UNSEEN_S) -> None:
    async with asyncio.timeout(60):
        while not looks.is_unseen(what, for_s):
            await asyncio.sleep(0.01)


async def test_a_program_that_has_not_begun_takes_it_that_somebody_looks() -> None:
    looks = Looks(MemoryFeed(), QUICK)
    assert not looks.is_unseen(MATCH, 0.0)
    async with running(looks):
        assert not looks.is_unseen(MATCH, UNSEEN_S), "nor does it know of the time before"
        await until_unseen(looks, MATCH)


async def test_a_look_at_a_match_is_a_look_at_the_house() -> None:
    looks = Looks(MemoryFeed(), QUICK)
    async with running(looks):
        await until_unseen(looks, HOUSE)
        looks.look(MATCH)
        assert not looks.is_unseen(MATCH, UNSEEN_S)
        assert not looks.is_unseen(HOUSE, UNSEEN_S)
        assert looks.is_unseen("another", UNSEEN_S)


async def test_whoever_goes_on_looking_is_seen_until_the_end() -> None:
    looks = Looks(MemoryFeed(), QUICK)
    async with running(looks):
        looks.begin(MATCH)
        looks.begin(MATCH)
        looks.end(MATCH)
        await until_unseen(looks, "another")
        assert not looks.is_unseen(MATCH, 0.0)
        assert not looks.is_unseen(HOUSE, UNSEEN_S), "an open stream is a look at the house, over and over"
        looks.end(MATCH)
        await until_unseen(looks, MATCH)


async def test_what_one_program_sees_the_others_know() -> None:
    feed = MemoryFeed()
    shows, deals = Looks(feed, QUICK), Looks(feed, QUICK)
    async with running(shows, deals):
        await until_unseen(deals, MATCH)
        shows.begin(MATCH)
        async with asyncio.timeout(60):
            while deals.is_unseen(MATCH, UNSEEN_S):
                await asyncio.sleep(0.005)
        for _ in range(150):
            await asyncio.sleep(0.01)
            assert not deals.is_unseen(MATCH, UNSEEN_S), "it is told again and again while the stream is open"
        shows.end(MATCH)
        await until_unseen(deals, MATCH)


async def test_many_looks_are_told_once_in_a_while() -> None:
    feed = MemoryFeed()
    told: list[str] = []
    await feed.looks(told.append)
    looks = Looks(feed, LookPace(tell_s=60, tick_s=0.01))
    async with running(looks):
        for _ in range(100):
            looks.look(MATCH)
            await asyncio.sleep(0)
        await asyncio.sleep(0.05)
    assert sorted(told) == sorted([MATCH, HOUSE])


async def test_while_the_bus_is_away_nobody_is_taken_to_be_nobody() -> None:
    feed = MemoryFeed()
    looks = Looks(feed, QUICK)
    async with running(looks):
        await until_unseen(looks, MATCH)
        feed.connected = False
        async with asyncio.timeout(60):
            while looks.is_unseen(MATCH, UNSEEN_S):
                await asyncio.sleep(0.01)
        await asyncio.sleep(UNSEEN_S + 0.1)
        assert not looks.is_unseen(MATCH, UNSEEN_S)
        feed.connected = True
        await until_unseen(looks, MATCH)


class Mute(MemoryFeed):
    """A feed over which nothing can be told."""

    async def look(self, what: str, told: bytes = b"") -> None:  # noqa: ARG002 - as the feed has it
        raise Unavailable(f"the bus does not answer: {what}")


async def test_a_look_that_cannot_be_told_is_noted_all_the_same() -> None:
    looks = Looks(Mute(), QUICK)
    async with running(looks):
        await until_unseen(looks, MATCH)
        looks.look(MATCH)
        await asyncio.sleep(0.02)
        assert not looks.is_unseen(MATCH, UNSEEN_S)


async def test_a_program_without_a_bus_knows_its_own_visitors() -> None:
    looks = Looks(pace=QUICK)
    async with running(looks):
        await until_unseen(looks, MATCH)
        looks.look(MATCH)
        assert not looks.is_unseen(MATCH, UNSEEN_S)


async def test_what_is_forgotten_is_taken_to_have_been_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks_module, "SEEN_MAX", 10)
    looks = Looks(MemoryFeed(), QUICK)
    async with running(looks):
        await until_unseen(looks, MATCH, 0.3)
        looks.look(MATCH)
        for number in range(20):
            looks.look(f"match-{number}")
        assert not looks.is_unseen(MATCH, 0.3)
        assert not looks.is_unseen("never-heard-of", 0.3)
        await until_unseen(looks, MATCH, 0.3)


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/", HOUSE),
        ("/tables/live", HOUSE),
        ("/api/v1/matches", HOUSE),
        (f"/m/{MATCH}", MATCH),
        (f"/m/{MATCH}/replay", MATCH),
        (f"/m/{MATCH}/audit", MATCH),
        (f"/m/{MATCH.upper()}", MATCH),
        (f"/api/v1/matches/{MATCH}", MATCH),
        (f"/api/v1/matches/{MATCH}/stream", None),
        (f"/api/v1/matches/{MATCH}/replay", MATCH),
        (f"/api/v1/matches/{MATCH}/record", None),
        (f"/api/v1/matches/{MATCH}/access", None),
        (f"/api/v1/matches/{MATCH}/audit", None),
        ("/m/not-an-id", None),
        ("/health/ready", None),
        ("/api/v1/games", None),
        ("/log/checkpoint", None),
    ],
)
def test_pages_views_and_replays_are_looks_and_what_machines_read_is_none(path: str, what: str | None) -> None:
    # A stream notes its own: `test_over_http`.
    assert target_of(path) == what
