"""Ranking: points, places and prizes add up, whatever came of the tables."""

from __future__ import annotations

import hashlib
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.log.canonical import encode
from domain.tournaments.ranking.boards import board_scores
from domain.tournaments.ranking.encounters import encounters
from domain.tournaments.ranking.outcomes import ABSENT, KnownOutcomes, Outcomes, outcomes_of
from domain.tournaments.ranking.prizes import prizes
from domain.tournaments.ranking.results import Bye, PointsPenalty, TableResult
from domain.tournaments.ranking.scoring import Scoring
from domain.tournaments.ranking.standings import (
    CODES,
    cuts_of,
    rounds_of,
    standings,
    standings_hash,
    standings_object,
    tie_break,
)
from domain.tournaments.ranking.tiebreaks import TieBreaks
from tests.sizes import cases

CUSTOM = {size: tuple(Fraction(size * size - place, 7) for place in range(size)) for size in range(2, 9)}


@st.composite
def results(draw: st.DrawFn, entrants: int, rounds: int) -> tuple[list[TableResult], list[Bye]]:
    """What came of rounds: tables of 2 to 8, shared places, some who stayed away, and byes for who is left over."""
    tables, byes = [], []
    for number in range(1, rounds + 1):
        order = list(draw(st.permutations(range(1, entrants + 1))))
        table = 0
        while len(order) > 1:
            many = draw(st.integers(2, min(8, len(order))))
            seated, order, table = order[:many], order[many:], table + 1
            away = draw(st.sampled_from([0, 0, 0, 1, many - 1, many]))
            ranking: list[list[int]] = []
            for entrant in seated[away:]:
                together: bool = draw(st.booleans())
                if together and ranking:
                    ranking[-1].append(entrant)
                else:
                    ranking.append([entrant])
            levels = tuple(tuple(level) for level in ranking)
            tables.append(TableResult(number, table, tuple(sorted(seated)), levels, tuple(seated[:away])))
        byes += [Bye(number, n, draw(st.sampled_from(["pairing", "full", "half", "zero"]))) for n in order]
    return tables, byes


@st.composite
def events(draw: st.DrawFn) -> tuple[Outcomes, list[TableResult], list[Bye], Scoring]:
    entrants, rounds = draw(st.integers(2, 12)), draw(st.integers(1, 4))
    scheme = draw(st.sampled_from(["share", "ladder", "winner", "custom"]))
    scoring = Scoring(scheme, draw(st.sampled_from([Fraction(0), Fraction(1, 3), Fraction(1)])), CUSTOM)
    tables, byes = draw(results(entrants, rounds))
    preferred = draw(st.integers(2, 8))
    return outcomes_of(scoring, preferred, rounds, range(1, entrants + 1), tables, byes), tables, byes, scoring


@settings(max_examples=cases(25, 500))
@given(events())
def test_what_a_table_gives_is_what_its_places_are_worth(made) -> None:
    event, tables, byes, scoring = made
    given_out = sum((Fraction(o.points, event.unit) for course in event.of.values() for o in course), Fraction(0))
    worth = [scoring.places(len(t.numbers))[: len(t.numbers) - len(t.absent)] for t in tables]
    top = Fraction(event.top, event.unit)
    rested = sum((scoring.bye_points(bye.kind, top) for bye in byes), Fraction(0))
    assert given_out == sum((sum(places, Fraction(0)) for places in worth), Fraction(0)) + rested
    missing = sum(len(t.absent) for t in tables)
    assert sum(o.how == ABSENT for course in event.of.values() for o in course) == missing


@settings(max_examples=cases(25, 500))
@given(events(), st.permutations(CODES), st.lists(st.integers(1, 2), max_size=2, unique=True))
def test_places_are_counted_over_everybody_who_has_one(made, codes, disqualified) -> None:
    event = made[0]
    rows = standings(event, codes, [PointsPenalty(1, Fraction(-1, 3))], disqualified)
    assert sorted(row.number for row in rows) == sorted(event.of)
    ranked = [row for row in rows if row.place is not None]
    assert {row.number for row in rows[len(ranked) :]} == set(disqualified)
    shares = Counter(row.place for row in ranked)
    place = 1
    for found, many in shares.items():
        assert found == place
        place += many
    assert all(row.shared == (shares[row.place] > 1) for row in ranked)
    for better, worse in pairwise(ranked):
        assert better.score >= worse.score
        if better.place == worse.place:
            assert better.number < worse.number
            assert [better.ties[code] for code in codes if code != "DE"] == [
                worse.ties[code] for code in codes if code != "DE"
            ]
    line = encode(standings_object(1, event.rounds, codes, rows))
    assert standings_hash(1, event.rounds, codes, rows) == hashlib.sha256(line).hexdigest()


def test_the_hash_of_standings_is_that_of_their_canonical_line() -> None:
    results = [TableResult(1, 1, (1, 2), ((2,), (1,)))]
    event = outcomes_of(Scoring(), 2, 1, [1, 2, 3], results, [Bye(1, 3, "pairing")])
    codes = ["BH", "CB"]
    rows = standings(event, codes, [], [1])
    found = standings_object(2, 1, codes, rows)
    assert found == {
        "round": 1,
        "rows": [[3, 1, "1", ["1/2", None]], [2, 2, "1", ["0", None]], [1, None, "0", [None, None]]],
        "stage": 2,
    }
    assert standings_hash(2, 1, codes, rows) == hashlib.sha256(encode(found)).hexdigest()


@settings(max_examples=cases(25, 500))
@given(events())
def test_a_cut_takes_away_what_it_cuts(made) -> None:
    event = made[0]
    breaks = TieBreaks(event)
    for number in event.of:
        whole, one = breaks.buchholz(number), breaks.buchholz(number, 1)
        two, both = breaks.buchholz(number, 2), breaks.buchholz(number, 1, 1)
        assert whole >= one >= two >= 0
        assert whole >= one >= both >= 0


@settings(max_examples=cases(25, 500))
@given(events())
def test_encounters_part_the_tied_into_groups(made) -> None:
    event = made[0]
    sums, parts = encounters(event.of, sorted(event.of))
    assert sorted(number for part in parts for number in part) == sorted(event.of)
    firsts = [part[0] for part in parts]
    assert all(sums[better] > sums[worse] for better, worse in pairwise(firsts) if len(parts) == len(event.of))


def test_outcomes_after_another_result_are_those_made_from_nothing() -> None:
    first = [TableResult(1, 1, (1, 2), ((1,), (2,))), TableResult(1, 2, (3, 4), ((3,), (4,)))]
    played = TableResult(2, 1, (1, 3), ((1,), (3,)))
    ruled = TableResult(2, 1, (1, 3), ((3,), (1,)))
    byes = [Bye(2, 2, "half"), Bye(2, 4, "half")]
    before = outcomes_of(Scoring(), 2, 2, [1, 2, 3, 4], [*first, played], byes)
    known = KnownOutcomes(before, [*first, played], byes)
    now = outcomes_of(Scoring(), 2, 2, [1, 2, 3, 4], [*first, ruled], byes, known)
    assert now == outcomes_of(Scoring(), 2, 2, [1, 2, 3, 4], [*first, ruled], byes)
    # Of the tables of the first round, each has one who met nobody else since.
    assert [now.of[number] is before.of[number] for number in (1, 2, 3, 4)] == [False, True, False, True]


def test_points_of_a_ruling_stand_in_the_place_of_those_of_places() -> None:
    ruled = TableResult(1, 1, (1, 2, 3), ((1,), (2,)), (3,), {1: Fraction(1, 7), 3: Fraction(2)})
    event = outcomes_of(Scoring("winner"), 3, 1, [1, 2, 3], [ruled], [])
    assert {row.number: row.score for row in standings(event, [])} == {3: 2, 1: Fraction(1, 7), 2: 0}


@settings(max_examples=cases(40, 800))
@given(st.data(), st.integers(1, 12), st.lists(st.integers(0, 10_000), max_size=12).map(lambda a: sorted(a)[::-1]))
def test_prizes_are_paid_to_the_unit(data, entrants: int, amounts: list[int]) -> None:
    lots = data.draw(st.permutations(range(1, entrants + 1)))
    ranking: list[list[int]] = []
    for number in range(1, entrants + 1):
        if ranking and data.draw(st.booleans()):
            ranking[-1].append(number)
        else:
            ranking.append([number])
    paid = prizes(ranking, amounts, lots)
    assert sum(prize.whole for prize in paid) == sum(amounts[:entrants]) == sum(prize.share for prize in paid)
    assert all(abs(prize.whole - prize.share) < 1 for prize in paid)
    more = [prize.number for prize in paid if prize.whole > prize.share]
    assert all(
        lots.index(n) < lots.index(other.number)
        for n in more
        for level in ranking
        if n in level
        for other in paid
        if other.number in level and other.whole < other.share
    )


@settings(max_examples=cases(30, 600))
@given(st.lists(st.permutations(range(4)), min_size=2, max_size=6))
def test_scores_of_a_position_sum_to_nothing(tables: list[list[int]]) -> None:
    scores = board_scores([{seat: Fraction(table[seat - 1], 3) for seat in range(1, 5)} for table in tables])
    assert all(sum(table[seat] for table in scores) == 0 for seat in range(1, 5))
    assert all(sum(table.values()) == 0 for table in scores)


@pytest.mark.parametrize("scheme", ["share", "ladder", "winner"])
@pytest.mark.parametrize("size", range(2, 9))
def test_places_never_rise(scheme: str, size: int) -> None:
    worth = Scoring(scheme).places(size)
    assert len(worth) == size
    assert sorted(worth, reverse=True) == list(worth)
    assert worth[-1] == 0


@settings(max_examples=cases(25, 500))
@given(events())
def test_a_tie_break_is_the_sum_of_what_its_rounds_give_but_for_those_that_it_cuts(made) -> None:
    event = made[0]
    breaks = TieBreaks(event)
    for code in sorted(set(CODES) - {"DE", "CB"}):
        for number in event.of:
            given_by, cut = rounds_of(breaks, code, number), cuts_of(breaks, code, number)
            assert len(given_by) == event.rounds
            assert tie_break(breaks, code, number) == sum(
                (part for at, part in enumerate(given_by) if at not in cut), Fraction(0)
            )
