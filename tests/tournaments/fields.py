"""Fields of entrants with made-up histories, and the law of `pods/1` once more, by looking at every grouping."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, permutations
from math import floor
from typing import Any

import msgspec
from hypothesis import strategies as st

from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.inputs import InputPlayer, PairingInput, Weights
from domain.tournaments.pairing.sizes import TableSizes
from domain.tournaments.points import points_of, points_text

WEIGHTS = [Weights(16, 1, 1, 1), Weights(1000, 8, 1, 4), Weights(1, 2, 3, 0), Weights(4, 0, 0, 9), Weights(0, 0, 0, 0)]


def plain(value: object) -> Any:
    """Return a value as JSON has it."""
    return msgspec.json.decode(msgspec.json.encode(value))


def triangle(x: int) -> int:
    return x * (x + 1) // 2


def table_sizes(least: int = 2, most: int = 8) -> st.SearchStrategy[TableSizes]:
    three = st.lists(st.integers(least, most), min_size=3, max_size=3).map(sorted)
    return three.map(lambda sizes: TableSizes(sizes[1], sizes[0], sizes[2]))


@st.composite
def fields(
    draw: st.DrawFn, entrants: tuple[int, int], sizes: st.SearchStrategy[TableSizes]
) -> tuple[PairingInput, Lots]:
    count = draw(st.integers(*entrants))
    chance = draw(st.randoms(use_true_random=False))
    law = draw(sizes)
    return field(chance, count, law, draw(st.sampled_from(WEIGHTS))), Lots(
        chance.randbytes(32), 1, draw(st.integers(1, 9))
    )


def field(chance: random.Random, count: int, sizes: TableSizes, weights: Weights) -> PairingInput:
    numbers = sorted(chance.sample(range(1, 3 * count + 1), count))
    spread = chance.choice([0, 2, 12])
    pairs = list(combinations(numbers, 2))
    met = sorted(chance.sample(pairs, len(pairs) // chance.choice([1, 2, 9])))
    after = sorted(pair[:: chance.choice([1, -1])] for pair in chance.sample(pairs, len(pairs) // 2))
    players = tuple(
        InputPlayer(
            n=number,
            score=points_text(Fraction(chance.randint(-spread, 3 * spread), 6)),
            club=chance.choice(["", "", "a", "b"]),
            small=chance.randint(0, 2),
            byes=chance.randint(0, 1),
            balance=140 * chance.randint(-4, 4),
        )
        for number in numbers
    )
    return PairingInput(
        sizes,
        weights,
        chance.choice(["1", "3", "5/2"]),
        players,
        tuple((i, j, chance.randint(1, 3)) for i, j in met),
        tuple((a, b, chance.randint(1, 2)) for a, b in after),
        (),
        (),
    )


def pair_cost(value: PairingInput, i: InputPlayer, j: InputPlayer) -> int:
    s, r = (floor(60 * points_of(each.score) / points_of(value.top)) for each in (i, j))
    weights = value.weights
    met = sum(triangle(times) for *pair, times in value.met if sorted((i.n, j.n)) == pair)
    forbidden = sum(sorted((i.n, j.n)) == list(pair) for pair in value.forbidden)
    same = i.club == j.club != ""
    return 2**40 * forbidden + 3600 * (weights.repeat * met + weights.club * same) + weights.score * (s - r) ** 2


def grouping_cost(value: PairingInput, tables: Collection[Collection[int]]) -> int:
    entrants = {each.n: each for each in value.players}
    largest = max(map(len, tables), default=0)
    cost = sum(pair_cost(value, entrants[i], entrants[j]) for table in tables for i, j in combinations(table, 2))
    small = [number for table in tables if len(table) < largest for number in table]
    return cost + sum(3600 * value.weights.small * triangle(entrants[number].small) for number in small)


def groupings(by_lot: list[int], sizes: list[int]) -> Iterator[list[tuple[int, ...]]]:
    """Yield all groupings of entrants, in canonical order."""
    if not by_lot:
        yield []
    for size in sorted(set(sizes), reverse=True):
        left = sizes.copy()
        left.remove(size)
        for mates in combinations(by_lot[1:], size - 1):
            table = (by_lot[0], *mates)
            for others in groupings([number for number in by_lot if number not in table], left):
                yield [table, *others]


def first_of_the_cheapest(value: PairingInput, playing: list[int], sizes: Sequence[int], lots: Lots) -> list[set[int]]:
    found = list(groupings(lots.order(playing), list(sizes)))
    costs = [grouping_cost(value, tables) for tables in found]
    return list(map(set, found[costs.index(min(costs))]))


def seat_costs(value: PairingInput, order: Sequence[int]) -> tuple[int, Fraction]:
    count = len(order)
    after = {(a, b): times for a, b, times in value.after}
    balance = {each.n: each.balance for each in value.players}
    again = sum(triangle(after.get((order[x - 1], order[x]), 0)) for x in range(count)) if count > 2 else 0
    weighed = [balance[number] + Fraction(420 * (2 * x - count + 1), count - 1) for x, number in enumerate(order)]
    return again, sum((each**2 for each in weighed), Fraction(0))


def first_of_the_least(value: PairingInput, table: Sequence[int], lots: Lots) -> tuple[int, ...]:
    return min(permutations(lots.order(table)), key=lambda order: seat_costs(value, order))
