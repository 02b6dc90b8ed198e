"""The five bidding systems as orders, and which dice count for a claim."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.rules.claims import (
    Auction,
    can_be_raised,
    count_of,
    legal_claims,
    minimum_claims,
    minimum_raises,
    outranks,
    refusal,
)
from domain.rules.orders import ORDERS, RANKS, Count
from domain.rules.rules import DIGITS, PIPS, Counting, Faces
from domain.table.state import is_wild

SYSTEMS = sorted(ORDERS)
COUNTS = st.builds(Count, st.integers(1, 20), st.integers(1, 6))


def auction(
    system: str = "quantity_first", dice: int = 15, aces: Any = "as_ones", *, palifico: bool = False
) -> Auction:
    return Auction(Counting(system, wild="always", aces=aces), dice, PIPS, wild=not palifico, palifico=palifico)


# ---- orders -------------------------------------------------------------------------------------


@given(st.sampled_from(SYSTEMS), COUNTS, COUNTS, COUNTS)
def test_to_outrank_is_a_strict_order(system: str, one: Count, two: Count, three: Count) -> None:
    order = ORDERS[system]
    assert not order(one, one)
    assert not (order(one, two) and order(two, one))
    if order(one, two) and order(two, three):
        assert order(one, three)


@pytest.mark.parametrize("aces", ["no", "as_ones"])
@pytest.mark.parametrize("dice", [1, 2, 5, 6, 7, 12])
@pytest.mark.parametrize("system", SYSTEMS)
def test_a_claim_is_legal_exactly_when_minimum_raises_lead_to_it(system: str, dice: int, aces: str) -> None:
    bidding = auction(system, dice, aces=aces)
    for standing in legal_claims(bidding, None):
        reached, waiting = set[Any](), [standing]
        while waiting:
            steps = set(minimum_raises(bidding, waiting.pop())) - reached
            reached |= steps
            waiting.extend(steps)
        assert reached == set(legal_claims(bidding, standing)), standing


@pytest.mark.parametrize("faces", [PIPS, DIGITS])
@pytest.mark.parametrize("rank", RANKS)
@pytest.mark.parametrize("palifico", [False, True])
@pytest.mark.parametrize("aces", ["no", "as_ones", "half_double"])
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_legal_claims_are_those_that_are_not_refused(
    system: str, aces: Any, rank: str, faces: Faces, *, palifico: bool
) -> None:
    counting = Counting(system, rank, wild="always", aces=aces)
    bidding = Auction(counting, 9, faces, wild=not palifico, palifico=palifico)
    every = [Count(quantity, face) for quantity in range(-1, 12) for face in range(-1, 12)]
    for standing in (None, *legal_claims(bidding, None)):
        lawful = tuple(claim for claim in every if refusal(bidding, standing, claim) is None)
        assert lawful == legal_claims(bidding, standing), standing
        assert bool(lawful) == can_be_raised(bidding, standing)


@pytest.mark.parametrize("dice", [2, 10, 15])
@pytest.mark.parametrize(
    ("system", "longest"),
    [
        ("face_first", lambda n: 5 * n),
        ("quantity_first", lambda n: 5 * n),
        ("highest_number", lambda n: max(n, 6) - 1),
        ("product", lambda n: len({q * f for q in range(1, n + 1) for f in range(2, 7)})),
        ("no_decrease", lambda n: n + 4),
    ],
)
def test_a_round_ends_after_as_many_claims_as_the_systems_longest_climb(
    system: str, longest: object, dice: int
) -> None:
    bidding = auction(system, dice, aces="no")
    climbs: dict[Count, int] = {}
    for claim in sorted(legal_claims(bidding, None), key=lambda c: len(legal_claims(bidding, c))):
        climbs[claim] = 1 + max((climbs[higher] for higher in minimum_raises(bidding, claim)), default=0)
    assert callable(longest)
    assert max(climbs.values()) == longest(dice)


@pytest.mark.parametrize("system", SYSTEMS)
def test_nothing_beats_every_die_a_six(system: str) -> None:
    assert legal_claims(auction(system), Count(15, 6)) == ()
    assert minimum_raises(auction(system), Count(15, 6)) == ()


def test_the_smallest_openings_are_one_die_of_each_face_that_may_be_named() -> None:
    assert minimum_claims(auction(aces="no"), None) == tuple(Count(1, face) for face in range(2, 7))


# ---- the minimum raises as printed --------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "standing", "raises"),
    [
        ("face_first", (3, 2), [(4, 2), *((q, 3) for q in range(1, 7))]),
        ("face_first", (6, 5), [(q, 6) for q in range(1, 7)]),
        ("face_first", (2, 6), [(3, 6)]),
        ("quantity_first", (4, 4), [(4, 5), *((5, f) for f in range(2, 7))]),
        ("quantity_first", (4, 6), [(5, f) for f in range(2, 7)]),
        ("highest_number", (5, 3), [*((q, 6) for q in range(1, 7)), *((6, f) for f in range(2, 6))]),
        ("product", (3, 3), [(2, 5), (5, 2)]),
        ("no_decrease", (5, 5), [(5, 6), (6, 5)]),
        ("no_decrease", (6, 5), [(6, 6)]),
    ],
)
def test_the_minimum_raises_of_each_system(
    system: str, standing: tuple[int, int], raises: list[tuple[int, int]]
) -> None:
    found = minimum_raises(auction(system, 6, aces="no"), Count(*standing))
    assert sorted(raises) == [(claim.quantity, claim.face) for claim in found]


# ---- ones that halve and double -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("standing", "raises"),
    [
        ((5, 4), [(3, 1), (5, 5), (6, 2), (6, 3), (6, 4), (6, 5), (6, 6)]),
        ((3, 1), [(4, 1), *((7, f) for f in range(2, 7))]),
        ((8, 1), [(9, 1)]),
    ],
)
def test_ones_halve_and_double(standing: tuple[int, int], raises: list[tuple[int, int]]) -> None:
    bidding = auction(aces="half_double")
    found = [(claim.quantity, claim.face) for claim in minimum_raises(bidding, Count(*standing))]
    assert raises == found


def test_between_other_faces_the_chosen_system_holds() -> None:
    assert not outranks(auction("face_first", aces="half_double"), Count(1, 4), Count(9, 3))
    assert outranks(auction("quantity_first", aces="half_double"), Count(1, 4), Count(9, 3))


# ---- palifico -----------------------------------------------------------------------------------


def test_in_a_palifico_round_only_the_quantity_of_the_opening_face_may_rise() -> None:
    bidding = auction(aces="no", palifico=True)
    assert [(c.quantity, c.face) for c in legal_claims(bidding, Count(13, 1))] == [(14, 1), (15, 1)]
    assert minimum_raises(bidding, Count(13, 1)) == (Count(14, 1),)
    assert minimum_raises(bidding, Count(15, 1)) == ()


# ---- which dice count ---------------------------------------------------------------------------

DICE = [1, 1, 2, 3, 3, 6]


@pytest.mark.parametrize(
    ("wild", "opening", "flag", "threes"),
    [
        ("always", None, "", 4),
        ("never", None, "", 2),
        ("unless_opened", Count(1, 3), "", 4),
        ("unless_opened", Count(1, 1), "", 2),
        ("always", Count(1, 1), "", 4),
        ("always", None, "palifico", 2),
    ],
)
def test_ones_count_for_another_face_while_they_are_wild(
    wild: Any, opening: Count | None, flag: str, threes: int
) -> None:
    counting = Counting("quantity_first", wild=wild)
    palifico = flag == "palifico"
    bidding = Auction(counting, 15, PIPS, wild=is_wild(counting, opening) and not palifico, palifico=palifico)
    assert threes == count_of(bidding, 3, DICE)
    assert count_of(bidding, 1, DICE) == DICE.count(1)
