"""Quick phrases on the page: at the seat, spoken, muted for one and off for all."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import expect

from tests.web.conftest import Open, seated

FLOOD, WAIT_S, PAUSE_MS = 24, 60, 50
pytestmark = pytest.mark.asyncio(loop_scope="session")
QUIET = """async () => {
  const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() };
  const body = JSON.stringify({ rules: { game: 'common_hand' }, choices: { phrases: false } });
  return (await (await fetch('/api/v1/matches', { method: 'POST', headers, body })).json()).match;
}"""


async def test_a_phrase_hangs_at_its_seat_is_spoken_and_can_be_muted_for_one_and_for_all(open_page: Open) -> None:
    player = await open_page()
    match = await seated(player, {"game": "common_hand"})
    watcher = await open_page(f"/m/{match}")
    tray, saying = player.locator("tc-sayings summary"), watcher.locator(".seat .saying")
    await expect(watcher.locator(".seat .name")).to_contain_text("Ada")

    await tray.click()
    await player.locator("[data-phrase=luck]").click()
    await expect(player.locator(".seat.you .saying")).to_have_text("Good luck!")
    await expect(player.locator("tc-sayings .tray")).to_be_hidden()
    await expect(saying).to_contain_text("Good luck!")
    await expect(watcher.locator("[data-live]")).to_contain_text("Ada: Good luck!")

    await saying.get_by_role("button", name="Hear no more of what Ada says").click()
    await expect(saying).to_have_text("muted")
    await tray.click()
    await player.locator("[data-phrase=wow]").click()
    await expect(player.locator(".seat.you .saying")).to_have_text("Wow!")
    await expect(saying).to_have_text("muted")
    await saying.get_by_role("button", name="Hear what Ada says again").click()
    await expect(saying).to_have_count(0)

    await watcher.locator("tc-sayings summary").click()
    assert await watcher.locator("[data-phrase]").count() == 0, "who has no seat says nothing"
    await watcher.get_by_role("button", name="Hear no phrases").click()
    await watcher.reload()
    await watcher.locator("tc-sayings summary").click()
    await watcher.get_by_role("button", name="Hear phrases again").click()
    await expect(watcher.get_by_role("button", name="Hear no phrases")).to_be_visible()


async def test_a_flood_is_answered_in_the_tray_and_a_quiet_table_has_none(open_page: Open) -> None:
    open_page.expected = "429"
    page = await open_page()
    await seated(page, {"game": "common_hand"})
    await page.locator("tc-sayings summary").click()
    await expect(page.locator("[data-phrase=hurry]")).to_be_visible()
    answered = list[int]()
    page.on("response", lambda answer: answered.append(answer.status) if answer.request.method == "POST" else None)
    # At once, and many, however slow the machine is: of each process four may be said, and another after two seconds.
    await page.locator("[data-phrase=hurry]").evaluate(
        "(button, times) => { for (let n = 0; n < times; n++) button.click(); }", FLOOD
    )
    async with asyncio.timeout(WAIT_S):
        while len(answered) < FLOOD:
            await page.wait_for_timeout(PAUSE_MS)
    await expect(page.locator("tc-sayings .error")).not_to_be_empty()
    if not await page.locator("tc-sayings details[open]").count():
        # A phrase that was said closes the tray, whatever was refused before it; the answer is still there.
        await page.locator("tc-sayings summary").click()
    await expect(page.locator("tc-sayings .error")).to_be_visible()

    await page.goto(f"/m/{await page.evaluate(QUIET)}")
    await expect(page.locator(".ring")).to_be_visible()
    await expect(page.locator("tc-sayings")).to_have_count(0)
