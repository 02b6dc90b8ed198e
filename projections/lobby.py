"""The lobby: one row a match, for people who look for a table to sit at or to watch."""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from domain.ids import Milliseconds, RoundNumber, Seat, UnixMs, Version
from projections.view import Phase, View

State = Literal["open", "live", "ended"]
OPEN: Final = ("open", "private/open")
"""The shelves of tables that have not started."""
SHELVES: Final[dict[State, tuple[str, ...]]] = {"open": ("open",), "live": ("live",), "ended": ("ended", "ended/bots")}
"""The shelves that the list of a state is read from, the ones that count most first: however many matches bots finish,
those of people stand where they are."""


class LobbySeat(Struct, frozen=True):
    """Who sits where."""

    seat: Seat
    name: str
    bot: bool


class LobbyRow(Struct, frozen=True):
    """A match as the lobby shows it.

    Attributes:
        title: What it is called, or whose table it is.
        seats_max: How many may sit down.
        version: How many events the row shows.
        turn: The seat to act, null while the table or everybody does.
        at: When something last happened, in Unix milliseconds.
        name: What its host called it, if anything.
        expires_at: When a table that has not started is closed if nobody comes or goes, in Unix milliseconds.
        clock_ms: What each seat's clock begins with; null without clocks.
        turn_ms: After how long the table acts for a seat where there are no clocks; null where it never does.
        locked: Whether its host lets nobody else sit down.
        start: `full` if the match starts by itself once its last seat is taken.
        starts_at: When a table that has not started starts, in Unix milliseconds, if its rules name a time.
        delay_ms: How long whoever holds no seat waits for what happens there.
        deals_drawn: In how many deals that were played the house drew the seed of a seat that none of its bots has;
            null where the dice are those of a board, and in rows of before it was counted.
    """

    match: str
    title: str
    game: str
    phase: Phase
    seats: tuple[LobbySeat, ...]
    seats_max: int
    version: Version
    round: RoundNumber
    turn: Seat | None
    at: UnixMs
    winner: Seat | None
    expires_at: UnixMs | None = None
    clock_ms: Milliseconds | None = None
    turn_ms: Milliseconds | None = None
    name: str | None = None
    locked: bool = False
    start: Literal["full"] | None = None
    starts_at: UnixMs | None = None
    delay_ms: Milliseconds = 0
    deals_drawn: int | None = None


def row_of(view: View, name: str | None = None, delay_ms: Milliseconds = 0, deals_drawn: int | None = None) -> LobbyRow:
    """Return the row of a match.

    Args:
        view: What a spectator sees of it.
        name: What its host called it.
        delay_ms: How late it is seen.
        deals_drawn: In how many deals the house drew for a player, as the match counts them.
    """
    clock, idle = view.rules["clock"], view.rules.get("idle")
    starts_at = view.rules.get("starts_at") if view.phase == "lobby" else None
    seats = tuple(LobbySeat(seat.seat, seat.name, seat.bot) for seat in view.seats)
    return LobbyRow(
        match=view.match,
        title=name or title_of(seats),
        game=view.game,
        phase=view.phase,
        seats=seats,
        seats_max=view.rules["seats"],
        version=view.version,
        round=view.round,
        turn=view.turn,
        at=view.at,
        winner=view.winner,
        expires_at=view.due_at if view.phase == "lobby" and starts_at is None else None,
        clock_ms=None if clock is None else clock["bank_ms"],
        turn_ms=None if idle is None or clock is not None else idle["turn_ms"],
        name=name,
        locked=view.locked,
        start=view.rules.get("start"),
        starts_at=starts_at,
        delay_ms=delay_ms,
        deals_drawn=None if view.rules.get("board") else deals_drawn,
    )


def title_of(seats: tuple[LobbySeat, ...]) -> str:
    """Name the table after the first person at it, or after the first bot where no person sits."""
    names = [seat.name for seat in sorted(seats, key=lambda seat: (seat.bot, seat.seat))]
    return f"{names[0]}\N{RIGHT SINGLE QUOTATION MARK}s table" if names else "An empty table"


def state_of(row: LobbyRow) -> State | Literal["closed"]:
    """Return whether people may still join, or watch, or only look back; a closed table was never played at."""
    if row.phase == "lobby":
        return "open"
    if row.phase != "finished":
        return "live"
    return "ended" if row.round else "closed"


def shelf_of(row: LobbyRow, *, listed: bool) -> str:
    """Return with which others a row is read: lists read shelves of states, and no list one of private tables."""
    state = state_of(row)
    if not listed:
        return f"private/{state}"
    return "ended/bots" if state == "ended" and all(seat.bot for seat in row.seats) else state
