"""Names of one long word, of dice, from right to left: on no page do they stand beyond the screen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, expect

from services.http.bounds import Bounds
from tests.api.conftest import Service, served
from tests.sizes import spread
from tests.tournaments.events_by_hand import TOURNAMENT
from tests.tournaments.seen_events import busy
from tests.web.conftest import Open, posted
from tests.web.event_pages import PATHS, OneTournament
from tests.web.test_accessibility import check

pytestmark = pytest.mark.asyncio(loop_scope="session")
WIDTHS = (1280, 760, 320)
SCRIPTS = ("W" * 40, "\u0645\u0631\u062d\u0628\u0627" * 8, "\N{GAME DIE}" * 20)
WORD = SCRIPTS[0]
WIDE = {"/bracket", "/luck", "/print/slips"}
"""Pages that were wider than a screen once."""
EVENT_PATHS = spread(PATHS, 1, lambda path: path if path in WIDE else "")
BEYOND = """() => {
  const cut = (one) => getComputedStyle(one).overflowX !== 'visible' && !one.matches('main, body, html');
  const isHeld = (one) => one !== null && (cut(one) || isHeld(one.parentElement));
  const every = [...document.querySelectorAll('main, main *, .top *')].filter((one) => one.checkVisibility());
  const out = every.filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && !isHeld(one.parentElement));
  const root = document.documentElement;
  const wide = root.scrollWidth > innerWidth ? [`a page of ${root.scrollWidth}`] : [];
  return [...wide, ...out.map((one) => `${one.localName}.${one.getAttribute('class')} ${one.textContent.trim()}`)];
}"""
"""What stands beyond the right edge of the screen, and is not in a part that scrolls, or ends what it cuts off."""

IN_SIGHT = """() => {
  const glance = document.querySelector('.glance').getBoundingClientRect();
  const players = [...document.querySelectorAll('.glance li')].map((one) => one.getBoundingClientRect());
  return players.every((one) => one.left >= glance.left && one.right <= glance.right);
}"""


def named(number: int) -> str:
    """Return what somebody is called: as long as the law of names has it, and not as anybody else."""
    columns = 18 if number % len(SCRIPTS) == 2 else 37
    return f"{SCRIPTS[number % len(SCRIPTS)][:columns]}{number:03}"


def table(url: str, people: int, **rules: Any) -> tuple[str, str, list[str]]:
    """Open a table at which so many sit, and return its match, the token of its host, and those of the seats."""
    opened = posted(url, "/matches", {"rules": {"game": "common_hand", **rules}, "name": WORD})
    path = f"/matches/{opened['match']}/seats"
    seats = [posted(url, path, {"name": named(number), "custody": "server"}) for number in range(people)]
    return opened["match"], opened["token"], [seat["token"] for seat in seats]


@pytest.fixture(scope="module")
def quiet() -> Iterator[Service]:
    """Return a house in which nobody else plays: a table waits, one is played at, one is over, and an event is held."""
    event = OneTournament(busy(), WORD, {number: named(number) for number in range(1, 30)})
    with served(Bounds(), shown=event) as house:
        for kind in ("", "/start", "/commands"):
            match, host, _ = table(house.url, 3 if kind else 2)
            if kind:
                posted(house.url, f"/matches/{match}{kind}", {"type": "end_match"} if kind == "/commands" else {}, host)
        yield house


async def fits(page: Page) -> None:
    """Check that nothing of a page stands beyond the screen, whatever is opened on it, at every width."""
    await page.evaluate("document.querySelectorAll('details:not([open]) > summary').forEach((one) => one.click())")
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 800})
        assert await page.evaluate(BEYOND) == [], f"{page.url} at {width}"


@pytest.fixture(scope="module")
def played(service_url: str) -> tuple[str, str, list[str]]:
    """Return a table of ten that is played at, the token of its host, and those of the seats."""
    options = {"push": True, "drinks": {"basis": "round"}}
    found = table(service_url, 10, seats=10, options=options, clock={"bank_ms": 600_000}, host={})
    posted(service_url, f"/matches/{found[0]}/start", {}, found[1])
    return found


@pytest.fixture(scope="module")
def over(service_url: str) -> str:
    """Return a match that was won after others were taken out, and about which much was said."""
    match, host, _ = table(service_url, 3, options={"dice_per_player": 1}, host={})
    path = f"/matches/{match}"
    posted(service_url, f"{path}/start", {}, host)
    caster = posted(service_url, "/players", {"name": WORD})
    writers = {"casters": [caster["player"]]}
    bearer = {"Authorization": f"Bearer {host}"}
    answer = httpx.put(f"{service_url}/api/v1{path}/comments/writers", json=writers, headers=bearer, timeout=60)
    assert answer.is_success, answer.text
    for token, text in ((host, "W" * 1_000), (caster["token"], SCRIPTS[2] * 50)):
        posted(service_url, f"{path}/comments", {"version": 1, "text": text, "lang": "en"}, token)
    for seat in (2, 3):
        posted(service_url, f"{path}/commands", {"type": "kick", "who": seat, "reason": "away"}, host)
    return match


async def test_no_name_widens_the_front_page_or_a_list(open_page: Open, quiet: Service) -> None:
    page = await open_page(quiet.url)
    await expect(page.locator("#tables[data-live]")).to_have_count(1)
    await expect(page.locator("#people")).to_contain_text("W" * 40)
    await expect(page.locator(".glance .round")).to_contain_text("W" * 37)
    await fits(page)
    assert await page.evaluate(IN_SIGHT), "a name that is too long ends in dots, and is not cut off"
    for path in ("/tables/open", "/tables/live", "/tables/ended", "/tournaments"):
        await page.goto(f"{quiet.url}{path}")
        await fits(page)


async def test_no_name_widens_a_table_that_is_played_at(open_page: Open, played: tuple[str, str, list[str]]) -> None:
    match, host, seats = played
    page = await open_page(f"/m/{match}#seat=1&token={seats[0]}&host={host}")
    await expect(page.locator(".turn-line")).to_be_visible()
    await expect(page.locator(".seat")).to_have_count(10)
    await fits(page)
    await check(page)
    await page.goto("/")
    await expect(page.locator("#yours .ticket")).to_be_visible()
    await fits(page)
    for path in (f"/m/{match}/audit", f"/m/{match}/rules", f"/embed/matches/{match}", f"/overlay/matches/{match}"):
        await page.goto(path)
        await fits(page)


async def test_no_name_widens_a_match_that_is_over(open_page: Open, over: str) -> None:
    page = await open_page(f"/m/{over}")
    await expect(page.get_by_role("heading", name="Finished")).to_be_visible()
    await fits(page)
    await page.goto(f"/m/{over}/replay")
    await expect(page.get_by_role("slider")).to_be_visible()
    await expect(page.locator(".comments .words")).to_have_count(2)
    await fits(page)
    await page.goto(f"/overlay/matches/{over}")
    await expect(page.locator(".strip .player")).to_have_count(3)
    await fits(page)


async def test_no_name_widens_a_season_or_the_page_of_a_player(open_page: Open, service_url: str) -> None:
    begun = posted(service_url, "/seasons", {"game": "common_hand", "title": WORD})
    page = await open_page(f"/seasons/{begun['season']}")
    await fits(page)
    await page.goto(f"/players/{posted(service_url, '/players', {'name': WORD})['player']}")
    await fits(page)


@pytest.mark.parametrize("path", EVENT_PATHS)
async def test_no_name_widens_a_page_of_a_tournament(open_page: Open, quiet: Service, path: str) -> None:
    page = await open_page(f"{quiet.url}/t/{TOURNAMENT}{path}")
    await fits(page)
