"""The card of an entrant on a ladder: challenged on one phone, answered on another, and led to the table."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from tests.director.house import DICE
from tests.director.test_over_http import TIME
from tests.web.conftest import Open, posted
from tests.web.test_accessibility import check
from tests.web.test_event_cards import entered

pytestmark = pytest.mark.asyncio(loop_scope="session")
LADDER = {"format": "ladder", "answer_ms": 600_000, "duration_ms": 3_600_000}
RULES = {"match": {**DICE, "pause_ms": 60_000}, "time": TIME, "stages": [LADDER]}


@pytest.mark.long
async def test_somebody_challenges_from_below_and_both_are_led_to_their_table(
    open_page: Open, service_url: str
) -> None:
    announced = posted(service_url, "/tournaments", {"rules": RULES})
    tournament, host = announced["tournament"], announced["token"]
    commands = f"/tournaments/{tournament}/commands"
    posted(service_url, commands, {"type": "open_entry"}, host)
    pages = [await entered(open_page, tournament, name) for name in ("Ada", "Bob")]
    posted(service_url, commands, {"type": "open_check_in"}, host)
    for page in pages:
        await page.get_by_role("button", name="I am here").click()
        await expect(page.get_by_text("you are here; the draw comes next")).to_be_visible()
    posted(service_url, commands, {"type": "proceed"}, host)
    for page in pages:
        await expect(page.get_by_role("heading", name="Ladder")).to_be_visible(timeout=20_000)
    below, above = pages if await pages[0].get_by_text("You stand at place 2.").is_visible() else pages[::-1]
    await check(below)
    await below.get_by_role("button", name="Challenge").click()
    await expect(below.get_by_text("You have challenged")).to_be_visible()
    await expect(above.get_by_text("challenges you")).to_be_visible()
    await check(above)
    await above.get_by_role("button", name="Play", exact=True).click()
    for page in pages:
        await expect(page.get_by_role("heading", name="Table 1, seat")).to_be_visible(timeout=20_000)
    await check(pages[0])
