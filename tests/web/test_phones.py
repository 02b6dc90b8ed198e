"""Phones, where they are stricter than other browsers: about letters, sounds, and what comes after a wait."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.web.conftest import Open

pytestmark = pytest.mark.asyncio(loop_scope="session")
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LETTERS_PX = 16
"""A phone zooms into a field with smaller ones, and stays there."""
SMALLEST = """() => Math.min(...[...document.querySelectorAll('input, select, textarea')]
  .filter((field) => field.offsetParent !== null && !['checkbox', 'radio', 'range', 'file'].includes(field.type))
  .map((field) => parseFloat(getComputedStyle(field).fontSize)))"""
HEARD = """(state) => {
  globalThis.lets = [];
  Object.defineProperty(BaseAudioContext.prototype, 'state', { get: () => state });
  AudioContext.prototype.resume = async () => void lets.push(navigator.userActivation.isActive);
}"""
"""A browser that lets nothing be heard so far, and what comes of asking it to: whether a touch bears it out then."""
SHARED_LATE = """async (match) => {
  navigator.canShare = () => true;
  navigator.share = () => Promise.reject(new DOMException('too late', 'NotAllowedError'));
  const folder = document.querySelector('script[src*="/pages/"]').src.replace(/pages.[^/]*$/, '');
  const { savePicture } = await import(`${folder}watch/picture.js`);
  return savePicture(match, 1);
}"""


@pytest.mark.parametrize("path", ["/audit", "/tournaments/new", "/m/{match}/replay"])
async def test_no_field_is_so_small_that_a_phone_zooms_into_it(open_page: Open, running: str, path: str) -> None:
    page = await open_page(path.format(match=running), **PHONE)
    await expect(page.locator("main :is(input, select, textarea)").first).to_be_visible()
    assert await page.evaluate(SMALLEST) >= LETTERS_PX


@pytest.mark.parametrize("state", ["suspended", "interrupted"])
async def test_a_tap_lets_a_page_be_heard_where_its_beginning_does_not(
    open_page: Open, running: str, state: str
) -> None:
    page = await open_page.fresh(f"/m/{running}", **PHONE)
    await expect(page.locator(".seat").first).to_be_visible()
    await page.evaluate(HEARD, state)
    await page.locator("h1").first.tap()
    await page.wait_for_function("() => lets.includes(true)", timeout=10_000)


async def test_a_picture_that_came_too_late_to_be_shared_is_saved(open_page: Open, running: str) -> None:
    page = await open_page(f"/m/{running}", **PHONE)
    async with page.expect_download(timeout=10_000):
        assert await page.evaluate(SHARED_LATE, running) == ""
