"""Pages stand still while they load, and a table while a round is played: what comes has its place."""

from __future__ import annotations

import asyncio
import json
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, Route, expect

from tests.sizes import spread
from tests.web.conftest import PATIENCE_MS, Open, posted
from tests.web.keeping import MOVES

pytestmark = pytest.mark.asyncio(loop_scope="session")
SHIFT_MAX = 0.1
"""Of a layout, as browsers reckon it: what is called good."""
ROUND_MAX = 0.05
"""Of a whole round, the most in one go: half of that."""
SCREENS = spread([(320, 568), (390, 844), (1366, 657)], 1)
DRAWN = {
    "/": "#tables[data-live]",
    "/m/{}": ".felt",
    "/m/{}/replay": ".scrubber",
    "/m/{}/audit": "tc-audit",
    "/m/{}/rules": "main h1",
    "/tables/open": "main h1",
    "/rules": "main h1",
    "/rules/common_hand": "main h1",
    "/learn": "main h1",
    "/statistics": "main h1",
    "/docs": "main h1",
    "/docs/first-bot": "main h1",
    "/audit": "main h1",
    "/problems/claim_not_higher": "main h1",
    "/tv": "tc-stage",
    "/embed/matches/{}": ".felt",
    "/overlay/matches/{}": "tc-stage",
    "/tournaments": "main h1",
    "/tournaments/new": "#announce [type=submit]:enabled",
    "/t/{event}": "main h1",
    "/t/{event}/me": "#card form",
    "/t/{event}/host": "#console[data-role]",
    "/t/{event}/pairings": "main h1",
    "/t/{event}/standings": "main h1",
    "/t/{event}/screen": ".slide",
}
"""What is there once a page is whole."""
WATCH = """
globalThis.shifts = [];
new PerformanceObserver((list) => {
  for (const { value, startTime, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    const moved = sources.map(({ node }) => node?.outerHTML?.slice(0, 80) ?? node?.textContent);
    shifts.push({ value, startTime, moved });
  }
}).observe({ type: 'layout-shift', buffered: true });
"""
PAINTED = "() => performance.getEntriesByName('first-contentful-paint').length > 0"
RESTED = """async () => {
  await document.fonts.ready;
  for (let times = 0; times < 3; times += 1) await new Promise(requestAnimationFrame);
  await new Promise((done) => setTimeout(done));
  return shifts;
}"""

STEP = """() => {
  const lift = document.querySelector('tc-lift[on]');
  const buttons = ['.go-on', '.doubt', '.quick button'].map((one) => document.querySelector(`${one}:enabled`));
  if (lift === null) buttons.find((one) => one !== null)?.click();
  return document.querySelector('.story').textContent.includes('Round 2');
}"""


async def loaded(page: Page, path: str, drawn: str) -> list[dict[str, Any]]:
    """Open a page whose scripts come when it is to be seen already, and return how it moved."""
    seen = asyncio.Event()

    async def hold(route: Route) -> None:
        await seen.wait()
        await route.continue_()

    await page.route("**/pages/*.js", hold)
    await page.goto(path, wait_until="commit")
    await page.wait_for_function(PAINTED, polling=20)
    seen.set()
    await page.wait_for_load_state("load")
    await expect(page.locator(drawn).first).to_be_visible()
    shifts: list[dict[str, Any]] = await page.evaluate(RESTED)
    await page.unroute("**/pages/*.js", hold)
    return shifts


@pytest.fixture
def waiting(service_url: str) -> tuple[str, dict[str, Any]]:
    """Return a match that waits for a person, so that nothing happens at it, and what holds that person's seat."""
    opened = posted(service_url, "/matches", {"rules": {"game": "common_hand", "seats": 4, "pause_ms": 30_000}})
    path = f"/matches/{opened['match']}"
    sits = posted(service_url, f"{path}/seats", {"name": "Ada", "custody": "server"})
    posted(service_url, f"{path}/bots", {"count": 3}, opened["token"])
    posted(service_url, f"{path}/start", {}, opened["token"])
    deadline = monotonic() + PATIENCE_MS / 1000
    while httpx.get(f"{service_url}/api/v1{path}", timeout=60).json()["turn"] != sits["seat"]:
        assert monotonic() < deadline, "the turn does not come"
        sleep(0.05)
    return opened["match"], {"token": sits["token"], "seat": sits["seat"]}


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: f"{screen[0]}x{screen[1]}")
async def test_no_page_moves_under_a_reader_while_it_loads_nor_a_table_in_a_round(
    open_page: Open, service_url: str, waiting: tuple[str, dict[str, Any]], screen: tuple[int, int]
) -> None:
    match, seat = waiting
    event = posted(service_url, "/tournaments", {"preset": "pods", "title": "Club night"})
    posted(service_url, f"/tournaments/{event['tournament']}/commands", {"type": "open_entry"}, event["token"])
    page = await open_page("/rules", viewport=dict(zip(("width", "height"), screen, strict=True)), **MOVES)
    await page.add_init_script(WATCH)
    moved = [
        (path, await loaded(page, path.format(match, event=event["tournament"]), drawn))
        for path, drawn in spread(DRAWN.items(), 2, lambda pair: pair[1])
    ]
    await page.evaluate(
        "([key, value]) => localStorage.setItem(key, value)", [f"truecup.match.{match}", json.dumps(seat)]
    )
    moved.append(("one's own seat", await loaded(page, f"/m/{match}", ".rail.yours")))
    # A bid or a doubt, whatever the others say, the lift, Continue, and the dice of the next round.
    await page.evaluate("() => shifts.splice(0)")
    await page.wait_for_function(STEP, polling=50)
    played = await page.evaluate(RESTED)

    assert [(path, shifts) for path, shifts in moved if sum(one["value"] for one in shifts) >= SHIFT_MAX] == []
    assert worst(played) < ROUND_MAX, played


def worst(shifts: list[dict[str, Any]]) -> float:
    """Return the most that a page moved in one go: for five seconds at most, with less than one between two shifts.

    Source: https://web.dev/articles/cls
    """
    most = session = begun = before = 0.0
    for shift in shifts:
        at = shift["startTime"]
        if at - before >= 1_000 or at - begun >= 5_000:
            session, begun = 0.0, at
        session, before = session + shift["value"], at
        most = max(most, session)
    return most
