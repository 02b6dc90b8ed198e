"""A rematch as two people see it: they play, say yes, and sit at the next table."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

from tests.web.conftest import Open, posted, seated, sit_down

pytestmark = pytest.mark.asyncio(loop_scope="session")

RULES = {"game": "common_hand", "options": {}, "seats": 3, "pause_ms": 0}


KEPT = "(match) => JSON.parse(localStorage.getItem(`truecup.match.${match}`))"
"""What a browser keeps of its seat at a match."""


async def played(ada: Page, bob: Page) -> str:
    """Play a match of two and a bot to its end, and return it."""
    match = await seated(ada, RULES, bots=1)
    await bob.goto(f"/m/{match}")
    await sit_down(bob, "Bob")
    await ada.get_by_role("button", name="Start the match").click()
    await expect(bob.locator(".own-dice .die").first).to_be_visible()
    for page in (ada, bob):
        await page.get_by_role("button", name="Resign").click()
        await page.get_by_role("group", name="Resign?").get_by_role("button", name="Resign").click()
    await expect(ada.get_by_role("heading", name="Finished")).to_be_visible()
    return match


@pytest.mark.long
async def test_two_who_have_played_play_again_at_the_next_table(open_page: Open) -> None:
    ada, bob = await open_page(), await open_page()
    match = await played(ada, bob)

    await bob.get_by_role("button", name="Rematch").click()
    await expect(bob.get_by_text("Yes to a rematch: You, of 2.")).to_be_visible()
    await expect(ada.get_by_text("Yes to a rematch: \u2068Bob\u2069, of 2.")).to_be_visible()
    stranger = await open_page(f"/m/{match}")
    await expect(stranger.get_by_role("button", name="Play again")).to_be_visible()
    await expect(stranger.get_by_role("button", name="Rematch")).to_have_count(0)
    # Bob's other device, to which the link of the seat has led, comes along: the same seat, and the same seeds.
    tokens = await bob.evaluate(KEPT, match)
    link = "&".join(f"{name}={tokens[name]}" for name in ("seat", "token", "seeds"))
    tablet = await open_page(f"/m/{match}#{link}")
    await tablet.get_by_role("button", name="Rematch").click()
    await expect(tablet.get_by_text("Yes to a rematch: You, of 2.")).to_be_visible()
    await expect(tablet.get_by_role("button", name="Rematch")).to_have_count(0)
    await ada.get_by_role("button", name="Rematch").click()

    for page, name in ((ada, "Ada"), (bob, "Bob"), (tablet, "Bob")):
        await expect(page).not_to_have_url(f"/m/{match}")
        await expect(page.locator(".seat")).to_have_count(3)
        await expect(page.locator(".seat.you .name")).to_contain_text(name)
        await expect(page.locator(".own-dice .die").first).to_be_visible()
        await expect(page.get_by_text("Own seeds").or_(page.get_by_text("own seeds")).first).to_be_attached()
    assert ada.url == bob.url == tablet.url
    here, there = [await page.evaluate(KEPT, page.url.rpartition("/")[2]) for page in (bob, tablet)]
    assert [here[name] for name in ("seat", "token", "seeds")] == [there[name] for name in ("seat", "token", "seeds")]
    await expect(bob.get_by_text("You host this table")).to_be_visible()
    await expect(ada.get_by_text("You host this table")).to_have_count(0)

    await stranger.get_by_role("button", name="Play again").click()
    await stranger.wait_for_url(lambda url: match not in url)
    await expect(stranger.get_by_role("button", name="Start the match")).to_be_visible()


@pytest.mark.long
async def test_who_has_got_up_from_the_next_table_sits_down_there_as_others_do(
    open_page: Open, service_url: str
) -> None:
    opened = posted(service_url, "/matches", {"rules": {**RULES, "seats": 2}})
    match = opened["match"]
    ada = posted(service_url, f"/matches/{match}/seats", {"name": "Ada", "custody": "server"})
    bob = await open_page(f"/m/{match}")
    await sit_down(bob, "Bob")
    posted(service_url, f"/matches/{match}/start", {}, opened["token"])
    await expect(bob.locator(".own-dice .die").first).to_be_visible()
    posted(service_url, f"/matches/{match}/commands", {"type": "resign"}, ada["token"])
    await bob.get_by_role("button", name="Rematch").click()
    await bob.get_by_role("link", name="To the next table").click()
    await bob.get_by_role("button", name="Get up again").click()
    await expect(bob.get_by_role("button", name="Sit down")).to_be_visible()
    next_table = bob.url

    await bob.goto(f"/m/{match}")
    await bob.get_by_role("button", name="Rematch").click()
    await bob.wait_for_url(next_table)
    await sit_down(bob, "Bob")
    # What they are told once more takes the seat from nobody.
    await bob.goto(f"/m/{match}")
    await bob.get_by_role("button", name="Rematch").click()
    await bob.wait_for_url(next_table)
    await expect(bob.locator(".seat.you .name")).to_contain_text("Bob")
    await expect(bob.get_by_text("You host this table")).to_be_visible()
