"""A whole match in three browsers: two people play, a third one watches and learns nothing too early."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import Open, Received, proven, seated, sit_down
from tests.web.keeping import MOVES

pytestmark = pytest.mark.asyncio(loop_scope="session")
PICTURE = Path(__file__).parents[2] / ".assets" / "table.png"
"""The picture in the README, made anew when `PICTURE` is set in the environment."""
MATCH_S = 600
DICE = 5 if "PICTURE" in os.environ else 1
"""Of each player: few, so that it is over in three rounds and not in nineteen; the picture shows the game as it is."""

# One step of a player: the least raise, or a challenge where a bold bid stands or nothing else is left.
STEP = """(boldness) => {
  const button = (selector) => document.querySelector(selector + ':enabled');
  const standing = Number(document.querySelector('.standing span')?.textContent ?? 0);
  const dice = document.querySelectorAll('.seats .die, .own-dice .die').length;
  const [doubt, raise] = [button('.doubt'), button('.quick button')];
  const chosen = doubt !== null && (raise === null || standing > dice * boldness) ? doubt : raise;
  chosen?.click();
  return chosen !== null;
}"""


async def test_two_people_and_two_bots_play_while_a_third_page_watches(open_page: Open, service_url: str) -> None:
    ada = await open_page(viewport={"width": 1280, "height": 1030}, **MOVES)
    rules = {"game": "common_hand", "options": {"dice_per_player": DICE}, "seats": 4, "pause_ms": 0}
    match = await seated(ada, rules, bots=2)
    bob = await open_page(f"/m/{match}")
    await sit_down(bob, "Bob", own_seeds=False)
    watcher = await open_page.fresh("about:blank")
    received = await Received.by(watcher)
    await watcher.goto(f"/m/{match}")

    await ada.get_by_role("button", name="Start the match").click()
    await expect(ada.locator(".proof.yes")).to_be_visible()
    await expect(bob.locator(".proof.yes")).to_be_visible()
    open_page.expected = "409 (Conflict)"
    await _type_a_bid(ada, bob)
    async with asyncio.timeout(MATCH_S):
        await _play(ada, bob)

    await expect(watcher.get_by_role("heading", name="Finished")).to_be_visible()
    await expect(watcher.locator(".alarm")).to_have_count(0)
    await expect(ada.locator(".alarm")).to_have_count(0)
    lines = _record(service_url, match)
    await expect(watcher.locator(".fairness")).to_contain_text(f"Version {len(lines)}:")
    await received.end()
    assert received.messages > len(lines) // 2, "the page follows over its socket"
    assert [line["data"]["seat"] for line in lines if line["type"] == "game.seed_custody"] == [2, 3, 4]
    _check_secrecy(received.text, lines)
    await _fair(watcher, match)


async def test_a_name_that_is_taken_is_told_beside_the_form_and_may_be_mended(open_page: Open) -> None:
    host = await open_page()
    match = await seated(host, {"game": "common_hand", "seats": 3})
    page = await open_page(f"/m/{match}")
    open_page.expected = "409 (Conflict)"
    await page.get_by_label("Your name").fill("ADA")
    await page.get_by_role("button", name="Sit down").click()

    await expect(page.locator(".join").get_by_role("alert")).to_contain_text("Somebody at this table has this name")
    await sit_down(page, "Bea")


async def test_whoever_comes_to_play_plays_after_one_click_in_the_lobby(open_page: Open) -> None:
    page = await open_page("/")
    await page.get_by_role("button", name="Play against bots now").click()

    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.locator("#title")).to_have_text("Guest\u2019s table")


async def test_the_host_ends_after_the_round_what_would_never_end(open_page: Open) -> None:
    # A seed that was on its way when the match ended is refused, and no matter to anybody.
    open_page.expected = "409 (Conflict)"
    page = await open_page("/")
    await page.locator("summary:visible", has_text="House rules").click()
    await page.get_by_label("Losing a round costs").select_option("none")
    await page.get_by_role("button", name="Open the table").click()
    await page.get_by_role("button", name="Start the match").click()

    # What ends before its first round was never played at, and is told as a table that was closed.
    await expect(page.locator(".caption", has_text="Round 1")).to_be_visible(timeout=MATCH_S * 1000)
    await page.locator("summary", has_text="You host this table").click()
    await page.get_by_role("button", name="End it").click()
    await page.get_by_role("group", name="End it?").get_by_role("button", name="End it").click()

    await expect(page.get_by_role("heading", name="Finished")).to_be_visible(timeout=MATCH_S * 1000)
    await expect(page.locator(".felt .big")).to_have_text("The session is over")
    await expect(page.locator(".error")).to_have_count(0)


async def _fair(page: Page, match: str) -> None:
    """Read the audit, which waits for the log to vouch for the last line."""
    await proven(page.url.partition("/m/")[0], match)
    await page.goto(f"/m/{match}/audit")
    await expect(page.get_by_role("heading", name="Fair", exact=True)).to_be_visible()


async def _type_a_bid(*players: Page) -> None:
    """Whoever of them acts first types the command instead of clicking it."""
    while True:
        for page in players:
            fold = page.locator(".rail.yours [data-fold]")
            if await fold.count():
                await fold.click()
                field = page.get_by_label("Or type it")
                least = await page.locator(".quick button").first.text_content()
                assert least is not None
                await field.fill(f"{least.split()[0]}x7")
                await field.press("Enter")
                await expect(page.locator("#typed-fault")).to_contain_text("face")
                await field.fill("liar" if await page.locator(".doubt").count() else f"{4 * DICE}x6")
                await field.press("Enter")
                return
        await asyncio.sleep(0.05)


async def _play(*players: Page) -> None:
    picture = PICTURE if "PICTURE" in os.environ else None
    while await players[0].get_by_role("heading", name="Finished").count() == 0:
        if picture is not None and await _is_worth_a_picture(players[0]):
            picture.parent.mkdir(exist_ok=True)
            await players[0].screenshot(path=picture)
            picture = None
        for page, boldness in zip(players, (0.3, 0.4), strict=True):
            await page.evaluate(STEP, boldness)
        await asyncio.sleep(0.05)


async def _is_worth_a_picture(page: Page) -> bool:
    """Report whether the page shows a decision to make, and the round before it."""
    return await page.locator("body:has(.rail.yours .doubt):has(.last):has(.proof.yes)").count() > 0


def _record(service_url: str, match: str) -> list[dict[str, Any]]:
    text = httpx.get(f"{service_url}/api/v1/matches/{match}/record", timeout=60).text
    return [json.loads(line) for line in text.splitlines() if not line.startswith("#")]


def _check_secrecy(received: str, lines: list[dict[str, Any]]) -> None:
    """Nothing secret was sent before the event that tells it, and no die had a face before it lay open."""
    frames = [json.loads(line) for line in received.splitlines() if line.startswith('{"version"')]
    assert [frame["version"] for frame in frames] == sorted({frame["version"] for frame in frames})
    assert frames[-1]["version"] == len(lines)
    for frame in frames:
        dice = [die for seat in frame["view"]["seats"] for die in seat["dice"]]
        assert all(die["shown"] for die in dice if die["face"] is not None)
        assert frame["view"]["viewer"] is None
        assert frame["view"]["moves"] == []
    for line in lines:
        told_at = received.find(f'{{"version":{line["seq"] + 1},')
        for secret in _secrets(line):
            assert told_at <= received.find(secret) or secret not in received


def _secrets(line: dict[str, Any]) -> Iterator[str]:
    """Yield what nobody may have before this line."""
    match line["type"]:
        case "cup.revealed":
            yield from (key for _, key in line["data"]["keys"])
        case "seed.opened":
            yield line["data"]["seed"]
        case "deal.ready":
            yield line["data"]["mix"]
        case "deal.closed":
            yield line["data"]["secret"]
