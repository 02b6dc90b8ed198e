"""Tables that were opened while answers were lost: there is one, as it was asked for, and it can be played."""

from __future__ import annotations

import asyncio

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import Open
from tests.web.races.routes import Unanswered, runs_ahead, seats_of, with_own_time
from tests.web.races.test_seats_taken_once import COMES, SIGNS, lose, press_in_vain
from tests.web.test_rematch import KEPT
from tests.web.test_signed_seats import signed

pytestmark = pytest.mark.asyncio(loop_scope="session")
STEPS = ("/api/v1/matches", "/seats", "/bots", "/start")
"""What a page asks for until somebody plays with bots."""
OPEN = "Open the table"
LAST_STEP = "() => { const page = document.querySelector('tc-learn'); page.at = page.lesson.steps.length - 1; }"
CHOOSE = """(form, [wanted, signs]) => {
  form.elements.namedItem('signs').checked = signs;
  for (const [name, value] of Object.entries(wanted)) {
    const part = form.elements.namedItem(name);
    part.value = value;
    part.dispatchEvent(new Event('change', { bubbles: true }));
  }
}"""


async def bids(page: Page) -> None:
    """Bid as soon as the dice are there, whose every proof holds, and see the bid."""
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.locator(".lost-key, .alarm")).to_have_count(0)
    await page.locator(".quick button:enabled").first.click()
    await expect(page.locator(".entries")).to_contain_text("You bid")


async def named(service_url: str, name: str) -> list[str]:
    """Return the tables of this name that the house shows, as they stand, once it shows any: the list follows."""
    async with asyncio.timeout(30), httpx.AsyncClient(base_url=service_url, timeout=60) as client:
        while True:
            rows = (await client.get("/api/v1/matches?limit=100")).json()
            found = [row["match"] for row in rows if row.get("name") == name]
            if found:
                return found
            await asyncio.sleep(0.05)


async def begins_in_vain(open_page: Open, service_url: str, name: str) -> tuple[Page, str]:
    """Open a table of this name whose opener has not heard of the own seat: return the page, and the match."""
    open_page.expected = "ERR_FAILED"
    page = await open_page("/#create")
    await with_own_time(page)
    await page.locator("#create-form").evaluate(CHOOSE, [{"table_name": name, "name": "Ada", "seats": "2"}, True])
    await press_in_vain(page, OPEN, await lose(page, "**/seats"), "#create-error")
    (match,) = await named(service_url, name)
    return page, match


@COMES
@SIGNS
async def test_a_table_whose_every_answer_was_lost_is_opened_once(
    open_page: Open, service_url: str, *, signs: bool, comes: bool
) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page("/#create")
    await with_own_time(page)
    called = f"Once {signs} {comes}"
    await page.locator("#create-form").evaluate(CHOOSE, [{"table_name": called, "name": "Ada", "seats": "2"}, signs])
    for ending in STEPS:
        lost = await lose(page, f"**{ending}", comes=comes)
        await press_in_vain(page, "Play it against bots at once", lost, "#create-error")
    await page.get_by_role("button", name="Play it against bots at once").click()
    await page.wait_for_url("**/m/*")
    match = page.url.rpartition("/")[2]
    await bids(page)
    assert await named(service_url, called) == [match]
    assert [seat["bot"] for seat in seats_of(service_url, match)] == [False, True]
    assert (signed(service_url, match) == ["join", "commit_seed", "open_seed", "bid"]) == signs


async def test_a_table_is_closed_again_when_another_is_asked_for_instead(open_page: Open, service_url: str) -> None:
    page, first = await begins_in_vain(open_page, service_url, "First thought")
    await page.locator("#create-form").evaluate(CHOOSE, [{"table_name": "Second thought"}, True])
    await page.get_by_role("button", name=OPEN).click()
    await page.wait_for_url("**/m/*")
    assert await named(service_url, "Second thought") == [page.url.rpartition("/")[2]]
    assert phase_of(service_url, first) == "finished"
    assert await page.evaluate(KEPT, first) is None


async def test_a_table_that_cannot_be_closed_again_stays_among_the_own_ones(open_page: Open, service_url: str) -> None:
    page, first = await begins_in_vain(open_page, service_url, "Third thought")
    lost = await lose(page, f"**/{first}/commands", comes=False)
    await page.locator("#create-form").evaluate(CHOOSE, [{"table_name": "Fourth thought"}, True])
    await page.get_by_role("button", name=OPEN).click()
    await runs_ahead(page, lambda: lost.is_back)
    await page.wait_for_url("**/m/*")
    assert page.url.rpartition("/")[2] != first
    await page.goto("/")
    await expect(page.locator(f'#yours a[href$="/m/{first}"]').first).to_be_visible()


@COMES
async def test_a_practice_table_is_opened_once(open_page: Open, *, comes: bool) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page("/learn")
    await with_own_time(page)
    await page.locator("tc-learn").evaluate(LAST_STEP)
    lines = [await lose(page, f"**{ending}", comes=comes) for ending in STEPS]
    for lost in lines:
        await press_in_vain(page, "Practise", lost, ".answer")
    await page.get_by_role("button", name="Practise").click()
    await page.wait_for_url("**/m/*")
    await bids(page)
    assert set().union(*[await matches_in(lost) for lost in lines]) <= {page.url.rpartition("/")[2]}


async def test_another_table_for_everybody_is_opened_once(open_page: Open, over: str) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page(f"/m/{over}")
    await with_own_time(page)
    lost = await lose(page, "**/api/v1/matches")
    await press_in_vain(page, "Play again", lost, "tc-rematch .error")
    await page.get_by_role("button", name="Play again").click()
    await expect(page.get_by_role("button", name="Start the match")).to_be_visible()
    assert await matches_in(lost) == {page.url.rpartition("/")[2]}


def phase_of(service_url: str, match: str) -> str:
    phase: str = httpx.get(f"{service_url}/api/v1/matches/{match}", timeout=60).json()["phase"]
    return phase


async def matches_in(lost: Unanswered) -> set[str]:
    """Return the matches of which answers told that were lost."""
    return {(await answer.json())["match"] for answer in lost.answers}
