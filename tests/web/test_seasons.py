"""Seasons and players on their pages: begun, held, ended, become, renewed and erased by whoever keeps the token."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import httpx
import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import Open
from tests.web.test_accessibility import check

pytestmark = pytest.mark.asyncio(loop_scope="session")
PHONE: dict[str, Any] = {"viewport": {"width": 320, "height": 640}}


async def read(service_url: str, path: str) -> dict[str, Any]:
    async with httpx.AsyncClient(base_url=service_url, timeout=60) as client:
        found: dict[str, Any] = (await client.get(f"/api/v1{path}")).json()
    return found


async def test_a_season_is_begun_a_tournament_announced_for_it_and_ended_once_that_is_over(
    open_page: Open, service_url: str
) -> None:
    page = await open_page("/tournaments", **PHONE)
    await page.get_by_role("link", name="Begin a season").click()
    await check(page)
    await page.get_by_label("Title").fill("Autumn league")
    await page.get_by_label("What places are worth").fill("10, 6; 7")
    await page.get_by_label("Go up in the end").fill("1")
    open_page.expected = "422"
    begin = page.get_by_role("button", name="Begin it")
    await begin.click()
    await expect(page.get_by_text("no place is worth more than a better", exact=False)).to_be_visible()
    await page.get_by_label("What places are worth").fill("10, 6, 7/2")
    await begin.click()
    await expect(page.get_by_role("heading", name="You hold this season")).to_be_visible()
    await check(page)
    season = page.url.rpartition("/")[2]
    view = await read(service_url, f"/seasons/{season}")
    assert (view["title"], view["rules"]["league"]["places"], view["rules"]["league"]["up"]) == (
        "Autumn league", ["10", "6", "7/2"], 1,
    )  # fmt: skip
    await page.get_by_role("link", name="Announce a tournament for it").click()
    await expect(page.get_by_text("It counts for a season")).to_be_visible()
    await check(page)
    await page.get_by_label("Title").fill("Night 1")
    await page.get_by_role("button", name="Announce it").click()
    await page.wait_for_url("**/t/*/host")
    rules = (await read(service_url, f"/tournaments/{page.url.split('/')[-2]}"))["rules"]
    assert (rules["season"], rules["rated"], rules["match"]["game"]) == (season, True, view["game"])


async def test_a_season_of_ratings_ends_when_its_host_says_so_on_another_device(
    open_page: Open, service_url: str
) -> None:
    page = await open_page("/seasons/new")
    await page.get_by_label("Title").fill("Ratings")
    await page.get_by_label("How a tournament counts").select_option("for ratings alone, without a league")
    await expect(page.get_by_label("What places are worth")).to_be_hidden()
    await page.get_by_role("button", name="Begin it").click()
    await page.get_by_text("On other devices").click()
    token = await page.locator("#kept").text_content()
    other = await open_page(page.url.removeprefix(service_url))
    await expect(other.get_by_role("heading", name="You hold this season")).to_be_hidden()
    await bring(other, "I hold this season", str(token))
    await other.get_by_text("End the season").first.click()
    end = other.get_by_role("button", name="End the season")
    await end.click()
    assert (await read(service_url, f"/seasons/{page.url.rpartition('/')[2]}"))["state"] == "open", "nobody was sure"
    await other.get_by_label("I know that it cannot be taken back.").check()
    await end.click()
    await expect(other.get_by_role("heading", name="Over")).to_be_visible()


async def bring(page: Page, summary: str, token: str) -> None:
    await page.get_by_text(summary).click()
    await page.get_by_label("Token").fill(token)
    await page.get_by_role("button", name="Keep it here").click()


async def test_a_player_becomes_one_has_another_token_and_a_name_that_is_erased(
    open_page: Open, service_url: str
) -> None:
    page = await open_page("/players/new", **PHONE)
    await check(page)
    name = f"Ada {uuid4().hex[:6]}"
    await page.get_by_label("Name").fill(name)
    await page.get_by_role("button", name="Become a player").click()
    await expect(page.get_by_role("heading", name="This is you")).to_be_visible()
    await check(page)
    first = await page.locator("#kept").text_content()
    await page.get_by_text("Another token").first.click()
    await page.get_by_role("button", name="Another token").click()
    await expect(page.locator("#kept")).not_to_have_text(str(first))
    second = await page.locator("#kept").text_content()
    stranger = await open_page(page.url.removeprefix(service_url))
    await bring(stranger, "This is me", str(first))
    await erase(stranger)
    open_page.expected = "401"
    await expect(stranger.get_by_role("alert").filter(has_text="token")).to_be_visible()
    await erase(page)
    await expect(page.get_by_text("The name was erased")).to_be_visible()
    assert name not in await page.content()
    assert (await read(service_url, f"/players/{page.url.rpartition('/')[2]}"))["name"] is None
    assert second == await page.locator("#kept").text_content()
    await page.goto(f"{service_url}/players/new")
    await page.get_by_role("link", name="The page of that player").click()
    await expect(page.get_by_role("heading", name="This is you")).to_be_visible()


async def erase(page: Page) -> None:
    await page.get_by_text("Erase my name").first.click()
    await page.get_by_label("I know that it cannot be taken back.").check()
    await page.get_by_role("button", name="Erase my name").click()


async def test_a_tournament_is_announced_for_no_season_that_this_browser_does_not_hold(open_page: Open) -> None:
    page = await open_page(f"/tournaments/new?season={uuid4()}")
    await expect(page.get_by_text("does not hold the season", exact=False)).to_be_visible()
    await expect(page.get_by_label("Its matches are rated")).to_be_hidden()
