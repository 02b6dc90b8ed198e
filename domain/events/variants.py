"""Events of some games only: counts, specials, chases, slips, buying back, cocked dice."""

from __future__ import annotations

from typing import Literal

from domain.events.base import BaseEvent
from domain.ids import Seat


class Declared(BaseEvent, frozen=True, tag="game.declared"):
    """A seat proved a throw that does something instead of counting."""

    seat: Seat
    special: Literal["social", "reverse", "impose"]
    to: Seat | None


class DirectionTurned(BaseEvent, frozen=True, tag="game.direction_turned"):
    """Play goes the other way round."""


class Caught(BaseEvent, frozen=True, tag="game.caught"):
    """A seat said that the standing claim does not beat the one before."""

    seat: Seat


class DoubtedByAll(BaseEvent, frozen=True, tag="game.surrounded"):
    """All others have doubted the claimant in a row, who may raise or have it counted."""

    seat: Seat


class CountAsked(BaseEvent, frozen=True, tag="game.count_asked"):
    """The claimant has the claim counted."""

    seat: Seat


class Counted(BaseEvent, frozen=True, tag="game.counted"):
    """How many tokens of a seat count for the claim; the house vouches until the deal is closed."""

    seat: Seat
    count: int


class BillsDemanded(BaseEvent, frozen=True, tag="game.bills_demanded"):
    """The claimant asked to see every number."""

    seat: Seat


class StakeSet(BaseEvent, frozen=True, tag="game.stake_set"):
    """The stakes of the next round.

    Attributes:
        basic: The basic one, in units, which the next is worked out from.
        effective: What is paid, in units.
    """

    basic: int
    effective: int
