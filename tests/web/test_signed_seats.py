"""Seats whose moves the browser signs: nobody else can play them, and the page says so."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest
from playwright.async_api import Page, Route, expect

from services.matches.reads.names import ERASABLE_MS
from tests.signed.given_out import opened_in_bulk, start_as
from tests.web.conftest import Open, posted, proven, seated, sit_down
from tests.web.test_accessibility import check

pytestmark = pytest.mark.asyncio(loop_scope="session")

RULES = {"game": "common_hand", "options": {"push": True}, "seats": 4, "pause_ms": 0}
NO_SUBTLE = "Object.defineProperty(crypto, 'subtle', { value: undefined });"
"""A browser on a page without a secure context, before the page begins."""
NO_LOCKS = "navigator.locks.request = async () => { throw new DOMException('not allowed', 'SecurityError'); };"
NO_MEMORY = """Object.defineProperty(window, 'localStorage', {
  get: () => { throw new DOMException('not allowed', 'SecurityError'); },
});"""
"""A browser whose owner has blocked cookies and what sites keep refuses both of these."""
SEEDS = """async (match) => {
  const folder = document.querySelector('script').src.replace(/pages.[^/]*$/, '');
  return (await import(`${folder}client/keep.js`)).tokensOf(match).seeds ?? null;
}"""
"""What the seeds of a seat are made from, as its page knows it."""
FORGET_KEYS = "() => new Promise((done) => { indexedDB.deleteDatabase('truecup').onsuccess = done; })"


def record(service_url: str, match: str) -> list[dict[str, Any]]:
    """Return the lines of a match."""
    text = httpx.get(f"{service_url}/api/v1/matches/{match}/record", timeout=60).text
    return [json.loads(line) for line in text.splitlines() if not line.startswith("#")]


def signed(service_url: str, match: str, seat: int = 1) -> list[str]:
    """Return the types of what a seat has signed."""
    told = [line["signed"] for line in record(service_url, match) if "signed" in line]
    return [one["command"]["type"] for one in told if one["seat"] == seat]


def erase_name(service_url: str, match: str, token: str) -> None:
    """Erase what somebody is called who sits there."""
    asked = {"Authorization": f"Bearer {token}", "Idempotency-Key": match}
    httpx.delete(f"{service_url}/api/v1/matches/{match}/seats/me/name", headers=asked, timeout=60).raise_for_status()


async def start(page: Page) -> None:
    await page.get_by_role("button", name="Start the match").click()
    await expect(page.locator(".proof.yes")).to_be_visible()


async def bid(page: Page, quantity: int) -> None:
    await page.get_by_label("Quantity", exact=True).last.fill(str(quantity))
    await page.get_by_label("Quantity", exact=True).last.press("Enter")


async def test_a_seat_signs_its_join_its_seeds_and_its_moves_and_goes_on_after_a_reload(
    open_page: Open, service_url: str
) -> None:
    page = await open_page()
    match = await seated(page, RULES, bots=1)
    await start(page)
    await expect(page.locator(".seat.you .signs")).to_have_attribute("aria-label", "signed by you")
    await expect(page.locator(".seat:not(.you) .signs.house")).to_have_attribute(
        "aria-label", re.compile("the house.s word")
    )
    await expect(page.locator(".signers")).to_contain_text(
        re.compile(r"Signed by their players: \W*Ada\W*\.\s+The house.s word: ")
    )
    await page.reload()

    await types_a_bid(page)
    assert signed(service_url, match) == ["join", "commit_seed", "open_seed", "bid"]
    await expect(page.locator(".seat-key")).to_be_visible()
    await page.locator(".seat-key summary").click()
    await expect(page.locator(".seat-key")).to_contain_text("cannot be copied")
    await check(page)
    await expect(page.locator(".alarm")).to_have_count(0)

    token = await page.evaluate("(match) => JSON.parse(localStorage[`truecup.match.${match}`]).token", match)
    erase_name(service_url, match, token)
    await page.wait_for_timeout(ERASABLE_MS)
    await page.reload()
    await expect(page.locator(".signers")).to_contain_text("seat 1, name erased")
    await stands_there_with_another_key(page, match)


async def types_a_bid(page: Page) -> None:
    """Type what is read here, and signed as the command it says."""
    await page.locator("[data-fold]").click()
    await page.locator("#typed").fill("nine or so")
    await page.locator("#typed").press("Enter")
    await expect(page.locator("#typed-fault")).to_contain_text("signs commands, and no words")

    await page.locator("#typed").fill("4 fives")
    await page.locator("#typed").press("Enter")

    await expect(page.locator(".entries")).to_contain_text("You bid four fives")


async def stands_there_with_another_key(page: Page, match: str) -> None:
    await expect(page.locator(".alarm")).to_have_count(0)
    await page.evaluate(
        """(match) => {
          const kept = JSON.parse(localStorage.getItem(`truecup.match.${match}`));
          const joined = { ...kept.joined, key: 'ab'.repeat(32) };
          localStorage.setItem(`truecup.match.${match}`, JSON.stringify({ ...kept, joined }));
        }""",
        match,
    )

    await page.reload()

    await expect(page.locator(".alarm")).to_contain_text("with another key or name than this browser has signed")


async def test_a_browser_without_keys_of_its_own_signs_with_one_that_can_be_put_away_and_brought_back(
    open_page: Open, service_url: str
) -> None:
    page = await open_page()
    await page.context.add_init_script(NO_SUBTLE)
    match = await seated(page, RULES, bots=1)
    await page.locator(".seat-key summary").click()
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="Download your key").click()
    file = await (await downloading.value).path()
    await page.evaluate(
        """(match) => {
          const { keys, ...tokens } = JSON.parse(localStorage.getItem(`truecup.match.${match}`));
          localStorage.setItem(`truecup.match.${match}`, JSON.stringify(tokens));
        }""",
        match,
    )
    await page.reload()
    await expect(page.locator(".lost-key")).to_contain_text("does not have the key of your seat")
    await check(page)

    await page.get_by_label("The key as a file").set_input_files(file)

    await expect(page.locator(".lost-key")).to_have_count(0)
    await start(page)
    assert signed(service_url, match) == ["join", "commit_seed", "open_seed"]


async def test_a_browser_that_is_to_keep_nothing_signs_at_the_table_it_has_opened(
    open_page: Open, service_url: str
) -> None:
    page = await open_page()
    await page.context.add_init_script(NO_LOCKS + NO_MEMORY)
    await page.goto("/#create")
    await page.get_by_label("Your name").fill("Ada")
    await page.get_by_role("button", name="Play it against bots at once").click()

    # Whoever comes from the page before has the key from the link to the seat, and the locks of nobody.
    await expect(page.locator(".own-dice .die").first).to_be_visible()
    await expect(page.locator(".lost-key")).to_have_count(0)
    match = page.url.rpartition("/m/")[2].partition("#")[0]
    assert signed(service_url, match) == ["join", "commit_seed", "open_seed"]


async def test_own_words_of_a_second_try_are_in_the_seeds_where_nothing_is_kept(
    open_page: Open, service_url: str
) -> None:
    match = posted(service_url, "/matches", {"rules": RULES})["match"]
    posted(service_url, f"/matches/{match}/seats", {"name": "Ada"})
    open_page.expected = "409"
    page = await open_page()
    await page.context.add_init_script(NO_MEMORY)
    await page.goto(f"/m/{match}")
    await page.get_by_label("Your name").fill("Ada")
    await page.get_by_role("button", name="Sit down").click()
    await expect(page.get_by_role("alert").first).to_be_visible()
    before = await page.evaluate(SEEDS, match)
    await page.locator("details:has(#join-words) > summary").click()
    await page.locator("#join-words").fill("words of my own")
    await sit_down(page, "Bea")
    assert await page.evaluate(SEEDS, match) not in {before, None}


@pytest.mark.long
async def test_who_has_lost_the_key_in_mid_match_is_told_so_and_asks_the_host_for_another(
    open_page: Open, service_url: str
) -> None:
    host, guest = await open_page(), await open_page()
    match = await seated(host, RULES)
    await guest.goto(f"/m/{match}")
    await sit_down(guest, "Bo")
    await start(host)
    await guest.evaluate(FORGET_KEYS)
    before = len(record(service_url, match))
    await guest.reload()
    await expect(guest.locator(".lost-key")).to_contain_text("Without it nothing you ask for counts")
    assert len(record(service_url, match)) == before

    await guest.get_by_role("button", name="Ask for a new key").click()
    link = await guest.get_by_label("Link for the host").input_value()
    await host.goto(link.replace(link.split("/m/")[0], service_url))
    await host.get_by_role("button", name="Give this seat a new key").click()

    await expect(host.locator(".note[role=status]").first).to_contain_text("in two minutes")
    await expect(guest.locator(".lost-key")).to_contain_text("You can play with it in")
    keyed = [line["data"] for line in record(service_url, match) if line["type"] == "seat.keyed"]
    assert [(one["seat"], one["by"], one["key"]) for one in keyed] == [(2, "host", link.rpartition(".")[2])]


@pytest.mark.long
async def test_two_pages_of_one_seat_sign_one_after_the_other(open_page: Open, service_url: str) -> None:
    page = await open_page()
    match = await seated(page, RULES, bots=1)
    other = await page.context.new_page()
    await other.goto(f"/m/{match}")
    await start(page)
    await expect(other.locator(".proof.yes")).to_be_visible()
    await expect(other.locator(".rail.yours")).to_be_visible()

    await bid(other, 2)
    await expect(page.locator(".entries")).to_contain_text("You bid")
    await expect(page.locator(".rail.yours")).to_be_visible()
    await bid(page, 20)

    await expect(page.locator(".entries").get_by_text("You bid")).to_have_count(2)
    await expect(page.locator(".entries")).to_contain_text("Round 2")
    told = [line["signed"] for line in record(service_url, match) if line.get("signed", {}).get("seat") == 1]
    assert [one["n"] for one in told] == list(range(len(told)))
    assert [one["command"]["type"] for one in told][-2:] == ["bid", "bid"]
    await expect(page.locator(".alarm")).to_have_count(0)


async def test_a_command_without_an_answer_is_sent_again_as_the_same_bytes(open_page: Open, service_url: str) -> None:
    page = await open_page()
    await page.context.add_init_script("delete window.WebSocket;")
    match = await seated(page, RULES, bots=1)
    await start(page)
    open_page.expected = "Failed to load resource"
    sent: list[str] = []

    async def lose(route: Route) -> None:
        body = str(route.request.post_data)
        sent.append(body)
        if len(sent) <= 4:
            await route.abort()
        else:
            await route.continue_()

    await page.route("**/commands", lose)
    await bid(page, 3)
    await expect(page.locator(".rail .error")).to_contain_text("cannot be reached")
    await bid(page, 3)

    await expect(page.locator(".entries")).to_contain_text("You bid")
    assert len(set(sent)) == 1
    assert signed(service_url, match)[-1] == "bid"


PLAYS = """() => {
  const tried = new Set();
  setInterval(() => {
    const table = document.querySelector('tc-table');
    const { view } = table;
    if (table.busy || view.version < table.awaited || view.phase === 'finished') return;
    const [arrange, call] = ['arrange', 'call'].map((type) => view.moves.find((one) => one.type === type));
    const bodies = [
      arrange && { type: 'arrange', outside: [], inside: [], roll_inside: [0, 2], roll_outside: [] },
      call && { type: 'call', ...call.minimum },
      ...view.moves.map(({ type }) => ({ type })),
    ];
    const body = bodies.find((one) => one && !tried.has(`${view.version} ${one.type}`));
    if (body === undefined) return;
    tried.add(`${view.version} ${body.type}`);
    document.querySelector('tc-controls').send(body);
  }, 50);
}"""
"""Rolls dice anew as long as it may, and then claims what is least."""


@pytest.mark.long
async def test_which_dice_are_rolled_anew_is_sealed_by_the_page_and_the_audit_says_that_all_is_signed(
    open_page: Open, service_url: str
) -> None:
    page = await open_page()
    match = await seated(page, {"game": "individual_hand", "seats": 2, "pause_ms": 0}, bots=1)
    await start(page)

    await page.evaluate(PLAYS)

    await expect(page.get_by_role("heading", name="Finished")).to_be_visible()
    told = signed(service_url, match)
    assert told.count("arrange") >= 2
    audited = await proven(service_url, match)
    assert audited["status"] == "OK", audited
    assert (audited["seats"]["1"]["signed"], audited["seats"]["1"]["clock"]) == (len(told), 0)
    assert not audited["seats"]["1"]["custody"]
    await expect(page.locator(".alarm")).to_have_count(0)


@pytest.mark.long
async def test_at_a_rematch_both_sign_again_with_other_keys_and_each_has_a_shield(
    open_page: Open, service_url: str
) -> None:
    ada, bob = await open_page(), await open_page()
    match = await seated(ada, {**RULES, "seats": 2})
    await bob.goto(f"/m/{match}")
    await sit_down(bob, "Bob")
    await start(ada)
    await expect(bob.locator(".own-dice .die").first).to_be_visible()
    await ada.get_by_role("button", name="Resign").click()
    await ada.get_by_role("group", name="Resign?").get_by_role("button", name="Resign").click()

    for page in (ada, bob):
        await page.get_by_role("button", name="Rematch").click()

    for page in (ada, bob):
        await expect(page).not_to_have_url(f"/m/{match}")
        await expect(page.locator(".own-dice .die").first).to_be_visible()
        await expect(page.locator(".seat.you .signs")).to_have_attribute("aria-label", "signed by you")
        await expect(page.locator(".lost-key")).to_have_count(0)
    after = ada.url.rpartition("/")[2]
    keys = [
        [line["data"]["key"] for line in record(service_url, one) if line["type"] == "seat.joined"]
        for one in (match, after)
    ]
    assert len({*keys[0], *keys[1]}) == 4
    told = [signed(service_url, after, seat) for seat in (1, 2)]
    assert [one[:3] for one in told] == [["join", "commit_seed", "open_seed"]] * 2
    await expect(ada.locator(".alarm")).to_have_count(0)
    await check(ada)


@pytest.mark.long
async def test_a_seat_goes_along_to_another_device_with_a_key_that_can_and_so_it_does_at_a_rematch(
    open_page: Open, service_url: str
) -> None:
    page, other = await open_page(), await open_page()
    match = await seated(page, {**RULES, "seats": 2}, bots=1)
    await page.locator(".elsewhere summary").click()
    link = await page.locator("#seat-link").input_value()
    await other.goto(link.replace(link.split("/m/")[0], service_url))
    await expect(other.locator(".seat.you")).to_be_visible()

    await other.reload()

    await expect(other.locator(".seat.you .signs")).to_be_visible()
    assert signed(service_url, match) == ["join", "rekey"]
    await start(page)
    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("group", name="Resign?").get_by_role("button", name="Resign").click()

    for each in (page, other):
        await each.get_by_role("button", name="Rematch").click()
        await expect(each).not_to_have_url(f"/m/{match}")

    for each in (page, other):
        await expect(each.locator(".seat.you .signs")).to_be_visible()
        await expect(each.locator(".lost-key")).to_have_count(0)
    assert page.url.rpartition("/")[2] == other.url.rpartition("/")[2]


@pytest.mark.long
async def test_a_seat_that_was_given_out_has_a_key_as_soon_as_its_player_is_there(
    open_page: Open, service_url: str
) -> None:
    table = opened_in_bulk(service_url)
    match = table["match"]
    pages = []
    for one in table["seats"]:
        # One after the other: of two that sign at once one is refused, and signs again over what came before.
        pages.append(await open_page(f"/m/{match}#seat={one['seat']}&token={one['token']}"))
        await expect(pages[-1].locator(".seat.you .signs")).to_have_attribute("aria-label", "signed by you")

    for page in pages:
        await expect(page.locator(".seat .signs")).to_have_count(2)
    start_as(service_url, table)
    await expect(pages[0].locator(".own-dice .die").first).to_be_visible()

    joined = [line for line in record(service_url, match) if line["type"] == "seat.joined"]
    assert ["key" in line["data"] for line in joined] == [False, False, True, True]
    await pages[0].reload()
    await expect(pages[0].locator(".own-dice .die").first).to_be_visible()
    for page in pages:
        await expect(page.locator(".lost-key, .alarm")).to_have_count(0)
