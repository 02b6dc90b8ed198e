"""Answers that come late: none of them takes the place of what is newer."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from domain.tournaments import commands
from tests.api.conftest import Service
from tests.director.house import DICE
from tests.tournaments.events_by_hand import HOST, TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.web.conftest import PATIENCE_MS, Open, begun, posted
from tests.web.races.routes import A_MOMENT_MS, comes_to_rest, held, runs_ahead, with_own_time
from tests.web.test_audit_here import fair
from tests.web.test_event_console import Event
from tests.web.test_event_moving import event, house, rows_of, rows_on

pytestmark = pytest.mark.asyncio(loop_scope="session")
__all__ = ["event", "fair", "house"]
EYES_OF_ONE = "() => document.querySelector('tc-replay').eyes === '1'"
HINT = {"round": 1, "by": "chance", "policy": "-", "deals": 0, "options": [], "worth": {"kind": "seats"}}
HINTED = """async () => {
  const table = document.querySelector('tc-table');
  const folder = document.querySelector('script').src.replace(/pages.[^/]*$/, '');
  await import(`${folder}analysis/hint.js`);
  const { view } = table;
  const seats = view.seats.map((one) => ({ ...one, bot: one.seat !== view.viewer }));
  table.setAttribute('hints', '');
  table.tokens = { ...table.tokens, token: 'nobody' };
  table.view = { ...view, seats };
  await table.updateComplete;
  return view.version;
}"""
"""The table of somebody who practises among bots, with hints; returns the version of the decision."""
MOVES_ON = """async () => {
  const table = document.querySelector('tc-table');
  table.view = { ...table.view, version: table.view.version + 3 };
  await table.updateComplete;
}"""
LIST = "**/api/v1/matches?limit=*"
LIVE = "**/api/v1/matches?state=live"
ENDS = """() => {
  const stage = document.querySelector('tc-stage');
  stage.following.stop();
  stage.following.ears.onEnded();
  stage.match = 'one that is in no list any more';
  return stage.match;
}"""
"""A television that has just shown the last of a match; returns which."""
SLOW_POLICY = """() => {
  const real = File.prototype.arrayBuffer;
  File.prototype.arrayBuffer = async function () {
    if (this.name === 'policy.txt') await new Promise((resolve) => { globalThis.read = resolve; });
    return real.call(this);
  };
}"""
"""A file that takes its time: until `read` is called."""


async def tables(open_page: Open) -> Page:
    """Open the front page in a time of its own, and wait for its lists."""
    page = await open_page("/")
    await with_own_time(page)
    await expect(page.locator("#tables")).to_have_attribute("data-live", "yes")
    return page


async def tell_of(page: Page, table: Locator) -> None:
    """Have the lists read again until a table stands there, which may be a moment after it was opened."""
    async with asyncio.timeout(PATIENCE_MS / 1_000):
        while await table.count() == 0:
            async with page.expect_response(LIST) as told:
                await page.clock.run_for(4_000)
            await (await told.value).finished()
            await comes_to_rest(page)


async def test_the_eyes_that_were_chosen_last_are_looked_through(open_page: Open, over: str) -> None:
    page = await open_page(f"/m/{over}/replay")
    choice = page.locator(".eyes select")
    await expect(choice).to_have_value("all")
    path = "**/replay?eyes=spectator"
    async with held(page, path) as frames:
        await choice.select_option("spectator")
        await frames.there()
        await choice.select_option("1")
        await page.wait_for_function(EYES_OF_ONE, timeout=PATIENCE_MS)
        async with page.expect_response(path) as told:
            frames.let_go()
    await (await told.value).finished()
    await comes_to_rest(page)
    assert await page.evaluate("document.querySelector('tc-replay').eyes") == "1"
    await expect(choice).to_have_value("1")


async def test_a_list_of_tables_that_is_older_does_not_follow_a_newer_one(open_page: Open, service_url: str) -> None:
    page = await tables(open_page)
    async with held(page, LIST, answered=True) as older:
        await runs_ahead(page, lambda: older.is_there)
        opened = posted(service_url, "/matches", {"rules": {"game": "common_hand"}, "name": "One after the list"})
        new = page.locator(f"#tables .ticket h3 a[href='/m/{opened['match']}']")
        await tell_of(page, new)
        # Nothing newer hides what the older list does.
        await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
        async with page.expect_response(LIST) as told:
            older.let_go()
    await (await told.value).finished()
    await page.wait_for_timeout(A_MOMENT_MS)
    assert await new.count() == 1


async def test_a_hint_for_the_decision_before_is_none_for_this_one(answering: Page) -> None:
    go = asyncio.Event()
    asked = asyncio.Event()

    async def later(route: Route) -> None:
        asked.set()
        await go.wait()
        await route.fulfill(json=HINT | {"version": version})

    version = await answering.evaluate(HINTED)
    await answering.route("**/hint", later)
    await answering.locator("[data-ask-hint]").click()
    async with asyncio.timeout(PATIENCE_MS / 1_000):
        await asked.wait()
    await answering.evaluate(MOVES_ON)
    async with answering.expect_response("**/hint"):
        go.set()
    await comes_to_rest(answering)
    await expect(answering.locator("dialog.hinted")).to_be_hidden()
    assert await answering.evaluate("document.querySelector('tc-hint').told") is None


class Choices:
    """Answers to a television about what is played: each names one table, and the first comes when a test says so."""

    def __init__(self, *matches: str) -> None:
        self._matches = list(matches)
        self._goes = asyncio.Event()
        self.asked = 0

    async def __call__(self, route: Route) -> None:
        at = min(self.asked, len(self._matches) - 1)
        self.asked += 1
        rows = await (await route.fetch()).json()
        if at == 0:
            await self._goes.wait()
        await route.fulfill(json=[row for row in rows if row["match"] == self._matches[at]])

    def let_go(self) -> None:
        self._goes.set()


async def test_a_television_stays_at_what_it_has_chosen_last(open_page: Open, service_url: str) -> None:
    before, after = begun(service_url), begun(service_url)
    page = await open_page("/tv")
    await with_own_time(page)
    choices = Choices(before, after)
    await page.route(LIVE, choices)
    await runs_ahead(page, lambda: choices.asked > 1)
    shown = "document.querySelector('tc-stage').match"
    await page.wait_for_function(f"(match) => {shown} === match", arg=after, timeout=PATIENCE_MS)
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    async with page.expect_response(LIVE) as told:
        choices.let_go()
    await (await told.value).finished()
    await page.wait_for_timeout(A_MOMENT_MS)
    assert await page.evaluate(shown) == after


async def test_what_has_ended_stays_on_a_television_though_it_had_looked_for_tables(
    open_page: Open, service_url: str
) -> None:
    other = begun(service_url)
    page = await open_page("/tv")
    await with_own_time(page)
    choices = Choices(other)
    await page.route(LIVE, choices)
    await runs_ahead(page, lambda: choices.asked)
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    shown = await page.evaluate(ENDS)
    async with page.expect_response(LIVE) as told:
        choices.let_go()
    await (await told.value).finished()
    await page.wait_for_timeout(A_MOMENT_MS)
    assert await page.evaluate("document.querySelector('tc-stage').match") == shown


async def test_the_focus_stays_at_the_table_it_was_at(open_page: Open, service_url: str) -> None:
    rules = {"game": "common_hand"}
    wanted = posted(service_url, "/matches", {"rules": rules, "name": "The one that is wanted"})["match"]
    page = await tables(open_page)
    link = page.locator(f"#tables .ticket h3 a[href='/m/{wanted}']")
    await link.focus()
    other = posted(service_url, "/matches", {"rules": rules, "name": "Another"})["match"]
    await tell_of(page, page.locator(f"#tables .ticket h3 a[href='/m/{other}']"))
    await expect(link).to_be_focused()


async def test_a_console_that_was_read_before_an_act_does_not_follow_the_one_after(duels: Event) -> None:
    desk = await duels.seated("Ann Ben", match={**DICE, "pause_ms": 0})
    await with_own_time(desk.page)
    await expect(desk.button("penalise")).to_be_enabled()
    async with held(desk.page, "**/t/*/host", answered=True) as older:
        await runs_ahead(desk.page, lambda: older.is_there)
        await desk.do("penalise", number="1", kind="points", points="1/2", reason="conduct")
        await expect(desk.button("lift")).to_have_count(1)
        async with desk.page.expect_response("**/t/*/host") as told:
            older.let_go()
    await (await told.value).finished()
    await comes_to_rest(desk.page)
    assert await desk.button("lift").count() == 1


async def test_a_card_that_was_read_before_does_not_follow_what_was_read_after(duels: Event) -> None:
    await duels.seated("Ann Ben", match={**DICE, "pause_ms": 60_000})
    page = await duels.open_page(f"/t/{duels.path.rpartition('/')[2]}/me")
    await with_own_time(page)
    paused = page.locator("#next strong").filter(has_text="paused")
    async with held(page, "**/t/*/me", answered=True) as older:
        await runs_ahead(page, lambda: older.is_there)
        await duels.ask("pause")
        await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        await expect(paused).to_have_count(1)
        async with page.expect_response("**/t/*/me") as told:
            older.let_go()
    await (await told.value).finished()
    await page.wait_for_timeout(A_MOMENT_MS)
    assert await paused.count() == 1


async def test_a_form_of_the_console_that_was_opened_since_stays_open(duels: Event) -> None:
    desk = await duels.seated("Ann Ben", match={**DICE, "pause_ms": 60_000})
    dialog = desk.page.get_by_role("dialog")
    async with held(desk.page, "**/commands") as act:
        await desk.press("penalise")
        for name, value in {"number": "1", "kind": "warning", "reason": "late"}.items():
            await dialog.locator(f'[name="{name}"]').select_option(value)
        await dialog.locator("#act-do").click()
        await act.there()
        await desk.page.keyboard.press("Escape")
        await expect(dialog).to_be_hidden()
        await desk.press("withdraw")
        title = await dialog.locator("#act-title").inner_text()
        await expect(dialog.locator("#act-do")).to_be_enabled()
        # What was asked for is done, the console is read again, and what waits for officials is, and that was all.
        async with desk.page.expect_response("**/troubles"):
            act.let_go()
            await expect(desk.button("lift")).to_have_count(1)
    await comes_to_rest(desk.page)
    assert await dialog.locator("#act-title").all_inner_texts() == [title]


async def test_a_policy_that_is_still_being_read_counts(open_page: Open, fair: Path) -> None:
    page = await open_page("/audit")
    await page.evaluate(SLOW_POLICY)
    await page.get_by_label("The record").set_input_files(fair)
    await page.get_by_label("Who saw what").set_input_files(fair.with_suffix(".access"))
    await page.get_by_label("The log\N{RIGHT SINGLE QUOTATION MARK}s policy").set_input_files(
        fair.parent / "policy.txt"
    )
    await page.wait_for_function("() => globalThis.read !== undefined", timeout=PATIENCE_MS)
    await page.get_by_role("button", name="Audit", exact=True).click()
    await comes_to_rest(page)
    await page.evaluate("read()")
    await expect(page.locator(".verdict")).to_have_text("Fair")


async def test_rows_of_standings_stay_as_the_last_result_has_moved_them(
    browser: Browser, house: Service, event: WrittenEvent
) -> None:
    page = await browser.new_page()
    await page.clock.install()
    async with page.expect_response(lambda answer: answer.url.partition("?")[0].endswith("/stream")):
        await page.goto(f"{house.url}/t/{TOURNAMENT}/standings?stage=1&round=2")
    path = "**/standings*"
    async with held(page, path, answered=True) as older:
        # A ruling has the page read again; while that is on its way, a result comes.
        event.do(commands.Penalise(by=HOST, number=1, kind="warning", reason="conduct"))
        await runs_ahead(page, lambda: older.is_there)
        number = event.round.missing[0]
        event.record(number, tuple((each,) for each in reversed(event.table(number).seats)))
        left = len(event.round.missing)
        await expect(page.get_by_text(f"As of now: {left} tables of the round have no result yet.")).to_be_visible()
        assert await rows_on(page) == rows_of(event)
        await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
        async with page.expect_response(path) as told:
            older.let_go()
    await (await told.value).finished()
    await page.wait_for_timeout(A_MOMENT_MS)
    assert await rows_on(page) == rows_of(event)
    await page.close()
