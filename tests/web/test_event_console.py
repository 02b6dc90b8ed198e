"""The console of officials in a browser: every button of it is pressed, and what it says comes about."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
import pytest_asyncio
from playwright.async_api import Locator, Page, expect

from services.web.tournaments.acts import ACTS
from tests.director.house import DICE, QUICK
from tests.director.test_entrant_keys_over_http import NEW, OLD, word
from tests.director.test_over_http import DUELS, Organiser, bearer
from tests.web.conftest import Open
from tests.web.test_accessibility import check

pytestmark = pytest.mark.asyncio(loop_scope="session")
PHONE = {"viewport": {"width": 320, "height": 640}}
TIMES = {**QUICK, "check_in_ms": 600_000, "no_show_ms": 3_600_000, "start": "host", "claims_ms": 3_600_000}
RULES: dict[str, Any] = {
    "match": {**DICE, "clock": {"bank_ms": 600_000}},
    "time": TIMES,
    "entry": {"approve": True, "bots": "labelled", "late_rounds": 2},
    "stages": [{**DUELS, "rounds": 2}],
}
PRESSED: set[str] = set()
"""The acts that were asked for, in all tests of this file."""


class Desk:
    """A console on a screen.

    Attributes:
        page: The page it is on.
    """

    def __init__(self, page: Page) -> None:
        self.page = page

    def button(self, act: str, about: str = "") -> Locator:
        found = self.page.locator(f'[data-act="{act}"]')
        return (found.and_(self.page.locator(f'[data-about="{about}"]')) if about else found).first

    async def press(self, act: str, about: str = "") -> None:
        PRESSED.add(act)
        await self.button(act, about).click()

    async def do(self, act: str, about: str = "", places: str = "", **said: str) -> None:
        """Ask for an act that wants to be told something: fields by name, and names in the order of their places."""
        await self.press(act, about)
        dialog = self.page.get_by_role("dialog")
        await expect(dialog.locator("#act-does")).not_to_be_empty()
        for name in filter(None, places.split(", ")):
            await dialog.get_by_role("button", name=name, exact=True).click()
        for name, value in said.items():
            field = dialog.locator(f'[name="{name}"]')
            if await field.evaluate("(field) => field.matches('select')"):
                await field.select_option(value)
            else:
                await field.fill(value)
        await dialog.locator("#act-do").click()
        await expect(dialog).to_be_hidden()

    async def reads(self, text: str) -> None:
        await expect(self.page.locator(".event").get_by_text(re.compile(text)).first).to_be_visible()


class Event(Organiser):
    """A tournament with its console, and those who have entered it by themselves."""

    def __init__(self, client: httpx.AsyncClient, open_page: Open) -> None:
        super().__init__(client)
        self.open_page = open_page

    async def console(self, token: str, **look: Any) -> Desk:
        page = await self.open_page(f"/t/{self.path.rpartition('/')[2]}/host#official={token}", **look)
        await expect(page).not_to_have_url(re.compile("#"))
        return Desk(page)

    async def enters(self, name: str) -> dict[str, str]:
        return bearer((await self.post("/entrants", {"name": name}, {}, good=201))["token"])

    async def seated(self, names: str, **rules: Any) -> Desk:
        """Go on until the first round can be paired, and return the console of the host."""
        told = await self.announce(rules={**RULES, "entry": {}, **rules}, title="Duels at the club")
        await self.ask("open_entry")
        people = [await self.enters(name) for name in names.split()]
        await self.ask("open_check_in")
        for each in people:
            await self.ask("check_in", each)
        await self.ask("proceed")
        await self.until("running")
        self.people = people
        return await self.console(str(told["token"]))


@pytest_asyncio.fixture(loop_scope="session")
async def event(open_page: Open, service_url: str) -> AsyncIterator[Event]:
    async with httpx.AsyncClient(base_url=f"{service_url}/api/v1", timeout=60) as client:
        yield Event(client, open_page)


async def paste(desk: Desk) -> None:
    """Enter two people by a list, of which another was entered already at first."""
    await desk.press("enter_list")
    pasted = desk.page.get_by_role("dialog")
    await pasted.locator("textarea[name=list]").fill("Eve; Dice Club\nAda\nFay")
    await pasted.locator("#act-do").click()
    await expect(pasted.locator("#act-error")).to_contain_text("Row 2:")
    await pasted.locator("textarea[name=list]").fill('=Eve; Dice Club; 2\n"=Fay"')
    await pasted.locator("#act-do").click()
    handed = desk.page.locator("#handed-all")
    await expect(handed).to_have_value(re.compile(r"^5\t'=Eve\thttp://\S+#entrant=truecup_entrant_\S+\n6\t'\"=Fay\"\t"))
    await desk.page.get_by_role("button", name="Done").click()


async def name_key(event: Event, desk: Desk, first: dict[str, str]) -> None:
    """Name another key for the first entrant, who has registered one."""
    await event.post("/commands", await word(event, OLD.public_key.hex(), OLD, 0), first)
    await desk.do("name_key", number="1", key=NEW.public_key.hex())
    assert (await event.get("/entrants/1"))["entrant"]["key_named"] == NEW.public_key.hex()


@pytest.mark.long
async def test_people_come_in_and_the_lots_are_drawn(event: Event) -> None:
    event.open_page.expected = "422"
    told = await event.announce(rules={**RULES, "seeding": "manual"}, title="Friday")
    desk = await event.console(str(told["token"]), **PHONE)
    await desk.reads("Entry is not open yet")
    await desk.press("open_entry")
    await desk.reads("Entry has been opened")
    ada, *_ = [await event.enters(name) for name in ("Ada", "Bob", "Cem")]
    await desk.do("enter", name="Dee", club="Dice Club")
    handed = desk.page.locator("#handed")
    await expect(handed).to_have_value(re.compile(r"/me#entrant=truecup_entrant_[\w-]{43}$"))
    await check(desk.page)
    await desk.page.get_by_role("button", name="Done").click()
    await paste(desk)
    await desk.do("bots", count="2")
    await desk.reads("8 wait to be let in")
    for name in ("Ada", "Bob", "Dee"):
        await desk.do("approve", name)
    await desk.do("turn_away", "Cem", reason="other", text="He said that he would not come.")
    await desk.do("approve", reason="rules")
    await desk.reads("3 wait to be let in")
    await desk.do("seed", number="1", seed="2")
    assert [row["seed"] for row in await event.get("/entrants") if row["seed"]] == [2, 2], "that of the list as well"
    await name_key(event, desk, ada)
    await desk.do("forbid", number="1", other="2", reason="request")
    await desk.do("allow")
    await desk.do("close_entry")
    await check(desk.page)
    await desk.press("open_check_in")
    await desk.reads("Not here yet")
    await expect(desk.button("enter")).to_be_visible()
    await desk.press("check_in", "Ada")
    await expect(desk.button("check_in", "Ada")).to_have_count(0)
    await desk.press("check_in", "Bob")
    await expect(desk.button("check_in", "Bob")).to_have_count(0)
    await check(desk.page)
    await desk.press("proceed")
    await event.until("running")
    await desk.reads("Under way")


async def pair_twice(desk: Desk) -> None:
    """Look at the next round, set it by hand, have it paired, take it back, and have it paired again."""
    await desk.page.locator("[data-preview]").click()
    await expect(desk.page.locator("#preview")).to_contain_text("Round 1, as it would be paired now")
    await desk.page.get_by_role("button", name="Set these tables by hand").click()
    await desk.page.get_by_role("dialog").locator("[data-close]").click()
    await desk.do("fix_tables", tables="1 2\n3 4", reason="request")
    await desk.reads("These sit together")
    await desk.press("proceed")
    await desk.reads("Not there yet")
    await desk.do("unpair", reason="technical")
    await desk.press("proceed")
    await desk.reads("Not there yet")


@pytest.mark.long
async def test_a_round_is_looked_at_set_taken_back_and_ruled_on(event: Event) -> None:
    desk = await event.seated("Ann Ben Cat Dan")
    await pair_twice(desk)
    await check(desk.page)
    await desk.press("extend")
    await check(desk.page)
    await desk.page.keyboard.press("Escape")
    await desk.do("extend", minutes="20", reason="late")
    await desk.do("give_time", "Table 1", minutes="2", reason="technical")
    first, second = (await event.get("/rounds/1/1"))["tables"]
    one, other = [seat["name"] for seat in first["seats"]]
    others = " ".join(str(seat["number"]) for seat in reversed(second["seats"]))
    await desk.do("rule", "Table 1", f"{other}, {one}", reason="other", text="Both said so.")
    await desk.reads("An official ruled on this table: another reason")
    await expect(desk.page.locator("q").first).to_have_text("Both said so.")
    ruled = (await event.get("/rounds/1/1"))["tables"][0]
    assert [seat["place"] for seat in ruled["seats"]] == [2, 1]
    await desk.do("penalise", number=str(first["seats"][0]["number"]), kind="table_loss", table="1", reason="conduct")
    await desk.reads("An official ruled on this table: conduct")
    await desk.do("lift", one, reason="agreement")
    await desk.reads("An official ruled on this table: another reason")
    await desk.do("erase", "Table 1")
    await expect(desk.page.locator("q")).to_be_empty()
    await desk.do("unpair_table", "Table 2", reason="technical")
    await desk.reads("Their tables were taken back")
    await desk.do("fix_tables", tables=others, reason="request")
    await expect(desk.button("unpair_table", "Table 2")).to_be_visible()
    await desk.do("replay", "Table 1", reason="house_fault")
    await desk.reads("Being played: 2 of 2")
    await desk.do("pause", reason="technical")
    await desk.press("resume")
    await expect(desk.button("pause")).to_be_visible()
    await desk.page.get_by_text("Call it off").click()
    await desk.do("cancel", reason="technical")
    await event.until("closed")


@pytest.mark.long
async def test_people_are_punished_leave_come_back_and_are_heard(event: Event) -> None:
    desk = await event.seated("Ann Ben Cat Dan", match={**DICE, "pause_ms": 0})
    await desk.do("penalise", number="1", kind="points", points="1/2", reason="conduct")
    await desk.reads("Points taken: 1/2")
    await desk.do("lift", "Ann", reason="agreement")
    await expect(desk.button("lift")).to_have_count(0)
    await desk.do("withdraw", number="2", reason="request")
    await desk.do("return", number="2", reason="request")
    await event.ask("appeal", event.people[2], line=1, text="I was here first.")
    await expect(desk.page.locator("q")).to_have_text("I was here first.")
    await desk.press("decide", "Cat")
    await desk.page.locator("#act-text").fill("You were not.")
    await expect(desk.page.get_by_text("Whoever appealed reads this")).to_be_visible()
    await expect(desk.page.get_by_text("For officials only")).to_be_hidden()
    await desk.page.keyboard.press("Escape")
    await desk.do("decide", "Cat", outcome="denied", text="You were not.")
    await expect(desk.button("decide")).to_have_count(0)
    token = event.people[2]["Authorization"].rpartition(" ")[2]
    card = await event.open_page(f"/t/{event.path.rpartition('/')[2]}/me#entrant={token}", **PHONE)
    await expect(card.locator("#appeals .said")).to_have_text(["I was here first.", "You were not."])
    await check(card)
    await desk.do("appoint", role="arbiter")
    link = await desk.page.locator("#handed").input_value()
    arbiter = await event.console(link.partition("#official=")[2], **PHONE)
    await expect(arbiter.button("penalise")).to_be_visible()
    await expect(arbiter.button("withdraw")).to_be_hidden()
    await expect(arbiter.page.get_by_role("heading", name="Officials")).to_be_hidden()
    await arbiter.do("penalise", number="3", kind="warning", reason="late")
    await check(arbiter.page)
    await arbiter.press("proceed")
    await arbiter.reads("Not there yet")
    await desk.page.get_by_role("button", name="Done").click()
    await desk.do("dismiss")
    await expect(desk.button("dismiss")).to_have_count(0)


async def sits_there_and_rules_not(event: Event, desk: Desk) -> None:
    """Have the host sit at the table of the first entrant for a moment, and ask to rule on it."""
    _, _, token = event.people[0]["Authorization"].partition(" ")
    key = f"truecup.event.{event.path.rpartition('/')[2]}"
    before = await desk.page.evaluate("(key) => localStorage.getItem(key)", key)
    await desk.page.evaluate(
        """([key, token]) => {
          localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), token }));
        }""",
        [key, token],
    )
    await desk.page.reload()
    await desk.page.wait_for_function("(key) => JSON.parse(localStorage.getItem(key)).number === 1", arg=key)
    await desk.press("rule")
    await expect(desk.page.get_by_text("Nobody rules on the own table.")).to_be_visible()
    await expect(desk.page.get_by_role("dialog")).to_have_count(0)
    await desk.page.evaluate("([key, before]) => localStorage.setItem(key, before)", [key, before])
    await desk.page.reload()


@pytest.mark.long
async def test_nobody_rules_on_the_own_table_and_one_plays_again_after_the_end(event: Event) -> None:
    desk = await event.seated("Ann Ben", stages=[{**DUELS, "rounds": 1}])
    troubles = desk.page.locator("#troubles")
    await desk.do("forbid", number="1", other="2", reason="request")
    await expect(troubles).to_contain_text(re.compile("these would meet and may not: 1 .Ann. and 2 .Ben."))
    await check(desk.page)
    await desk.do("allow")
    await expect(troubles).to_be_hidden()
    await desk.press("proceed")
    await desk.reads("Not there yet")
    await sits_there_and_rules_not(event, desk)
    await desk.do("rule", "Table 1", "Ann, Ben", reason="agreement")
    await event.until("finished")
    await desk.do("replay", "Table 1", reason="wrong_result")
    await desk.reads("Under way")
    await desk.reads("Not there yet")
    await desk.do("rule", "Table 1", "Ben, Ann", reason="agreement")
    await event.until("finished")
    places = (await event.get(""))["ranking"]
    assert [[each["name"] for each in level] for level in places] == [["Ben"], ["Ann"]]
    await check(desk.page)
    await desk.do("finish")
    await event.until("closed")


async def test_a_link_takes_the_place_of_a_host_only_if_the_owner_of_the_browser_says_so(event: Event) -> None:
    event.open_page.expected = "401"
    told = await event.announce(rules=RULES, title="Friday")
    other = (await event.post("/officials", {"role": "host"}, event.host, good=201))["token"]
    page = (await event.console(str(told["token"]), **PHONE)).page
    link = page.locator("#console-link")

    async def follow(token: str, kept: str) -> None:
        address = page.url
        await page.goto("about:blank")
        await page.goto(f"{address}#official={token}")
        await expect(link).to_have_value(re.compile(f"#official={kept}$"))
        await expect(page).not_to_have_url(re.compile("#"))

    await follow(f"truecup_host_{'x' * 43}", told["token"])
    await check(page)
    await page.get_by_role("button", name="Change over").click()
    await expect(page.locator("#fault")).not_to_be_empty()
    await follow(other, told["token"])
    await expect(page.get_by_role("button", name="Keep what is here")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("alert")).to_be_hidden()
    await follow(other, told["token"])
    await page.get_by_role("button", name="Change over").click()
    await expect(link).to_have_value(re.compile(f"#official={other}$"))
    await follow(other, other)
    await expect(page.get_by_role("alert")).to_have_count(0)


@pytest.mark.long
async def test_every_act_of_the_console_was_asked_for() -> None:
    assert {act.key for act in ACTS} == PRESSED
