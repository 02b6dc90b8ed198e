"""Decisions of a house bot. It is given what its seat sees, and chance; the same of both leads to the same command.

Whatever may be done gets a worth: the chance that it turns out well, and for a claim a share of the chance that nobody
doubts it. The bot does the best of it, or one of the things nearly as good: how much it lets go, and how often it acts
as if it held a die it does not have, is its manner. No game is known by name: what is on offer says what can be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from domain import commands
from domain.rules.rules import Counting
from domain.table.interludes import buying, cocked
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
    DemandBillsMove,
    DropOutMove,
    LookMove,
    Move,
    PassMove,
    RollMove,
    ShowCockedMove,
    SpotOnMove,
    StopMove,
)
from projections.view import View
from services.bots import counting, hands, throwing
from services.bots.manner import Manner
from services.bots.sight import Option, Sight, sight_of

CHANCE_BYTES: Final = 4
"""What `choose` takes: two for the choice, one for whether to bluff, one for the face."""
FIRST: Final = 2.0
"""The worth of what comes before all else."""


def choose(view: View, manner: Manner, chance: bytes) -> commands.Play | None:
    """Return what to do, or None if the viewer has to do nothing.

    Args:
        view: What the bot's seat sees.
        manner: How it plays.
        chance: `CHANCE_BYTES` bytes that nobody can predict.
    """
    first, faces = view.faces
    bluffed = first + chance[3] % faces if chance[2] < manner.bluff * 256 else None
    sight = sight_of(view, manner, bluffed)
    options = [option for move in view.moves for option in _OPTIONS[type(move)](sight, move)]
    if not options:
        return None
    best = max(option.worth for option in options)
    near = [option for option in options if option.worth >= best - manner.reach * abs(best)]
    return near[int.from_bytes(chance[:2]) % len(near)].command


def _challenge(sight: Sight, move: ChallengeMove) -> Iterator[Option]:
    counts = isinstance(sight.rules.claims, Counting)
    return counting.challenge(sight, move) if counts else hands.challenge(sight, move)


def _arrange(sight: Sight, move: ArrangeMove) -> Iterator[Option]:
    counts = isinstance(sight.rules.claims, Counting)
    return counting.arrange(sight, move) if counts else throwing.arrange(sight, move)


def _look(sight: Sight, _move: LookMove) -> Iterator[Option]:
    if any(die.face is None for die in sight.own.dice):
        yield Option(cocked.Look(sight.seat), FIRST)


def _show_cocked(sight: Sight, _move: ShowCockedMove) -> Iterator[Option]:
    if any(die.cocked for die in sight.own.dice):
        yield Option(cocked.ShowCocked(sight.seat), FIRST)


def _buy_back(sight: Sight, move: BuyBackMove) -> Iterator[Option]:
    """Yield staying in: it is worth its price where that is less than a fair share of the pot."""
    share = (sight.view.pot + move.price) / sight.in_play
    yield Option(buying.BuyBack(sight.seat), sight.manner.nerve + share / (share + move.price))


def _choose_first(sight: Sight, move: ChooseFirstMove) -> Iterator[Option]:
    yield from (Option(commands.ChooseFirst(sight.seat, who), 0.5) for who in move.seats)


def _nothing(_sight: Sight, _move: Move) -> Iterator[Option]:
    """Offer nothing: bills need not be asked for, and a view does not tell what was claimed before."""
    return iter(())


_OPTIONS: Final[dict[type[Move], Callable[[Sight, Any], Iterator[Option]]]] = {
    BidMove: counting.bids,
    CallMove: hands.calls,
    DeclareMove: hands.declare,
    ChallengeMove: _challenge,
    SpotOnMove: counting.spot_on,
    PassMove: counting.pass_on,
    ArrangeMove: _arrange,
    RollMove: lambda sight, _: iter((Option(commands.Roll(sight.seat), 1.0),)),
    AcceptMove: hands.accept,
    CatchMove: _nothing,
    CountMove: counting.count,
    DemandBillsMove: _nothing,
    StopMove: throwing.stop,
    LookMove: _look,
    ShowCockedMove: _show_cocked,
    BuyBackMove: _buy_back,
    DropOutMove: lambda sight, _: iter((Option(buying.DropOut(sight.seat), 0.5),)),
    ChooseFirstMove: _choose_first,
}
