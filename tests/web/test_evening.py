"""An evening at a table: two matches in a row, four pages, one of them a phone that came by the code on a terminal.

The phone loses the line in the second match; the host lets a house bot play for it; another device takes the seat back.
"""

from __future__ import annotations

import asyncio
import re
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.async_api import Browser, Page, expect

from tests.cli.conftest import PROGRAM
from tests.cli.real_terminal import RealTerminal
from tests.cli.test_reaching import modules_of
from tests.web.codes import read_code
from tests.web.conftest import Open, proven, seated, sit_down
from tests.web.keeping import KeptPages
from tests.web.test_host_powers import PHONE, seat_link

RULES = {
    "game": "common_hand",
    "options": {"dice_per_player": 1},
    "seats": 4,
    "pause_ms": 0,
    # What is a minute at other tables: after so long without the phone its seat may be lent to a bot.
    "host": {"away_ms": 1_000},
}
STILL: dict[str, Any] = {"reduced_motion": "reduce"}
DOES = {"bid": ".quick button:enabled", "doubt": ".doubt:enabled"}
"""What is pressed: the smallest bid, or the doubt, which is thought of twice."""


class House:
    """`truecup up --host 0.0.0.0` as its owner has it on a terminal."""

    def __init__(self, folder: Path) -> None:
        settings = {"TRUECUP_PROCESSES": "1", "TRUECUP_BOT_PAUSE_MS": "0", "COLORTERM": "truecolor"}
        asked = ("up", "--host", "0.0.0.0", "--port", "0", "--no-demo")
        self.terminal = RealTerminal(folder, *asked, settings=settings, lines=60)
        told = self.terminal.until(lambda text: "Ctrl-C stops it all" in text)
        found = re.search(r"Truecup is running at (http://127\.0\.0\.1:\d+)", told)
        assert found is not None, told
        self.url = found[1]

    @property
    def code(self) -> str:
        """What a camera reads on the terminal; of a machine without a network, its own address."""
        lines = list(self.terminal.screen.display)
        code = [line for line in lines if set(line) & set("\u2580\u2584\u2588")]
        if not code:
            return self.url
        return read_code(modules_of([" " * 80, " " * 80, *code, " " * 80, " " * 80]))

    def stop(self) -> int:
        self.terminal.process.send_signal(signal.SIGINT)
        return self.terminal.ended()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path / "house")
    yield house
    try:
        assert house.stop() == 0
    finally:
        house.terminal.close()


@pytest.mark.long
@pytest.mark.asyncio(loop_scope="session")
async def test_four_people_play_twice_and_a_phone_is_lost_stood_in_for_and_replaced(
    browser: Browser, house: House, tmp_path: Path
) -> None:
    opened = Open(KeptPages(browser, house.url, idle_max=0))
    ann, phone, people = await arrives(opened, house)
    first = ann.url
    await plays_to_the_end(people)
    await says_yes(people)
    second = ann.url
    assert second != first

    link = await loses_the_line(ann, phone, people)
    other = await takes_the_seat_back(opened, ann, link)
    await phone.context.set_offline(False)
    await plays_to_the_end([*people[:3], other])
    await expect(phone.get_by_role("heading", name="Finished")).to_be_visible()
    for page in (*people, other):
        await expect(page.locator(".alarm")).to_have_count(0)

    for device, table in ((phone, first), (other, second)):
        await proven(house.url, match_of(table))
        await device.goto(f"{device.url.split('/m/')[0]}/m/{match_of(table)}/audit")
        await expect(device.locator(".verdict.yes")).to_be_visible()
    # What a phone without a line cannot reach is no fault of the page, nor what plain http is without.
    hears = ("ERR_INTERNET_DISCONNECTED", "Cross-Origin-Opener-Policy")
    opened.complaints[:] = [text for text in opened.complaints if not any(one in text for one in hears)]
    await opened.close()
    await asyncio.to_thread(are_fair, house, [first, second], tmp_path)


# ---- the evening --------------------------------------------------------------------------------


async def arrives(opened: Open, house: House) -> tuple[Page, Page, list[Page]]:
    """Return the pages of four who sit at a table in play, the host's first and the phone's last."""
    ann = await opened("/", viewport={"width": 1366, "height": 657}, **STILL)
    match = await seated(ann, RULES, name="Ann")
    bob, cyd = [await opened(f"/m/{match}", **STILL) for _ in range(2)]
    await sit_down(bob, "Bob", own_seeds=False)
    await sit_down(cyd, "Cyd", own_seeds=False)

    phone = await opened(house.code, viewport=PHONE, has_touch=True, is_mobile=True, **STILL)
    await phone.locator(f'main a[href="/m/{match}"]').first.tap()
    await phone.wait_for_url(f"**/m/{match}")
    await phone.get_by_label("Your name").fill("Dee")
    await phone.get_by_label("Sign my moves with a key of this browser").uncheck()
    await phone.get_by_role("button", name="Sit down").tap()
    await expect(phone.locator(".seat.you .name")).to_contain_text("Dee")
    await ann.get_by_role("button", name="Start the match").click()
    return ann, phone, [ann, bob, cyd, phone]


async def plays_to_the_end(people: list[Page]) -> None:
    """Let everybody bid and doubt by turns, each on the own page, until somebody has won."""
    for page in people:
        await page.evaluate(
            """({ bid, doubt }) => {
              const timer = setInterval(() => {
                if (document.querySelector('tc-table').view?.phase === 'finished') return clearInterval(timer);
                (document.querySelector(doubt) ?? document.querySelector(bid))?.click();
              }, 40);
            }""",
            DOES,
        )
    for page in people:
        await expect(page.get_by_role("heading", name="Finished")).to_be_visible()


async def says_yes(people: list[Page]) -> None:
    """Sit down at the next table, everybody, the first as its host, and wait for the dice."""
    before = people[0].url
    for page in people:
        await page.get_by_role("button", name="Rematch").click()
        await expect(page.get_by_role("button", name="Rematch")).to_have_count(0)
    for page in people:
        await expect(page).not_to_have_url(re.compile(match_of(before)))
        await expect(page.locator(".own-dice .die").first).to_be_visible()
        await expect(page.locator(".seat")).to_have_count(4)


async def loses_the_line(ann: Page, phone: Page, people: list[Page]) -> str:
    """Bid until it is the phone's turn, and cut its line; return the link to its seat, which it shows all the same."""
    while await phone.locator(".seat.you.turn").count() == 0:
        turn = [page for page in people if await page.locator(".seat.you.turn").count() == 1]
        for page in turn:
            await page.locator(DOES["bid"]).first.click()
            await expect(page.locator(".seat.you.turn")).to_have_count(0)
    await phone.context.set_offline(True)
    await expect(phone.locator(".connection")).to_be_visible()
    await ann.locator("summary", has_text="You host this table").click()
    await ann.get_by_label("Seat", exact=True).select_option(label="Dee")
    await ann.get_by_role("button", name="Seat a stand-in").click()
    await expect(ann.locator(".seat", has_text="Dee").get_by_text("stand-in")).to_be_visible()
    return await seat_link(phone)


async def takes_the_seat_back(opened: Open, ann: Page, link: str) -> Page:
    """Return the page of the other device, at which the phone's owner sits now."""
    other = await opened(link, viewport={"width": 820, "height": 1180}, has_touch=True, **STILL)
    await expect(other).to_have_url(link.partition("#")[0])
    await other.get_by_role("button", name="Take your seat back").tap()
    await expect(other.locator(".seat.you .name")).to_contain_text("Dee")
    await expect(ann.locator(".seat", has_text="Dee").get_by_text("stand-in")).to_have_count(0)
    return other


# ---- what is left of it --------------------------------------------------------------------------


def match_of(url: str) -> str:
    return url.rpartition("/m/")[2]


def are_fair(house: House, tables: list[str], folder: Path) -> None:
    """Check that the other auditor, the program's, finds no fault in these matches either."""
    policy = folder / "policy.txt"
    policy.write_bytes(httpx.get(f"{house.url}/api/v1/log/policy", timeout=60).content)
    command = [*PROGRAM, "audit", *tables, "--policy", str(policy)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
