"""Duplicate boards: a round is a board, which all its tables play with the same dice (`duplicate`).

Tables all have one size, who is left over rests with nothing, and rather with new faces at a table: `pods/1` with no
eye for scores. The position at a table is the seat, so the law of seats sees to it that everybody has each as often.

Source: the laws of tournaments, duplicate boards.
"""

from __future__ import annotations

from typing import Final

from msgspec import UNSET
from msgspec.structs import replace

from domain.match.settings import rules_in_force, settings_of
from domain.rules.boards import why_no_boards
from domain.tournaments.events import TablesPaired
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DrawnRound, Format, any_number, bad_option, has_played_all, keeps_apart
from domain.tournaments.formats.pods import draw_pods, logarithm, pairing_input
from domain.tournaments.formats.schedules import NEW_FACES
from domain.tournaments.pairing.lots import Lots
from domain.tournaments.pairing.pods.inputs import PairingInput
from domain.tournaments.pairing.sizes import TableSizes
from domain.tournaments.ranking.differences import compared
from domain.tournaments.rules import CountingLaw, Duplicate, TournamentRules

LAW: Final = "boards/1"
TABLES_MIN: Final = 2
"""Tables that a board has at least."""
TIEBREAKS: Final = ("WON", "CB")
OF_BOARDS: Final = ("DE", *TIEBREAKS)
"""What says something where the score of a table depends on others: whom one was ahead of at the own ones."""
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


def _paired_from(field: StageField, event: TablesPaired) -> PairingInput:
    return pairing_input(field, event.round, board_sizes(_rules(field)), NEW_FACES)


def _check(rules: TournamentRules, stage: Duplicate, option: str) -> None:
    """Check that the same dice can be at several tables, and that nobody is tempted to tell others of theirs."""
    settings = settings_of({**rules.match, **stage.overrides})
    if stage.best_of is not UNSET:
        raise bad_option(f"{option}.best_of", "a board is played once: everybody knows its dice by then")
    if why := why_no_boards(rules_in_force(settings)):
        raise bad_option(f"{option}.format", f"the same dice cannot be at several tables: {why}")
    if settings.clock is None:
        raise bad_option(
            "match.clock", "tables with the same dice wait for each other, so nobody plays without a clock"
        )
    if settings.deal_per != "match":
        raise bad_option("match.deal_per", "a board has one deal for the whole match")
    if (rules.prizes is not None or rules.rated) and not stage.supervised:
        why = "two at different tables who tell each other their dice know what they should not: with prizes or ratings"
        raise bad_option(f"{option}.supervised", f"{why} everybody has to be in one room")
    if rules.entry.max < TABLES_MIN * stage.size:
        raise bad_option("entry.max", "with fewer than two tables nobody has the same dice elsewhere")
    if not set(rules.tiebreaks) <= set(OF_BOARDS):
        raise bad_option("tiebreaks", f"here there are {', '.join(OF_BOARDS)}: scores depend on other tables")


DUPLICATE = Format(
    _rounds, _draw, _is_over, StageField.ranking,
    rolls=True, check=_check, check_rounds=any_number, sized_by="size", tiebreaks=TIEBREAKS, rests=False, boards=True,
    paired_from=_paired_from, keeps_apart=keeps_apart,
    # Nobody gains or loses by a board that they do not play, since its scores sum to nothing.
    counting=CountingLaw(byes=False, results=compared),
    played_once="a board is played once: everybody knows its dice by now",
)  # fmt: skip
