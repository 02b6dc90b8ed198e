"""Asked for again after answers that were lost, whatever is to be there once is there once, and nothing goes away."""

from __future__ import annotations

from http import HTTPStatus

import pytest
from playwright.async_api import Route, expect

from tests.web.conftest import Open, posted, seated
from tests.web.races.routes import Unanswered, runs_ahead, with_own_time
from tests.web.test_comments import asked, keep, say
from tests.web.test_event_console import RULES, Event

pytestmark = pytest.mark.asyncio(loop_scope="session")
TRIES = 4
"""So often a page asks by itself."""


async def test_what_is_said_again_after_its_answer_was_lost_is_said_once(open_page: Open, service_url: str) -> None:
    opened = posted(service_url, "/matches", {"rules": {"game": "common_hand", "seats": 4}})
    open_page.expected = "ERR_FAILED"
    page = await open_page(f"/m/{opened['match']}/replay")
    await keep(page, f"match.{opened['match']}", {"host": opened["token"]})
    lost = Unanswered("POST", TRIES)
    await page.route("**/comments", lost)
    await page.reload()
    await say(page, "well played")
    await expect(page.locator(".comments [role=alert]")).to_be_visible()
    assert lost.left == 0
    await page.get_by_role("button", name="Say it").click()
    await expect(page.locator(".comments li .words")).to_have_text(["well played"])


async def test_who_is_told_to_wait_before_an_answer_that_was_lost_is_known_says_it_once(
    open_page: Open, service_url: str
) -> None:
    opened = posted(service_url, "/matches", {"rules": {"game": "common_hand", "seats": 4}})
    open_page.expected = "Failed to load resource"
    page = await open_page(f"/m/{opened['match']}/replay")
    await keep(page, f"match.{opened['match']}", {"host": opened["token"]})
    told: list[str] = []

    async def too_many(route: Route) -> None:
        if route.request.method != "POST" or told:
            await route.fallback()
            return
        told.append(route.request.url)
        body = {"code": "too_many_requests", "title": "wait", "params": {}}
        await route.fulfill(status=429, content_type="application/problem+json", json=body)

    lost = Unanswered("POST", TRIES)
    await page.route("**/comments", too_many)
    await page.route("**/comments", lost)
    await page.reload()
    await say(page, "well played")
    await expect(page.locator(".comments [role=alert]")).to_be_visible()
    assert lost.left == 0
    async with page.expect_response("**/comments") as refused:
        await page.get_by_role("button", name="Say it").click()
    assert (await refused.value).status == HTTPStatus.TOO_MANY_REQUESTS
    await page.get_by_role("button", name="Say it").click()
    await expect(page.locator(".comments form [role=alert]")).to_be_hidden()
    await expect(page.locator(".comments li .words")).to_have_text(["well played"])


async def test_who_enters_again_after_the_answer_was_lost_enters_once(duels: Event) -> None:
    await duels.announce(rules={**RULES, "entry": {}}, title="Duels at the club")
    await duels.ask("open_entry")
    duels.open_page.expected = "ERR_FAILED"
    page = await duels.open_page(f"/t/{duels.path.rpartition('/')[2]}/me")
    lost = Unanswered("POST", TRIES)
    await page.route("**/entrants", lost)
    await page.get_by_label("Your name").fill("Ann")
    await page.get_by_role("button", name="Enter").click()
    await expect(page.locator("#card .error").first).to_be_visible()
    assert lost.left == 0
    await page.get_by_role("button", name="Enter").click()
    await expect(page.locator("#card .lead")).to_contain_text("Ann")
    await page.goto(f"/t/{duels.path.rpartition('/')[2]}")
    await expect(page.locator(".entrants li")).to_have_count(1)


async def test_a_writer_who_is_not_known_at_once_may_write_as_soon_as_that_is(
    open_page: Open, service_url: str
) -> None:
    opened = asked(service_url, "POST", "/matches", {"rules": {"game": "common_hand", "seats": 4}})
    open_page.expected = "ERR_FAILED"
    page = await open_page(f"/m/{opened['match']}/replay")
    await keep(page, f"match.{opened['match']}", {"host": opened["token"]})
    lost: list[str] = []

    async def once(route: Route) -> None:
        lost.append(route.request.url)
        await (route.abort() if len(lost) == 1 else route.fallback())

    await page.route("**/comments?*", once)
    await with_own_time(page)
    await runs_ahead(page, lambda: len(lost) > 1)
    await expect(page.locator(".comments summary")).to_be_visible()


async def test_a_way_back_to_a_table_stays_while_the_line_is_gone(open_page: Open) -> None:
    open_page.expected = "ERR_"
    page = await open_page()
    await seated(page, {"game": "common_hand", "seats": 4}, signs=False)
    await page.goto("/")
    await with_own_time(page)
    ticket = page.locator("#yours .ticket")
    await expect(ticket).to_have_count(1)
    lost: list[str] = []

    async def gone(route: Route) -> None:
        lost.append(route.request.url)
        await route.abort()

    await page.route("**/api/v1/matches/*", gone)
    await runs_ahead(page, lambda: lost)
    await page.clock.run_for(1_000)
    await expect(ticket).to_have_count(1)
