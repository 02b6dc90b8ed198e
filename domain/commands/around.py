"""Commands around the table: seats, the deal, pauses, the end."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from domain.commands.base import Command, Hash, Whole
from domain.events import Reason
from domain.fairness.deal import Cup
from domain.fairness.openings import DealSecrets, new_deal_secrets
from domain.ids import DealNumber, Milliseconds, RoundNumber, Seat


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

    `seat` is said by records, and at tables of tournaments, which say who sits where: elsewhere who comes takes the
    lowest free number, in older matches one that was never given.
    `key` is what the seat signs with from then on, `name` what fixes the player's name without saying it (CUP/1 section
    4.14).
    """

    player: str
    custody: Literal["client", "server"]
    seat: Seat | None = None
    key: Hash | None = None
    name: Hash | None = None


class Leave(Command, frozen=True, tag="leave"):
    """Give the seat up before the match starts."""

    seat: Seat


class StandUp(Command, frozen=True, tag="stand_up"):
    """Get up from a seat that the house gave out without a key, to sit down in it again with one at once.

    Until then nothing else happens in the match, so the two are stored together.
    """

    seat: Seat


class Rekey(Command, frozen=True, tag="rekey"):
    """Sign with another key from the next command on; this one is signed with the old one. Both are 64 hex digits."""

    seat: Seat
    key: Hash


class NameKey(Command, frozen=True, tag="name_key"):
    """Name a key for a player who has lost his, for the host: the seat's next command decides of it.

    Source: CUP/1 section 4.14.4.
    """

    who: Whole
    key: Hash


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
