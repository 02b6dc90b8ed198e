"""A solved duel is read without a doubt, until a seat does what its table never does."""

from __future__ import annotations

from fractions import Fraction

import pytest

from domain import events
from domain.games import rules_of
from domain.ids import Seat
from domain.rules.orders import Count
from domain.rules.rules import Counting
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.duels.solved import SolvedTable
from domain.strategy.hands import all_hands
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.beliefs import prior_of
from domain.strategy.reading.reader import Beliefs
from domain.strategy.reading.solved_reader import SolvedBeliefs
from domain.table.evolve import evolve
from domain.table.state import State
from tests.analysis.test_fold_back import Dice, opened

ONE_EACH: Dice = {1: (4,), 2: (6,)}
DOUBTS: dict[Seat, Fraction] = {1: Fraction(1, 4), 2: Fraction(1, 4)}


@pytest.fixture
def state() -> State:
    return opened(rules_of("common_hand", {"dice_per_player": 1}), ONE_EACH)[1]


def reading_of(state: State) -> SolvedBeliefs:
    """Return what is believed where a four or a five opens with one four, and a six answers it with a challenge."""
    counting = state.rules.claims
    assert isinstance(counting, Counting)
    duel = Duel((1, 1), state.rules.tokens.faces, counting)
    four = duel.number(Count(1, 4))
    table = SolvedTable(
        duel, {(3, b""): ((four, 1),), (4, b""): ((four, 1), (four + 1, 2)), (5, bytes([four])): ((CHALLENGE, 9),)}
    )
    prior = prior_of(all_hands(1, state.rules.tokens.faces))
    return SolvedBeliefs(LEVEL_ONE, DOUBTS, {1: prior, 2: prior}, table=table)


def chances(reading: Beliefs, seat: Seat) -> list[int]:
    return [round(1000 * Fraction(chance, 2**48)) for chance in reading.beliefs[seat].chances]


def test_hands_that_would_not_have_moved_so_are_ruled_out(state: State) -> None:
    reading, bid = reading_of(state), events.Bid(1, 1, 4)
    after = reading.after(state, bid)
    assert chances(after, 1) == [0, 0, 0, 750, 250, 0]
    assert after.strayed == ()
    doubted = after.after(evolve(state, bid), events.Challenged(2))
    assert chances(doubted, 2) == [0, 0, 0, 0, 0, 1000]


def test_who_does_what_no_hand_does_is_read_as_level_one_from_there_on(state: State) -> None:
    reading, level, bid = reading_of(state), Beliefs(LEVEL_ONE, DOUBTS, reading_of(state).beliefs), events.Bid(1, 2, 3)
    after = reading.after(state, bid)
    assert after.strayed == (1,)
    assert after.beliefs[1].chances == level.after(state, bid).beliefs[1].chances
    then, raised = evolve(state, bid), events.Bid(2, 2, 4)
    both, beside = after.after(then, raised), level.after(state, bid).after(then, raised)
    assert both.strayed == (1, 2)
    assert both.beliefs[2].chances == beside.beliefs[2].chances
    last = evolve(then, raised)
    again = both.after(last, events.Challenged(1))
    assert again.beliefs[1].chances == beside.after(last, events.Challenged(1)).beliefs[1].chances


def test_what_the_table_does_for_a_seat_out_of_time_says_nothing(state: State) -> None:
    reading, bid = reading_of(state), events.Bid(1, 1, 4)
    late = reading.after(state, events.TimedOut(1)).after(state, bid)
    assert late.beliefs == reading.beliefs
    assert late.made == bytes([reading.table.duel.number(Count(1, 4))])


def test_the_next_round_begins_anew(state: State) -> None:
    after = reading_of(state).after(state, events.Bid(1, 2, 3))
    opened_again = after.after(state, events.RoundOpened(2, 1))
    assert (opened_again.made, opened_again.strayed, opened_again.beliefs) == (b"", (), {})
