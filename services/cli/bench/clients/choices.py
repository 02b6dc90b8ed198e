"""Legal moves at random: what a benchmark plays. Any two runs choose the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from domain import commands
from domain.ids import Seat
from domain.table.moves import plain_command
from domain.table.offers import (
    ArrangeMove,
    BidMove,
    CallMove,
    ChooseFirstMove,
    DeclareMove,
    DemandBillsMove,
    Move,
)


class Randomness:
    """Numbers that are the same in every run: a linear congruential generator. Source: Knuth's MMIX."""

    def __init__(self) -> None:
        """Begin at one."""
        self._state = 1

    def below(self, limit: int) -> int:
        """Return a number below the limit."""
        self._state = (self._state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % (1 << 64)
        return (self._state >> 33) % limit


def possible(offered: dict[Seat, tuple[Move, ...]], chance: Randomness) -> list[commands.Play]:
    """Return commands of every move on offer, in an order of chance; the dice may be against some of them."""
    made = [command for seat, moves in offered.items() for move in moves for command in _make_command(seat, move)]
    for last in range(len(made) - 1, 0, -1):
        other = chance.below(last + 1)
        made[last], made[other] = made[other], made[last]
    return made


def _make_command(seat: Seat, move: Move) -> list[commands.Play]:
    if isinstance(move, DemandBillsMove):
        return []
    plain = plain_command(move)
    return _MAKE[type(move)](seat, move) if plain is None else [plain(seat)]


def _handlings(seat: Seat, move: ArrangeMove) -> list[commands.Play]:
    """Return handlings of which any law allows at least one."""
    inside, rest = move.inside, move.inside[1:]
    ways = (
        {"roll_inside": inside},
        {"roll_inside": inside[:1]},
        {"outside": inside[:1], "roll_inside": rest},
        {"outside": inside[:1]},
        {"roll_outside": rest},
        {"roll_inside": (*inside, *move.outside)},
    )
    return [commands.Arrange(seat, **way) for way in ways if set(way) <= set(move.placements)]


_MAKE: Final[dict[type[Move], Callable[[Seat, Any], list[commands.Play]]]] = {
    BidMove: lambda seat, move: [commands.Bid(seat, quantity, face) for quantity, face in move.minimum],
    CallMove: lambda seat, move: [commands.ClaimHand(seat, offer.shape, offer.lowest) for offer in move.shapes],
    DeclareMove: lambda seat, move: [commands.Declare(seat, special) for special in move.specials],
    ArrangeMove: _handlings,
    ChooseFirstMove: lambda seat, move: [commands.ChooseFirst(seat, who) for who in move.seats],
}
"""What each move with a choice may lead to. A demand to see every number decides nothing and is left out."""
