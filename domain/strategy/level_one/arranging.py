"""Arrangements of level 1: what each lawful way to handle one's dice is worth.

Source: section 5.2 of the specification, arrange.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import accumulate
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain import commands
from domain.ids import Face
from domain.rules.rules import Counting
from domain.statistics.odds import Throw
from domain.strategy.level_one.answers import trust_in_standing
from domain.strategy.level_one.arrangements import Arranger, DiceAfter, Kept
from domain.strategy.level_one.count_table import CountPosition, table_of
from domain.strategy.level_one.counts import Worth, position_of
from domain.strategy.level_one.hands import (
    Faces,
    chance_of_rung,
    shown_of,
    throw_after,
    throws_of_rung,
    tries_of,
    trust,
)
from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import weight_of
from domain.table.checks import lowest_rung
from domain.table.handling import forces_verdict
from domain.table.interlude import is_throwing_openly
from domain.table.offers import ArrangeMove


def worth_of_keeping(
    throw: Throw, kept: Sequence[Face], public: Sequence[Face], lowest: int, tries: int, params: LevelParams
) -> Fraction:
    """Return what it is worth to roll all dice but some: the lowest claim is made, or else it looks as if it were.

    Args:
        throw: How the dice are read once the lowest claim stands.
        kept: The faces of the dice that are not rolled.
        public: Those of them that everybody will see.
        lowest: The lowest rung that may be called afterwards.
        tries: As of `tries_of`.
        params: The constants.
    """
    makes = chance_of_rung(throw, lowest, kept)
    looks = trust(chance_of_rung(throw, lowest, public), tries)
    return makes + (1 - makes) * looks * fraction_of(params.nerve)


def arrange(sight: Sight, _move: ArrangeMove, params: LevelParams) -> Iterator[Worth]:
    """Yield every lawful way to handle the dice, those first that touch few; who knows none of them has none."""
    arranger = Arranger(sight.state, sight.seat)
    hidden = sight.dice.get(arranger.place.cup, ())
    if len(hidden) == len(arranger.place.inside):
        worth = _worths_of_kept(sight, params)
        for kept in arranger.kept(hidden):
            each = worth(kept)
            for split in kept.splits:
                yield arranger.command(hidden, kept.moved, split), each


Lot = Callable[[int], commands.Play]
"""What makes the command that a mark below the weight of some moves falls on."""


def lots(sight: Sight, params: LevelParams) -> Iterator[tuple[int, Lot]]:
    """Yield the weight of all ways to handle dice together, in the order of `arrange`. Cost: remembered for a call."""
    arranger = Arranger(sight.state, sight.seat)
    hidden = sight.dice.get(arranger.place.cup, ())
    if len(hidden) == len(arranger.place.inside):
        ways = _ways_of(arranger, hidden, sight, params)
        if ways.sums:
            yield ways.sums[-1], partial(_command_at, arranger, hidden, ways)


class _Ways(Struct, frozen=True):
    """What may be kept of some dice, and the running sum of the weights of all that keeps it."""

    kept: tuple[Kept, ...]
    sums: tuple[int, ...]


WAYS_MAX: Final = 2_048
"""How many hands are remembered, each with a call that follows, before all are forgotten: 30 MB of five dice."""
_KEPT: Final[dict[object, tuple[Kept, ...]]] = {}
_WAYS: Final[dict[object, _Ways]] = {}


def _ways_of(arranger: Arranger, hidden: Sequence[Face], sight: Sight, params: LevelParams) -> _Ways:
    if not _comes_to_a_call(sight):
        return _weighed(tuple(arranger.kept(hidden)), weights_of_kept(sight, params))
    lying = arranger.lying(hidden)
    key = lying, _next_call(sight, params), params
    found = _WAYS.get(key)
    if found is None:
        if len(_WAYS) >= WAYS_MAX:
            _WAYS.clear()
            _KEPT.clear()
        if lying not in _KEPT:
            _KEPT[lying] = tuple(arranger.kept(hidden))
        found = _WAYS[key] = _weighed(_KEPT[lying], weights_of_kept(sight, params))
    return found


def _weighed(kept: tuple[Kept, ...], weigh: Callable[[Kept], int]) -> _Ways:
    return _Ways(kept, tuple(accumulate([weigh(each) * len(each.splits) for each in kept])))


def _command_at(arranger: Arranger, hidden: Sequence[Face], ways: _Ways, mark: int) -> commands.Play:
    at = bisect_right(ways.sums, mark)
    before, kept = ways.sums[at - 1] if at else 0, ways.kept[at]
    # All splits of what is kept weigh alike.
    split = (mark - before) * len(kept.splits) // (ways.sums[at] - before)
    return arranger.command(hidden, kept.moved, kept.splits[split])


def weights_of_kept(sight: Sight, params: LevelParams) -> Callable[[Kept], int]:
    """Return what tells the weight of a way to handle dice, as `arrange` has it. Cost: a few products of integers."""
    if _comes_to_a_call(sight):
        throw, lowest, tries = _next_call(sight, params)
        return _KeptWeights(throw, lowest, tries, params)
    worth = _worths_of_kept(sight, params)
    return lambda kept: weight_of(worth(kept), params)


def _comes_to_a_call(sight: Sight) -> bool:
    """Report whether all that may follow a handling is a call of a hand."""
    state = sight.state
    forced = forces_verdict(state, state.round.handled.get(sight.seat, 0) + 1)
    return not (isinstance(state.rules.claims, Counting) or is_throwing_openly(state) or forced)


def _next_call(sight: Sight, params: LevelParams) -> tuple[Throw, int, int]:
    """Return how dice are read once the lowest call stands, its rung, and how many more rolls are reckoned with."""
    state, lowest = sight.state, lowest_rung(sight.state)
    hands = throw_after(state, None).ladder.hands
    throw = throw_after(state, hands[lowest] if lowest < len(hands) else None)
    return throw, lowest, tries_of(state.rules, params)


def worth_of_result(sight: Sight, result: DiceAfter, params: LevelParams) -> Fraction:
    """Return what it is worth to have handled one's dice so."""
    kept = Kept(result.inside, result.outside, result.roll_inside + result.roll_outside, (result.roll_outside,), ())
    return _worths_of_kept(sight, params)(kept)


def _worths_of_kept(sight: Sight, params: LevelParams) -> Callable[[Kept], Fraction]:
    """Return what tells the worth of a way to handle dice."""
    state = sight.state
    if isinstance(state.rules.claims, Counting):
        return partial(_best_bid_after, sight, position_of(sight), params)
    now = throw_after(state, None)
    if is_throwing_openly(state):
        # Nothing is called any more, and nothing can be made up: what counts is to match the highest hand.
        return lambda kept: chance_of_rung(now, now.ladder.top, (*kept.inside, *kept.outside))
    throw, lowest, tries = _next_call(sight, params)
    forced = None if _comes_to_a_call(sight) else 1 - trust_in_standing(sight, params)

    def worth(kept: Kept) -> Fraction:
        if forced is not None and kept.rolled:
            return forced
        return worth_of_keeping(throw, (*kept.inside, *kept.outside), kept.outside, lowest, tries, params)

    return worth


class _KeptWeights:
    """The weights of ways to handle dice where a call follows, in integers: `weight_of(worth_of_keeping(...))`."""

    def __init__(self, throw: Throw, lowest: int, tries: int, params: LevelParams) -> None:
        self._throw, self._lowest, self._tries = throw, lowest, tries
        self._nerve, self._grain = params.nerve, params.grain
        self._weights = _weights_by_step(params)
        self._looks: dict[Faces, tuple[int, int]] = {}

    def __call__(self, kept: Kept) -> int:
        looks, every = self._looks_of(kept.outside)
        makes, throws = self._makes(tuple(sorted(kept.inside + kept.outside)))
        steps = self._grain * (makes * every + (throws - makes) * looks) // (throws * every)
        return self._weights[steps]

    def _makes(self, known: Faces) -> tuple[int, int]:
        """Return how many throws make the lowest call, and of how many."""
        return throws_of_rung(self._throw, self._lowest, known)

    def _looks_of(self, public: Faces) -> tuple[int, int]:
        """Return what a lie is worth to whoever sees these dice, as numerator and denominator."""
        found = self._looks.get(public)
        if found is None:
            makes, throws = self._makes(public)
            nerve, every = self._nerve[0], self._nerve[1]
            tried = throws**self._tries
            found = self._looks[public] = ((tried - (throws - makes) ** self._tries) * nerve, tried * every)
        return found


@lru_cache(maxsize=16)
def _weights_by_step(params: LevelParams) -> tuple[int, ...]:
    """Return the weight of every worth that is told apart."""
    return tuple([weight_of(Fraction(step, params.grain), params) for step in range(params.grain + 1)])


def _best_bid_after(sight: Sight, now: CountPosition, params: LevelParams, kept: Kept) -> Fraction:
    """Return what the best bid is worth after dice were handled so, or the best answer where one still may doubt."""
    state = sight.state
    kinds = ("bid",) if state.rules.handling.binds or state.round.standing is None else ("bid", "challenge")
    place = state.place_of(sight.seat)
    assert place is not None
    others = [face for cup, faces in sight.dice.items() if cup != place.cup for face in faces]
    beside = list(sight.shown)
    for face in shown_of(state, sight.seat):
        beside.remove(face)
    hand = tuple(sorted([*others, *kept.inside]))
    shown = tuple(sorted([*beside, *kept.outside]))
    unknown = state.dice_in_play - len(shown) - len(hand)
    table = table_of(replace(now, shown=shown, hidden=len(hand), unknown=unknown, kinds=kinds), params)
    found = [column.worths[table.entry_of(answer, hand)] for answer, column in table.columns.items()]
    return max(found, default=Fraction(0))
