"""Level 1 as a whole: every kind of move has a row that says which moves of it are thought of, and what they are worth.

The house plays by it, and reads by it what others do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from domain import commands
from domain.rules.rules import Counting
from domain.strategy.level_one import answers, arranging, counts, hands, others
from domain.strategy.level_one.counts import Worth
from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import WORD_BITS, Lot, Option, Weighing, weight_of
from domain.table.moves import legal_moves, moves_of
from domain.table.offers import (
    AcceptMove,
    ArrangeMove,
    BidMove,
    BuyBackMove,
    CallMove,
    ChallengeMove,
    ChooseFirstMove,
    CountMove,
    DeclareMove,
    DropOutMove,
    LookMove,
    Move,
    PassMove,
    RollMove,
    ShowCockedMove,
    SpotOnMove,
    StopMove,
)


def weigh(sight: Sight, params: LevelParams) -> Weighing:
    """Return the moves that level 1 thinks of in this sight, in the order of the house's offers, with their weights."""
    offers = moves_of(sight.state, sight.seat)
    found = [worth for move in offers for worth in thought_of(sight, move, params)]
    return Weighing(
        tuple([Option(command, worth, weight_of(worth, params)) for command, worth in found]),
        sum([legal_moves(sight.state, move) for move in offers]),
        fraction_of(params.odd),
    )


def drawn(sight: Sight, params: LevelParams, word: int) -> commands.Play | None:
    """Return the move that a word of 64 bits draws, as `weigh(...).draw(word)` does; None where nothing is thought of.

    Cost: of claims and ways to handle dice only the one that is drawn becomes a command.
    """
    lots: list[tuple[int, Lot]] = []
    for move in moves_of(sight.state, sight.seat):
        together = TOGETHER.get(type(move))
        if together is not None:
            lots += together(sight, move, params)
        else:
            lots += [(weight_of(worth, params), _always(each)) for each, worth in thought_of(sight, move, params)]
    mark = word * sum([weight for weight, _ in lots]) >> WORD_BITS
    for weight, lot in lots:
        if mark < weight:
            return lot(mark)
        mark -= weight
    return None


def _always(command: commands.Play) -> Lot:
    return lambda _: command


def thought_of(sight: Sight, move: Move, params: LevelParams) -> Iterator[Worth]:
    """Yield the moves of an offer that level 1 thinks of, with their worths."""
    row = ROWS.get(type(move))
    return iter(()) if row is None else row(sight, move, params)


Row = Callable[[Sight, Any, LevelParams], Iterator[Worth]]
"""What yields the moves thought of among those of an offer, with their worths."""


def _by_claims(of_counts: Row, of_hands: Row) -> Row:
    """Return the row that is the one where claims are counts and the other where they name hands."""

    def row(sight: Sight, move: Move, params: LevelParams) -> Iterator[Worth]:
        counting = isinstance(sight.state.rules.claims, Counting)
        return (of_counts if counting else of_hands)(sight, move, params)

    return row


ROWS: Final[dict[type[Move], Row]] = {
    BidMove: counts.bids,
    ChallengeMove: _by_claims(counts.challenge, answers.challenge),
    SpotOnMove: counts.spot_on,
    PassMove: _by_claims(counts.pass_on, answers.pass_on),
    CountMove: _by_claims(counts.count, answers.count),
    CallMove: hands.call,
    AcceptMove: answers.accept,
    ArrangeMove: arranging.arrange,
    DeclareMove: others.declare,
    RollMove: others.surely,
    LookMove: others.look,
    ShowCockedMove: others.show_cocked,
    ChooseFirstMove: others.choose_first,
    BuyBackMove: others.evenly,
    StopMove: others.hardly,
    DropOutMove: others.hardly,
}
"""By kind of offer; a kind without a row is not thought of."""

TOGETHER: Final[dict[type[Move], Callable[[Sight, Any, LevelParams], Iterator[tuple[int, Lot]]]]] = {
    BidMove: counts.lots,
    CallMove: hands.lots,
    ArrangeMove: arranging.lots,
}
"""Offers whose moves are drawn from together, which are many: their weight, and what makes the one that is drawn."""
