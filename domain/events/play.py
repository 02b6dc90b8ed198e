"""Events at the table: dice, claims, doubts, verdicts and their costs."""

from __future__ import annotations

from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from domain.events.base import Account, BaseEvent
from domain.ids import (
    CupId,
    DealNumber,
    Face,
    Milliseconds,
    Modulus,
    Quantity,
    RollNumber,
    RoundNumber,
    Seat,
    Slot,
    Units,
    UnixMs,
)

# ---- dice ---------------------------------------------------------------------------------------


class Rolled(BaseEvent, frozen=True, tag="cup.rolled"):
    """Dice were rolled: addresses and moduli, never a value.

    Attributes:
        slots: The slots of the cup that were rolled.
        m: How many values each of them can have, in the order of the slots.
    """

    deal: DealNumber
    cup: CupId
    roll: RollNumber
    slots: tuple[Slot, ...]
    m: tuple[Modulus, ...]


class Revealed(BaseEvent, frozen=True, tag="cup.revealed"):
    """Dice were shown to all, with the proof. `keys` are (slot, key), `values` (slot, value); a face is value + 1."""

    deal: DealNumber
    cup: CupId
    roll: RollNumber
    com: tuple[str, ...]
    path: tuple[str, ...]
    keys: tuple[tuple[int, str], ...]
    values: tuple[tuple[int, int], ...]


# ---- the game -----------------------------------------------------------------------------------


class FirstDrawn(BaseEvent, frozen=True, tag="game.first_drawn"):
    """The table cup decided who opens the first round."""

    seat: Seat


class BoutSet(BaseEvent, frozen=True, tag="game.bout_set"):
    """Two seats play each other next, the others wait.

    Attributes:
        seats: Who plays, in the order in which they were drawn or sat down.
        order: A chouette: those two and who waits, the next to play first. A knockout: everybody of this round of it.
        through: Of a knockout, who goes on to its next round already.
    """

    seats: tuple[Seat, Seat]
    order: tuple[Seat, ...]
    through: tuple[Seat, ...]


class RoundOpened(BaseEvent, frozen=True, tag="game.round_opened"):
    """A round began.

    Attributes:
        starter: The seat that opens it.
    """

    round: RoundNumber
    starter: Seat


class FirstChosen(BaseEvent, frozen=True, tag="game.first_chosen"):
    """The seat with the highest die said who opens the first round."""

    seat: Seat
    who: Seat


class Bid(BaseEvent, frozen=True, tag="game.bid"):
    """A seat claimed a count."""

    seat: Seat
    quantity: Quantity
    face: Face


class HandClaimed(BaseEvent, frozen=True, tag="game.called"):
    """A seat claimed a hand, here with all its faces.

    Attributes:
        beats: Whether it stands above the one before.
    """

    seat: Seat
    shape: str
    faces: tuple[int, ...]
    beats: bool


class Accepted(BaseEvent, frozen=True, tag="game.accepted"):
    """A seat believed the standing claim and took the cup."""

    seat: Seat


class Challenged(BaseEvent, frozen=True, tag="game.challenged"):
    """A seat doubted the standing claim, or the pass before it."""

    seat: Seat


class SpotOnCalled(BaseEvent, frozen=True, tag="game.spot_on_called"):
    """A seat said that the standing claim is exactly right."""

    seat: Seat


class Passed(BaseEvent, frozen=True, tag="game.passed"):
    """A seat claimed that all its dice differ."""

    seat: Seat


Address = tuple[int, int]
"""A die of a cup: the roll it came from, and its slot in it."""


class Arranged(BaseEvent, frozen=True, tag="game.arranged"):
    """A seat handled the dice of a cup.

    How many is public; which of the hidden ones were rolled anew is in `choice`, sealed (CUP/1 section 4.12), unless
    the rules leave nothing to choose. The openings and the roll that it calls for follow.

    Attributes:
        cup: Whose dice.
        outside: The hidden dice it shows.
        taken: The shown dice it takes up again, to hide or to roll them.
        roll_inside: How many were rolled where only the seat sees them.
        roll_outside: How many were rolled where all see them.
        roll: The roll of the cup this leads to, null where nothing was rolled.
        choice: What fixes which dice were rolled, in hex.
    """

    seat: Seat
    cup: CupId
    outside: tuple[Address, ...]
    taken: tuple[Address, ...]
    roll_inside: int
    roll_outside: int
    roll: RollNumber | None
    choice: str | None


class Choice(Struct, frozen=True, forbid_unknown_fields=True):
    """Which dice were rolled, by positions in the seat's own numbering before that roll, each ascending.

    Attributes:
        salt: 32 bytes as hex, that open what the seat had sealed of this (CUP/1 section 4.14.3); there only where it
            signs what it asks for.
    """

    roll: RollNumber
    roll_inside: tuple[int, ...]
    roll_outside: tuple[int, ...]
    outside: tuple[int, ...]
    salt: str | UnsetType = UNSET


class ChoicesRevealed(BaseEvent, frozen=True, tag="game.choices_revealed"):
    """The sealed choices behind the dice of a cup that were just shown."""

    cup: CupId
    choices: tuple[Choice, ...]


class TimedOut(BaseEvent, frozen=True, tag="game.timed_out"):
    """A seat ran out of time; the table acts for it next."""

    seat: Seat


class Absent(BaseEvent, frozen=True, tag="game.absent"):
    """The table had to act for this seat.

    Attributes:
        turns: In how many of its turns one after the other.
    """

    seat: Seat
    turns: int


class Returned(BaseEvent, frozen=True, tag="game.returned"):
    """A seat that was marked absent has acted itself again."""

    seat: Seat


class Forfeited(BaseEvent, frozen=True, tag="game.forfeited"):
    """A seat was taken out of the match.

    Attributes:
        reason: `forfeit` if it asked or its clock ran out, `absent` if it stayed away.
    """

    seat: Seat
    reason: str


VerdictKind = Literal[
    "challenge",
    "auto_challenge",
    "spot_on",
    "pass",
    "count",
    "catch",
    "five_aces",
    "social",
    "reverse",
    "impose",
    "forfeit",
]


class Judged(BaseEvent, frozen=True, tag="game.judged"):
    """A doubt was settled by the dice. What was not judged, named or counted is null.

    Attributes:
        kind: What was settled.
        claimant: Who had claimed.
        quantity: Of a count.
        face: Of a count.
        shape: Of a hand.
        faces: Of a hand.
        doubters: Who doubted, in the order in which they did.
        holds: Whether the dice are as good as the claim.
        count: How many tokens counted for a count.
        out_of_turn: Whether the doubter was not in turn.
        winners: Who wins by it.
        losers: Who loses by it.
    """

    kind: VerdictKind
    claimant: Seat | None
    quantity: Quantity | None
    face: Face | None
    shape: str | None
    faces: tuple[int, ...] | None
    doubters: tuple[Seat, ...]
    holds: bool | None
    count: int | None
    out_of_turn: bool
    winners: tuple[Seat, ...]
    losers: tuple[Seat, ...]


class Posted(BaseEvent, frozen=True, tag="game.posted"):
    """Units changed hands.

    Attributes:
        unit: What, such as `die`, `chip` or `loss`.
        from: Where they lay: a seat, or a place at the table.
        to: Where they lie now.
        amount: How many.
    """

    unit: str
    src: Account = field(name="from")
    dst: Account = field(name="to")
    amount: Units


class Eliminated(BaseEvent, frozen=True, tag="game.eliminated"):
    """A seat is out of the match."""

    seat: Seat


class RoundClosed(BaseEvent, frozen=True, tag="game.round_closed"):
    """The round is settled.

    Attributes:
        flags: What holds for the next one, such as `palifico`.
    """

    next_starter: Seat | None
    flags: tuple[str, ...]


class Won(BaseEvent, frozen=True, tag="game.won"):
    """A seat won the match."""

    seat: Seat


class Lost(BaseEvent, frozen=True, tag="game.lost"):
    """A seat lost the match, in which there is one loser and no winner."""

    seat: Seat


class SessionClosed(BaseEvent, frozen=True, tag="game.session_closed"):
    """The host ended a session that has no end of its own."""


class ClockSet(BaseEvent, frozen=True, tag="game.clock_set"):
    """What is left in a seat's bank, and when the seat whose turn it is runs out.

    Attributes:
        seat: Whose bank changed.
        bank_ms: What is left in it, in milliseconds.
        due_at: When the seat in turn runs out, in Unix milliseconds; null while no clock runs.
    """

    seat: Seat
    bank_ms: Milliseconds
    due_at: UnixMs | None
