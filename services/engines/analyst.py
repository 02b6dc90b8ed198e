"""The analyst: each move weighed as an analysis would weigh it, by what the seat knows, and one near the best played.

Others are read as level 2 reads them, with a doubt that nothing changes: with the doubt learnt of them, which says more
truly what they have, a program wins less. A round is folded back over the deals there may be, and states between rounds
are worth what the shipped table says, which knows the values of rounds of two ahead that are solved. Rounds that do not
fold back are not for it.
"""

from __future__ import annotations

from collections import OrderedDict
from fractions import Fraction
from typing import Final

import msgspec

from domain import commands
from domain.analysis.worths.equity import decide, stake_of, ways_of
from domain.analysis.worths.scenes import Sampling, Scene
from domain.ids import Seat
from domain.rules.orders import Count
from domain.strategy.folding.bidding import folds
from domain.strategy.folding.verdicts import AtStake
from domain.strategy.level_one.count_table import Answer
from domain.strategy.reading.learning import actor_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import Option, Weighing
from domain.table.state import State
from services.engines.seen import SeenMatch
from services.evaluators.batch_evaluator import evaluate
from services.policies.usual import usual_stakes

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
