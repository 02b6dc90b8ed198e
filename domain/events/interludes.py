"""What happens in some games only: counts, specials, chases, slips, buying back, cocked dice."""

from __future__ import annotations

from typing import Literal

from domain.events.base import Event
from domain.ids import Face, Quantity, Seat


class Declared(Event, frozen=True, tag="game.declared"):
    """A seat proved a throw that does something instead of counting."""

    seat: Seat
    special: Literal["social", "reverse", "impose"]
    to: Seat | None


class DirectionTurned(Event, frozen=True, tag="game.direction_turned"):
    """Play goes the other way round."""


class Caught(Event, frozen=True, tag="game.caught"):
    """A seat said that the standing claim does not beat the one before."""

    seat: Seat


class DoubtedByAll(Event, frozen=True, tag="game.surrounded"):
    """All others have doubted the claimant in a row, who may raise or have it counted."""

    seat: Seat


class CountAsked(Event, frozen=True, tag="game.count_asked"):
    """The claimant has the claim counted."""

    seat: Seat


class Counted(Event, frozen=True, tag="game.counted"):
    """How many tokens of a seat count for the claim; the house vouches until the deal is closed."""

    seat: Seat
    count: int


class BillsDemanded(Event, frozen=True, tag="game.bills_demanded"):
    """The claimant asked to see every number."""

    seat: Seat


class ChaseBegun(Event, frozen=True, tag="game.chase_begun"):
    """A seat has five aces; the other one may throw on."""

    seat: Seat


class ChaseStopped(Event, frozen=True, tag="game.chase_stopped"):
    """A seat gave the chase up."""

    seat: Seat


class Looked(Event, frozen=True, tag="game.looked"):
    """A seat looked at its dice."""

    seat: Seat


class CockedCalled(Event, frozen=True, tag="game.cocked_called"):
    """A seat called once more with a die lying cocked: the call does not stand, and the hand is lost."""

    seat: Seat
    quantity: Quantity
    face: Face


class CockedShown(Event, frozen=True, tag="game.cocked_shown"):
    """A seat showed cocked dice and throws all of them anew."""

    seat: Seat


class BuyingOpened(Event, frozen=True, tag="game.buying_opened"):
    """A seat has to say whether it buys itself back."""

    seat: Seat


class BoughtBack(Event, frozen=True, tag="game.bought_back"):
    """A seat paid to stay in."""

    seat: Seat


class DroppedOut(Event, frozen=True, tag="game.dropped_out"):
    """A seat did not."""

    seat: Seat


class SlipsDealt(Event, frozen=True, tag="game.slips_dealt"):
    """Every seat has a new slip. A number of it is rolled when its position comes up; before that nobody has it."""


class SlipAdvanced(Event, frozen=True, tag="game.slip_advanced"):
    """These seats had an odd last digit; the position to play next follows, null when the slip is finished."""

    odd: tuple[Seat, ...]
    position: int | None


class StakeSet(Event, frozen=True, tag="game.stake_set"):
    """The stakes of the next round, in units: the basic one, which the next is worked out from, and what is paid."""

    basic: int
    effective: int
