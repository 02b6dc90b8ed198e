"""Calls of level 1: which rungs of a ladder are thought of, and what each is worth to a seat that knows its dice.

A chance is asked of what is known of one place, on the ladder as it is once the claim stands: the first claim of a
round may kill wild ones. Source: section 5.2 of the specification.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate
from typing import Final

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
def throws_by_rung(throw: Throw, known: Faces) -> tuple[int, ...]:
    """Count by rung the throws of the other dice that make it or a higher one."""
    return tuple(accumulate(reversed(throws_of_hands(throw, known))))[::-1]


def throws_of_rung(throw: Throw, rung: int, known: Faces) -> tuple[int, int]:
    """Return how many throws of the other dice make a rung or a higher one, and of how many.

    Args:
        throw: How dice are read.
        rung: Which; where the ladder ends below it no throw makes it.
        known: The faces of those that are known, ascending.
    """
    each = throws_by_rung(throw, known)
    return each[rung] if rung < len(each) else 0, throws_of(throw, known)


def throws_of(throw: Throw, known: Faces) -> int:
    """Count the throws of the other dice."""
    every: int = throw.faces.count ** (throw.dice - len(known))
    return every


def chance_of_rung(throw: Throw, rung: int, known: Sequence[Face]) -> Fraction:
    """Return the chance that a place makes a rung or a higher one, of which these faces are known."""
    return Fraction(*throws_of_rung(throw, rung, tuple(sorted(known))))


def rung_made(throw: Throw, dice: Sequence[Face]) -> int:
    """Return the rung that dice make of which these are known, -1 where they are worth nothing or not all are known."""
    if len(dice) < throw.dice:
        return NOTHING
    return throw.ladder.measure(tuple([face - throw.faces.first for face in dice]))


class _RungsMade(dict[Faces, int]):
    """The rungs that dice make, each worked out when it is first asked for."""

    def __init__(self, throw: Throw) -> None:
        super().__init__()
        self._throw = throw

    def __missing__(self, dice: Faces) -> int:
        found = self[dice] = rung_made(self._throw, dice)
        return found


@lru_cache(maxsize=16)
def rungs_made(throw: Throw) -> Mapping[Faces, int]:
    """Return the rung that dice make, ascending, by what they show: `rung_made`. Cost: a look-up, once it was asked."""
    return _RungsMade(throw)


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
    beyond = min(lowest + params.steps, top + 1)
    # What is half way lies at or below one's own, and both among the lowest unless one's own lies far above these.
    far = sorted({(own + lowest + 1) // 2, own}) if own >= beyond else ()
    return (*range(lowest, beyond), *[rung for rung in far if rung >= beyond])


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
    weights = call_weights(sight.state, sight.seat, params)
    # Where a call is on offer, the lowest that is legal is thought of.
    thought = weights.of(own_faces(sight))
    hands = [weights.ladder.hands[rung] for rung in thought.rungs]
    yield thought.total, partial(_call_at, sight.seat, hands, tuple(accumulate(thought.weights)))


def _call_at(seat: Seat, hands: Sequence[Hand], sums: Sequence[int], mark: int) -> commands.Play:
    hand = hands[bisect_right(sums, mark)]
    return commands.ClaimHand(seat, hand.shape, hand.faces)


def _place_of_calls(sight: Sight) -> CallPlace:
    state = sight.state
    shown, own = shown_of(state, sight.seat), own_faces(sight)
    return CallPlace(state.rules, state.round.opening, state.flags, own, shown, lowest_rung(state))


class CallsThought(Struct, frozen=True):
    """The calls that dice think of: their rungs, ascending, the weight of each, and of all together."""

    rungs: tuple[int, ...]
    weights: tuple[int, ...]
    total: int

    def weight(self, rung: int) -> int:
        """Return the weight of a call, 0 where it is not thought of."""
        return self.weights[self.rungs.index(rung)] if rung in self.rungs else 0


NO_CALLS: Final = CallsThought((), (), 0)
"""What is thought of where none may be made."""


class CallWeights:
    """The weights of calls in one position, whatever dice the caller holds: those of `_calls_known`, in integers.

    Attributes:
        ladder: What may be called.
    """

    def __init__(self, place: CallPlace, params: LevelParams) -> None:
        """Look at a position; `call_weights` makes one of these for all who ask. What the seat knows is not asked."""
        self._place, self._params, self._now = place, params, place.throw()
        self.ladder = self._now.ladder
        self._tries = tries_of(place.rules, params)
        self._steps, self._made = weights_by_step(params), rungs_made(self._now)
        self._lies: dict[int, int] = {}
        self._thought: dict[int | Faces, CallsThought] = {}

    def of(self, own: Faces) -> CallsThought:
        """Return the calls that are thought of with these dice, hidden and shown, ascending. Cost: remembered."""
        made = self._made[own]
        # Once a round is opened, dice that make the same rung make the same of every call, as do all that make none.
        key = own if self._place.opening is None else max(made, self._place.lowest - 1)
        found = self._thought.get(key)
        if found is None:
            found = self._thought[key] = self._think(own, made)
        return found

    def _think(self, own: Faces, made: int) -> CallsThought:
        rungs = rungs_thought_of(made, self._place.lowest, self.ladder.top, self._params)
        weights = tuple([self._weight(rung, own, made) for rung in rungs])
        return CallsThought(rungs, weights, sum(weights))

    def _weight(self, rung: int, own: Faces, made: int) -> int:
        then = self._read(rung)
        holds = made if then is self._now else rung_made(then, own)
        if rung > holds:
            return self._weight_of_lie(rung, then)
        part, whole = worth_of_call(rung, holds, self._place.lowest, (0, 1), self._params)
        return self._steps[self._params.grain * part // whole]

    def _read(self, rung: int) -> Throw:
        """Return how dice are read once this is called: as now wherever that changes nothing."""
        if self._place.opening is not None:
            return self._now
        then = self._place.throw(self.ladder.hands[rung])
        return self._now if then == self._now else then

    def _weight_of_lie(self, rung: int, then: Throw) -> int:
        found = self._lies.get(rung)
        if found is None:
            looks = believed(*throws_of_rung(then, rung, self._place.shown), self._tries)
            part, whole = worth_of_call(rung, NOTHING, self._place.lowest, looks, self._params)
            found = self._lies[rung] = self._steps[self._params.grain * part // whole]
        return found


def call_weights(state: State, seat: Seat, params: LevelParams) -> CallWeights:
    """Return the weights of the calls that a seat may make in a position. Cost: remembered."""
    place = CallPlace(state.rules, state.round.opening, state.flags, (), shown_of(state, seat), lowest_rung(state))
    return _call_weights(place, params)


_call_weights = lru_cache(maxsize=256)(CallWeights)


def believed(made: int, of: int, tries: int) -> Ratio:
    """Return how far a claim is believed that so many throws of so many make: `trust`, in integers."""
    every: int = of**tries
    return every - (of - made) ** tries, every


@lru_cache(maxsize=16_384)
def _calls_known(place: CallPlace, params: LevelParams) -> tuple[tuple[Hand, Fraction], ...]:
    """Return the calls thought of with what each is worth, by all that they hang on."""
    now, tries = place.throw(), tries_of(place.rules, params)
    found = calls(place.throw, now, place.own, place.shown, place.lowest, tries, params)
    return tuple([(now.ladder.hands[rung], worth) for rung, worth in found])
