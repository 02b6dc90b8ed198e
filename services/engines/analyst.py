"""The analyst: each move weighed as an analysis would weigh it, by what the seat knows, and one near the best played.

Others are read as level 2 reads them, with a doubt that nothing changes: with the doubt learnt of them, which says more
truly what they have, a program wins less. A round is folded back over the deals there may be, that of a passed cup over
all its throws, and states between rounds are worth what the shipped table says, which knows the values of rounds of two
ahead that are solved. Rounds that do not fold back are not for it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

import msgspec

from domain import commands
from domain.analysis.worths.equity import decide, stake_of, ways_of
from domain.analysis.worths.passed import CupVerdicts
from domain.analysis.worths.scenes import Sampling, Scene
from domain.ids import Face, Seat
from domain.rules.orders import Count
from domain.strategy.folding.bidding import folds
from domain.strategy.folding.cup_dice import cup_folds
from domain.strategy.folding.passed_cups import cup_fold_of
from domain.strategy.folding.verdicts import AtStake
from domain.strategy.level_one.count_table import Answer
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.learning import actor_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import Option, Weighing
from domain.table.phases import TO_ROLL
from domain.table.state import PASSED_CUP, State
from services.engines.roller import is_sealed
from services.engines.seen import SeenMatch
from services.evaluators.batch_evaluator import evaluate
from services.policies.usual import usual_stakes, usual_table

DEALS: Final = 64
"""Deals that are drawn where there are more than are gone through."""
DEALS_MAX: Final = 256
"""Deals that are gone through one and all, such as five dice of one other seat."""
HALF_A_POINT: Final = Fraction(1, 200)
"""How far below the best a move may be that the steady style plays as well: of the stake of a round."""
ROUNDS_KEPT: Final = 4
"""Rounds whose positions are kept, since all players of a table ask about the same one."""


def weigh_by_worth(seen: SeenMatch, sight: Sight, near: Fraction, chance: bytes) -> Weighing | None:
    """Return the moves near the best, all alike; None where the round does not fold back, or nothing is at stake.

    Args:
        seen: What the seat has seen of the match.
        sight: What it sees now.
        near: How far below the best a move may be, of the stake.
        chance: What deals are drawn by.

    Cost: the positions of a round the first time, some ten milliseconds; then a few.
    """
    opened, seat = _opened(seen, sight), sight.seat
    if sight.state.turn != seat or seat not in sight.dice or not folds(opened):
        return None
    stakes = ROUNDS.at_stake(opened)
    stake = stake_of(stakes, seat)
    if not stake or set(stakes.bidding.seats) != set(sight.state.remaining):
        return None
    sampling = Sampling(chance.hex(), "L3", DEALS, DEALS_MAX)
    scene = Scene(stakes, sight.state, seen.beliefs().beliefs, seen.version, sampling, evaluate)
    own, place = sight.dice[seat], stakes.bidding.seats.index(seat)
    ways = ways_of(scene, place, own, "challenge")
    answers = [way.answer for way in ways if way.answer is not None]
    worths = [worth.value for worth in decide(scene, seat, own, answers[0]).worths]
    least = max(worths) - near * stake
    pairs = zip(answers, worths, strict=True)
    options = [Option(_command(seat, answer), worth, 1) for answer, worth in pairs if worth >= least]
    return Weighing(tuple(options), len(ways))


def weigh_by_cup(seen: SeenMatch, sight: Sight, near: Fraction) -> Weighing | None:
    """Return the moves near the best at a passed cup, all alike; None where it does not fold, or nothing is at stake.

    Where any of several dice may be kept in secret it says nothing either: level 2 won 0.550 ± 0.076 of matches of 666
    against it, in 80 blocks: no proof that it is weaker, and none that it is not.

    Args:
        seen: What the seat has seen of the match.
        sight: What it sees now.
        near: How far below the best a move may be, of the stake.

    Cost: the positions of a game the first time it is played by so many, up to a second and 60 MB; then a millisecond,
    and what is new to read.
    """
    state, seat = sight.state, sight.seat
    rules = state.rules
    if state.turn != seat or not cup_folds(rules) or is_sealed(rules) or PASSED_CUP not in state.places:
        return None
    fold = cup_fold_of(rules, len(state.remaining), LEVEL_ONE)
    verdicts = CupVerdicts(state, fold, usual_table(state, state))
    ends = [brings[seat] for brings in verdicts.every.values()]
    thought_of = [option.command for option in weigh(sight, LEVEL_ONE).options]
    stake = max(ends) - min(ends)
    if not stake or not thought_of:
        return None
    likely = fold.whatever if state.phase == TO_ROLL else _lies_in_cup(seen, sight)
    worths = [verdicts.brought(fold.endings_after(state, command, likely))[seat] for command in thought_of]
    least = max(worths) - near * stake
    pairs = zip(thought_of, worths, strict=True)
    return Weighing(tuple([Option(command, worth, 1) for command, worth in pairs if worth >= least]), len(thought_of))


def _lies_in_cup(seen: SeenMatch, sight: Sight) -> Mapping[tuple[Face, ...], int]:
    """Return what a seat knows or believes of the dice in the cup, each with how likely it is."""
    if PASSED_CUP in sight.dice:
        return {tuple(sight.dice[PASSED_CUP]): 1}
    believed = seen.beliefs().beliefs[PASSED_CUP]
    return {hand: chance for hand, chance in zip(believed.hands.hands, believed.chances, strict=True) if chance}


def _opened(seen: SeenMatch, sight: Sight) -> State:
    """Return the round as it lay before anybody acted."""
    acted = (step.before.state for step in seen.course if actor_of(step.event) is not None)
    return next(acted, sight.state)


def _command(seat: Seat, answer: Answer) -> commands.Play:
    if isinstance(answer, Count):
        return commands.Bid(seat, answer.quantity, answer.face)
    return commands.SpotOn(seat) if answer == "spot_on" else commands.Challenge(seat)


class RoundsKept:
    """The positions of the last few rounds, with what their verdicts are worth."""

    def __init__(self, most: int) -> None:
        """Keep as many rounds as this."""
        self._most = most
        self._kept: OrderedDict[bytes, AtStake] = OrderedDict()

    def at_stake(self, opened: State) -> AtStake:
        """Return what is at stake in a round, given it before anybody has acted in it."""
        key = msgspec.msgpack.encode(opened)
        found = self._kept.pop(key, None) or usual_stakes(opened, opened)
        self._kept[key] = found
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)
        return found


ROUNDS: Final = RoundsKept(ROUNDS_KEPT)
