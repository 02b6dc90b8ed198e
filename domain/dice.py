"""How dice come to the table: who knows them, how many a deal has to hold, and the deal of a round.

Dice are addresses here: a cup, the number of its roll in the current deal, a slot. What they show is the dealer's to
know, and nobody asks the dealer but where the rules look at dice.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Final, Protocol

from domain import events
from domain.fairness.deal import Cup
from domain.rules import Pot
from domain.state import TABLE_CUP, State

Seat = int
DRAWS_MAX = 16
"""Rolls of the table cup for who begins; sixteen ties in a row have less than one chance in 10**12."""
ROLLS_MAX = 48
"""Rolls of a cup in one deal: a longer match begins another deal (CUP/1 section 4.2)."""


class Dealer(Protocol):
    """Who knows the dice of the current deal."""

    number: int

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        """Return the value at an address, 0 to m - 1."""

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        """Return the event that shows these dice to all, with its proof."""


class _NoDice:
    """A dealer for commands that look at no dice."""

    number = -1

    def value(self, cup: int, roll: int, slot: int, m: int) -> int:
        raise AssertionError((cup, roll, slot, m))

    def open(self, cup: int, roll: int, slots: Sequence[int], m: Sequence[int]) -> events.Revealed:
        raise AssertionError((cup, roll, slots, m))


NO_DICE: Final[Dealer] = _NoDice()


# ---- the dice a deal has to hold ----------------------------------------------------------------


def deal_cups(state: State, deal_per: str) -> tuple[Cup, ...]:
    """Return the cups of a fresh deal, ascending by id: the table's while nobody knows who begins, one a seat still in.

    Args:
        state: The game between two rounds.
        deal_per: `round` for one round, `match` for as many as the match may need, at most `ROLLS_MAX`.
    """
    rounds = 1 if deal_per == "round" else _rounds_left(state)
    rolls = min(ROLLS_MAX, rounds + _rerolls(state))
    table = (Cup(TABLE_CUP, 0, DRAWS_MAX, max(state.seats)),) if state.next_starter is None else ()
    return (*table, *(Cup(seat, seat, rolls, state.rules.tokens.dice) for seat in state.remaining))


def needs_deal(state: State, capacity: dict[int, int]) -> bool:
    """Report whether some cup cannot serve a whole further round; `capacity` is how often each may be rolled."""
    spare = 1 + _rerolls(state)
    return any(capacity.get(seat, 0) - state.rolls.get(seat, 0) < spare for seat in state.remaining)


def _rounds_left(state: State) -> int:
    """Return how many rounds a match takes at most in which each costs a die; a session may take any number."""
    if state.rules.match.unit is None:
        return ROLLS_MAX
    return sum(state.balance("die", seat) for seat in state.remaining) - 1


def _rerolls(state: State) -> int:
    """Return how many re-rolls a seat may need in a round: a push shows a die each time and keeps one to roll."""
    return 0 if state.rules.handling.law == "frozen" else state.rules.tokens.dice - 1


# ---- the deal of a round ------------------------------------------------------------------------


def dealt(state: State, dealer: Dealer) -> Iterator[events.Event]:
    """Yield the beginning of the next round: the stakes of the first, who opens it, everybody's dice."""
    if state.round == 0:
        yield from _stakes(state)
    starter = state.next_starter
    if starter is None:
        starter = yield from _drawn(state, dealer)
    yield events.RoundOpened(state.round + 1, starter)
    for seat in state.remaining:
        yield rolled(state, dealer, seat, range(state.balance("die", seat)))


def rolled(state: State, dealer: Dealer, cup: int, slots: Sequence[int]) -> events.Rolled:
    """Return the next roll of a cup, with the dice in these slots."""
    faces = state.rules.tokens.faces
    return events.Rolled(dealer.number, cup, state.rolls.get(cup, 0), tuple(slots), (faces,) * len(slots))


def _stakes(state: State) -> Iterator[events.Event]:
    for settler in state.rules.settlers:
        if isinstance(settler, Pot):
            yield from (events.Posted("chip", seat, "pot", settler.amount) for seat in state.remaining)


def _drawn(state: State, dealer: Dealer) -> Generator[events.Event, None, Seat]:
    """Draw who begins: a die each from the table cup, the highest begins, those who tie roll again."""
    faces = state.rules.tokens.faces
    tied, roll = state.remaining, 0
    while len(tied) > 1 and roll < DRAWS_MAX:
        slots = tuple(seat - 1 for seat in tied)
        m = (faces,) * len(slots)
        yield events.Rolled(dealer.number, TABLE_CUP, roll, slots, m)
        shown = dealer.open(TABLE_CUP, roll, slots, m)
        yield shown
        highest = max(value for _, value in shown.values)
        tied = tuple(slot + 1 for slot, value in shown.values if value == highest)
        roll += 1
    yield events.FirstDrawn(tied[0])
    return tied[0]
