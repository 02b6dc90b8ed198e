"""How a house bot decides. It is given what its seat sees, and chance; the same of both leads to the same command.

Whatever may be done gets a worth: the chance that it turns out well, and for a claim a share of the chance that nobody
doubts it. The bot does the best of it, or one of the things nearly as good: how much it lets go, and how often it acts
as if it held a die it does not have, is its manner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import Struct

from domain import commands
from domain.offers import ArrangeMove, BidMove, ChallengeMove, Move, PassMove, SpotOnMove
from projections.view import SeatView, View
from services.bots.odds import all_differ, chance_for_all, chance_of, chance_of_exactly, count_known

CHANCE_BYTES: Final = 4
"""What `choose` takes: two for the choice, one for whether to bluff, one for the face."""
STEPS_MAX: Final = 3
"""How far above the lowest legal quantity of a face a bot looks."""
PREFIX: Final = "bot/"


class Manner(Struct, frozen=True):
    """A way to play.

    Attributes:
        nerve: How often it expects others to believe a plausible claim that is false.
        reach: How much worth it gives up to be hard to read.
        bluff: How often it counts a die it does not have.
    """

    nerve: float
    reach: float
    bluff: float


MANNERS: Final = {
    "cautious": Manner(nerve=0.15, reach=0.05, bluff=0.04),
    "steady": Manner(nerve=0.35, reach=0.1, bluff=0.12),
    "bold": Manner(nerve=0.6, reach=0.15, bluff=0.3),
}


class Option(Struct, frozen=True):
    """Something the bot may do, and the worth of it, 0 to 1."""

    command: commands.Play
    worth: float


class _Look(Struct, frozen=True):
    """What a bot goes by: `bluffed` is the face of a die it acts as if it had."""

    view: View
    seat: int
    manner: Manner
    bluffed: int | None


def manner_of(player: str) -> Manner:
    """Return the manner in a bot's player id, `bot/<manner>/<number>`; an unknown one is played steadily."""
    return MANNERS.get(player.removeprefix(PREFIX).partition("/")[0], MANNERS["steady"])


def choose(view: View, manner: Manner, chance: bytes) -> commands.Play | None:
    """Return what to do, or None if the viewer may do nothing.

    Args:
        view: What the bot's seat sees.
        manner: How it plays.
        chance: `CHANCE_BYTES` bytes that nobody can predict.
    """
    assert view.viewer is not None, "spectators do not play"
    bluffed = chance[3] % 6 + 1 if chance[2] < manner.bluff * 256 else None
    look = _Look(view, view.viewer, manner, bluffed)
    options = [option for move in view.moves for option in _OPTIONS[type(move)](look, move)]
    if not options:
        return None
    best = max(option.worth for option in options)
    near = [option for option in options if option.worth >= best - manner.reach]
    return near[int.from_bytes(chance[:2]) % len(near)].command


def _bids(look: _Look, move: BidMove) -> Iterator[Option]:
    for lowest, face in move.lowest:
        extra = 1 if face == look.bluffed else 0
        for quantity in range(lowest, min(lowest + STEPS_MAX, move.quantity_max + 1)):
            holds = chance_of(look.view, quantity - extra, face)
            worth = _believed(holds, chance_for_all(look.view, quantity, face), look.manner)
            yield Option(commands.Bid(look.seat, quantity, face), worth - _tameness(look.view, quantity, face))


def _challenge(look: _Look, move: ChallengeMove) -> Iterator[Option]:
    yield Option(commands.Challenge(look.seat), _doubtful(look.view, move.of))


def _spot_on(look: _Look, _move: SpotOnMove) -> Iterator[Option]:
    standing = look.view.standing
    assert standing is not None
    assert standing.quantity is not None
    assert standing.face is not None
    yield Option(commands.SpotOn(look.seat), chance_of_exactly(look.view, standing.quantity, standing.face))


def _pass(look: _Look, _move: PassMove) -> Iterator[Option]:
    own = _own(look)
    honest = 1.0 if _differ(own) else 0.0
    yield Option(commands.Pass(look.seat), _believed(honest, all_differ(len(own.dice)), look.manner))


def _believed(holds: float, plausible: float, manner: Manner) -> float:
    """Return the worth of a claim that holds with this chance, looks this plausible to those who see no dice."""
    return holds + (1 - holds) * plausible * manner.nerve


def _tameness(view: View, quantity: int, face: int) -> float:
    """Return what a claim is worth less because it says too little: the turn comes round again."""
    least = count_known(view, face)
    return 0.0 if quantity >= least else 0.08 * (least - quantity) / max(1, least)


def _doubtful(view: View, doubted: str) -> float:
    """Return the chance that the standing claim, or the pass behind it, is false."""
    if doubted == "pass":
        passer = next(seat for seat in view.seats if seat.seat == view.pass_by)
        return 1 - all_differ(len(passer.dice))
    assert view.standing is not None
    assert view.standing.quantity is not None
    assert view.standing.face is not None
    return 1 - chance_of(view, view.standing.quantity, view.standing.face)


def _push(look: _Look, move: ArrangeMove) -> Iterator[Option]:
    """Offer to show the dice of the best hidden face and to roll all other hidden ones."""
    dice = _own(look).dice
    faces = Counter(dice[position].face for position in move.inside)
    face, count = max(faces.items(), key=lambda item: (item[1], item[0] or 0))
    if 1 < count < len(move.inside):
        shown = tuple(position for position in move.inside if dice[position].face == face)
        rolled = tuple(position for position in move.inside if position not in shown)
        yield Option(commands.Arrange(look.seat, outside=shown, roll_inside=rolled), 0.5 + 0.05 * count)


def _own(look: _Look) -> SeatView:
    return next(own for own in look.view.seats if own.seat == look.seat)


def _differ(own: SeatView) -> bool:
    return len({die.face for die in own.dice}) == len(own.dice)


_OPTIONS: Final[dict[type[Move], Callable[[_Look, Any], Iterator[Option]]]] = {
    BidMove: _bids,
    ChallengeMove: _challenge,
    SpotOnMove: _spot_on,
    PassMove: _pass,
    ArrangeMove: _push,
}
