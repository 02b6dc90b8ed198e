"""Commands: everything that can be asked of a match.

A command is an imperative. Who asks (a seat, the host, the table) is part of it; time, chance and secrets come with it,
so that deciding is a pure function. `services` builds commands from requests, `domain.match.decide` decides them.
"""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from msgspec import Meta, Struct

from domain.events import Reason
from domain.fairness.deal import Cup
from domain.fairness.openings import DealSecrets, new_deal_secrets
from domain.ids import DealNumber, Milliseconds, RoundNumber, Seat

Whole: TypeAlias = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""An integer of 64 bits; which ones make sense, the rules say."""
Positions: TypeAlias = Annotated[tuple[Annotated[int, Meta(ge=0, le=253)], ...], Meta(max_length=254)]
"""Positions of dice, 0-based, in the owner's own numbering."""
Hash: TypeAlias = Annotated[str, Meta(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")]
"""32 bytes as lower-case hex."""
Special = Literal["social", "reverse", "impose"]
"""What a throw may do instead of counting."""


class Command(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type"):
    """Something a seat, the host or the table asks for."""


class AnyInterludeCommand(Command, frozen=True):
    """Something that can be asked for in one interlude only; its file of `domain.table.interludes` has it."""


# ---- what a seat asks for in play ---------------------------------------------------------------


class Bid(Command, frozen=True, tag="bid"):
    """Claim that at least `quantity` tokens in play count for `face`: pips 1 to 6, digits 0 to 9."""

    seat: Seat
    quantity: Whole
    face: Whole


class ClaimHand(Command, frozen=True, tag="call"):
    """Claim a hand: a shape of the game's ladder, and the faces it names, highest group first.

    Faces of poker dice are 9 to 14, the ace being 14.
    """

    seat: Seat
    shape: Annotated[str, Meta(min_length=1, max_length=20, examples=["two_pair"])]
    faces: Annotated[tuple[Whole, ...], Meta(max_length=10)] = ()


class Declare(Command, frozen=True, tag="declare"):
    """Show a throw that does something instead of counting; `to` is the seat that `impose` names."""

    seat: Seat
    special: Special
    to: Whole | None = None


class Challenge(Command, frozen=True, tag="challenge"):
    """Doubt the standing claim, or a pass."""

    seat: Seat


class SpotOn(Command, frozen=True, tag="spot_on"):
    """Say that the standing claim is exactly right."""

    seat: Seat


class Pass(Command, frozen=True, tag="pass"):
    """Claim that all one's own dice differ, leaving the standing claim as it is."""

    seat: Seat


class Arrange(Command, frozen=True, tag="arrange"):
    """Handle dice: every position named ends in one of four placements, the others stay as they are.

    Positions are 0-based in the holder's own numbering: the hidden dice first, those kept before those rolled anew,
    then the dice that everybody sees, in the order in which they came out.
    """

    seat: Seat
    outside: Positions = ()
    inside: Positions = ()
    roll_inside: Positions = ()
    roll_outside: Positions = ()


class Roll(Command, frozen=True, tag="roll"):
    """Roll all dice of the passed cup."""

    seat: Seat


class Accept(Command, frozen=True, tag="accept"):
    """Believe the standing claim and take the cup."""

    seat: Seat


class Catch(Command, frozen=True, tag="catch"):
    """Say that the standing claim does not beat the one before it."""

    seat: Seat


class AskCount(Command, frozen=True, tag="count"):
    """Have one's own claim counted, all others having doubted it."""

    seat: Seat


class DemandBills(Command, frozen=True, tag="demand_bills"):
    """Ask to see every number after one's claim was counted."""

    seat: Seat


class ChooseFirst(Command, frozen=True, tag="choose_first"):
    """Say who opens the first round, having thrown the highest die."""

    seat: Seat
    who: Whole


# ---- what the table asks for in play ------------------------------------------------------------


class DealRound(Command, frozen=True, tag="deal"):
    """Begin the next round: draw who opens it if nobody is due to, and roll every seat's dice."""


class Forfeit(Command, frozen=True, tag="forfeit"):
    """Take a seat out of the match for good; the table says `absent` or `kicked` of one that is."""

    seat: Seat
    reason: Literal["forfeit", "absent", "kicked"] = "forfeit"


class CloseSession(Command, frozen=True, tag="close_session"):
    """End an open session between rounds, or a table that nobody has started."""


_CorePlay = (
    Bid
    | ClaimHand
    | Declare
    | Challenge
    | SpotOn
    | Pass
    | Arrange
    | Roll
    | Accept
    | Catch
    | AskCount
    | DemandBills
    | ChooseFirst
)

Play = _CorePlay | AnyInterludeCommand
"""What a seat may ask for in play."""

CoreCommand = _CorePlay | DealRound | Forfeit | CloseSession
"""What can be asked for in games without interludes too."""

TableCommand = CoreCommand | AnyInterludeCommand
"""What `domain.table.decide` decides."""


# ---- what is asked of the match around the table ------------------------------------------------


class Chance(Struct, frozen=True):
    """Fresh secrets from the operating system, drawn before deciding and used only if a new deal begins.

    Attributes:
        secret: The deal's secret, 32 bytes.
        seeds: 32 bytes for each seat whose seed the server may have to draw.
    """

    secret: bytes
    seeds: dict[Seat, bytes]

    def deal_secrets(
        self, number: DealNumber, ctx: bytes, cups: tuple[Cup, ...], custody: tuple[Seat, ...]
    ) -> DealSecrets:
        """Return the keeper of a new deal with this number, who draws the seeds of the seats in its custody."""
        return new_deal_secrets(number, ctx, cups, self.secret, {seat: self.seeds[seat] for seat in custody})


class Join(Command, frozen=True, tag="join"):
    """Take a seat; `player` is an opaque id, `custody` says who draws the seat's seeds.

    `seat` is said by records alone: who comes takes the lowest free number, in older matches one that was never given.
    """

    player: str
    custody: Literal["client", "server"]
    seat: Seat | None = None


class Leave(Command, frozen=True, tag="leave"):
    """Give the seat up before the match starts."""

    seat: Seat


class StandIn(Command, frozen=True, tag="stand_in"):
    """Have a house bot play one's seat until one takes it back."""

    seat: Seat


class TakeBack(Command, frozen=True, tag="take_back"):
    """Take one's seat back from the house bot that stands in."""

    seat: Seat


class Continue(Command, frozen=True, tag="continue"):
    """Ask for the next round before the pause is over; it begins once everybody who plays has."""

    seat: Seat


class Start(Command, frozen=True, tag="start"):
    """Close the lobby and begin the first deal."""

    chance: Chance


class CommitSeed(Command, frozen=True, tag="commit_seed"):
    """Fix the seat's seed for this deal; `commit` is hex, as in CUP/1 section 4.1."""

    seat: Seat
    deal: Whole
    commit: Hash


class LogDeal(Command, frozen=True, tag="log_deal"):
    """Record that the sealed line is in the transparency log."""

    deal: DealNumber
    index: int
    path: tuple[str, ...]
    checkpoint: str


class OpenSeed(Command, frozen=True, tag="open_seed"):
    """Show the seat's seed, as hex."""

    seat: Seat
    deal: Whole
    seed: Hash


class FixDeal(Command, frozen=True, tag="fix_deal"):
    """Record that the last opened seed is in the transparency log, before the beacon speaks."""

    deal: DealNumber
    index: int
    path: tuple[str, ...]
    checkpoint: str


class HearBeacon(Command, frozen=True, tag="hear_beacon"):
    """Bring the beacon's answer, checked against its key; the signature is hex."""

    deal: DealNumber
    round: RoundNumber
    signature: str


class Advance(Command, frozen=True, tag="advance"):
    """Do what is due by now: deal the next round, act for a seat out of time, end a ceremony that nobody answers."""

    chance: Chance


class GiveBack(Command, frozen=True, tag="give_back"):
    """Give the seat in turn back the milliseconds during which the service was down."""

    ms: Milliseconds


class EndMatch(Command, frozen=True, tag="end_match"):
    """End the match as soon as no round is under way, for the host; a table that nobody has started ends at once."""

    reason: Reason | None = None


class CloseUnattended(Command, frozen=True, tag="close_unattended"):
    """End a match that bots play for nobody, for the table."""


# ---- what the host asks for ---------------------------------------------------------------------


class HostCommand(Command, frozen=True):
    """Something that whoever is the host may ask for, where the rules give the match host powers."""


class Kick(HostCommand, frozen=True, tag="kick"):
    """Take a seat out: at once in the lobby, else as soon as no dice are coming about. Nobody wins by it."""

    who: Whole
    reason: Reason


class PauseTable(HostCommand, frozen=True, tag="pause"):
    """Hold the table up, at most for as long as the rules still let: no clock runs and nothing is dealt."""

    reason: Reason


class ResumeTable(HostCommand, frozen=True, tag="resume"):
    """Let a paused table go on."""


class StandInFor(HostCommand, frozen=True, tag="stand_in_for"):
    """Have a house bot play the seat of somebody who is away."""

    who: Whole


class GiveSeatBack(HostCommand, frozen=True, tag="give_seat_back"):
    """Have a seat played by its player again."""

    who: Whole


class GiveTime(HostCommand, frozen=True, tag="give_time"):
    """Give a seat time on its clock; it comes out of what the host may hold the table up for."""

    who: Whole
    ms: Whole
    reason: Reason


class HandOver(HostCommand, frozen=True, tag="hand_over"):
    """Let somebody at the table be the host, instead of whoever is."""

    to: Whole


class LockTable(HostCommand, frozen=True, tag="lock"):
    """Let nobody else sit down."""


class UnlockTable(HostCommand, frozen=True, tag="unlock"):
    """Let whoever comes sit down again."""


PowerCommand = (
    HandOver | Kick | PauseTable | ResumeTable | StandInFor | GiveSeatBack | GiveTime | LockTable | UnlockTable
)
"""What only a host with powers may ask for."""

AroundCommand = (
    Join
    | Leave
    | Start
    | CommitSeed
    | LogDeal
    | OpenSeed
    | FixDeal
    | HearBeacon
    | Advance
    | GiveBack
    | EndMatch
    | CloseUnattended
    | StandIn
    | TakeBack
    | Continue
    | PowerCommand
)
"""What is asked of the match around the table."""

MatchCommand = AroundCommand | Play | Forfeit | CloseSession
"""What `domain.match.decide` decides."""
