"""An event of sixteen, from the announcement to the standings on paper.

A host with a laptop, entrants on phones or with programs of theirs, house bots for the rest of the field: one comes
late, one leaves, a ruling is appealed against, and two share the prize. All people draw their own seeds.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from playwright.async_api import Dialog, Page, Route, expect
from playwright.async_api import TimeoutError as TooLate

from services.audit.seeds import Seeds
from services.client.seating import next_key
from tests.director.house import DICE
from tests.director.test_over_http import Organiser, bearer, seated
from tests.web.conftest import Open
from tests.web.test_accessibility import check
from tests.web.test_event_console import Desk
from truecup.client import record_of, resume_seat, verify_record

pytestmark = pytest.mark.asyncio(loop_scope="session")

LAPTOP: Final[dict[str, Any]] = {"viewport": {"width": 1366, "height": 768}}
PHONE: Final[dict[str, Any]] = {"viewport": {"width": 390, "height": 844}}
SMALL: Final[dict[str, Any]] = {"viewport": {"width": 320, "height": 640}, "color_scheme": "dark"}
QUICKLY: Final = {"match": DICE, "tiebreaks": ["DE", "WIN"]}
"""What the form leaves to the preset, so that matches are over soon and two can be level after all of it."""
BOTS: Final = 11
PATIENCE_S: Final = 90
MOMENT_MS: Final = 2_000


async def fits(page: Page) -> None:
    """See that nothing on a page is wider than the screen."""
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), page.url


class Sixteen:
    """The people of the event, and what they do in their browsers and programs.

    Attributes:
        desk: The console on the laptop of the host.
        people: Tokens of those who take part with a program, or whose browser has one, by name.
        data: The folder in which programs keep receipts and seeds.
    """

    def __init__(self, event: Organiser, open_page: Open, laptop: Page, data: Path) -> None:
        self.event, self.open_page, self.desk, self.data = event, open_page, Desk(laptop), data
        self.tournament = laptop.url.split("/")[-2]
        self.path, event.path = f"/t/{self.tournament}", f"/tournaments/{self.tournament}"
        self.people: dict[str, dict[str, str]] = {}

    async def phone(self, name: str, club: str = "", **look: Any) -> Page:
        """Let somebody enter with a phone, perhaps for a club."""
        page = await self.open_page(f"{self.path}/me", **look)
        await page.get_by_label("Your name").fill(name)
        await page.get_by_label("Club (may be left empty)").fill(club)
        await expect(page.get_by_label("Draw my own seeds in this browser")).to_be_checked()
        await fits(page)
        await page.get_by_role("button", name="Enter").click()
        await expect(page.locator("#card .lead")).to_contain_text(name)
        self.people[name] = bearer(str((await self.kept(page))["token"]))
        return page

    @property
    def base(self) -> str:
        """The address of the house."""
        return str(self.event.client.base_url).removesuffix("/api/v1/")

    async def kept(self, page: Page) -> dict[str, Any]:
        """Return what a browser keeps of the tournament."""
        found: dict[str, Any] = json.loads(
            await page.evaluate(f"localStorage.getItem('truecup.event.{self.tournament}')")
        )
        return found

    async def program(self, name: str) -> None:
        """Let somebody enter with a program."""
        asked = {"name": name, "custody": "client"}
        self.people[name] = bearer((await self.event.post("/entrants", asked, {}, good=201))["token"])

    async def play(self, name: str) -> None:
        """Let a program take a seat, give the seeds of it, and give up at its first turn, if it comes to one."""
        told = await seated(self.event, self.people[name])
        match, token = told["card"]["table"]["match"], str(told["token"])
        await self.event.client.post(f"/matches/{match}/commands", json={"type": "ready"}, headers=bearer(token))
        async with asyncio.timeout(PATIENCE_S), resume_seat(match, token, self.base, data=self.data) as seat:
            async for _ in seat.turns():
                await seat.play({"type": "resign"})
                break

    async def sit(self, page: Page) -> None:
        """Let somebody go to the table with a phone, whose page gives the seeds, and give up once there are dice."""
        await page.get_by_role("button", name="To my table").click()
        await page.wait_for_url("**/m/*")
        await expect(page.locator(".seat.you .name")).to_be_visible()
        match = page.url.rpartition("/")[2]
        seat = json.loads(await page.evaluate(f"localStorage.getItem('truecup.match.{match}')"))
        own = bytes.fromhex((await self.kept(page))["seeds"])
        assert seat["seeds"] == next_key(own, match).hex(), "any device with the key of the card gives the same seeds"
        await self.give_up(page)

    async def give_up(self, page: Page) -> None:
        """Let somebody give up once there are dice; who went out earlier or has won need not."""
        resign = page.get_by_role("button", name="Resign", exact=True).first
        sure = page.get_by_role("group", name="Resign?").get_by_role("button", name="Resign")
        over = page.get_by_role("heading", name="Finished")
        await expect(resign.or_(over).first).to_be_visible(timeout=PATIENCE_S * 1_000)
        async with asyncio.timeout(PATIENCE_S):
            # Dice may come, and the match may be over, between two clicks.
            while await resign.is_visible():
                with suppress(TooLate):
                    if not await sure.is_visible():
                        await resign.click(timeout=MOMENT_MS)
                    await sure.click(timeout=MOMENT_MS)
                await asyncio.sleep(0.5)

    async def played(self) -> dict[str, Any]:
        """Wait for all results of the round."""
        async with asyncio.timeout(PATIENCE_S):
            while (view := await self.event.get())["round"]["state"] != "closed":
                await asyncio.sleep(0.2)
        found: dict[str, Any] = view
        return found


@pytest.mark.long
async def test_sixteen_play_from_the_announcement_to_the_standings_on_paper(
    open_page: Open, service_url: str, tmp_path: Path
) -> None:
    # A join signed before a line that another wrote in that moment is refused, and signed anew by the page.
    open_page.expected = "/me/seat)"
    async with httpx.AsyncClient(base_url=f"{service_url}/api/v1", timeout=60) as client:
        event = Organiser(client)
        laptop = await the_announcement(open_page)
        hall = Sixteen(event, open_page, laptop, tmp_path)
        event.host = bearer(str((await hall.kept(laptop))["host"]))
        ada, bob = await the_entry(hall)
        await the_draw(hall, ada, bob)
        zoe = await the_first_round(hall, ada, bob)
        await the_second_round(hall, ada, zoe)
        await the_dice(hall)
        await the_end(hall, ada)


async def the_announcement(open_page: Open) -> Page:
    """Let somebody announce a tournament on a laptop, and return the page on it, which is the console then."""
    page = await open_page("/tournaments", **LAPTOP)
    await page.get_by_role("link", name="Hold a tournament").click()
    await page.get_by_label("Title").fill("Sixteen on a Friday")
    await page.get_by_text("Who may enter").click()
    await page.get_by_label("Entrants, at most").fill("16")
    await page.get_by_label("Bots", exact=True).select_option("people, and bots that say so")
    await page.get_by_label("Latecomers, until so many rounds are closed").fill("1")
    await page.get_by_text("Rounds and times").click()
    await page.get_by_label("Rounds", exact=True).fill("2")
    await page.get_by_label("The next round begins").select_option("when I say so")
    await page.get_by_text("Points and prizes").click()
    await page.get_by_label("Prizes, from the first").fill("10, 5")
    await page.get_by_label("Of what").fill("EUR")
    await fits(page)

    async def quickly(route: Route) -> None:
        said = route.request.post_data_json
        assert said is not None, "what is announced has a body"
        await route.continue_(post_data=json.dumps({**said, "rules": {**said["rules"], **QUICKLY}}))

    await page.route("**/api/v1/tournaments", quickly)
    await page.get_by_role("button", name="Announce it").click()
    await page.wait_for_url("**/t/*/host")
    return page


async def the_entry(hall: Sixteen) -> tuple[Page, Page]:
    """Let two phones, two programs and the bots in."""
    await hall.desk.press("open_entry")
    await hall.desk.reads("Entry is open")
    ada, bob = await hall.phone("Ada", "Dice Club", **SMALL), await hall.phone("Bob", **PHONE)
    for name in ("Cem", "Dee"):
        await hall.program(name)
    await hall.desk.do("bots", count=str(BOTS))
    # Whose bots are all out wins, and has not left: each person has a table of bots.
    for pair in combinations(range(1, 5), 2):
        await hall.event.ask("forbid", numbers=pair, reason="request")
    await expect(ada.locator("#next")).to_contain_text("The host opens the check-in.")
    await ada.get_by_text("Leave out a round").click()
    await ada.get_by_role("button", name="Leave it out, for half a first place").click()
    await expect(ada.get_by_text("Round 1: left out, for half a first place.")).to_be_visible()
    await ada.get_by_role("button", name="Play in round 1 after all").click()
    await expect(ada.get_by_text("Round 1: left out")).to_have_count(0)
    await check(ada)
    entry = await hall.open_page(hall.path, **PHONE)
    await expect(entry.get_by_text(f"Entrants: {4 + BOTS} of 16")).to_be_visible()
    await fits(entry)
    return ada, bob


async def the_draw(hall: Sixteen, ada: Page, bob: Page) -> None:
    """Let everybody say to be there, and one of them draw the lots with the house."""
    await hall.desk.press("open_check_in")
    await ada.get_by_label("I want to draw lots").check()
    await check(ada)
    for page in (ada, bob):
        await page.get_by_role("button", name="I am here").click()
    await expect(ada.get_by_text("You draw lots: this page gives your seed by itself.")).to_be_visible()
    await expect(bob.get_by_role("button", name="I want to draw lots")).to_be_visible()
    for name in ("Cem", "Dee"):
        await hall.event.ask("check_in", hall.people[name])
    async with asyncio.timeout(PATIENCE_S):
        while (await hall.event.get())["counts"]["here"] < 4 + BOTS:
            await asyncio.sleep(0.2)
    await hall.desk.press("proceed")
    await hall.desk.reads("Under way")
    lots = (await hall.event.get())["lots"]
    assert (lots["own"], lots["barred"]) == (1, 0), "her page fixed a seed, and opened it"


async def the_first_round(hall: Sixteen, ada: Page, bob: Page) -> Page:
    """Play it; somebody comes late, and somebody has had enough. Return the phone of who came late."""
    await hall.desk.press("proceed")
    for page in (ada, bob):
        await expect(page.get_by_role("heading", name="Table")).to_be_visible()
        await expect(page.locator(".opponents li").first).to_contain_text("never met before")
        await fits(page)
    tables = await hall.open_page(f"{hall.path}/tables", **LAPTOP)
    await expect(tables.locator(".seating").first).to_be_visible()
    await check(tables)
    zoe = await hall.phone("Zoe", **PHONE)
    await expect(zoe.get_by_text("you rest in this round")).to_be_visible()
    standings = await hall.open_page(f"{hall.path}/standings?stage=1&round=1", **LAPTOP)
    await standings.get_by_role("link", name="If it ended so").click()
    await expect(standings.get_by_text("Nothing of this counts yet.")).to_be_visible()
    await standings.get_by_label("Find a name").fill("bó")
    await standings.get_by_role("button", name="Find").click()
    await expect(standings.locator("tbody th")).to_contain_text(["Bob"])
    await check(standings)

    await asyncio.gather(hall.sit(ada), hall.sit(bob), hall.play("Cem"), hall.play("Dee"))
    await hall.played()
    await bob.goto(f"{hall.path}/me")

    async def sure(dialog: Dialog) -> None:
        await dialog.accept()

    bob.on("dialog", sure)
    await bob.get_by_role("button", name="Leave the tournament").click()
    await expect(bob.get_by_text("you take no part any more")).to_be_visible()
    await fits(bob)
    return zoe


async def the_second_round(hall: Sixteen, ada: Page, zoe: Page) -> None:
    """Play it; two at the top agree to share, and who is not content appeals."""
    await ada.goto(f"{hall.path}/me")
    await expect(ada.get_by_text("Around you")).to_be_visible()
    await hall.desk.press("proceed")
    await expect(zoe.get_by_role("heading", name="Table")).to_be_visible()
    await asyncio.gather(hall.sit(ada), hall.play("Cem"), hall.play("Dee"), hall.sit(zoe))
    await hall.played()
    for page in (ada, zoe):
        await page.goto(f"{hall.path}/me")
    (top, *_) = (await hall.event.get("/rounds/1/2"))["tables"]
    assert {seat["score"]["value"] for seat in top["seats"]} == {"1"}, "the winners of the first round"
    names = [f"{seat['name']} (bot)" if seat["bot"] else seat["name"] for seat in top["seats"]]
    await hall.desk.press("rule", f"Table {top['table']}")
    dialog = hall.desk.page.get_by_role("dialog")
    for name, given in zip(names, ("1", "1", "3", "3"), strict=True):
        await dialog.get_by_role("combobox", name=name, exact=True).select_option(given)
    await dialog.locator('[name="reason"]').select_option("agreement")
    await check(hall.desk.page)
    await dialog.locator("#act-do").click()
    await expect(dialog).to_be_hidden()

    await expect(ada.get_by_text("Appeals", exact=True)).to_be_visible()
    await ada.get_by_text("Appeals", exact=True).click()
    await ada.get_by_label("What you appeal against").select_option(index=0)
    await ada.get_by_label("Why").fill("The connection was gone.")
    await ada.get_by_role("button", name="File an appeal").click()
    await expect(ada.get_by_text("Officials decide on it.")).to_be_visible()
    await check(ada)
    await expect(hall.desk.page.locator("q")).to_have_text("The connection was gone.")
    await hall.desk.do("decide", "Ada", outcome="denied", text="The record says otherwise.")
    await expect(ada.get_by_text("It was denied.")).to_be_visible()


async def the_dice(hall: Sixteen) -> None:
    """See from the records that nobody who sat anywhere left the dice to the house alone, and nobody was barred."""
    for number in (1, 2):
        held = await hall.event.get(f"/rounds/1/{number}")
        for table in held["tables"]:
            people = {seat["seat"] for seat in table["seats"] if not seat["bot"]}
            verdict = verify_record(await asyncio.to_thread(record_of, table["match"], hall.base))
            assert verdict.status != "FAULT", verdict
            assert isinstance(verdict.seeds, Seeds)
            assert (set(verdict.seeds.own), bool(verdict.seeds.unseeded)) == (people, not people)
            assert verdict.seeds.withheld == ()


async def the_end(hall: Sixteen, ada: Page) -> None:
    """Hand out what two share, and hang up the places."""
    async with asyncio.timeout(PATIENCE_S):
        while not (view := await hall.event.get())["ranking"] or view["outdated"]:
            await asyncio.sleep(0.2)
    winners = {each["number"] for each in view["ranking"][0]}
    assert len(winners) == 2
    shares = {
        each["who"]["number"]: (each["prize"]["share"]["value"], each["prize"]["whole"]) for each in view["prizes"]
    }
    assert shares.keys() == winners
    assert {share for share, _ in shares.values()} == {"15/2"}
    assert sorted(whole for _, whole in shares.values()) == [7, 8], "what cannot be divided goes by lot"

    await expect(ada.get_by_role("link", name="Certificate to print")).to_be_visible()
    await fits(ada)
    await ada.get_by_role("link", name="Certificate to print").click()
    await expect(ada.get_by_role("heading", name="Certificate")).to_be_visible()
    await check(ada)
    overview = await hall.open_page(hall.path, **PHONE)
    await expect(overview.get_by_text("(exactly 7½)")).to_have_count(2)
    await check(overview)

    paper = await hall.open_page(f"{hall.path}/print", **LAPTOP)
    await paper.emulate_media(media="print")
    everybody = paper.locator(".leaf").last.locator("tbody th")
    await expect(everybody).to_have_count(16)
    await expect(paper.locator(".top")).to_be_hidden()
    for name in ("Ada", "Bob", "Cem", "Dee", "Zoe"):
        await expect(everybody.filter(has_text=name)).to_have_count(1)
    assert (await paper.pdf(format="A4")).startswith(b"%PDF")
