"""Arrangements of level 1: what each lawful way to handle one's dice is worth.

Source: section 5.2 of the specification, arrange.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import accumulate
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain import commands
from domain.ids import Face
from domain.rules.rules import Counting
from domain.statistics.odds import Throw
from domain.strategy.hands import all_hands
from domain.strategy.level_one.answers import trust_in_standing
from domain.strategy.level_one.arrangements import Arranger, DiceAfter, Fates, Kept
from domain.strategy.level_one.count_handling import CountHandling, Handler
from domain.strategy.level_one.count_table import CountPosition, table_of
from domain.strategy.level_one.counts import Worth, position_of
from domain.strategy.level_one.hands import chance_of_rung, shown_of, throw_after, tries_of, trust
from domain.strategy.level_one.kept_table import CallAhead, KeptWeights
from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import Lot, weight_of
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


def lots(sight: Sight, _move: ArrangeMove, params: LevelParams) -> Iterator[tuple[int, Lot]]:
    """Yield the weight of all ways to handle dice together, in the order of `arrange`. Cost: remembered for a call."""
    arranger = Arranger(sight.state, sight.seat)
    hidden = sight.dice.get(arranger.place.cup, ())
    ways = _ways_of(arranger, hidden, sight, params) if len(hidden) == len(arranger.place.inside) else None
    if ways is not None and ways.sums:
        yield ways.sums[-1], partial(_command_at, arranger, hidden, ways)


class _Ways(Struct, frozen=True):
    """What may become of some dice, and the running sum of the weights of all that comes to it."""

    fates: Fates
    sums: tuple[int, ...]


WAYS_MAX: Final = 4_096
"""How many hands are remembered, each with a call that follows, before all are forgotten: 20 MB of five dice."""
_WAYS: Final[dict[object, _Ways]] = {}


def _ways_of(arranger: Arranger, hidden: Sequence[Face], sight: Sight, params: LevelParams) -> _Ways:
    if not comes_to_a_call(sight):
        weigh = weights_of_kept(sight, params)
        sums = accumulate([weigh(each) * len(each.splits) for each in arranger.kept(hidden)])
        return _Ways(arranger.fates(hidden), tuple(sums))
    call = call_ahead(sight, params)
    key = arranger.lying(hidden), call, params
    found = _WAYS.get(key)
    if found is None:
        if len(_WAYS) >= WAYS_MAX:
            _WAYS.clear()
        fates = arranger.fates(hidden)
        weights = KeptWeights(call, params).of_all(fates, sorted({*hidden, *arranger.open}))
        found = _WAYS[key] = _Ways(fates, tuple(accumulate(weights)))
    return found


def _command_at(arranger: Arranger, hidden: Sequence[Face], ways: _Ways, mark: int) -> commands.Play:
    at = bisect_right(ways.sums, mark)
    before, fate = ways.sums[at - 1] if at else 0, ways.fates.every[at]
    # All splits of what is kept weigh alike.
    split = (mark - before) * len(fate.splits) // (ways.sums[at] - before)
    return arranger.command(hidden, fate.moved, fate.splits[split])


def weights_of_kept(sight: Sight, params: LevelParams) -> Callable[[Kept], int]:
    """Return what tells the weight of a way to handle dice, as `arrange` has it. Cost: a few products of integers."""
    if comes_to_a_call(sight):
        return KeptWeights(call_ahead(sight, params), params)
    place = sight.state.place_of(sight.seat)
    assert place is not None
    if isinstance(sight.state.rules.claims, Counting) and [*sight.dice] == [place.cup]:
        return _count_weights(sight, params)
    worth = _worths_of_kept(sight, params)
    return lambda kept: weight_of(worth(kept), params)


def _count_weights(sight: Sight, params: LevelParams) -> Callable[[Kept], int]:
    """Return what tells the weight of a way to handle dice where claims count, to who knows none but its own."""
    faces = sight.state.rules.tokens.faces
    handling = CountHandling(position_of(sight), Handler(sight.state, sight.seat, {}), params)

    def weight(kept: Kept) -> int:
        hidden = len(kept.inside)
        return handling.weight(((kept.outside, hidden), all_hands(hidden, faces).places[kept.inside]))

    return weight


def comes_to_a_call(sight: Sight) -> bool:
    """Report whether all that may follow a handling is a call of a hand."""
    state = sight.state
    forced = forces_verdict(state, state.round.handled.get(sight.seat, 0) + 1)
    return not (isinstance(state.rules.claims, Counting) or is_throwing_openly(state) or forced)


def call_ahead(sight: Sight, params: LevelParams) -> CallAhead:
    """Return the lowest call that may follow a handling, whatever the dice show."""
    state, lowest = sight.state, lowest_rung(sight.state)
    hands = throw_after(state, None).ladder.hands
    throw = throw_after(state, hands[lowest] if lowest < len(hands) else None)
    return CallAhead(throw, lowest, tries_of(state.rules, params))


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
    call = call_ahead(sight, params)
    forced = None if comes_to_a_call(sight) else 1 - trust_in_standing(sight, params)

    def worth(kept: Kept) -> Fraction:
        if forced is not None and kept.rolled:
            return forced
        known = (*kept.inside, *kept.outside)
        return worth_of_keeping(call.throw, known, kept.outside, call.lowest, call.tries, params)

    return worth


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
