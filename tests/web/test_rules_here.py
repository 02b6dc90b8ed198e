"""The rules replayed in the browser, on the page that audits a file."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.async_api import expect

from tests.domain.test_lies_of_every_game import TOLD, course_of
from tests.domain.truths import Record
from tests.fairness.bundling import bundled
from tests.fairness.forging import POLICY_TEXT
from tests.web.conftest import Open
from tests.web.test_audit_here import choose

pytestmark = pytest.mark.asyncio(loop_scope="session")


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
            await choose(page, file, policy)
            await expect(page.locator(".verdict.no" if told else ".verdict.yes")).to_contain_text(told)
            if not told:
                await expect(page.locator(".findings")).to_contain_text("played again under its rules")
