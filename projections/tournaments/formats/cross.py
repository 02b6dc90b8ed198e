"""Cross table of a stage: what everybody came to against everybody else, and at which table."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain.tournaments.field import StageField
from domain.tournaments.formats.table import format_of
from domain.tournaments.rules import largest_size
from projections.tournaments.numbers import ExactNumber, exact
from projections.tournaments.parts import Explanation

CROSS_MAX: Final = 32
"""Entrants of whom there is a cross table: of more nobody finds the column."""
PAIR: Final = 2


class CrossMeeting(Struct, frozen=True):
    """A table at which an entrant met another.

    Attributes:
        against: Whom.
        ahead: What it was between the two: 1 ahead, 1/2 level, 0 behind.
        how: `played`; `walkover` or `absent` where it was not.
        table: Where, in the `round`, with the `match` that counts.
    """

    against: int
    ahead: ExactNumber
    how: str
    round: int
    table: int
    match: str


class CrossRow(Struct, frozen=True):
    """An entrant of a cross table, with all meetings in the order of rounds."""

    number: int
    meetings: tuple[CrossMeeting, ...]


def cross_table(explanation: Explanation) -> tuple[CrossRow, ...] | None:
    """Return what everybody came to against everybody, in the order of the standings.

    None where it says little: where not all meet, or nobody could read it. There is one where points of tables of two,
    or of a plan that is known from the start, say who stands where, of `CROSS_MAX` entrants at most.
    """
    field = explanation.field
    if not _has_cross(field):
        return None
    return tuple(CrossRow(row.number, tuple(_meetings(explanation, row.number))) for row in field.rows)


def _has_cross(field: StageField) -> bool:
    chosen = format_of(field.rules)
    by_points = chosen.by_score and field.order is None and not field.stage.overlaps and not chosen.boards
    meets = chosen.fixed or largest_size(field.rules) == PAIR
    return by_points and meets and len(field.numbers) <= CROSS_MAX


def _meetings(explanation: Explanation, number: int) -> Iterator[CrossMeeting]:
    outcomes = explanation.field.outcomes.of[number]
    for course in explanation.course(number):
        if course.table is not None and course.match is not None:
            outcome = outcomes[course.round - 1]
            for other, ahead in zip(outcome.met, outcome.beaten, strict=True):
                share = exact(Fraction(ahead, 2))
                yield CrossMeeting(other, share, course.how, course.round, course.table, course.match)
