"""Embargo of duplicate boards: what is kept back from all but a table's own seats until a round is over everywhere.

The law of the file: who hears what is bid at one table may know what lies in a cup at another, where the same dice are.
So the lines of a round are shown to its own seats at once, and to everybody else as soon as its match is told that the
round is over at all tables (`game.released`), from the log and at the same versions. A match that is over in the middle
of a round is not told any more: there the board itself says when.
"""

from __future__ import annotations

from typing import Final, Protocol

from cachetools import LRUCache
from msgspec import Struct

from domain.ids import RoundNumber, Version
from domain.match.evolve import Match
from domain.match.record import MatchAtHead, stream_of
from domain.tournaments.boards.board import Board
from domain.tournaments.boards.record import PREFIX, BoardAtHead, step
from services.matches.watching.delays import PAGE, Steps
from services.work.failures import reading

SHOWN_MAX: Final = 1_024
"""Matches of which it is known where their round began; of the rest it is found out again from their first line on."""
BOARDS_MAX: Final = 64


class BoardLines(Protocol):
    """Where the lines of boards are."""

    async def read(self, stream: str, after: int, limit: int) -> list[bytes]:
        """Return at most `limit` lines of a stream behind a version, in order."""


class History(Steps, Protocol):
    """Where matches are found as they were, and as they are."""

    async def newest(self, stream: str) -> MatchAtHead | None:
        """Return a match as of its last line; None where there is none."""


class HeldBack(Struct, frozen=True):
    """The match before the round that is kept back, and which that is."""

    written: MatchAtHead
    round: RoundNumber


def is_kept_back(match: Match) -> bool:
    """Report whether the last lines of a match are of a round that is not known to be over at all its tables."""
    state = match.table
    return match.settings.board is not None and state is not None and state.round_number > state.released


def is_over_everywhere(board: Board, number: RoundNumber) -> bool:
    """Report whether a round is over at all tables of a board, or the board itself is."""
    return board.ended or board.round >= number


class Embargo:
    """How far matches of boards are shown to whoever holds no seat there."""

    def __init__(self, history: History, lines: BoardLines) -> None:
        """Find matches as they were in this history, and boards in these lines."""
        self._history = history
        self._lines = lines
        self._held: LRUCache[str, HeldBack] = LRUCache(SHOWN_MAX)
        self._boards: LRUCache[str, BoardAtHead] = LRUCache(BOARDS_MAX)

    async def shown(self, newest: MatchAtHead) -> MatchAtHead:
        """Return a match as everybody may see it: as it was before the round that is kept back, if one is.

        Cost: nothing where none is; else a step for each line since the last time, and a query where the match is over.
        """
        match, state = newest.match, newest.match.table
        if not is_kept_back(match) or state is None:
            return newest
        if match.ended and await self._is_over(match, state.round_number):
            return newest
        stream = stream_of(match.id)
        known = self._held.get(stream)
        if known is None or known.round != state.round_number:
            before = await self._before(stream, None if known is None else known.written)
            known = self._held[stream] = HeldBack(before, state.round_number)
        return known.written

    async def version_shown(self, stream: str) -> Version | None:
        """Return up to which version everybody may see the match of a stream; None for all of it."""
        newest = await self._history.newest(stream)
        if newest is None:
            return None
        shown = await self.shown(newest)
        return None if shown is newest else shown.match.version

    async def keeps_back(self, stream: str) -> bool:
        """Report whether the last lines of the match of a stream are for its own seats alone.

        Cost: two queries, of which one is for the board where the match is over in a round that is not known to be.
        """
        newest = await self._history.newest(stream)
        if newest is None or newest.match.table is None or not is_kept_back(newest.match):
            return False
        return not (newest.match.ended and await self._is_over(newest.match, newest.match.table.round_number))

    async def _before(self, stream: str, written: MatchAtHead | None) -> MatchAtHead:
        """Return the last version that everybody may see, given one that everybody may."""
        shown, after = written, 0 if written is None else written.match.version
        while True:
            steps = await self._history.steps(stream, after, PAGE)
            for each, _ in steps:
                shown = shown if is_kept_back(each.match) else each
            assert shown is not None, "a match has a first line"
            if len(steps) < PAGE:
                return shown
            after += len(steps)

    async def _is_over(self, match: Match, number: RoundNumber) -> bool:
        """Report whether a round is over at all tables with the dice of a match."""
        assert match.settings.board is not None, "it has dice of a board"
        stream = PREFIX + match.settings.board.id
        known = self._boards.get(stream)
        while lines := await self._lines.read(stream, 0 if known is None else known.board.version, PAGE):
            for line in lines:
                with reading(stream, line):
                    known, _ = step(known, line)
        if known is None:
            return False
        self._boards[stream] = known
        return is_over_everywhere(known.board, number)
