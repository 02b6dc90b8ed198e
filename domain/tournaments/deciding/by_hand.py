"""Decisions about tables set by hand: who sits together by the word of an official, and what is taken back for it."""

from __future__ import annotations

from collections.abc import Collection

from domain.errors import Refused
from domain.tournaments import commands, events
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.field import StageField
from domain.tournaments.formats.table import format_of
from domain.tournaments.rules import Stage, largest_size, match_rules, smallest_size
from domain.tournaments.tournament import HeldRound

MANUAL = "manual/1"


def fix_tables(course: TournamentCourse, command: commands.FixTables) -> None:
    """Put on record who is to sit together in the round that is paired next, or at tables that were taken back."""
    course.check_official(command.by)
    course.check_input("running")
    stage = course.stage
    held, number = stage.played, stage.next_number
    if held is not None and held.freed:
        _seat_freed(course, command, held)
        return
    if stage.closed is not None or course.is_beyond(number):
        raise Refused("too_late", round=number)
    if held is not None and held.number == number and held.is_paired:
        raise Refused("already_paired", round=number)
    rules = course.tournament.stage_rules
    _check_by_hand(rules)
    playing = set(StageField(course.tournament, stage.number).playing(number))
    _check_tables(course, command.tables, playing)
    if format_of(rules).by_hand == "round" and {n for table in command.tables for n in table} != playing:
        raise Refused("bad_tables", why="in this format a round is set as a whole")
    course.check_reason(command)
    course.add(events.TablesFixed(stage.number, number, command.tables, command.by, command.reason, command.note))


def _check_by_hand(rules: Stage) -> None:
    """Check that officials may say who sits where.

    Raises:
        Refused: `bad_tables`.
    """
    if format_of(rules).by_hand == "never":
        raise Refused("bad_tables", why="here who meets whom follows from who has won, asks, or plays in which group")


def _check_tables(course: TournamentCourse, tables: tuple[tuple[int, ...], ...], playing: Collection[int]) -> None:
    """Check that tables seat some of those who play, each once, as many as may sit there, and nobody forbidden.

    Raises:
        Refused: `bad_tables`, `forbidden_pair`.
    """
    seated = [n for table in tables for n in table]
    sizes = _sizes(course, playing)
    if len(seated) != len(set(seated)) or not set(playing).issuperset(seated):
        raise Refused("bad_tables", why="somebody is named twice, or does not play")
    if any(len(table) not in sizes for table in tables):
        raise Refused("bad_tables", why=f"tables have {sizes[0]} to {sizes[-1]} seats")
    for one, other in StageField(course.tournament, course.stage.number).forbidden(seated):
        if any(one in table and other in table for table in tables):
            raise Refused("forbidden_pair", numbers=[one, other])


def _sizes(course: TournamentCourse, playing: Collection[int]) -> list[int]:
    """Return how many may sit at a table, ascending: as few as the game is for, where all who play fill none."""
    rules = course.tournament.stage_rules
    least, points = smallest_size(rules), course.tournament.rules.scoring.points
    fewer = range(match_rules(course.tournament.rules, rules).seats[0], least) if len(playing) < least else ()
    # Where points are listed, they say what a place at a table is worth of which size.
    return [*(size for size in fewer if not points or str(size) in points), *range(least, largest_size(rules) + 1)]


def _seat_freed(course: TournamentCourse, command: commands.FixTables, held: HeldRound) -> None:
    """Seat those anew whose tables were taken back; whoever is not named rests, as with a bye of the pairing."""
    stage, upto, head = course.stage.number, course.upto, course.head
    freed = [n for seats in held.freed.values() for n in seats if course.tournament.entrants[n].plays]
    _check_tables(course, command.tables, freed)
    course.check_reason(command)
    seated = {n for table in command.tables for n in table}
    top = max([*held.freed, *held.tables])
    numbers = [*sorted(held.freed), *range(top + 1, top + 1 + len(command.tables))]
    tables = tuple(zip(numbers, command.tables, strict=False))
    byes = tuple(number for number in sorted(freed) if number not in seated)
    course.add(
        events.TablesFixed(stage, held.number, command.tables, command.by, command.reason, command.note),
        events.TablesPaired(
            stage,
            None,
            held.number,
            MANUAL,
            upto,
            head,
            None,
            byes,
            tables,
            None,
            command.by,
        ),
    )


def unpair(course: TournamentCourse, command: commands.Unpair) -> None:
    """Take tables of the round back: of the whole round, whose roll is used up for good, or some of them."""
    course.check_official(command.by)
    course.check_phase("running")
    held = course.open_round()
    some = _some_tables(course, held, command.tables)
    over = [number for number in some or held.tables if held.tables[number].is_over or held.tables[number].legs]
    if over:
        raise Refused("table_over", tables=over)
    course.check_reason(command)
    course.add(events.TablesUnpaired(course.stage.number, held.number, some, command.by, command.reason, command.note))


def _some_tables(course: TournamentCourse, held: HeldRound, tables: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """Return which tables of a round are meant, ascending; None for all of it.

    Raises:
        Refused: `unknown_table`, `bad_tables`.
    """
    if tables is None or (set(tables) == held.tables.keys() and not held.freed):
        return None
    _check_by_hand(course.tournament.stage_rules)
    unknown = [number for number in tables if number not in held.tables]
    if unknown:
        raise Refused("unknown_table", table=unknown[0])
    return tuple(sorted(set(tables)))
