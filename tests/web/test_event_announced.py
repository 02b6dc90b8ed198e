"""The form that announces a tournament: what is wrong is said at its field, and whoever sends it is the host."""

from __future__ import annotations

import httpx
import pytest
from playwright.async_api import Page, expect

from domain.tournaments.presets import PRESETS
from services.words.catalogue import LANGUAGES, message, speaking
from tests.web.conftest import Open
from tests.web.test_accessibility import check
from tests.web.test_signed_seats import NO_MEMORY

pytestmark = pytest.mark.asyncio(loop_scope="session")
PHONE = {"viewport": {"width": 320, "height": 640}}


@pytest.mark.parametrize("language", LANGUAGES)
async def test_every_preset_says_what_it_is_and_for_how_many(language: str) -> None:
    with speaking(language):
        assert all({*message(f"tournaments.presets.{name}")} == {"title", "many", "about"} for name in PRESETS)


async def fill_in(page: Page) -> None:
    """Fill the form in, with more entrants at least than at most."""
    await page.get_by_label("Title").fill("Friday duels")
    await page.get_by_role("radio", name="Duel Swiss").check()
    await page.get_by_text("Who may enter").click()
    await page.get_by_label("Entrants, at most").fill("4")
    await page.get_by_label("Entrants, at least").fill("6")
    await page.get_by_label("Bots", exact=True).select_option("people, and bots that say so")
    await page.get_by_text("Rounds and times").click()
    await page.get_by_label("Rounds", exact=True).fill("2")
    await page.get_by_label("Matches at a table, at most").fill("3")
    await page.get_by_label("The next round begins").select_option("at set times")
    await page.get_by_label("Begin of each round").first.fill("2031-05-01T19:00")
    await page.get_by_role("button", name="one round more").click()
    await page.get_by_label("Begin of each round").last.fill("2031-05-01T20:00")
    await page.get_by_text("Points and prizes").click()
    await page.get_by_label("Prizes, from the first").fill("50, 30")
    await page.get_by_label("Of what").fill("EUR")


async def test_a_host_announces_a_tournament_and_is_told_at_the_field_what_is_wrong(
    open_page: Open, service_url: str
) -> None:
    page = await open_page("/tournaments", **PHONE)
    await page.get_by_role("link", name="Hold a tournament").click()
    await check(page)
    await fill_in(page)
    open_page.expected = "422"
    announce = page.get_by_role("button", name="Announce it")
    await announce.click()
    wrong = page.get_by_label("Entrants, at most")
    await expect(wrong).to_be_focused()
    await expect(wrong).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("this is fewer than there have to be", exact=False)).to_be_visible()
    await check(page)
    await wrong.fill("8")
    await announce.click()
    await page.wait_for_url("**/t/*/host")
    tournament = page.url.split("/")[-2]
    async with httpx.AsyncClient(base_url=service_url, timeout=60) as client:
        view = (await client.get(f"/api/v1/tournaments/{tournament}")).json()
    rules = view["rules"]
    assert (view["title"], rules["entry"]["max"], rules["entry"]["bots"]) == ("Friday duels", 8, "labelled")
    stage = rules["stages"][0]
    assert (stage["rounds"], stage["sizes"]["preferred"], stage["best_of"]) == (2, 2, 3)
    assert (len(rules["time"]["times"]), rules["prizes"]) == (2, {"unit": "EUR", "amounts": [50, 30]})
    assert rules["match"]["options"]["dice_per_player"] == 3
    await expect(page.get_by_role("button", name="Open the entry")).to_be_visible()
    await expect(page.locator("#unkept")).to_be_hidden()


async def test_who_has_a_browser_that_keeps_nothing_is_the_host_all_the_same(open_page: Open) -> None:
    page = await open_page()
    await page.context.add_init_script(NO_MEMORY)
    await page.goto("/tournaments/new")
    await page.get_by_label("Title").fill("Spring Cup")
    await page.get_by_role("button", name="Announce it").click()

    await page.get_by_role("button", name="Open the entry").click()
    await expect(page.get_by_role("heading", name="Entry is open")).to_be_visible()
    assert "official" not in page.url


async def test_a_console_in_a_browser_that_keeps_nothing_says_so_while_its_link_can_be_taken(open_page: Open) -> None:
    page = await open_page("/", **PHONE)
    await page.context.add_init_script(NO_MEMORY)
    await page.goto("/tournaments/new")
    await page.get_by_label("Title").fill("Summer Cup")
    await page.get_by_role("button", name="Announce it").click()
    told = page.get_by_role("alert").filter(has_text="cannot keep your powers")
    await expect(told).to_be_visible()
    await check(page)
    link = await page.locator("#unkept-link").input_value()
    await page.reload()
    await expect(page.get_by_role("button", name="Keep it in this browser")).to_be_visible()
    await expect(told).to_be_hidden()
    await page.goto(link)
    await expect(page.get_by_role("button", name="Open the entry")).to_be_visible()
    await expect(told).to_be_visible()
