"""Lines of a board: its deal, which is CUP/1, and the rounds that are over at all its tables."""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

from domain import events
from domain.events.base import BaseEvent
from domain.ids import RoundNumber


class BoardCreated(BaseEvent, frozen=True, tag="board.created"):
    """A board was opened under rules frozen from here on."""

    board: str
    rules: dict[str, Any]
    policy: Literal["all"]


class BoardRoundClosed(BaseEvent, frozen=True, tag="board.round_closed"):
    """A round of the game is over at all tables: only behind this line are its dice shown at any.

    Attributes:
        tables: For each table, by number, its match, the place of the last line of it that is known, and its hash.
    """

    round: RoundNumber
    tables: tuple[tuple[int, str, int, str], ...]


class BoardClosed(BaseEvent, frozen=True, tag="board.closed"):
    """Nothing follows."""


BoardEvent = (
    BoardCreated
    | BoardRoundClosed
    | BoardClosed
    | events.SeatJoined
    | events.SeatLeft
    | events.SeedCustody
    | events.DealCommitted
    | events.CeremonyEvent
)
"""Whatever stands in the log of a board."""

_KINDS = {str(kind.__struct_config__.tag): kind for kind in get_args(BoardEvent)}


def board_event_of(kind: str, data: dict[str, Any]) -> BoardEvent:
    """Return the event that a line says.

    Raises:
        ValueError: There is no such type, or it has other members.
    """
    if kind not in _KINDS:
        raise ValueError(f"there is no event of the type {kind}")
    found: BoardEvent = msgspec.convert({**data, "type": kind}, _KINDS[kind])
    return found
