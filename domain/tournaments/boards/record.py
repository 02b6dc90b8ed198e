"""A board as lines: its events encoded into its stream, and read back out of it, as those of a match are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.ids import UnixMs, Version
from domain.log import canonical
from domain.match.record import chain, said_by
from domain.tournaments.boards.board import Board, evolve, new_board
from domain.tournaments.boards.events import BoardCreated, BoardEvent, board_event_of

PREFIX: Final = "board/"


class BoardAtHead(Struct, frozen=True):
    """A board together with the hash its stream ends in."""

    board: Board
    head: str


def is_board(stream: str) -> bool:
    """Report whether a stream is that of a board."""
    return stream.startswith(PREFIX)


def board_of(stream: str) -> UUID:
    """Return whose stream it is."""
    return UUID(stream.removeprefix(PREFIX))


def board_stream_of(board: UUID) -> str:
    """Return the name of a board's stream."""
    return f"{PREFIX}{board}"


def lines_of_board(
    board: UUID, version: Version, head: str, at: UnixMs, happened: Iterable[BoardEvent]
) -> tuple[tuple[bytes, ...], str]:
    """Return the lines of these events, to follow the line with hash `head`, and the new head.

    Args:
        board: Whose stream it is.
        version: How many lines the stream has.
        head: The hash of the last of them.
        at: The time of the command, in Unix milliseconds.
        happened: The events, in order.
    """
    return chain(board_stream_of(board), version, head, at, happened)


def step(written: BoardAtHead | None, line: bytes) -> tuple[BoardAtHead, BoardEvent]:
    """Return the board after one more line, with the event it holds; the first line creates the board.

    Raises:
        NotCanonical: The line is none.
        UnknownVersion, ValueError: It is of another version, or of no type of a board.
        msgspec.ValidationError: Its members are not those of its type.
    """
    kind, data, at = said_by(line)
    event = board_event_of(kind, data)
    if written is None:
        assert isinstance(event, BoardCreated)
        return BoardAtHead(new_board(event, at), canonical.head(line)), event
    return BoardAtHead(evolve(written.board, event, at), canonical.head(line)), event
