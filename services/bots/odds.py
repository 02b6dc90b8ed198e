"""Binomial odds of a count for a player who sees some dice, as floats.

Dice nobody has shown are fair and independent (CUP/1 section 5), so the number of them that count for a face is
binomial. Source: the odds of liar's dice, https://en.wikipedia.org/wiki/Liar%27s_dice#Dice_odds.
`domain.statistics.odds` has the same as exact fractions, which are too slow to be asked for every claim there is.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb, perm

from msgspec import Struct

from domain.rules.claims import ONE, Auction, count_of
from domain.rules.orders import Count


class DiceInView(Struct, frozen=True):
    """What somebody sees of the table: the faces known to them, and how many more tokens there are."""

    faces: tuple[int, ...]
    unknown: int


def chance_of(auction: Auction, claim: Count, seen: DiceInView) -> float:
    """Return the chance that a claim holds, for who sees this."""
    need = claim.quantity - count_of(auction, claim.face, seen.faces)
    helped = auction.wild and claim.face != ONE
    of = auction.faces.count
    if helped and auction.counting.natural and claim.face not in seen.faces:
        return at_least(need, seen.unknown, 2, of) - at_least_by_ones(need, seen.unknown, of)
    return at_least(need, seen.unknown, 1 + helped, of)


def chance_of_exactly(auction: Auction, claim: Count, seen: DiceInView) -> float:
    """Return the chance that exactly so many tokens count for the face."""
    need = claim.quantity - count_of(auction, claim.face, seen.faces)
    hits, of = 1 + (auction.wild and claim.face != ONE), auction.faces.count
    return at_least(need, seen.unknown, hits, of) - at_least(need + 1, seen.unknown, hits, of)


@lru_cache(maxsize=65_536)
def at_least(need: int, tokens: int, hits: int, of: int = 6) -> float:
    """Return the chance that at least `need` of so many tokens show one of `hits` faces out of `of`."""
    if need <= 0:
        return 1.0
    hit = hits / of
    return sum(comb(tokens, n) * pow(hit, n) * pow(1 - hit, tokens - n) for n in range(need, tokens + 1)) + 0.0


@lru_cache(maxsize=65_536)
def at_least_by_ones(need: int, tokens: int, of: int = 6) -> float:
    """Return the chance that at least `need` tokens show ones while none shows the face they would count for."""
    one, other = 1 / of, 1 - 2 / of
    return sum(comb(tokens, n) * pow(one, n) * pow(other, tokens - n) for n in range(max(0, need), tokens + 1)) + 0.0


def all_differ(dice: int, of: int = 6) -> float:
    """Return the chance that so many dice show different faces each."""
    return perm(of, dice) / float(of**dice)
