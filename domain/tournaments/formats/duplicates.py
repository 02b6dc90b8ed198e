"""Duplicate boards: a round is a board, which all its tables play with the same dice (`duplicate`).

Tables all have one size, who is left over rests with nothing, and rather with new faces at a table: `pods/1` with no
eye for scores. The position at a table is the seat, so the law of seats sees to it that everybody has each as often.

Source: the laws of tournaments, duplicate boards.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DrawnRound, Format, has_played_all
from domain.tournaments.formats.pods import draw_pods, logarithm
from domain.tournaments.formats.schedules import NEW_FACES
from domain.tournaments.options import TABLES_MIN
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.sizes import TableSizes
from domain.tournaments.rules import Duplicate

LAW: Final = "boards/1"
ROUNDS_MIN: Final = 3


def board_sizes(stage: Duplicate) -> TableSizes:
    """Return what tables seat: all of them as many."""
    return TableSizes(stage.size, stage.size, stage.size)


def _rules(field: StageField) -> Duplicate:
    assert isinstance(field.rules, Duplicate), "the table has it so"
    return field.rules


def _rounds(stage: Duplicate, entrants: int) -> int:
    return stage.rounds or max(ROUNDS_MIN, logarithm(entrants, stage.size) + 1)


def _draw(field: StageField, lots: Lots, number: int) -> DrawnRound:
    return replace(draw_pods(field, lots, number, board_sizes(_rules(field)), NEW_FACES), law=LAW)


def _is_over(field: StageField) -> bool:
    there = len(field.playing(field.upto + 1))
    return has_played_all(field) or there < TABLES_MIN * _rules(field).size


DUPLICATE = Format(_rounds, _draw, _is_over, StageField.ranking, rolls=True)
