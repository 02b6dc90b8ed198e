"""Challenges on a ladder: who asks whom for a match, what is answered, and what is not."""

from __future__ import annotations

from domain.events.base import BaseEvent
from domain.ids import UnixMs


class ChallengeMade(BaseEvent, frozen=True, tag="challenge.made"):
    """An entrant asks one who stands above for a match, who may answer until then; challenges are 1, 2, ..."""

    challenge: int
    number: int
    against: int
    until: UnixMs


class ChallengeAnswered(BaseEvent, frozen=True, tag="challenge.answered"):
    """Who was challenged plays, or gives the place away."""

    challenge: int
    accepted: bool


class ChallengeLapsed(BaseEvent, frozen=True, tag="challenge.lapsed"):
    """Nobody answered in time, so that the place is lost."""

    challenge: int
