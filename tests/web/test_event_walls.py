"""Pages of tournaments in a browser: no fault that axe knows, a wall that outlives its line, news without a reload."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, BrowserContext, Page, expect

from domain.tournaments import commands
from services.http.bounds import Bounds
from services.web.tournaments.walls import ROWS_AT_ONCE
from tests.api.conftest import Service, served
from tests.sizes import spread
from tests.tournaments.events_by_hand import HOST, TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.web.event_pages import PATHS, OneTournament, busy_site
from tests.web.test_accessibility import LOOKS, check

pytestmark = pytest.mark.asyncio(loop_scope="session")
SEEN = spread(
    [(path, look) for at, look in enumerate(LOOKS) for path in PATHS[at:] + PATHS[:at]], 1, lambda pair: pair[1]
)


@pytest.fixture(scope="module")
def held() -> OneTournament:
    return busy_site()


@pytest.fixture(scope="module")
def house(held: OneTournament) -> Iterator[Service]:
    with served(Bounds(), shown=held) as service:
        yield service


async def opened(context: BrowserContext, house: Service, path: str) -> Page:
    page = await context.new_page()
    await page.goto(f"{house.url}/t/{TOURNAMENT}{path}")
    return page


@pytest.mark.parametrize(("path", "look"), SEEN)
async def test_a_page_of_a_tournament_can_be_used_by_everybody(
    browser: Browser, house: Service, path: str, look: str
) -> None:
    context = await browser.new_context(**LOOKS[look])
    page = await opened(context, house, path)
    # What only hosts are shown is not there to be opened.
    for summary in (await page.locator("details > summary:visible").element_handles())[:3]:
        await summary.click()
    await check(page)
    await context.close()


async def test_a_wall_goes_round_can_be_held_and_outlives_its_line(browser: Browser, house: Service) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    await page.clock.install()
    await page.goto(f"{house.url}/t/{TOURNAMENT}/screen")
    slide, lost = page.locator(".slide:visible"), page.locator(".line-lost")
    await expect(slide).to_have_count(1)
    first = await slide.text_content()
    await page.clock.run_for(10_000)
    await expect(slide).not_to_have_text(first or "")
    second = await slide.text_content()
    await page.get_by_role("button", name="Hold this page").click()

    await context.set_offline(offline=True)
    await page.clock.run_for(20_000)
    await expect(lost).to_be_visible()
    await expect(slide).to_have_text(second or "")

    await context.set_offline(offline=False)
    await page.clock.run_for(20_000)
    await expect(lost).to_be_hidden()
    await expect(slide).to_have_text(second or "")
    await context.close()


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (1920, 1080)])
async def test_no_slide_of_a_wall_is_higher_than_the_wall(browser: Browser, width: int, height: int) -> None:
    event = WrittenEvent("pods")
    event.enter(2 * ROWS_AT_ONCE).check_in(draws=(1,)).draw().step()
    event.start()
    event.play_round().start()
    with served(Bounds(), shown=OneTournament(event)) as service:
        page = await browser.new_page(viewport={"width": width, "height": height})
        await page.goto(f"{service.url}/t/{TOURNAMENT}/screen")
        over = await page.evaluate(
            """() => [...document.querySelectorAll('.slide')].map((slide, _, all) => {
              for (const each of all) each.hidden = each !== slide;
              return document.documentElement.scrollHeight - innerHeight;
            })"""
        )
        assert over == [0, 0, 0]
        await page.close()


async def test_news_come_in_and_what_was_opened_stays_open(
    browser: Browser, house: Service, held: OneTournament
) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    await page.clock.install()
    await page.goto(f"{house.url}/t/{TOURNAMENT}")
    rules = page.locator("details.rules")
    await rules.locator("summary").click()
    held.event.do(commands.PauseTournament(by=HOST, reason="technical"))
    await page.clock.run_for(5_000)
    await expect(page.get_by_text("The host has paused the tournament.")).to_be_visible()
    await expect(rules).to_have_attribute("open", "")
    await expect(rules.locator("summary")).to_be_focused()
    await context.close()
