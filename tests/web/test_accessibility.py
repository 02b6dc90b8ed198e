"""Every page, light and dark, wide and on a phone: no fault that axe knows, and nothing wider than the screen."""

from __future__ import annotations

import re
from typing import Any

import pytest
from axe_playwright_python.base import AXE_SCRIPT, AxeResults
from playwright.async_api import Page, expect

from tests.sizes import cases, is_long
from tests.web.conftest import Open, begun, posted, seated
from tests.web.keeping import MOVES

pytestmark = pytest.mark.asyncio(loop_scope="session")
LOOKS: dict[str, dict[str, Any]] = {
    "wide-light": {"viewport": {"width": 1280, "height": 900}, "color_scheme": "light"},
    "tablet-light": {"viewport": {"width": 760, "height": 1000}, "color_scheme": "light"},
    "phone-dark": {"viewport": {"width": 320, "height": 640}, "color_scheme": "dark"},
    "forced": {"viewport": {"width": 1280, "height": 900}, "forced_colors": "active"},
}
PAGES = ["/", "/m/{}", "/m/{}/replay", "/m/{}/audit", "/statistics", "/problems/claim_not_higher"]
ELSEWHERE = [
    *("/tables/live", "/m/{}/rules", "/rules", "/rules/mexican", "/learn", "/audit", "/docs", "/docs/first-bot"),
    *("/tv", "/embed/matches/{}", "/overlay/matches/{}", "/m/none", "/nothing/here"),
]
"""Pages that other tests look at in the line, each in one look."""
WCAG = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
FORCED = {**WCAG, "rules": {"color-contrast": {"enabled": False}}}
"""Colours that are forced are those of the reader, and axe is told those of the author."""

LIKE_OTHERS = [] if is_long() else [[".tables > .ticket:nth-child(n + 4)"]]
"""What axe need not look at in the line: of a list of tables all but the first three, however many tests opened."""
JUDGED = "async ([context, options]) => (await axe.run(context, options)).violations"


async def check(page: Page) -> None:
    forced = await page.evaluate("matchMedia('(forced-colors: active)').matches")
    await check_with_axe(page, FORCED if forced else WCAG)
    await check_width(page)


async def check_width(page: Page) -> None:
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


async def check_with_axe(page: Page, options: dict[str, Any] | None = None) -> None:
    """Let axe look at a page; it is sent there once, and tells of nothing but what is wrong."""
    if not await page.evaluate("'axe' in window"):
        await page.evaluate(AXE_SCRIPT)
    asked = {**(options or {}), "resultTypes": ["violations"]}
    violations = await page.evaluate(JUDGED, [{"exclude": LIKE_OTHERS}, asked])
    assert violations == [], AxeResults({"violations": violations}).generate_report()


TOLD_APART = [look for look in LOOKS.values() if "forced_colors" not in look]
"""Looks in which axe finds something that it finds in no other: it knows nothing of colours that are forced."""


class Looks:
    """One state of a page after the other, each in another look; with `--long` in all that axe tells apart.

    With colours that are forced, of which axe knows nothing, each is as wide as it was.
    """

    def __init__(self, page: Page, turn: int = 0) -> None:
        self._page = page
        self._turn = turn

    async def check(self, *, sized: bool = True) -> None:
        """Look at it; in the size it has where another would end the show."""
        for number in range(cases(1, 3)):
            look = TOLD_APART[(self._turn + number) % len(TOLD_APART)]
            if sized:
                await self._page.set_viewport_size(look["viewport"])
            await self._page.emulate_media(color_scheme=look["color_scheme"])
            await self._page.evaluate(COME)
            await check(self._page)
        await self._page.emulate_media(forced_colors="active")
        await check_width(self._page)
        await self._page.emulate_media(forced_colors="none")
        self._turn += 1


async def opened(open_page: Open, path: str, at: int) -> tuple[Page, Looks]:
    """Open a page in one look, each in another than the one before it and none in forced colours."""
    page = await open_page(path, **TOLD_APART[at % len(TOLD_APART)])
    await page.wait_for_load_state("load")
    return page, Looks(page, at)


@pytest.mark.parametrize(("at", "path"), list(enumerate(PAGES)), ids=str)
async def test_a_page_can_be_used_by_everybody(open_page: Open, running: str, at: int, path: str) -> None:
    page, looks = await opened(open_page, path.format(running), at)
    if path == "/m/{}":
        await expect(page.locator(".felt")).to_be_visible()
    if path == "/m/{}/replay":
        await expect(page.get_by_role("slider")).to_be_visible()
    if path == "/statistics":
        dice = page.get_by_role("heading", name="Dice with 6 sides")
        # Dice are counted about once a second, and the page is written on the server.
        for _ in range(200):
            if await dice.count():
                break
            await page.reload()
        await expect(dice).to_be_visible()
        await page.locator("summary").first.click()
    if path == "/":
        await expect(page.locator("#tables[data-live]")).to_have_count(1)
        # Those of the games that are not chosen are not there for anybody.
        while await page.locator("details:not([open]) > summary:visible").count():
            await page.locator("details:not([open]) > summary:visible").first.click()

    await looks.check()


@pytest.mark.parametrize(("at", "path"), list(enumerate(ELSEWHERE))[: cases(0, 13)], ids=str)
async def test_every_other_page_can_be_used_by_everybody(open_page: Open, running: str, at: int, path: str) -> None:
    open_page.expected = "404 (Not Found)"
    page, looks = await opened(open_page, path.format(running), at)
    live = page.locator("tc-learn .lesson, tc-audit button, tc-stage .telling, main h1")
    await expect(live.first).to_be_attached()
    await looks.check()


DRAWN = """([selector, property, line]) => {
  const found = document.querySelector(selector);
  return found !== null && getComputedStyle(found)[property] === line;
}"""
LINES = [
    (".seat.turn", "outlineStyle", "solid"),
    (".rail.yours", "outlineStyle", "solid"),
    (".seat:not(.turn)", "outlineStyle", "none"),
    ("nav a[aria-current]", "borderBottomStyle", "solid"),
    ("nav a:not([aria-current])", "borderBottomStyle", "none"),
]


@pytest.mark.long
async def test_a_player_in_turn_has_controls_that_everybody_can_use(open_page: Open) -> None:
    page = await open_page()
    await seated(page, {"game": "common_hand", "options": {"push": True}}, bots=3)
    await expect(page.get_by_role("heading", name="You host this table")).to_be_visible()
    looks = Looks(page)
    await looks.check()
    start = page.get_by_role("button", name="Start the match")
    # Until the page has seen the bots sit down it offers nothing, and a key pressed then is lost.
    await expect(start).to_be_enabled()
    await start.focus()
    await start.press("Enter")
    await expect(page.locator(".rail.yours .bid")).to_be_visible()
    await expect(page.locator(".proof.yes")).to_be_visible()
    for _ in range(2):
        await looks.check()

    await page.emulate_media(forced_colors="active")
    # A line is drawn where a shadow was: shadows and backgrounds are what forced colours take away.
    for selector, member, line in LINES:
        await page.wait_for_function(DRAWN, arg=[selector, member, line])
    await page.emulate_media(forced_colors="none")
    await bids_by_keyboard(page)


async def bids_by_keyboard(page: Page) -> None:
    checked = page.locator(".faces input:checked")
    await checked.focus()
    await page.keyboard.press("ArrowRight")
    await page.get_by_label("Quantity", exact=True).last.focus()
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("Enter")

    await expect(page.locator(".entries")).to_contain_text("You bid")
    await expect(page.locator(".rail.yours .stepper input")).to_be_focused(timeout=60_000)


IDLE = {"turn_ms": 5_000, "turns": 99}
WALK = {"game": "common_hand", "options": {"dice_per_player": 3}, "pause_ms": 60_000, "host": {}, "idle": IDLE}
ABROAD = """() => {
  const table = document.querySelector('tc-table');
  table.dataset.address = `http://192.0.2.7${location.pathname}`;
  table.requestUpdate();
}"""
"""As where the server is told the address that others open."""
AWAY = """() => {
  document.querySelector('.quick button:enabled')?.click();
  return document.querySelector('.seat:not(.you) .away') !== null;
}"""
LIFTED = """() => {
  const lift = document.querySelector('tc-lift[on]');
  const buttons = ['.go-on', '.doubt', '.quick button'].map((one) => document.querySelector(`${one}:enabled`));
  if (lift === null) buttons.find((one) => one !== null)?.click();
  const moving = lift?.getAnimations({ subtree: true }) ?? [];
  for (const each of moving) each.pause();
  return moving.length > 0;
}"""

COME = "() => document.querySelector('.go-on')?.getAnimations().forEach((each) => each.finish())"
"""A button that comes is grey for a moment, so that nobody presses it who meant another."""


@pytest.mark.long
async def test_a_table_can_be_used_by_everybody_in_whatever_state_it_is(open_page: Open, service_url: str) -> None:
    open_page.expected = "409 (Conflict)"
    page = await open_page(**MOVES)
    match = await seated(page, WALK, bots=1, signs=False)
    posted(service_url, f"/matches/{match}/seats", {"name": "Bob", "custody": "server"})
    looks = Looks(page)
    await page.evaluate(ABROAD)
    await expect(page.locator(".scan img")).to_be_visible()
    await looks.check()

    await page.get_by_role("button", name="Start the match").click()
    await page.locator("summary", has_text="You host this table").click()
    await page.wait_for_function(AWAY, polling=50)
    await looks.check()
    await page.get_by_role("button", name="Pause the table").click()
    await expect(page.locator(".felt .paused")).to_be_visible()
    await looks.check()
    await folds_open(page, looks)
    await takes_out(page, looks, last=1)
    await expect(page.locator(".seat.out")).to_have_count(1)
    await looks.check()
    await page.get_by_role("button", name="Let the table go on").click()

    await page.wait_for_function(LIFTED, polling=50)
    await looks.check(sized=False)
    await page.keyboard.press(" ")
    await expect(page.locator("tc-lift[on]")).to_have_count(0)
    await looks.check()
    await page.get_by_role("button", name="Let a bot play").click()
    await expect(page.get_by_text("A bot of the house plays for you.")).to_be_visible()
    await looks.check()
    await takes_out(page, looks, last=0)
    await expect(page.get_by_role("heading", name="Finished")).to_be_visible()
    await expect(page.get_by_role("button", name="Rematch")).to_be_visible()
    await looks.check()


async def folds_open(page: Page, looks: Looks) -> None:
    # While the table is held up nothing passes beneath.
    await page.locator("h1").press("?")
    await expect(page.locator("dialog.keys")).to_be_visible()
    await looks.check()
    await page.keyboard.press("Escape")
    await page.locator("a[data-rules]").first.click()
    await expect(page.get_by_role("dialog", name="Rules of this table")).to_be_visible()
    await looks.check()
    await page.keyboard.press("Escape")
    await page.evaluate("(token) => { location.hash = `seat=2&token=${token}`; }", f"truecup_seat_{'x' * 43}")
    await expect(page.get_by_role("button", name="Keep my seat")).to_be_visible()
    await looks.check()
    await page.get_by_role("button", name="Keep my seat").click()


async def takes_out(page: Page, looks: Looks, last: int) -> None:
    await page.get_by_label("Seat", exact=True).select_option(index=last)
    await page.get_by_role("button", name="Take out").click()
    question = page.get_by_role("group", name="Take out?")
    await expect(question).to_be_visible()
    await looks.check()
    await question.get_by_role("button", name="Take out").click()


async def test_what_happens_is_said_aloud(open_page: Open, service_url: str) -> None:
    page = await open_page(f"/m/{begun(service_url)}")

    await expect(page.locator("[data-live]")).not_to_be_empty()
    assert await page.locator("[data-live]").get_attribute("aria-live") == "polite"


HEARING = """() => {
  globalThis.heard = [];
  const region = document.querySelector('[data-live]');
  new MutationObserver(() => heard.push(region.textContent)).observe(region, { childList: true });
}"""
STEP = """() => {
  const button = document.querySelector('.doubt:enabled') ?? document.querySelector('.quick button:enabled');
  button?.click();
  return heard.some((text) => text.includes('claim of'));
}"""


async def test_own_dice_are_spoken_as_they_fall_and_all_others_when_cups_are_lifted(open_page: Open) -> None:
    page = await open_page()
    await seated(page, {"game": "common_hand", "pause_ms": 60_000}, bots=1)
    await page.evaluate(HEARING)
    await page.get_by_role("button", name="Start the match").click()
    await page.wait_for_function(STEP, polling=100)

    names = [(name or "").split()[0] for name in await page.locator(".seat .name bdi").all_text_contents()]
    labels = [await hand.get_attribute("aria-label") or "" for hand in await page.locator(".seat > .hand").all()]
    heard: list[str] = [re.sub("[\u2068\u2069]", "", text) for text in await page.evaluate("heard")]
    at = next(place for place, text in enumerate(heard) if "claim of" in text)
    assert "Your dice: " in " ".join(heard[: at + 1])
    for name, label in zip(names, labels, strict=True):
        dice = label.partition(": ")[2].replace(" and ", ", ")
        assert f"{name}: {dice}." in heard[at]
        assert f"{name}: " not in " ".join(heard[:at])


async def test_the_replay_moves_by_keyboard_and_keeps_its_place_in_the_address(open_page: Open, running: str) -> None:
    page = await open_page(f"/m/{running}/replay")
    slider = page.get_by_role("slider")
    await expect(page.locator(".telling")).to_contain_text("Round 1")
    await slider.focus()
    for key in ("ArrowDown", "ArrowRight", "ArrowRight"):
        await page.keyboard.press(key)
    words = await page.locator(".telling").text_content()

    await page.reload()

    await expect(page.locator(".telling")).to_have_text(words or "")


DRAWN_APART = """() => {
  const table = document.body.appendChild(document.createElement('ol'));
  table.className = 'seats';
  for (let nth = 1; nth <= 12; nth += 1) {
    const seat = table.appendChild(document.createElement('li'));
    seat.className = 'seat';
    seat.dataset.seat = nth;
    seat.appendChild(document.createElementNS('http://www.w3.org/2000/svg', 'svg')).classList.add('seat-mark');
  }
  const pen = new OffscreenCanvas(1, 1).getContext('2d');
  const luminance = (colour) => {
    pen.fillStyle = colour;
    pen.fillRect(0, 0, 1, 1);
    const parts = [...pen.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
    const [red, green, blue] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const ratios = ([one, other]) => (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  return [...table.children].flatMap((seat) => {
    const card = getComputedStyle(seat);
    const drawn = [getComputedStyle(seat.firstChild).fill, card.borderTopColor];
    return drawn.map((colour) => ratios([luminance(colour), luminance(card.backgroundColor)]));
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_the_colour_and_the_shape_of_every_seat_stand_out_from_its_card(open_page: Open, scheme: str) -> None:
    page = await open_page("/audit", color_scheme=scheme)
    contrasts = await page.evaluate(DRAWN_APART)
    assert len(contrasts) == 24
    assert min(contrasts) >= 3, "WCAG 2.2, 1.4.11"


FRAMED = """() => {
  const seats = [...document.querySelectorAll('.hands li')];
  seats[0].classList.add('standing-one');
  const ground = getComputedStyle(document.querySelector('.hands')).backgroundColor;
  return [ground, ...seats.map((seat) => getComputedStyle(seat).borderTopColor)];
}"""


async def test_forced_colours_frame_the_claim_of_the_lesson_that_stands_and_no_other(open_page: Open) -> None:
    page = await open_page("/learn", forced_colors="active")
    await expect(page.locator(".hands li")).to_have_count(3)
    ground, standing, *others = await page.evaluate(FRAMED)
    assert set(others) == {ground}
    assert standing != ground
