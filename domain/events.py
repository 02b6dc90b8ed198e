"""What has happened in a match, as it stands in the log.

One struct an event type; the tag is the type in the event line, the other fields are its `data`, member by member
(CUP/1 sections 4.4 and 4.5). Byte strings are lower-case hex. No event ever holds a hidden value.
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec
from msgspec import Struct, field

Seat = int


class Event(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Something that has happened."""


# ---- the match ----------------------------------------------------------------------------------


class MatchCreated(Event, frozen=True, tag="match.created"):
    """A match was opened under rules frozen from here on; `policy` says what the deals will publish."""

    match: str
    rules: dict[str, Any]
    policy: Literal["all", "shown"]


class SeatJoined(Event, frozen=True, tag="seat.joined"):
    """A player, known here only by an opaque id, took a seat."""

    seat: Seat
    player: str


class SeatLeft(Event, frozen=True, tag="seat.left"):
    """A seat was given up, or barred."""

    seat: Seat
    reason: str


class SeedCustody(Event, frozen=True, tag="game.seed_custody"):
    """The server draws the seeds of this seat (CUP/1 section 4.13)."""

    seat: Seat
    by: Literal["server"]


class Started(Event, frozen=True, tag="game.started"):
    """The lobby closed; these seats play, in this order."""

    seats: tuple[Seat, ...]


class MatchEnded(Event, frozen=True, tag="match.ended"):
    """Nothing follows. `winner` is null where a session was closed."""

    winner: Seat | None


# ---- the deal ceremony, CUP/1 section 4.5 -------------------------------------------------------


class DealCommitted(Event, frozen=True, tag="deal.committed"):
    """The server fixed every die the deal may need. `cups` are (id, owner, rolls, width)."""

    deal: int
    cups: tuple[tuple[int, int, int, int], ...]
    root: str


class SeedCommitted(Event, frozen=True, tag="seed.committed"):
    """A seat fixed its seed."""

    deal: int
    seat: Seat
    commit: str


class Beacon(Struct, frozen=True, forbid_unknown_fields=True):
    """The round of a public beacon that a deal waits for."""

    chain: str
    round: int


class BeaconValue(Struct, frozen=True, forbid_unknown_fields=True):
    """The beacon's answer."""

    chain: str
    randomness: str
    round: int
    signature: str


class DealSealed(Event, frozen=True, tag="deal.sealed"):
    """All seeds are fixed."""

    deal: int
    seats: tuple[Seat, ...]
    beacon: Beacon | None


class DealLogged(Event, frozen=True, tag="deal.logged"):
    """The sealed line is in the transparency log."""

    deal: int
    index: int
    path: tuple[str, ...]
    checkpoint: str


class SeedOpened(Event, frozen=True, tag="seed.opened"):
    """A seat showed its seed."""

    deal: int
    seat: Seat
    seed: str


class DealFixed(Event, frozen=True, tag="deal.fixed"):
    """The last opening is in the transparency log, before the beacon speaks."""

    deal: int
    index: int
    path: tuple[str, ...]
    checkpoint: str


class DealReady(Event, frozen=True, tag="deal.ready"):
    """All seeds are open: every die of the deal is determined."""

    deal: int
    mix: str
    beacon: BeaconValue | None


class DealVoided(Event, frozen=True, tag="deal.voided"):
    """These seats did not open their seeds; the deal counts for nothing."""

    deal: int
    reason: str
    seats: tuple[Seat, ...]


class DealClosed(Event, frozen=True, tag="deal.closed"):
    """The deal is over. Its secret, when published, opens every die of it to everybody."""

    deal: int
    secret: str | None


# ---- dice ---------------------------------------------------------------------------------------


class Rolled(Event, frozen=True, tag="cup.rolled"):
    """Dice were rolled: addresses and moduli, never a value."""

    deal: int
    cup: int
    roll: int
    slots: tuple[int, ...]
    m: tuple[int, ...]


class Revealed(Event, frozen=True, tag="cup.revealed"):
    """Dice were shown to all, with the proof. `keys` are (slot, key), `values` (slot, value); a face is value + 1."""

    deal: int
    cup: int
    roll: int
    com: tuple[str, ...]
    path: tuple[str, ...]
    keys: tuple[tuple[int, str], ...]
    values: tuple[tuple[int, int], ...]


# ---- the game -----------------------------------------------------------------------------------


class FirstDrawn(Event, frozen=True, tag="game.first_drawn"):
    """The table cup decided who opens the first round."""

    seat: Seat


class RoundOpened(Event, frozen=True, tag="game.round_opened"):
    """A round began; `starter` opens it. Rounds count from 1."""

    round: int
    starter: Seat


class Bid(Event, frozen=True, tag="game.bid"):
    """A seat claimed a count."""

    seat: Seat
    quantity: int
    face: int


class Challenged(Event, frozen=True, tag="game.challenged"):
    """A seat doubted the standing claim, or the pass before it."""

    seat: Seat


class SpotOnCalled(Event, frozen=True, tag="game.spot_on_called"):
    """A seat said that the standing claim is exactly right."""

    seat: Seat


class Passed(Event, frozen=True, tag="game.passed"):
    """A seat claimed that all its dice differ."""

    seat: Seat


class Arranged(Event, frozen=True, tag="game.arranged"):
    """A seat handled its dice; counts only, the openings that follow say which came outside."""

    seat: Seat
    outside: int
    inside: int
    roll_inside: int
    roll_outside: int


class TimedOut(Event, frozen=True, tag="game.timed_out"):
    """A seat ran out of time; the table acts for it next."""

    seat: Seat


class Forfeited(Event, frozen=True, tag="game.forfeited"):
    """A seat was taken out of the match."""

    seat: Seat
    reason: str


class Judged(Event, frozen=True, tag="game.judged"):
    """A doubt was settled by the dice. `holds` and `count` are null where nothing was judged or counted."""

    kind: Literal["challenge", "spot_on", "pass", "forfeit"]
    claimant: Seat | None
    quantity: int | None
    face: int | None
    doubters: tuple[Seat, ...]
    holds: bool | None
    count: int | None
    out_of_turn: bool
    winners: tuple[Seat, ...]
    losers: tuple[Seat, ...]


Account = int | str
"""Where units lie: a seat's number, or the name of a place at the table (`pot`, `box`, `bar`, `bank`)."""


class Posted(Event, frozen=True, tag="game.posted"):
    """Units changed hands."""

    unit: str
    src: Account = field(name="from")
    dst: Account = field(name="to")
    amount: int


class Eliminated(Event, frozen=True, tag="game.eliminated"):
    """A seat is out of the match."""

    seat: Seat


class RoundClosed(Event, frozen=True, tag="game.round_closed"):
    """The round is settled. `flags` name what holds for the next one (`palifico`)."""

    next_starter: Seat | None
    flags: tuple[str, ...]


class Won(Event, frozen=True, tag="game.won"):
    """A seat won the match."""

    seat: Seat


class SessionClosed(Event, frozen=True, tag="game.session_closed"):
    """The host ended a session that has no end of its own."""


class ClockSet(Event, frozen=True, tag="game.clock_set"):
    """What is left in a seat's bank, and when the seat whose turn it is runs out.

    Milliseconds; `due_at` is Unix time, null while no clock runs. `seat` is whose bank changed.
    """

    seat: Seat
    bank_ms: int
    due_at: int | None


TYPES: Final[dict[str, type[Event]]] = {str(kind.__struct_config__.tag): kind for kind in Event.__subclasses__()}
"""Every event type of this package by its name in the log."""


def type_of(event: Event) -> str:
    """Return the event's type as it stands in the log, such as `game.bid`."""
    return str(type(event).__struct_config__.tag)


def data_of(event: Event) -> dict[str, Any]:
    """Return the members of the event line's `data`, as JSON values."""
    data: dict[str, Any] = msgspec.to_builtins(event)
    del data["type"]
    return data


def decode(kind: str, data: dict[str, Any]) -> Event:
    """Return the event of this type with these members.

    Raises:
        msgspec.ValidationError: The members are not exactly those of the type, or not of their types.
        KeyError: No event of this package has this type.
    """
    return msgspec.convert({"type": kind, **data}, TYPES[kind])
