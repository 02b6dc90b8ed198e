"""Match tables of real games: what a verdict is worth is the table at the state it leads to."""

from __future__ import annotations

from fractions import Fraction

import pytest
from msgspec.structs import replace

from domain.games import rules_of
from domain.rules.orders import Count
from domain.strategy.tables import EVEN, MatchTable, RoundModel, first_out, first_to_win, last_in, unit_of
from domain.table import judging
from domain.table.decide import initial_state
from domain.table.phases import RESPONDING
from domain.table.state import Pairing, Round, State

HALF = Fraction(1, 2)


def whole(*numbers: int) -> tuple[Fraction, ...]:
    return tuple(map(Fraction, numbers))


def game(name: str, seats: tuple[int, ...] = (1, 2), **options: object) -> State:
    return initial_state(rules_of(name, options), seats, starter=seats[0])


def claimed(state: State) -> State:
    """Return a round in which the first seat has claimed two fours and the next one is in turn."""
    claim = Round(starter=1, standing=Count(2, 4), opening=Count(2, 4), claimant=1, callers=(1,))
    return replace(state, phase=RESPONDING, turn=2, round=claim, round_number=1, next_starter=None)


def after(state: State, *, holds: bool) -> State:
    asked = claimed(state)
    return judging.settled(asked, judging.test_verdict(asked, (2,), "challenge", holds=holds, count=2 if holds else 1))


def test_a_lost_die_is_worth_what_is_left() -> None:
    before = game("common_hand", dice_per_player=2)
    table = MatchTable(before)
    assert table.worths(before) == (HALF, HALF)
    assert table.worths(after(before, holds=False)) == (Fraction(1, 4), Fraction(3, 4))
    assert table.worths(after(before, holds=True)) == (Fraction(3, 4), Fraction(1, 4))


def test_who_has_won_has_all_of_it() -> None:
    before = game("common_hand", dice_per_player=1)
    assert MatchTable(before).worths(after(before, holds=True)) == whole(1, 0)


def test_the_first_out_has_lost_and_all_others_have_not() -> None:
    before = game("boss_liars", (1, 2, 3), stakes="drinks", hands_to_lose=1)
    assert MatchTable(before).worths(before) == (Fraction(2, 3),) * 3
    lost = after(before, holds=True)
    assert MatchTable(before).worths(lost) == whole(1, 0, 1)
    assert first_out((2, 1, 1), EVEN) == (Fraction(8, 9), Fraction(5, 9), Fraction(5, 9))


def test_a_race_is_to_so_many_wins() -> None:
    before = game("individual_hand", wins_needed=2)
    ahead = replace(before, balances={"win": {1: 1, "box": -1}})
    assert MatchTable(before).worths(ahead) == (Fraction(3, 4), Fraction(1, 4))
    known = RoundModel(values=(((5, 5), Fraction(-1, 3)),))
    assert MatchTable(before, known).worths(ahead) == (Fraction(5, 9), Fraction(4, 9))
    assert first_to_win((1, 1, 2), None) == (Fraction(4, 9), Fraction(4, 9), Fraction(1, 9))


def test_who_opens_after_a_round_of_two_tells_in_a_race() -> None:
    opener = Fraction(2, 3)
    # Who won opens: both rounds are won by who opens them. Who lost opens: the second is won by the other seat.
    assert first_to_win((2, 1), opener, start="winner") == (opener * opener, 1 - opener * opener)
    assert first_to_win((2, 1), opener, start="loser") == (opener * (1 - opener), 1 - opener * (1 - opener))
    assert first_to_win((1, 2), opener, opens=1, start="winner") == (1 - opener * opener, opener * opener)


def test_the_values_of_rounds_of_two_are_taken_where_they_are_known() -> None:
    model = RoundModel(((2, (0, 3, 2)),), (((1, 1), Fraction(1, 3)),))
    assert last_in((1, 1), model, opens=1) == (Fraction(1, 3), Fraction(2, 3))
    assert last_in((2, 1, 0), model, opens=2) == (*last_in((2, 1), model), 0)
    assert last_in((2, 1), model, start="winner") == (Fraction(11, 15), Fraction(4, 15))
    assert last_in((3, 0), model) == whole(1, 0)


def test_a_session_is_worth_what_was_posted() -> None:
    before = game("common_hand", elimination="none", stakes="per_round", wager=5)
    assert MatchTable(before).worths(after(before, holds=True)) == whole(5, -5)
    later = after(before, holds=True)
    assert MatchTable(later).worths(later) == whole(0, 0)


def test_a_session_without_stakes_is_worth_nothing() -> None:
    before = game("common_hand", elimination="none")
    assert unit_of(before.rules) is None
    assert MatchTable(before).worths(after(before, holds=True)) == whole(0, 0)


@pytest.mark.parametrize(
    ("name", "options", "unit", "sign"),
    [
        ("liars_poker", {}, "unit", 1),
        ("mexican", {}, "loss", -1),
        ("stud_liars", {}, "win", 1),
        ("common_hand", {"elimination": "none", "drinks": {"basis": "round"}}, "drink", -1),
        ("boss_liars", {"stakes": "money"}, "loss", -1),
    ],
)
def test_a_session_counts_in_the_unit_of_the_first_that_pays(name: str, options: dict, unit: str, sign: int) -> None:
    found = unit_of(rules_of(name, options))
    assert found is not None
    assert (found.name, found.sign) == (unit, sign)


def test_who_waits_for_a_bout_has_an_even_share() -> None:
    before = game("individual_hand", wins_needed=1)
    bouts = replace(before.rules, match=replace(before.rules.match, bouts="knockout"))
    state = replace(before, rules=bouts, seats=(1, 2, 3), pairing=Pairing((1, 3), (1, 3, 2), ()))
    assert MatchTable(state).worths(state) == (Fraction(1, 3),) * 3


def test_a_bout_of_a_chouette_is_a_win_to_who_took_it() -> None:
    before = game("individual_hand", wins_needed=2)
    bouts = replace(before.rules, match=replace(before.rules.match, bouts="chouette"))
    won = replace(before, rules=bouts, balances={"win": {1: 1, 2: 1, "box": -2}})
    over = replace(won, balances={"win": {1: 0, 2: 0, "box": 0}, "match": {1: 1, "box": -1}})
    assert MatchTable(won).worths(over) == whole(1, 0)


def test_worths_of_many_stacks_are_rounded_down_at_the_two_hundred_and_fifty_sixth_bit() -> None:
    model = RoundModel(((2, (0, 3, 2)), (3, (0, 20, 18, 17, 16, 16))))
    found = last_in((5,) * 8, model)
    assert 0 <= 1 - sum(found, Fraction(0)) < Fraction(1, 2**200)
    assert len(set(found)) == 1
    assert 0 <= 7 - sum(first_out((5,) * 8, model), Fraction(0)) < Fraction(1, 2**200)
