"""Legal moves at random: what a benchmark plays. Any two runs choose the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from domain import commands
from domain.ids import Seat
from domain.table.interludes import buying, chase, cocked
from domain.table.offers import (
    AcceptMove,
    ArrangeMove,
    BidMove,
    BuyBackMove,
    CallMove,
    CatchMove,
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


class Chance:
    """Numbers that are the same in every run: a linear congruential generator. Source: Knuth's MMIX."""

    def __init__(self) -> None:
        """Begin at one."""
        self._state = 1

    def below(self, limit: int) -> int:
        """Return a number below the limit."""
        self._state = (self._state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) % (1 << 64)
        return (self._state >> 33) % limit


def possible(offered: dict[Seat, tuple[Move, ...]], chance: Chance) -> list[commands.Play]:
    """Return commands of every move on offer, in an order of chance; the dice may be against some of them."""
    made = [command for seat, moves in offered.items() for move in moves for command in _made(seat, move)]
    for last in range(len(made) - 1, 0, -1):
        other = chance.below(last + 1)
        made[last], made[other] = made[other], made[last]
    return made


def _made(seat: Seat, move: Move) -> list[commands.Play]:
    make = _MAKE.get(type(move))
    return [] if make is None else make(seat, move)


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


def _alone(kind: Callable[[Seat], commands.Play]) -> Callable[[Seat, Any], list[commands.Play]]:
    return lambda seat, _move: [kind(seat)]


_MAKE: Final[dict[type[Move], Callable[[Seat, Any], list[commands.Play]]]] = {
    BidMove: lambda seat, move: [commands.Bid(seat, quantity, face) for quantity, face in move.minimum],
    CallMove: lambda seat, move: [commands.ClaimHand(seat, offer.shape, offer.lowest) for offer in move.shapes],
    DeclareMove: lambda seat, move: [commands.Declare(seat, special) for special in move.specials],
    ArrangeMove: _handlings,
    ChooseFirstMove: lambda seat, move: [commands.ChooseFirst(seat, who) for who in move.seats],
    **{
        offer: _alone(kind)
        for offer, kind in (
            (AcceptMove, commands.Accept),
            (BuyBackMove, buying.BuyBack),
            (CatchMove, commands.Catch),
            (ChallengeMove, commands.Challenge),
            (CountMove, commands.AskCount),
            (DropOutMove, buying.DropOut),
            (LookMove, cocked.Look),
            (PassMove, commands.Pass),
            (RollMove, commands.Roll),
            (ShowCockedMove, cocked.ShowCocked),
            (SpotOnMove, commands.SpotOn),
            (StopMove, chase.Stop),
        )
    },
}
"""What each move may lead to; a demand to see every number decides nothing and is left out."""
