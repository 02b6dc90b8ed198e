"""Plans of floats as tables of whole weights.

A corner of the program is made of fractions with small denominators, which are found again in its floats; where they
are not, weights are rounded to 16 bits. Either way the table is only as good as what is proved of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from typing import Final

from domain.strategy.duels.duel import Duel
from domain.strategy.duels.solved import WEIGHT_MAX, Key, Moves
from services.solver.sequence_form import Plans

NOTHING: Final = 1e-7
"""What lies below it is a rounding error of the solver."""
CLOSE: Final = 1e-7
"""How far a float may lie from the fraction it is taken for."""
DENOMINATORS: Final = (200, 2_000, WEIGHT_MAX)
"""How large a denominator may be, the likelier ones first."""


def tables_of(duel: Duel, plans: Plans) -> dict[Key, Moves]:
    """Return the weights of every information set that a seat's own play can reach."""
    found: dict[Key, Moves] = {}
    for made in plans.histories:
        replies = duel.replies(made)
        for hand in range(len(duel.hands(len(made) % 2))):
            if _comes_here(found, hand, made):
                moves = [max(0.0, float(plans.weights[made + bytes([move])][hand])) for move in replies]
                weights = whole(moves)
                pairs = zip(replies, weights, strict=True)
                found[hand, made] = tuple((move, weight) for move, weight in pairs if weight)
    return found


def _comes_here(found: dict[Key, Moves], hand: int, made: bytes) -> bool:
    own = made[:-2]
    return len(made) < 2 or made[-2] in dict(found.get((hand, own), ()))  # noqa: PLR2004 - one of two claims is its own


def whole(parts: Sequence[float]) -> list[int]:
    """Return weights of 16 bits in the ratio of these, exactly where they are small fractions of their sum."""
    total = sum([*parts])
    if total < NOTHING**2:
        # Nothing but rounding errors ever comes here: any move will do, and the last one ends the round.
        return [*[0] * (len(parts) - 1), 1]
    shares = [part / total if part > NOTHING * total else 0.0 for part in parts]
    for denominator in DENOMINATORS:
        simple = [Fraction(share).limit_denominator(denominator) for share in shares]
        scale = lcm(*[share.denominator for share in simple])
        if scale <= WEIGHT_MAX and sum(simple) == 1 and _close(simple, shares):
            return [int(share * scale) for share in simple]
    return [round(share / max(shares) * WEIGHT_MAX) for share in shares]


def _close(fractions: list[Fraction], shares: list[float]) -> bool:
    return all(abs(float(fraction) - share) < CLOSE for fraction, share in zip(fractions, shares, strict=True))
