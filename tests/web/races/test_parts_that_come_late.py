"""Parts of a page that come behind it, over a line that is gone: they come all the same, and what was asked is told."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import PATIENCE_MS, Open, posted
from tests.web.races.conftest import SHOWN
from tests.web.races.routes import Lost, runs_ahead
from tests.web.test_keys import answering_page

pytestmark = pytest.mark.asyncio(loop_scope="session")
ARMED = "(match) => localStorage.getItem(`truecup.receipts.${match}`) !== null"
"""Whether what is shown of a match is held against what was shown of it before."""
SIGNS = """async () => {
  const table = document.querySelector('tc-table');
  const { view } = table;
  const seats = view.seats.map((one) => (one.seat === view.viewer ? { ...one, key: '00'.repeat(32) } : one));
  table.view = { ...view, seats };
  await table.updateComplete;
}"""
"""The seat that is looked through has a key: what is typed there is read by the page."""


async def test_what_guards_a_seat_comes_though_it_did_not_at_first(open_page: Open, service_url: str) -> None:
    open_page.expected = "ERR_FAILED"
    match = posted(service_url, "/matches", {"rules": {"game": "common_hand"}})["match"]
    page, lost = await open_page(), Lost()
    await page.route("**/static/**/client/history*.js", lost)
    await page.clock.install()
    await page.goto(f"/m/{match}")
    await expect(page.locator(".felt")).to_be_visible()
    await runs_ahead(page, lost.is_back)
    await page.wait_for_function(ARMED, arg=match, timeout=PATIENCE_MS)


async def test_what_was_typed_and_could_not_be_read_is_told_and_stays(open_page: Open, service_url: str) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page()
    await page.route("**/static/**/forms/typed*.js", Lost())

    async def goes(path: str) -> Page:
        await page.goto(path)
        return page

    await answering_page(goes, service_url, SHOWN, {})
    await page.evaluate(SIGNS)
    await page.keyboard.press("t")
    field = page.get_by_label("Or type it")
    await field.fill("2x5")
    await field.press("Enter")
    await expect(page.locator("#typed-fault")).to_be_visible()
    await expect(field).to_have_value("2x5")
    assert await page.evaluate("played") == []
    await field.press("Enter")
    await page.wait_for_function("() => played.length > 0", timeout=PATIENCE_MS)
    assert await page.evaluate("played") == ["bid"]
