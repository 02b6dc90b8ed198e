"""Level 2 as a whole: the worth of each move, and those that are near the best, drawn evenly.

What has no row of its own is worth what level 1 thinks of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, Final

from domain.rules.rules import Counting
from domain.strategy.level_one import thinking as level_one
from domain.strategy.level_one.counts import Worth
from domain.strategy.level_two import counts, hands
from domain.strategy.level_two.outlook import Outlook
from domain.strategy.weighing import Option, Weighing
from domain.table.moves import legal_moves, moves_of
from domain.table.offers import AcceptMove, ArrangeMove, BidMove, CallMove, ChallengeMove, CountMove, Move

NEAR: Final = Fraction(1, 64)
"""How far below the best a move may be to be played as well."""


def weigh(outlook: Outlook, near: Fraction = NEAR) -> Weighing:
    """Return the moves that level 1 thinks of with their worths to level 2; the weight of those near the best is 1.

    Worths lie in [0, 1], or are stakes where all have to doubt.
    """
    sight = outlook.sight
    offers = moves_of(sight.state, sight.seat)
    found = [worth for move in offers for worth in _worths_of(outlook, move)]
    enough = max([worth for _, worth in found], default=Fraction(0)) - near
    return Weighing(
        tuple([Option(command, worth, 1 if worth >= enough else 0) for command, worth in found]),
        sum([legal_moves(sight.state, move) for move in offers]),
    )


Row = Callable[[Outlook, Any], Iterator[Worth]]


def _worths_of(outlook: Outlook, move: Move) -> Iterator[Worth]:
    row = _row_of(outlook, move)
    return level_one.thought_of(outlook.sight, move, outlook.beliefs.params) if row is None else row(outlook, move)


def _row_of(outlook: Outlook, move: Move) -> Row | None:
    if isinstance(move, ChallengeMove) and move.of == "pass":
        return None
    counting = isinstance(outlook.sight.state.rules.claims, Counting)
    return (OF_COUNTS if counting else OF_HANDS).get(type(move))


OF_COUNTS: Final[dict[type[Move], Row]] = {
    BidMove: counts.bids,
    ChallengeMove: counts.challenge,
    CountMove: counts.count,
    ArrangeMove: counts.arrange,
}
"""By kind of offer, where claims are counts."""
OF_HANDS: Final[dict[type[Move], Row]] = {
    CallMove: hands.call,
    ChallengeMove: hands.challenge,
    AcceptMove: hands.accept,
    ArrangeMove: hands.arrange,
}
"""By kind of offer, where claims name hands."""
