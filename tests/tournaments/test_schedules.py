"""Fixed schedules: everybody meets everybody, and every order is the one that the law gives."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.rules.schedules import chouette, chouette_after
from domain.tournaments.schedules.berger import BYE, berger
from domain.tournaments.schedules.chouettes import chouette_places, line_of
from domain.tournaments.schedules.dealing import deal_out
from domain.tournaments.schedules.designs import DESIGNS, Design, design
from domain.tournaments.schedules.groups import first_round_of_groups, seeds_of_groups
from domain.tournaments.schedules.ladder import after_challenge, may_challenge
from domain.tournaments.schedules.waves import arena_score, first_table, in_company, taken


@given(st.integers(2, 24), st.integers(1, 2))
def test_everybody_meets_everybody_as_often_as_there_are_cycles(entrants: int, cycles: int) -> None:
    rounds = berger(entrants, cycles)
    everybody = [BYE] * (entrants % 2) + list(range(1, entrants + 1))
    assert all(sorted(number for pair in pairs for number in pair) == everybody for pairs in rounds)
    met = Counter(tuple(sorted(pair)) for pairs in rounds for pair in pairs)
    assert met == Counter(dict.fromkeys(combinations(everybody, 2), cycles))


@given(st.integers(2, 24))
def test_who_meets_twice_has_opened_once(entrants: int) -> None:
    pairs = [pair for pairs in berger(entrants, 2) for pair in pairs]
    assert sorted(pairs) == sorted((b, a) for a, b in pairs)


@given(st.integers(3, 24))
def test_nobody_opens_more_than_one_round_oftener_than_not(entrants: int) -> None:
    opened = Counter(pair[0] for pairs in berger(entrants) for pair in pairs)
    answered = Counter(pair[1] for pairs in berger(entrants) for pair in pairs)
    assert all(abs(opened[number] - answered[number]) <= 1 for number in range(1, entrants + 1))


@pytest.mark.parametrize("found", DESIGNS, ids=lambda found: f"{found.entrants} in {found.size}")
def test_in_a_design_every_two_meet_equally_often(found: Design) -> None:
    rounds = found.rounds()
    assert all(sorted(n for table in tables for n in table) == [*range(1, found.entrants + 1)] for tables in rounds)
    met = Counter(pair for tables in rounds for table in tables for pair in combinations(table, 2))
    assert met == Counter(dict.fromkeys(combinations(range(1, found.entrants + 1), 2), found.meetings))
    assert design(found.entrants, found.size) is found


def test_there_is_no_design_for_ten_in_fives() -> None:
    assert design(10, 5) is None


@given(st.integers(1, 60), st.integers(1, 9))
def test_tables_that_are_dealt_there_and_back_are_as_even_as_can_be(entrants: int, tables: int) -> None:
    dealt = deal_out(range(entrants), tables)
    assert sorted(number for table in dealt for number in table) == list(range(entrants))
    assert max(map(len, dealt)) - min(map(len, dealt)) <= 2
    assert all(table == sorted(table) for table in dealt)


@st.composite
def groups(draw: st.DrawFn) -> list[list[int]]:
    many, through = draw(st.tuples(st.integers(1, 9), st.integers(1, 4)).filter(lambda two: two[0] * two[1] > 1))
    numbers = draw(st.permutations(range(1, many * through + 1)))
    return [list(numbers[at * through : (at + 1) * through]) for at in range(many)]


@given(groups())
def test_from_groups_everybody_goes_on_and_an_exchange_is_within_a_rank(through: list[list[int]]) -> None:
    seeds = seeds_of_groups(through)
    pairs = first_round_of_groups(through)
    found = [number for pair in pairs for number in pair if number is not None]
    assert sorted(found) == sorted(seeds) == sorted(number for group in through for number in group)
    rank = {number: at for group in through for at, number in enumerate(group)}
    plain = first_round_of_groups([[number] for number in seeds])
    for pair, before in zip(pairs, plain, strict=True):
        assert [n and rank[n] for n in pair] == [n and rank[n] for n in before]


def test_two_of_one_group_are_parted_by_the_nearest_of_the_same_rank() -> None:
    # Seeds 5 and 12 are both of the fifth group; 11 and 13 are as near to 12, and 11 is the lower number.
    seven = [[at, 10 + at] for at in range(1, 8)]
    assert (5, 14) in first_round_of_groups(seven)
    assert (6, 15) in first_round_of_groups(seven)


def test_two_of_one_group_meet_where_nobody_can_be_exchanged() -> None:
    assert first_round_of_groups([[1, 2]]) == [(1, 2)]


@given(st.permutations(range(1, 9)), st.data())
def test_a_ladder_moves_those_between_down_by_one(order: list[int], data: st.DataObject) -> None:
    above, below = sorted(data.draw(st.lists(st.integers(0, 7), min_size=2, max_size=2, unique=True)))
    challenger, defender = order[below], order[above]
    assert after_challenge(order, challenger, defender, defender) == order
    after = after_challenge(order, challenger, defender, challenger)
    assert after == [*order[:above], challenger, *order[above:below], *order[below + 1 :]]
    assert may_challenge(order, challenger, defender, below - above)
    assert not may_challenge(order, challenger, defender, below - above - 1)
    assert not may_challenge(order, defender, challenger, 8)


@given(
    st.dictionaries(st.integers(1, 99), st.integers(0, 100_000), max_size=30),
    st.sampled_from([(2, 2, 2), (4, 3, 4), (3, 3, 3), (6, 5, 8)]),
    st.randoms(use_true_random=False),
)
def test_a_wave_leaves_out_as_few_as_can_be_and_nobody_who_waited_longer(idle, sizes, shuffle) -> None:
    preferred, smallest, largest = sizes
    lots = sorted(idle)
    shuffle.shuffle(lots)
    seated = taken(idle, lots, 100_000, 50_000, preferred, smallest, largest)
    left = [number for number in idle if number not in seated]
    fits = [n for n in range(1, len(idle) + 1) if any(t * smallest <= n <= t * largest for t in range(1, n + 1))]
    patient = all(since > 50_000 for since in idle.values())
    assert len(seated) == (0 if patient and len(idle) < 2 * preferred else max(fits, default=0))
    if seated:
        assert max(idle[number] for number in seated) <= min((idle[number] for number in left), default=100_000)


def test_of_those_who_wait_equally_long_the_first_in_lot_order_are_seated() -> None:
    assert taken(dict.fromkeys(range(1, 6), 0), [5, 4, 3, 2, 1], 99, 1, 4, 4, 4) == [2, 3, 4, 5]


@given(st.sets(st.sampled_from(list(combinations(range(1, 8), 2)))), st.permutations(range(1, 8)), st.integers(2, 5))
def test_where_some_may_not_meet_the_first_who_all_may_are_one_table(
    apart: set[tuple[int, int]], order: list[int], preferred: int
) -> None:
    tables = (each for size in range(preferred, 1, -1) for each in combinations(order, size))
    first = next((each for each in tables if apart.isdisjoint(combinations(sorted(each), 2))), None)
    assert first_table(order, apart, preferred, 2) == first


def test_no_more_beginnings_of_a_table_are_looked_at_than_anybody_waits_for() -> None:
    clubs = [pair for pair in combinations(range(200), 2) if pair[0] % 5 == pair[1] % 5]
    assert first_table(range(200), clubs, 6, 6) is None
    assert first_table(range(200), clubs, 6, 5) == (0, 1, 2, 3, 4)


def test_whoever_stays_in_company_may_meet_enough_of_those_who_stay() -> None:
    chain = [(one, other) for one, other in combinations(range(1, 6), 2) if other - one > 1]
    assert in_company([5, 3, 1, 2, 4], chain, 2) == [5, 3, 1, 2, 4]
    assert in_company([5, 3, 1, 2, 4], chain, 3) == []
    assert in_company([5, 3, 1, 2, 4], [(1, other) for other in range(2, 6)], 4) == [5, 3, 2, 4]


def test_a_table_is_found_behind_families_of_whom_none_may_be_filled() -> None:
    families = [range(first, first + 7) for first in range(1, 36, 7)]
    apart = [pair for family in families for pair in combinations(family, 2)]
    # Behind each of the first family stand 4,096 beginnings that come to nothing: the last six may not meet it.
    apart += [(one, other) for one in families[0] for other in range(36, 42)]
    assert first_table(range(1, 42), apart, 6, 6) == (8, 15, 22, 29, 36, 37)


def test_after_two_first_places_in_a_row_the_next_ones_count_double() -> None:
    first, second = Fraction(1), Fraction(1, 2)
    points = [first, first, first, second, first, first, first]
    assert arena_score(points, streak=False) == Fraction(13, 2)
    assert arena_score(points, streak=True) == Fraction(17, 2)


def test_a_chouette_ends_by_wins_and_then_by_the_queue() -> None:
    end = chouette_after(chouette_after(chouette([1, 2, 3, 4]), 1), 1)
    assert chouette_places({1: 2}, line_of(end, 1)) == [1, 4, 2, 3]
    assert line_of(chouette_after(chouette([1, 2, 3, 4]), 2), 2) == (2, 3, 4, 1)
