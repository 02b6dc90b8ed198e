"""Local best replies to a blueprint, and so what it gives away at least; a lower bound, and never a certificate.

The replier remembers what a blueprint remembers: the last three claims. It knows the blueprint, and with that how
likely each hand of the other one is wherever it comes; there it takes the best move, its own later moves being what
they are. It goes over them again as they change what it may believe. Whoever remembers more may win more.
Source: Lisy and Bowling, Equilibrium approximation quality of current no-limit poker bots (2017), for the bound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
from msgspec import Struct

from domain.strategy.duels.blueprint import BlueprintTable
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.level_one.count_table import CountPosition, table_of
from domain.strategy.level_params import LEVEL_ONE
from services.solver.contexts import NONE, Contexts, Group, contexts_of
from services.solver.walking import Dealt, Floats, Spread, all_dealt, reach_of, values_after

AT_ONCE: Final = 16_000_000
"""How much is gone through together, contexts times hands of both: a quarter of a gigabyte."""
TIMES: Final = 4
"""How often it goes over its moves."""


class GivesAway(Struct, frozen=True):
    """What somebody wins at least on average who knows the blueprint, +1 won and -1 lost.

    Attributes:
        opening: As the opener.
        answering: As the other one.
    """

    opening: float
    answering: float

    @property
    def mean(self) -> float:
        """Over both seats, in which nobody who cannot be beaten gives anything away."""
        return max(0.0, (self.opening + self.answering) / 2)


def gives_away(table: BlueprintTable) -> GivesAway:
    """Return what a blueprint gives away at least. Cost: a second for two dice each, half a minute for three."""
    contexts = contexts_of(table.duel)
    shares = _shares_of(contexts, table)
    opening, answering = (_Reply(contexts, shares, place).worth() for place in (0, 1))
    return GivesAway(opening, answering)


class _Reply:
    """One seat against the blueprint in the other."""

    def __init__(self, contexts: Contexts, shares: Spread, place: int) -> None:
        self._contexts, self._shares, self._place = contexts, shares, place
        self._dealt = all_dealt(contexts.duel, np.float64)

    def worth(self) -> float:
        """Return what it wins on average."""
        rows = sum([len(group.earlier) for group in self._contexts.groups])
        step = max(1, AT_ONCE // (rows * len(self._dealt.places[1 - self._place])))
        hands = range(0, len(self._dealt.places[self._place]), step)
        return sum([self._won(self._dealt.some(self._place, slice(at, at + step))) for at in hands])

    def _won(self, dealt: Dealt) -> float:
        """Return what some of its hands win, each by the best replies that were found for it."""
        plan = self._anything(dealt)
        best = np.full(len(dealt.places[self._place]), -1.0)
        for _ in range(TIMES):
            plan, won = self._replies(reach_of(self._contexts, plan, dealt, self._place), dealt)
            best = np.maximum(best, won)
        return float((best * dealt.counts[self._place]).sum())

    def _anything(self, dealt: Dealt) -> Spread:
        found = []
        for group, shares in zip(self._contexts.groups, self._shares, strict=True):
            own = len(dealt.places[self._place]), len(group.earlier), len(group.moves)
            found.append(np.full(own, 1 / len(group.moves)) if group.turn == self._place else shares)
        return found

    def _replies(self, reached: Spread, dealt: Dealt) -> tuple[Spread, Floats]:
        """Return the best moves where these contexts are so likely, and what they win, by its hands."""
        plan, values = list(self._shares), list(self._shares)
        for at in range(len(plan) - 1, -1, -1):
            group = self._contexts.groups[at]
            after = values_after(self._contexts.duel, group, values, dealt)
            if group.turn == self._place:
                best = (reached[at] @ after.transpose(0, 2, 1)).argmax(axis=2)
                plan[at] = np.eye(len(group.moves))[best]
            values[at] = plan[at] @ after
        # Nobody has claimed anything in the first; the opener moves there.
        opened = values[0][:, 0, :] if self._place == 0 else -values[0][:, 0, :].T
        return plan, opened @ dealt.counts[1 - self._place]


def _shares_of(contexts: Contexts, table: BlueprintTable) -> Spread:
    """Return how likely each move is by the table, and by level 1 where it says nothing."""
    found, seen = [], {}
    for group in contexts.groups:
        key = (group.turn, group.standing)
        if key not in seen:
            seen[key] = _by_odds(contexts.duel, group)
        shares = np.repeat(seen[key][:, None, :], len(group.earlier), axis=1)
        for hand, row, moves in _told(table, group):
            weights = [moves.get(move, 0) for move in group.moves]
            shares[hand, row] = np.array(weights) / sum(weights)
        found.append(shares)
    return found


def _told(table: BlueprintTable, group: Group) -> Iterator[tuple[int, int, dict[int, int]]]:
    for row in range(len(group.earlier)):
        claims = group.claims(row)
        for hand in range(len(table.duel.hands(group.turn))):
            moves = table.records.get((group.turn, hand, claims))
            if moves is not None:
                yield hand, row, dict(moves)


def _by_odds(duel: Duel, group: Group) -> Floats:
    """Return how likely each move is to level 1, for each hand."""
    standing = None if group.standing == NONE else duel.claim(group.standing)
    kinds = tuple(["bid"] * bool(group.raises) + ["challenge"] * (group.raises < len(group.moves)))
    own, other = duel.dice[group.turn], duel.dice[1 - group.turn]
    auction = duel.auction(wild=duel.counting.wild != "never")
    play = table_of(CountPosition(auction, standing, (), own, other, kinds), LEVEL_ONE)
    hands = duel.hands(group.turn)
    weights = [play.weights("challenge" if move == CHALLENGE else duel.claim(move), hands) for move in group.moves]
    return np.array(weights, np.float64).T / np.array(play.totals(hands), np.float64)[:, None]
