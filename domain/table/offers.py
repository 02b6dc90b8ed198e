"""Offers: each kind of move a seat may have, with all a form, a bot or a text mode needs to know."""

from __future__ import annotations

from msgspec import Struct

from domain.ids import Seat
from domain.rules.ladders import Hand


class Move(Struct, frozen=True, tag_field="type"):
    """Something a seat may do now, with all a form, a bot or a text mode needs to know."""


class BidMove(Move, frozen=True, tag="bid"):
    """Bid. Every legal quantity of a face lies between its entry in `lowest` and `quantity_max`.

    Attributes:
        minimum: The smallest steps up as (quantity, face), ascending.
        faces: The faces that may be named, lowest first.
        lowest: For each of them its lowest legal claim, as (quantity, face), in the same order.
        quantity_max: The dice in play.
    """

    minimum: tuple[tuple[int, int], ...]
    faces: tuple[int, ...]
    lowest: tuple[tuple[int, int], ...]
    quantity_max: int


class ShapeOffer(Struct, frozen=True):
    """A shape that may be called: how many faces it names, and the lowest of them that stand high enough."""

    shape: str
    named: int
    lowest: tuple[int, ...]


class CallMove(Move, frozen=True, tag="call"):
    """Call a hand: any of these shapes, from its lowest upwards; `minimum` is the next hand on the ladder."""

    minimum: Hand
    shapes: tuple[ShapeOffer, ...]


class DeclareMove(Move, frozen=True, tag="declare"):
    """Show one of these throws, if one has it; `targets` are the seats that `impose` may name."""

    specials: tuple[str, ...]
    targets: tuple[Seat, ...]


class ChallengeMove(Move, frozen=True, tag="challenge"):
    """Doubt the standing claim; `of` says whether it is the `claim` or a `pass` that is doubted."""

    of: str


class SpotOnMove(Move, frozen=True, tag="spot_on"):
    """Say that the standing claim is exactly right."""


class PassMove(Move, frozen=True, tag="pass"):
    """Claim that all one's own dice differ."""


class ArrangeMove(Move, frozen=True, tag="arrange"):
    """Handle dice.

    Attributes:
        law: Which law of handling holds.
        placements: What may be done with a die.
        whole: Whether a roll takes every hidden die that is not shown.
        inside: The positions of the hidden dice.
        outside: The positions of the dice that everybody sees.
        rolls_left: How many more times dice may be rolled; 0 where they may only be shown or hidden.
    """

    law: str
    placements: tuple[str, ...]
    whole: bool
    inside: tuple[int, ...]
    outside: tuple[int, ...]
    rolls_left: int


class RollMove(Move, frozen=True, tag="roll"):
    """Roll all dice of the cup."""


class AcceptMove(Move, frozen=True, tag="accept"):
    """Believe the standing claim; `looks` says whether that shows the dice, or else has to be followed by a roll."""

    looks: bool


class CatchMove(Move, frozen=True, tag="catch"):
    """Say that the standing claim does not beat the one before it."""


class CountMove(Move, frozen=True, tag="count"):
    """Have one's own claim counted."""


class DemandBillsMove(Move, frozen=True, tag="demand_bills"):
    """Ask to see every number."""


class StopMove(Move, frozen=True, tag="stop"):
    """Give up chasing five aces."""


class LookMove(Move, frozen=True, tag="look"):
    """Look at one's own dice."""


class ShowCockedMove(Move, frozen=True, tag="show_cocked"):
    """Show one's dice if some lie cocked, and throw all of them anew."""


class BuyBackMove(Move, frozen=True, tag="buy_back"):
    """Pay this many chips to stay in."""

    price: int


class DropOutMove(Move, frozen=True, tag="drop_out"):
    """Leave the match."""


class ChooseFirstMove(Move, frozen=True, tag="choose_first"):
    """Say which of these seats opens."""

    seats: tuple[Seat, ...]
