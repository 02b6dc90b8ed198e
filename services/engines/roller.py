"""The roller: moves weighed by playing them on, in rounds that do not fold back and where few are thought of."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from domain.rules.laws import LAWS
from domain.rules.rules import Rules, Rungs
from domain.strategy.chance import Words
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.rolled_moves import weigh_by_rollouts
from domain.strategy.sight import Sight
from domain.strategy.weighing import Weighing
from services.engines.seen import SeenMatch
from services.policies.usual import usual_table

SEALED_MAX: Final = 3
"""Dice of a hand of which any may be rolled anew: with more, what is done with them is long to read."""


def are_few_hands(rules: Rules) -> bool:
    """Report whether claims name hands, and so few ways lead to them that reading is a matter of a moment."""
    return isinstance(rules.claims, Rungs) and (not is_sealed(rules) or rules.tokens.dice <= SEALED_MAX)


def is_sealed(rules: Rules) -> bool:
    """Report whether any of several dice may be rolled anew."""
    law = LAWS.get(rules.handling.law)
    return law is not None and law.sealed


def weigh_by_rolling(seen: SeenMatch, sight: Sight, near: Fraction, chance: bytes) -> Weighing | None:
    """Return the moves near the best, all alike; None out of turn, where it would take too long, or for nothing.

    Args:
        seen: What the seat has seen of the match.
        sight: What it sees now.
        near: How far below the best a move may be, of the stake.
        chance: What dice and moves are drawn by.

    Cost: up to half a second.
    """
    rules = sight.state.rules
    if sight.state.turn != sight.seat or not isinstance(rules.claims, Rungs) or is_sealed(rules):
        return None
    worths = usual_table(sight.state, sight.state).worths
    return weigh_by_rollouts(sight, seen.beliefs().beliefs, worths, near, Words(chance), LEVEL_ONE)
