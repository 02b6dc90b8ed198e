"""What one viewer sees of a match: the public fold, plus the dice that viewer may know.

Every seat and every spectator sees the same version numbers; content is redacted, numbering is not, so a gap tells
nothing. Nothing here reads a die but through the openings the rules give this viewer.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from domain.table import Move

Seat = int
Phase = Literal["lobby", "dealing", "between_rounds", "claiming", "responding", "finished"]


class DieView(Struct, frozen=True):
    """One die. `face` (1 to 6) is null for a viewer who does not know it; `shown` says that everybody does."""

    face: int | None
    shown: bool


class SeatView(Struct, frozen=True):
    """One seat.

    Attributes:
        player: The opaque id that stands in the log.
        name: What people call the player.
        bot: Whether the house plays this seat.
        custody: Who draws the seat's seeds.
        out: Whether the seat is out of the match.
        balances: What the seat has or owes, by unit (`die`, `chip`, `drink`).
        dice: Its dice of this round, in the owner's numbering.
        bank_ms: What its clock had left when it last stopped; null without clocks.
    """

    seat: Seat
    player: str
    name: str
    bot: bool
    custody: Literal["client", "server"]
    out: bool
    balances: dict[str, int]
    dice: tuple[DieView, ...]
    bank_ms: int | None


class ClaimView(Struct, frozen=True):
    """The standing claim and who made it."""

    seat: Seat
    quantity: int
    face: int


class DealView(Struct, frozen=True):
    """Where the deal ceremony stands.

    Attributes:
        number: The deal's number in the match.
        stage: `committed`, `sealed`, `logged`, `ready`, `voided` or `closed`.
        waiting_for: The seats whose seed is awaited now.
        cups: (id, owner, rolls, width) of every cup, and the root over all dice: what a seat commits its seed to.
    """

    number: int
    stage: str
    waiting_for: tuple[Seat, ...]
    cups: tuple[tuple[int, int, int, int], ...]
    root: str


class View(Struct, frozen=True):
    """A match as one viewer sees it at one version.

    Attributes:
        version: How many events it shows.
        at: The time of the last of them, in Unix milliseconds.
        head: The hash of the last event line, in hex: keep it, and nobody can rewrite what you have seen.
        rules: The rules object of the match.
        viewer: The viewer's seat, null for a spectator.
        turn: The seat to act, null while the table or everybody does.
        standing: The claim to beat.
        pass_by: The seat whose pass is waiting to be believed.
        dice_in_play: The dice of this round, the highest quantity that can be claimed.
        last: The last verdict, as in the event.
        flags: What holds in this round, such as `palifico`, or `plain_ones` when ones are not wild.
        out: Seats out of the match, in the order they went.
        due_at: When the seat in turn runs out of time, or the table deals; Unix milliseconds.
        moves: What the viewer may do now, with bounds; empty for a spectator.
    """

    match: str
    version: int
    at: int
    head: str
    game: str
    title: str
    rules: dict[str, Any]
    viewer: Seat | None
    phase: Phase
    round: int
    turn: Seat | None
    seats: tuple[SeatView, ...]
    standing: ClaimView | None
    pass_by: Seat | None
    dice_in_play: int
    last: dict[str, Any] | None
    flags: tuple[str, ...]
    next_starter: Seat | None
    out: tuple[Seat, ...]
    winner: Seat | None
    pot: int
    deal: DealView | None
    due_at: int | None
    moves: tuple[Move, ...]
