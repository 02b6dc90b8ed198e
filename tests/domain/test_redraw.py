"""Where each number is played once only, one that comes a second time is drawn anew."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from domain import commands, events
from domain.dice import REDRAWS_MAX, needs_deal
from domain.errors import Refused
from domain.games import rules_of
from domain.state import State
from domain.table import NO_DICE, decide, evolve, opening


class Printer:
    """A dealer whose first so many numbers of a seat are all the same."""

    number = 0
    sealed, unsealed = NO_DICE.sealed, NO_DICE.unsealed

    def __init__(self, alike: int) -> None:
        self.alike = alike

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        return (cup + slot * max(0, roll + 1 - self.alike)) % m

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        values = tuple((slot, self.value(cup, roll, slot, sides)) for slot, sides in zip(slots, m, strict=True))
        return events.Revealed(0, cup, roll, (), (), (), values)


def after_a_round(dealer: Printer) -> State:
    state = opening(rules_of("dollar_bill", {}), (1, 2), 1)
    for command in (commands.Deal(), commands.Bid(1, 1, 3), commands.Challenge(2)):
        for event in decide(state, command, dealer):
            state = evolve(state, event)
    return state


def test_a_number_that_was_played_is_drawn_anew_until_it_is_another() -> None:
    dealer = Printer(alike=3)
    dealt = decide(after_a_round(dealer), commands.Deal(), dealer)
    rolls = [(event.cup, event.roll) for event in dealt if isinstance(event, events.Rolled)]
    assert rolls == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]


def test_a_dealer_who_has_but_one_number_is_refused() -> None:
    dealer = Printer(alike=99)
    with pytest.raises(Refused) as refused:
        decide(after_a_round(dealer), commands.Deal(), dealer)
    assert refused.value.code == "bill_used"


def test_a_deal_has_rolls_to_spare_for_numbers_drawn_anew() -> None:
    state = after_a_round(Printer(alike=1))
    assert not needs_deal(state, dict.fromkeys((1, 2), 2 + REDRAWS_MAX))
    assert needs_deal(state, dict.fromkeys((1, 2), 1 + REDRAWS_MAX))
