"""A bracket in a browser: larger and smaller by buttons and keys, dragged, and as somebody left it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Page, expect

from services.http.bounds import Bounds
from tests.api.conftest import Service, served
from tests.tournaments.events_by_hand import TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.web.event_pages import OneTournament

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture(scope="module")
def house() -> Iterator[Service]:
    event = WrittenEvent("single").begin(32)
    event.start()
    with served(Bounds(), shown=OneTournament(event)) as service:
        yield service


async def size_of(page: Page) -> float:
    """Return how high a line of the bracket is, in pixels."""
    box = await page.locator(".spot .head").first.bounding_box()
    assert box is not None
    return box["height"]


async def test_a_bracket_is_made_larger_and_smaller_and_stays_so(browser: Browser, house: Service) -> None:
    context = await browser.new_context(viewport={"width": 1366, "height": 800})
    page = await context.new_page()
    await page.goto(f"{house.url}/t/{TOURNAMENT}/bracket")
    usual = await size_of(page)
    await page.get_by_role("button", name="Larger").click()
    assert await size_of(page) == pytest.approx(usual * 1.25, rel=0.04)
    await page.get_by_role("region").first.focus()
    for key, size in (("0", 1), ("-", 0.8), ("+", 1), ("+", 1.25)):
        await page.keyboard.press(key)
        assert await size_of(page) == pytest.approx(usual * size, rel=0.04), key
    await page.reload()
    await expect(page.locator("html")).to_have_class("zooms")
    assert await size_of(page) == pytest.approx(usual * 1.25, rel=0.04)
    await page.get_by_role("button", name="All of it").click()
    fits = await page.locator(".drawn").first.evaluate("(region) => region.scrollWidth <= region.clientWidth + 1")
    assert fits
    await context.close()


async def test_a_bracket_is_dragged_and_no_link_is_followed_by_it(browser: Browser, house: Service) -> None:
    page = await browser.new_page(viewport={"width": 1000, "height": 800})
    await page.goto(f"{house.url}/t/{TOURNAMENT}/bracket")
    await expect(page.locator("html")).to_have_class("zooms")
    for _ in range(3):
        await page.get_by_role("button", name="Larger").click()
    box = await page.locator(".spot a").nth(1).bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + 5, box["y"] + 5)
    await page.mouse.down()
    await page.mouse.move(box["x"] - 95, box["y"] + 5, steps=4)
    await page.mouse.up()
    assert await page.locator(".drawn").first.evaluate("(region) => region.scrollLeft") == pytest.approx(100, abs=2)
    assert page.url.endswith("/bracket")
    await page.locator(".spot a").nth(1).click()
    await page.wait_for_url("**/entrants/*")
    await page.close()


async def test_a_narrow_page_has_a_list_and_no_buttons_for_its_size(browser: Browser, house: Service) -> None:
    page = await browser.new_page(viewport={"width": 320, "height": 700})
    await page.goto(f"{house.url}/t/{TOURNAMENT}/bracket")
    await expect(page.locator("html")).to_have_class("zooms")
    await expect(page.get_by_role("button", name="Larger")).to_be_hidden()
    assert await page.evaluate("document.documentElement.scrollWidth") <= 320
    await page.close()
