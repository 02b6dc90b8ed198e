"""Screening: its statistics held against every permutation there is, its step against the law written out."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from domain.statistics.screening.company import Company, RoundBeside
from domain.statistics.screening.flags import LEVEL, draws_for, flagged, harmonic
from domain.statistics.screening.nulls import DRAWS_MAX, DRAWS_MIN, PLAIN, Draws, Null, ScreeningLots, null_of
from domain.statistics.screening.softness import Faced, Softness, softness_of

LOTS = ScreeningLots(bytes(range(32)), 1, 5)
CHANCES = st.lists(st.fractions(Fraction(1, 10_000), 1), max_size=30)


class EveryWay(ScreeningLots, frozen=True):
    """Draws every permutation once."""

    def draws(self, statistic: int, one: int, other: int, ways: int) -> Draws:
        return InTurn(self.roll, bytes((statistic, one, other)), ways)


class InTurn(Draws, frozen=True):
    """Draws 0, 1, 2, ..."""

    def draw(self, number: int) -> int:
        return number


# ---- which stand out --------------------------------------------------------------------------------


@given(CHANCES, st.fractions(Fraction(1, 100), Fraction(1, 2)))
def test_what_stands_out_is_what_the_step_says(chances: list[Fraction], level: Fraction) -> None:
    tests = dict(enumerate(chances))
    many = len(chances)
    c = sum((Fraction(1, k) for k in range(1, many + 1)), Fraction(0))
    told = [k for k, chance in enumerate(sorted(chances), start=1) if chance <= k * level / (many * c)]
    expected = sorted(chances)[: max(told, default=0)]
    assert sorted(tests[test] for test in flagged(tests, level)) == expected


@given(CHANCES, st.data())
def test_nothing_stops_standing_out_by_coming_further(chances: list[Fraction], data: st.DataObject) -> None:
    tests = dict(enumerate(chances))
    out = flagged(tests, Fraction(1, 4))
    if out:
        which = data.draw(st.sampled_from(sorted(out)))
        assert out <= flagged({**tests, which: tests[which] / 2}, Fraction(1, 4))


def test_one_test_stands_out_at_its_level_and_no_test_at_none() -> None:
    assert flagged({"a": LEVEL}) == {"a"}
    assert flagged({"a": LEVEL + Fraction(1, 10**6)}) == frozenset()
    assert flagged({}) == frozenset()
    assert harmonic(4) - Fraction(25, 12) < Fraction(4, 10**12)


@given(st.integers(1, 30_000))
def test_permutations_are_enough_for_one_test_to_stand_out_by_itself(tests: int) -> None:
    drawn = draws_for(tests)
    assert DRAWS_MIN <= drawn <= DRAWS_MAX
    if drawn < DRAWS_MAX:
        assert Null(drawn, 0, Fraction(0)).chance <= LEVEL / (tests * harmonic(tests))


# ---- permutations -----------------------------------------------------------------------------------


def test_draws_follow_from_the_lot_and_no_two_tests_share_them() -> None:
    draws = LOTS.draws(1, 3, 4, 3**20)
    assert draws.size == 4 + 16, "3^20 has 32 bits"
    assert draws.draw(7) == LOTS.draws(1, 3, 4, 3**20).draw(7)
    others = [LOTS.draws(2, 3, 4, 3**20), LOTS.draws(1, 4, 3, 3**20), replace(LOTS, round=6).draws(1, 3, 4, 3**20)]
    assert len({each.draw(7) for each in (draws, *others)} | {draws.draw(8)}) == 5


def test_the_first_draw_is_the_one_that_is_written_down() -> None:
    # HMAC-SHA-256 of "TRN1.scr", stage 1, round 5, statistic 1, entrants 3 and 4, draw 0, then SHAKE-256 of it, by
    # openssl: printf '5452...' | xxd -r -p | openssl dgst -mac HMAC -macopt hexkey:... | openssl dgst -shake256 ...
    assert f"{LOTS.draws(1, 3, 4, 1).draw(0):034x}" == "f251717af27e7ef369b33ef60eb8087427"


def test_a_pair_that_chance_matches_is_let_be() -> None:
    draws = LOTS.draws(1, 1, 2, 2)
    assert null_of(lambda _: 1, 1, 1, draws, 9_999) == Null(PLAIN, PLAIN, Fraction(PLAIN))
    assert null_of(lambda _: 1, 1, 1, draws, 9_999).chance == 1
    never = null_of(lambda _: 1, 2, 4, draws, 99)
    assert (never.chance, never.mean) == (Fraction(1, 100), Fraction(1, 4))


CELLS = st.lists(
    st.tuples(st.lists(st.integers(-9, 9), min_size=1, max_size=3), st.sampled_from((2, 3))).map(
        lambda cell: dict(enumerate(cell[0], start=cell[1]))
    ),
    max_size=3,
)


@given(CELLS)
def test_chance_gives_what_was_done_at_each_table_to_any_opponent_there(cells: list[dict[int, int]]) -> None:
    soft = Softness(3, tuple(cells))
    rows = [cell for cell in cells if 2 in cell and any(cell.values())]
    ways = [Fraction(-sum(row), 3) for row in product(*(cell.values() for cell in rows))]
    null = soft.null(1, 2, EveryWay(b"", 1, 1), len(ways))
    assert soft.towards(2) == Fraction(sum(cell.get(2, 0) for cell in cells), 3)
    as_far = [way >= -soft.towards(2) for way in ways]
    assert null.as_far == min(PLAIN, sum(as_far))
    if null.drawn == len(ways):
        assert null.total == sum(ways)


ROUNDS = st.lists(
    st.tuples(st.integers(0, 6), st.integers(1, 3), st.integers(0, 3), st.booleans()).map(
        lambda row: RoundBeside(row[0], row[3], row[1], min(row[1], row[2]))
    ),
    max_size=4,
)


@given(ROUNDS)
def test_chance_seats_the_other_where_those_of_its_score_sat(rounds: list[RoundBeside]) -> None:
    company = Company(tuple(rounds), 6)
    ways = [_helped(rounds, found) for found in product(*(range(each.among) for each in rounds))]
    assert company.helped == _means([(each.points, each.together) for each in rounds])
    null = company.null(1, 2, EveryWay(b"", 1, 1), len(ways))
    assert null.as_far == min(PLAIN, sum(way >= company.helped for way in ways))
    if null.drawn == prod(each.among for each in rounds):
        assert null.total == sum(ways)


def _helped(rounds: list[RoundBeside], which: tuple[int, ...]) -> Fraction:
    return _means([(each.points, at < each.there) for each, at in zip(rounds, which, strict=True)])


def _means(rounds: list[tuple[int, bool]]) -> Fraction:
    with_it = [points for points, together in rounds if together]
    without = [points for points, together in rounds if not together]
    if not with_it or not without:
        return Fraction(0)
    return Fraction(sum(with_it), 6 * len(with_it)) - Fraction(sum(without), 6 * len(without))


# ---- how claims are treated -------------------------------------------------------------------------


FACED = st.lists(
    st.builds(
        Faced, st.integers(0, 2), st.tuples(st.integers(0, 1), st.integers(2, 3)), st.integers(2, 4), st.booleans()
    ),
    max_size=40,
)


@given(FACED)
def test_whoever_is_spared_is_spared_compared_with_all_others_of_the_class(faced: list[Faced]) -> None:
    soft = softness_of(faced, dict.fromkeys(range(3), (2, 3, 4)))
    met = Counter(each.kind for each in faced)
    done = Counter(each.kind for each in faced if each.challenged)
    for other in (2, 3, 4):
        claims = [each for each in faced if each.claimant == other]
        expected = sum((each.challenged - Fraction(done[each.kind], met[each.kind]) for each in claims), Fraction(0))
        assert soft.towards(other) == expected
    assert sum((soft.towards(other) for other in (2, 3, 4)), Fraction(0)) == 0
