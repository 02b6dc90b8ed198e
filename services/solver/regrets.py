"""Regrets of a blueprint: both seats play a duel over and over, and each turns to what it would rather have done.

Every pass goes through all contexts for all hands, or for as many as are drawn. Contexts forget, so that several rows
of claims lead to one; each counts by how likely the moves that lead there are, where the seat in question now and then
does anything at all: else nothing would be learnt of where nobody goes. What comes out is the average of all passes,
later ones counting for more. It is no proof of anything.

Sources: Brown and Sandholm, Solving imperfect-information games via discounted regret minimization (AAAI 2019), for
the discounts; Waugh et al., A practical use of imperfect recall (SARA 2009), for what forgets.
"""

from __future__ import annotations

import math
from collections import Counter
from hashlib import sha256
from itertools import accumulate
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.strategy.chance import Words
from domain.strategy.hands import Hands
from services.solver.contexts import PLACES, Contexts, Group
from services.solver.walking import Dealt, Floats, Plan, Spread, all_dealt, reach_of, values_after

HANDS_MAX: Final = 32
"""Of more hands so many are drawn for each pass."""
GAINED, LOST, AVERAGED = 1.5, 0.0, 2.0
"""Discounts of regrets above 0, of those below, and of the average, where no hands are drawn."""


class Regrets:
    """What both seats regret so far, and what they did on average.

    Attributes:
        passes: How often the round was gone through.
    """

    def __init__(self, contexts: Contexts, seed: bytes) -> None:
        """Begin with nothing; hands are drawn from the seed."""
        self.passes = 0
        self.contexts, self.seed = contexts, seed
        self._hands = (contexts.duel.hands(0), contexts.duel.hands(1))
        self._drawn = max(map(len, self._hands)) > HANDS_MAX
        shapes = [(len(self._hands[one.turn]), len(one.earlier), len(one.moves)) for one in contexts.groups]
        self._regrets: Spread = [np.zeros(shape, np.float32) for shape in shapes]
        self._sums: Spread = [np.zeros(shape, np.float32) for shape in shapes]

    def go_through(self) -> None:
        """Go through the round once more."""
        self.passes += 1
        self._discount()
        dealt = self._deal()
        plan = [_matched(each[dealt.places[one.turn]]) for one, each in self._each(self._regrets)]
        reached = [reach_of(self.contexts, plan, dealt, place) for place in PLACES]
        self._learn(plan, reached, dealt)

    def average(self) -> Plan:
        """Return what both did on average; evenly where neither ever came."""
        return [_shares(sums) for sums in self._sums]

    def _each(self, plan: Plan) -> zip[tuple[Group, Floats]]:
        return zip(self.contexts.groups, plan, strict=True)

    def _discount(self) -> None:
        # Regrets of drawn hands are estimates: what lies below 0 may be chance, and is not forgotten.
        gained, lost, averaged = (1.0, 1.0, 1.0) if self._drawn else (GAINED, LOST, AVERAGED)
        last = self.passes - 1
        kept, let_go = np.float32(_kept(last, gained)), np.float32(_kept(last, lost))
        for regrets, sums in zip(self._regrets, self._sums, strict=True):
            np.multiply(regrets, np.where(regrets > 0, kept, let_go), out=regrets)
            np.multiply(sums, np.float32((last / self.passes) ** averaged), out=sums)

    def _deal(self) -> Dealt:
        if not self._drawn:
            return all_dealt(self.contexts.duel, np.float32)
        words = Words(sha256(b"truecup-blueprint %b %d" % (self.seed, self.passes)).digest())
        (first, often), (other, seldom) = (_drawn(hands, words) for hands in self._hands)
        return Dealt((first, other), (often, seldom))

    def _learn(self, plan: Plan, reached: list[Spread], dealt: Dealt) -> None:
        """Add what each seat would rather have done, and what it did, from the last contexts to the first."""
        values: Spread = [np.zeros((0, 0, 0), np.float32)] * len(plan)
        for at in range(len(plan) - 1, -1, -1):
            group, shares = self.contexts.groups[at], plan[at]
            after = values_after(self.contexts.duel, group, values, dealt)
            values[at] = shares @ after
            own, other = reached[group.turn][at], reached[1 - group.turn][at]
            worths = own @ after.transpose(0, 2, 1)
            hands = dealt.places[group.turn]
            self._regrets[at][hands] += worths - (worths * shares).sum(axis=2, keepdims=True)
            self._sums[at][hands] += other.sum(axis=2, keepdims=True) * shares


def _matched(regrets: Floats) -> Floats:
    return _shares(np.maximum(regrets, 0))


def _shares(parts: Floats) -> Floats:
    total = parts.sum(axis=2, keepdims=True)
    even = np.float32(1 / parts.shape[2])
    return np.where(total > 0, parts / np.where(total > 0, total, 1), even)


def _kept(last: int, power: float) -> float:
    return 1 - 1 / (1 + math.pow(last, power))


def _drawn(hands: Hands, words: Words) -> tuple[NDArray[np.intp], Floats]:
    ends = np.array([*accumulate(hands.ways)])
    found = Counter([int(np.searchsorted(ends, words.draw(int(ends[-1])), "right")) for _ in range(HANDS_MAX)])
    places = sorted(found)
    return np.array(places), np.array([found[place] for place in places], np.float32) / HANDS_MAX
