"""Answers that break off or do not come: what goes on by itself goes on, and nothing of anybody is lost with them."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, Route, expect

from domain.tournaments import commands
from tests.api.conftest import Service
from tests.director.house import DICE
from tests.tournaments.events_by_hand import HOST, TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.web.conftest import PATIENCE_MS, Open, posted, seated
from tests.web.races.routes import A_MOMENT_MS, Lost, broken_off, counted, runs_ahead, seats_of, with_own_time
from tests.web.test_event_cards import PHONE
from tests.web.test_event_console import Event
from tests.web.test_event_moving import event, house

pytestmark = pytest.mark.asyncio(loop_scope="session")
__all__ = ["event", "house"]
SLOW = {**DICE, "pause_ms": 60_000}
UNTIL_READ_MS = 4_000
WHY = "A long story about why this was not fair."
EYES_OF_ONE = "() => document.querySelector('tc-replay').eyes === '1'"
RECEIPTS = "(match) => JSON.parse(localStorage.getItem(`truecup.signed.${match}`)) ?? []"
CHECKED = (
    f"([match, least]) => {{ const all = ({RECEIPTS})(match); return all.length >= least && all.at(-1).checked; }}"
)
"""Whether there are as many receipts of a match, and the last was checked."""


async def card_of(event: Event, at: int) -> Page:
    """Open the card of an entrant on a phone, in a time of its own."""
    token = event.people[at]["Authorization"].rpartition(" ")[2]
    card = await event.open_page(f"/t/{event.path.rpartition('/')[2]}/me#entrant={token}", **PHONE)
    await with_own_time(card)
    return card


async def test_a_seat_is_not_lost_with_the_answer_that_brings_it(open_page: Open, service_url: str) -> None:
    open_page.expected = "ERR_"
    match = posted(service_url, "/matches", {"rules": {"game": "common_hand", "seats": 4}})["match"]
    page = await open_page(f"/m/{match}")
    await page.get_by_label("Your name").fill("Ada")
    await page.get_by_label("Sign my moves with a key of this browser").set_checked(False)
    async with broken_off(page, "**/seats", done=True) as cut:
        await page.get_by_role("button", name="Sit down").click()
        await expect(page.locator(".seat.you .name")).to_contain_text("Ada")
        assert cut
    assert [seat["name"] for seat in seats_of(service_url, match)] == ["Ada"]


async def test_a_card_goes_on_after_an_answer_that_broke_off(duels: Event) -> None:
    await duels.seated("Ann Ben", match=SLOW)
    duels.open_page.expected = "ERR_"
    card = await card_of(duels, 0)
    await expect(card.get_by_text("Ann").first).to_be_visible()

    async def gone(route: Route) -> None:
        await route.abort()

    # There is no stream any more, so that the card is looked at now and then.
    await card.route("**/me/stream", gone)
    await card.reload()
    looks = counted(card, "GET", f"/api/v1{duels.path}/me")
    async with broken_off(card, "**/api/v1/tournaments/*/me") as cut:
        await runs_ahead(card, lambda: cut)
        seen = len(looks)
        await runs_ahead(card, lambda: len(looks) > seen)


async def test_a_console_goes_on_after_an_answer_that_broke_off(duels: Event) -> None:
    desk = await duels.seated("Ann Ben", match=SLOW)
    duels.open_page.expected = "ERR_"
    await with_own_time(desk.page)
    await expect(desk.page.locator("#troubles")).to_be_attached()
    looks = counted(desk.page, "GET", "/troubles")
    async with broken_off(desk.page, "**/troubles") as cut:
        await runs_ahead(desk.page, lambda: cut)
        seen = len(looks)
        await runs_ahead(desk.page, lambda: len(looks) > seen)


async def test_a_console_says_that_it_is_old_while_its_line_is_gone(duels: Event) -> None:
    desk = await duels.seated("Ann Ben", match=SLOW)
    duels.open_page.expected = "ERR_"
    await with_own_time(desk.page)
    lost = desk.page.locator(".line-lost")
    for offline in (True, False):
        await desk.page.context.set_offline(offline)
        await desk.page.clock.run_for(UNTIL_READ_MS)
        await expect(lost).to_be_visible(visible=offline)


async def test_one_line_that_is_lost_does_not_end_a_replay(open_page: Open, over: str) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page(f"/m/{over}/replay")
    choice = page.locator(".eyes select")
    await expect(choice).to_have_value("all")

    async def gone(route: Route) -> None:
        await route.abort()

    await page.route("**/replay?eyes=spectator", gone)
    await choice.select_option("spectator")
    await expect(page.locator("tc-replay").get_by_role("alert")).to_be_visible()
    assert await choice.count() == 1
    await choice.select_option("1")
    await page.wait_for_function(EYES_OF_ONE, timeout=PATIENCE_MS)
    await expect(page.locator("tc-replay").get_by_role("alert")).to_have_count(0)


async def test_an_analysis_that_does_not_come_is_told_and_may_be_asked_for_again(open_page: Open, over: str) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page()
    await page.route("**/static/**/watch/analyst*.js", Lost())
    await page.goto(f"/m/{over}/replay")
    button = page.get_by_role("button", name="Analysis", exact=True)
    await button.click()
    await expect(page.locator("tc-replay .ways").get_by_role("alert")).to_be_visible()
    await button.click()
    await expect(page.locator("tc-replay .ways").get_by_role("alert")).to_have_count(0)
    await expect(page.locator("tc-replay .analysis").first).to_be_visible()


async def test_a_picture_that_does_not_come_is_told(open_page: Open, over: str) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page(f"/m/{over}/replay")
    await expect(page.locator(".scrubber")).to_be_visible()

    async def gone(route: Route) -> None:
        await route.abort()

    await page.route("**/card.svg*", gone)
    await page.locator(".ways").get_by_role("button", name="picture").click()
    await expect(page.locator("tc-replay").get_by_role("alert")).to_be_visible()
    await expect(page.locator(".scrubber")).to_be_visible()


async def test_one_answer_that_is_lost_does_not_end_the_checks_of_receipts(open_page: Open) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page()
    match = await seated(page, {"game": "common_hand", "seats": 4, "host": {}}, signs=False, name="Ann")
    await page.wait_for_function(CHECKED, arg=[match, 1], timeout=PATIENCE_MS)
    before = len(await page.evaluate(RECEIPTS, match))
    async with page.expect_response("**/api/v1/log/policy"):
        await page.reload()
    lost: list[str] = []

    async def gone(route: Route) -> None:
        lost.append(route.request.url)
        await route.abort()

    async def use(power: str, then: str) -> None:
        await page.locator(f"[data-power={power}]").click()
        await expect(page.locator(f"[data-power={then}]")).to_be_enabled()

    await expect(page.locator("[data-power=lock]")).to_be_enabled()
    await page.route("**/api/v1/log/policy", gone)
    async with page.expect_event("requestfailed", lambda asked: asked.url.endswith("/api/v1/log/policy")):
        await use("lock", "unlock")
    await page.unroute("**/api/v1/log/policy")
    await use("unlock", "lock")
    assert lost
    await page.wait_for_function(CHECKED, arg=[match, before + 1], timeout=PATIENCE_MS)


async def test_standings_that_were_told_of_news_and_not_of_which_ask_again_before_long(
    open_page: Open, house: Service, event: WrittenEvent
) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page.fresh()
    await page.clock.install()
    async with page.expect_response(lambda answer: answer.url.partition("?")[0].endswith("/stream")):
        await page.goto(f"{house.url}/t/{TOURNAMENT}/standings?stage=1&round=2")
    lost: list[str] = []
    reads = counted(page, "GET", "/standings")

    async def gone(route: Route) -> None:
        lost.append(route.request.url)
        await route.abort()

    await page.route("**/standings*", gone)
    event.do(commands.Penalise(by=HOST, number=1, kind="warning", reason="conduct"))
    await runs_ahead(page, lambda: lost)
    await page.clock.pause_at(await page.evaluate("Date.now() / 1000 + 1"))
    await page.wait_for_timeout(A_MOMENT_MS)
    before = len(reads)
    await page.clock.run_for(6_000)
    await page.wait_for_timeout(A_MOMENT_MS)
    assert len(reads) > before


async def test_what_was_written_stays_until_it_is_taken(duels: Event) -> None:
    desk = await duels.seated("Ann Ben Cat Dan", match=SLOW)
    await desk.do("penalise", number="3", kind="warning", reason="late")
    duels.open_page.expected = "ERR_FAILED"
    card = await card_of(duels, 2)
    lost: list[str] = []

    async def gone(route: Route) -> None:
        lost.append(route.request.url)
        await route.abort()

    # What reads appeals does not come either: without it, the card says all else.
    await card.route("**/entrant/said*.js", lambda route: route.abort())
    await card.reload()
    await card.locator("#appeals summary").click()
    await card.locator("#why").fill(WHY)

    await card.route("**/commands", gone)
    await card.get_by_role("button", name="Appeal").last.click()
    # It is asked for again a few times.
    await runs_ahead(card, lambda: len(lost) == 4)
    await expect(card.locator("#card .error").first).to_be_visible()
    await expect(card.locator("#why")).to_have_value(WHY)
    await card.unroute("**/commands", gone)
    await card.get_by_role("button", name="Appeal").last.click()
    await expect(card.locator("#why")).not_to_have_value(WHY)
    await expect(card.locator("#appeals li")).to_have_count(1)


async def test_a_key_is_looked_for_again_when_the_record_did_not_come_and_nobody_moves(open_page: Open) -> None:
    open_page.expected = "ERR_FAILED"
    page = await open_page()
    await seated(page, {"game": "common_hand", "seats": 4}, name="Ann")
    await expect(page.locator(".seat-key")).to_be_visible()
    await page.clock.install()
    lost = Lost()
    await page.route("**/lines*", lost)
    await page.reload()
    await runs_ahead(page, lost.is_back)
    await expect(page.locator(".seat-key")).to_be_visible()
