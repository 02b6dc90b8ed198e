"""The card of an entrant: somebody enters on a phone, says to be there, and is led to the own seat at the own table."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.director.house import DICE
from tests.director.test_over_http import DUELS, TIME
from tests.web.conftest import PATIENCE_MS, ROAMED, WOKEN, Open, posted
from tests.web.test_accessibility import check
from tests.web.test_signed_seats import record
from tests.web.test_trust import OTHER, pin

pytestmark = pytest.mark.asyncio(loop_scope="session")
PHONE = {"viewport": {"width": 320, "height": 640}}
BEHIND = "**/entrant/lots.js"
"""What draws lots."""
RULES = {"match": {**DICE, "pause_ms": 60_000}, "time": TIME, "stages": [{**DUELS, "rounds": 1}]}


def seen(service_url: str, tournament: str) -> Any:
    """Return a tournament as everybody sees it, or a part of it."""
    return httpx.get(f"{service_url}/api/v1/tournaments/{tournament}", timeout=60).json()


async def entered(open_page: Open, tournament: str, name: str, *, looked_at: bool = False) -> Page:
    """Return the card of somebody who has just entered."""
    page = await open_page(f"/t/{tournament}/me", **PHONE)
    await page.get_by_label("Your name").fill(name)
    if looked_at:
        await check(page)
    await page.get_by_role("button", name="Enter").click()
    await expect(page.get_by_text("you are in; wait for the check-in")).to_be_visible()
    return page


async def kept_at(page: Page, key: str) -> Any:
    """Return what a browser keeps of an entrant."""
    return json.loads(await page.evaluate("(key) => localStorage.getItem(key)", key))


async def keyed(page: Page, key: str) -> Any:
    """Return that once the page has registered a key, which it does by itself."""
    await page.wait_for_function("(key) => JSON.parse(localStorage.getItem(key)).keys", arg=key)
    return await kept_at(page, key)


@pytest.mark.parametrize("happens", [WOKEN, ROAMED], ids=["woken", "roamed"])
async def test_a_card_that_wakes_up_or_roams_asks_anew_for_what_it_heard(
    open_page: Open, service_url: str, happens: str
) -> None:
    announced = posted(service_url, "/tournaments", {"rules": RULES, "title": "Two at one"})
    act = {"type": "open_entry"}
    posted(service_url, f"/tournaments/{announced['tournament']}/commands", act, announced["token"])
    page = await entered(open_page, announced["tournament"], "Ada")
    async with page.expect_request("**/me/stream", timeout=10_000):
        await page.evaluate(happens)


async def test_somebody_enters_is_there_and_is_led_to_the_own_seat(open_page: Open, service_url: str) -> None:
    announced = posted(service_url, "/tournaments", {"rules": RULES, "title": "Two at noon"})
    tournament, host = announced["tournament"], announced["token"]

    console = await open_page(f"/t/{tournament}/host")
    await expect(console.get_by_role("button", name="Open the entry")).to_be_hidden()
    await console.get_by_label("Host\u2019s token").fill(host)
    await console.get_by_role("button", name="Keep it in this browser").click()

    async def press(name: str) -> None:
        await console.get_by_role("button", name=name).click()

    await press("Open the entry")
    await expect(console.get_by_role("heading", name="Entry is open")).to_be_visible()
    await check(console)
    ada, bob = [await entered(open_page, tournament, name, looked_at=name == "Ada") for name in ("Ada", "Bob")]
    await press("Open the check-in")
    for page in (ada, bob):
        await page.get_by_role("button", name="I am here").click()
        await expect(page.get_by_text("you are here; the draw comes next")).to_be_visible()
    await press("Go on now")
    for page, other in ((ada, "Bob"), (bob, "Ada")):
        await expect(page.get_by_role("heading", name="Table 1, seat")).to_be_visible()
        await expect(page.locator(".opponents")).to_contain_text(other)
        await check(page)
        await page.get_by_role("button", name="To my table").click()
        await page.wait_for_url("**/m/*")
        await expect(page.locator(".seat.you .name")).to_be_visible()
    await expect(ada.get_by_text("2 dice in play")).to_be_visible()
    assert ada.url == bob.url

    # Each has registered a key without noticing, and signs with it at the table.
    for page in (ada, bob):
        await expect(page.locator(".seat.you .signs")).to_have_attribute("aria-label", "signed by you")
    keys = {row["key"] for row in seen(service_url, f"{tournament}/entrants")}
    joined = [line for line in record(service_url, ada.url.rpartition("/")[2]) if line["type"] == "seat.joined"]
    assert {line["data"]["key"] for line in joined} == keys
    assert all(line["signed"]["command"]["custody"] == "client" for line in joined)
    await leaves_at_once(ada, service_url, tournament)


async def leaves_at_once(page: Page, service_url: str, tournament: str) -> None:
    """Leave a tournament in the middle of a match: the card signs that it is given up, and nobody waits for a clock."""
    match = page.url.rpartition("/")[2]
    page.on("dialog", lambda dialog: dialog.accept())
    await page.goto(f"{service_url}/t/{tournament}/me")
    await page.get_by_role("button", name="Leave the tournament").click()
    # It was the last match, so the card may be seen only once the house has closed the tournament as well.
    await expect(page.get_by_text(re.compile("you take no part any more|the tournament is over"))).to_be_visible()
    async with asyncio.timeout(PATIENCE_MS / 1_000):
        while not (given_up := [line for line in record(service_url, match) if line["type"] == "game.forfeited"]):
            await asyncio.sleep(0.1)
    assert [line["signed"]["command"] for line in given_up] == [{"type": "resign"}]
    assert [row["status"] for row in seen(service_url, f"{tournament}/entrants")] == ["withdrawn", "here"]


async def test_a_device_without_the_key_takes_the_kept_seat_without(open_page: Open, service_url: str) -> None:
    announced = posted(service_url, "/tournaments", {"rules": RULES, "title": "Two at two"})
    tournament, host = announced["tournament"], announced["token"]
    commands = f"/tournaments/{tournament}/commands"
    posted(service_url, commands, {"type": "open_entry"}, host)
    page = await entered(open_page, tournament, "Ada")
    bob = posted(service_url, f"/tournaments/{tournament}/entrants", {"name": "Bob"})["token"]
    await page.get_by_text("My card on another device").click()
    link = await page.locator("#elsewhere a").get_attribute("href")
    assert link is not None
    posted(service_url, commands, {"type": "open_check_in"}, host)
    await page.get_by_role("button", name="I am here").click()
    await expect(page.get_by_text("you are here; the draw comes next")).to_be_visible()
    await page.close()
    posted(service_url, commands, {"type": "check_in"}, bob)
    posted(service_url, commands, {"type": "proceed"}, host)
    other = await open_page(link, **PHONE)
    await other.get_by_role("button", name="To my table").click()
    await other.wait_for_url("**/m/*")
    await expect(other.locator(".seat.you .name")).to_be_visible()
    rows = seen(service_url, f"{tournament}/entrants")
    assert [row["key"] is None for row in rows] == [False, True]
    lines = record(service_url, other.url.rpartition("/")[2])
    assert not any("key" in line["data"] for line in lines if line["type"] == "seat.joined")


async def test_who_draws_lots_checks_the_log_first_and_any_device_of_theirs_gives_the_seed(
    open_page: Open, service_url: str
) -> None:
    announced = posted(service_url, "/tournaments", {"rules": RULES, "title": "Lots at one"})
    tournament, host = announced["tournament"], announced["token"]
    commands = f"/tournaments/{tournament}/commands"
    posted(service_url, commands, {"type": "open_entry"}, host)
    page = await entered(open_page, tournament, "Ada")
    bob = posted(service_url, f"/tournaments/{tournament}/entrants", {"name": "Bob"})["token"]
    posted(service_url, commands, {"type": "open_check_in"}, host)
    posted(service_url, commands, {"type": "check_in"}, bob)

    await pin(page, OTHER)
    await page.get_by_label("I want to draw lots").check()
    await page.get_by_role("button", name="I am here").click()
    await expect(page.locator("#card .error")).to_contain_text("the log is not signed as that one asks")
    assert seen(service_url, tournament)["counts"]["here"] == 1, "Bob alone"
    await page.evaluate("localStorage.removeItem('truecup.policy')")
    await page.get_by_role("button", name="I am here").click()
    await expect(page.get_by_text("You draw lots: this page gives your seed by itself.")).to_be_visible()

    await page.get_by_text("My card on another device").click()
    link = await page.locator("#elsewhere a").get_attribute("href")
    assert link is not None
    await page.close()
    other = await open_page("/statistics", **PHONE)
    open_page.expected = "entrant/lots.js"
    await other.route(BEHIND, lambda route: route.abort())
    await other.goto(link)
    await expect(other.locator("#card .lead")).to_contain_text("Ada")
    assert "entrant=" not in other.url, "what somebody films tells no token"
    # The card is read without what draws, which is asked for until it has come.
    await expect(other.locator("[data-lost]")).to_contain_text("No connection")
    await other.unroute(BEHIND)
    await expect(other.locator("[data-lost]")).to_be_hidden()
    posted(service_url, commands, {"type": "proceed"}, host)
    await expect(other.get_by_role("heading", name="Table 1, seat")).to_be_visible()
    lots = seen(service_url, tournament)["lots"]
    assert (lots["own"], lots["barred"]) == (1, 0)


async def test_a_link_takes_the_place_of_an_entrant_or_a_lot_key_only_if_the_owner_of_the_browser_says_so(
    open_page: Open, service_url: str
) -> None:
    open_page.expected = "401"
    announced = posted(service_url, "/tournaments", {"rules": RULES, "title": "Links at two"})
    tournament, host = announced["tournament"], announced["token"]
    posted(service_url, f"/tournaments/{tournament}/commands", {"type": "open_entry"}, host)
    page = await entered(open_page, tournament, "Ada")
    bob = posted(service_url, f"/tournaments/{tournament}/entrants", {"name": "Bob"})["token"]
    key = f"truecup.event.{tournament}"
    lead, question = page.locator("#card .lead"), page.get_by_role("alert")

    async def kept() -> Any:
        return await kept_at(page, key)

    async def follow(token: str) -> None:
        await page.goto("about:blank")
        await page.goto(f"{service_url}/t/{tournament}/me#entrant={token}&seeds={'00' * 32}")
        await expect(lead).to_contain_text("Ada")
        assert "entrant=" not in page.url
        assert await kept() == ada

    ada = {**await keyed(page, key), "seeds": "ab" * 32}
    await page.evaluate("([key, kept]) => localStorage.setItem(key, JSON.stringify(kept))", [key, ada])
    await follow(ada["token"])
    await expect(question).to_have_count(0)
    await follow(bob)
    await check(page)
    await page.get_by_role("button", name="Keep what is here").click()
    await expect(question).to_have_count(0)
    await follow(f"truecup_entrant_{'x' * 43}")
    await page.get_by_role("button", name="Change over").click()
    await expect(page.locator("#card .error")).to_be_visible()
    await follow(bob)
    await page.get_by_role("button", name="Change over").click()
    await expect(lead).to_contain_text("Bob")
    other = await kept()
    assert other.pop("keys", None) != ada.get("keys"), "whoever else has entered here registered that one"
    assert other == {"token": bob}, "with no key that somebody else knows"


async def test_whoever_enters_as_a_player_is_the_same_one_in_the_next_event(open_page: Open, service_url: str) -> None:
    season = posted(service_url, "/seasons", {"game": "common_hand", "title": "Winter"})
    events = []
    for title in ("First night", "Second night"):
        body = {"rules": {**RULES, "season": season["season"], "rated": True}, "title": title}
        announced = posted(service_url, "/tournaments", body, season["token"])
        events.append(announced["tournament"])
        posted(service_url, f"/tournaments/{events[-1]}/commands", {"type": "open_entry"}, announced["token"])
    page = await entered(open_page, events[0], "Ada")
    await page.goto(f"{service_url}/t/{events[1]}/me")
    await expect(page.get_by_text("you become one under your name")).to_be_visible()
    await expect(page.get_by_label("Your name")).to_have_count(0)
    await page.get_by_text("The same player on several devices").click()
    await check(page)
    await page.get_by_role("button", name="Enter").click()
    await expect(page.get_by_text("you are in; wait for the check-in")).to_be_visible()
    players = {row["player"] for each in events for row in seen(service_url, f"{each}/entrants")}
    assert len(players) == 1
    await page.goto(f"{service_url}/players/{players.pop()}")
    await expect(page.get_by_role("link", name="Second night")).to_be_visible()
    await check(page)
    await page.goto(f"{service_url}/seasons/{season['season']}")
    await expect(page.get_by_role("heading", name="Winter")).to_be_visible()
    await check(page)
