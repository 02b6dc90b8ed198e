"""Tables and rows of the standings that a line moves: all that whoever shows them needs, to show them as of it.

Rows are told as they are hashed, by numbers: a line may be told long after, and names can be erased by then.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from domain.tournaments.field import StageField
from domain.tournaments.ranking.standings import Standing, standings_object
from domain.tournaments.tournament import Entrant, HeldRound, Place, Tournament
from projections.tournaments.rounds import TableState, state_of_table

MovedRow = tuple[int, int | None, str, tuple[str | tuple[str, ...] | None, ...]]
"""`[number, place or null, score, [values in the order of the rules' tie-breaks, null where none was looked at]]`."""
PlaceShift = tuple[int, int, int]
"""`[first, last, by]`."""


class MovedTable(Struct, frozen=True):
    """A table that is as it was not before; `gone` for one that was taken back."""

    stage: int
    round: int
    table: int
    state: TableState | Literal["gone"]


class Moved(Struct, frozen=True):
    """What is not as it was before a line.

    Attributes:
        tables: Tables, by stage, round and number.
        stage: The stage that the rows are of, the newest; null before there is one.
        round: The round after which they are, the last that is paired, with what it has come to by now.
        rows: Entrants with another score or another tie-break, by place; null where rows are those of another round
            than before, or of others: then the standings are to be read anew.
        shifts: Where nothing but places moved: whoever had one from `first` to `last`, and is not among the rows, now
            has it `by` so many further down, further up where that is negative.
    """

    tables: tuple[MovedTable, ...] = ()
    stage: int | None = None
    round: int | None = None
    rows: tuple[MovedRow, ...] | None = ()
    shifts: tuple[PlaceShift, ...] = ()


def newest_field(tournament: Tournament, before: StageField | None = None) -> StageField | None:
    """Return the newest stage after its last round that is paired, as of now; None before there is one."""
    stage = tournament.stage
    if stage is None:
        return None
    last = next((number for number in sorted(stage.rounds, reverse=True) if stage.rounds[number].is_paired), 0)
    return StageField(tournament, stage.number, last, before)


def moved_by(before: Tournament, after: Tournament, known: StageField | None) -> tuple[Moved, StageField | None]:
    """Return what a line moved, and the standings after it, for the next.

    Args:
        before: The tournament as of the line before.
        after: The same as of the line.
        known: What was returned with the line before, if anything was, and with no other.

    Cost: nothing that grows with entrants unless the line concerns standings; with 1,000 of them over seven rounds a
    fiftieth of a second where it does, a tenth for the first.
    """
    tables = tuple(_moved_tables(before, after))
    if not _concerns_rows(before, after):
        return Moved(tables, *_place(newest_field(after))), known
    was = newest_field(before) if known is None else known
    now = newest_field(after, was)
    if was is None or now is None or not was.looks_like(now):
        return Moved(tables, *_place(now), None), now
    rows, shifts = _moved_rows(was.rows, now.rows)
    return Moved(tables, *_place(now), _as_hashed(now, rows), shifts), now


def _place(field: StageField | None) -> tuple[int | None, int | None]:
    return (None, None) if field is None else (field.stage.number, field.upto)


# ---- tables ------------------------------------------------------------------------------------------


def _rounds(tournament: Tournament) -> dict[Place, HeldRound]:
    return {(stage.number, held.number): held for stage in tournament.stages for held in stage.rounds.values()}


def _moved_tables(before: Tournament, after: Tournament) -> Iterator[MovedTable]:
    if before.stages is after.stages:
        return
    was, now = _rounds(before), _rounds(after)
    for place in sorted(now):
        held, then = now[place].tables, was[place].tables if place in was else {}
        if held is then:
            continue
        for number in sorted({*held, *then}):
            if number not in held:
                yield MovedTable(*place, number, "gone")
            elif held[number] is not then.get(number):
                yield MovedTable(*place, number, state_of_table(held[number]))


# ---- rows --------------------------------------------------------------------------------------------


def _concerns_rows(before: Tournament, after: Tournament) -> bool:
    same = before.stages is after.stages and before.penalties is after.penalties
    return not same or (bool(after.stages) and _people(before, after))


def _people(before: Tournament, after: Tournament) -> bool:
    """Report whether somebody came, went, or is to be left out of a round."""
    was, now = before.entrants, after.entrants
    if was is now:
        return False
    return len(was) != len(now) or any(
        _counts(was[n]) != _counts(each) for n, each in now.items() if was[n] is not each
    )


def _counts(entrant: Entrant) -> tuple[object, ...]:
    """Return what standings depend on."""
    return (entrant.is_in, entrant.here, entrant.since, entrant.gone, entrant.disqualified, entrant.byes)


def _moved_rows(was: Sequence[Standing], now: Sequence[Standing]) -> tuple[list[Standing], tuple[PlaceShift, ...]]:
    """Return the rows that are others, and how places of the rest have moved."""
    then = {row.number: row for row in was}
    same = [row for row in now if _is_alike(row, then[row.number])]
    shifts: dict[int, set[int]] = {}
    for row in same:
        if row.place is not None:
            old = then[row.number].place or 0
            shifts.setdefault(old, set()).add(row.place - old)
    # Who shared a place, and shares it no more though no number moved, is told one by one.
    apart = {old for old, by in shifts.items() if len(by) > 1}
    kept = {row.number for row in same if then[row.number].place not in apart}
    by_place = {old: by.pop() for old, by in shifts.items() if old not in apart}
    return [row for row in now if row.number not in kept], tuple(_runs(by_place))


def _is_alike(row: Standing, then: Standing) -> bool:
    placed = (row.place is None) == (then.place is None)
    return placed and row.score == then.score and row.ties == then.ties


def _runs(by_place: Mapping[int, int]) -> Iterator[PlaceShift]:
    """Yield places next to each other that moved by the same as one."""
    first = last = by = 0
    for place in sorted(by_place):
        if by_place[place] == by:
            last = place
            continue
        if by:
            yield first, last, by
        first, last, by = place, place, by_place[place]
    if by:
        yield first, last, by


def _as_hashed(field: StageField, rows: Sequence[Standing]) -> tuple[MovedRow, ...]:
    codes = field.tournament.rules.tiebreaks
    found = standings_object(field.stage.number, field.upto, codes, rows)["rows"]
    return tuple((number, place, score, tuple(map(_frozen, values))) for number, place, score, values in found)


def _frozen(value: str | list[str] | None) -> str | tuple[str, ...] | None:
    return tuple(value) if isinstance(value, list) else value
