"""Frame of a tournament: its rules, its officials, pauses, its end."""

from __future__ import annotations

from typing import Any, Literal

from domain.events.base import BaseEvent
from domain.tournaments.events.words import RULE, Ranking, Reason, Role


class TournamentCreated(BaseEvent, frozen=True, tag="tournament.created"):
    """A tournament was announced under rules frozen from here on."""

    tournament: str
    rules: dict[str, Any]
    policy: Literal["all"]


class OfficialAppointed(BaseEvent, frozen=True, tag="official.appointed"):
    """Somebody has powers from now on, known here only by an opaque id."""

    official: str
    role: Role
    by: str


class OfficialDismissed(BaseEvent, frozen=True, tag="official.dismissed"):
    """Somebody has no powers any more."""

    official: str
    by: str


class TournamentPaused(BaseEvent, frozen=True, tag="tournament.paused"):
    """Nothing is paired or started, and nobody is waited for; matches that run go on."""

    by: str
    reason: Reason
    note: str | None


class TournamentResumed(BaseEvent, frozen=True, tag="tournament.resumed"):
    """It goes on."""

    by: str


class TournamentFinished(BaseEvent, frozen=True, tag="tournament.finished"):
    """All stages are over; `paid` are (number, exact share, whole units)."""

    ranking: Ranking
    standings: str
    paid: tuple[tuple[int, str, int], ...]


class TournamentCancelled(BaseEvent, frozen=True, tag="tournament.cancelled"):
    """It does not take place, or not to its end."""

    by: str
    reason: Reason
    note: str | None


class TournamentClosed(BaseEvent, frozen=True, tag="tournament.closed", omit_defaults=True):
    """Nothing follows; `by` is the official who closed before appeals were heard no more, or else the law."""

    by: str = RULE
