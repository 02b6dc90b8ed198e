"""Dice of a passed cup: which of them are told apart when its rounds are folded back, and which rounds these are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import comb
from typing import Final

from msgspec import Struct

from domain.ids import Face
from domain.rules.ladders import Ladder, ladder_of
from domain.rules.laws import LAWS
from domain.rules.rules import Rules, Rungs, SharedCup
from domain.strategy.hands import all_hands

POSITIONS_MAX: Final = 4_096
"""Claims, times kinds of dice, up to which a cup folds: three dice read as a number are 56 times 56."""
Faces = tuple[Face, ...]
"""What dice show, ascending."""


class CupDice(Struct, frozen=True):
    """The kinds of dice that may lie in a cup.

    Attributes:
        kinds: The kind of each throw.
        samples: A throw of each kind.
        alike: For each kind the first that is as good, where ones are not wild, and where they are.
    """

    kinds: Mapping[Faces, int]
    samples: tuple[Faces, ...]
    alike: tuple[tuple[int, ...], tuple[int, ...]]


def cup_folds(rules: Rules) -> bool:
    """Report whether rounds are folded back by their cup."""
    return isinstance(rules.tokens, SharedCup) and not why_unfolded(rules)


def why_unfolded(rules: Rules) -> str:
    """Return why rounds of a passed cup are not folded back, for people; nothing where they are, or there is none."""
    doubt, handling, claims = rules.doubt, rules.handling, rules.claims
    if not isinstance(rules.tokens, SharedCup):
        return ""
    if not isinstance(claims, Rungs) or claims.ties or doubt.catch:
        return "claims on the cup need not rise"
    special = doubt.rebid or doubt.spot_on or doubt.pass_once or doubt.who != "next" or rules.interludes
    handled = handling.own_claim_first or handling.show_to_claim or handling.last_forces or handling.per != "turn"
    if special or (handling.limit and handled):
        return "more may be done than to claim, to believe and to challenge"
    if handling.limit and LAWS[handling.law].placements != ("roll_inside",):
        return "dice may lie beside the cup"
    return "" if _is_small(rules) else "the cup has too many throws to go through"


@lru_cache(maxsize=64)
def _is_small(rules: Rules) -> bool:
    tokens = rules.tokens
    throws = comb(tokens.faces.count + tokens.dice - 1, tokens.dice)
    # Claims are counted only where dice are few enough to be gone through.
    return throws <= POSITIONS_MAX and _claims(rules) * len(cup_dice(rules).samples) <= POSITIONS_MAX


def _claims(rules: Rules) -> int:
    return len(_ladder(rules, wild=False).hands)


@lru_cache(maxsize=64)
def cup_dice(rules: Rules) -> CupDice:
    """Return the kinds of dice in a cup: where all are thrown anew or none, those that reach as much are alike."""
    claims, tokens, handling = rules.claims, rules.tokens, rules.handling
    assert isinstance(claims, Rungs)
    merges = not claims.specials and (not handling.limit or LAWS[handling.law].whole)
    kinds: dict[object, int] = {}
    found: dict[Faces, int] = {}
    samples: list[Faces] = []
    reached: list[tuple[object, object]] = []
    for hand in all_hands(tokens.dice, tokens.faces).hands:
        plain, wild = (_ladder(rules, wild=each).measure(values_of(rules, hand)) for each in (False, True))
        found[hand] = kinds.setdefault((plain, wild) if merges else hand, len(kinds))
        if found[hand] == len(samples):
            samples.append(hand)
            reached.append((plain, wild) if merges else (hand, hand))
    sides = [[each[side] for each in reached] for side in (0, 1)]
    alike = [tuple(map(side.index, side)) for side in sides]
    return CupDice(found, tuple(samples), (alike[0], alike[1]))


def _ladder(rules: Rules, *, wild: bool) -> Ladder:
    assert isinstance(rules.claims, Rungs)
    return ladder_of(rules.claims, rules.tokens.dice, rules.tokens.faces, wild=wild)


def values_of(rules: Rules, dice: Iterable[Face]) -> list[int]:
    """Return what dice show, counted from 0."""
    return [face - rules.tokens.faces.first for face in dice]
