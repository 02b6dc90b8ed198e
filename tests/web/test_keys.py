"""Single keys and second thoughts at one's own place: a key presses what is there, a doubt can be taken back."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from domain import commands
from projections.view import view_of
from tests.domain.playing import Played
from tests.web.conftest import CLOSED_AND_PRESSED, Open, posted
from tests.web.test_accessibility import check_with_axe

pytestmark = pytest.mark.asyncio(loop_scope="session")
NAMES = {"p1": "Ada", "p2": "Bob", "p3": "Cleo"}
SHOWN = """async (view) => {
  const table = document.querySelector('tc-table');
  table.following.stop();
  globalThis.played = [];
  // What would be sent is kept here: nobody sits at this table.
  addEventListener('play', (event) => { event.stopImmediatePropagation(); played.push(event.detail); }, true);
  table.view = view;
  await table.updateComplete;
}"""


async def answering_page(
    open_page: Callable[[str], Awaitable[Page]], service_url: str, shown: str, options: dict[str, Any]
) -> Page:
    """Open the page of whoever has to answer a bid of one two, shown to it in this way, under these options."""
    played = Played({"dice_per_player": 3, **options}, 3, pause_ms=0)
    played.start()
    played.do(commands.Bid(played.turn, 1, 2))
    opened = posted(service_url, "/matches", {"rules": {"game": "common_hand"}})
    page = await open_page(f"/m/{opened['match']}")
    await expect(page.locator(".felt")).to_be_visible()
    await page.evaluate(shown, msgspec.to_builtins(view_of(played.written, played.turn, played.keeper, NAMES)))
    await expect(page.locator(".doubt")).to_have_text("Liar!")
    return page


TOLD_OF_MORE = """async () => {
  const table = document.querySelector('tc-table');
  table.view = { ...table.view, version: table.view.version + 1, faces: [...table.view.faces] };
  await table.updateComplete;
  await document.querySelector('tc-controls').updateComplete;
  await document.querySelector('tc-bid').updateComplete;
}"""
"""A frame that changes nothing of what may be done, as where somebody else is away, or back."""


@pytest_asyncio.fixture(loop_scope="session")
async def page(open_page: Open, service_url: str) -> Page:
    """Open the page of whoever has to answer a bid."""
    return await answering_page(open_page, service_url, SHOWN, {"spot_on": True})


async def _played(page: Page) -> Any:
    return await page.evaluate("played")


async def test_a_doubt_by_hand_may_be_taken_back_before_it_counts(page: Page) -> None:
    # The page's time stands still until it is told to go on: a machine may be slower than a doubt.
    await page.clock.install()
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    doubt = page.locator(".doubt")
    await doubt.click()
    await expect(doubt).to_have_text("Take it back")
    await doubt.click()
    await expect(doubt).to_have_text("Liar!")
    await page.clock.run_for(5_000)
    assert await _played(page) == []

    await doubt.click()
    await page.clock.run_for(900)
    await expect(doubt).to_have_text("Take it back")
    assert await _played(page) == []
    await page.clock.run_for(200)

    assert await _played(page) == [{"type": "challenge"}]


async def test_a_doubt_by_keyboard_is_asked_for_twice_and_taken_back_by_escape(page: Page) -> None:
    doubt = page.locator(".doubt")
    await doubt.focus()
    await page.keyboard.press("Enter")
    await expect(doubt).to_have_text("Press again: Liar!")
    await page.keyboard.press("Escape")
    await expect(doubt).to_have_text("Liar!")
    assert await _played(page) == []

    for key in ("l", "L"):
        await page.keyboard.press(key)

    assert await _played(page) == [{"type": "challenge"}]


async def test_a_doubt_of_a_claim_that_stands_no_more_is_forgotten(page: Page) -> None:
    await page.keyboard.press("l")
    await expect(page.locator(".doubt")).to_have_text("Press again: Liar!")

    await page.evaluate("""() => {
      const table = document.querySelector('tc-table');
      table.view = { ...table.view, standing: { ...table.view.standing, quantity: 2, words: 'two twos' } };
    }""")

    await expect(page.locator(".doubt")).to_have_text("Liar!")
    assert await _played(page) == []


async def test_keys_choose_a_face_and_a_quantity_and_bid_them(page: Page) -> None:
    for key in ("4", "+", "+", "-", "Enter"):
        await page.keyboard.press(key)
    await page.keyboard.press("s")

    assert await _played(page) == [{"type": "bid", "quantity": 2, "face": 4}, {"type": "spot_on"}]


async def test_a_quantity_that_is_half_typed_stays_so_while_the_table_is_told_of_more(page: Page) -> None:
    field = page.get_by_label("Quantity", exact=True).last
    await field.focus()
    await page.keyboard.press("Backspace")
    await page.evaluate(TOLD_OF_MORE)
    await page.keyboard.type("4")
    await page.keyboard.press("Enter")

    assert [played["quantity"] for played in await _played(page)] == [4]


async def test_a_key_counts_at_once_when_the_list_of_keys_is_closed(page: Page) -> None:
    await page.keyboard.press("4")
    await page.keyboard.press("?")
    await expect(page.locator("dialog.keys")).to_be_visible()
    await page.evaluate(CLOSED_AND_PRESSED, "Enter")

    assert [played["type"] for played in await _played(page)] == ["bid"]


async def test_no_key_does_anything_while_something_is_typed_or_when_keys_are_put_off(page: Page) -> None:
    await page.keyboard.press("t")
    await page.get_by_label("Or type it").press_sequentially("ls4+?")
    await expect(page.get_by_label("Or type it")).to_have_value("ls4+?")
    await expect(page.locator("dialog.keys")).to_be_hidden()
    await page.locator("[data-keys]").focus()

    await page.keyboard.press("?")
    await expect(page.locator("dialog.keys")).to_contain_text("this list")
    await check_with_axe(page)
    await page.get_by_label("Single keys do something").uncheck()
    await page.keyboard.press("Escape")
    for key in ("l", "l", "s"):
        await page.keyboard.press(key)

    await expect(page.locator("dialog.keys")).to_be_hidden()
    await expect(page.locator(".doubt")).to_have_text("Liar!")
    assert await _played(page) == []


async def test_where_one_bids_it_says_that_ones_are_wild_and_why_a_face_is_closed(page: Page) -> None:
    await expect(page.locator(".own-dice")).to_contain_text("Ones are wild")
    one = page.locator(".bid .face", has=page.locator('input[value="1"]'))
    await expect(one).to_have_attribute("title", "Ones are wild, and may not be bid now")
    await expect(one.locator("input")).to_have_attribute("aria-description", "Ones are wild, and may not be bid now")
