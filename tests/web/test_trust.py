"""The page believes its own arithmetic, not the server: what it does when the two differ."""

from __future__ import annotations

import json
from pathlib import Path

import httpx
import pytest
from playwright.async_api import Page, Route, WebSocketRoute, expect

from domain.fairness import records
from domain.log import canonical
from domain.log.notes import ED25519, Key
from domain.log.policies import policy_of
from domain.log.receipts import compare, sign_receipt, split
from infra.keys import Ed25519Signer, ed25519_verify
from tests.web.conftest import NO_SOCKET, Open, posted, seated
from tests.web.test_accessibility import check

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def _hosted(page: Page, *, each_round: bool = False) -> str:
    """Open a table with one bot, sit down with own seeds, and return the match."""
    rules = {"game": "common_hand", "options": {"push": True}, "seats": 4, "pause_ms": 0}
    return await seated(page, {**rules, "deal_per": "round" if each_round else "match"}, bots=1)


async def _start(page: Page) -> None:
    await page.get_by_role("button", name="Start the match").click()


def _types(service_url: str, match: str) -> list[str]:
    text = httpx.get(f"{service_url}/api/v1/matches/{match}/record", timeout=60).text
    return [json.loads(line)["type"] for line in text.splitlines() if not line.startswith("#")]


OTHER = f"log {Key('truecup.local/log', ED25519, Ed25519Signer(bytes(32)).public_key)}\nquorum none\n"
"""A policy that believes a log of another key."""


async def pin(page: Page, policy: str) -> None:
    await page.evaluate("(text) => localStorage.setItem('truecup.policy', JSON.stringify(text))", policy)


async def test_dice_stay_verified_after_a_push_and_in_every_deal_until_a_player_resigns(open_page: Open) -> None:
    page = await open_page()
    await _hosted(page, each_round=True)
    await _start(page)
    await expect(page.locator(".rail.yours .plans")).to_be_visible()
    await page.locator(".planned label").first.click()
    await page.get_by_role("button", name="Push: show one and roll four again").click()

    await expect(page.locator(".entries")).to_contain_text("You show a die and roll four again")
    await expect(page.locator(".own-dice .die.shown")).to_have_count(1)
    await expect(page.locator(".proof.yes")).to_be_visible()

    await page.get_by_label("Quantity", exact=True).last.fill("10")
    await page.get_by_label("Quantity", exact=True).last.press("Enter")
    await expect(page.locator(".fairness")).to_contain_text("Deal 2")
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.locator(".alarm")).to_have_count(0)

    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("button", name="Stay").click()
    await page.get_by_role("button", name="Resign").click()
    await page.get_by_role("button", name="Resign").click()

    await expect(page.get_by_role("heading", name="Finished")).to_be_visible()
    await expect(page.locator(".felt")).to_contain_text("wins")


class Memory:
    """What a browser keeps of a house, as it is before somebody lies to it."""

    def __init__(self, page: Page, kept: dict[str, str]) -> None:
        self._page = page
        self._kept = kept

    @classmethod
    async def of(cls, page: Page) -> Memory:
        return cls(page, await page.evaluate("({ ...localStorage })"))

    async def back(self) -> None:
        """Let the browser have seen no lie."""
        await self._page.evaluate("(kept) => { localStorage.clear(); Object.assign(localStorage, kept); }", self._kept)


@pytest.mark.long
async def test_a_page_is_lied_to_before_its_match(open_page: Open, service_url: str) -> None:
    open_page.expected = "401 (Unauthorized)"
    page = await open_page()
    match = await _hosted(page)
    memory, alert = await Memory.of(page), page.get_by_role("alert")

    await page.evaluate(
        "(match) => localStorage.setItem(`truecup.receipts.${match}`, JSON.stringify([[2, 'f'.repeat(64)]]))", match
    )
    await page.reload()
    await expect(alert).to_contain_text("another history")

    await memory.back()
    record = b"".join(line + b"\n" for line in _lines(service_url, match)[:-1]).decode()
    await page.route("**/record", lambda route: route.fulfill(body=record, content_type="text/plain"))
    await page.reload()
    await expect(alert).to_contain_text("shorter history")
    await page.unroute("**/record")

    await memory.back()
    await page.evaluate(
        """(match) => localStorage.setItem(`truecup.match.${match}`,
            JSON.stringify({ token: `truecup_seat_${'x'.repeat(43)}`, seat: 1 }))""",
        match,
    )
    await page.reload()
    await expect(page.get_by_role("heading", name="Take a seat")).to_be_visible()
    await expect(page.locator(".alarm")).to_have_count(0)

    await memory.back()
    await page.reload()
    await page.get_by_role("button", name="Get up again").click()
    await expect(page.get_by_role("heading", name="Take a seat")).to_be_visible()
    await expect(page.locator(".seat")).to_have_count(1)
    await expect(page.locator(".alarm")).to_have_count(0)


async def test_a_stream_with_another_head_than_a_receipt_is_caught_at_once(open_page: Open, service_url: str) -> None:
    page = await open_page()
    match = await _hosted(page)
    await page.evaluate("(match) => localStorage.removeItem(`truecup.receipts.${match}`)", match)
    memory = await Memory.of(page)
    view = json.loads(_text(f"{service_url}/api/v1/matches/{match}")) | {"head": "f" * 64, "viewer": 1}

    def deceive(socket: WebSocketRoute) -> None:
        def answer(message: str | bytes) -> None:
            asked = json.loads(message)
            if asked["do"] == "watch":
                socket.send(json.dumps({"id": asked["id"], "status": 200, "match": match, "version": view["version"]}))
                socket.send(json.dumps({"watch": asked["id"], "match": match, "snapshot": view}))

        socket.on_message(answer)

    await page.route_web_socket("**/api/v1/socket", deceive)
    await page.reload()
    await expect(page.get_by_role("alert")).to_contain_text("another history")

    await memory.back()
    body = json.dumps({"snapshot": view}) + "\n"
    await page.add_init_script(NO_SOCKET)
    await page.route("**/stream*", lambda route: route.fulfill(body=body, content_type="application/x-ndjson"))
    await page.reload()
    await expect(page.get_by_role("alert")).to_contain_text("another history")


async def test_a_receipt_of_another_key_and_an_answer_without_one_are_none(open_page: Open) -> None:
    page = await open_page()
    match = await _hosted(page)
    memory, strange = await Memory.of(page), Ed25519Signer(bytes(32))

    async def forge(route: Route) -> None:
        answer = await (await route.fetch()).json()
        head, seq = answer["head"], answer["version"] - 1
        answer["receipt"] = sign_receipt("truecup.local/log", f"match/{match}", seq, head, signers=(strange,))
        await route.fulfill(json=answer)

    async def omit(route: Route) -> None:
        answer = await (await route.fetch()).json()
        del answer["receipt"]
        await route.fulfill(json=answer)

    for lie, told in ((forge, "not signed by the log of the policy"), (omit, "gave no receipt")):
        await page.route("**/bots", lie)
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.get_by_role("alert")).to_contain_text(told)
        await page.unroute("**/bots")
        await memory.back()
        await page.reload()
        await expect(page.locator(".seat.you")).to_be_visible()
        await expect(page.locator(".alarm")).to_have_count(0)


@pytest.mark.long
async def test_what_a_page_has_seen_of_its_match_is_held_against_what_it_is_told_later(
    open_page: Open, service_url: str
) -> None:
    page = await open_page()
    match = await _hosted(page)
    await _start(page)
    await expect(page.locator(".proof.yes")).to_be_visible()
    await _has_receipts(page, service_url, match)
    await _has_news_of_a_policy(page)
    memory = await Memory.of(page)

    record = b"".join(line + b"\n" for line in _rewritten(_lines(service_url, match))).decode()
    await page.route("**/record", lambda route: route.fulfill(body=record, content_type="text/plain"))
    await page.reload()
    await expect(page.get_by_role("alert")).to_contain_text("another history")
    await expect(page.get_by_role("alert")).to_contain_text("Download your receipts")
    await page.unroute("**/record")

    await memory.back()
    await pin(page, OTHER)
    await page.reload()
    await expect(page.get_by_role("alert")).to_contain_text("not the one this browser saw first")


async def _has_receipts(page: Page, service_url: str, match: str) -> None:
    """Download them, and see that the record bears them out, and no other."""
    async with page.expect_download() as downloading:
        await page.get_by_role("button", name="Download your receipts").click()
    kept = split(_read(await (await downloading.value).path()))
    policy = policy_of(_text(f"{service_url}/api/v1/log/policy"))
    lines = _lines(service_url, match)
    found = compare(lines, kept, policy, ed25519_verify)
    assert (found.borne_out, found.strange, found.contradicted) == (len(kept), (), ())
    assert len(kept) >= 4, "a seat, bots, the start, a seed"
    assert len(compare(_rewritten(lines), kept, policy, ed25519_verify).contradicted) == len(kept)


async def _has_news_of_a_policy(page: Page) -> None:
    """See that a new policy is news and no alarm, while the log still satisfies the old one."""
    pinned = "JSON.parse(localStorage['truecup.policy']) + '# of old\\n'"
    await page.evaluate(f"localStorage.setItem('truecup.policy', JSON.stringify({pinned}))")

    await page.reload()
    await expect(page.get_by_text("The log has a new policy")).to_be_visible()
    await expect(page.locator(".alarm")).to_have_count(0)
    await page.get_by_role("button", name="Accept the new policy").click()
    await expect(page.get_by_text("The log has a new policy")).to_have_count(0)

    await page.reload()
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.get_by_text("The log has a new policy")).to_have_count(0)


@pytest.mark.long
async def test_dice_whose_openings_never_come_raise_the_alarm(open_page: Open) -> None:
    """The page may be behind its house, and looks again for a while; dice that stay unproven raise the alarm."""
    page = await open_page()
    await page.route("**/openings", lambda route: route.fulfill(json=[]))
    await _hosted(page)
    await _start(page)

    await expect(page.locator(".alarm")).to_contain_text("not those that were fixed before the deal")
    await expect(page.locator(".proof.yes")).to_have_count(0)


async def test_a_page_that_is_loaded_anew_in_a_deal_has_its_seat_and_its_seeds_and_waits_for_late_openings(
    open_page: Open,
) -> None:
    open_page.expected = "409 (Conflict)"  # the seeds may be sent before it is known that they came
    asked = 0

    async def withhold(route: Route) -> None:
        nonlocal asked
        asked += 1
        await (route.continue_() if asked > 3 else route.fulfill(json=[]))

    page = await open_page()
    await _hosted(page)
    await _start(page)
    # A page that is left before the answer came may not have asked at all.
    await expect(page.get_by_role("button", name="Start the match")).to_have_count(0)
    await page.route("**/openings", withhold)

    await page.reload()

    await expect(page.locator(".seat.you")).to_contain_text("Ada")
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.locator(".alarm")).to_have_count(0)
    assert asked > 3


async def test_nobody_sits_down_with_seeds_at_a_table_they_do_not_believe_until_they_say_so(
    open_page: Open, service_url: str
) -> None:
    match = posted(service_url, "/matches", {"rules": {"game": "common_hand", "seats": 4}})["match"]
    page = await open_page(f"/m/{match}")
    await pin(page, OTHER)
    await page.get_by_label("Your name").fill("Bea")
    await page.get_by_role("button", name="Sit down").click()

    await expect(page.get_by_role("alert")).to_contain_text("not signed as that one asks")
    await expect(page.locator(".seat.you")).to_have_count(0)
    await _believe(page)
    await expect(page.locator(".alarm")).to_have_count(0)
    await page.get_by_role("button", name="Sit down").click()
    await expect(page.locator(".seat.you .name")).to_contain_text("Bea")


@pytest.mark.long
async def test_a_seed_stays_closed_while_the_log_is_signed_by_another_key_than_the_one_seen_first(
    open_page: Open, service_url: str
) -> None:
    page = await open_page()
    match = await _hosted(page)
    promised = False

    def hear(sent: object) -> None:
        nonlocal promised
        promised = promised or "commit_seed" in str(sent)

    async def deceive(route: Route) -> None:
        if promised:
            await pin(page, "log other+00000000+AA\n")
        await route.continue_()

    page.on("request", lambda request: hear(request.post_data))
    page.on("websocket", lambda socket: socket.on("framesent", hear))
    await page.route("**/log/policy", deceive)
    await page.reload()

    await _start(page)

    await expect(page.get_by_role("alert")).to_contain_text("not the one this browser saw first")
    assert "deal.logged" in _types(service_url, match)
    assert "deal.ready" not in _types(service_url, match)


async def test_no_seed_is_promised_by_a_browser_that_does_not_believe_the_log(
    open_page: Open, service_url: str
) -> None:
    page = await open_page()
    match = await _hosted(page)
    await pin(page, OTHER)

    await _start(page)

    await expect(page.get_by_role("alert")).to_contain_text("not signed as that one asks")
    told = [canonical.decode(line) for line in _lines(service_url, match)]
    assert 1 not in [one["data"]["seat"] for one in told if one["type"] == "seed.committed"]
    await _believe(page)
    await expect(page.locator(".proof.yes")).to_be_visible()
    await expect(page.locator(".alarm")).to_have_count(0)


async def test_no_table_is_opened_with_a_seat_that_would_not_open_its_seeds(open_page: Open) -> None:
    page = await open_page("/")
    await pin(page, OTHER)

    await page.get_by_role("button", name="Play against bots now").click()

    await expect(page.locator("#create-error")).to_contain_text("The page of any table shows both policies")


async def _believe(page: Page) -> None:
    """Say that the new policy was compared elsewhere, which takes a deliberate hand."""
    await page.get_by_text("What if the house has changed its key?").click()
    await expect(page.get_by_label("The policy this browser believes")).to_have_text(OTHER)
    await expect(page.get_by_label("The policy the log has now")).to_contain_text("log truecup")
    await check(page)
    await page.get_by_role("button", name="Believe the new policy").click()
    await expect(page.locator(".alarm")).to_be_visible()
    await page.get_by_label("I have compared the new policy elsewhere").check()
    await page.get_by_role("button", name="Believe the new policy").click()


def _text(url: str) -> str:
    return httpx.get(url, timeout=60).text


def _read(path: Path) -> str:
    return path.read_text()


def _lines(service_url: str, match: str) -> list[bytes]:
    return list(records.split(httpx.get(f"{service_url}/api/v1/matches/{match}/record", timeout=60).content).lines)


def _rewritten(lines: list[bytes]) -> list[bytes]:
    """Return the same match as if it had been opened a moment later, every line chained anew."""
    made: list[bytes] = []
    for old in lines:
        told = canonical.decode(old)
        prev = canonical.head(made[-1]) if made else told["prev"]
        made.append(canonical.encode({**told, "at": told["at"] + 1, "prev": prev}))
    return made
