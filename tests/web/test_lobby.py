"""The lobby: every game can be chosen, understood and opened, with its own house rules, seats and bots."""

from __future__ import annotations

import asyncio
from http import HTTPStatus
from time import sleep
from typing import Any, cast

import httpx
import pytest
from playwright.async_api import Page, expect

from domain.games import GAMES, rules_of
from services.http.paging import LIMIT
from tests.sizes import spread
from tests.web.conftest import Open, proven, sit_down
from tests.web.test_accessibility import check_with_axe

pytestmark = pytest.mark.asyncio(loop_scope="session")
AT_ONCE = ("common_hand", "german_liar_dice", "mexican", "dollar_bill", "stud_liars")
"""Games that are played after one click, with as many bots as there are places for."""


async def choose(page: Page, game: str) -> None:
    """Choose a game in the form, in the family where it stands."""
    pick = page.locator(f'input[name="game"][value="{game}"]')
    family = page.locator("details", has=pick)
    if await family.get_attribute("open") is None:
        await family.locator("summary").click()
    await pick.check()
    await expect(page.locator("#chosen")).to_have_text(GAMES[game].title)


async def test_a_game_is_found_by_whatever_people_call_it(open_page: Open) -> None:
    page = await open_page("/")
    picks = page.locator(".pick:visible")
    for typed, game in (("dudo", "common_hand"), ("l\u00fcgen", "german_liar_dice"), ("Maxchen", "mexican")):
        await page.get_by_label("Find a game").fill(typed)
        await expect(picks).to_have_count(1)
        await page.get_by_label("Find a game").press("Enter")
        await expect(page.locator("#chosen")).to_have_text(GAMES[game].title)
    await expect(picks).to_contain_text("also called Mexicali")
    await page.get_by_label("Find a game").fill("chess")
    await expect(page.locator("#found")).to_have_text("0 games")
    await page.get_by_label("Find a game").fill("")
    await expect(page.locator(".pick")).to_have_count(len(GAMES))


async def house_rules(page: Page) -> None:
    await page.locator("summary:visible", has_text="House rules").click()


async def opened(page: Page, button: str = "Open the table") -> str:
    await page.get_by_role("button", name=button).click()
    await page.wait_for_url("**/m/*")
    return page.url.rpartition("/")[2]


def view(service_url: str, match: str) -> dict[str, object]:
    found: dict[str, object] = httpx.get(f"{service_url}/api/v1/matches/{match}", timeout=60).json()
    return found


async def test_every_game_is_opened_with_its_own_rules_and_seats(open_page: Open, service_url: str) -> None:
    page = await open_page("about:blank")
    for game in spread(GAMES, 1, lambda game: type(rules_of(game, {}).tokens)):
        await page.goto("/")
        await choose(page, game)
        await page.get_by_label("House bots").fill("0")
        seen = view(service_url, await opened(page))

        highest = rules_of(game, {}).seats[1]
        assert (seen["game"], seen["phase"]) == (game, "lobby")
        assert seen["rules"]["seats"] == highest  # type: ignore[index]
        await expect(page.get_by_text(GAMES[game].line)).to_be_visible()


@pytest.mark.parametrize("game", spread(AT_ONCE, 1, lambda game: rules_of(game, {}).seats[1] > 2))
async def test_any_game_is_played_against_bots_after_one_click(open_page: Open, service_url: str, game: str) -> None:
    page = await open_page("/")
    await choose(page, game)
    seen = view(service_url, await opened(page, "Play it against bots at once"))

    assert seen["phase"] != "lobby"
    bots = [seat["bot"] for seat in seen["seats"]]  # type: ignore[attr-defined]
    assert bots == [False, *[True] * min(3, rules_of(game, {}).seats[1] - 1)]


async def test_a_game_for_two_asks_for_no_seats_and_offers_one_bot(open_page: Open) -> None:
    page = await open_page("/")
    await choose(page, "stud_liars")

    await expect(page.get_by_label("Seats", exact=True)).to_be_hidden()
    await expect(page.get_by_label("House bots")).to_have_value("1")
    await page.get_by_label("Your name").fill("Ada")
    await page.get_by_label("House bots").fill("2")
    await page.get_by_label("House bots").press("Tab")
    await expect(page.get_by_label("House bots")).to_have_value("1")


async def test_numbers_that_only_count_are_offered_no_deal_for_each_round(open_page: Open) -> None:
    page = await open_page("/")
    await page.locator("summary", has_text="Dealing, clocks, and people who stop").click()
    await page.get_by_label("A provable deal").select_option("round")
    await choose(page, "liars_poker_wizard")

    await expect(page.get_by_label("A provable deal")).to_be_hidden()
    await opened(page)


async def test_house_rules_are_folded_away_and_say_how_many_were_changed(open_page: Open, service_url: str) -> None:
    page = await open_page("/")
    fold = page.locator("summary:visible", has_text="House rules")
    await expect(fold).to_contain_text("as usual")
    await expect(page.get_by_label("Dice each", exact=True)).to_be_hidden()

    await page.get_by_label("Known rules").first.select_option("Perudo")
    await expect(fold).to_contain_text("4 changed")
    await fold.click()
    await expect(page.get_by_label("Spot on, right")).to_have_value("regain")
    await page.get_by_label("Dice each", exact=True).fill("4")
    await page.get_by_label("Dice each", exact=True).press("Tab")
    await expect(page.get_by_label("Known rules").first.locator(":checked")).to_have_text("Your own")
    await page.get_by_label("Known rules").first.select_option("Perudo")

    seen = view(service_url, await opened(page))
    await expect(page.get_by_text("Known as")).to_be_visible()
    assert seen["rules"]["options"]["palifico"] is True  # type: ignore[index]


async def test_rules_that_contradict_each_other_cannot_be_chosen(open_page: Open, service_url: str) -> None:
    page = await open_page("/")
    await house_rules(page)
    wager = page.get_by_label("Chips", exact=True).locator('option[value="per_round"]')
    await expect(wager).to_be_disabled()

    await page.get_by_label("Losing a round costs").select_option("none")
    await page.get_by_label("Chips", exact=True).select_option("per_round")
    await page.get_by_label("Wager in chips").fill("7")
    assert view(service_url, await opened(page))["rules"]["options"]["wager"] == 7  # type: ignore[index]

    await page.goto("/")
    await house_rules(page)
    await page.get_by_label("Chips", exact=True).select_option("winner_take_all")
    await page.get_by_label("Losing a round costs").select_option("none")
    await expect(page.get_by_label("Chips", exact=True)).to_have_value("none")
    await expect(page.get_by_label("Wager in chips")).to_be_hidden()


async def test_what_the_rules_refuse_is_told_beside_the_name_of_the_option(open_page: Open) -> None:
    page = await open_page("/")
    open_page.expected = f"422 ({HTTPStatus.UNPROCESSABLE_ENTITY.phrase})"
    await choose(page, "liars_poker")
    await house_rules(page)
    await page.get_by_label("Numbers come").select_option("slips")
    await page.get_by_label("Numbers on a slip").fill("5")
    await page.get_by_role("button", name="Open the table").click()

    await expect(page.locator("#create-error")).to_have_text(
        "Of which are played: An option of the rules is not what it should be."
        " A slip has fewer numbers than are to be played."
    )


async def test_a_name_nobody_can_bear_is_told_and_leaves_no_table_behind(open_page: Open) -> None:
    page = await open_page("/")
    open_page.expected = f"422 ({HTTPStatus.UNPROCESSABLE_ENTITY.phrase})"
    waiting = page.locator('section[aria-labelledby="open-title"] .ticket')
    await page.get_by_label("Your name").fill("\u0410da")
    await page.get_by_label("House bots").fill("0")
    async with page.expect_response("**/commands") as closing:
        await page.get_by_role("button", name="Open the table").click()

    await expect(page.locator("#create-error")).to_contain_text("mixes Cyrillic and Latin")
    assert (await closing.value).ok
    match = (await closing.value).url.split("/")[-2]
    await expect(waiting.locator(f'a[href="/m/{match}"]')).to_have_count(0)


async def test_the_list_of_tables_says_which_game_is_played(open_page: Open) -> None:
    page = await open_page("/")
    await choose(page, "finska")
    match = await opened(page)
    await page.goto("/")

    await expect(page.locator("#tables[data-live]")).to_have_count(1)
    ticket = page.locator("#tables .ticket", has=page.locator(f'a[href="/m/{match}"]'))
    await expect(ticket).to_contain_text("Finska liar dice")
    await expect(ticket).to_contain_text("3 bots · 3:00 a turn")


def table_whose_house_draws(service_url: str) -> str:
    """Open a table that begins its first deal with somebody who left their seeds to the house."""
    with httpx.Client(base_url=f"{service_url}/api/v1/matches", timeout=60) as client:
        asked = {"rules": {"game": "common_hand", "seats": 2, "start": "full"}, "choices": {"bots": "instant"}}
        opened = client.post("", json=asked).raise_for_status().json()
        client.post(f"/{opened['match']}/seats", json={"name": "Ada"}).raise_for_status()
        host = {"Authorization": f"Bearer {opened['token']}"}
        client.post(f"/{opened['match']}/bots", json={"count": 1}, headers=host).raise_for_status()
    return str(opened["match"])


async def test_a_ticket_names_the_deals_in_which_the_house_drew_for_a_player(open_page: Open, service_url: str) -> None:
    match = await asyncio.to_thread(table_whose_house_draws, service_url)
    page = await open_page()
    for path, place in (("/", "#tables[data-live]"), ("/tables/live", "main")):
        await page.goto(path)
        ticket = page.locator(f"{place} .ticket", has=page.locator(f'a[href="/m/{match}"]'))
        await expect(ticket).to_contain_text("the house drew seeds of players in 1 deal")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    await page.goto(f"/m/{match}/audit")
    said = "In 1 deal the server drew the seed of a seat that no bot of the house has: deal 0."
    await expect(page.locator("li.note")).to_contain_text([said])


async def test_its_host_and_nobody_else_closes_a_table_that_nobody_has_started(
    open_page: Open, service_url: str
) -> None:
    page = await open_page("/")
    await page.get_by_label("Your name").fill("Ada")
    match = await opened(page)
    await page.goto("/")
    ticket = page.locator("#tables .ticket", has=page.locator(f'a[href="/m/{match}"]'))
    close = ticket.get_by_role("button", name="Close it")
    await expect(close).to_be_visible()
    stranger = await open_page("/")
    await expect(stranger.locator("#tables[data-live]")).to_have_count(1)
    seen = stranger.locator(".ticket", has=stranger.locator(f'a[href="/m/{match}"]'))
    await expect(seen).to_be_visible()
    await expect(seen.get_by_role("button", name="Close it")).to_have_count(0)
    await close.click()
    await expect(ticket).to_have_count(0)

    assert view(service_url, match)["phase"] == "finished"
    seats = f"{service_url}/api/v1/matches/{match}/seats"
    refused = await page.request.post(seats, data={"name": "Bob"})
    assert (await refused.json())["code"] == "game_over"
    await proven(service_url, match)
    await page.goto(f"/m/{match}/audit")
    await expect(page.locator(".verdict.yes")).to_be_visible()

    await page.goto("/")
    await opened(page)
    await page.get_by_role("button", name="Close this table").click()
    await page.get_by_label("Reason").select_option("trouble")
    asked = page.get_by_role("group", name="Close this table")
    await asked.get_by_role("button", name="Close this table").click()
    await expect(page.locator(".story")).to_contain_text("You close this table, as something does not work.")


def crowd(service_url: str, count: int) -> None:
    """Open many tables."""
    for _ in range(count):
        httpx.post(f"{service_url}/api/v1/matches", json={"rules": {"game": "mexican"}}, timeout=60).raise_for_status()
        sleep(0.03)


async def test_the_lobby_lists_the_latest_tables_and_leads_to_the_others(open_page: Open, service_url: str) -> None:
    await asyncio.to_thread(crowd, service_url, LIMIT + 2)
    page = await open_page("/")
    await expect(page.locator("#tables[data-live]")).to_have_count(1)
    await expect(page.locator("section", has_text="Waiting for players").locator(".ticket")).to_have_count(LIMIT)

    await page.locator('a[href="/tables/open"]').click()
    await expect(page.get_by_role("heading", name="Waiting for players")).to_be_visible()
    await expect(page.locator(".ticket").nth(LIMIT + 1)).to_be_attached()
    await check_with_axe(page)


@pytest.mark.long
async def test_the_tables_of_a_browser_stand_on_top_and_lead_back_to_the_seat(open_page: Open) -> None:
    page = await open_page("/")
    await expect(page.locator("#yours")).to_be_hidden()
    await page.get_by_label("Seats", exact=True).fill("2")
    await page.locator("summary", has_text="who may sit down").click()
    await page.get_by_label("What the table is called").fill("Friday night")
    hosted = await opened(page)
    await page.goto("/")
    await page.get_by_label("Your name").fill("Ada")
    played = await opened(page, "Play it against bots at once")

    await page.goto("/")
    yours = page.locator("#yours .ticket")
    await expect(yours).to_have_count(2)
    await expect(yours.locator(f'.doors a[href="/m/{hosted}"]')).to_have_text("Host")
    await expect(yours.locator(f'h3 a[href="/m/{hosted}"]')).to_have_text("Friday night")
    await expect(yours.get_by_text("Waiting for the host to start")).to_be_visible()
    await expect(yours.locator(f'h3 a[href="/m/{played}"]')).to_have_text("Ada\u2019s table")
    await yours.get_by_role("link", name="Return to your seat").click()
    await page.wait_for_url(f"**/m/{played}")
    await expect(page.locator(".seat.you .name")).to_contain_text("Ada")
    for path in ("replay", "audit"):
        await page.goto(f"/m/{played}/{path}")
        await expect(page.get_by_role("link", name="Return to your seat")).to_be_visible()
        stranger = await open_page(f"/m/{played}/{path}")
        await expect(stranger.get_by_role("link", name="See it live")).to_be_visible()


async def test_a_private_table_with_a_name_is_for_those_who_have_its_invitation(open_page: Open) -> None:
    host = await open_page("/")
    await host.get_by_label("Your name").fill("Ada")
    await host.get_by_label("House bots").fill("0")
    await host.locator("summary", has_text="who may sit down").click()
    await host.get_by_label("What the table is called").fill("Friday night")
    await host.get_by_label("Private").check()
    await host.get_by_label("Spectators see it late").fill("30")
    match = await opened(host)
    await expect(host).to_have_title("Friday night \u00b7 Truecup")
    await expect(host.get_by_text("shown 30 s late")).to_have_count(0)
    invitation = await host.get_by_label("Invitation, for friends only").input_value()
    assert "#invite=" in invitation

    stranger = await open_page(f"/m/{match}")
    await expect(stranger.get_by_role("heading", name="A private table")).to_be_visible()
    await expect(stranger.get_by_role("button", name="Sit down")).to_have_count(0)
    await expect(stranger.get_by_text("shown 30 s late")).to_be_visible()
    await stranger.goto("/")
    await expect(stranger.locator("#tables[data-live]")).to_have_count(1)
    await expect(stranger.locator(f'a[href="/m/{match}"]')).to_have_count(0)

    friend = await open_page(invitation.partition("/m/")[1] + invitation.partition("/m/")[2])
    await expect(friend).to_have_url(invitation.partition("#")[0])
    await sit_down(friend, "Bob")
    await expect(host.locator(".seat")).to_have_count(2)


async def test_an_invitation_counts_where_the_table_is_shown_already(open_page: Open) -> None:
    host = await open_page("/")
    await host.get_by_label("House bots").fill("0")
    await host.locator("summary", has_text="who may sit down").click()
    await host.get_by_label("Private").check()
    match = await opened(host)
    invitation = await host.get_by_label("Invitation, for friends only").input_value()

    friend = await open_page(f"/m/{match}")
    await expect(friend.get_by_role("heading", name="A private table")).to_be_visible()
    await friend.evaluate("window.stays = true")
    await friend.goto(invitation)
    await sit_down(friend, "Bob")
    await expect(friend).to_have_url(invitation.partition("#")[0])
    assert await friend.evaluate("window.stays")


async def test_a_table_may_start_by_itself_seat_stand_ins_and_leave_its_host_no_powers(
    open_page: Open, service_url: str
) -> None:
    page = await open_page("/")
    for fold in ("who may sit down", "Dealing, clocks, and people who stop"):
        await page.locator("summary", has_text=fold).click()
    await page.get_by_label("Start by itself once every seat is taken").check()
    await page.get_by_label("The host may take people out").uncheck()
    await page.get_by_label("Who stops too often").select_option("is played for by a house bot")
    await page.get_by_label("House bots").fill("0")
    match = await opened(page)
    rules = cast("dict[str, Any]", view(service_url, match)["rules"])
    assert (rules["start"], rules["idle"]["then"], "host" in rules) == ("full", "stand_in", False)
    told = page.locator(".rules")
    for sentence in ("by itself, once every seat is taken", "a house bot plays on for it", "may do nothing else"):
        await expect(told).to_contain_text(sentence)
    await expect(page.get_by_role("button", name="Lock the table")).to_have_count(0)
    await page.goto("/")
    ticket = page.locator("#tables .ticket", has=page.locator(f'a[href="/m/{match}"]'))
    await expect(ticket).to_contain_text("starts when full")


async def test_nobody_is_offered_a_seat_at_a_table_that_its_host_has_locked(open_page: Open) -> None:
    host = await open_page("/")
    match = await opened(host)
    stranger = await open_page(f"/m/{match}")
    await expect(stranger.get_by_role("button", name="Sit down")).to_be_visible()
    await host.get_by_role("button", name="Lock the table").click()
    await expect(stranger.get_by_role("heading", name="A locked table")).to_be_visible()
    await expect(stranger.get_by_role("button", name="Sit down")).to_have_count(0)
    await stranger.goto("/")
    ticket = stranger.locator("#tables .ticket", has=stranger.locator(f'a[href="/m/{match}"]'))
    await expect(ticket).to_contain_text("locked")
    await expect(ticket.locator(".doors")).to_have_text("Watch")

    await host.get_by_role("button", name="Unlock the table").click()
    await stranger.goto(f"/m/{match}")
    await expect(stranger.get_by_role("button", name="Sit down")).to_be_visible()
