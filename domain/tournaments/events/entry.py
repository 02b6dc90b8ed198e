"""Entries of a tournament: who takes part, check-in, withdrawals, byes that are asked for."""

from __future__ import annotations

from typing import Literal

from domain.events.base import BaseEvent
from domain.fairness.signing.entrants import KeySignature
from domain.ids import UnixMs
from domain.tournaments.events.words import Reason


class EntryOpened(BaseEvent, frozen=True, tag="entry.opened"):
    """Whoever meets the conditions may enter."""

    by: str


class EntryClosed(BaseEvent, frozen=True, tag="entry.closed"):
    """Nobody enters any more, but for latecomers where the rules have them."""

    by: str


class PlayerRegistered(BaseEvent, frozen=True, tag="player.registered"):
    """An entrant has a number, which nobody else will ever have.

    `rating` is (mu, sigma) in millionths; `seed` is what a host says where seeds are set by hand.
    """

    number: int
    player: str
    club: str | None
    bot: bool
    rating: tuple[int, int] | None
    seed: int | None
    by: str


class PlayerApproved(BaseEvent, frozen=True, tag="player.approved"):
    """An official has let an entrant in."""

    number: int
    by: str
    reason: Reason
    note: str | None


class PlayerSeeded(BaseEvent, frozen=True, tag="player.seeded"):
    """A host has set the place of an entrant among the seeds, or taken it back."""

    number: int
    seed: int | None
    by: str


class PlayerTurnedAway(BaseEvent, frozen=True, tag="player.turned_away"):
    """An official has not let an entrant in."""

    number: int
    by: str
    reason: Reason
    note: str | None


class CheckInOpened(BaseEvent, frozen=True, tag="check_in.opened"):
    """Entrants say that they are there, until then."""

    until: UnixMs
    by: str


class PlayerCheckedIn(BaseEvent, frozen=True, tag="player.checked_in"):
    """An entrant is there; `draws` if he gives a seed to the lots."""

    number: int
    draws: bool
    by: str


class PlayerWithdrawn(BaseEvent, frozen=True, tag="player.withdrawn"):
    """An entrant plays no more, from this round on."""

    number: int
    stage: int
    round: int
    by: str
    reason: Reason
    note: str | None


class PlayerReturned(BaseEvent, frozen=True, tag="player.returned"):
    """An entrant plays again, from this round on."""

    number: int
    stage: int
    round: int
    by: str
    reason: Reason
    note: str | None


class ByeRequested(BaseEvent, frozen=True, tag="bye.requested"):
    """An entrant is left out of a round, at the own wish: for half a first place, or for nothing."""

    number: int
    stage: int
    round: int
    kind: Literal["half", "zero"]
    by: str


class ByeDropped(BaseEvent, frozen=True, tag="bye.dropped"):
    """An entrant plays that round after all."""

    number: int
    stage: int
    round: int
    by: str


class PlayerWaits(BaseEvent, frozen=True, tag="player.waits"):
    """An entrant of an arena is ready for a table."""

    number: int


class PlayerPauses(BaseEvent, frozen=True, tag="player.pauses"):
    """An entrant of an arena is not, until it waits again."""

    number: int


class PlayerKeyed(BaseEvent, frozen=True, tag="player.keyed", omit_defaults=True):
    """An entrant has said which key is the own one, and signed it; or a host has named one, unsigned.

    What a host names changes nothing yet: the entrant's next word decides. Source: CUP/1 sections 4.14.4 and 4.14.8.
    """

    number: int
    key: str
    by: str
    signed: KeySignature | None = None
