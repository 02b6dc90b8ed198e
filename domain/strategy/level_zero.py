"""Level 0: a kind of move, evenly; then one of its legal moves, evenly. Nobody plays worse by any rule of thumb.

Source: the laws of analysis, section on bots.
"""

from __future__ import annotations

from collections.abc import Sequence

from domain import commands
from domain.strategy.level_one.thinking import thought_of
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.sight import Sight
from domain.strategy.weighing import WORD_BITS
from domain.table.moves import moves_of, plain_command
from domain.table.offers import BidMove, CallMove, Move, ShowCockedMove


def move_at_random(sight: Sight, words: Sequence[int]) -> commands.Play | None:
    """Return a move drawn by two words of 64 bits, the first for its kind; None where there is nothing to do."""
    kinds = [found for move in moves_of(sight.state, sight.seat) if (found := legal_commands(sight, move))]
    if not kinds:
        return None
    kind = kinds[words[0] * len(kinds) >> WORD_BITS]
    return kind[words[1] * len(kind) >> WORD_BITS]


def legal_commands(sight: Sight, move: Move) -> list[commands.Play]:
    """Return every command that an offer stands for, claims from the lowest up.

    Of handlings and of throws that are shown, those are returned that the seat's own dice allow and that differ in what
    comes of them.
    """
    seat = sight.seat
    if isinstance(move, BidMove | ShowCockedMove) and sight.cocked is isinstance(move, BidMove):
        # Over dice that it knows to lie cocked a seat claims nothing, and where none do it has none to show.
        return []
    if isinstance(move, BidMove):
        lowest = {face: quantity for quantity, face in move.lowest}
        quantities = range(min(lowest.values()), move.quantity_max + 1)
        return [commands.Bid(seat, each, face) for each in quantities for face in move.faces if each >= lowest[face]]
    if isinstance(move, CallMove):
        hands = sight.state.ladder.hands
        return [commands.ClaimHand(seat, hand.shape, hand.faces) for hand in hands[hands.index(move.minimum) :]]
    plain = plain_command(move)
    return [plain(seat)] if plain is not None else [command for command, _ in thought_of(sight, move, LEVEL_ONE)]
