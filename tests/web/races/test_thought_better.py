"""Second thoughts while something is under way: what was wanted last is done, and nothing besides."""

from __future__ import annotations

import asyncio

import pytest
from playwright.async_api import Page, Route, expect

from tests.director.house import DICE
from tests.web.conftest import PATIENCE_MS, Open, posted, seated
from tests.web.races.routes import comes_to_rest, held, seats_of
from tests.web.test_entrant_keys import Keyed
from tests.web.test_event_console import Event

pytestmark = pytest.mark.asyncio(loop_scope="session")
TABLE = {"game": "common_hand", "seats": 4, "host": {}}
SEAT_KEPT = "(match) => JSON.parse(localStorage.getItem(`truecup.match.${match}`)).token"
POWERS_KEPT = "(tournament) => JSON.parse(localStorage.getItem(`truecup.event.${tournament}`)).host"
KEYS_KEPT = "(tournament) => JSON.parse(localStorage.getItem(`truecup.event.${tournament}`)).keys.map(({ key }) => key)"
SLOW_KEYS = """(() => {
  const real = crypto.subtle.generateKey;
  globalThis.isMaking = false;
  crypto.subtle.generateKey = async function (...given) {
    isMaking = true;
    await new Promise((resolve) => { globalThis.make = resolve; });
    return real.apply(this, given);
  };
})()"""
"""A device that takes its time to make a key: until `make` is called."""
KEYS_OF = """const folder = document.querySelector('script').src.replace(/pages.[^/]*$/, '');
  const { freshKey, keyFrom } = await import(`${folder}signing/keys.js`);"""
HOSTED = """async () => {
  const table = document.querySelector('tc-table');
  const { view } = table;
  localStorage.setItem(`truecup.match.${view.match}`, JSON.stringify({ host: 'truecup_host_' + 'x'.repeat(43) }));
  table.view = { ...view, seats: view.seats.map((one) => ({ ...one, key: '00'.repeat(32) })), host: null };
  await table.updateComplete;
}"""
"""The table of a host, whose players all sign."""
WAITING = "() => navigator.locks.query().then(({ pending }) => pending.length > 0)"
"""Whether a page waits for its turn."""


async def test_who_bids_after_all_doubts_no_more(answering: Page) -> None:
    # The page's time stands still until it is told to go on: a machine may be slower than a doubt.
    await answering.clock.install()
    await answering.clock.pause_at(await answering.evaluate("Date.now() / 1000 + 1"))
    await answering.locator(".doubt").click()
    await expect(answering.locator(".doubt")).to_have_text("Take it back")
    await answering.locator(".bid .chip").first.click()
    await answering.clock.run_for(5_000)
    assert await answering.evaluate("played") == ["bid"]


async def test_who_is_asked_about_is_taken_out_and_nobody_else(open_page: Open, service_url: str) -> None:
    ann = await open_page()
    match = await seated(ann, TABLE, signs=False, name="Ann")
    bob, _ = [
        posted(service_url, f"/matches/{match}/seats", {"name": name, "custody": "server"}) for name in ("Bob", "Cyd")
    ]
    await ann.locator("summary", has_text="Who sits here").click()
    await ann.get_by_label("Seat", exact=True).select_option(label="Bob")
    await ann.get_by_role("button", name="Take out").click()
    asks = ann.get_by_role("group", name="Take out?")
    await expect(asks).to_contain_text("Bob")
    leaves = {"Authorization": f"Bearer {bob['token']}"}
    answer = await ann.request.delete(f"/api/v1/matches/{match}/seats/me", headers=leaves)
    assert answer.ok
    await expect(ann.locator(".seat", has_text="Bob")).to_have_count(0)
    await comes_to_rest(ann)
    if await asks.count():
        await asks.get_by_role("button", name="Take out").click()
        await expect(asks).to_have_count(0)
    assert [seat["name"] for seat in seats_of(service_url, match)] == ["Ann", "Cyd"]
    await ann.get_by_role("button", name="Take out").click()
    await expect(asks).to_contain_text("Cyd")


async def test_who_keeps_the_own_seat_keeps_it_though_the_other_was_looked_at(
    open_page: Open, service_url: str
) -> None:
    page = await open_page()
    match = await seated(page, {"game": "common_hand", "seats": 4}, signs=False, name="Ann")
    bob = posted(service_url, f"/matches/{match}/seats", {"name": "Bob", "custody": "server"})
    before = await page.evaluate(SEAT_KEPT, match)
    await page.evaluate("(hash) => { location.hash = hash; }", f"seat={bob['seat']}&token={bob['token']}")
    note = page.locator("tc-brought")
    await expect(note.get_by_role("button")).to_have_count(2)
    path = f"**/api/v1/matches/{match}"
    async with held(page, path) as look:
        await note.locator(".danger").click()
        await look.there()
        await note.locator(".plain-button").click()
        await expect(note.get_by_role("button")).to_have_count(0)
        async with page.expect_response(path):
            look.let_go()
    await comes_to_rest(page)
    assert await page.evaluate(SEAT_KEPT, match) == before


async def test_who_keeps_the_own_powers_keeps_them_though_the_others_were_looked_at(duels: Event) -> None:
    desk = await duels.seated("Ann Ben", match={**DICE, "pause_ms": 60_000})
    page, tournament = desk.page, duels.path.rpartition("/")[2]
    await desk.do("appoint", role="arbiter")
    link = await page.locator("#handed").input_value()
    before = await page.evaluate(POWERS_KEPT, tournament)
    await page.goto("about:blank")
    await page.goto(link)
    await expect(page.locator("#brought .danger")).to_be_visible()
    async with held(page, "**/notes") as look:
        await page.locator("#brought .danger").click()
        await look.there()
        await page.locator("#brought .plain-button").click()
        await expect(page.locator("#brought")).to_be_hidden()
        async with page.expect_response("**/notes"):
            look.let_go()
    await comes_to_rest(page)
    assert await page.evaluate(POWERS_KEPT, tournament) == before


async def test_another_link_with_powers_is_asked_about_though_the_first_was_being_taken(duels: Event) -> None:
    desk = await duels.seated("Ann Ben", match={**DICE, "pause_ms": 60_000})
    page, tournament = desk.page, duels.path.rpartition("/")[2]
    links = []
    for _ in range(2):
        await desk.do("appoint", role="arbiter")
        links.append(await page.locator("#handed").input_value())
    before = await page.evaluate(POWERS_KEPT, tournament)
    await page.goto("about:blank")
    await page.goto(links[0])
    await expect(page.locator("#brought .danger")).to_be_visible()
    async with held(page, "**/notes") as look:
        await page.locator("#brought .danger").click()
        await look.there()
        await page.goto(links[1])
        async with page.expect_response("**/notes"):
            look.let_go()
    await comes_to_rest(page)
    assert await page.evaluate(POWERS_KEPT, tournament) == before
    await page.locator("#brought .danger").click()
    await expect(page.locator("#brought")).to_be_hidden()
    assert await page.evaluate(POWERS_KEPT, tournament) == links[1].rpartition("=")[2]


async def test_two_pages_of_one_entrant_keep_the_key_that_was_registered(
    open_page: Open, keyed: Keyed, service_url: str
) -> None:
    open_page.expected = "4"
    token = posted(service_url, f"/tournaments/{keyed.id}/entrants", {"name": "Ada"}, keyed.host)["token"]
    card = f"{service_url}/t/{keyed.id}/me#entrant={token}"
    first = await open_page.fresh()
    second = await first.context.new_page()
    await first.add_init_script(SLOW_KEYS)
    await first.goto(card)
    await first.wait_for_function("() => isMaking", timeout=PATIENCE_MS)
    await second.goto(card)
    async with asyncio.timeout(PATIENCE_MS / 1_000):
        while keyed.keys()[0] is None and not await second.evaluate(WAITING):
            await asyncio.sleep(0.05)
    await first.evaluate("make()")
    for page in (first, second):
        await expect(page.locator("#own-key summary")).to_have_text("Your key")
    assert await first.evaluate(KEYS_KEPT, keyed.id) == [keyed.keys()[0]]


async def test_what_came_of_a_link_is_not_told_of_the_link_after(answering: Page) -> None:
    """A host gives a seat its key, and opens another player's link meanwhile."""
    await answering.evaluate(HOSTED)
    keys = answering.locator("tc-new-key")
    go, asked = asyncio.Event(), asyncio.Event()

    async def later(route: Route) -> None:
        asked.set()
        await go.wait()
        await route.fulfill(json={})

    await answering.route("**/seats/*/key", later)
    await answering.evaluate("location.hash = 'give-key=2.' + 'a'.repeat(64)")
    await keys.get_by_role("button").first.click()
    async with asyncio.timeout(PATIENCE_MS / 1_000):
        await asked.wait()
    await answering.evaluate("location.hash = 'give-key=3.' + 'b'.repeat(64)")
    await expect(keys.get_by_role("button").first).to_be_disabled()
    async with answering.expect_response("**/seats/*/key"):
        go.set()
    await expect(keys.get_by_role("button").first).to_be_enabled()


async def test_a_page_that_makes_a_key_leaves_the_one_that_another_page_has_just_made(open_page: Open) -> None:
    first = await open_page.fresh("/")
    second = await first.context.new_page()
    await second.goto(first.url)
    made = await first.evaluate(f"async () => {{ {KEYS_OF} return (await freshKey()).key; }}")
    await second.evaluate(f"async () => {{ {KEYS_OF} await freshKey(); }}")
    kept = await first.evaluate(f"async (key) => {{ {KEYS_OF} return (await keyFrom({{ key }}))?.key; }}", made)
    assert kept == made
    # Nobody has named it for two days: then it is forgotten.
    await second.clock.install()
    await second.clock.fast_forward(48 * 3_600_000)
    await second.evaluate(f"async () => {{ {KEYS_OF} await freshKey(); }}")
    assert await first.evaluate(f"async (key) => {{ {KEYS_OF} return keyFrom({{ key }}); }}", made) is None
