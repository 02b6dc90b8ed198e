"""Commands at a table of a tournament: what its seats say before it starts, and what its director does."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from domain.commands.base import Command, Hash, Whole
from domain.ids import DealNumber, Seat


class SayReady(Command, frozen=True, tag="ready"):
    """Say that one is there; once everybody has, the match starts."""

    seat: Seat


class DirectorCommand(Command, frozen=True):
    """Something that only the director of a tournament asks for, of matches of that tournament."""


class LeaveOut(DirectorCommand, frozen=True, tag="leave_out"):
    """Take a seat whose player has not come from a table that has not started."""

    who: Whole


class LastRound(DirectorCommand, frozen=True, tag="last_round"):
    """Let the match end with the round that is under way; between two rounds, with the one that is over."""


class StopMatch(DirectorCommand, frozen=True, tag="stop_match"):
    """End the match without a winner, since an official has ruled on it in this line of the tournament's stream."""

    line: Annotated[int, Meta(ge=0, le=2**53 - 1)]


class ShareDeal(DirectorCommand, frozen=True, tag="share_deal"):
    """Play with the dice of a board: its deal with this number, which is ready in the line that has this hash."""

    deal: DealNumber
    board: str
    root: Hash
    mix: Hash
    head: Hash


class ReleaseRound(DirectorCommand, frozen=True, tag="release_round"):
    """Judge the round, which is over at all tables of the board, in this line of its stream."""

    board: str
    seq: Annotated[int, Meta(ge=0, le=2**53 - 1)]
    head: Hash


EventCommand = SayReady | LeaveOut | LastRound | StopMatch | ShareDeal | ReleaseRound
"""What is only asked for at tables of tournaments."""
