"""An audit whose match has just ended: the log's word on the last line comes a moment later, and the page finds it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pytest
from playwright.async_api import Route, expect

from tests.web.conftest import Open
from tests.web.test_pages import FAIR, ID, OneTable, client_of, view_of_one

pytestmark = pytest.mark.asyncio(loop_scope="session")
NOT_YET: Mapping[str, Any] = {**FAIR, "status": "INCOMPLETE", "record": "INCOMPLETE", "anchored": False, "deals": {}}


async def test_an_audit_that_is_not_complete_yet_is_looked_at_again_until_it_is(open_page: Open) -> None:
    site = OneTable(msgspec.structs.replace(await view_of_one(), phase="finished"))
    found, asked = [NOT_YET, None, NOT_YET, FAIR], []

    async def answer(route: Route) -> None:
        asked.append(route.request.url)
        report = found[min(len(asked), len(found)) - 1]
        if report is None:
            await route.abort()
            return
        site.found = report
        page = await client.get(f"/m/{ID}/audit")
        await route.fulfill(status=page.status_code, headers=dict(page.headers), body=page.content)

    open_page.expected = "ERR_FAILED"
    page = await open_page()
    await page.clock.install()
    async with client_of(site) as client:
        await page.route(f"**/m/{ID}/audit", answer)
        await page.goto(f"/m/{ID}/audit")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Not complete yet")
        await page.locator("tc-audit button").focus()
        for _ in range(3):
            await page.clock.run_for(2_000)
        await expect(page.get_by_role("heading", level=1)).to_have_text("Fair")
        await expect(page.locator(".hashes")).to_contain_text("0" * 64)
        # What stands there of this browser's own auditor is as it was.
        await expect(page.locator("tc-audit button")).to_be_focused()
        await page.clock.run_for(60_000)
    assert len(asked) == len(found)
