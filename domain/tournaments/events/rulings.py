"""Rulings: what officials of a tournament decide about entrants, and what entrants say to it."""

from __future__ import annotations

from typing import Literal

from domain.events.base import BaseEvent
from domain.tournaments.events.words import Reason


class PenaltyImposed(BaseEvent, frozen=True, tag="penalty.imposed"):
    """An official has punished an entrant; points are a fraction that is taken away."""

    number: int
    kind: Literal["warning", "points", "table_loss", "disqualified"]
    points: str | None
    stage: int | None
    round: int | None
    table: int | None
    by: str
    reason: Reason
    note: str | None


class PenaltyLifted(BaseEvent, frozen=True, tag="penalty.lifted"):
    """A penalty counts no more; `line` is the place of it in the stream."""

    line: int
    by: str
    reason: Reason
    note: str | None


class PairForbidden(BaseEvent, frozen=True, tag="pair.forbidden"):
    """These two do not sit at one table."""

    numbers: tuple[int, int]
    by: str
    reason: Reason
    note: str | None


class PairAllowed(BaseEvent, frozen=True, tag="pair.allowed"):
    """They may again; `line` is the place of what had forbidden it."""

    line: int
    by: str


class CaseOpened(BaseEvent, frozen=True, tag="case.opened"):
    """An official looks into something that a screening has found; the name of the case says nothing of whom."""

    case: str
    by: str


class AppealFiled(BaseEvent, frozen=True, tag="appeal.filed"):
    """An entrant disputes a line."""

    appeal: int
    number: int
    line: int
    note: str | None


class AppealDecided(BaseEvent, frozen=True, tag="appeal.decided"):
    """What became of an appeal; `lines` are the places of what was done about it."""

    appeal: int
    outcome: Literal["upheld", "denied", "withdrawn"]
    lines: tuple[int, ...]
    by: str
    note: str | None
