"""The matches of a process that takes commands and does not follow the log: only a start is decided elsewhere.

How many tables bots play is known to whoever follows the log (`services/matches/attendance.py`), so a match is started
by such a dealer, over the bus, wherever it is. Everything else is done here.
"""

from __future__ import annotations

from typing import Protocol
from uuid import UUID

from services.matches.handler import CommandHandler
from services.matches.requests import Answer, CommandMetadata


class StartsMatches(Protocol):
    """What is done with one token by whoever knows how many tables there are."""

    async def start(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        """Close the lobby and begin the first deal."""


class StartsElsewhere(Protocol):
    """A way to dealers who follow the log."""

    def for_token(self, token: str) -> StartsMatches:
        """Return the house as it is there for whoever shows this token."""


class MatchesHere:
    """Every match of the house, and the commands that change it, for all who ask this process."""

    def __init__(self, here: CommandHandler, followers: StartsElsewhere) -> None:
        """Do everything here, and let these followers of the log start matches."""
        self.open, self.join, self.bearer, self.card = here.open, here.join, here.bearer, here.card
        self.hand_in = here.hand_in
        self.open_all, self.opened_all = here.open_all, here.opened_all
        self.holding, self.view, self.frames = here.holding, here.view, here.frames
        self.version_now, self.names_told = here.version_now, here.names_told
        self.opened, self.folded = here.opened, here.folded
        self.record, self.lines, self.beginning = here.record, here.lines, here.beginning
        self.access, self.evidence = here.access, here.evidence
        self.lobby, self.statistics, self.sheets = here.lobby, here.statistics, here.sheets
        self.next_table, self.frames_through, self.bot_turns = here.next_table, here.frames_through, here.bot_turns
        self.released, self.frames_late, self.told = here.released, here.frames_late, here.told
        self._here = here
        self._followers = followers

    def for_token(self, token: str) -> SeatHere:
        """Return the house as it is for whoever shows this token."""
        return SeatHere(self._here, self._followers, token)


class SeatHere:
    """What is done with one token."""

    def __init__(self, here: CommandHandler, followers: StartsElsewhere, token: str) -> None:
        """Do it here, but let these followers of the log start the match."""
        acting = here.for_token(token)
        self.holding, self.view, self.frames = acting.holding, acting.view, acting.frames
        self.opened, self.folded = acting.opened, acting.folded
        self.submit, self.seat_bots, self.rematch = acting.submit, acting.seat_bots, acting.rematch
        self.erase_name, self.take_key = acting.erase_name, acting.take_key
        self._followers = followers
        self._token = token

    async def start(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        """Close the lobby and begin the first deal, where the tables of bots are counted."""
        return await self._followers.for_token(self._token).start(match_id, ask)
