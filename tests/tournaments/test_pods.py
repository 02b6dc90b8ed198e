"""`pods/1` seats everybody once, at least cost in small fields, never below its bound, and draws where all is equal."""

from __future__ import annotations

import random
from itertools import permutations

import pytest
from hypothesis import given, settings
from msgspec.structs import replace

from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.inputs import NotAnInput, PairingInput, Weights, canonical, input_of
from domain.tournaments.pairing.pods.law import CannotPair, pair, round_of
from domain.tournaments.pairing.pods.search import search
from domain.tournaments.pairing.sizes import TableSizes
from tests.sizes import cases
from tests.tournaments.fields import (
    field,
    fields,
    first_of_the_cheapest,
    first_of_the_least,
    grouping_cost,
    plain,
    seat_costs,
    table_sizes,
)

FOURS = TableSizes(4, 3, 4)


@settings(max_examples=cases(40, 800))
@given(fields((1, 8), table_sizes()))
def test_a_small_field_gets_the_first_of_its_cheapest_groupings(made: tuple[PairingInput, Lots]) -> None:
    value, lots = made
    found = pair(value, lots)
    playing = [each.n for each in value.players if each.n not in found.byes]
    best = first_of_the_cheapest(value, playing, found.sizes, lots)
    assert sorted(map(sorted, best)) == sorted(map(sorted, found.tables))
    assert found.cost == grouping_cost(value, found.tables)
    assert found.bound <= found.cost


@settings(max_examples=cases(12, 240))
@given(fields((1, 24), table_sizes()))
def test_everybody_has_one_seat_or_rests(made: tuple[PairingInput, Lots]) -> None:
    value, lots = made
    found = pair(value, lots)
    seated = [number for table in found.tables for number in table]
    assert sorted((*seated, *found.byes)) == [each.n for each in value.players]
    assert sorted(map(len, found.tables), reverse=True) == list(found.sizes)
    assert found.bound <= found.cost == grouping_cost(value, found.tables)
    met = {(i, j) for i, j, _ in value.met}
    assert found.repeats == sum(i in table and j in table for i, j in met for table in found.tables)


@settings(max_examples=cases(12, 240))
@given(fields((3, 13), table_sizes(2, 5)))
def test_a_search_finds_nothing_cheaper_than_the_optimum(made: tuple[PairingInput, Lots]) -> None:
    found = round_of(*made)
    searched = [[found.costs.numbers[at] for at in table] for table in search(found.costs, found.sizes, made[1].kick)]
    assert sorted(number for table in searched for number in table) == sorted(found.costs.numbers)
    assert found.cost(searched) >= found.cost(found.groups()) >= found.bound()


@settings(max_examples=cases(25, 500))
@given(fields((2, 6), table_sizes(2, 6)))
def test_the_seats_of_a_table_are_the_least(made: tuple[PairingInput, Lots]) -> None:
    value, lots = made
    found = pair(value, lots)
    for table in found.tables:
        assert table == first_of_the_least(value, table, lots)
    costs = [seat_costs(value, table) for table in found.tables]
    assert found.seating == (sum(again for again, _ in costs), sum(balance for _, balance in costs))


def test_a_large_table_is_seated_least_as_well() -> None:
    value = field(random.Random(5), 7, TableSizes(7, 7, 7), Weights(16, 1, 1, 1))
    pairs = permutations([each.n for each in value.players], 2)
    value = replace(value, after=tuple((a, b, (a * b) % 3 + 1) for a, b in sorted(pairs)))
    lots = Lots(bytes(32), 1, 1)
    (table,) = pair(value, lots).tables
    assert seat_costs(value, table)[0] > 0
    assert table == first_of_the_least(value, table, lots)


def test_among_equals_lots_cut_into_tables_decide() -> None:
    fresh = field(random.Random(1), 14, FOURS, Weights(16, 1, 1, 1))
    players = tuple(replace(each, score="0", club="", small=0, byes=0, balance=0) for each in fresh.players)
    lots = Lots(bytes(range(32)), 1, 1)
    order = lots.order(each.n for each in players)
    found = pair(replace(fresh, players=players, met=(), after=()), lots)
    assert found.tables == tuple(tuple(order[first:last]) for first, last in ((0, 4), (4, 8), (8, 11), (11, 14)))


def test_tables_are_numbered_from_the_strongest() -> None:
    value = field(random.Random(2), 30, FOURS, Weights(16, 1, 1, 1))
    found = round_of(value, Lots(bytes(32), 1, 1))
    tables = found.seated(found.groups())
    means = [sum(found.strengths[number] for number in table) / len(table) for table in tables]
    assert means == sorted(means, reverse=True)


@pytest.mark.parametrize("entrants", [9, 17])
def test_pairs_that_may_not_meet_are_named_where_they_must(entrants: int) -> None:
    value = field(random.Random(3), entrants, FOURS, Weights(0, 0, 1, 0))
    pairs = tuple((i.n, j.n) for at, i in enumerate(value.players) for j in value.players[at + 1 :])
    with pytest.raises(CannotPair) as refused:
        pair(replace(value, forbidden=pairs), Lots(bytes(32), 1, 1))
    assert refused.value.pairs
    assert set(refused.value.pairs) <= set(pairs)


@pytest.mark.parametrize("entrants", [9, 17])
def test_pairs_that_may_not_meet_do_not_where_they_need_not(entrants: int) -> None:
    value = field(random.Random(4), entrants, FOURS, Weights(16, 1, 1, 1))
    lots = Lots(bytes(32), 1, 1)
    i, j = sorted(pair(value, lots).tables[0][:2])
    found = pair(replace(value, forbidden=((i, j),)), lots)
    assert not any({i, j} <= set(table) for table in found.tables)


def test_fixed_tables_are_kept_and_cost_nothing() -> None:
    value = field(random.Random(6), 11, FOURS, Weights(16, 1, 1, 1))
    table = tuple(each.n for each in value.players[2:6])
    found = pair(replace(value, fixed=(table,)), Lots(bytes(32), 1, 1))
    free = [each for each in found.tables if set(each) != set(table)]
    assert len(free) == len(found.tables) - 1 == len(found.sizes)
    assert found.cost == grouping_cost(value, free)


@given(fields((1, 12), table_sizes()))
def test_an_input_is_read_as_it_is_written(made: tuple[PairingInput, Lots]) -> None:
    assert input_of(plain(made[0])) == made[0]
    assert canonical(made[0]).startswith(b'{"after":[')


@pytest.mark.parametrize(
    "change",
    [
        {"top": "0"},
        {"top": "2/4"},
        {"top": 1},
        {"sizes": {"preferred": 5, "min": 3, "max": 4}},
        {"sizes": {"preferred": 9, "min": 3, "max": 9}},
        {"weights": {"repeat": 1001, "club": 0, "score": 0, "small": 0}},
        {"met": [[2, 1, 1]]},
        {"met": [[1, 2, 0]]},
        {"met": [[1, 2, 1], [1, 2, 1]]},
        {"after": [[1, 1, 1]]},
        {"forbidden": [[1, 99]]},
        {"fixed": [[1, 2], [2, 3]]},
        {"fixed": [[1, 99]]},
        {"fixed": [[1]]},
        {"fixed": [[1, 1]]},
        {"more": 1},
    ],
)
def test_an_input_out_of_order_is_refused(change: dict) -> None:
    players = [{"n": n, "score": "0", "club": "", "small": 0, "byes": 0, "balance": 0} for n in (1, 2, 3)]
    plain_input = {
        "sizes": {"preferred": 4, "min": 3, "max": 4},
        "weights": {"repeat": 16, "club": 1, "score": 1, "small": 1},
        "top": "1",
        "players": players,
        "met": [[1, 2, 1]],
        "after": [[2, 1, 1]],
        "forbidden": [[1, 3]],
        "fixed": [],
    }
    input_of(plain_input)
    with pytest.raises(NotAnInput):
        input_of(plain_input | change)
