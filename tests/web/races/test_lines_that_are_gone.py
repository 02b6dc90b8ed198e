"""Pages whose line is gone: they say so once, go on by themselves when it is back, and show what is so then."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.director.house import DICE
from tests.web.races.routes import with_own_time
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
