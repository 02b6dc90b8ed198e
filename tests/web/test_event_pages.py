"""Pages of tournaments: who sits where, who stands where, and that every number can be added up again on the page."""

from __future__ import annotations

import html
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, partial
from typing import Any, cast, get_args
from uuid import UUID

import httpx
import msgspec
import pytest
from litestar import Litestar

from domain.ids import Seat
from domain.tournaments import commands
from domain.tournaments.events import Reason
from domain.tournaments.formats import table
from domain.tournaments.options import TIEBREAKS
from domain.tournaments.presets import preset
from domain.tournaments.tournament import Phase, Place
from infra.store import TOP, Card, RowPlace
from infra.store.memory import MemoryStore
from projections.tournaments.cards import Errand
from projections.tournaments.dues import DueReason
from projections.tournaments.overview import TournamentRow, TournamentState
from projections.tournaments.pairings import PastPairing, certificate_file
from projections.tournaments.people import Status
from projections.tournaments.reasons import Weighing
from projections.tournaments.standings import StandingsView
from projections.tournaments.watching.luck import LuckView
from projections.view import View
from services.api.refusals import HANDLERS
from services.http.game_cards import cards
from services.program.site import HouseTournaments
from services.tournaments.reads import TournamentQueries
from services.web.pages import web_handlers
from services.web.sites import Site
from services.web.tournaments.listing import AT_ONCE
from services.web.tournaments.sites import EmptyTournamentSite, ShownTournament, TournamentSite
from services.web.tournaments.walls import slides_of
from services.words.catalogue import LANGUAGES, message, speaking
from tests.director.house import DICE, EventHouse
from tests.sizes import cases, spread
from tests.tournaments.events_by_hand import HOST, TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import busy, steps
from tests.web.codes import drawn, read_code
from tests.web.event_pages import LISTED, PATHS, OneTournament, busy_site

NAUGHTY = '<img src=x onerror="alert(1)">'
FORMATS = spread(["pods", "duel_swiss", "knockout", "single", "double", "last_longer", "groups", "league_day"], 4)


class Games:
    """A house that has games and no match."""

    async def games(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = msgspec.to_builtins(cards())
        return found


class Stand:
    """A site that holds what it is given, for all tests of this file: pages are laid out once."""

    held: TournamentSite = EmptyTournamentSite()

    async def tournament(self, tournament_id: UUID) -> ShownTournament | None:
        return await self.held.tournament(tournament_id)

    async def tournaments(self, state: TournamentState, limit: int, before: RowPlace = TOP) -> Sequence[TournamentRow]:
        return await self.held.tournaments(state, limit, before)

    async def standings(
        self, shown: ShownTournament, stage: int | None, number: int | None, group: int | None, *, explained: bool
    ) -> StandingsView:
        return await self.held.standings(shown, stage, number, group, explained=explained)

    async def luck(self, shown: ShownTournament) -> LuckView:
        return await self.held.luck(shown)

    async def awaited(self, matches: Sequence[str]) -> Mapping[str, Sequence[int]]:
        return await self.held.awaited(matches)

    async def pairings(self, tournament_id: UUID) -> Mapping[Place, tuple[PastPairing, ...]]:
        return await self.held.pairings(tournament_id)

    async def texts(self, tournament_id: UUID) -> Mapping[str, str]:
        return await self.held.texts(tournament_id)

    async def seen(self, matches: Sequence[str]) -> Mapping[str, View]:
        return await self.held.seen(matches)

    async def rankings(self, matches: Sequence[str]) -> Mapping[str, Sequence[Sequence[Seat]]]:
        return await self.held.rankings(matches)


STAND = Stand()


@cache
def app() -> Litestar:
    handlers = web_handlers(cast("Site", Games()), events=STAND)
    return Litestar(handlers, openapi_config=None, logging_config=None, exception_handlers=HANDLERS)


def reader(site: TournamentSite) -> httpx.AsyncClient:
    """Return somebody who reads the pages of a site from now on."""
    STAND.held = site
    return httpx.AsyncClient(transport=httpx.ASGITransport(cast("Any", app())), base_url="http://house")


@pytest.fixture(scope="module")
def site() -> OneTournament:
    return busy_site()


@pytest.fixture
async def client(site: OneTournament) -> AsyncIterator[httpx.AsyncClient]:
    async with reader(site) as client:
        yield client


TABLE = r'id="t(\d+)" value="\1">(.*?)</li>\n(?=<li class="sheet|</ol>\n<section|</ol>\n<p)'
PART = r"<h2>(.*?)</h2>(.*?)(?=<h2>|</details>)"


def text_of(page: str) -> str:
    """Return what people read in the main part of a page."""
    main = page.partition("<main")[2].partition("</main>")[0]
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", main)).split())


@pytest.mark.parametrize("path", PATHS)
async def test_every_page_of_a_tournament_is_read_in_every_language_under_the_strict_policy(
    client: httpx.AsyncClient, path: str
) -> None:
    texts = set()
    for language in LANGUAGES:
        page = await client.get(f"/t/{TOURNAMENT}{path}", headers={"Accept-Language": language})
        assert page.status_code == 200
        assert f'<html lang="{language}"' in page.text
        assert "default-src 'none'" in page.headers["content-security-policy"]
        assert " style=" not in page.text
        assert not re.search(r"[{}]", text_of(page.text)), "an argument stands there"
        texts.add(text_of(page.text))
    assert len(texts) == len(LANGUAGES)


@pytest.mark.parametrize("path", PATHS)
async def test_what_people_call_themselves_and_their_tournament_is_text(path: str) -> None:
    naughty = OneTournament(busy(), NAUGHTY, dict.fromkeys(range(1, 30), NAUGHTY))
    async with reader(naughty) as client:
        page = (await client.get(f"/t/{TOURNAMENT}{path}")).text
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


@pytest.mark.parametrize(
    "path",
    [
        *(f"/t/{UUID(int=0)}{path}" for path in PATHS),
        *("/t", "/t/none", f"/t/{TOURNAMENT}/none", f"/t/{TOURNAMENT}/entrants", f"/t/{TOURNAMENT}/entrants/99"),
        *(f"/t/{TOURNAMENT}/{path}?stage=1&round=9" for path in ("pairings", "standings", "why")),
        *(f"/t/{TOURNAMENT}/{path}?stage=4" for path in ("pairings", "standings", "bracket", "why")),
        *(f"/t/{TOURNAMENT}/why?number={number}" for number in (99, "x")),
    ],
)
async def test_what_is_not_there_is_a_page_that_says_so(client: httpx.AsyncClient, path: str) -> None:
    page = await client.get(path, headers={"Accept": "text/html"})
    assert (page.status_code, "To the tables" in page.text) == (400 if path.endswith("x") else 404, True)


async def test_a_page_is_sent_again_only_when_the_tournament_has_moved(site: OneTournament) -> None:
    moved = OneTournament(site.event.copy())
    async with reader(moved) as client:
        for path in ("", "/pairings", "/standings"):
            first = await client.get(f"/t/{TOURNAMENT}{path}")
            again = await client.get(f"/t/{TOURNAMENT}{path}", headers={"If-None-Match": first.headers["etag"]})
            assert (again.status_code, again.content) == (304, b"")
            assert again.headers["cache-control"] == "no-cache"
            other = {"If-None-Match": first.headers["etag"], "Accept-Language": "de"}
            assert (await client.get(f"/t/{TOURNAMENT}{path}", headers=other)).status_code == 200
        tag = (await client.get(f"/t/{TOURNAMENT}")).headers["etag"]
        moved.event.do(commands.PauseTournament(by=HOST, reason="technical"))
        news = await client.get(f"/t/{TOURNAMENT}", headers={"If-None-Match": tag})
        assert news.status_code == 200
        assert "The host has paused the tournament." in text_of(news.text)


async def test_a_code_leads_to_the_tournament(client: httpx.AsyncClient) -> None:
    code = await client.get(f"/t/{TOURNAMENT}/qr.svg")
    assert read_code(drawn(code.text)) == f"http://house/t/{TOURNAMENT}"
    assert (await client.get(f"/t/{UUID(int=0)}/qr.svg")).status_code == 404


# ---- what is told -----------------------------------------------------------------------------------


async def test_everybody_of_a_round_sits_at_one_table_or_rests(client: httpx.AsyncClient, site: OneTournament) -> None:
    page = (await client.get(f"/t/{TOURNAMENT}/pairings?stage=1&round=1")).text
    held = site.event.tournament.stages[0].rounds[1]
    tables = dict(
        re.findall(
            r'id="t(\d+)" value="\1">(.*?)</li>\n(?=<li class="sheet|</ol>\n<section|</ol>\n<p)', page, re.DOTALL
        )
    )
    assert sorted(map(int, tables)) == sorted(held.tables)
    for number, told in tables.items():
        seats = sorted(map(int, re.findall(r"/entrants/(\d+)", told)))
        assert seats == sorted(held.tables[int(number)].seats)
    rest = page.partition("Without a table in this round")[2]
    assert re.findall(r"/entrants/(\d+)", rest) == ["1", "10"], "who asked to be left out, and who came late"
    assert "An official ruled on this table: a wrong result. That counts." in text_of(page)
    assert "Won without play" not in text_of(page)
    assert "absent" in text_of(page)


def rows_of(page: str) -> Iterator[tuple[int, str]]:
    """Yield the rows of the standings on a page, by number."""
    for number, row in re.findall(r'<tbody id="e(\d+)">(.*?)</tbody>', page, re.DOTALL):
        yield int(number), row


def numbers_in(markup: str) -> list[Fraction]:
    """Return the exact numbers of a part of a page."""
    return [Fraction(text) for text in re.findall(r'<data value="([^"]+)"', markup)]


def parts_of(row: str) -> dict[str, str]:
    """Return what explains a row, by heading."""
    return {heading.partition(":")[0]: told for heading, told in re.findall(PART, row, re.DOTALL)}


async def test_the_points_of_a_place_are_what_its_rounds_gave(client: httpx.AsyncClient, site: OneTournament) -> None:
    page = (await client.get(f"/t/{TOURNAMENT}/standings")).text
    rows = dict(rows_of(page))
    assert rows.keys() == site.event.tournament.entrants.keys()
    for row in rows.values():
        score, *_ = numbers_in(row)
        assert sum(numbers_in(parts_of(row)["Points"])) == score
    assert sum("Taken by officials" in row for row in rows.values()) == 1


@pytest.mark.parametrize("name", ["pods", "duel_swiss"])
async def test_a_sum_of_rounds_is_the_sum_of_the_rounds_that_count(name: str) -> None:
    event = WrittenEvent(name, tiebreaks=["BH-C1", "BH", "SB"], stages=[{"format": "swiss", "rounds": 3}])
    event.enter(9).check_in().draw()
    assert list(steps(event)), "it is played"
    seen = 0
    async with reader(OneTournament(event)) as client:
        page = (await client.get(f"/t/{TOURNAMENT}/standings")).text
    for _, row in rows_of(page):
        for heading, told in parts_of(row).items():
            if heading in {"Buchholz", "Buchholz, one cut", "Sonneborn-Berger"}:
                title = re.findall(rf"<h2>{heading}: (.*?)</h2>", row)
                lines = re.findall(r"<li( class=\"cut\")?>Round \d+:\s+<data value=\"([^\"]+)\"", told)
                assert sum(Fraction(value) for cut, value in lines if not cut) == numbers_in(title[0])[0]
                assert sum(bool(cut) for cut, _ in lines) == (heading == "Buchholz, one cut")
                seen += 1
    assert seen


async def test_a_page_of_why_says_what_the_certificate_says(client: httpx.AsyncClient, site: OneTournament) -> None:
    (pairing,) = (await site.pairings(TOURNAMENT))[1, 1]
    told = msgspec.json.decode(certificate_file(pairing) or b"")["certificate"]
    number = pairing.event.tables[0][1][0]
    text = text_of((await client.get(f"/t/{TOURNAMENT}/why?stage=1&round=1&number={number}")).text)
    assert f"all tables {told['cost']}; no seating costs less than {told['bound']}" in text
    assert f"Name {number} sits at table 1" in text
    for page, of in (("pairings?", ""), (f"why?number={number}&", f"&amp;number={number}")):
        told_at = (await client.get(f"/t/{TOURNAMENT}/{page}stage=1&round=1")).text
        assert f'href="/api/v1/tournaments/{TOURNAMENT}/certificate?stage=1&amp;round=1{of}"' in told_at
    mates = pairing.event.tables[0][1][1:]
    asked = text_of((await client.get(f"/t/{TOURNAMENT}/why?stage=1&round=1&number={number}&with={mates[0]}")).text)
    assert f"Name {mates[0]} sits at this table." in asked
    rests = text_of((await client.get(f"/t/{TOURNAMENT}/why?stage=1&round=1&number=1")).text)
    assert "has no table in this round" in rests


@pytest.mark.parametrize("name", FORMATS)
async def test_every_step_of_every_format_can_be_read(name: str) -> None:
    event = WrittenEvent(name)
    async with reader(OneTournament(event)) as client:
        await read_all(client)
        for go_on in (partial(event.enter, 8), partial(event.check_in, draws=(1,)), event.draw):
            go_on()
            await read_all(client)
        for at, _ in enumerate(steps(event)):
            if at % cases(7, 1) == 0 or event.tournament.ended:
                await read_all(client)
    assert event.tournament.ended


async def read_all(client: httpx.AsyncClient) -> None:
    """Read every page of a tournament: it is there, unless it is of a round that is not."""
    for path in PATHS:
        page = await client.get(f"/t/{TOURNAMENT}{path}")
        early = "round=1" in path or path in {"/entrants/1", "/why?number=1"}
        assert page.status_code == 200 or (early and page.status_code == 404), path


async def test_a_bracket_says_who_meets_whom_and_who_has_won() -> None:
    event = WrittenEvent("double").enter(6).check_in().draw()
    assert list(steps(event)), "it is played"
    async with reader(OneTournament(event)) as client:
        page = (await client.get(f"/t/{TOURNAMENT}/bracket")).text
    text = text_of(page)
    for part in ("Upper bracket", "Lower bracket", "Grand final"):
        assert f"<h2>{part}</h2>" in page
    assert text.count("✓") == len(re.findall(r'class="spot (?:over|walkover)"', page))
    assert "Winner to W2.1. Loser to L1.1." in text


async def test_a_round_of_a_board_says_by_which_law_it_was_paired() -> None:
    async with reader(OneTournament(WrittenEvent("duplicate").begin(8).pair())) as client:
        assert "new faces, and nothing else" in text_of((await client.get(f"/t/{TOURNAMENT}/pairings")).text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_whatever_a_tournament_can_be_or_wait_for_has_words(language: str) -> None:
    formats = [stage.__struct_config__.tag for stage in table.FORMATS]
    asked = {
        **dict.fromkeys(("formats", "how"), formats),
        "ties": TIEBREAKS,
        "due": get_args(DueReason),
        "phases": get_args(Phase),
        "statuses": get_args(Status),
        "reasons": get_args(Reason),
        "errands": get_args(Errand),
        "why.kind": get_args(Weighing),
    }
    with speaking(language):
        for part, kinds in asked.items():
            assert kinds
            assert all(message(f"tournaments.{part}.{kind}") for kind in kinds)


async def test_the_list_says_which_tournaments_there_are_a_page_at_a_time(site: OneTournament) -> None:
    async with reader(site) as client:
        every = (await client.get("/tournaments")).text
        assert every.count('class="ticket"') == AT_ONCE
        assert f'<a href="/t/{TOURNAMENT}">{site.title}</a>' in every
        seen, address = 0, "/tournaments?state=live"
        while address:
            page = (await client.get(address)).text
            seen += page.count('class="ticket"')
            found = re.findall(r'href="(/tournaments\?state=live&amp;before=[^"]+)"', page)
            address = html.unescape(found[0]) if found else ""
        assert seen == LISTED
        assert (await client.get("/tournaments?state=none")).status_code == 400


@pytest.mark.parametrize("many", [0, 1, 9, 10, 11, 21, 40])
def test_slides_are_as_even_as_can_be(many: int) -> None:
    slides = slides_of(range(many), 10)
    assert [line for slide in slides for line in slide] == list(range(many))
    sizes = [len(slide) for slide in slides]
    assert len(sizes) == -(-many // 10)
    assert max(sizes, default=0) - min(sizes, default=0) <= 1


async def test_lists_to_print_name_everybody_once_by_name_and_once_by_table(client: httpx.AsyncClient) -> None:
    page = (await client.get(f"/t/{TOURNAMENT}/print?stage=1&round=1")).text
    by_name, by_table, standings = page.split('<section class="leaf">')[1:]
    everybody = sorted(f"Name {number}" for number in range(1, 11))
    assert sorted(re.findall(r"<bdi>(.*?)</bdi>", by_name)) == everybody
    assert sorted(re.findall(r"<bdi>(.*?)</bdi>", by_table)) == sorted({*everybody} - {"Name 1", "Name 10"})
    assert sorted(re.findall(r"<bdi>(.*?)</bdi>", standings)) == everybody


# ---- the house's own --------------------------------------------------------------------------------


async def test_the_house_shows_a_tournament_with_the_names_of_its_people_and_what_rounds_were_paired_from() -> None:
    house = EventHouse(MemoryStore())
    answer = await house.tournaments.create({**preset("pods"), "match": DICE}, house.ask(), Card(name="Friday"))
    assert answer.by is not None
    house.id, house.host = UUID(answer.tournament), answer.by
    await house.enter("Ada", "Bob", "Çelik")
    events = HouseTournaments(TournamentQueries(house.store, None), house.matches)
    assert await events.tournament(UUID(int=0)) is None
    assert await events.pairings(house.id) == {}
    shown = await events.tournament(house.id)
    assert shown is not None
    assert (shown.title, dict(shown.names)) == ("Friday", {1: "Ada", 2: "Bob", 3: "Çelik"})
    async with reader(events) as client:
        assert "Çelik" in text_of((await client.get(f"/t/{house.id}")).text)
