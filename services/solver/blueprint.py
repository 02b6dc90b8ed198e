"""A blueprint: what both seats did on average, rounded to small weights, where play comes often enough."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np

from domain.strategy.duels.blueprint import WEIGHT_MAX, Context, Place, blueprint_name, write_blueprint
from domain.strategy.duels.solved import Moves
from domain.strategy.policies.facts import facts_of_duel
from domain.strategy.policies.files import write_policy
from services.solver.contexts import PLACES, Contexts
from services.solver.regrets import Regrets
from services.solver.walking import Floats, Plan, all_dealt, reach_of

SELDOM: Final = 1e-4
"""Claims that a seat comes to less often, whatever it holds, are left out."""
HANDS_AT_ONCE: Final = 16
"""Hands of whoever moves that are gone through together."""


def blueprint_of(regrets: Regrets, once_in: int | None = None) -> bytes:
    """Return the policy of what was done on average.

    Args:
        regrets: What was learnt.
        once_in: Leave out besides what a seat comes to with its hand less than once in so many rounds.
    """
    contexts, plan = regrets.contexts, regrets.average()
    records = dict(_records(contexts, plan, 1 / once_in if once_in else 0.0))
    left_out = {"once_in": once_in} if once_in else {}
    params = {**left_out, "passes": regrets.passes, "seed": regrets.seed.hex()}
    duel = contexts.duel
    table = write_blueprint(records)
    return write_policy("blueprint", blueprint_name(duel.name), params, applies=facts_of_duel(duel), table=table)


def _records(contexts: Contexts, plan: Plan, least: float) -> Iterator[tuple[Context, Moves]]:
    for place in PLACES:
        often = _often(contexts, plan, place)
        for group, shares, reached in zip(contexts.groups, plan, often, strict=True):
            if group.turn == place:
                for row in np.flatnonzero(reached.sum(axis=0) >= SELDOM):
                    claims = group.claims(int(row))
                    for hand in np.flatnonzero((reached[:, row] > 0) & (reached[:, row] >= least)):
                        yield (place, int(hand), claims), _moves(group.moves, shares[hand, row])


def _often(contexts: Contexts, plan: Plan, place: Place) -> list[Floats]:
    """Return how often a seat comes to each context with each hand, the other one doing anything now and then."""
    dealt, parts = all_dealt(contexts.duel, np.float32), []
    for at in range(0, len(dealt.places[place]), HANDS_AT_ONCE):
        part = slice(at, at + HANDS_AT_ONCE)
        some = [each[part] if group.turn == place else each for group, each in zip(contexts.groups, plan, strict=True)]
        parts.append([each.sum(axis=2) for each in reach_of(contexts, some, dealt.some(place, part), 1 - place)])
    # Of the groups in which the other one moves nothing is asked.
    joined = zip(contexts.groups, zip(*parts, strict=True), strict=True)
    return [np.concatenate(each) if group.turn == place else each[0] for group, each in joined]


def _moves(moves: bytes, shares: Floats) -> Moves:
    weights = np.rint(shares / shares.max() * WEIGHT_MAX).astype(int)
    return tuple([(move, int(weight)) for move, weight in zip(moves, weights, strict=True) if weight])
