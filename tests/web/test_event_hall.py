"""The hall of a tournament: tables that play, names that are looked for, cards, slips and certificates on paper."""

from __future__ import annotations

import html
import re
from uuid import UUID

import httpx
import pytest
from msgspec.structs import replace

from domain.tournaments import commands
from projections.tournaments.exports.csv_files import standings_csv
from projections.tournaments.rounds import round_view
from projections.tournaments.standings import StandingsView, standings_view
from projections.tournaments.watching.still_in import survivors
from projections.view import ClaimView, DieView, SeatView, View
from services.http.bounds import Bounds
from services.http.front.rates import Rate
from services.web.tournaments.hall.papers import CARDS_AT_ONCE
from services.web.tournaments.hall.tables import TABLES_AT_ONCE
from services.web.tournaments.sites import ShownTournament
from tests.api.conftest import served
from tests.api.rooms import first_view
from tests.tournaments.events_by_hand import HOST, TOURNAMENT, player
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import NAMES, steps
from tests.web.codes import drawn, read_code
from tests.web.event_pages import OneTournament
from tests.web.test_event_pages import reader, rows_of, text_of

HIDDEN = DieView(None, shown=False)


def running(entrants: int = 8, name: str = "pods", **members: object) -> WrittenEvent:
    """Return a tournament whose second round plays."""
    event = WrittenEvent(name, **members)
    event.enter(entrants).check_in(draws=(1,)).draw().step()
    event.start()
    event.play_round().start()
    return event


def seat_view(seat: int, dice: int, *, out: bool = False) -> SeatView:
    held, player_id = {"die": dice}, f"p{seat}"
    return SeatView(seat, player_id, "", False, "server", out, held, (HIDDEN,) * dice, None)  # noqa: FBT003 - no bot


def in_play(match: str) -> View:
    """Return a match in its third round, in which the second seat has claimed and the third is to act."""
    seats = (seat_view(1, 0, out=True), seat_view(2, 3), seat_view(3, 1), seat_view(4, 5))
    claim = ClaimView(2, "four threes", quantity=4, face=3)
    view = first_view(UUID(match), {"game": "common_hand"}, "all")
    return replace(view, version=40, round=3, phase="bidding", seats=seats, standing=claim, turn=3, dice_in_play=9)


@pytest.fixture(scope="module")
def site() -> OneTournament:
    return OneTournament(running())


async def get(site: OneTournament, path: str) -> httpx.Response:
    async with reader(site) as client:
        return await client.get(f"/t/{TOURNAMENT}{path}", headers={"Accept": "text/html"})


async def test_tables_that_play_show_what_is_claimed_who_is_to_act_and_what_is_left() -> None:
    site = OneTournament(running())
    first, second = round_view(site.event.tournament, NAMES, 1, 2).tables
    site.views = {first.match: in_play(first.match)}
    page = (await get(site, "/tables")).text
    cards = dict(re.findall(r'id="t(\d+)" value="\1">(.*?)</ol></li>', page, re.DOTALL))
    told = text_of(f"<main>{cards['1']}</main>")
    claimant, to_act = (seat.name for seat in first.seats[1:3])
    assert f"four threes claimed by {claimant}" in told
    assert f"{to_act} to act a die" in told
    assert f"{first.seats[0].name} out" in told
    assert "five dice" in told
    assert "Nobody but the house gives a seed to these dice." in told
    assert f'href="/m/{first.match}"' in cards["1"]
    assert "No claim stands." in text_of(f"<main>{cards['2']}</main>"), "nobody has begun there"
    assert f'href="/m/{second.match}"' in cards["2"]


@pytest.mark.parametrize(
    ("own", "board", "said"),
    [
        ((0, 2, 2), False, "Seeds of those who sit there are in the dice at 2 of 3 tables"),
        ((1, 4, 2, 4), False, "Seeds of those who sit there are in the dice at every table."),
        ((0,) * 5, False, "Nobody who sits at these tables gives a seed: the house alone draws their dice."),
        ((0,) * 6, True, ""),
    ],
)
async def test_tables_say_whose_seeds_are_in_their_dice(own: tuple[int, ...], board: bool, said: str) -> None:  # noqa: FBT001
    # What is seen of the same tables is kept for a while.
    site = OneTournament(running(4 * len(own)))
    for many, table in zip(own, round_view(site.event.tournament, NAMES, 1, 2).tables, strict=True):
        view = in_play(table.match)
        seats = [replace(seat, custody="client" if seat.seat <= many else "server") for seat in view.seats]
        rules = {**view.rules, "board": {"id": "x"}} if board else view.rules
        site.views[table.match] = replace(view, seats=tuple(seats), rules=rules)
    told = text_of((await get(site, "/tables")).text)
    assert ("sits at these" in told or "Seeds of those" in told) is bool(said)
    assert said in told
    sentences = {
        0: "Nobody but the house",
        1: "One who sits here gives a seed",
        2: "2 who sit here",
        4: "4 who sit here",
    }
    for many, sentence in sentences.items():
        assert told.count(sentence) == (0 if board else own.count(many))


async def test_a_table_that_is_over_is_not_among_those_that_play_and_many_are_shown_in_parts() -> None:
    site = OneTournament(running())
    site.event.record(1)
    page = (await get(site, "/tables")).text
    assert "One table plays." in text_of(page)
    site.event.record(2)
    assert "No table plays at the moment." in text_of((await get(site, "/tables")).text)
    many = OneTournament(running(2 * TABLES_AT_ONCE + 2, "duel_swiss", entry={"max": 128}))
    pages = [(await get(many, f"/tables{part}")).text for part in ("", "?part=2", "?part=3")]
    assert [page.count('class="sheet seating started"') for page in pages] == [TABLES_AT_ONCE, 1, 1]
    assert (await get(OneTournament(WrittenEvent("pods")), "/tables")).status_code == 200


# ---- standings ---------------------------------------------------------------------------------------


async def test_names_are_found_by_a_part_of_them_without_accents_and_capitals() -> None:
    site = OneTournament(running(), names={**NAMES, 3: "Çelik Ærø", 4: "Celia", 5: "<b>Cel</b>"})
    for asked, found in (("cel", {3, 4, 5}), ("%20CELIK%20%20aero ", {3}), ("nobody", set()), ("", set(range(1, 9)))):
        page = (await get(site, f"/standings?name={asked}")).text
        assert {number for number, _ in rows_of(page)} == found, asked
    assert "Nobody has such a name." in (await get(site, "/standings?name=nobody")).text
    asked = (await get(site, "/standings?name=%22%3E%3Cscript%3E")).text
    assert "<script>" not in asked.partition("<main")[2]
    assert (await get(site, f"/standings?name={'x' * 41}")).status_code == 400


async def test_standings_if_tables_ended_as_they_stand_say_that_nothing_of_it_counts() -> None:
    site = OneTournament(running())
    first, second = round_view(site.event.tournament, NAMES, 1, 2).tables
    # The fourth seat of the first table is ahead of the others, who are level; nobody has begun at the second.
    site.ranked = {first.match: ((4,), (1, 2, 3))}
    plain = (await get(site, "/standings?stage=1&round=2")).text
    page = (await get(site, "/standings?stage=1&round=2&so=true")).text
    leader, other = first.seats[3].number, first.seats[0].number
    assert "Nothing of this counts yet." in page
    assert "Nothing of this counts yet." not in plain
    assert "As of now: one table of the round has no result yet." in text_of(page)
    scores = [dict(rows_of(each)) for each in (plain, page)]
    points = [[re.findall(r'<data value="([^"]+)"', rows[number])[0] for rows in scores] for number in (leader, other)]
    before = {row.number: row.score.value for row in standings_view(site.event.tournament, NAMES).rows}
    assert [earlier for earlier, _ in points] == [before[leader], before[other]]
    assert points[0][1] != points[0][0]
    assert second.seats[0].number in scores[1]
    elsewhere = (await get(site, "/standings?stage=1&round=1&so=true")).text
    assert "Nothing of this counts yet." not in elsewhere, "of a round that is closed nothing is left to guess"


async def test_a_cross_table_leads_to_every_table_where_two_met_and_stands_only_below_all() -> None:
    site = OneTournament(running(5, "round_robin"), names={**NAMES, 3: "<b>Cel</b>"})
    view = standings_view(site.event.tournament, site.names)
    assert view.cross is not None
    page = (await get(site, "/standings")).text
    table = page.partition('<table class="figures cross">')[2].partition("</table>")[0]
    links = re.findall(r'<a href="/m/([^/]+)/replay" aria-label="[^"]+">([^<]+)</a>', table)
    assert sorted(links) == sorted((met.match, met.ahead.written) for row in view.cross for met in row.meetings)
    assert table.count('class="self"') == len(view.rows)
    assert "<b>Cel" not in table
    assert "figures cross" not in (await get(site, "/standings?name=cel")).text
    assert "figures cross" not in (await get(OneTournament(running()), "/standings")).text, "fours"


async def test_standings_are_a_spreadsheet_for_whoever_follows_the_link(site: OneTournament) -> None:
    page = (await get(site, "/standings")).text
    (link,) = re.findall(r'href="(/t/[^"]+/standings\.csv[^"]*)"', page)
    async with reader(site) as client:
        file = await client.get(html.unescape(link))
        assert (file.status_code, file.headers["content-type"].partition(";")[0]) == (200, "text/csv")
        assert file.text == standings_csv(standings_view(site.event.tournament, NAMES))
        assert (await client.get(f"/t/{UUID(int=0)}/standings.csv")).status_code == 404
    assert "event.trf" not in page, "four sit at a table"
    duels = OneTournament(running(4, "duel_swiss"))
    assert f"/api/v1/tournaments/{TOURNAMENT}/event.trf?stage=1" in (await get(duels, "/standings")).text
    for what in ("calendar.ics?lang=en", "export", "bundle"):
        assert f'href="/api/v1/tournaments/{TOURNAMENT}/{what}"' in (await get(duels, "")).text


# ---- on paper ----------------------------------------------------------------------------------------


async def test_a_card_for_each_table_leads_to_what_is_played_there(site: OneTournament) -> None:
    page = (await get(site, "/print/tables")).text
    codes = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert [read_code(drawn(code)) for code in codes] == [
        f"http://house/t/{TOURNAMENT}/pairings#t{table}" for table in (1, 2)
    ]
    before = WrittenEvent("pods", entry={"max": 256})
    assert (await get(OneTournament(before), "/print/tables")).text.count("<svg") == 1
    before.enter(9)
    assert (await get(OneTournament(before), "/print/tables")).text.count("<svg") == 3
    before.enter(4 * CARDS_AT_ONCE - 8)
    parts = [(await get(OneTournament(before), f"/print/tables?part={part}")).text for part in (1, 2, 9)]
    assert [page.count("<svg") for page in parts] == [CARDS_AT_ONCE, 1, 1]


async def test_a_slip_has_a_line_for_everybody_at_the_table(site: OneTournament) -> None:
    page = (await get(site, "/print/slips?stage=1&round=2")).text
    slips = re.findall(r'<li class="sheet slip">(.*?)</li>', page, re.DOTALL)
    tables = round_view(site.event.tournament, NAMES, 1, 2).tables
    assert [re.findall(r"<bdi>(.*?)</bdi>", slip) for slip in slips] == [
        [seat.name for seat in table.seats] for table in tables
    ]
    empty = await get(OneTournament(WrittenEvent("pods")), "/print/slips")
    assert "No round is paired yet." in text_of(empty.text)
    assert (await get(site, "/print/slips?stage=1&round=3")).status_code == 404


async def test_everybody_with_a_place_has_a_certificate_whose_code_leads_to_what_explains_it() -> None:
    event = WrittenEvent("pods", prizes={"unit": "EUR", "amounts": [10]}, entry={"bots": "labelled"})
    event.enter(4).check_in().draw().step()
    waiting = OneTournament(event)
    assert (await get(waiting, "/entrants/1/certificate")).status_code == 404
    for _ in steps(event):
        pass
    done = OneTournament(event)
    ranking = event.tournament.ranking
    for place, (number, *others) in zip((1, 2), ranking, strict=False):
        page = (await get(done, f"/entrants/{number}/certificate")).text
        assert f"Place {place}" in text_of(page)
        assert ("(shared)" in page) is bool(others)
        assert ("Wins 10 EUR" in text_of(page)) is (place == 1)
        (code,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
        assert read_code(drawn(code)) == f"http://house/t/{TOURNAMENT}/entrants/{number}"
        assert f'href="/t/{TOURNAMENT}/entrants/{number}/certificate"' in (await get(done, f"/entrants/{number}")).text
    assert (await get(done, "/entrants/99/certificate")).status_code == 404


async def test_the_card_lets_people_enter_as_long_as_anybody_may() -> None:
    event = WrittenEvent("pods", entry={"late_rounds": 1, "max": 5})
    said = []

    async def look() -> None:
        page = (await get(OneTournament(event), "/me")).text
        said.append('data-open="yes"' in page)

    await look()
    event.enter(4)
    await look()
    event.check_in().draw().step()
    await look()
    event.enter(1)
    await look()
    event.do(commands.Withdraw(by=player(5), number=5, reason="request"))
    await look()
    event.start()
    event.play_round()
    await look()
    assert said == [False, True, True, False, True, False], "announced, entry, late, full, a place, too late"
    assert HOST in event.tournament.officials


# ---- the big screen ----------------------------------------------------------------------------------


def slides(page: str) -> list[str]:
    """Return the text of each slide."""
    found = re.findall(r'<section class="slide">(.*?)</section>', page, re.DOTALL)
    return [" ".join(html.unescape(re.sub(r"<[^>]+>", " ", part)).split()) for part in found]


@pytest.mark.parametrize("name", ["single", "double", "knockout", "last_longer"])
async def test_the_screen_says_who_is_still_in_and_what_comes_next_until_the_end(name: str) -> None:
    event = WrittenEvent(name)
    event.enter(8).check_in(draws=(1,)).draw().step()
    site = OneTournament(event)
    for tournament in steps(event):
        found = survivors(tournament, NAMES)
        told = slides((await get(site, "/screen")).text)
        if tournament.ranking:
            assert told[0].startswith("Places")
            assert not any(slide.startswith("Still in") for slide in told)
            break
        assert found is not None
        (still,) = [slide for slide in told if slide.startswith("Still in")]
        assert still.startswith(f"Still in: {len(found.lines)} of 8")
        assert all(line.name in still for line in found.lines)
        assert bool(re.search(r" (a die|dice)\b", still)) == (name == "last_longer")
        coming = [slide for slide in told if slide.startswith("In play, and next")]
        assert len(coming) == bool(found.matches)
        assert all(match.id in coming[0] for match in found.matches)


async def test_the_screen_shows_groups_by_themselves() -> None:
    event = WrittenEvent("groups")
    event.enter(8).check_in(draws=(1,)).draw().step()
    event.start()
    event.play_round()
    told = [slide for slide in slides((await get(OneTournament(event), "/screen")).text) if "Group" in slide]
    assert [slide[: slide.index(" after")] for slide in told] == ["Standings · Group 1", "Standings · Group 2"]
    rows = [standings_view(event.tournament, NAMES, 1, 1, group).rows for group in (1, 2)]
    assert all(row.name in slide for slide, group in zip(told, rows, strict=True) for row in group)


class AskedSite(OneTournament):
    """A site that notes of which groups it is asked for standings."""

    def __init__(self, event: WrittenEvent) -> None:
        super().__init__(event)
        self.asked: list[int | None] = []

    async def standings(
        self, shown: ShownTournament, stage: int | None, number: int | None, group: int | None, *, explained: bool
    ) -> StandingsView:
        self.asked.append(group)
        return await super().standings(shown, stage, number, group, explained=explained)


async def test_the_screen_asks_for_standings_once_however_many_groups_there_are() -> None:
    event = WrittenEvent("groups")
    event.enter(8).check_in(draws=(1,)).draw().step()
    site = AskedSite(event)
    assert "Group 2" in (await get(site, "/screen")).text
    assert site.asked == [None]


def test_reasons_are_a_dear_read_since_they_fold_a_whole_stream() -> None:
    event = WrittenEvent("pods")
    event.enter(8).check_in(draws=(1,)).draw().step()
    with served(Bounds(dear=Rate(1, 60)), shown=OneTournament(event)) as service:
        client = service.client
        paths = [f"/t/{TOURNAMENT}/why?number={number}" for number in (1, 2)]
        assert [client.get(path).status_code for path in paths] == [200, 429]
        assert client.get(f"/t/{TOURNAMENT}/standings").status_code == 200
