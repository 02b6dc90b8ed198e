"""Steps that are due on a board: a pure function of it and of its matches, so that all directors find the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from domain.ids import RoundNumber, UnixMs
from domain.match.record import MatchAtHead
from domain.table.phases import AWAITING_BOARD
from domain.tournaments.boards.board import Board
from domain.tournaments.boards.decide import deal_due_at

BoardStep = Literal["proceed", "share", "release", "close_round", "close"]
"""`proceed` is with the deal; `share` says to matches whose dice they have, `release` that a round is over."""


class AtBoard(Struct, frozen=True):
    """What a board has to know of a table of its.

    Attributes:
        table: Its number.
        match: Its match.
        seq: The place of the last line of that, from 0.
        head: The hash of that line.
        shared: Whether the match knows whose dice it has.
        waits: The round that is over there and waits to be judged, if one does.
        over: Whether it has ended.
    """

    table: int
    match: str
    seq: int
    head: str
    shared: bool = False
    waits: RoundNumber | None = None
    over: bool = False

    @property
    def row(self) -> tuple[int, str, int, str]:
        """What stands of it in `board.round_closed`."""
        return self.table, self.match, self.seq, self.head


class DueOnBoard(Struct, frozen=True):
    """A step, when it may be done at the earliest, in Unix milliseconds, and at which tables, by number."""

    step: BoardStep
    at: UnixMs
    tables: tuple[int, ...] = ()


def table_of_board(number: int, written: MatchAtHead) -> AtBoard:
    """Return what a board has to know of the match at one of its tables."""
    match, state = written.match, written.match.table
    waits = state.round_number if state is not None and state.phase == AWAITING_BOARD else None
    shared = match.ceremony is not None
    return AtBoard(number, str(match.id), match.version - 1, written.head, shared, waits, match.ended)


def due_on_board(board: Board, tables: Sequence[AtBoard]) -> DueOnBoard | None:
    """Return what is due next; None while others are waited for: drawers, the log, a beacon, those who play.

    Args:
        board: The board.
        tables: All its tables, by number.
    """
    ceremony = board.ceremony
    if board.ended or ceremony is None:
        return None
    playing = [each for each in tables if not each.over]
    if not playing and ceremony.stage not in {"logged", "fixed"}:
        return DueOnBoard("close", board.at)
    if ceremony.stage != "ready":
        due = deal_due_at(board)
        return None if due is None else DueOnBoard("proceed", due)
    if unknowing := tuple(each.table for each in playing if not each.shared):
        return DueOnBoard("share", board.at, unknowing)
    behind = tuple(each.table for each in playing if each.waits is not None and each.waits <= board.round)
    if behind:
        return DueOnBoard("release", board.at, behind)
    if all(each.waits is not None for each in playing):
        return DueOnBoard("close_round", board.at)
    return None
