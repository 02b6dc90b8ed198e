"""A host at work, as everybody at the table sees it, and a player whose seat a bot plays for a while."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import playwright
import pytest
from playwright.async_api import Page, expect

from services.web.assets import FOLDER
from tests.web.codes import read_code
from tests.web.conftest import Open, seated, sit_down

NODE = Path(playwright.__file__).parent / "driver" / "node"
RULES = {"game": "common_hand", "seats": 4, "pause_ms": 0, "host": {}, "idle": {"turn_ms": 600_000, "turns": 3}}
LANDSCAPE, PHONE = {"width": 1366, "height": 657}, {"width": 390, "height": 844}


@pytest.mark.asyncio(loop_scope="session")
async def test_a_host_pauses_takes_out_and_hands_over_and_a_seat_goes_to_a_bot_and_to_another_device(
    open_page: Open,
) -> None:
    ann = await open_page("/", viewport=LANDSCAPE)
    match = await seated(ann, RULES, bots=1)
    bob = await open_page(f"/m/{match}", viewport=PHONE)
    await sit_down(bob, "Bob", own_seeds=False)
    cyd = await open_page(f"/m/{match}")
    await sit_down(cyd, "Cyd", own_seeds=False)
    await expect(ann.get_by_text("You have a seat, and you start the match.")).to_be_visible()
    await expect(bob.get_by_text("You have a seat. The host starts the match.")).to_be_visible()
    await ann.get_by_role("button", name="Start the match").click()
    await expect(bob.locator(".rail .die").first).to_be_visible()

    await holds_the_table_up(ann, bob, cyd)
    other = await changes_device(ann, bob, open_page, match)
    await takes_out_and_hands_over(ann, other, cyd)


async def holds_the_table_up(ann: Page, bob: Page, cyd: Page) -> None:
    # The host holds the table up: everybody reads it, and nobody can do anything.
    await ann.locator("summary", has_text="You host this table").click()
    await ann.get_by_label("Reason").select_option("break")
    await ann.get_by_role("button", name="Pause the table").click()
    for page in (ann, bob, cyd):
        await expect(page.locator(".felt .paused")).to_contain_text("Paused by the host for a break")
    await expect(bob.locator(".felt .paused")).to_contain_text(re.compile(r"goes on by itself in \d+:\d\d"))
    await expect(bob.locator(".seat.turn")).to_have_count(0)
    await ann.get_by_role("button", name="Let the table go on").click()
    await expect(bob.locator(".felt .paused")).to_have_count(0)


async def changes_device(ann: Page, bob: Page, open_page: Open, match: str) -> Page:
    # What would be refused cannot be pressed: nobody is away, and nobody is stood in for.
    await ann.get_by_label("Seat", exact=True).select_option(label="Bob")
    await expect(ann.get_by_role("button", name="Seat a stand-in")).to_be_disabled()
    await bob.get_by_role("button", name="Let a bot play for me").click()
    await expect(bob.get_by_text("A bot of the house plays for you.")).to_be_visible()
    await expect(ann.locator(".seat", has_text="Bob").get_by_text("stand-in")).to_be_visible()
    await expect(ann.get_by_role("button", name="Give the seat back")).to_be_enabled()

    # The seat goes to another device, by a link that only its owner is shown, and is taken back there.
    await bob.locator("summary", has_text="Your seat on another device").click()
    link = await bob.get_by_label("Link to your own seat").input_value()
    assert link.startswith(f"{bob.url}#seat=")
    other = await open_page(link.removeprefix(bob.url.removesuffix(f"/m/{match}")), viewport=PHONE)
    await expect(other).to_have_url(bob.url)  # the token leaves the address at once
    await other.get_by_role("button", name="Take your seat back").click()
    await expect(other.get_by_role("button", name="Let a bot play for me")).to_be_visible()
    await expect(ann.locator(".seat", has_text="Bob").get_by_text("stand-in")).to_have_count(0)
    return other


async def takes_out_and_hands_over(ann: Page, other: Page, cyd: Page) -> None:
    # Taking somebody out is asked about once; the keyboard stays where the question is.
    await ann.get_by_label("Seat", exact=True).select_option(label="Cyd")
    await ann.get_by_label("Reason").select_option("conduct")
    await ann.get_by_role("button", name="Take out").click()
    question = ann.get_by_role("group", name="Take out?")
    await expect(question.get_by_role("button", name="Take out")).to_be_focused()
    await question.get_by_role("button", name="Take out").click()
    await expect(cyd.locator(".story")).to_contain_text("takes you out for your conduct")
    await expect(ann.locator(".seat.out", has_text="Cyd")).to_be_visible()

    await ann.get_by_label("Seat", exact=True).select_option(label="Bob")
    await ann.get_by_role("button", name="Make host").click()
    await ann.get_by_role("group", name="Make host?").get_by_role("button", name="Make host").click()
    await expect(other.locator("summary", has_text="You host this table")).to_be_visible()
    await expect(ann.locator(".host")).to_have_count(0)
    await expect(ann.locator(".seat", has_text="Bob").get_by_text("host", exact=True)).to_be_visible()


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
