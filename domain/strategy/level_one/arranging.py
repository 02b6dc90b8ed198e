"""Arrangements of level 1: what each lawful way to handle one's dice is worth.

Source: section 5.2 of the specification, arrange.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache

from msgspec.structs import replace

from domain.rules.rules import Counting
from domain.statistics.odds import Throw
from domain.strategy.level_one.answers import trust_in_standing
from domain.strategy.level_one.arrangements import Arranger, Result
from domain.strategy.level_one.count_table import table_of
from domain.strategy.level_one.counts import Worth, position_of
from domain.strategy.level_one.hands import Faces, chance_of_rung, shown_of, throw_after, tries_of, trust
from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.sight import Sight
from domain.table.checks import lowest_rung
from domain.table.handling import forces_verdict
from domain.table.interlude import is_throwing_openly
from domain.table.offers import ArrangeMove


@lru_cache(maxsize=65_536)
def worth_of_keeping(
    throw: Throw, kept: Faces, public: Faces, lowest: int, tries: int, params: LevelParams
) -> Fraction:
    """Return what it is worth to roll all dice but some: the lowest claim is made, or else it looks as if it were.

    Args:
        throw: How the dice are read once the lowest claim stands.
        kept: The faces of the dice that are not rolled, ascending.
        public: Those of them that everybody will see, ascending.
        lowest: The lowest rung that may be called afterwards.
        tries: As of `tries_of`.
        params: The constants.
    """
    makes = chance_of_rung(throw, lowest, kept)
    looks = trust(chance_of_rung(throw, lowest, public), tries)
    return makes + (1 - makes) * looks * fraction_of(params.nerve)


def _worth_among_hands(sight: Sight, result: Result, params: LevelParams) -> Fraction:
    """Return what a way to handle dice is worth where claims name hands."""
    state = sight.state
    if is_throwing_openly(state):
        # Nothing is called any more, and nothing can be made up: what counts is to match the highest hand.
        throw = throw_after(state, None)
        return chance_of_rung(throw, throw.ladder.top, result.kept)
    if result.rolled and forces_verdict(state, state.round.handled.get(sight.seat, 0) + 1):
        return 1 - trust_in_standing(sight, params)
    lowest = lowest_rung(state)
    hands = throw_after(state, None).ladder.hands
    throw = throw_after(state, hands[lowest] if lowest < len(hands) else None)
    return worth_of_keeping(throw, result.kept, result.outside, lowest, tries_of(state.rules, params), params)


def arrange(sight: Sight, _move: ArrangeMove, params: LevelParams) -> Iterator[Worth]:
    """Yield every lawful way to handle the dice, those first that touch few; who knows none of them has none."""
    arranger = Arranger(sight.state, sight.seat)
    hidden = sight.dice.get(arranger.place.cup, ())
    if len(hidden) == len(arranger.place.inside):
        for made in arranger.arrangements(hidden):
            yield made.command, worth_of_result(sight, made.result, params)


def worth_of_result(sight: Sight, result: Result, params: LevelParams) -> Fraction:
    """Return what it is worth to have handled one's dice so."""
    counting = isinstance(sight.state.rules.claims, Counting)
    return (_best_bid_after if counting else _worth_among_hands)(sight, result, params)


def _best_bid_after(sight: Sight, result: Result, params: LevelParams) -> Fraction:
    """Return what the best bid is worth after dice were handled so, or the best answer where one still may doubt."""
    state = sight.state
    kinds = ("bid",) if state.rules.handling.binds or state.round.standing is None else ("bid", "challenge")
    now = position_of(sight)
    place = state.place_of(sight.seat)
    assert place is not None
    others = [face for cup, faces in sight.dice.items() if cup != place.cup for face in faces]
    beside = list(sight.shown)
    for face in shown_of(state, sight.seat):
        beside.remove(face)
    hand = tuple(sorted([*others, *result.inside]))
    shown = tuple(sorted([*beside, *result.outside]))
    unknown = state.dice_in_play - len(shown) - len(hand)
    table = table_of(replace(now, shown=shown, hidden=len(hand), unknown=unknown, kinds=kinds), params)
    found = [column.worths[table.entry_of(answer, hand)] for answer, column in table.columns.items()]
    return max(found, default=Fraction(0))
