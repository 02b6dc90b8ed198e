"""People who stop, as the page shows them: whose time runs, who is away, what the host may do, what the form says."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import Open, seated, sit_down

pytestmark = pytest.mark.asyncio(loop_scope="session")
STOP_S = 60
LISTENS = """() => {
  globalThis.said = [];
  const told = document.querySelector('[data-live]');
  const every = { childList: true, characterData: true, subtree: true };
  new MutationObserver(() => {
    // Of the first turn, until it has run out.
    if (!document.querySelector('.seat .away')) said.push(told.textContent);
  }).observe(told, every);
}"""
RULES = {"game": "common_hand", "seats": 2, "pause_ms": 0, "idle": {"turn_ms": 60_000, "turns": 100}}


def view(service_url: str, match: str) -> Any:
    return httpx.get(f"{service_url}/api/v1/matches/{match}", timeout=60).json()


def leave(service_url: str, match: str, token: str) -> None:
    """Give a seat up, as another program would that has its token."""
    headers = {"Authorization": f"Bearer {token}"}
    assert httpx.delete(f"{service_url}/api/v1/matches/{match}/seats/me", headers=headers, timeout=60).is_success


async def two_at_a_table(open_page: Open, turn_ms: int) -> tuple[Page, Page]:
    """Return the pages of two at a table that has not started."""
    ada = await open_page()
    match = await seated(ada, {**RULES, "idle": {"turn_ms": turn_ms, "turns": 100}})
    bob = await open_page(f"/m/{match}")
    await sit_down(bob, "Bob", own_seeds=False)
    return ada, bob


@pytest.mark.long
async def test_whose_time_runs_is_shown_and_said_once_and_who_stays_away_is_marked_until_they_act(
    open_page: Open,
) -> None:
    # What is clicked may come a moment after the table has acted.
    open_page.expected = "409 (Conflict)"
    ada, bob = await two_at_a_table(open_page, turn_ms=12_000)
    await ada.evaluate(LISTENS)
    await ada.get_by_role("button", name="Start the match").click()
    await expect(ada.locator(".seat.turn .clock")).to_contain_text("to act", timeout=STOP_S * 1000)
    await expect(ada.locator(".seat .away")).not_to_have_count(0, timeout=STOP_S * 1000)
    said = [text for text in await ada.evaluate("said") if "the table plays for" in text]
    assert len(said) == 1
    await expect(ada.locator(".story")).to_contain_text("marked absent: the table has played this turn")
    await expect(ada.locator(".seat.you .away")).to_have_count(1, timeout=STOP_S * 1000)
    await expect(ada.locator(".seat.you .away")).to_contain_text("of 100 turns")
    await ada.evaluate(
        """() => setInterval(() => document.querySelector('.quick button:enabled, .doubt:enabled')?.click(), 50)"""
    )
    await expect(bob.locator(".story")).to_contain_text("Ada\u2069 is back", timeout=STOP_S * 1000)


async def test_everybody_reads_that_the_table_ends(open_page: Open) -> None:
    open_page.expected = "409 (Conflict)"
    ada, bob = await two_at_a_table(open_page, turn_ms=60_000)
    await ada.get_by_role("button", name="Start the match").click()
    await expect(ada.locator(".seat.turn")).to_have_count(1, timeout=STOP_S * 1000)
    await ada.locator("summary", has_text="You host this table").click()
    await ada.get_by_role("button", name="End it").click()
    await ada.get_by_role("button", name="Go on").click()
    await expect(ada.locator(".ending")).to_be_hidden()
    await ada.get_by_role("button", name="End it").click()
    await ada.get_by_role("group", name="End it?").get_by_role("button", name="End it").click()
    for page in (ada, bob):
        await expect(page.get_by_role("status").filter(has_text="ends when the round is over")).to_be_visible()
    for page in (ada, bob):
        await page.evaluate(
            """() => setInterval(() => {
              const button = (selector) => document.querySelector(selector + ':enabled');
              (button('.doubt') ?? button('.quick button'))?.click();
            }, 50)"""
        )
    await expect(bob.locator(".host")).to_have_count(0)
    await expect(bob.get_by_role("heading", name="Finished")).to_be_visible(timeout=STOP_S * 1000)
    await expect(bob.locator(".felt .big")).to_have_text("Nobody has won")
    await expect(ada.locator(".error")).to_have_count(0)


async def test_a_seat_that_was_given_up_elsewhere_may_be_taken_again(open_page: Open, service_url: str) -> None:
    host = await open_page()
    match = await seated(host, {**RULES, "seats": 3}, signs=False)
    token = await host.evaluate("(match) => JSON.parse(localStorage.getItem(`truecup.match.${match}`)).token", match)
    leave(service_url, match, token)
    await expect(host.get_by_role("button", name="Sit down")).to_be_visible()
    await sit_down(host, "Ada again")
    assert [seat["seat"] for seat in view(service_url, match)["seats"]] == [1]


async def test_the_form_has_the_rule_of_the_house_and_lets_it_be_changed_or_left(
    open_page: Open, service_url: str
) -> None:
    page = await open_page("/")
    fold = page.locator("summary", has_text="Dealing, clocks, and people who stop")
    await fold.click()
    await expect(page.get_by_label("Time for a turn, in seconds")).to_have_value("180")
    await expect(page.get_by_label("Out after so many turns")).to_have_value("3")
    await page.get_by_label("Play with clocks").check()
    await expect(page.get_by_label("Time for a turn, in seconds")).to_be_hidden()
    await page.get_by_label("Play with clocks").uncheck()
    await page.get_by_label("Time for a turn, in seconds").fill("90")
    await page.get_by_label("Your name").fill("Ada")
    await page.get_by_label("House bots").fill("0")
    await page.get_by_role("button", name="Open the table").click()
    await expect(page.locator(".rules")).to_contain_text("after 1:30 min in a turn the table acts for the seat")
    await expect(page.locator(".felt")).to_contain_text(re.compile(r"closes in (29|30) min if nobody comes or goes"))
    rules = view(service_url, page.url.rpartition("/")[2])["rules"]
    assert (rules["idle"]["turn_ms"], rules["idle"]["turns"]) == (90_000, 3)

    await page.goto("/")
    await fold.click()
    await page.get_by_label("Play on when somebody stops").uncheck()
    await expect(page.get_by_label("Out after so many turns")).to_be_hidden()
    await page.get_by_label("House bots").fill("0")
    await page.get_by_role("button", name="Open the table").click()
    await expect(page.locator(".rules")).to_contain_text("keeps the others waiting until they leave")
    assert "idle" not in view(service_url, page.url.rpartition("/")[2])["rules"]


async def test_bots_that_would_play_without_an_end_are_refused_and_no_table_is_left(open_page: Open) -> None:
    page = await open_page("/")
    open_page.expected = "409 (Conflict)"
    await page.locator("summary", has_text="Numbers on banknotes").click()
    await page.locator('input[name="game"][value="liars_poker"]').check()
    await page.locator("summary", has_text="Dealing, clocks, and people who stop").click()
    await page.get_by_label("Play on when somebody stops").uncheck()
    async with page.expect_response("**/commands") as closing:
        await page.get_by_role("button", name="Open the table").click()
    await expect(page.locator("#create-error")).to_contain_text("without an end: the table needs the idle rule")
    assert (await closing.value).ok
