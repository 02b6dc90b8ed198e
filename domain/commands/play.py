"""Commands in play: what a seat asks for, and what the table does."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from domain.commands.base import AnyInterludeCommand, Command, Positions, Whole
from domain.ids import Seat

Special = Literal["social", "reverse", "impose"]
"""What a throw may do instead of counting."""
# ---- what a seat asks for in play ---------------------------------------------------------------


class Bid(Command, frozen=True, tag="bid"):
    """Claim that at least `quantity` tokens in play count for `face`: pips 1 to 6, digits 0 to 9."""

    seat: Seat
    quantity: Whole
    face: Whole


class ClaimHand(Command, frozen=True, tag="call"):
    """Claim a hand: a shape of the game's ladder, and the faces it names, highest group first.

    Faces of poker dice are 9 to 14, the ace being 14.
    """

    seat: Seat
    shape: Annotated[str, Meta(min_length=1, max_length=20, examples=["two_pair"])]
    faces: Annotated[tuple[Whole, ...], Meta(max_length=10)] = ()


class Declare(Command, frozen=True, tag="declare"):
    """Show a throw that does something instead of counting; `to` is the seat that `impose` names."""

    seat: Seat
    special: Special
    to: Whole | None = None


class Challenge(Command, frozen=True, tag="challenge"):
    """Doubt the standing claim, or a pass."""

    seat: Seat


class SpotOn(Command, frozen=True, tag="spot_on"):
    """Say that the standing claim is exactly right."""

    seat: Seat


class Pass(Command, frozen=True, tag="pass"):
    """Claim that all one's own dice differ, leaving the standing claim as it is."""

    seat: Seat


class Arrange(Command, frozen=True, tag="arrange"):
    """Handle dice: every position named ends in one of four placements, the others stay as they are.

    Positions are 0-based in the holder's own numbering: the hidden dice first, those kept before those rolled anew,
    then the dice that everybody sees, in the order in which they came out.
    """

    seat: Seat
    outside: Positions = ()
    inside: Positions = ()
    roll_inside: Positions = ()
    roll_outside: Positions = ()


class Roll(Command, frozen=True, tag="roll"):
    """Roll all dice of the passed cup."""

    seat: Seat


class Accept(Command, frozen=True, tag="accept"):
    """Believe the standing claim and take the cup."""

    seat: Seat


class Catch(Command, frozen=True, tag="catch"):
    """Say that the standing claim does not beat the one before it."""

    seat: Seat


class AskCount(Command, frozen=True, tag="count"):
    """Have one's own claim counted, all others having doubted it."""

    seat: Seat


class DemandBills(Command, frozen=True, tag="demand_bills"):
    """Ask to see every number after one's claim was counted."""

    seat: Seat


class ChooseFirst(Command, frozen=True, tag="choose_first"):
    """Say who opens the first round, having thrown the highest die."""

    seat: Seat
    who: Whole


# ---- what the table asks for in play ------------------------------------------------------------


class DealRound(Command, frozen=True, tag="deal"):
    """Begin the next round: draw who opens it if nobody is due to, and roll every seat's dice."""


class Forfeit(Command, frozen=True, tag="forfeit"):
    """Take a seat out of the match for good; the table says `absent` or `kicked` of one that is."""

    seat: Seat
    reason: Literal["forfeit", "absent", "kicked"] = "forfeit"


class CloseSession(Command, frozen=True, tag="close_session"):
    """End an open session between rounds, or a table that nobody has started."""


_CorePlay = (
    Bid
    | ClaimHand
    | Declare
    | Challenge
    | SpotOn
    | Pass
    | Arrange
    | Roll
    | Accept
    | Catch
    | AskCount
    | DemandBills
    | ChooseFirst
)

Play = _CorePlay | AnyInterludeCommand
"""What a seat may ask for in play."""

CoreCommand = _CorePlay | DealRound | Forfeit | CloseSession
"""What can be asked for in games without interludes too."""

TableCommand = CoreCommand | AnyInterludeCommand
"""What `domain.table.decide` decides."""
