"""Tournament tables as events: who is there, which round is the last, an end that an official made, shared dice."""

from __future__ import annotations

from domain.events.base import BaseEvent
from domain.ids import DealNumber, Seat


class SeatReady(BaseEvent, frozen=True, tag="game.seat_ready"):
    """A seat says that its player is there; once all seats have, the match starts."""

    seat: Seat


class LastRoundSet(BaseEvent, frozen=True, tag="game.last_round"):
    """The director has no more time: the match ends with the round that is under way, or was the last to be."""


class Stopped(BaseEvent, frozen=True, tag="game.stopped"):
    """An official ruled on the table while it was played, in this line of the tournament; nobody wins here any more."""

    line: int


class DealShared(BaseEvent, frozen=True, tag="deal.shared"):
    """The dice are those of a board, which other tables have as well: its deal, once that is ready.

    Attributes:
        deal: The number of the deal in the stream of the board.
        board: The board.
        root: What its dice were fixed by.
        mix: What the seeds of its drawers came to.
        head: The hash of the line of the board that says so.
    """

    deal: DealNumber
    board: str
    root: str
    mix: str
    head: str


class Released(BaseEvent, frozen=True, tag="game.released"):
    """The round is over at all tables of the board, in this line of its stream: only now is it judged here.

    Attributes:
        board: The board.
        seq: The place of the line, from 0.
        head: Its hash.
    """

    board: str
    seq: int
    head: str
