"""Beliefs about the hidden dice of one place that is handled: how likely every hand is to whoever looks on.

A hand is told apart by what its dice show and since when they lie hidden: handling seals which of them are rolled anew
(CUP/1 section 4.12), but how many they are is public, and so is where a die that is shown came from. Chances are
integers that add up to about 2^48, and no hand that is possible ever falls to nothing.

Source: section 5.3 of the specification; dice that show the same are alike to whoever handles them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from itertools import combinations, combinations_with_replacement
from math import comb, prod

from msgspec import Struct

from domain import events
from domain.events import Address
from domain.ids import Face
from domain.rules.laws import LAWS
from domain.rules.rules import Faces, Rules
from domain.strategy.hands import faces_of, ways_of
from domain.strategy.level_one.arrangements import DiceAfter
from domain.strategy.reading.beliefs import SCALE_BITS
from domain.table.places import Place

Die = tuple[int, Face]
"""A hidden die: since when it lies there, and what it shows."""
Dice = tuple[Die, ...]
"""The hidden dice of a place, ascending."""
Hand = tuple[Face, ...]
"""What they show, ascending."""


class CupBelief(Struct, frozen=True):
    """What is believed of the hidden dice of a place.

    Attributes:
        since: The last roll of whose dice it is not told apart which roll they came from.
        back: By where they come from, since when dice lie hidden that everybody had seen before: below any roll.
        chances: How likely each set of dice is, times 2^48.
    """

    since: int
    back: Mapping[Address, int]
    chances: Mapping[Dice, int]

    def hands(self) -> dict[Hand, int]:
        """Return how likely each hand is, times 2^48, ascending."""
        found: dict[Hand, int] = {}
        for dice, chance in self.chances.items():
            hand = hand_of(dice)
            found[hand] = found.get(hand, 0) + chance
        return dict(sorted(found.items()))

    def origin_of(self, at: Address) -> int:
        """Return since when a die lies hidden that came from there."""
        return self.back.get(at, max(at[0], self.since))


@lru_cache(maxsize=16_384)
def hand_of(dice: Dice) -> Hand:
    """Return what some dice show, ascending."""
    return tuple(sorted([face for _, face in dice]))


# ---- dice that are laid, or seen ----------------------------------------------------------------


def laid_belief(place: Place, faces: Faces) -> CupBelief:
    """Return what is believed of dice that were just laid: that they are fair."""
    roll = max([at[0] for at in place.laid], default=0)
    return CupBelief(roll, {}, _balanced(_fresh_dice(roll, len(place.inside), faces)))


def seen_belief(place: Place, hand: Iterable[Face], roll: int) -> CupBelief:
    """Return what is believed by who sees the dice of a place; `roll` is the last roll of its cup."""
    dice = tuple([(roll, face) for face in sorted(hand)])
    assert len(dice) == len(place.inside)
    return CupBelief(roll, {}, {dice: 1 << SCALE_BITS})


@lru_cache(maxsize=256)
def _fresh_dice(roll: int, dice: int, faces: Faces) -> dict[Dice, int]:
    every = combinations_with_replacement(faces_of(faces), dice)
    return {tuple([(roll, face) for face in hand]): ways_of(hand) for hand in every}


def _balanced(weights: Mapping[Dice, int]) -> dict[Dice, int]:
    total = sum([*weights.values()])
    return {dice: max(1, (weight << SCALE_BITS) // total) for dice, weight in weights.items() if weight}


# ---- what its holder does -----------------------------------------------------------------------


def belief_after_deed(belief: CupBelief, likelihood: Callable[[Hand], int]) -> CupBelief:
    """Return what is believed after the holder did something that leaves the dice as they lie."""
    weights = {dice: chance * likelihood(hand_of(dice)) for dice, chance in belief.chances.items()}
    return CupBelief(belief.since, belief.back, _balanced(weights))


class Handled(Struct, frozen=True):
    """What everybody sees of a handling.

    Attributes:
        event: What was announced.
        shown: The hidden dice that came out by it: where from, and what they show.
        taken: The open dice that were taken up, likewise.
        outside: The faces that lie open afterwards but for those rolled, ascending.
    """

    event: events.Arranged
    shown: tuple[tuple[Address, Face], ...]
    taken: tuple[tuple[Address, Face], ...]
    outside: Hand

    @property
    def rolled(self) -> int:
        """How many dice were rolled."""
        return self.event.roll_inside + self.event.roll_outside


def belief_after_handling(
    belief: CupBelief, handled: Handled, likelihood: Callable[[Hand, DiceAfter], int] | None, faces: Faces
) -> CupBelief:
    """Return what is believed after the holder handled the dice: a sum over all it may have chosen.

    Args:
        belief: What was believed before.
        handled: What everybody saw.
        likelihood: How likely a holder of a hand chooses what comes of it; None for choices that say nothing, of which
            each is as likely as any other.
        faces: What dice show.
    """
    back, taken = _taken_up(belief, handled)
    shown = [(belief.origin_of(at), face) for at, face in handled.shown]
    kept: dict[Dice, int] = {}
    for dice, chance in belief.chances.items():
        found = _without(dice, shown, meant=likelihood is not None)
        if found is not None:
            likely = None if likelihood is None else partial(likelihood, hand_of(dice))
            _add_choices(kept, (*found[0], *taken), chance * found[1], handled, likely)
    return CupBelief(belief.since, back, _balanced(_with_fresh(kept, handled, faces)))


def may_be_shown(rules: Rules) -> bool:
    """Report whether the law of a game lets dice come out before the verdict."""
    law = LAWS.get(rules.handling.law)
    return law is not None and not {"outside", "roll_outside"}.isdisjoint(law.placements)


def not_told_apart(belief: CupBelief, roll: int) -> CupBelief:
    """Return what is believed where dice stay hidden until the verdict: nobody sees since when one of them lies there.

    Args:
        belief: What is believed of the dice, roll by roll.
        roll: The last roll of the cup.
    """
    found: dict[Dice, int] = {}
    for dice, chance in belief.chances.items():
        alike = tuple([(roll, face) for face in hand_of(dice)])
        found[alike] = found.get(alike, 0) + chance
    return CupBelief(roll, {}, found)


def _taken_up(belief: CupBelief, handled: Handled) -> tuple[dict[Address, int], list[Die]]:
    """Return since when dice lie hidden that were seen before, with those that were just taken up."""
    back = {at: origin for at, origin in belief.back.items() if at not in {at for at, _ in handled.shown}}
    taken: list[Die] = []
    for at, face in handled.taken:
        back[at] = min([0, *back.values()]) - 1
        taken.append((back[at], face))
    return back, taken


def _without(dice: Dice, shown: list[Die], *, meant: bool) -> tuple[Dice, int] | None:
    """Return some dice without those shown, and how likely these were taken, times 2^48; None if they are not there."""
    if not shown:
        return dice, 1 << SCALE_BITS
    left = Counter(dice)
    left.subtract(shown)
    if min(left.values(), default=0) < 0:
        return None
    return tuple(sorted(left.elements())), _share(Counter(dice), shown, meant=meant)


def _share(dice: Counter[Die], some: Iterable[Die], *, meant: bool) -> int:
    """Return how likely it is that it was these of all dice alike, times 2^48.

    Who means to show or to keep a face may take any die that shows it, and these lie there since different rolls; who
    means nothing takes any die at all, and then only how many ways there are to do so matters.
    """
    ways, alike, taken = 1, Counter[Face](), Counter[Face]()
    for die, times in Counter(some).items():
        ways *= comb(dice[die], times)
        taken[die[1]] += times
    for (_, face), times in dice.items():
        alike[face] += times
    every = prod([comb(alike[face], times) for face, times in taken.items()]) if meant else 1
    return (ways << SCALE_BITS) // every


def _add_choices(
    kept: dict[Dice, int], dice: Dice, chance: int, handled: Handled, likelihood: Callable[[DiceAfter], int] | None
) -> None:
    """Add every choice of dice to be rolled to what may have been kept, by how likely it was."""
    event = handled.event
    for stay, faces, share in _choices(tuple(sorted(dice)), len(dice) - handled.rolled, likelihood is not None):
        weight = chance * share
        if likelihood is not None:
            weight *= likelihood(DiceAfter(faces, handled.outside, event.roll_inside, event.roll_outside))
        kept[stay] = kept.get(stay, 0) + weight


@lru_cache(maxsize=4_096)
def _choices(dice: Dice, count: int, meant: bool) -> tuple[tuple[Dice, Hand, int], ...]:  # noqa: FBT001  part of the key
    """Return every different choice of so many dice, what they show, and how likely it is these, as of `_share`."""
    ways = Counter(combinations(dice, count))
    alike = Counter[Hand]()
    for some, times in ways.items():
        alike[hand_of(some)] += times
    # A choice of faces is as many ways as all choices of dice that show them together.
    found = [(some, hand_of(some), times, alike[hand_of(some)] if meant else 1) for some, times in ways.items()]
    return tuple([(some, hand, (times << SCALE_BITS) // every) for some, hand, times, every in sorted(found)])


def _with_fresh(kept: Mapping[Dice, int], handled: Handled, faces: Faces) -> dict[Dice, int]:
    """Return the dice kept with fresh ones beside them."""
    event = handled.event
    if event.roll is None or not event.roll_inside:
        return dict(kept)
    fresh = _fresh_dice(event.roll, event.roll_inside, faces)
    found: dict[Dice, int] = {}
    for dice, weight in kept.items():
        for rolled, ways in fresh.items():
            both = tuple(sorted((*dice, *rolled)))
            found[both] = found.get(both, 0) + weight * ways
    return found
