"""Seats that were asked for while answers were lost: each is taken once, and its player can play."""

from __future__ import annotations

from http import HTTPStatus

import pytest
from playwright.async_api import Page, Route, expect

from tests.signed.given_out import opened_in_bulk
from tests.web.conftest import Open, posted, sit_down
from tests.web.races.routes import Unanswered, comes_to_rest, held, runs_ahead, seats_of, with_own_time
from tests.web.test_signed_seats import NO_MEMORY, signed

pytestmark = pytest.mark.asyncio(loop_scope="session")
TRIES = 4
"""So often a page asks by itself."""
LINK = """(match) => {
  const { seat, token, seeds } = JSON.parse(localStorage.getItem(`truecup.match.${match}`));
  return Object.entries({ seat, token, seeds }).map((pair) => pair.join('=')).join('&');
}"""
GIVEN_BACK = """(match) => localStorage.getItem(`truecup.signed.${match}`) !== null
  && localStorage.getItem(`truecup.match.${match}`) === null"""
"""Whether a page has heard that it has a seat, and that it has it no more."""
TWO = {"game": "common_hand", "seats": 2, "pause_ms": 0}
COMES = pytest.mark.parametrize("comes", [True, False], ids=["taken", "never came"])
SIGNS = pytest.mark.parametrize("signs", [True, False], ids=["signs", "plain"])


async def lose(page: Page, address: str, *, comes: bool = True, within: str = "") -> Unanswered:
    """Lose as many answers of an address as a page asks for by itself."""
    lost = Unanswered("POST", TRIES, comes=comes, within=within)
    await page.route(address, lost)
    return lost


async def press_in_vain(page: Page, button: str, lost: Unanswered, fault: str) -> None:
    """Press until the page has given up, and says so."""
    await page.get_by_role("button", name=button).click()
    await runs_ahead(page, lambda: lost.is_back)
    await expect(page.locator(fault)).to_be_visible()


@COMES
@SIGNS
async def test_a_seat_whose_answer_was_lost_is_taken_once(
    open_page: Open, service_url: str, *, signs: bool, comes: bool
) -> None:
    open_page.expected = "ERR_FAILED"
    opened = posted(service_url, "/matches", {"rules": TWO})
    page = await sits_in_vain(open_page, opened["match"], signs=signs, comes=comes)
    await sit_down(page, "Ada", signs=signs)
    await plays_with_a_bot(page, service_url, opened)


@SIGNS
async def test_a_page_that_was_read_again_has_the_seat_whose_answer_was_lost(
    open_page: Open, service_url: str, *, signs: bool
) -> None:
    open_page.expected = "ERR_FAILED"
    opened = posted(service_url, "/matches", {"rules": TWO})
    page = await sits_in_vain(open_page, opened["match"], signs=signs)
    await page.reload()
    await sit_down(page, "Ada", signs=signs)
    await plays_with_a_bot(page, service_url, opened)


async def test_a_join_that_never_came_is_signed_anew_over_the_lines_that_came_in_between(
    open_page: Open, service_url: str
) -> None:
    open_page.expected = "Failed to load resource"
    opened = posted(service_url, "/matches", {"rules": {**TWO, "seats": 3}})
    page = await sits_in_vain(open_page, opened["match"], comes=False)
    posted(service_url, f"/matches/{opened['match']}/bots", {"count": 1}, opened["token"])
    await sit_down(page, "Ada")
    await plays_with_a_bot(page, service_url, opened, seat=2)


@SIGNS
async def test_who_is_refused_as_somebody_else_still_has_the_seat_whose_answer_was_lost(
    open_page: Open, service_url: str, *, signs: bool
) -> None:
    open_page.expected = "Failed to load resource"
    opened = posted(service_url, "/matches", {"rules": TWO})
    page = await sits_in_vain(open_page, opened["match"], signs=signs)
    await page.get_by_label("Sign my moves with a key of this browser").set_checked(not signs)
    async with page.expect_response("**/seats") as refused:
        await page.get_by_role("button", name="Sit down").click()
    assert (await refused.value).status == HTTPStatus.CONFLICT
    await expect(page.get_by_role("button", name="Sit down")).to_be_enabled()
    await sit_down(page, "Ada", signs=signs)
    await plays_with_a_bot(page, service_url, opened)


async def test_two_pages_of_one_browser_that_ask_at_once_take_one_seat_and_have_its_key(
    open_page: Open, service_url: str
) -> None:
    open_page.expected = "Failed to load resource"
    opened = posted(service_url, "/matches", {"rules": TWO})
    page = await open_page(f"/m/{opened['match']}")
    other = await page.context.new_page()
    await other.goto(page.url)
    for one in (page, other):
        await one.get_by_label("Your name").fill("Ada")
    async with page.expect_response("**/seats"), other.expect_response("**/seats"), held(page, "**/lines") as first:
        await page.get_by_role("button", name="Sit down").click()
        await first.there()
        await other.get_by_role("button", name="Sit down").click()
        await comes_to_rest(other)
    await comes_to_rest(other)
    await page.reload()
    await plays_with_a_bot(page, service_url, opened)
    await other.close()


async def test_where_nothing_is_kept_a_seat_is_taken_once_as_well(open_page: Open, service_url: str) -> None:
    open_page.expected = "ERR_FAILED"
    opened = posted(service_url, "/matches", {"rules": TWO})
    page = await open_page()
    await page.context.add_init_script(NO_MEMORY)
    await sits_in_vain(open_page, opened["match"], page=page)
    await sit_down(page, "Ada")
    await plays_with_a_bot(page, service_url, opened)


@COMES
async def test_a_seat_at_a_rematch_whose_answer_was_lost_is_taken_once(
    open_page: Open, service_url: str, *, comes: bool
) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page()
    path, bob = await wins(page, service_url)
    # What is signed is lost, behind the request that finds the table.
    lost = await lose(page, "**/rematch", comes=comes, within="salt")
    await press_in_vain(page, "Rematch", lost, "tc-rematch .error")
    await page.get_by_role("button", name="Rematch").click()
    await expect(page.get_by_text("Yes to a rematch: You, of 2.")).to_be_visible()
    following = posted(service_url, f"{path}/rematch", {}, bob)["match"]
    await page.wait_for_url(f"**/m/{following}")
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.locator(".lost-key, .alarm")).to_have_count(0)
    assert [seat["name"] for seat in seats_of(service_url, following)] == ["Ada", "Bob"]
    assert signed(service_url, following) == ["join", "commit_seed", "open_seed"]


async def test_a_seat_at_a_rematch_that_another_device_took_meanwhile_is_that_ones_to_sign_for(
    open_page: Open, service_url: str
) -> None:
    open_page.expected = "ERR_FAILED"
    page, tablet = await open_page(), await open_page()
    path, bob = await wins(page, service_url)
    await tablet.goto(f"{page.url}#{await page.evaluate(LINK, path.rpartition('/')[2])}")
    lost = await lose(page, "**/rematch", comes=False, within="salt")
    await press_in_vain(page, "Rematch", lost, "tc-rematch .error")
    await tablet.get_by_role("button", name="Rematch").click()
    await expect(tablet.get_by_text("Yes to a rematch: You, of 2.")).to_be_visible()
    await page.get_by_role("button", name="Rematch").click()
    following = posted(service_url, f"{path}/rematch", {}, bob)["match"]
    await page.wait_for_url(f"**/m/{following}")
    await expect(page.locator(".lost-key")).to_be_visible()
    await expect(page.locator(".alarm")).to_have_count(0)
    await expect(tablet.locator(".proof.yes")).to_be_visible()


async def wins(page: Page, service_url: str) -> tuple[str, str]:
    """Have Ada win a match that she signs, and return its address, and the token of Bob, who lost it."""
    opened = posted(service_url, "/matches", {"rules": TWO})
    path = f"/matches/{opened['match']}"
    await page.goto(f"/m/{opened['match']}")
    await sit_down(page, "Ada")
    bob = posted(service_url, f"{path}/seats", {"name": "Bob", "custody": "server"})
    posted(service_url, f"{path}/start", {}, opened["token"])
    await expect(page.locator(".proof.yes")).to_be_visible()
    posted(service_url, f"{path}/commands", {"type": "resign"}, bob["token"])
    await with_own_time(page)
    return path, str(bob["token"])


async def sits_in_vain(
    open_page: Open, match: str, *, signs: bool = True, comes: bool = True, page: Page | None = None
) -> Page:
    """Ask for a seat as Ada, and lose the answers of it."""
    page = await open_page() if page is None else page
    await page.goto(f"/m/{match}")
    await with_own_time(page)
    await page.get_by_label("Your name").fill("Ada")
    await page.get_by_label("Sign my moves with a key of this browser").set_checked(signs)
    await press_in_vain(page, "Sit down", await lose(page, "**/seats", comes=comes), "tc-table .error[role=alert]")
    return page


async def plays_with_a_bot(page: Page, service_url: str, opened: dict[str, str], seat: int = 1) -> None:
    """Have Ada play at a table at which nobody else of her name sits."""
    path, token = f"/matches/{opened['match']}", opened["token"]
    if seat == 1:
        posted(service_url, f"{path}/bots", {"count": 1}, token)
    posted(service_url, f"{path}/start", {}, token)
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.locator(".lost-key, .alarm")).to_have_count(0)
    assert [one["seat"] for one in seats_of(service_url, opened["match"]) if not one["bot"]] == [seat]


async def test_who_was_taken_out_before_the_answer_came_sits_down_anew(open_page: Open, service_url: str) -> None:
    open_page.expected = "Failed to load resource"
    opened = posted(service_url, "/matches", {"rules": {**TWO, "host": {}}})
    path = f"/matches/{opened['match']}"
    page = await sits_in_vain(open_page, opened["match"], signs=False)
    posted(service_url, f"{path}/commands", {"type": "kick", "who": 1, "reason": "conduct"}, opened["token"])
    await expect(page.locator(".seat")).to_have_count(0)
    await page.get_by_role("button", name="Sit down").click()
    await page.wait_for_function(GIVEN_BACK, arg=opened["match"])
    await sit_down(page, "Ada", signs=False)
    await plays_with_a_bot(page, service_url, opened)


async def test_a_key_for_a_seat_that_was_given_out_stays_while_its_player_is_told_to_wait(
    open_page: Open, service_url: str
) -> None:
    open_page.expected = "Failed to load resource"
    table = opened_in_bulk(service_url)
    seat = table["seats"][0]
    page = await open_page()
    lost = Unanswered("PUT", 1)
    told: list[str] = []

    async def too_many(route: Route) -> None:
        if lost.left > 0 or told:
            await route.fallback()
            return
        told.append(route.request.url)
        body = {"code": "too_many_requests", "title": "wait", "params": {}}
        await route.fulfill(status=HTTPStatus.TOO_MANY_REQUESTS, content_type="application/problem+json", json=body)

    await page.route("**/seats/me/key", lost)
    await page.route("**/seats/me/key", too_many)
    async with page.expect_response("**/seats/me/key"):
        await page.goto(f"/m/{table['match']}#seat={seat['seat']}&token={seat['token']}")
    await page.reload()
    await expect(page.locator(".seat.you .signs")).to_have_attribute("aria-label", "signed by you")
    await expect(page.locator(".seat-key")).to_be_visible()
    await expect(page.locator(".lost-key")).to_have_count(0)
