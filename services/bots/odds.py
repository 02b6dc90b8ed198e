"""What a player can work out about a claim from the dice it sees: plain binomial odds.

Dice nobody has shown are fair and independent (CUP/1 section 5), so the number of them that count for a face is
binomial. Source: the odds of liar's dice, https://en.wikipedia.org/wiki/Liar%27s_dice#Dice_odds.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, perm

from projections.view import View

ONE = 1
PIPS = 6


def count_known(view: View, face: int) -> int:
    """Count the dice the viewer sees that count for a face, wild ones among them."""
    faces = [die.face for seat in view.seats for die in seat.dice]
    return sum(1 for seen in faces if seen == face or (seen == ONE and ones_are_wild(view)))


def count_unknown(view: View) -> int:
    """Count the dice the viewer does not see."""
    return sum(1 for seat in view.seats for die in seat.dice if die.face is None)


def ones_are_wild(view: View) -> bool:
    """Report whether ones count for every face in this round."""
    return "plain_ones" not in view.flags


def chance_of(view: View, quantity: int, face: int) -> float:
    """Return the chance that at least so many dice count for a face."""
    return at_least(quantity - count_known(view, face), count_unknown(view), _hits(view, face))


def chance_of_exactly(view: View, quantity: int, face: int) -> float:
    """Return the chance that exactly so many dice count for a face."""
    need, unknown, hits = quantity - count_known(view, face), count_unknown(view), _hits(view, face)
    return at_least(need, unknown, hits) - at_least(need + 1, unknown, hits)


def chance_for_all(view: View, quantity: int, face: int) -> float:
    """Return the chance of a claim for somebody who sees only what everybody sees."""
    dice = [die for seat in view.seats for die in seat.dice]
    shown = [die.face for die in dice if die.shown]
    known = sum(1 for seen in shown if seen == face or (seen == ONE and ones_are_wild(view)))
    return at_least(quantity - known, len(dice) - len(shown), _hits(view, face))


def _hits(view: View, face: int) -> int:
    return 2 if ones_are_wild(view) and face != ONE else 1


@lru_cache(maxsize=65_536)
def at_least(need: int, dice: int, hits: int) -> float:
    """Return the chance that at least `need` of `dice` dice show one of `hits` faces of six."""
    if need <= 0:
        return 1.0
    hit = hits / PIPS
    return sum(comb(dice, n) * pow(hit, n) * pow(1 - hit, dice - n) for n in range(need, dice + 1)) + 0.0


def all_differ(dice: int) -> float:
    """Return the chance that so many dice show different faces each."""
    return perm(PIPS, dice) / float(PIPS**dice)
