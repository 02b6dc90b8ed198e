"""Survivors of a stage: who is still in where losers go out, as of now, and whom they meet next."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from msgspec import Struct

from domain.tournaments.field import StageField, result_of
from domain.tournaments.formats.survivors import initial_units, levels_of
from domain.tournaments.formats.table import format_of
from domain.tournaments.rules import LastLonger, match_rules
from domain.tournaments.tournament import PairedTable, PlayedStage, Tournament
from projections.tournaments.brackets import (
    BracketSpot,
    KnockoutRoundView,
    KnockoutSeat,
    KnockoutTable,
    bracket_view,
    has_bracket,
)
from projections.tournaments.people import Names, name_of

NEXT = ("started", "paired", "called")


class SurvivorLine(Struct, frozen=True):
    """Somebody who is still in; `left` is what they have left of what goes along, null where nothing does."""

    number: int
    name: str
    left: int | None = None


class Survivors(Struct, frozen=True):
    """Who is still in.

    Attributes:
        of: How many began the stage.
        lines: Who is in, by what they have left, or else by seeds.
        unit: What goes along from table to table, if anything does.
        matches: In a bracket, matches that are played, and then those that come next.
    """

    of: int
    lines: tuple[SurvivorLine, ...]
    unit: str | None = None
    matches: tuple[BracketSpot, ...] = ()


def survivors(tournament: Tournament, names: Names) -> Survivors | None:
    """Return who is still in at the newest stage; None where nobody goes out."""
    stage, rules = tournament.stage, tournament.stage_rules
    is_out = format_of(rules).is_out
    if stage is None or is_out is None:
        return None
    field = StageField(tournament, stage.number)
    if isinstance(rules, LastLonger):
        left, unit = _left(field), match_rules(tournament.rules, rules).match.unit
        order = sorted(left, key=lambda number: -left[number])
        return Survivors(len(stage.seeds), _lines(tournament, names, order, left), unit)
    if not has_bracket(rules):
        there = [number for number in stage.seeds if not is_out(field, number)]
        return Survivors(len(stage.seeds), _lines(tournament, names, there))
    view = bracket_view(tournament, names, stage.number)
    if view.rounds:
        last = view.rounds[-1]
        seats = [seat.number for table in last.tables for seat in table.seats if _goes_on(seat, table, last)]
        return Survivors(len(stage.seeds), _lines(tournament, names, _seeded(stage, {*seats, *last.byes})))
    out = {number for match in view.matches for number in _out_by(match, view.matches)}
    still = _seeded(stage, set(stage.seeds) - out)
    matches = tuple(sorted((each for each in view.matches if each.state in NEXT), key=lambda m: NEXT.index(m.state)))
    return Survivors(len(stage.seeds), _lines(tournament, names, still), None, matches)


def _goes_on(seat: KnockoutSeat, table: KnockoutTable, held: KnockoutRoundView) -> bool:
    """Report whether somebody at a table of a knockout is not out; from the last nobody goes on but the first."""
    return table.state != "over" or bool(seat.place == 1 if held.last else seat.through)


def _seeded(stage: PlayedStage, numbers: Collection[int]) -> list[int]:
    return [number for number in stage.seeds if number in numbers]


def _lines(
    tournament: Tournament, names: Names, numbers: Collection[int], left: dict[int, int] | None = None
) -> tuple[SurvivorLine, ...]:
    """Return those of them who have not left by themselves, in their order."""
    there = (number for number in numbers if tournament.entrants[number].plays)
    return tuple(SurvivorLine(n, name_of(names, n), None if left is None else left.get(n)) for n in there)


def _out_by(match: BracketSpot, matches: Collection[BracketSpot]) -> Iterator[int]:
    """Yield who goes out by a match of a bracket: from the one for the third place nobody goes on."""
    last = match.id.startswith("P")
    if last or match.loser_to is None or not _is_played(match.loser_to, matches):
        for side in match.sides:
            if side.number is not None and (side.won is False or (last and side.won)):
                yield side.number


def _is_played(name: str, matches: Collection[BracketSpot]) -> bool:
    """Report whether a match is one: the second of a grand final may not be needed."""
    return next(match.state for match in matches if match.id == name) != "void"


def _left(field: StageField) -> dict[int, int]:
    """Return what everybody has left who is still in, tables that are over among it."""
    levels = levels_of(field)
    left = dict(levels[-1].left) if levels else dict.fromkeys(field.stage.seeds, initial_units(field))
    for held in field.stage.open_rounds:
        for table in held.tables.values():
            left = _after(table, left)
    return left


def _after(table: PairedTable, left: dict[int, int]) -> dict[int, int]:
    counts = result_of(table)
    if counts is None:
        return left
    units = {} if table.result is None else dict(table.result.units)
    now = {**left, **{number: units.get(number, left[number]) for number in table.seats}}
    return {number: has for number, has in now.items() if has > 0 and number not in counts.absent}
