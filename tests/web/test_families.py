"""A person plays in a browser, by clicks alone, a round of each family of games; the others play over the interface."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from typing import Any, Literal

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.sizes import spread
from tests.web.conftest import Open, seated
from tests.web.test_accessibility import WCAG, check_with_axe

pytestmark = pytest.mark.asyncio(loop_scope="session")
Json = dict[str, Any]
ADA = 1
HYPHEN = "\N{NON-BREAKING HYPHEN}"
TURN_S = 60
SCREENS: list[tuple[int, Literal["dark", "light"]]] = spread([(390, "dark"), (1280, "light")], 1)


class Others:
    """The seats beside Ada's, who never doubt unless they are told to, and always claim the least they may."""

    def __init__(self, client: httpx.AsyncClient, match: str) -> None:
        self._client = client
        self._path = f"/matches/{match}"
        self._tokens: dict[int, str] = {}

    async def sit(self, *names: str) -> None:
        for name in names:
            answer = await self._client.post(f"{self._path}/seats", json={"name": name})
            self._tokens[answer.json()["seat"]] = answer.json()["token"]

    async def play(self) -> None:
        """Play until it is Ada's turn and she may do something."""
        async with asyncio.timeout(TURN_S):
            while (turn := (await self.seen())["turn"]) != ADA:
                await (asyncio.sleep(0.05) if turn is None else self.act())

    async def doubt(self, times: int = 1) -> None:
        for _ in range(times):
            await self.act("challenge")

    async def act(self, wanted: str = "") -> None:
        """Let the seat in turn do what is wanted, or else the tamest thing."""
        async with asyncio.timeout(TURN_S):
            while (view := await self.seen())["turn"] not in self._tokens:
                await asyncio.sleep(0.05)
        own = await self.seen(view["turn"])
        moves = {move["type"]: move for move in own["moves"]}
        kind = wanted or next(kind for kind in ("choose_first", "roll", "accept", "bid", "call") if kind in moves)
        headers = {"Authorization": f"Bearer {self._tokens[view['turn']]}"}
        answer = await self._client.post(f"{self._path}/commands", json=_body(kind, moves), headers=headers)
        assert answer.is_success, answer.text

    async def seen(self, seat: int | None = None) -> Json:
        headers = {} if seat is None else {"Authorization": f"Bearer {self._tokens[seat]}"}
        found: Json = (await self._client.get(self._path, headers=headers)).json()
        return found


def _body(kind: str, moves: dict[str, Json]) -> Json:
    match kind:
        case "bid":
            quantity, face = (moves["bid"]["minimum"] or moves["bid"]["lowest"])[0]
            return {"type": "bid", "quantity": quantity, "face": face}
        case "call":
            return {"type": "call", **moves["call"]["minimum"]}
        case "choose_first":
            return {"type": "choose_first", "who": ADA}
    return {"type": kind}


class Table:
    """Ada's page, and the others."""

    def __init__(self, page: Page, others: Others, match: str) -> None:
        self.page = page
        self.others = others
        self.match = match

    async def turn(self) -> None:
        """Let the others play until it is Ada's turn."""
        await self.others.play()
        await expect(self.page.locator(".rail.yours")).to_be_visible()

    async def round(self) -> None:
        """Let the turn go once round the table, after what Ada has just done."""
        await expect(self.page.locator(".rail.yours")).to_have_count(0)
        await self.turn()

    async def click(self, name: str | re.Pattern[str]) -> None:
        await self.page.get_by_role("button", name=name).first.click()

    async def type(self, text: str) -> None:
        """Type something and wait until it is sent."""
        fold = self.page.locator("[data-fold]")
        if await fold.get_attribute("aria-expanded") == "false":
            await fold.click()
        # What is told one by one is waited for first: until then nothing is sent.
        await expect(self.page.get_by_role("button", name="Send", exact=True)).to_be_enabled()
        field = self.page.get_by_label("Or type it")
        await field.fill(text)
        await field.press("Enter")
        await expect(self.page.locator("#typed-fault")).to_have_count(0)

    async def told(self, text: str | re.Pattern[str]) -> None:
        await expect(self.page.locator(".entries")).to_contain_text(text)

    async def usable(self) -> None:
        """Check what axe knows, on a phone by night and on a desk by day, and that nothing is wider than the screen."""
        for width, scheme in SCREENS:
            await self.page.set_viewport_size({"width": width, "height": 900})
            await self.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            await check_with_axe(self.page, WCAG)
            assert await self.page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
        await self.page.set_viewport_size({"width": 1280, "height": 900})

    async def proved(self) -> None:
        await expect(self.page.locator(".proof.yes")).to_be_visible()
        await expect(self.page.locator(".alarm")).to_have_count(0)


class Tables:
    """Opens tables at which Ada sits with others.

    Attributes:
        signs: Whether Ada signs her moves.
    """

    def __init__(self, open_page: Open, client: httpx.AsyncClient) -> None:
        self._open = open_page
        self._client = client
        self.signs = True

    async def __call__(self, game: str, *names: str, **options: Any) -> Table:
        page = await self._open()
        rules = {"game": game, "options": options, "seats": 1 + len(names), "pause_ms": 500}
        match = await seated(page, rules, signs=self.signs)
        others = Others(self._client, match)
        await others.sit(*names)
        await page.get_by_role("button", name="Start the match").click()
        return Table(page, others, match)


@pytest_asyncio.fixture(loop_scope="session")
async def tables(open_page: Open, service_url: str) -> AsyncIterator[Tables]:
    async with httpx.AsyncClient(base_url=f"{service_url}/api/v1", timeout=60) as client:
        yield Tables(open_page, client)


async def test_own_cups_are_counted(tables: Tables) -> None:
    table = await tables("boss_liars", "Bob", "Cleo")
    page = table.page
    await expect(page.locator(".turn-line")).to_contain_text("who opens")
    if await page.get_by_role("button", name="You open").count():
        await table.click("You open")
    await table.turn()
    await table.proved()
    await table.usable()

    await page.locator(".quick button").first.click()
    await table.told("You bid one one")
    await table.round()
    await page.locator(".faces label").nth(5).click()
    await table.click(re.compile("^Bid .* six"))
    await table.others.act()
    await table.click("Liar!")

    await table.told(re.compile("Bob.* claim of .*(holds|falls)"))
    await expect(page.locator(".seat .ledger", has_text="1 round lost")).to_have_count(1)


@pytest.mark.long
async def test_own_hands_keep_some_dice_and_throw_the_others_again(tables: Tables) -> None:
    table = await tables("individual_hand", "Bob", dice="poker")
    page = table.page
    await table.turn()
    if await page.get_by_role("button", name="Liar!").count() == 0:
        await page.locator(".quick button").first.click()
        await table.round()
    await table.proved()
    before = await _labels(page)
    for die in (0, 2):
        await page.locator(".planned label").nth(die).click()
    await table.usable()
    await table.click("Roll three again")

    await table.told("You roll three again")
    await expect(page.get_by_role("button", name="Roll all again")).to_be_visible()
    after = await _labels(page)
    assert after[:2] == [before[0], before[2]]
    await expect(page.locator(".proof.yes")).to_contain_text("kept")

    await page.get_by_text("Full house", exact=True).click()
    await page.get_by_label("and a pair of ace").check()
    await table.click(re.compile("^Call a full house, .* over aces"))
    await table.others.doubt()

    await table.told(re.compile("Your claim of a full house, .* (holds|falls)"))
    await expect(page.locator(".alarm")).to_have_count(0)


async def _labels(page: Page) -> list[str]:
    """Return what one's dice show, in their order."""
    labels = await page.locator(".planned input").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    return [str(label).rpartition(", ")[2] for label in labels]


@pytest.mark.long
async def test_a_cup_is_passed_on_with_dice_in_it_and_beside_it(tables: Tables, open_page: Open) -> None:
    table = await tables("finska", "Bob", "Cleo")
    page = table.page
    watcher = await open_page(f"/m/{table.match}")
    await table.turn()
    if await page.get_by_role("button", name="Roll the cup").count():
        await table.click("Roll the cup")
        await page.locator(".quick button").first.click()
        await table.round()
    await expect(page.locator(".felt")).to_contain_text("The cup is passed to you")
    await table.click("Believe it, and look")
    await table.proved()
    for die in (0, 1):
        planned = page.locator(".planned").nth(die)
        await planned.locator("label").click()
        await planned.get_by_role("button", name="hidden; change").click()
    await table.usable()
    await table.click("Show two and roll three under the cup")

    await table.told("You show two dice and roll three again")
    await expect(page.locator(".own-dice .beside .die")).to_have_count(2)
    await expect(watcher.locator(".passed-cup .in .die.hidden")).to_have_count(3)
    await expect(watcher.locator(".passed-cup .beside .die:not(.hidden)")).to_have_count(2)
    await table.proved()

    await table.click(re.compile("^Call "))
    await table.others.doubt()
    await table.told(re.compile("Your claim of .* (holds|falls)"))
    await expect(watcher.locator(".felt")).to_contain_text("in the pot")
    await expect(page.locator(".alarm")).to_have_count(0)


@pytest.mark.long
async def test_numbers_are_claimed_doubted_by_all_claimed_again_and_counted(tables: Tables) -> None:
    # With three seats a claim of what nobody has would cost nothing, and one time in twelve nobody has it.
    table = await tables("liars_poker", "Bob", "Cleo", skunk=False)
    page = table.page
    await table.turn()
    await expect(page.locator(".own-dice .die.digits")).to_have_count(8)
    await table.proved()
    await table.usable()
    await page.locator(".quick button").last.click()
    await table.others.doubt(2)

    await expect(page.locator(".coach")).to_contain_text("Everybody doubts you")
    await expect(page.locator(".seat .doubting")).to_have_count(2)
    await page.locator(".quick button").first.click()
    await table.others.doubt(2)

    await table.told("claim of")
    await table.told(re.compile("Bob.? has [a-z]+"))
    await expect(page.get_by_role("heading", name="The sheet")).to_be_visible()
    await expect(page.locator(".sums tbody tr")).to_have_count(3)


async def test_two_dice_are_believed_unseen_and_rolled_blind(tables: Tables) -> None:
    table = await tables("mexican", "Bob")
    page = table.page
    await table.turn()
    if await page.get_by_role("button", name="Roll the cup").count():
        await table.click("Roll the cup")
        await expect(page.get_by_role("button", name=f"Call 4{HYPHEN}1")).to_be_visible()
        await table.usable()
        await table.click(f"Call 4{HYPHEN}1")
        await table.round()
    await table.click("Believe it")
    await table.click("Roll the cup, blind")
    await expect(page.get_by_role("group", name="Scores, the lowest first")).to_be_visible()
    await table.proved()
    await table.click(f"Call 6{HYPHEN}6")
    await table.others.doubt()

    await table.told(re.compile(f"Your claim of 6{HYPHEN}6 (holds|falls)"))
    # If a Mexican lay under the cup, one throw in eighteen, the loser finishes the glass instead.
    await table.told(re.compile("takes? a drink|finish(es the| your) glass"))
    await expect(page.locator(".sums th", has_text=re.compile("Drinks|Glasses"))).to_be_visible()


async def test_a_round_is_played_by_typing(tables: Tables) -> None:
    tables.signs = False  # what is typed in whole sentences is read by the house, and nobody signs words
    table = await tables("finska", "Bob")
    await table.turn()
    if await table.page.get_by_role("button", name="Roll the cup").count():
        await table.type("roll")
        await table.told("You roll")
        await table.type("A pair of nines")
        await table.told("You call a pair of nines")
        await table.round()
    await table.type("believe")
    await table.told("You believe it")
    await table.type("keep 1 3")
    await table.told("You roll three in the open")
    await table.type("five aces")
    await table.told("You call five aces")
    await table.others.doubt()
    await table.told(re.compile("Your claim of five aces (holds|falls)"))
