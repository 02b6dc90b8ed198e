"""Rolled moves: level 3 where no round folds back, by rollouts of each move over the same dice and the same chance.

It takes 32 rollouts a move, so only where few moves are thought of; elsewhere whoever plays falls back to level 2.
Source: section 9.2 of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Final

from domain import commands
from domain.ids import CupId, Face
from domain.strategy.chance import Words
from domain.strategy.hands import all_hands
from domain.strategy.level_one.thinking import drawn, weigh
from domain.strategy.level_params import LevelParams
from domain.strategy.reading.beliefs import Belief, prior_of
from domain.strategy.rollouts import Worths, profiles, rolled_out
from domain.strategy.sight import Sight
from domain.strategy.weighing import Option, Weighing
from domain.table.state import State

ROLLOUTS: Final = 32
"""Rollouts a move."""
MOVES_MAX: Final = 12
"""How many moves may be thought of: more would take longer than anybody waits."""


def weigh_by_rollouts(
    sight: Sight,
    beliefs: Mapping[CupId, Belief],
    worth: Callable[[State], Worths],
    near: Fraction,
    words: Words,
    params: LevelParams,
) -> Weighing | None:
    """Return the moves near the best, all alike; None where there are too many, or nothing is at stake.

    Args:
        sight: What the seat sees.
        beliefs: What it believes of every cup that it does not know.
        worth: What the state that a verdict leads to is worth.
        near: How far below the best a move may be, of what the rollouts have shown to be at stake.
        words: The chance given with the turn.
        params: How everybody is taken to play on.
    """
    thought_of = [option.command for option in weigh(sight, params).options]
    if not 1 < len(thought_of) <= MOVES_MAX:
        return None

    def policy(seen: Sight, word: int) -> commands.Play | None:
        return drawn(seen, params, word)

    deals = profiles(_lists(sight, beliefs), words, ROLLOUTS)
    rows = rolled_out(sight.state, deals, thought_of, policy, worth, words)
    place = sight.state.seats.index(sight.seat)
    found = [[worths[place] for worths in row] for row in rows]
    stake = max(map(max, found)) - min(map(min, found))
    means = [sum(row, Fraction(0)) * Fraction(1, ROLLOUTS) for row in found]
    if not stake:
        return None
    least = max(means) - near * stake
    pairs = zip(thought_of, means, strict=True)
    return Weighing(tuple([Option(each, mean, 1) for each, mean in pairs if mean >= least]), len(thought_of))


def _lists(sight: Sight, beliefs: Mapping[CupId, Belief]) -> dict[CupId, dict[tuple[Face, ...], int]]:
    """Return what each cup may hold: the dice that the seat knows in their order, of the others every hand believed."""
    found: dict[CupId, dict[tuple[Face, ...], int]] = {}
    for cup, place in sight.state.places.items():
        if cup in sight.dice:
            found[cup] = {tuple(sight.dice[cup]): 1}
        else:
            believed = beliefs.get(cup) or prior_of(all_hands(len(place.inside), sight.state.rules.tokens.faces))
            found[cup] = dict(zip(believed.hands.hands, believed.chances, strict=True))
    return found
