"""Pages that teach, in a browser: everybody can use them, nothing moves, and nothing is wider than the screen."""

from __future__ import annotations

from itertools import cycle, islice
from typing import Any, Final, Literal

import pytest
from playwright.async_api import Page, expect

from tests.sizes import cases
from tests.web.conftest import Open, seated
from tests.web.keeping import MOVES
from tests.web.test_accessibility import WCAG, check, check_with_axe

pytestmark = pytest.mark.asyncio(loop_scope="session")
COMES_BACK = """() => {
  document.querySelector('tc-learn').busy = true;
  dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }));
}"""
"""Somebody has gone to a table from here, and a browser that has put the page away as it was then shows it again."""

Scheme = Literal["light", "dark"]
Colours = Literal["active", "none"]
LOOKS: Final[tuple[tuple[int, int, Scheme, Colours], ...]] = (
    (1366, 657, "light", "none"),
    (390, 844, "dark", "none"),
    (320, 640, "light", "active"),
)
SHIFTS: Final = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
}).observe({ type: 'layout-shift', buffered: true });
"""
SHIFT_MAX: Final = 0.1


TURNS: Final = cycle(LOOKS)


async def check_looks(page: Page) -> None:
    """Check a page by turns on a screen, on a phone in the dark, and on the narrowest in colours of somebody's own."""
    for width, height, scheme, colours in islice(TURNS, cases(1, 3)):
        await page.set_viewport_size({"width": width, "height": height})
        await page.emulate_media(color_scheme=scheme, forced_colors=colours)
        await (check(page) if colours == "none" else check_forced(page))


async def check_forced(page: Page) -> None:
    """Check all but contrast: these colours are the reader's, and axe reckons with those of the page."""
    await check_with_axe(page, {**WCAG, "rules": {"color-contrast": {"enabled": False}}})
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


async def still(open_page: Open, path: str, **look: Any) -> Page:
    """Open a page, and count by how much it moves while it loads."""
    page = await open_page("about:blank", **{**MOVES, **look})
    await page.add_init_script(SHIFTS)
    await page.goto(path)
    await page.wait_for_load_state("load")
    return page


async def shifted(page: Page) -> float:
    return float(await page.evaluate("window.shifted"))


@pytest.mark.parametrize("path", ["/rules", "/rules/common_hand"])
async def test_rules_can_be_read_by_everybody(open_page: Open, path: str) -> None:
    page = await still(open_page, path)

    await check_looks(page)
    assert await shifted(page) < SHIFT_MAX


async def test_a_rulebook_leads_to_a_table_of_its_game(open_page: Open) -> None:
    page = await open_page("/rules/mexican")
    await page.get_by_role("link", name="Open a table of this game").click()

    await expect(page.get_by_label("Mexican (Mia)")).to_be_checked()
    await expect(page.locator("#chosen")).to_have_text("Mexican (Mia)")
    await page.get_by_role("link", name="How Mexican (Mia) is played").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Rules of Mexican (Mia)")


async def test_the_rules_of_a_table_are_read_in_a_drawer_without_leaving_the_seat(open_page: Open) -> None:
    page = await open_page()
    await seated(page, {"game": "common_hand", "options": {"spot_on": True}})
    rules = page.get_by_role("link", name="Rules", exact=True).first
    await rules.click()

    drawer = page.get_by_role("dialog", name="Rules of this table")
    await expect(drawer).to_be_visible()
    option = drawer.locator(".options > div", has_text="Spot on may be called")
    await expect(option).to_contain_text("house rule")
    await expect(option).to_contain_text("usually off")
    await check_looks(page)

    await page.keyboard.press("Escape")
    await expect(drawer).to_be_hidden()
    await expect(rules).to_be_focused()
    await expect(page.locator(".seat.you .name")).to_contain_text("Ada")


MOST_CUT = """() => {
  const chips = [...document.querySelectorAll('.quick .chip')].filter((one) => one.offsetParent !== null);
  for (const one of chips) {
    const odds = [...one.querySelectorAll('*'), one].flatMap((part) => [...part.childNodes]);
    for (const text of odds) if (text.nodeType === 3) text.data = text.data.replace(/[\\d.]+(?=\\s*%)/, '100');
  }
  return Math.max(...chips.map((one) => one.scrollWidth - one.clientWidth));
}"""
"""By how much a raise that is suggested is wider than its button, in pixels, were all of them certain."""


async def test_practice_takes_one_click_and_shows_how_likely_each_raise_is(open_page: Open) -> None:
    page = await open_page("/")
    await page.get_by_role("button", name="Practise with hints").click()

    # Whoever begins, it comes to the guest, and the hint with it.
    await expect(page.locator(".rail.yours [data-hint]")).to_contain_text("%")
    await expect(page.locator(".quick .chip").first).to_contain_text("%")
    await expect(page.locator("tc-table[private][hints]")).to_have_count(1)
    for width in (320, 390, 1366):
        await page.set_viewport_size({"width": width, "height": 800})
        assert await page.evaluate(MOST_CUT) <= 0, width
    await asks_what_an_analysis_would_do(page)


async def asks_what_an_analysis_would_do(page: Page) -> None:
    await page.get_by_role("button", name="Hint", exact=True).click()

    hint = page.get_by_role("dialog", name="What an analysis would do")
    await expect(hint.locator("tbody tr").first).to_contain_text("best")
    await expect(hint).to_contain_text("by what you know, the best first")
    await expect(hint).to_contain_text("estimated from")
    await expect(hint.locator("tbody tr").nth(1).locator("td").first).to_contain_text("%")
    await check_looks(page)
    await hint.get_by_role("button", name="Close").click()
    await expect(hint).to_be_hidden()


async def test_the_first_lesson_is_played_by_keyboard_and_leads_to_a_table(open_page: Open) -> None:
    page = await still(open_page, "/learn")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method != "GET" else None)
    title = page.locator("#lesson-title")
    await expect(title).to_have_text("Your dice")

    async def press(name: str) -> None:
        await page.get_by_role("button", name=name, exact=True).focus()
        await page.keyboard.press("Enter")

    await press("Go on")
    await press("Two")
    await expect(page.get_by_role("status")).to_contain_text("look again")
    await expect(title).to_have_text("Ones are wild")
    for name in ("Three", "Go on", "Bid four fours", "Go on", "Liar!"):
        await press(name)
    await expect(title).to_have_text("All cups are lifted")
    await expect(title).to_be_focused()
    await expect(page.locator(".die.counts")).to_have_count(5)
    await check_looks(page)
    assert await shifted(page) < SHIFT_MAX

    await press("Go on")
    await expect(page.get_by_role("img", name="five, five, three and one")).to_be_visible()
    await press("Go on")
    assert sent == []
    await page.evaluate(COMES_BACK)
    await press("Practise with hints")
    await expect(page.locator("tc-table[private][hints] .seat.you")).to_be_visible()


async def test_a_die_tells_in_three_pictures_how_it_came_about(open_page: Open) -> None:
    page = await open_page()
    await seated(page, {"game": "common_hand"}, bots=2)
    await page.get_by_role("button", name="Start the match").click()
    await expect(page.locator(".rail.yours .bid")).to_be_visible()
    await expect(page.locator(".proof.yes")).to_be_visible()
    story = page.locator(".story")
    await expect(story).not_to_contain_text("Deal 1", use_inner_text=True)
    await story.get_by_label("Show the deal").check()
    await expect(story).to_contain_text("Deal 1", use_inner_text=True)

    await page.locator(".rail .hand .die").nth(1).click()
    told = page.get_by_role("dialog", name="How this die came about")
    await expect(told.locator(".pictures li")).to_have_count(3)
    await expect(told).to_contain_text("This browser has worked it out again")
    await expect(told).to_contain_text("Ada")
    await expect(told.get_by_role("button", name="Next die (2 of 5)")).to_be_visible()
    await told.get_by_text("The file and the mathematics").click()
    await expect(told.get_by_role("link", name="Audit this match")).to_be_visible()
    await check_looks(page)

    await page.keyboard.press("Escape")
    await page.get_by_role("button", name="How these dice came about").press("Enter")
    await expect(told.get_by_role("button", name="Next die (1 of 5)")).to_be_visible()
