"""Rounds of which a file says how they are played: a shipped one that is solved, names a tablebase, or a blueprint."""

from __future__ import annotations

from collections.abc import Iterable

from domain import events
from domain.rules.orders import Count
from domain.strategy.duels.blind_cup import BlindCup, weigh_cup
from domain.strategy.duels.blueprint import BlueprintTable, weigh_blueprint
from domain.strategy.duels.duel import Duel
from domain.strategy.duels.solved import SolvedTable, weigh_solved
from domain.strategy.policies.facts import facts_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import Weighing
from services.policies.shelf import shelf


def weigh_by_file(sight: Sight, happened: Iterable[events.Event]) -> Weighing | None:
    """Return what a solved file makes of a sight; None where none applies, or nobody who plays by it comes here.

    Args:
        sight: What the seat sees.
        happened: The events of the round, in order.

    Cost: the file of a round is read and proved the first time, in milliseconds, and a tablebase worked out in some
    tenths of a second; then a look at its table.
    """
    state = sight.state
    if state.turn != sight.seat:
        return None
    table = shelf().default("play", facts_of(state)).content
    return None if isinstance(table, BlueprintTable) else weigh_by_content(table, sight, happened)


def weigh_by_blueprint(sight: Sight, happened: Iterable[events.Event]) -> Weighing | None:
    """Return what a blueprint makes of a sight; None where none applies, or it says nothing of the last three claims.

    Args:
        sight: What the seat sees.
        happened: The events of the round, in order.

    Cost: the file of a round is read the first time, in some hundredths of a second; then a look at its table.
    """
    state = sight.state
    if state.turn != sight.seat or sight.seat not in sight.dice:
        return None
    return weigh_by_content(shelf().blueprint(facts_of(state)), sight, happened)


def weigh_by_content(content: object, sight: Sight, happened: Iterable[events.Event]) -> Weighing | None:
    """Return what the content of a file makes of the sight of a seat in turn; None where it plays no round, or not so.

    Args:
        content: That of a file of any kind, or nothing.
        sight: What the seat sees.
        happened: The events of the round, in order.
    """
    match content:
        case BlindCup():
            return weigh_cup(content, sight, content.rungs_of(happened))
        case SolvedTable() if sight.seat in sight.dice:
            return weigh_solved(content, sight, _claims(content.duel, happened))
        case BlueprintTable() if sight.seat in sight.dice:
            return weigh_blueprint(content, sight, _claims(content.duel, happened))
        case _:
            return None


def _claims(duel: Duel, happened: Iterable[events.Event]) -> bytes:
    bids = (event for event in happened if isinstance(event, events.Bid))
    return bytes([duel.number(Count(bid.quantity, bid.face)) for bid in bids])
