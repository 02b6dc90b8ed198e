"""A host at work, as everybody at the table sees it, and a player whose seat a bot plays for a while."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import httpx
import playwright
import pytest
from playwright.async_api import Page, Route, expect

from services.web.assets import FOLDER
from tests.web.codes import read_code
from tests.web.conftest import NO_SOCKET, Open, seated, sit_down

NODE = Path(playwright.__file__).parent / "driver" / "node"
RULES = {"game": "common_hand", "seats": 4, "pause_ms": 0, "host": {}, "idle": {"turn_ms": 600_000, "turns": 3}}
LANDSCAPE, PHONE = {"width": 1366, "height": 657}, {"width": 390, "height": 844}


@pytest.mark.asyncio(loop_scope="session")
async def test_a_host_pauses_takes_out_and_hands_over_and_a_seat_goes_to_a_bot_and_to_another_device(
    open_page: Open,
) -> None:
    ann = await open_page(viewport=LANDSCAPE)
    match = await seated(ann, RULES, bots=1)
    bob = await open_page(f"/m/{match}", viewport=PHONE)
    await sit_down(bob, "Bob", own_seeds=False, signs=False)
    cyd = await open_page(f"/m/{match}")
    await is_taken_out_and_sits_down_again(ann, bob)
    # A page that stood there before the seat was taken, on another page of the browser, leads to it as well.
    before = await cyd.context.new_page()
    await before.goto(cyd.url)
    await expect(before.get_by_role("button", name="Sit down")).to_be_visible()
    await sit_down(cyd, "Cyd", own_seeds=False, signs=False)
    await before.get_by_role("button", name="Return to your seat").click()
    await expect(before.locator(".seat.you .name")).to_contain_text("Cyd")
    await before.close()
    await expect(ann.get_by_text("You have a seat, and you start the match.")).to_be_visible()
    await expect(bob.get_by_text("You have a seat. The host starts the match.")).to_be_visible()
    await ann.get_by_role("button", name="Start the match").click()
    await expect(bob.locator(".rail .die").first).to_be_visible()

    await holds_the_table_up(ann, bob, cyd)
    other = await changes_device(ann, bob, open_page, match)
    open_page.expected = "401 (Unauthorized)"  # of the link that leads nowhere
    await opens_the_link_of_somebody_else(cyd, other)
    await takes_out_and_hands_over(ann, other, cyd)


async def is_taken_out_and_sits_down_again(ann: Page, bob: Page) -> None:
    await ann.locator("summary", has_text="Who sits here").click()
    await ann.get_by_label("Seat", exact=True).select_option(label="Bob")
    await ann.get_by_label("Reason").select_option("away")
    await ann.get_by_role("button", name="Take out").click()
    await ann.get_by_role("group", name="Take out?").get_by_role("button", name="Take out").click()
    told = "The host took you out, as you were away. You may sit down again, or watch."
    await expect(bob.locator("[data-farewell]")).to_have_text(told)
    await expect(bob.get_by_role("button", name="Sit down")).to_be_visible()
    await sit_down(bob, "Bob", own_seeds=False, signs=False)
    await expect(bob.locator("[data-farewell]")).to_be_hidden()


async def holds_the_table_up(ann: Page, bob: Page, cyd: Page) -> None:
    # The host holds the table up: everybody reads it, and nobody can do anything.
    await ann.locator("summary", has_text="You host this table").click()
    await ann.get_by_label("Reason").select_option("break")
    await ann.get_by_role("button", name="Pause the table").click()
    for page in (ann, bob, cyd):
        await expect(page.locator(".felt .paused")).to_contain_text("Paused by the host for a break")
    await expect(bob.locator(".felt .paused")).to_contain_text(re.compile(r"goes on by itself in \d+:\d\d"))
    await expect(bob.locator(".seat.turn")).to_have_count(0)
    await expect(ann.locator(".story")).to_contain_text("You pause the table for a break.")
    await expect(bob.locator(".story")).to_contain_text("The host pauses the table for a break.")
    await ann.get_by_role("button", name="Let the table go on").click()
    await expect(bob.locator(".felt .paused")).to_have_count(0)


async def changes_device(ann: Page, bob: Page, open_page: Open, match: str) -> Page:
    # What would be refused cannot be pressed: nobody is away, and nobody is stood in for.
    await ann.get_by_label("Seat", exact=True).select_option(label="Bob")
    await expect(ann.get_by_role("button", name="Seat a stand-in")).to_be_disabled()
    await bob.get_by_role("button", name="Let a bot play").click()
    await expect(bob.get_by_text("A bot of the house plays for you.")).to_be_visible()
    await expect(ann.locator(".seat", has_text="Bob").get_by_text("stand-in")).to_be_visible()
    await expect(ann.get_by_role("button", name="Give the seat back")).to_be_enabled()

    # The seat goes to another device, by a link that only its owner is shown, and is taken back there.
    link = await seat_link(bob)
    assert link.startswith(f"{bob.url}#seat=")
    other = await open_page(link.removeprefix(bob.url.removesuffix(f"/m/{match}")), viewport=PHONE)
    await expect(other).to_have_url(bob.url)  # the token leaves the address at once
    await other.get_by_role("button", name="Take your seat back").click()
    await expect(other.get_by_role("button", name="Let a bot play")).to_be_visible()
    await expect(ann.locator(".seat", has_text="Bob").get_by_text("stand-in")).to_have_count(0)
    return other


async def seat_link(page: Page) -> str:
    await page.locator("summary", has_text="Your seat on another device").click()
    return await page.get_by_label("Link to your own seat").input_value()


async def opens_the_link_of_somebody_else(cyd: Page, bob: Page) -> None:
    # Who has a seat is asked, and loses it neither unasked nor to a link that leads nowhere.
    own, other = await seat_link(cyd), await seat_link(bob)
    await cyd.evaluate(
        "(link) => location.assign(link)", f"{own[:-1].partition('&')[0]}9&token=truecup_seat_{'x' * 43}"
    )
    await expect(cyd).to_have_url(own.partition("#")[0])
    await cyd.get_by_role("button", name="Sit there instead").click()
    await expect(cyd.get_by_text("This link leads to no seat here any more.")).to_be_visible()
    await cyd.get_by_role("button", name="Keep my seat").click()
    await expect(cyd.locator(".seat.you .name")).to_contain_text("Cyd")
    for link, name in ((other, "Bob"), (own, "Cyd")):
        await cyd.evaluate("(link) => location.assign(link)", link)
        await expect(cyd.get_by_role("alert")).to_contain_text(f"another seat at this table: \u2068{name}\u2069.")
        await cyd.get_by_role("button", name="Sit there instead").click()
        await expect(cyd.locator(".seat.you .name")).to_contain_text(name)
        await expect(cyd.get_by_role("button", name="Keep my seat")).to_have_count(0)


async def takes_out_and_hands_over(ann: Page, other: Page, cyd: Page) -> None:
    # Taking somebody out is asked about once; the keyboard stays where the question is.
    await ann.get_by_label("Seat", exact=True).select_option(label="Cyd")
    await ann.get_by_label("Reason").select_option("conduct")
    await ann.get_by_role("button", name="Take out").click()
    question = ann.get_by_role("group", name="Take out?")
    await expect(question.get_by_role("button", name="Take out")).to_be_focused()
    await question.get_by_role("button", name="Take out").click()
    await expect(cyd.locator(".story")).to_contain_text("takes you out for your conduct")
    told = "The host took you out for your conduct. You may go on watching."
    await expect(cyd.locator("[data-farewell]")).to_have_text(told)
    await expect(ann.locator("[data-farewell]")).to_be_hidden()
    await expect(ann.locator(".seat.out", has_text="Cyd")).to_be_visible()

    await ann.get_by_label("Seat", exact=True).select_option(label="Bob")
    await ann.get_by_role("button", name="Make host").click()
    await ann.get_by_role("group", name="Make host?").get_by_role("button", name="Make host").click()
    await expect(other.locator("summary", has_text="You host this table")).to_be_visible()
    await expect(ann.locator(".host")).to_have_count(0)
    await expect(ann.locator(".seat", has_text="Bob").get_by_text("host", exact=True)).to_be_visible()


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="session")
async def test_a_host_has_a_bot_play_for_a_phone_without_a_line_until_that_is_back(open_page: Open) -> None:
    # What a phone without a line cannot reach is no fault of the page.
    open_page.expected = "ERR_INTERNET_DISCONNECTED"
    ann = await open_page()
    match = await seated(ann, {**RULES, "seats": 2, "host": {"away_ms": 1_000}}, signs=False)
    bob = await open_page(f"/m/{match}", viewport=PHONE)
    await sit_down(bob, "Bob", own_seeds=False, signs=False)
    await ann.get_by_role("button", name="Start the match").click()
    turn = ann.locator(".seat.turn")
    await expect(turn).to_have_count(1)
    if await ann.locator(".seat.you.turn").count():
        await ann.locator(".quick button:enabled").first.click()
    await expect(turn).to_contain_text("Bob")
    await bob.context.set_offline(True)
    await expect(bob.locator(".connection")).to_be_visible()

    await ann.locator("summary", has_text="You host this table").click()
    await ann.get_by_label("Seat", exact=True).select_option(label="Bob")
    await ann.get_by_role("button", name="Seat a stand-in").click()
    stands_in = ann.locator(".seat", has_text="Bob").get_by_text("stand-in")
    await expect(stands_in).to_be_visible()
    await bob.context.set_offline(False)
    await bob.get_by_role("button", name="Take your seat back").click()
    await expect(stands_in).to_have_count(0)
    await expect(bob.locator(".alarm")).to_have_count(0)


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="session")
async def test_what_one_device_has_fixed_another_opens_that_came_by_the_link_to_the_seat(
    open_page: Open, service_url: str
) -> None:
    # What is lost, and the seed that the slower of the two devices signs in vain.
    open_page.expected = "Failed to load resource"
    page = await open_page()
    await page.add_init_script(NO_SOCKET)
    match = await seated(page, {**RULES, "deal_per": "round"}, bots=1)
    link = await seat_link(page)

    async def lose(route: Route) -> None:
        await (route.abort() if "open_seed" in str(route.request.post_data) else route.continue_())

    await page.route("**/commands", lose)
    async with page.expect_event("requestfailed"):
        await page.get_by_role("button", name="Start the match").click()
    record = record_of(service_url, match)
    assert ("seed.committed" in record, "deal.ready" in record) == (True, False)
    other = await open_page(link.removeprefix(page.url.removesuffix(f"/m/{match}")))
    await expect(other.locator(".proof.yes")).to_be_visible()

    await other.get_by_label("Quantity", exact=True).last.fill("10")
    await other.get_by_label("Quantity", exact=True).last.press("Enter")
    await expect(other.locator(".fairness")).to_contain_text("Deal 2")
    await expect(other.locator(".proof.yes")).to_be_visible()
    # The first device has no seed of the second deal that the other had not: whichever is there goes on.
    for one in (page, other):
        await expect(one.locator(".alarm")).to_have_count(0)


def record_of(service_url: str, match: str) -> str:
    return httpx.get(f"{service_url}/api/v1/matches/{match}/record", timeout=60).text


# ---- codes that the browser draws -----------------------------------------------------------------


def drawn_in_javascript(*texts: str) -> list[str]:
    """Return what a reader of codes reads in the drawings of these texts."""
    script = "const { drawingOf } = await import(process.argv[1]);"
    script += "for (const text of process.argv.slice(2)) console.log(JSON.stringify(drawingOf(text)));"
    command = [str(NODE), "--input-type=module", "--eval", script, str(FOLDER / "qr.js"), *texts]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return [read_code(modules_of(json.loads(line))) for line in run.stdout.splitlines()]


def modules_of(drawing: dict[str, object]) -> list[list[bool]]:
    size = int(str(drawing["size"]))
    modules = [[False] * size for _ in range(size)]
    for x, y in re.findall(r"M(\d+) (\d+)h1v1h-1z", str(drawing["path"])):
        modules[int(y)][int(x)] = True
    return modules


def test_a_code_that_the_browser_draws_is_read_by_a_reader_of_others_whatever_its_length() -> None:
    # The most that each size holds at the lowest level of correction (ISO/IEC 18004, table 7), and one less and more.
    texts = [
        "a",
        "dé",
        *("x" * length for length in (17, 18, 78, 79, 106, 134, 154, 192, 230, 271, 321, 367, 425, 520)),
    ]
    assert drawn_in_javascript(*texts) == texts
