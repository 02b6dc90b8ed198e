"""The rules replayed in the browser, on the page that audits a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from tests.domain.test_lies_of_every_game import TOLD, course_of
from tests.domain.truth_oracle import Record
from tests.fairness.record_files import access_beside, bundled
from tests.fairness.scripted_server import POLICY_TEXT
from tests.web.conftest import Open
from tests.web.test_audit_here import GOOD, choose

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.mark.long
async def test_a_browser_finds_the_wrong_winner_of_every_game(open_page: Open, tmp_path: Path) -> None:
    policy = tmp_path / "policy.txt"
    policy.write_text(POLICY_TEXT)
    page = await open_page("/audit")
    for number in {told.game: number for number, told in enumerate(TOLD)}.values():
        fair = course_of(number).record
        lie: Record = [*fair[:-1], {**fair[-1], "data": {"winner": 2 if fair[-1]["data"]["winner"] != 2 else 1}}]
        for record, told in ((fair, ""), (lie, "At fault: E_RULES")):
            file = tmp_path / f"{number}-{bool(told)}.cup"
            file.write_bytes(bundled(record))
            file.with_suffix(".access").write_bytes(access_beside(bundled(fair)))
            await choose(page, file, policy, file.with_suffix(".access"))
            await expect(page.locator(".verdict.no" if told else ".verdict.yes")).to_contain_text(told)
            if not told:
                await expect(page.locator(".findings")).to_contain_text("played again under its rules")


async def test_a_page_without_its_referee_says_so_and_audits_nothing(open_page: Open) -> None:
    page = await broken(open_page, "")
    await expect(page.locator("tc-audit .error")).to_have_text(
        "The auditor of this page did not load, so nothing is audited here."
    )
    await expect(page.get_by_label("The record")).to_have_count(0)


async def test_a_referee_that_fails_finds_nothing(open_page: Open) -> None:
    page = await broken(open_page, "export function replay() { throw new TypeError('broken'); }")
    await choose(page, GOOD)
    await expect(page.get_by_role("alert")).to_have_text("The auditor itself failed, so nothing was found out.")
    await expect(page.locator(".verdict")).to_have_count(0)


async def broken(open_page: Open, referee: str) -> Page:
    """Open the page that audits, with this in place of the module that replays the rules."""
    page = await open_page("/audit")
    open_page.expected = "replay.js"
    await page.route(
        "**/rules/audit/replay.js", lambda route: route.fulfill(body=referee, content_type="text/javascript")
    )
    await page.reload()
    return page
