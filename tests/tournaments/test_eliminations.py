"""Eliminations and last longer: who has lost often enough is out, nobody else, and all have a place in the end."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from domain.tournaments.schedules.brackets import (
    BracketCourse,
    BracketMatch,
    bracket_order,
    course_of,
    double,
    first_round,
    opener,
    single,
)
from domain.tournaments.schedules.eliminations import (
    bracket_places,
    knockout_places,
    knockout_round,
    who_goes_on,
)
from domain.tournaments.schedules.survivors import first_level, next_level, survivor_places
from tests.sizes import cases


@given(st.integers(0, 9))
def test_the_best_meet_as_late_as_can_be(doublings: int) -> None:
    order = bracket_order(2**doublings)
    assert sorted(order) == list(range(1, 2**doublings + 1))
    for length in (2**power for power in range(1, doublings + 1)):
        kept = [seed for seed in order if seed <= length]
        assert {a + b for a, b in zip(kept[::2], kept[1::2], strict=True)} == {length + 1}


@given(st.integers(2, 130))
def test_byes_go_to_the_best(entrants: int) -> None:
    pairs = first_round(entrants)
    resting = sorted(first for first, second in pairs if second is None)
    assert resting == list(range(1, len(resting) + 1))
    assert len(pairs) * 2 == entrants + len(resting)


def play(matches: list[BracketMatch], entrants: int, draw: st.DataObject) -> tuple[BracketCourse, dict[str, int]]:
    winners: dict[str, int] = {}
    while (course := course_of(matches, range(1, entrants + 1), winners)).called:
        for name, pair in course.called.items():
            winners[name] = draw.draw(st.sampled_from(pair))
    return course, winners


def losses(course: BracketCourse) -> Counter[int]:
    return Counter(loser for _, loser in course.played.values() if loser is not None)


@settings(max_examples=cases(40, 800))
@given(st.integers(2, 20), st.booleans(), st.data())
def test_whoever_loses_once_is_out(entrants: int, third, draw: st.DataObject) -> None:
    course, winners = play(single(entrants, third_place=third), entrants, draw)
    places = bracket_places(single(entrants, third_place=third), course)
    assert sorted(number for level in places for number in level) == list(range(1, entrants + 1))
    lost = losses(course)
    assert places[0] == [number for number in range(1, entrants + 1) if not lost[number]]
    for_third = "P3" in winners
    assert sum(lost.values()) == entrants - 1 + for_third
    assert for_third == (third and entrants > 3)
    assert [len(level) for level in places[:3]] == ([1, 1, 1] if for_third or entrants == 3 else [1, 1, 2])[
        : len(places)
    ]


@settings(max_examples=cases(25, 500))
@given(st.integers(3, 20), st.data())
def test_whoever_loses_twice_is_out_and_nobody_else(entrants: int, draw: st.DataObject) -> None:
    matches = double(entrants)
    course, winners = play(matches, entrants, draw)
    places = bracket_places(matches, course)
    assert sorted(number for level in places for number in level) == list(range(1, entrants + 1))
    lost = losses(course)
    assert all(lost[number] == 2 for level in places[1:] for number in level)
    assert lost[places[0][0]] == ("G2" in winners)
    assert len(places[0]) == len(places[1]) == 1


def test_a_match_waits_until_both_are_known() -> None:
    assert dict(course_of(single(5), [11, 12, 13, 14, 15], {}).called) == {"W1.2": (14, 15), "W2.2": (12, 13)}


def test_who_opened_less_often_opens_and_lots_break_ties() -> None:
    assert opener((1, 2), {1: 1}, [1, 2]) == 2
    assert opener((1, 2), {}, [3, 2, 1]) == 2


def test_a_knockout_at_larger_tables_ends_at_one() -> None:
    first = knockout_round(range(1, 11), 4, 1, 3)
    assert (first.byes, first.tables) == ((1,), ((2, 7, 8), (3, 6, 9), (4, 5, 10)))
    assert who_goes_on([[8], [7, 2]], 2, range(1, 11)) == [8, 2]
    assert knockout_round([1, 2, 8], 4, 0, 1).tables == ((1, 2, 8),)


def test_who_goes_out_in_one_round_shares_by_the_place_at_the_table() -> None:
    out = [[[3, 7], [], [9, 5]], [[1], [8], [2, 4]]]
    assert knockout_places(out) == [[1], [8], [2, 4], [3, 7], [9, 5]]


@settings(max_examples=cases(15, 300))
@given(st.integers(2, 40), st.integers(3, 8), st.data())
def test_of_many_tables_one_is_left(entrants: int, high: int, draw: st.DataObject) -> None:
    lots = draw.draw(st.permutations(range(1, entrants + 1)))
    tables = first_level(lots, high)
    assert [number for table in tables for number in table.seats] == lots
    moves: Counter[int] = Counter()
    levels: list[dict[int, int]] = []
    left = list(lots)
    while len(left) > 1:
        sizes = [len(table.seats) for table in tables]
        assert len(tables) == -(-len(left) // high)
        assert max(sizes) - min(sizes) <= 1
        assert max(sizes) <= high
        gone = draw.draw(st.dictionaries(st.sampled_from(left), st.integers(1, 3), min_size=1, max_size=len(left) - 1))
        starters = {table.table: draw.draw(st.sampled_from(table.seats)) for table in tables}
        found = next_level(tables, gone, starters, moves, lots, high)
        moves.update(transfer.number for transfer in found.transfers)
        left = [number for number in left if number not in gone]
        assert sorted(number for table in found.tables for number in table.seats) == sorted(left)
        stayed = {starter for starter in starters.values() if starter in left}
        kept = {table.table for table in found.tables}
        opening = {table.seats[0] for table in found.tables}
        assert {starters[table] for table in kept} & stayed <= opening
        tables = found.tables
        levels.append(gone)
    places = survivor_places(levels, left)
    assert places[0] == left
    assert sorted(number for level in places for number in level) == sorted(lots)
    when = {number: (at, gone[number]) for at, gone in enumerate(levels) for number in gone}
    last = [{when[number] for number in level} for level in places[1:]]
    assert all(len(level) == 1 for level in last)
    assert all(min(better) > max(worse) for better, worse in pairwise(last))


def test_all_who_are_left_may_go_out_at_once() -> None:
    assert survivor_places([{1: 1}, {2: 4, 3: 4}], []) == [[2, 3], [1]]
    found = next_level(first_level([2, 3], 4), {2, 3}, {1: 2}, {}, [2, 3], 4)
    assert [table.seats for table in found.tables] == [()]
