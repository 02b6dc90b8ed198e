"""Rounds that have been solved: played by the weights of a shipped file, where one applies."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from domain import events
from domain.rules.orders import Count
from domain.strategy.duels.solved import SolvedTable, weigh_solved
from domain.strategy.policies.facts import facts_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import Weighing
from services.policies.shelf import Shelf


def weigh_by_file(sight: Sight, happened: Iterable[events.Event]) -> Weighing | None:
    """Return what a solved file makes of a sight; None where none applies, or nobody who plays by it comes here.

    Args:
        sight: What the seat sees.
        happened: The events of the round, in order.

    Cost: the file of a round is read and proved the first time, in milliseconds; then a look at its table.
    """
    state = sight.state
    if state.turn != sight.seat or sight.seat not in sight.dice:
        return None
    table = shelf().default("play", facts_of(state)).content
    if not isinstance(table, SolvedTable):
        return None
    bids = (event for event in happened if isinstance(event, events.Bid))
    return weigh_solved(table, sight, bytes([table.duel.number(Count(bid.quantity, bid.face)) for bid in bids]))


@cache
def shelf() -> Shelf:
    """Return what is shipped."""
    return Shelf()
