"""The page believes its own arithmetic, not the server: what it does when the two differ."""

from __future__ import annotations

import json

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import Open, seated

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def _hosted(page: Page, *, each_round: bool = False) -> str:
    """Open a table with one bot, sit down with own seeds, and return the match."""
    rules = {"game": "common_hand", "options": {"push": True}, "seats": 4, "pause_ms": 0}
    return await seated(page, {**rules, "deal_per": "round" if each_round else "match"}, bots=1)


async def _start(page: Page) -> None:
    await page.get_by_role("button", name="Start the match").click()


def _types(service_url: str, match: str) -> list[str]:
    text = httpx.get(f"{service_url}/api/v1/matches/{match}/record").text
    return [json.loads(line)["type"] for line in text.splitlines() if not line.startswith("#")]


async def test_dice_stay_verified_after_a_push_and_in_every_deal_of_a_match_dealt_by_rounds(open_page: Open) -> None:
    page = await open_page("/")
    await _hosted(page, each_round=True)
    await _start(page)
    await expect(page.locator(".rail.yours .plans")).to_be_visible()
    await page.locator(".planned label").first.click()
    await page.get_by_role("button", name="Push: show one and roll four again").click()

    await expect(page.locator(".entries")).to_contain_text("You show a die and roll four again")
    await expect(page.locator(".own-dice .die.shown")).to_have_count(1)
    await expect(page.locator(".proof.yes")).to_be_visible()

    await page.get_by_label("Quantity", exact=True).last.fill("10")
    await page.get_by_label("Quantity", exact=True).last.press("Enter")
    await expect(page.locator(".fairness")).to_contain_text("Deal 2")
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.locator(".alarm")).to_have_count(0)


async def test_a_page_that_has_seen_another_history_raises_the_alarm(open_page: Open) -> None:
    page = await open_page("/")
    match = await _hosted(page)
    await page.evaluate(
        "(match) => localStorage.setItem(`truecup.receipts.${match}`, JSON.stringify([[2, 'f'.repeat(64)]]))", match
    )

    await page.reload()

    await expect(page.get_by_role("alert")).to_contain_text("another history")


async def test_a_seed_stays_closed_while_the_log_is_signed_by_another_key_than_the_one_seen_first(
    open_page: Open, service_url: str
) -> None:
    page = await open_page("/")
    match = await _hosted(page)
    await page.evaluate("localStorage.setItem('truecup.policy', JSON.stringify('log other+00000000+AA\\n'))")

    await _start(page)

    await expect(page.get_by_role("alert")).to_contain_text("not the one this browser saw first")
    assert "deal.logged" in _types(service_url, match)
    assert "deal.ready" not in _types(service_url, match)


async def test_a_page_that_is_loaded_anew_in_the_middle_of_a_deal_still_has_its_seat_and_its_seeds(
    open_page: Open,
) -> None:
    page = await open_page("/")
    await _hosted(page)
    await _start(page)

    await page.reload()

    await expect(page.locator(".seat.you")).to_contain_text("Ada")
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.locator(".alarm")).to_have_count(0)


async def test_a_player_can_get_up_again_before_the_match(open_page: Open) -> None:
    page = await open_page("/")
    await _hosted(page)

    await page.get_by_role("button", name="Get up again").click()

    await expect(page.get_by_role("heading", name="Take a seat")).to_be_visible()
    await expect(page.locator(".seat")).to_have_count(1)


async def test_a_player_can_resign_after_being_asked_once_more(open_page: Open) -> None:
    page = await open_page("/")
    await _hosted(page)
    await _start(page)
    await expect(page.locator(".proof.yes")).to_be_visible()

    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("button", name="Stay").click()
    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("button", name="Resign").click()

    await expect(page.get_by_role("heading", name="Finished")).to_be_visible()
    await expect(page.locator(".felt")).to_contain_text("wins")


async def test_a_token_of_another_day_leaves_a_spectator(open_page: Open) -> None:
    page = await open_page("/")
    match = await _hosted(page)
    await page.evaluate(
        """(match) => localStorage.setItem(`truecup.match.${match}`,
            JSON.stringify({ token: `truecup_seat_${'x'.repeat(43)}`, seat: 1 }))""",
        match,
    )
    open_page.expected = "401 (Unauthorized)"

    await page.reload()

    await expect(page.get_by_role("heading", name="Take a seat")).to_be_visible()
