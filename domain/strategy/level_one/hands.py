"""Calls of level 1: which rungs of a ladder are thought of, and what each is worth to a seat that knows its dice.

A chance is asked of what is known of one place, on the ladder as it is once the claim stands: the first claim of a
round may kill wild ones. Source: section 5.2 of the specification.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate

from msgspec import Struct

from domain import commands
from domain.ids import Face, Seat
from domain.rules.ladders import NOTHING, Hand
from domain.rules.laws import LAWS
from domain.rules.rules import Rules, Rungs, SharedCup
from domain.statistics.odds import Throw, throws_of_hands
from domain.strategy.level_one.counts import Worth
from domain.strategy.level_params import LevelParams
from domain.strategy.sight import Sight, open_faces
from domain.strategy.weighing import Lot, weights_by_step
from domain.table.checks import lowest_rung
from domain.table.offers import CallMove
from domain.table.state import Claim, State, is_wild

Faces = tuple[Face, ...]
"""Faces of some dice, ascending: in what order they lie makes no hand another one."""


class CallPlace(Struct, frozen=True):
    """All that the calls of a seat hang on.

    Attributes:
        opening: The call that opened the round, which says what is wild; None before there is one.
        flags: Of the round.
        own: The faces the seat knows of the place it handles, hidden and shown.
        shown: Those that everybody sees there.
        lowest: The rung of the lowest call that is legal.
    """

    rules: Rules
    opening: Claim | None
    flags: tuple[str, ...]
    own: Faces
    shown: Faces
    lowest: int

    def throw(self, hand: Hand | None = None) -> Throw:
        """Return how the dice are read once this hand is called, which may be the first; None for as it is now."""
        return _throw(self.rules, self.opening or hand, self.flags)


def throw_after(state: State, claim: Hand | None) -> Throw:
    """Return how the dice of a place are read once this claim stands, which may be the first; None for as it is now."""
    return _throw(state.rules, state.round.opening or claim, state.flags)


def _throw(rules: Rules, opening: Claim | None, flags: tuple[str, ...]) -> Throw:
    """Return how dice are read in a round that was opened by this claim."""
    claims, tokens = rules.claims, rules.tokens
    assert isinstance(claims, Rungs)
    return Throw(claims, tokens.dice, tokens.faces, is_wild(claims, opening, flags))


@lru_cache(maxsize=4_096)
def _throws_by_rung(throw: Throw, known: Faces) -> tuple[int, ...]:
    """Count by rung the throws of the other dice that make it or a higher one."""
    return tuple(accumulate(reversed(throws_of_hands(throw, known))))[::-1]


def throws_of_rung(throw: Throw, rung: int, known: Faces) -> tuple[int, int]:
    """Return how many throws of the other dice make a rung or a higher one, and of how many.

    Args:
        throw: How dice are read.
        rung: Which; where the ladder ends below it no throw makes it.
        known: The faces of those that are known, ascending.
    """
    each = _throws_by_rung(throw, known)
    return each[rung] if rung < len(each) else 0, throw.faces.count ** (throw.dice - len(known))


def chance_of_rung(throw: Throw, rung: int, known: Sequence[Face]) -> Fraction:
    """Return the chance that a place makes a rung or a higher one, of which these faces are known."""
    return Fraction(*throws_of_rung(throw, rung, tuple(sorted(known))))


def rung_made(throw: Throw, dice: Sequence[Face]) -> int:
    """Return the rung that dice make of which these are known, -1 where they are worth nothing or not all are known."""
    if len(dice) < throw.dice:
        return NOTHING
    return throw.ladder.measure(tuple([face - throw.faces.first for face in dice]))


def tries_of(rules: Rules, params: LevelParams) -> int:
    """Return how many more rolls are reckoned with before a hand is tested: more where a passed cup keeps dice."""
    keeps = isinstance(rules.tokens, SharedCup) and LAWS[rules.handling.law].sealed if rules.handling.limit else False
    return params.tries_keeping if keeps else params.tries


@lru_cache(maxsize=16_384)
def trust_of_rung(throw: Throw, rung: int, known: Faces, tries: int) -> Fraction:
    """Return how far a hand is believed by who knows these dice of its place, ascending."""
    return trust(chance_of_rung(throw, rung, known), tries)


def trust(chance: Fraction, tries: int) -> Fraction:
    """Return how far a claim is believed that one throw makes with this chance: 1 if it is known to hold."""
    return 1 - (1 - chance) ** tries


def rungs_thought_of(own: int, lowest: int, top: int, params: LevelParams) -> tuple[int, ...]:
    """Return the legal rungs that are thought of, ascending: the lowest, one's own, and the one half way to it."""
    near = {*range(lowest, lowest + params.steps), own, (own + lowest + 1) // 2}
    return tuple(sorted(rung for rung in near if lowest <= rung <= top))


Ratio = tuple[int, int]
"""A part of a whole, not in lowest terms: integers are quicker than fractions where many calls are weighed."""


def worth_of_call(rung: int, own: int, lowest: int, looks: Ratio, params: LevelParams) -> Ratio:
    """Return what a call is worth.

    Args:
        rung: What is called.
        own: What the dice make.
        lowest: The lowest rung that may be called.
        looks: How far the public would believe it; asked where it is a lie.
        params: The constants.
    """
    if rung > own:
        (part, whole), (believed, of) = params.nerve, looks
        return part * believed, whole * of
    (part, whole), span = params.tame, max(1, own - lowest)
    return whole * span - part * (own - rung), whole * span


def calls(
    read: Callable[[Hand], Throw],
    now: Throw,
    dice: Sequence[Face],
    shown: Sequence[Face],
    lowest: int,
    tries: int,
    params: LevelParams,
) -> tuple[tuple[int, Fraction], ...]:
    """Return the rungs that are thought of, ascending, with what each is worth.

    Args:
        read: How dice are read once a hand has been called.
        now: How they are read before.
        dice: All dice of the place, hidden and shown.
        shown: Those of them that everybody sees.
        lowest: The lowest rung that may be called.
        tries: As of `tries_of`.
        params: The constants.
    """
    found = []
    ladder = now.ladder
    for rung in rungs_thought_of(rung_made(now, dice), lowest, ladder.top, params):
        then = read(ladder.hands[rung])
        looks = trust_of_rung(then, rung, tuple(sorted(shown)), tries).as_integer_ratio()
        found.append((rung, Fraction(*worth_of_call(rung, rung_made(then, dice), lowest, looks, params))))
    return tuple(found)


def shown_of(state: State, seat: Seat) -> Faces:
    """Return the faces of the dice everybody sees in the place a seat handles, ascending."""
    place = state.place_of(seat)
    assert place is not None
    return tuple(sorted(open_faces(place, state.rules.tokens.faces.first)))


def own_faces(sight: Sight) -> Faces:
    """Return the faces a seat knows of the place it handles, hidden and shown, ascending."""
    place = sight.state.place_of(sight.seat)
    assert place is not None
    return tuple(sorted([*sight.dice.get(place.cup, ()), *shown_of(sight.state, sight.seat)]))


def call(sight: Sight, _move: CallMove, params: LevelParams) -> Iterator[Worth]:
    """Yield the calls thought of, by rung."""
    for hand, worth in _calls_known(_place_of_calls(sight), params):
        yield commands.ClaimHand(sight.seat, hand.shape, hand.faces), worth


def lots(sight: Sight, _move: CallMove, params: LevelParams) -> Iterator[tuple[int, Lot]]:
    """Yield the weight of all calls thought of together, in the order of `call`. Cost: remembered for a position."""
    # Where a call is on offer, the lowest that is legal is thought of.
    hands, sums = _calls_weighed(_place_of_calls(sight), params)
    yield sums[-1], partial(_call_at, sight.seat, hands, sums)


def _call_at(seat: Seat, hands: Sequence[Hand], sums: Sequence[int], mark: int) -> commands.Play:
    hand = hands[bisect_right(sums, mark)]
    return commands.ClaimHand(seat, hand.shape, hand.faces)


def _place_of_calls(sight: Sight) -> CallPlace:
    state = sight.state
    shown, own = shown_of(state, sight.seat), own_faces(sight)
    return CallPlace(state.rules, state.round.opening, state.flags, own, shown, lowest_rung(state))


@lru_cache(maxsize=16_384)
def _calls_weighed(place: CallPlace, params: LevelParams) -> tuple[tuple[Hand, ...], tuple[int, ...]]:
    """Return the calls thought of, and the running sum of their weights: those of `_calls_known`, in integers."""
    now, tries = place.throw(), tries_of(place.rules, params)
    made, hands, weights = rung_made(now, place.own), [], []
    for rung in rungs_thought_of(made, place.lowest, now.ladder.top, params):
        hand = now.ladder.hands[rung]
        then = place.throw(hand)
        holds = made if then == now else rung_made(then, place.own)
        looks = _believed(*throws_of_rung(then, rung, place.shown), tries) if rung > holds else (0, 1)
        part, whole = worth_of_call(rung, holds, place.lowest, looks, params)
        hands.append(hand)
        weights.append(weights_by_step(params)[params.grain * part // whole])
    return tuple(hands), tuple(accumulate(weights))


def _believed(made: int, of: int, tries: int) -> Ratio:
    """Return how far a claim is believed that so many throws of so many make: `trust`, in integers."""
    every: int = of**tries
    return every - (of - made) ** tries, every


@lru_cache(maxsize=16_384)
def _calls_known(place: CallPlace, params: LevelParams) -> tuple[tuple[Hand, Fraction], ...]:
    """Return the calls thought of with what each is worth, by all that they hang on."""
    now, tries = place.throw(), tries_of(place.rules, params)
    found = calls(place.throw, now, place.own, place.shown, place.lowest, tries, params)
    return tuple([(now.ladder.hands[rung], worth) for rung, worth in found])
