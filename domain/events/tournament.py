"""Tournament tables as events: who is there, which round is the last, and an end that an official made."""

from __future__ import annotations

from domain.events.base import BaseEvent
from domain.ids import Seat


class SeatReady(BaseEvent, frozen=True, tag="game.seat_ready"):
    """A seat says that its player is there; once all seats have, the match starts."""

    seat: Seat


class LastRoundSet(BaseEvent, frozen=True, tag="game.last_round"):
    """The director has no more time: the match ends with the round that is under way, or was the last to be."""


class Stopped(BaseEvent, frozen=True, tag="game.stopped"):
    """An official ruled on the table while it was played, in this line of the tournament; nobody wins here any more."""

    line: int
