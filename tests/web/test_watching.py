"""Looking back on a match in the real Chromium: cups of glass, whose eyes, keys, and links to a moment."""

from __future__ import annotations

import re
from time import monotonic, sleep
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec
import pytest
from playwright.async_api import Page, expect

from projections.view import view_of
from tests.domain.playing import Played
from tests.web.conftest import CLOSED_AND_PRESSED, PATIENCE_MS, Open, posted
from tests.web.lifting import load_lift
from tests.web.test_accessibility import check_with_axe

HIDDEN = ".seat .die.hidden"
BEYOND = """() => [...document.querySelectorAll('.seat .die')]
  .map((die) => die.getBoundingClientRect().right - die.closest('.seat').getBoundingClientRect().right)"""
EDGES = """() => ['.seats', '.felt', '.scrubber', '.telling']
  .map((one) => document.querySelector(one).getBoundingClientRect()).flatMap(({ top, bottom }) => [top, bottom])"""


@pytest.fixture(scope="module")
def over(service_url: str) -> str:
    """Return a match that bots have played to its end."""
    return played_out(service_url, {"game": "common_hand", "seats": 3, "options": {"dice_per_player": 2}})


def played_out(service_url: str, rules: dict[str, Any]) -> str:
    """Have bots play a match to its end, and return its name."""
    rules = {**rules, "pause_ms": 0}
    opened = posted(service_url, "/matches", {"rules": rules, "choices": {"bots": "instant"}})
    path = f"/matches/{opened['match']}"
    posted(service_url, f"{path}/bots", {"count": rules["seats"]}, opened["token"])
    posted(service_url, f"{path}/start", {}, opened["token"])
    deadline = monotonic() + PATIENCE_MS / 1000
    while httpx.get(f"{service_url}/api/v1{path}", timeout=60).json()["phase"] != "finished":
        assert monotonic() < deadline, "the match does not end"
        sleep(0.05)
    return str(opened["match"])


async def frame_at(page: Page, match: str, version: int) -> dict[str, Any]:
    found = await page.request.get(f"/api/v1/matches/{match}/replay?version={version}")
    frame: dict[str, Any] = await found.json()
    return frame


async def test_what_plays_a_replay_is_in_sight_on_a_phone_that_lies_on_its_side(open_page: Open, over: str) -> None:
    page = await open_page(f"/m/{over}/replay", viewport={"width": 844, "height": 390})
    await expect(page.locator(".scrubber")).to_be_in_viewport(ratio=1)
    edges = await page.evaluate(EDGES)
    assert edges == sorted(edges), "the seats, the felt below them, and below it what plays it"


async def test_a_phone_on_its_side_shows_all_that_as_many_as_can_sit_there_hold(open_page: Open) -> None:
    played = Played(None, 12, "side", "liars_poker", pause_ms=0)
    played.start()
    view = msgspec.to_builtins(view_of(played.written, None, played.keeper, {}))
    page = await open_page("/audit", viewport={"width": 844, "height": 390})
    await load_lift(page, "watch.css")
    await page.evaluate("(view) => { felt.className = 'play'; return stage(view, null); }", view)
    beyond = await page.evaluate(BEYOND)
    assert len(beyond) == 12 * 8
    assert max(beyond) <= 0


async def test_a_replay_tells_of_play_and_of_the_deal_to_whoever_asks(open_page: Open, over: str) -> None:
    page = await open_page(f"/m/{over}/replay")
    story, dice = page.locator(".story"), page.locator(".seat .die")
    await expect(dice.locator(".shield")).not_to_have_count(0)
    await expect(dice.locator(".shield:visible")).to_have_count(0)
    await expect(story).not_to_contain_text("Deal 1", use_inner_text=True)
    await story.get_by_label("Show the deal").check()
    await expect(story).to_contain_text("Deal 1", use_inner_text=True)


def known_cup(service_url: str, match: str) -> dict[str, Any]:
    """Return what the first seat saw when it had the cup that is passed on, and knew what lay under it."""
    told = httpx.get(f"{service_url}/api/v1/matches/{match}/replay", params={"eyes": "1"}, timeout=60).json()["frames"]
    views = [each["view"] for each in told if each["view"]["phase"] not in ("dealing", "between_rounds", "finished")]
    return next(view for view in views if any(die["face"] and not die["shown"] for die in view["cup"]))


async def test_a_cup_that_is_passed_on_is_seen_by_whose_eyes_one_has(open_page: Open, service_url: str) -> None:
    match = played_out(service_url, {"game": "finska", "seats": 2})
    at = known_cup(service_url, match)
    page = await open_page(f"/m/{match}/replay#v={at['version']}&view=seat-1")
    await expect(page.locator(".passed-cup .die")).to_have_count(len(at["cup"]))


async def test_who_looks_back_chooses_whose_eyes_and_others_open_the_same_moment(open_page: Open, over: str) -> None:
    page = await open_page(f"/m/{over}/replay", permissions=["clipboard-read", "clipboard-write"])
    await expect(page.locator(".seat .die")).to_have_count(6)
    await expect(page.locator(HIDDEN)).to_have_count(0)

    await page.get_by_label("Seen by").select_option(label="Spectators")
    await expect(page.locator(HIDDEN)).to_have_count(6)
    await page.get_by_label("Seen by").select_option(index=2)
    await expect(page.locator(HIDDEN)).to_have_count(4)
    await expect(page.locator(".seat.you .die")).to_have_count(2)
    await page.get_by_role("button", name="Copy a link to this moment").click()
    await expect(page.get_by_role("status")).to_have_text("The link is copied.")

    async with page.expect_download() as saving:
        await page.get_by_role("button", name="Save a picture of this moment").click()
    saved = await (await saving.value).path()
    assert saved.read_bytes().startswith(b"\x89PNG"), "a picture that programs show which draw no SVG"

    link = str(await page.evaluate("navigator.clipboard.readText()"))
    asked = parse_qs(urlsplit(link).fragment)
    assert (await frame_at(page, over, int(asked["v"][0])))["more"] is False, "a link names the end of an append"
    words = await page.locator(".place").text_content()
    other = await open_page(link)
    await expect(other.locator(".seat.you")).to_have_count(1)
    await expect(other.locator(HIDDEN)).to_have_count(4)
    assert (await other.locator(".place").text_content()) == words


async def test_keys_work_wherever_one_is_on_the_page_and_are_listed(open_page: Open, over: str) -> None:
    page = await open_page(f"/m/{over}/replay")
    await expect(page.locator(".telling")).to_contain_text("Round 1")
    await page.keyboard.press("r")
    await expect(page.locator(".verdict-line")).to_be_visible()
    await expect(page).to_have_url(re.compile("#v="))
    version = int(parse_qs(urlsplit(page.url).fragment)["v"][0])
    await page.keyboard.press("r")
    await expect(page).not_to_have_url(re.compile(f"#v={version}$"))
    await page.keyboard.press("Shift+R")
    await expect(page).to_have_url(re.compile(f"#v={version}$"))
    await page.keyboard.press("End")
    await expect(page.locator(".felt .big")).to_contain_text("wins")

    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    await check_with_axe(page)
    await page.get_by_label("Keys of one letter").uncheck()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("dialog", name="Keys")).to_be_hidden()
    await page.keyboard.press("Shift+R")
    await expect(page.locator(".felt .big")).to_contain_text("wins")
    await page.keyboard.press("Home")
    await expect(page).to_have_url(re.compile("#v=1$"))

    await page.keyboard.press("?")
    await expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    await page.evaluate(CLOSED_AND_PRESSED, "End")
    await expect(page.locator(".felt .big")).to_contain_text("wins")


async def test_a_link_to_eyes_that_nobody_has_says_so(open_page: Open, over: str) -> None:
    open_page.expected = "404"
    page = await open_page(f"/m/{over}/replay#v=40&eyes=9")
    await expect(page.get_by_role("alert")).to_contain_text("seat")
