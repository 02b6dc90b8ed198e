"""Events around the table: the lobby, and the deal ceremony of CUP/1 section 4.5."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from domain.events.base import BaseEvent
from domain.events.powers import Reason
from domain.ids import DealNumber, RoundNumber, Seat

# ---- the match ----------------------------------------------------------------------------------


class MatchCreated(BaseEvent, frozen=True, tag="match.created"):
    """A match was opened under rules frozen from here on.

    Attributes:
        rules: The rules object of the match.
        policy: What a deal publishes when it ends: `all` its dice, or only those that were `shown`.
    """

    match: str
    rules: dict[str, Any]
    policy: Literal["all", "shown"]


class SeatJoined(BaseEvent, frozen=True, tag="seat.joined"):
    """A player took a seat.

    Attributes:
        player: Who, by the opaque id that stands in the log.
        key: The key that this seat signs with, as hex; there only where it has one.
        name: What fixes the player's name without saying it, as hex; there only where it is committed to.
    """

    seat: Seat
    player: str
    key: str | UnsetType = UNSET
    name: str | UnsetType = UNSET


class SeatKeyed(BaseEvent, frozen=True, tag="seat.keyed"):
    """A seat has another key from now on, or is to have one if its old key stays silent (CUP/1 section 4.14.4).

    Attributes:
        by: `seat` changes its own, signed with the old one; `host` names one for a player who has lost his.
    """

    seat: Seat
    key: str
    by: Literal["seat", "host"]


class SeatLeft(BaseEvent, frozen=True, tag="seat.left"):
    """A seat was given up, or barred."""

    seat: Seat
    reason: str


class SeedCustody(BaseEvent, frozen=True, tag="game.seed_custody"):
    """Who draws the seeds of this seat from now on (CUP/1 section 4.13).

    Attributes:
        by: `server`, or `client` where a player has come back for whom a house bot stood in.
    """

    seat: Seat
    by: Literal["server", "client"]


class Started(BaseEvent, frozen=True, tag="game.started"):
    """The lobby closed; these seats play, in this order."""

    seats: tuple[Seat, ...]


class Continued(BaseEvent, frozen=True, tag="game.continued"):
    """A player has seen enough of the last round's dice; once everybody who plays has, the next round begins."""

    seat: Seat


class EndAsked(BaseEvent, frozen=True, tag="game.end_asked"):
    """The match ends without a winner as soon as no round is under way.

    Attributes:
        why: `host`, `expired` for a lobby in which nobody came or went, or `unattended` for bots that play for nobody.
        reason: There only where a host gave one.
    """

    why: Literal["host", "expired", "unattended"]
    reason: Reason | UnsetType = UNSET


class MatchEnded(BaseEvent, frozen=True, tag="match.ended"):
    """Nothing follows.

    Attributes:
        winner: Who has won, null where a session was closed.
    """

    winner: Seat | None


# ---- the deal ceremony, CUP/1 section 4.5 -------------------------------------------------------


class DealCommitted(BaseEvent, frozen=True, tag="deal.committed"):
    """The server fixed every die the deal may need.

    Attributes:
        cups: Every cup of the deal as (id, owner, rolls, width).
    """

    deal: DealNumber
    cups: tuple[tuple[int, int, int, int], ...]
    root: str


class SeedCommitted(BaseEvent, frozen=True, tag="seed.committed"):
    """A seat fixed its seed."""

    deal: DealNumber
    seat: Seat
    commit: str


class BeaconRound(Struct, frozen=True, forbid_unknown_fields=True):
    """The round of a public beacon that a deal waits for."""

    chain: str
    round: RoundNumber


class BeaconValue(Struct, frozen=True, forbid_unknown_fields=True):
    """The beacon's answer."""

    chain: str
    randomness: str
    round: RoundNumber
    signature: str


class DealSealed(BaseEvent, frozen=True, tag="deal.sealed"):
    """All seeds are fixed."""

    deal: DealNumber
    seats: tuple[Seat, ...]
    beacon: BeaconRound | None


class DealLogged(BaseEvent, frozen=True, tag="deal.logged"):
    """The sealed line is in the transparency log."""

    deal: DealNumber
    index: int
    path: tuple[str, ...]
    checkpoint: str


class SeedOpened(BaseEvent, frozen=True, tag="seed.opened"):
    """A seat showed its seed."""

    deal: DealNumber
    seat: Seat
    seed: str


class DealFixed(BaseEvent, frozen=True, tag="deal.fixed"):
    """The last opening is in the transparency log, before the beacon speaks."""

    deal: DealNumber
    index: int
    path: tuple[str, ...]
    checkpoint: str


class DealReady(BaseEvent, frozen=True, tag="deal.ready"):
    """All seeds are open: every die of the deal is determined.

    Attributes:
        mix: What comes of all seeds, and of the beacon where it has one, in hex (CUP/1 section 4.1).
    """

    deal: DealNumber
    mix: str
    beacon: BeaconValue | None


class DealVoided(BaseEvent, frozen=True, tag="deal.voided"):
    """The deal counts for nothing: these seats did not open their seeds, or the log was too late for the beacon."""

    deal: DealNumber
    reason: str
    seats: tuple[Seat, ...]


class HandledDice(Struct, frozen=True, forbid_unknown_fields=True):
    """Which dice a seat handled, by positions in its own numbering."""

    inside: tuple[int, ...]
    outside: tuple[int, ...]
    roll_inside: tuple[int, ...]
    roll_outside: tuple[int, ...]


class DealClosed(BaseEvent, frozen=True, tag="deal.closed"):
    """The deal is over.

    Attributes:
        secret: What opens every die of it to everybody, in hex; null where it is not published.
        handled: The line, the salt in hex and the positions of each handling of dice that was signed under a seal,
            where there was one and dice are published.
    """

    deal: DealNumber
    secret: str | None
    handled: tuple[tuple[int, str, HandledDice], ...] | UnsetType = UNSET
