"""Buttons and keys that are pressed twice before there is an answer: it is asked for once."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Locator, Page, Route, expect

from tests.director.house import DICE
from tests.director.test_entrant_keys_over_http import NEW
from tests.web.conftest import Open, posted
from tests.web.races.routes import A_MOMENT_MS, comes_to_rest, counted, held, runs_ahead, seats_of, with_own_time
from tests.web.test_entrant_keys import Keyed, follow
from tests.web.test_event_cards import entered
from tests.web.test_event_console import Event

pytestmark = pytest.mark.asyncio(loop_scope="session")
PRESS = "(button) => button.click()"
"""A press of a button, which does nothing where it rests."""
PRESS_ON = "(button) => { button.click(); setInterval(() => button.click(), 20); }"
"""Presses of somebody who does not believe that the first was felt."""
KEY_KEPT = "(match) => (JSON.parse(localStorage.getItem(`truecup.match.${match}`)).keys ?? [])[0]?.key"
FORMS = {
    "table": ("/", "/api/v1/matches", "**/m/*", "#create-form", ""),
    "tournament": ("/tournaments/new", "/api/v1/tournaments", "**/t/*/host", "#announce", "title"),
    "season": ("/seasons/new", "/api/v1/seasons", "**/seasons/*", "#begin", "title"),
    "player": ("/players/new", "/api/v1/players", "**/players/*", "#become", "name"),
}
"""Each form with where it is sent, the page it leads to, what it is and which field of it is to be filled."""


async def presses_twice(page: Page, button: Locator, address: str) -> None:
    """Press a button twice: the second time while what the first press asks for at this address is on its way."""
    async with held(page, address) as line:
        await button.click()
        await line.there()
        await button.evaluate(PRESS)
        await comes_to_rest(page)


async def takes_seat(page: Page, *, signs: bool) -> None:
    """Press for a seat twice: the second time while the log is looked at, before a seat is offered a seed."""
    await page.get_by_label("Your name").fill("Ada")
    await page.get_by_label("Sign my moves with a key of this browser").set_checked(signs)
    await presses_twice(page, page.get_by_role("button", name="Sit down"), "**/api/v1/log/policy")


@pytest.mark.parametrize("signs", [True, False], ids=["signs", "plain"])
async def test_who_presses_for_a_seat_twice_asks_for_one(open_page: Open, service_url: str, *, signs: bool) -> None:
    match = posted(service_url, "/matches", {"rules": {"game": "common_hand", "seats": 4}})["match"]
    page = await open_page(f"/m/{match}")
    asked = counted(page, "POST", "/seats")
    await takes_seat(page, signs=signs)
    await expect(page.locator(".seat.you .name")).to_contain_text("Ada")
    await comes_to_rest(page)
    assert len(asked) == 1
    assert [seat["name"] for seat in seats_of(service_url, match)] == ["Ada"]


async def test_who_presses_for_a_seat_twice_keeps_its_key(open_page: Open, service_url: str) -> None:
    open_page.expected = "409"
    match = posted(service_url, "/matches", {"rules": {"game": "common_hand", "seats": 3}})["match"]
    page = await open_page(f"/m/{match}")
    later = asyncio.Event()
    first: list[Route] = []

    async def turned_round(route: Route) -> None:
        """What is asked for first comes last, if there are two."""
        if first:
            await route.fulfill(response=await route.fetch())
            later.set()
        else:
            first.append(route)
            await later.wait()
            await route.continue_()

    await page.route("**/seats", turned_round)
    await takes_seat(page, signs=True)
    async with page.expect_response("**/seats"):
        await comes_to_rest(page)
        later.set()
    await expect(page.locator(".seat.you")).to_have_count(1)
    await comes_to_rest(page)
    (seat,) = seats_of(service_url, match)
    assert await page.evaluate(KEY_KEPT, match) == seat["key"]
    await expect(page.locator(".lost-key")).to_have_count(0)


@pytest.mark.parametrize("form", FORMS)
async def test_a_form_that_is_pressed_twice_is_sent_once(open_page: Open, form: str) -> None:
    """Until the next page comes, the form is still there."""
    path, sent_to, leads, within, field = FORMS[form]
    open_page.expected = "409"
    page = await open_page(path)
    asked = counted(page, "POST", sent_to)
    button = page.locator(f"{within} [type=submit]").first
    await expect(button).to_be_enabled()
    if field:
        await page.locator(f"{within} [name={field}]").fill(f"{form} once")
    async with held(page, leads) as next_page:
        await button.evaluate(PRESS_ON)
        await next_page.there()
        # A page that is about to go answers nobody any more, and its buttons can still be pressed.
        await page.wait_for_timeout(A_MOMENT_MS)
        assert len(asked) == 1
    await page.wait_for_url(lambda url: not url.endswith(path))


async def test_a_key_is_given_once_by_who_presses_twice(open_page: Open, keyed: Keyed) -> None:
    open_page.expected = "422"
    ada = await entered(open_page, keyed.id, "Ada")
    await expect(ada.locator("#own-key")).to_be_visible()
    await follow(ada, f"{ada.url}#sign-with=1.{NEW.public_key.hex()}")
    asked = counted(ada, "POST", "/commands")
    await presses_twice(ada, ada.get_by_role("button", name="Change to that key"), "**/commands")
    assert len(asked) == 1
    await expect(ada.locator("#own-key summary")).to_have_text("This device does not have your key")
    assert keyed.keys() == (NEW.public_key.hex(), None)


async def test_a_key_that_is_held_is_pressed_once(answering: Page) -> None:
    await answering.keyboard.down("l")
    await expect(answering.locator(".doubt")).to_have_text("Press again: Liar!")
    # What a keyboard does by itself while a key is held.
    await answering.keyboard.down("l")
    await answering.keyboard.down("l")
    await answering.keyboard.up("l")
    assert await answering.evaluate("played") == []
    await expect(answering.locator(".doubt")).to_have_text("Press again: Liar!")


async def test_a_button_of_the_console_rests_until_it_is_answered(duels: Event) -> None:
    desk = await duels.seated("Ann Ben", match={**DICE, "pause_ms": 60_000})
    await with_own_time(desk.page)
    asked = counted(desk.page, "POST", "/commands")
    troubles = counted(desk.page, "GET", "/troubles")
    button = desk.button("proceed")
    async with held(desk.page, "**/commands") as act:
        await button.click()
        await act.there()
        # Twice as long as until the page is read again.
        seen = len(troubles)
        await runs_ahead(desk.page, lambda: len(troubles) > seen)
        await comes_to_rest(desk.page)
        await expect(button).to_be_disabled()
        await button.evaluate(PRESS)
        await comes_to_rest(desk.page)
        assert len(asked) == 1
