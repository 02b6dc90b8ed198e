"""Standings in a browser that move with each result: row by row, in order, without the page being read again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any
from uuid import UUID

import pytest
from playwright.async_api import Browser, Page, Request, expect

from infra.feed.memory import MemoryFeed
from infra.store.memory import MemoryStore
from projections.tournaments.people import Names
from projections.tournaments.standings import standings_view
from projections.tournaments.watching.moved import newest_field
from services.http.bounds import Bounds
from services.tournaments.cached import CachedTournament, fold
from services.tournaments.streams import TournamentStreams
from services.web.tournaments.places import EXPLAINED_MAX
from tests.api.conftest import Service, served
from tests.director.house import EventHouse
from tests.tournaments.events_by_hand import TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.web.conftest import ROAMED
from tests.web.event_pages import OneTournament

pytestmark = pytest.mark.asyncio(loop_scope="session")
NAMES = {number: f"Name {number}" for number in range(1, 200)}


class Written:
    """The log of one event that is written by hand, for its streams."""

    def __init__(self, event: WrittenEvent) -> None:
        self.event = event

    async def load(self, tournament_id: UUID, _at_least: int | None = None) -> CachedTournament:
        found = fold(f"tournament/{tournament_id}", self.event.lines)
        assert found is not None
        return found

    async def lines(self, _tournament_id: UUID, after: int, limit: int) -> Sequence[bytes]:
        return self.event.lines[after : after + limit]

    async def title(self, _tournament_id: UUID) -> str:
        return "Event"

    async def names(self, _tournament: object) -> Names:
        return NAMES


class StreamedHouse(EventHouse):
    """A house that streams an event that is written by hand."""

    def __init__(self, event: WrittenEvent) -> None:
        super().__init__(MemoryStore())
        self._streams = TournamentStreams(Written(event), MemoryFeed(), quiet_s=0.02)

    def parts(self) -> dict[str, Any]:
        return {**super().parts(), "tournament_streams": self._streams}


@pytest.fixture(scope="module")
def event() -> WrittenEvent:
    """Return an event of more than are explained on the spot, whose second round plays."""
    event = WrittenEvent("pods", entry={"max": 128})
    event.enter(EXPLAINED_MAX + 4).check_in(draws=(1,)).draw().step()
    event.start()
    event.play_round().start()
    return event


@pytest.fixture(scope="module")
def house(event: WrittenEvent) -> Iterator[Service]:
    with served(Bounds(), shown=OneTournament(event, names=NAMES), events=StreamedHouse(event)) as service:
        yield service


async def rows_on(page: Page) -> list[Any]:
    """Return what the rows of the page say: number, place, score, tie-breaks."""
    rows: list[Any] = await page.evaluate(
        """() => [...document.querySelectorAll('table.standings tbody')].map(({id, rows: [row]}) => {
          const [place, , score, ...ties] = [...row.cells];
          const said = (cell) => [...cell.querySelectorAll('data')].map((each) => [each.value, each.textContent]);
          return [Number(id.slice(1)), place.firstChild.textContent, said(score), ties.map(said)];
        })"""
    )
    return rows


def rows_of(event: WrittenEvent) -> list[Any]:
    """Return the same of the standings as of now."""
    field = newest_field(event.tournament)
    assert field is not None
    view = standings_view(event.tournament, NAMES, 1, field.upto, explained=False)
    return [
        [
            row.number,
            str(row.place),
            [[row.score.value, row.score.written]],
            [[[each.value, each.written] for each in (*tie.places, *((tie.value,) if tie.value else ()))]
             for tie in row.ties],
        ]
        for row in view.rows
    ]  # fmt: skip


async def test_standings_whose_device_has_gone_to_another_network_ask_anew(browser: Browser, house: Service) -> None:
    page, streamed = await browser.new_page(), re.compile("/stream")
    async with page.expect_response(streamed):
        await page.goto(f"{house.url}/t/{TOURNAMENT}/standings?stage=1&round=2")
    async with page.expect_response(streamed, timeout=10_000):
        await page.evaluate(ROAMED)
    await page.close()


async def test_each_result_moves_the_rows_it_moves_and_the_page_is_read_once(
    browser: Browser, house: Service, event: WrittenEvent
) -> None:
    page = await browser.new_page()
    await page.clock.install()
    read: list[str] = []

    def note(request: Request) -> None:
        if "/standings" in request.url:
            read.append(request.url)

    page.on("request", note)
    async with page.expect_response(lambda answer: answer.url.partition("?")[0].endswith("/stream")):
        await page.goto(f"{house.url}/t/{TOURNAMENT}/standings?stage=1&round=2")
    missing = event.round.missing
    await page.locator(f"#e{event.table(missing[0]).seats[0]} a").focus()
    for number in missing[:3]:
        event.record(number, tuple((each,) for each in reversed(event.table(number).seats)))
        left = len(event.round.missing)
        await expect(page.get_by_text(f"As of now: {left} tables of the round have no result yet.")).to_be_visible()
        assert await rows_on(page) == rows_of(event)
    await expect(page.locator(f"#e{event.table(missing[0]).seats[0]} a")).to_be_focused()
    assert len(read) == 1
    await page.close()


async def test_what_the_rows_do_not_show_has_the_page_read_again_and_a_lost_line_as_well(
    browser: Browser, house: Service, event: WrittenEvent
) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    await page.clock.install()
    async with page.expect_response(lambda answer: answer.url.partition("?")[0].endswith("/stream")):
        await page.goto(f"{house.url}/t/{TOURNAMENT}/standings?stage=1&round=2")
    await context.set_offline(offline=True)
    event.record(event.round.missing[-1])
    await page.clock.run_for(6_000)
    await context.set_offline(offline=False)
    await page.clock.run_for(20_000)
    left = len(event.round.missing)
    await expect(page.get_by_text(f"As of now: {left} tables of the round have no result yet.")).to_be_visible()
    assert await rows_on(page) == rows_of(event)
    event.play_round()
    await page.clock.run_for(10_000)
    await expect(page.get_by_text("On record as:")).to_be_visible()
    assert await rows_on(page) == rows_of(event)
    await context.close()
