"""Times of tables: whom a house that was away waits for, and until when; for what its director comes back."""

from __future__ import annotations

from typing import Any, Final
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain.match.ceremony import CEREMONY_MS
from domain.tournaments import commands
from domain.tournaments.formats.format import DueStep, Step
from infra.store.memory import MemoryStore
from services.dealer.steps import TournamentSteps
from services.dealer.table_times import TableTimes
from services.matches.heart import Heart
from services.tournaments.tables import TableMatch, open_tables
from tests.bots.test_player import working
from tests.director.conftest import house, wait
from tests.director.house import EventHouse, Unmissed
from tests.director.test_tables import NO_SHOW_MS, PAIRS, TIME, Evening, Wait, people

__all__ = ["house", "wait"]
HOUR_MS: Final = 3_600_000
SLACK_MS: Final = 60_000
"""What a slow machine may take between two looks."""
ROUND_MS: Final = 20_000
"""How long a round lasts, where it does: less than anybody is waited for."""
PAUSE: Final = (10_000, 20_000)
"""From when to when after its table was opened a tournament was paused, in milliseconds."""
GAPS: Final = {
    "before": (-1, 10_000),
    "earlier": (5_000, 15_000),
    "within": (15_000, 20_000),
    "behind": (30_000, 30_000),
}
"""Until when nobody was there, before, within or behind the pause, and by how much later people are missing for it."""


async def opened(house: EventHouse, **time: int) -> tuple[Evening, TableMatch]:
    """Open a table of two, at which nobody is yet, and let nobody work any more."""
    async with working(*house.works(), house.director().run()):
        evening = await people(house, "Ana", "Bob", time={**TIME, **time})
        await evening.started()
    (at,) = open_tables(await house.tournament())
    return evening, at


async def begun(house: EventHouse, **time: int) -> tuple[Evening, TableMatch]:
    """Have both say that they are there, and let nobody work once they have begun to play."""
    evening, at = await opened(house, **time)

    async def is_dealt() -> bool:
        table = (await evening.match(at.id)).table
        return table is not None and table.turn is not None

    async with working(*house.works(), house.director().run()):
        await evening.ready(at.id, 1, 2)
        await evening.until(is_dealt)
    return evening, at


class Looking:
    """Another director, which looks once at a time; its clock may leap right after it has found no gap."""

    def __init__(self, house: EventHouse, wait: Wait, beats: type[Heart] = Heart) -> None:
        self.heart, self._own, self._wait = beats(house.store), EventHouse(house.store), wait
        self.steps = TournamentSteps(self._own.tournaments, self._own.matches, self._own.notary(), self.heart)
        self._id = house.id
        self._load = self._own.tournaments.load

    async def look(self) -> int | None:
        return await self.steps.look(self._id)

    async def look_while_the_clock_leaps(self) -> None:
        self._own.tournaments.load = self._leaping  # type: ignore[method-assign]
        await self.look()
        self._own.tournaments.load = self._load  # type: ignore[method-assign]

    async def _leaping(self, tournament_id: UUID, at_least: int | None = None) -> Any:
        found = await self._load(tournament_id, at_least)
        self._wait(HOUR_MS)
        return found


@pytest.mark.parametrize("gap", GAPS)
async def test_a_table_waits_once_for_a_pause_and_a_time_in_which_nobody_was_there(house: EventHouse, gap: str) -> None:
    _, at = await opened(house)
    assert at.table.opened_at is not None
    heart, (ends_ms, later_ms) = Heart(MemoryStore()), GAPS[gap]
    heart.since = at.table.opened_at + ends_ms
    began, ended = (at.table.opened_at + ms for ms in PAUSE)
    paused = replace(await house.tournament(), pauses=((began, ended),))
    assert TableTimes(heart).no_show_at(paused, at) - at.table.opened_at == later_ms + NO_SHOW_MS


async def test_nobody_is_left_out_for_a_leap_within_a_look(house: EventHouse, wait: Wait) -> None:
    evening, _ = await opened(house)
    looking = Looking(house, wait)
    await looking.look()
    await looking.look_while_the_clock_leaps()
    await looking.look()
    assert await evening.results() == {}
    wait(NO_SHOW_MS)
    looking.heart.beat()
    await looking.look()
    assert [one.how for one in (await evening.results()).values()] == ["nobody"]


async def test_no_round_ends_by_a_leap_within_a_look(house: EventHouse, wait: Wait) -> None:
    evening, at = await begun(house, round_ms=ROUND_MS)
    looking = Looking(house, wait)
    await looking.look()
    await looking.look_while_the_clock_leaps()
    await looking.look()
    assert (await evening.match(at.id)).last_round is None
    wait(ROUND_MS)
    looking.heart.beat()
    await looking.look()
    assert (await evening.match(at.id)).last_round is not None


async def test_nothing_that_a_leap_makes_due_is_done_before_it_is_known_to_be_one(
    house: EventHouse, wait: Wait
) -> None:
    await house.announce(stages=PAIRS["stages"], time={**TIME, "check_in_ms": 600_000})
    await house.enter("Ana", "Bob")
    await house.do(commands.OpenCheckIn(by=house.host))
    before = (await house.tournament()).version
    looking = Looking(house, wait)
    await looking.look()
    await looking.look_while_the_clock_leaps()
    assert (await house.tournament()).version == before


async def test_people_have_the_time_back_to_check_in_that_a_house_was_away_for(house: EventHouse, wait: Wait) -> None:
    await house.announce(stages=PAIRS["stages"], time={**TIME, "check_in_ms": 600_000})
    await house.enter("Ana", "Bob")
    await house.do(commands.OpenCheckIn(by=house.host))
    looking = Looking(house, wait)
    await looking.look()
    wait(HOUR_MS)
    looks_at = await looking.look()
    tournament = await house.tournament()
    assert tournament.phase == "check_in"
    assert tournament.check_in_until is not None
    assert looks_at is not None
    assert abs(looks_at - tournament.check_in_until - HOUR_MS) < SLACK_MS
    for entrant in (1, 2):
        await house.do(commands.CheckIn(by=house.host, number=entrant))
    wait(600_000)
    looking.heart.beat()
    await looking.look()
    assert (await house.tournament()).phase != "check_in"


@pytest.mark.parametrize("step", ["seal", "void"])
async def test_people_have_the_time_back_to_draw_lots_that_a_house_was_away_for(
    house: EventHouse, wait: Wait, step: Step
) -> None:
    await opened(house)
    tournament = await house.tournament()
    looking = Looking(house, wait)
    began, times = looking.heart.since, TableTimes(looking.heart)
    due = DueStep(step, began + CEREMONY_MS)
    assert times.step_at(tournament, due) == due.at
    await looking.look()
    wait(HOUR_MS)
    await looking.look()
    assert abs(times.step_at(tournament, due) - due.at - HOUR_MS) < SLACK_MS


async def test_a_director_comes_back_for_a_round_that_ends_before_anybody_is_missing(
    house: EventHouse, wait: Wait
) -> None:
    _, at = await opened(house, round_ms=ROUND_MS)
    assert at.table.opened_at is not None
    assert at.table.began_at is not None
    looking = Looking(house, wait, Unmissed)
    assert await looking.look() == at.table.began_at + ROUND_MS
    await house.do(commands.PauseTournament(by=house.host, reason="technical"))
    assert await looking.look() == at.table.began_at + ROUND_MS
    await house.do(commands.Resume(by=house.host))
    wait(ROUND_MS)
    looking.heart.beat()
    again = await looking.look()
    assert again is not None
    assert again >= at.table.opened_at + NO_SHOW_MS, "not before there is something to do"
