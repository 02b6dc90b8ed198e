"""A table that starts at a time, in the lobby and at its page: when it does, and what whoever has a seat is told."""

from __future__ import annotations

import json
import time
import urllib.request

from playwright.async_api import expect

from tests.web.conftest import Open

WEEK_MS = 7 * 86_400_000


def opened(url: str) -> tuple[str, str]:
    """Return a table that starts in a week, less a minute, and the token of its first seat."""
    row = {"rules": {"game": "common_hand", "seats": 3}, "names": ["Ada", "Ben"], "name": "Final table"}
    body = json.dumps({**row, "starts_at": int(time.time() * 1000) + WEEK_MS - 60_000}).encode()
    request = urllib.request.Request(f"{url}/api/v1/matches/bulk", body, {"Content-Type": "application/x-ndjson"})
    with urllib.request.urlopen(request) as answer:
        (table,) = json.load(answer)["tables"]
    return table["match"], table["seats"][0]["token"]


async def test_when_a_table_starts_is_said_wherever_it_is_shown(open_page: Open, service_url: str) -> None:
    match, token = opened(service_url)
    page = await open_page("/")
    ticket = page.locator("#tables .ticket", has=page.locator(f'a[href="/m/{match}"]'))
    await expect(ticket).to_contain_text("2 of 3 seats · starts ")
    await expect(page.locator(".ways", has_text="Final table waits")).to_have_count(0)
    kept = json.dumps({"token": token})
    await page.evaluate("([match, kept]) => localStorage.setItem(`truecup.match.${match}`, kept)", [match, kept])
    await page.goto(f"/m/{match}")
    await expect(page.get_by_text("with whoever has a seat").first).to_be_visible()
    await expect(page.locator("tc-own")).to_contain_text("The match starts at its time.")
    await expect(page.locator(".rules")).to_contain_text("or sooner by its host")
    for width in (1366, 390, 320):
        await page.set_viewport_size({"width": width, "height": 800})
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
