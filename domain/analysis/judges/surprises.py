"""Surprises: how likely everybody took a move to be, before it was made.

The mean, over what everybody believed of the dice of its seat, of how likely the policy makes it with them. Dice that
were handled are told apart by what came of them, so that all moves of a position are as likely as one together.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from domain import commands
from domain.analysis.worths.estimates import Estimate, half_width_of_few
from domain.ids import Face, Seat
from domain.strategy.chance import Lot, Words
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LevelParams
from domain.strategy.reading.thoughts import Deed, Thoughts
from domain.strategy.sight import Sight
from domain.table.state import State

MOST: Final = 64
"""Hands up to which all are asked."""
DRAWN: Final = 64
"""How many are drawn of more."""
BITS: Final = 48
Hands = Mapping[tuple[Face, ...], int]


def surprise_without_dice(state: State, seat: Seat, made: commands.Play, params: LevelParams) -> Estimate:
    """Return how likely a move was of a seat that knows no hidden dice: as likely as the policy makes it."""
    share = weigh(Sight(state, seat, {}), params).share(made)
    return Estimate(Fraction(share.weight, share.total or 1))


def surprise_of(thoughts: Thoughts, deed: Deed, hands: Hands, words: Words) -> Estimate:
    """Return how likely everybody took a deed to be.

    Args:
        thoughts: What its seat thinks of.
        deed: What it did.
        hands: How likely everybody took each hand of its cup to be.
        words: What hands are drawn by where there are too many.

    Cost: a worth a move for each hand.
    """
    if len(hands) <= MOST:
        parts = [chance * _share(thoughts, hand, deed) for hand, chance in hands.items()]
        return Estimate(Fraction(sum(parts), sum([*hands.values()]) << BITS))
    every, lot = [*hands], Lot([*hands.values()])
    shares = [_share(thoughts, every[lot.draw(words)], deed) for _ in range(DRAWN)]
    half = half_width_of_few(shares, (0, 1 << BITS))
    return Estimate(Fraction(sum(shares), DRAWN << BITS), Fraction(half, 1 << BITS))


def _share(thoughts: Thoughts, hand: tuple[Face, ...], deed: Deed) -> int:
    """Return how likely the policy makes a deed with these dice, times 2^48."""
    thought = thoughts.of(hand)
    return (thought.weights.get(deed, 0) << BITS) // (thought.total or 1)
