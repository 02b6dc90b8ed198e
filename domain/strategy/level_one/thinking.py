"""Level 1 as a whole: every kind of move has a row that says which moves of it are thought of, and what they are worth.

The house plays by it, and reads by it what others do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from domain.rules.rules import Counting
from domain.strategy.level_one import counts
from domain.strategy.level_one.counts import Worth
from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import Option, Weighing, weight_of
from domain.table.moves import moves_of
from domain.table.offers import BidMove, ChallengeMove, CountMove, Move, PassMove, SpotOnMove


def weigh(sight: Sight, params: LevelParams) -> Weighing:
    """Return the moves that level 1 thinks of in this sight, in the order of the house's offers, with their weights."""
    offers = moves_of(sight.state, sight.seat)
    found = [worth for move in offers for worth in _worths_of(sight, move, params)]
    return Weighing(
        tuple([Option(command, worth, weight_of(worth, params)) for command, worth in found]),
        sum([legal_moves(move) for move in offers]),
        fraction_of(params.odd),
    )


def _worths_of(sight: Sight, move: Move, params: LevelParams) -> Iterator[Worth]:
    row = ROWS.get(type(move))
    return iter(()) if row is None else row(sight, move, params)


def legal_moves(move: Move) -> int:
    """Count the legal moves of an offer: its claims, or one where it is of another kind."""
    if isinstance(move, BidMove):
        return sum([move.quantity_max - quantity + 1 for quantity, _ in move.lowest])
    return 1


def _challenge(sight: Sight, move: ChallengeMove, params: LevelParams) -> Iterator[Worth]:
    assert isinstance(sight.state.rules.claims, Counting)
    return counts.challenge(sight, move, params)


ROWS: Final[dict[type[Move], Callable[[Sight, Any, LevelParams], Iterator[Worth]]]] = {
    BidMove: counts.bids,
    ChallengeMove: _challenge,
    SpotOnMove: counts.spot_on,
    PassMove: counts.pass_on,
    CountMove: counts.count,
}
"""By kind of offer; a kind without a row is not thought of."""
