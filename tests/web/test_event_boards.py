"""A duplicate evening on pages: seeds of one's own for a board, dice that are checked, and tables that wait."""

from __future__ import annotations

import json

import httpx
import pytest
from playwright.async_api import Page, expect

from domain.fairness import records
from domain.fairness.chain import follow
from domain.fairness.dealing import Dealing
from domain.fairness.dealing import Open as Deal
from services.client.seating import seed_from
from tests.director.test_boards import MATCH
from tests.director.test_over_http import TIME
from tests.web.conftest import Open, posted
from tests.web.test_accessibility import check
from tests.web.test_event_cards import seen

pytestmark = pytest.mark.asyncio(loop_scope="session")
STAGE = {"format": "duplicate", "rounds": 1, "size": 2}
RULES = {"match": {**MATCH, "pause_ms": 60_000}, "time": TIME, "entry": {"bots": "labelled"}, "stages": [STAGE]}
PHONE = {"viewport": {"width": 320, "height": 640}}


async def seated(open_page: Open, service_url: str) -> list[Page]:
    """Return the pages of two people at the two tables of a board, who have given their seeds and said to be there."""
    announced = posted(service_url, "/tournaments", {"rules": RULES, "title": "The same dice"})
    path, host = f"/tournaments/{announced['tournament']}", announced["token"]
    posted(service_url, f"{path}/commands", {"type": "open_entry"}, host)
    people = [posted(service_url, f"{path}/entrants", {"name": who, "custody": "client"}) for who in ("Ada", "Bob")]
    posted(service_url, f"{path}/bots", {"count": 2}, host)
    # Each sits with a bot, whatever the lots are: who is waited for is at the other table.
    posted(service_url, f"{path}/commands", {"type": "forbid", "numbers": [1, 2], "reason": "request"}, host)
    posted(service_url, f"{path}/commands", {"type": "open_check_in"}, host)
    pages = []
    for who in people:
        page = await open_page(f"/t/{announced['tournament']}/me#entrant={who['token']}", **PHONE)
        await page.get_by_role("button", name="I am here").click()
        pages.append(page)
    while seen(service_url, announced["tournament"])["counts"]["here"] < 4:
        await pages[0].wait_for_timeout(100)
    posted(service_url, f"{path}/commands", {"type": "proceed"}, host)
    for page in pages:
        await page.get_by_role("button", name="To my table").click()
        await page.wait_for_url("**/m/*")
    return pages


@pytest.mark.long
async def test_two_people_give_seeds_to_their_board_and_their_dice_are_checked(
    open_page: Open, service_url: str
) -> None:
    pages = await seated(open_page, service_url)
    for page, name in zip(pages, ("Ada", "Bob"), strict=True):
        await expect(page.locator(".seat.you .name")).to_be_visible()
        await expect(page.locator(".proof.yes")).to_be_visible()
        await expect(page.locator(".fairness")).to_contain_text(name)
        await expect(page.get_by_role("alert")).to_have_count(0)
        await check(page)
    await comes_again(pages[0])
    await check_seeds(pages, service_url)
    await waits(pages[0])
    await expect(pages[0].get_by_role("button", name="Resign")).to_have_count(0)
    await check(pages[0])
    audit = await open_page(f"/m/{pages[0].url.rpartition('/m/')[2].partition('#')[0]}/audit", **PHONE)
    await audit.get_by_role("button", name="Audit it in this browser").click()
    found = audit.locator("tc-audit .findings")
    await expect(found).to_contain_text("Its dice are those of a board, and the same there.")
    await expect(found).not_to_contain_text("the record of the board whose dice these are")
    assert await audit.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


async def comes_again(page: Page) -> None:
    """Load the table anew: lines that the other table keeps back for now are no history that was cut short."""
    own = "/lines"
    async with page.expect_response(
        lambda answer: answer.url.endswith(own) and "authorization" in answer.request.headers
    ):
        await page.reload()
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.get_by_role("alert")).to_have_count(0)


async def check_seeds(pages: list[Page], service_url: str) -> None:
    """Check that their seeds for the board are made from the keys of their seats, as on any device of theirs."""
    for page in pages:
        match = page.url.rpartition("/m/")[2].partition("#")[0]
        deal = dealt(service_url, match)
        kept = json.loads(await page.evaluate("(match) => localStorage.getItem(`truecup.match.${match}`)", match))
        key = bytes.fromhex(kept["seeds"])
        assert {seed_from(key, deal.ctx, deal.root, seat) for seat in deal.seeds} & set(deal.seeds.values())


def dealt(service_url: str, match: str) -> Deal:
    """Return the deal of the board whose dice a match has."""
    with httpx.Client(base_url=f"{service_url}/api/v1", timeout=60) as client:
        board = client.get(f"/matches/{match}").json()["rules"]["board"]["id"]
        record = client.get(f"/boards/{board}/record").content
    dealing, before = Dealing(), None
    for line in records.split(record).lines:
        before = follow(line, before)
        dealing.step(before)
    (deal,) = dealing.deals
    return deal


async def waits(page: Page) -> None:
    """Let somebody play until the round is over there, and waits for the other table, where nobody does."""
    told = page.get_by_text("until it is over at every table with the same dice").first
    for _ in range(300):
        if await told.is_visible():
            return
        for name in ("Liar!", "Bid "):
            button = page.get_by_role("button", name=name).first
            if await button.is_visible() and await button.is_enabled():
                await button.click()
                break
        await page.wait_for_timeout(200)
    await expect(told).to_be_visible()
