"""Looks at a table: noted by each program, shared by all, and never taken for nobody where it cannot be known."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from infra.feed.memory import MemoryFeed
from infra.store import Unavailable
from services.api.routes.looking import target_of
from services.matches import looks as looks_module
from services.matches.looks import HOUSE, LookPace, Looks

QUICK = LookPace(tell_s=0.02, tick_s=0.01)
UNSEEN_S = 60.0
"""Far longer than a busy machine takes from one tick to the next; it passes when a test says so."""
MATCH = "0d9a1b5e-6f2c-4c1d-9f0e-1a2b3c4d5e6f"


class Later(Looks):
    """Looks whose clock a test sets."""

    later_s = 0.0

    def _now(self) -> float:
        return super()._now() + self.later_s

    def is_unseen(self, what: str, for_s: float = UNSEEN_S) -> bool:
        return super().is_unseen(what, for_s)


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


def wait(*programs: Later, for_s: float = UNSEEN_S) -> None:
    """Let so much time pass."""
    for one in programs:
        one.later_s += for_s


async def until(true: Callable[[], bool]) -> None:
    """Return once this is true, far sooner than the time that passes when a test says so."""
    async with asyncio.timeout(UNSEEN_S / 2):
        while not true():
            await asyncio.sleep(0.005)


async def test_a_program_that_has_not_begun_takes_it_that_somebody_looks() -> None:
    looks = Later(MemoryFeed(), QUICK)
    assert not looks.is_unseen(MATCH, 0.0)
    async with running(looks):
        assert not looks.is_unseen(MATCH), "nor does it know of the time before"
        wait(looks)
        assert looks.is_unseen(MATCH)


async def test_a_look_at_a_match_is_a_look_at_the_house() -> None:
    looks = Later(MemoryFeed(), QUICK)
    async with running(looks):
        wait(looks)
        assert looks.is_unseen(HOUSE)
        looks.look(MATCH)
        assert not looks.is_unseen(MATCH)
        assert not looks.is_unseen(HOUSE)
        assert looks.is_unseen("another")


async def test_whoever_goes_on_looking_is_seen_until_the_end() -> None:
    looks = Later(MemoryFeed(), QUICK)
    async with running(looks):
        looks.begin(MATCH)
        looks.begin(MATCH)
        looks.end(MATCH)
        for _ in range(5):
            wait(looks)
            assert looks.is_unseen("another")
            assert not looks.is_unseen(MATCH, 0.0)
            # An open stream is a look at the house, over and over.
            await until(lambda: not looks.is_unseen(HOUSE))
        looks.end(MATCH)
        wait(looks)
        assert looks.is_unseen(MATCH)


async def test_what_one_program_sees_the_others_know() -> None:
    feed, told = MemoryFeed(), list[str]()
    shows, deals = Later(feed, QUICK), Later(feed, QUICK)
    async with running(shows, deals):
        await feed.looks(told.append)  # behind the others
        wait(shows, deals)
        assert deals.is_unseen(MATCH)
        shows.begin(MATCH)
        await until(lambda: not deals.is_unseen(MATCH))
        for _ in range(10):
            told.clear()
            await until(lambda: MATCH in told)
            wait(shows, deals, for_s=UNSEEN_S / 3)
            assert not deals.is_unseen(MATCH), "it is told again and again while the stream is open"
        shows.end(MATCH)
        await until(lambda: not shows._untold)  # noqa: SLF001 - nothing of it is on its way
        wait(shows, deals)
        assert deals.is_unseen(MATCH)


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
    looks = Later(feed, QUICK)
    async with running(looks):
        wait(looks)
        assert looks.is_unseen(MATCH)
        feed.connected = False
        for _ in range(5):
            await until(lambda: not looks.is_unseen(MATCH))
            wait(looks)
        await until(lambda: not looks.is_unseen(MATCH))
        feed.connected = True
        wait(looks)
        assert looks.is_unseen(MATCH)


class Mute(MemoryFeed):
    """A feed over which nothing can be told."""

    async def look(self, what: str, told: bytes = b"") -> None:  # noqa: ARG002 - as the feed has it
        raise Unavailable(f"the bus does not answer: {what}")


async def test_a_look_that_cannot_be_told_is_noted_all_the_same() -> None:
    looks = Later(Mute(), QUICK)
    async with running(looks):
        wait(looks)
        assert looks.is_unseen(MATCH)
        looks.look(MATCH)
        await asyncio.sleep(0.02)
        assert not looks.is_unseen(MATCH)


async def test_a_program_without_a_bus_knows_its_own_visitors() -> None:
    looks = Later(pace=QUICK)
    async with running(looks):
        wait(looks)
        assert looks.is_unseen(MATCH)
        looks.look(MATCH)
        assert not looks.is_unseen(MATCH)


async def test_what_is_forgotten_is_taken_to_have_been_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looks_module, "SEEN_MAX", 10)
    looks = Later(MemoryFeed(), QUICK)
    async with running(looks):
        wait(looks)
        assert looks.is_unseen(MATCH)
        looks.look(MATCH)
        for number in range(20):
            looks.look(f"match-{number}")
        assert not looks.is_unseen(MATCH)
        assert not looks.is_unseen("never-heard-of")
        wait(looks)
        assert looks.is_unseen(MATCH)


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
