"""Comments in the browser: the host and a caster write about a moment of a replay, and everybody reads it there."""

from __future__ import annotations

import json
from typing import Any

import httpx
from playwright.async_api import Page, expect

from tests.web.conftest import Open

RULES = {"game": "common_hand", "options": {"dice_per_player": 1}, "pause_ms": 0}


def asked(url: str, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = httpx.request(method, f"{url}/api/v1{path}", json=body, headers=headers, timeout=60)
    assert answer.is_success, answer.text
    return answer.json()


async def keep(page: Page, key: str, value: object) -> None:
    """Let a browser keep what it would have been given."""
    await page.evaluate("([key, value]) => localStorage.setItem(key, value)", [f"truecup.{key}", json.dumps(value)])


async def say(page: Page, text: str) -> None:
    await page.locator(".comments summary").click()
    await page.get_by_label("What you say").fill(text)
    await page.get_by_role("button", name="Say it").click()


async def test_who_may_writes_about_a_moment_and_everybody_reads_it_there(open_page: Open, service_url: str) -> None:
    opened = asked(service_url, "POST", "/matches", {"rules": RULES})
    match, host = opened["match"], opened["token"]
    caster = asked(service_url, "POST", "/players", {"name": "Cora"})
    asked(service_url, "POST", f"/matches/{match}/seats", {"name": "Ada"})
    asked(service_url, "PUT", f"/matches/{match}/comments/writers", {"casters": [caster["player"]]}, host)

    open_page.expected = "422"
    page = await open_page(f"/m/{match}/replay")
    await expect(page.locator(".comments")).to_contain_text("Nobody has said anything yet.")
    await expect(page.get_by_text("Say something about this match")).to_be_hidden()
    await keep(page, "player", caster)
    await page.reload()
    await say(page, "a quiet\nlobby \u2066")
    await expect(page.locator(".comments [role=alert]")).to_contain_text("cannot be taken")
    await page.get_by_label("What you say").fill("a quiet\nlobby")
    await page.get_by_role("button", name="Say it").click()
    item = page.locator(".comments li")
    await expect(item.locator(".words")).to_have_text("a quiet\nlobby", use_inner_text=True)
    await expect(item.locator("bdi")).to_have_text("Cora")

    reader = await open_page(f"/m/{match}/replay#v=1", viewport={"width": 320, "height": 640})
    await expect(reader.locator(".comments li .words")).to_have_count(1)
    await expect(reader.locator(".withdraw")).to_have_count(0)
    assert await reader.evaluate("document.documentElement.scrollWidth <= innerWidth")

    hosting = await open_page(f"/m/{match}/replay")
    await keep(hosting, f"match.{match}", {"host": host})
    await hosting.reload()
    await hosting.locator(".withdraw select").select_option("off_topic")
    await hosting.get_by_role("button", name="Withdraw").click()
    await expect(hosting.locator(".comments li")).to_contain_text("Withdrawn by the host")
    await expect(hosting.locator(".comments")).not_to_contain_text("quiet")
