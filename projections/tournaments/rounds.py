"""Rounds as everybody sees them: who sits where, in which match, what came of it, and who rests."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from msgspec import Struct

from domain.errors import Refused
from domain.ids import UnixMs, Version
from domain.tournaments.events import Ranking, ResultRuled
from domain.tournaments.field import StageField, result_of
from domain.tournaments.formats.table import format_of
from domain.tournaments.pairing.lots import board_id, match_id
from domain.tournaments.ranking.legs import winner_of
from domain.tournaments.ranking.outcomes import RoundOutcome
from domain.tournaments.rules import legs_max
from domain.tournaments.tournament import HeldRound, PairedTable, Tournament
from projections.tournaments.numbers import ExactNumber, exact
from projections.tournaments.people import Names, group_of, name_of, rest_kind

TableState = Literal["paired", "started", "over"]
RoundState = Literal["paired", "started", "closed"]


class TableSeat(Struct, frozen=True):
    """Somebody at a table.

    Attributes:
        seat: From 1; the first opens.
        score: What they had before the round, in this stage.
        place: The place at the table, from 1, once it is over.
        shared: Whether somebody there has the same place.
        absent: Whether they did not come.
        points: What the table gave them.
        stack: What they began with of what one is out without, where that goes along from round to round.
        left: What they had left of it in the end, where the match says.
        out_in: The round of the match in which they went out, where it says.
    """

    seat: int
    number: int
    name: str
    bot: bool
    score: ExactNumber
    place: int | None = None
    shared: bool = False
    absent: bool = False
    points: ExactNumber | None = None
    stack: int | None = None
    left: int | None = None
    out_in: int | None = None


class TableRuling(Struct, frozen=True):
    """An official's word on a table, which counts instead of what was recorded.

    Attributes:
        by: The id of who ruled.
        reason: The code of why.
        note: The hash of a text beside it, if there is one.
        points: Whether points were given by hand, and do not follow from places.
    """

    by: str
    reason: str
    note: str | None
    points: bool


class TableLeg(Struct, frozen=True):
    """A match that is over, of a table that plays several.

    Attributes:
        attempt: Which match of the table, from 1.
        match: The id of it; null where nobody played.
        opened: Who opened it.
        first: Who won it; null where nobody did.
        how: How it ended.
    """

    attempt: int
    match: str | None
    opened: int
    first: int | None
    how: Literal["played", "time", "walkover", "nobody"]


class TableView(Struct, frozen=True):
    """A table of a round.

    Attributes:
        table: Its number in the round; 1 is the top.
        group: The group it belongs to, from 1, where there are groups.
        state: Whether its match is open, and whether it has a result that counts.
        attempt: Which match of theirs counts, from 1.
        match: The id of that match, which follows from the place.
        how: How it ended, by the record; null before, or where only an official has spoken.
        version: How many lines of the match were there when its result was recorded; null where none was played.
        head: The hash of the last of them.
        ruling: What an official said last, which counts then.
        line: The place in the stream of what counts, for whoever appeals against it.
        best_of: How many matches it plays at most.
        legs: Those that are over, where it may play several.
    """

    table: int
    state: TableState
    attempt: int
    match: str
    seats: tuple[TableSeat, ...]
    group: int | None = None
    how: Literal["played", "time", "walkover", "nobody"] | None = None
    version: Version | None = None
    head: str | None = None
    ruling: TableRuling | None = None
    line: int | None = None
    best_of: int = 1
    legs: tuple[TableLeg, ...] = ()


class Rest(Struct, frozen=True):
    """Somebody who has no table in a round.

    Attributes:
        kind: `bye`, since tables are full; `half` or `zero`, as asked for; `late`, for a round before they came.
        points: What the round gives them.
    """

    number: int
    name: str
    bot: bool
    kind: str
    points: ExactNumber


class RoundView(Struct, frozen=True):
    """A round of a stage.

    Attributes:
        version: How many lines of the tournament it shows.
        planned: How many rounds the stage has, where that is known.
        law: Which law paired it: `manual/1` where officials set every table.
        line: The place of its pairing in the stream, from 0.
        roll: The roll whose lots it was drawn by, if it has lots of its own.
        tables: By number.
        resting: Who has no table.
        missing: The tables that have no result yet.
        cost: What this grouping costs by `pods/1`, and `bound`, what none costs less than; null by another law.
        started_at: When its matches were open, in Unix milliseconds.
        until: When it ends for all tables, if it does.
        closed_at: When its last result was in.
    """

    tournament: str
    version: Version
    stage: int
    round: int
    planned: int | None
    state: RoundState
    law: str
    line: int
    roll: int | None
    tables: tuple[TableView, ...]
    resting: tuple[Rest, ...]
    missing: tuple[int, ...]
    cost: int | None
    bound: int | None
    started_at: UnixMs | None
    until: UnixMs | None
    closed_at: UnixMs | None


def held_round(tournament: Tournament, stage: int, number: int) -> HeldRound:
    """Return a round that is paired.

    Raises:
        Refused: `not_paired`.
    """
    known = 1 <= stage <= len(tournament.stages)
    found = tournament.stages[stage - 1].rounds.get(number) if known else None
    if found is None or not found.is_paired:
        raise Refused("not_paired", stage=stage, round=number)
    return found


def round_view(tournament: Tournament, names: Names, stage: int, number: int) -> RoundView:
    """Return a round with all its tables.

    Raises:
        Refused: `not_paired`.
    """
    held = held_round(tournament, stage, number)
    drawing = RoundDrawing(tournament, names, stage, held)
    return RoundView(
        tournament=str(tournament.id),
        version=tournament.version,
        stage=stage,
        round=number,
        planned=tournament.stages[stage - 1].rounds_planned,
        state=state_of_round(held),
        law=held.law,
        line=held.line,
        roll=held.roll,
        tables=tuple(drawing.table(table) for _, table in sorted(held.tables.items())),
        resting=tuple(drawing.resting()),
        missing=held.missing,
        cost=held.cost,
        bound=held.bound,
        started_at=held.started_at,
        until=held.until,
        closed_at=held.closed_at,
    )


def table_view(tournament: Tournament, names: Names, stage: int, number: int, table: int) -> TableView:
    """Return a table of a round.

    Raises:
        Refused: `not_paired`, `unknown_table`.
    """
    held = held_round(tournament, stage, number)
    if table not in held.tables:
        raise Refused("unknown_table", table=table)
    return RoundDrawing(tournament, names, stage, held).table(held.tables[table])


def state_of_round(held: HeldRound) -> RoundState:
    """Return how far a round has come."""
    if held.closed_at is not None:
        return "closed"
    return "paired" if held.started_at is None else "started"


def state_of_table(table: PairedTable) -> TableState:
    """Return how far a table has come."""
    return "over" if table.is_over else "started" if table.started else "paired"


def match_at(tournament: Tournament, stage: int, number: int, table: PairedTable) -> str:
    """Return the id of the match that counts at a table."""
    return match_id(str(tournament.id), stage, number, table.number, table.attempt)


def board_at(tournament: Tournament, stage: int, number: int, table: PairedTable) -> str | None:
    """Return the id of the board whose dice a table has, where several have the same; None for dice of its own."""
    shares = format_of(tournament.rules.stages[stage - 1]).boards
    return board_id(str(tournament.id), stage, number, table.attempt) if shares else None


def table_places(ranking: Ranking) -> dict[int, tuple[int, int]]:
    """Return by entrant the place at a table, from 1, and how many share it."""
    found: dict[int, tuple[int, int]] = {}
    for level in ranking:
        place = len(found) + 1
        found.update(dict.fromkeys(level, (place, len(level))))
    return found


class RoundDrawing:
    """A round as it is drawn for people: what everybody had before it, and what it has given so far."""

    def __init__(self, tournament: Tournament, names: Names, stage: int, held: HeldRound) -> None:
        """Look at a round that is paired."""
        self._tournament, self._names, self._stage, self._held = tournament, names, stage, held
        self._before = StageField(tournament, stage, held.number - 1)
        self._after = StageField(tournament, stage, held.number)
        self._best_of = legs_max(self._before.rules)
        self._stacks = format_of(self._before.rules).stacks(self._before)

    def table(self, table: PairedTable) -> TableView:
        """Return a table of it."""
        recorded, ruled = table.result, table.ruling
        said = None if ruled is None else _ruling(ruled)
        return TableView(
            table=table.number,
            state=state_of_table(table),
            attempt=table.attempt,
            match=match_at(self._tournament, self._stage, self._held.number, table),
            seats=tuple(self._seats(table)),
            group=group_of(self._before.stage, table.seats[0]),
            how=None if recorded is None else recorded.how,
            version=None if recorded is None else recorded.version,
            head=None if recorded is None else recorded.head,
            ruling=said,
            line=table.line,
            best_of=self._best_of,
            legs=_legs(table) if self._best_of > 1 else (),
        )

    def resting(self) -> Iterator[Rest]:
        """Yield who has no table, in the order of the stage."""
        for bye in self._after.byes:
            if bye.round == self._held.number:
                number = bye.number
                bot = self._tournament.entrants[number].bot
                kind = rest_kind(self._tournament, bye, self._stage)
                yield Rest(number, name_of(self._names, number), bot, kind, exact(self._points(number)))

    def _seats(self, table: PairedTable) -> Iterator[TableSeat]:
        counts = result_of(table)
        places = {} if counts is None else table_places(counts.ranking)
        units = {} if table.result is None else dict(table.result.units)
        for seat, number in enumerate(table.seats, start=1):
            place, many = places.get(number, (None, 1))
            yield TableSeat(
                seat=seat,
                number=number,
                name=name_of(self._names, number),
                bot=self._tournament.entrants[number].bot,
                score=exact(self._before.scores[number]),
                place=place,
                shared=many > 1,
                absent=counts is not None and number in counts.absent,
                points=None if counts is None else exact(self._points(number)),
                stack=self._stacks.get(number),
                left=max(0, units[number]) if number in units else None,
                out_in=-units[number] if units.get(number, 0) < 0 else None,
            )

    def _points(self, number: int) -> Fraction:
        outcome: RoundOutcome = self._after.outcomes.of[number][self._held.number - 1]
        return Fraction(outcome.points, self._after.outcomes.unit)


def _legs(table: PairedTable) -> tuple[TableLeg, ...]:
    """Return the matches of a table that are over; seats changed after each that another followed."""
    there = table.paired
    return tuple(
        TableLeg(leg.attempt, leg.match, there[at % 2], winner_of(leg.ranking), leg.how)
        for at, leg in enumerate(table.legs)
    )


def _ruling(ruled: ResultRuled) -> TableRuling:
    return TableRuling(ruled.by, ruled.reason, ruled.note, ruled.points is not None)
