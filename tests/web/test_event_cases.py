"""Pairs that a screening has found, on the console: closed at first, then all of it, with a way to every hand."""

from __future__ import annotations

import msgspec
import pytest
from playwright.async_api import Route, expect

from domain.statistics.screening.screening import CaseFile, Measured, SeenDecision
from services.api.tournaments.screened import CaseListed, CaseSeen, CasesListed
from tests.web.test_accessibility import check
from tests.web.test_event_console import PHONE, Event, event

__all__ = ["event"]

pytestmark = pytest.mark.asyncio(loop_scope="session")
CASE, MATCH = "k" + "a" * 24, "0badcafe-0000-8000-8000-000000000001"
SPARED = Measured("-21/2", "0", "1/10000", 9_999, stands_out=True)
BETTER = Measured("1/12", "0", "20/51", 51, stands_out=False)
HANDS = tuple(SeenDecision(1, 2, 1, MATCH, 40 + line, 1, 3, challenged=line > 1) for line in range(3))
FILE = CaseFile((1, 2), 1, 12, 12, SPARED, BETTER, HANDS, same_club=True, few=False, apart="2/3")


class Found:
    """What the house has found, which is a case that nobody has opened yet."""

    def __init__(self) -> None:
        self.opened = False
        self.asked: list[str] = []

    async def answer(self, route: Route) -> None:
        path = route.request.url.rpartition("/")[2]
        if path == "commands":
            self.asked.append(route.request.post_data or "")
            self.opened = True
            await route.fulfill(json={})
        elif path == "cases":
            listed = CaseListed(CASE, 1, 12, self.opened)
            told = CasesListed(1, 12, 12, 24, judged=True, cases=(listed,))
            await route.fulfill(body=msgspec.json.encode(told), content_type="application/json")
        else:
            seen = CaseSeen(CASE, self.opened, FILE if self.opened else None)
            await route.fulfill(body=msgspec.json.encode(seen), content_type="application/json")


async def test_an_official_looks_into_a_pair_that_stands_out(event: Event) -> None:
    desk = await event.seated("Ann Ben Cat Dan")
    token = await desk.page.evaluate("() => document.querySelector('#console-link').value.split('#official=')[1]")
    found = Found()
    phone = await event.open_page(f"/t/{event.path.rpartition('/')[2]}", **PHONE)
    for pattern in ("**/cases", "**/cases/*", "**/commands"):
        await phone.route(pattern, found.answer)
    await phone.goto(f"{phone.url}/host#official={token}")
    cases = phone.locator("#cases")
    await expect(cases).to_contain_text("Something stood out after round 12")
    await expect(cases).not_to_contain_text("Ann")
    await cases.get_by_role("button", name="Look into it").click()
    await expect(cases).to_contain_text("challenged 10.5 claims of")
    await expect(cases).to_contain_text("once in 10,000 times")
    await expect(cases).to_contain_text("of one club")
    await expect(cases).not_to_contain_text("points more")
    assert ['"open_case"' in asked and CASE in asked for asked in found.asked] == [True]
    await cases.locator("summary").click()
    hands = cases.get_by_role("listitem").filter(has_text="Round 2, table 1")
    await expect(hands).to_have_count(3)
    await expect(hands.first.get_by_role("link")).to_have_attribute("href", f"/m/{MATCH}/replay#v=41")
    await expect(hands.first).to_contain_text("let it stand, at a chance of 20 to 40 %")
    await check(phone)
    assert await phone.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
