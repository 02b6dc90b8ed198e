"""Pages whose line is gone: they say so once, go on by themselves when it is back, and show what is so then."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, Route, expect

from tests.director.house import DICE
from tests.web.conftest import NO_SOCKET, Open, begun, posted, sit_down
from tests.web.races.routes import A_MOMENT_MS, Gibberish, counted, held, runs_ahead, with_own_time
from tests.web.test_accessibility import check_with_axe
from tests.web.test_event_console import Event

pytestmark = pytest.mark.asyncio(loop_scope="session")
SLOW = {**DICE, "pause_ms": 60_000}
TOLD = """() => {
  globalThis.told = [];
  const note = document.querySelector('[data-lost]');
  new MutationObserver(() => told.push(!note.hidden)).observe(note, { attributes: true });
}"""
"""Keep in `told` whatever is said, or taken back, of the line of a page."""
COVERED = """() => {
  const ring = document.querySelector('[data-lost]').getBoundingClientRect();
  const plates = [...document.querySelectorAll('.player, .seat, .telling, .late .tag')];
  const isOver = ({ left, right, top, bottom }) =>
    right > ring.left && bottom > ring.top && left < ring.right && top < ring.bottom;
  return plates.filter((one) => isOver(one.getBoundingClientRect())).map((one) => one.className);
}"""
"""What the sign of a lost line lies over."""
EMPTY = """() => {
  const empty = document.createElement('tc-stage');
  empty.setAttribute('kind', 'tv');
  document.querySelector('tc-stage').replaceWith(empty);
}"""
"""A television that was opened before anybody plays."""
FOLLOWED = ("", "/pairings", "/tables", "/standings", "/me", "/screen", "/host")


def stage_of(kind: str, service_url: str) -> str:
    """Return where a stage of a match is that has just begun, or the television."""
    match = begun(service_url)
    return "/tv" if kind == "tv" else f"/{kind}/matches/{match}"


async def lost_and_back(page: Page) -> None:
    """Take the line from a page for some of its looks, and give it back."""
    await with_own_time(page)
    note = page.locator("[data-lost]")
    # It is told only where what tells it was there before.
    await expect(page.get_by_role("status").filter(has=note)).to_have_count(1)
    await page.evaluate(TOLD)
    await page.context.set_offline(offline=True)
    await expect(note).to_be_visible()
    await page.clock.run_for(30_000)
    await expect(note).to_be_visible()
    await page.context.set_offline(offline=False)
    await page.clock.run_for(10_000)
    await expect(note).to_be_hidden()


@pytest.mark.parametrize("rest", FOLLOWED)
async def test_a_page_of_a_tournament_says_once_that_it_is_old_while_its_line_is_gone(duels: Event, rest: str) -> None:
    await duels.seated("Ann Ben", match=SLOW)
    duels.open_page.expected = "ERR_"
    page = await duels.open_page(f"/t/{duels.path.rpartition('/')[2]}{rest}")
    await lost_and_back(page)
    assert await page.evaluate("told") == [True, False]


@pytest.mark.parametrize("stage", ["embed", "tv"])
async def test_a_stage_says_in_the_place_of_what_was_told_last_that_its_line_is_gone(
    open_page: Open, service_url: str, stage: str
) -> None:
    open_page.expected = "ERR_"
    page = await open_page(stage_of(stage, service_url), viewport={"width": 390, "height": 500})
    await expect(page.locator("tc-stage > .telling")).to_be_visible()
    await lost_and_back(page)
    assert await page.evaluate("told") == [True, False]
    await page.context.set_offline(offline=True)
    await expect(page.get_by_text("No connection: this is as it was last.")).to_be_in_viewport(ratio=1)
    await expect(page.locator("tc-stage > .telling")).to_be_hidden()
    await check_with_axe(page)
    await page.context.set_offline(offline=False)


@pytest.mark.parametrize("theme", ["dark", "felt"])
async def test_over_a_stream_a_lost_line_is_a_ring_in_the_corner_and_no_words(
    open_page: Open, service_url: str, theme: str
) -> None:
    open_page.expected = "ERR_"
    page = await open_page(f"{stage_of('overlay', service_url)}?theme={theme}", viewport={"width": 844, "height": 390})
    await expect(page.locator(".telling")).to_be_visible()
    await page.context.set_offline(offline=True)
    ring = page.locator("[data-lost]")
    await expect(ring).to_be_visible()
    await expect(page.locator(".telling")).to_be_visible()
    where = await ring.bounding_box()
    assert where is not None
    assert max(where["width"], where["height"]) < 20
    assert await page.evaluate(COVERED) == []
    await page.context.set_offline(offline=False)
    await expect(ring).to_be_hidden()


async def test_a_line_that_is_back_at_once_was_not_gone(open_page: Open, service_url: str) -> None:
    open_page.expected = "ERR_"
    page = await open_page(stage_of("embed", service_url))
    await with_own_time(page)
    await expect(page.locator("tc-stage > .telling")).to_be_visible()
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    await page.evaluate(TOLD)
    await page.context.set_offline(offline=True)
    await page.wait_for_timeout(A_MOMENT_MS)
    await page.clock.run_for(1_500)
    await page.context.set_offline(offline=False)
    await page.wait_for_timeout(A_MOMENT_MS)
    assert await page.evaluate("told") == []


async def test_a_television_without_a_table_says_so_too(open_page: Open) -> None:
    open_page.expected = "ERR_"
    page = await open_page("/tv")
    await with_own_time(page)
    await page.evaluate(EMPTY)
    await page.context.set_offline(offline=True)
    await expect(page.locator("[data-lost]")).to_be_visible()
    await page.context.set_offline(offline=False)
    await page.clock.run_for(2_000)
    await expect(page.locator("[data-lost]")).to_be_hidden()


async def test_what_happened_while_a_line_was_gone_is_shown_as_soon_as_it_is_back(duels: Event) -> None:
    await duels.seated("Ann Ben", match=SLOW)
    duels.open_page.expected = "ERR_"
    page = await duels.open_page(f"/t/{duels.path.rpartition('/')[2]}")
    await with_own_time(page)
    await page.context.set_offline(offline=True)
    await expect(page.locator("[data-lost]")).to_be_visible()
    await duels.ask("pause")
    # Nothing but the line that is there again has the page read.
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    await page.context.set_offline(offline=False)
    await page.clock.run_for(100)
    await expect(page.locator(".event .tag").filter(has_text="Paused")).to_be_visible()
    await expect(page.locator("[data-lost]")).to_be_hidden()


async def test_a_look_that_is_never_answered_is_given_up_and_another_one_taken(duels: Event) -> None:
    desk = await duels.seated("Ann Ben", match=SLOW)
    duels.open_page.expected = "ERR_"
    await with_own_time(desk.page)
    asked = counted(desk.page, "GET", "/troubles")
    async with held(desk.page, "**/troubles") as first:
        await runs_ahead(desk.page, lambda: first.is_there)
        before = len(asked)
        await runs_ahead(desk.page, lambda: len(asked) > before)


@pytest.mark.parametrize("status", [502, 504])
async def test_what_a_proxy_answers_while_the_house_is_away_is_asked_again(
    open_page: Open, service_url: str, status: int
) -> None:
    open_page.expected = "Failed to load"
    match = posted(service_url, "/matches", {"rules": {"game": "common_hand", "seats": 4}})["match"]
    page = await open_page(f"/m/{match}")
    asked: list[str] = []

    async def away(route: Route) -> None:
        asked.append(route.request.headers["idempotency-key"])
        if len(asked) > 1:
            await route.fallback()
        else:
            await route.fulfill(status=status, content_type="text/html", body="<h1>Bad gateway</h1>")

    await page.route("**/seats", away)
    await sit_down(page, "Ada", own_seeds=False, signs=False)
    assert len(asked) == 2
    assert len(set(asked)) == 1


async def test_what_is_no_answer_of_the_house_is_none(open_page: Open, over: str) -> None:
    page = await open_page(f"/m/{over}/replay")
    choice = page.locator(".eyes select")
    await expect(choice).to_have_value("all")
    sign_in = {"content_type": "text/html", "body": "<h1>Welcome to the train</h1>"}
    await page.route("**/replay?eyes=spectator", lambda route: route.fulfill(status=200, **sign_in))
    await choice.select_option("spectator")
    await expect(page.locator("tc-replay").get_by_role("alert")).to_be_visible()


async def test_a_line_on_which_somebody_else_speaks_is_left_before_another_is_asked_for(
    open_page: Open, service_url: str
) -> None:
    page = await open_page()
    await page.add_init_script(NO_SOCKET)
    stranger = Gibberish()
    async with stranger.instead(page, "**/stream?*"):
        await page.goto(f"/m/{begun(service_url)}")
        await stranger.left()
    await expect(page.locator(".seat").first).to_be_visible()
