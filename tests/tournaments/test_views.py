"""Views of tournaments: whatever happens, they are there, they add up, and they say nothing that the laws do not."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.tournaments.field import StageField
from domain.tournaments.points import points_of
from domain.tournaments.tournament import Tournament
from projections.tournaments.brackets import bracket_view
from projections.tournaments.cards import card_of
from projections.tournaments.entrants import entrant_rows, entrant_view
from projections.tournaments.numbers import decimal_text, exact, mixed_text
from projections.tournaments.overview import tournament_row, tournament_view
from projections.tournaments.parts import NAMED_MAX, TieValueView
from projections.tournaments.rounds import RoundView, round_view, table_view
from projections.tournaments.standings import StandingsView, standings_view
from tests.tournaments.events_for_audit import WrittenEvent
from tests.tournaments.seen_events import NAMES, busy, steps

FORMATS = (
    "pods",
    "duel_swiss",
    "knockout",
    "single",
    "double",
    "round_robin",
    "league_day",
    "pods_final",
    "groups",
    "last_longer",
)
ALL_CODES = ("DE", "BH-M1", "BH-C2", "BH-C1", "BH", "SB", "PS", "WIN", "WON", "CB")


def number_of(shown: Any) -> Fraction:
    return points_of(shown.value)


# ---- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "shown", "written"),
    [
        ("14/3", "4.667", "4⅔"),
        ("7", "7", "7"),
        ("0", "0", "0"),
        ("1/2", "0.5", "½"),
        ("-1/2", "-0.5", "\N{MINUS SIGN}½"),
        ("26/7", "3.714", "3⁵\N{FRACTION SLASH}₇"),
        ("-1/3000", "0", "\N{MINUS SIGN}¹\N{FRACTION SLASH}₃₀₀₀"),
        ("1999/2000", "1", "¹⁹⁹⁹\N{FRACTION SLASH}₂₀₀₀"),
    ],
)
def test_a_number_is_shown_as_a_fraction_a_decimal_and_by_hand(number: str, shown: str, written: str) -> None:
    assert msgspec.structs.astuple(exact(points_of(number))) == (number, shown, written)


@given(st.fractions())
def test_a_decimal_is_nearer_than_half_a_thousandth(number: Fraction) -> None:
    assert abs(Fraction(decimal_text(number)) - number) <= Fraction(1, 2000)
    assert not mixed_text(number).startswith("-")


# ---- whatever happens ------------------------------------------------------------------------------


def check_ties(row: Any, tie: TieValueView) -> None:
    """Check that what a tie-break is made of comes to it."""
    if tie.places:
        # Whoever shares a place has a part of each that is shared, and all parts together are one.
        assert sum(map(number_of, tie.places)) == sum(part.place is not None for part in tie.parts)
    elif tie.value is None:
        assert tie == TieValueView(tie.code)
    else:
        kept = [part for part in tie.parts if not part.cut]
        assert number_of(tie.value) == sum((number_of(part.value) for part in kept), Fraction(0))
        assert row.number not in tie.tied
        assert tie.code != "DE" or {*tie.unmet, *(o.number for part in kept for o in part.against)} == set(tie.tied)
        assert (tie.tied_count, tie.unmet_count) == (len(tie.tied), len(tie.unmet))


def check_standings(tournament: Tournament, view: StandingsView) -> None:
    for row in view.rows:
        penalty = sum((number_of(each) for each in (row.penalty, row.bonus) if each is not None), Fraction(0))
        assert number_of(row.score) == penalty + sum((number_of(each.points) for each in row.course), Fraction(0))
        for tie in row.ties:
            check_ties(row, tie)
    assert view.hash == StageField(tournament, view.stage, view.round).standings_hash


def level(many: int) -> WrittenEvent:
    """Return an event in which nobody has played yet, so that all are tied with all."""
    event = WrittenEvent("pods", entry={"max": many}, stages=[{"format": "swiss", "rounds": 2}])
    event.enter(many).check_in(draws=(1,)).draw().step()
    return event


@pytest.mark.parametrize("explained", [False, True])
def test_standings_of_twice_as_many_are_twice_as_long(explained: bool) -> None:  # noqa: FBT001 - a case of the test
    of_few, of_many = (
        len(msgspec.json.encode(standings_view(level(many).tournament, NAMES, 1, 0, explained=explained)))
        for many in (100, 200)
    )
    assert of_many < 2.1 * of_few


def test_of_many_who_are_tied_few_are_named_and_all_are_counted() -> None:
    many = 2 * NAMED_MAX
    event = level(many)
    event.start()
    event.play_round()
    for number in (0, 1):
        view = standings_view(event.tournament, NAMES, 1, number)
        for row in view.rows:
            first = row.ties[0]
            tied = [other.number for other in view.rows if other != row and other.score == row.score]
            met = {opponent.number for part in first.parts for opponent in part.against}
            unmet = [other for other in sorted(tied) if other not in met]
            assert first.code == "DE"
            assert (first.tied, first.tied_count) == (tuple(sorted(tied)[:NAMED_MAX]), len(tied))
            assert (first.unmet, first.unmet_count) == (tuple(unmet[:NAMED_MAX]), len(unmet))
        assert (view.rows[0].ties[0].tied_count == many - 1) is (number == 0)


def check_round(tournament: Tournament, view: RoundView) -> None:
    seated = [seat.number for table in view.tables for seat in table.seats]
    resting = [rest.number for rest in view.resting]
    assert len({*seated, *resting}) == len(seated) + len(resting)
    assert view.missing == tuple(table.table for table in view.tables if table.state != "over")
    for table in view.tables:
        assert table_view(tournament, NAMES, view.stage, view.round, table.table) == table
        assert all((seat.points is not None) is (table.state == "over") for seat in table.seats)
        assert table.state != "over" or all((seat.place is None) is seat.absent for seat in table.seats)


def check_all(tournament: Tournament) -> None:
    """Look at a tournament in every way there is."""
    whole: list[Any] = [tournament_view(tournament, NAMES, "x"), tournament_row(tournament, "x")]
    whole += [card_of(tournament, NAMES, number) for number in tournament.entrants]
    for stage in tournament.stages:
        paired = [number for number, held in stage.rounds.items() if held.is_paired]
        whole += [round_view(tournament, NAMES, stage.number, number) for number in paired[-1:]]
        for view in whole[-1:] if paired else ():
            check_round(tournament, view)
        whole.append(standings_view(tournament, NAMES, stage.number))
        check_standings(tournament, whole[-1])
        if tournament.rules.stages[stage.number - 1].__struct_config__.tag in {"single", "double", "knockout"}:
            whole.append(bracket_view(tournament, NAMES, stage.number))
    whole += [
        entrant_rows(tournament, NAMES),
        *(entrant_view(tournament, NAMES, n) for n in list(tournament.entrants)[:1]),
    ]
    json.loads(msgspec.json.encode(whole))


@pytest.mark.parametrize("name", FORMATS)
def test_everything_can_be_looked_at_after_every_step_of_any_format(name: str) -> None:
    codes = ("DE", "SB", "KS", "WIN") if name == "round_robin" else ALL_CODES
    event = WrittenEvent(name, tiebreaks=list(codes)).enter(5).check_in(draws=(1,))
    check_all(event.tournament)
    event.draw()
    for at, tournament in enumerate(steps(event)):
        if at % 4 == 0 or tournament.phase != "running":
            check_all(tournament)


def test_everything_can_be_looked_at_where_most_things_happen() -> None:
    event = busy(tiebreaks=list(ALL_CODES))
    check_all(event.tournament)
    for tournament in steps(event):
        if tournament.phase != "running" or all(held.closed_at for held in tournament.stages[0].rounds.values()):
            check_all(tournament)
