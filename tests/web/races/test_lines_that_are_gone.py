"""Pages whose line is gone: they say so once, go on by themselves when it is back, and show what is so then."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, Route, expect

from tests.director.house import DICE
from tests.web.conftest import Open, posted, sit_down
from tests.web.races.routes import counted, held, runs_ahead, with_own_time
from tests.web.test_event_console import Event

pytestmark = pytest.mark.asyncio(loop_scope="session")
SLOW = {**DICE, "pause_ms": 60_000}
TOLD = """() => {
  globalThis.told = [];
  const note = document.querySelector('[data-lost]');
  new MutationObserver(() => told.push(!note.hidden)).observe(note, { attributes: true });
}"""
"""Keep in `told` whatever is said, or taken back, of the line of a page."""
FOLLOWED = ("", "/pairings", "/tables", "/standings", "/me", "/screen", "/host")


async def lost_and_back(page: Page) -> None:
    """Take the line from a page for some of its looks, and give it back."""
    await with_own_time(page)
    note = page.locator("[data-lost]")
    # It is told only where what tells it was there before.
    await expect(page.get_by_role("status").filter(has=note)).to_have_count(1)
    await page.evaluate(TOLD)
    await page.context.set_offline(offline=True)
    await expect(note).to_be_visible()
    await page.clock.run_for(30_000)
    await expect(note).to_be_visible()
    await page.context.set_offline(offline=False)
    await page.clock.run_for(10_000)
    await expect(note).to_be_hidden()


@pytest.mark.parametrize("rest", FOLLOWED)
async def test_a_page_of_a_tournament_says_once_that_it_is_old_while_its_line_is_gone(duels: Event, rest: str) -> None:
    await duels.seated("Ann Ben", match=SLOW)
    duels.open_page.expected = "ERR_"
    page = await duels.open_page(f"/t/{duels.path.rpartition('/')[2]}{rest}")
    await lost_and_back(page)
    assert await page.evaluate("told") == [True, False]


async def test_what_happened_while_a_line_was_gone_is_shown_as_soon_as_it_is_back(duels: Event) -> None:
    await duels.seated("Ann Ben", match=SLOW)
    duels.open_page.expected = "ERR_"
    page = await duels.open_page(f"/t/{duels.path.rpartition('/')[2]}")
    await with_own_time(page)
    await page.context.set_offline(offline=True)
    await expect(page.locator("[data-lost]")).to_be_visible()
    await duels.ask("pause")
    # Nothing but the line that is there again has the page read.
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    await page.context.set_offline(offline=False)
    await page.clock.run_for(100)
    await expect(page.locator(".event .tag").filter(has_text="Paused")).to_be_visible()
    await expect(page.locator("[data-lost]")).to_be_hidden()


async def test_a_look_that_is_never_answered_is_given_up_and_another_one_taken(duels: Event) -> None:
    desk = await duels.seated("Ann Ben", match=SLOW)
    duels.open_page.expected = "ERR_"
    await with_own_time(desk.page)
    asked = counted(desk.page, "GET", "/troubles")
    async with held(desk.page, "**/troubles") as first:
        await runs_ahead(desk.page, lambda: first.is_there)
        before = len(asked)
        await runs_ahead(desk.page, lambda: len(asked) > before)


@pytest.mark.parametrize("status", [502, 504])
async def test_what_a_proxy_answers_while_the_house_is_away_is_asked_again(
    open_page: Open, service_url: str, status: int
) -> None:
    open_page.expected = "Failed to load"
    match = posted(service_url, "/matches", {"rules": {"game": "common_hand", "seats": 4}})["match"]
    page = await open_page(f"/m/{match}")
    asked: list[str] = []

    async def away(route: Route) -> None:
        asked.append(route.request.headers["idempotency-key"])
        if len(asked) > 1:
            await route.fallback()
        else:
            await route.fulfill(status=status, content_type="text/html", body="<h1>Bad gateway</h1>")

    await page.route("**/seats", away)
    await sit_down(page, "Ada", own_seeds=False, signs=False)
    assert len(asked) == 2
    assert len(set(asked)) == 1


async def test_what_is_no_answer_of_the_house_is_none(open_page: Open, over: str) -> None:
    page = await open_page(f"/m/{over}/replay")
    choice = page.locator(".eyes select")
    await expect(choice).to_have_value("all")
    sign_in = {"content_type": "text/html", "body": "<h1>Welcome to the train</h1>"}
    await page.route("**/replay?eyes=spectator", lambda route: route.fulfill(status=200, **sign_in))
    await choice.select_option("spectator")
    await expect(page.locator("tc-replay").get_by_role("alert")).to_be_visible()
