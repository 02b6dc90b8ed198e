"""Walks over the contexts of a duel with some hands of both seats: how likely each is, and what its moves are worth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from domain.strategy.duels.duel import Duel
from services.solver.contexts import Contexts, Group

Floats = NDArray[np.floating[Any]]
Plan = Sequence[Floats]
"""By group, how likely each move is: hands of whoever moves, contexts, moves."""
Spread = list[Floats]
"""By group: hands of whoever moves, contexts, hands of the other one."""

ANYTHING: Final = 0.05
"""How often a seat that wanders does anything at all."""


class Dealt(Struct, frozen=True):
    """The hands that are gone through: for both seats which, and how much each counts."""

    places: tuple[NDArray[np.intp], NDArray[np.intp]]
    counts: tuple[Floats, Floats]

    def some(self, seat: int, part: slice) -> Dealt:
        """Return the same with some hands of a seat alone."""
        places, counts = list(self.places), list(self.counts)
        places[seat], counts[seat] = places[seat][part], counts[seat][part]
        return Dealt((places[0], places[1]), (counts[0], counts[1]))


def all_dealt(duel: Duel, kind: type[np.floating[Any]]) -> Dealt:
    """Return every hand of both, each counting as often as it is thrown."""
    hands = duel.hands(0), duel.hands(1)
    ways = [np.array(each.ways, kind) / sum(each.ways) for each in hands]
    return Dealt((np.arange(len(hands[0])), np.arange(len(hands[1]))), (ways[0], ways[1]))


def reach_of(contexts: Contexts, plan: Plan, dealt: Dealt, wanders: int) -> Spread:
    """Return how likely each context is.

    Args:
        contexts: Where.
        plan: How both play the hands that were dealt.
        dealt: These hands.
        wanders: Who does anything at all now and then.
    """
    groups, counts = contexts.groups, dealt.counts
    hands, kind = [len(each) for each in counts], counts[0].dtype
    found: Spread = [np.zeros((hands[one.turn], len(one.earlier), hands[1 - one.turn]), kind) for one in groups]
    found[0][:, 0, :] = np.outer(*counts)
    for group, shares, here in zip(groups, plan, found, strict=True):
        played = shares
        if group.turn == wanders:
            played = (shares * (1 - ANYTHING) + ANYTHING / len(group.moves)).astype(kind)
        led = played[:, :, : group.raises].transpose(0, 2, 1) @ here
        for move, onward in enumerate(group.onward):
            found[onward.group][:, onward.row, :] = led[:, move, :].T
    return found


def values_after(duel: Duel, group: Group, values: Spread, dealt: Dealt) -> Floats:
    """Return what each move is worth to whoever moves, +1 won and -1 lost: its hands, moves, hands of the other one.

    Args:
        duel: The round.
        group: Where.
        values: What later contexts are worth to whoever moves there.
        dealt: The hands that were dealt.
    """
    hands, others = len(dealt.places[group.turn]), len(dealt.places[1 - group.turn])
    found = np.empty((hands, len(group.moves), others), dealt.counts[0].dtype)
    for move, onward in enumerate(group.onward):
        found[:, move, :] = -values[onward.group][:, onward.row, :].T
    if group.raises < len(group.moves):
        holds = np.array(duel.verdicts(bytes([group.standing])), found.dtype)[np.ix_(*dealt.places)]
        found[:, -1, :] = -(holds if group.turn == 0 else holds.T)
    return found
