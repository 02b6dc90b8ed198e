"""Views of a tournament: what everybody sees of it, of a round, of the standings and of an entrant.

All of it is a fold of the log, and public. Numbers that may be fractions are texts in lowest terms, with a decimal
beside them for people.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final, Literal

from msgspec import Struct

from domain.tournaments.deciding.due import due
from domain.tournaments.field import StageField, result_of
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.points import points_text
from domain.tournaments.ranking.standings import Standing
from domain.tournaments.rules import object_of
from domain.tournaments.tournament import Entrant, HeldRound, PairedTable, Tournament

PLACES: Final = 3
"""Digits behind the point of what is shown to people."""

TournamentState = Literal["announced", "running", "over"]
"""Where tournaments are listed: before they begin, while they are played, and afterwards."""
EntrantState = Literal["waits", "entered", "here", "gone", "turned_away", "disqualified"]
Names = Mapping[str, str]


class Shown(Struct, frozen=True):
    """A number: exactly, and as people read it."""

    value: str
    shown: str


class NextStep(Struct, frozen=True):
    """What the tournament does by itself next, and when at the earliest, in Unix milliseconds."""

    step: str
    at: int


class TournamentView(Struct, frozen=True):
    """A tournament as it stands.

    Attributes:
        title: What people call it, if they do.
        entrants: How many have entered and not left.
        here: How many of them have checked in.
        stages: How many stages it has; `stage`, `round`: where it stands, 0 before.
        rounds: How many rounds the stage has, where that is known.
        missing: The tables of the round without a result.
        next: What happens next by itself; null while others are waited for.
        ranking: The places in the end, best first.
    """

    tournament: str
    version: int
    head: str
    at: int
    title: str | None
    phase: str
    paused: bool
    entry_open: bool
    rules: dict[str, Any]
    entrants: int
    here: int
    check_in_until: int | None
    stages: int
    stage: int
    round: int
    rounds: int | None
    missing: tuple[int, ...]
    next: NextStep | None
    ranking: tuple[tuple[int, ...], ...]


class TournamentRow(Struct, frozen=True):
    """A tournament in the list."""

    tournament: str
    version: int
    at: int
    title: str | None
    game: str
    format: str
    state: TournamentState
    phase: str
    entrants: int
    places: int


class EntrantView(Struct, frozen=True):
    """Somebody who entered.

    Attributes:
        player: The id that lines have.
        draws: Whether they give a seed to the lots.
    """

    number: int
    name: str
    player: str
    club: str | None
    bot: bool
    state: EntrantState
    draws: bool


class SeatedEntrant(Struct, frozen=True):
    """Who sits where at a table."""

    seat: int
    number: int
    name: str


class TableOfRound(Struct, frozen=True):
    """A table of a round.

    Attributes:
        match: The match that counts, which may not be open yet.
        ranking: Who has which place, best first, once it is over.
        how: How it ended; `ruled` where an official said so.
    """

    table: int
    match: str
    attempt: int
    state: Literal["paired", "started", "over"]
    seats: tuple[SeatedEntrant, ...]
    ranking: tuple[tuple[int, ...], ...] = ()
    absent: tuple[int, ...] = ()
    how: str | None = None


class RoundView(Struct, frozen=True):
    """A round: who sits with whom, and what came of it.

    Attributes:
        law: Which law paired it.
        cost: What its grouping costs, beside `bound`, which none costs less than; null by other laws.
    """

    stage: int
    round: int
    law: str
    roll: int | None
    cost: int | None
    bound: int | None
    byes: tuple[int, ...]
    tables: tuple[TableOfRound, ...]
    started_at: int | None
    until: int | None
    closed_at: int | None


class StandingRow(Struct, frozen=True):
    """A row of the standings; `ties` has the tie-breaks that were looked at."""

    number: int
    name: str
    place: int | None
    shared: bool
    score: Shown
    ties: dict[str, Shown | tuple[Shown, ...]]


class StandingsView(Struct, frozen=True):
    """The standings of a stage after a round; `hash` is what the line that closes the round has."""

    stage: int
    round: int
    hash: str
    rows: tuple[StandingRow, ...]


def view_of_tournament(tournament: Tournament, head: str, title: str | None) -> TournamentView:
    """Return a tournament as everybody sees it."""
    stage, step = tournament.stage, due(tournament)
    held = None if stage is None else stage.last
    there = [each for each in tournament.entrants.values() if each.gone is None and not each.disqualified]
    return TournamentView(
        tournament=str(tournament.id),
        version=tournament.version,
        head=head,
        at=tournament.at,
        title=title,
        phase=tournament.phase,
        paused=tournament.paused,
        entry_open=tournament.phase == "entry" and not tournament.entry_closed,
        rules=object_of(tournament.rules),
        entrants=len(there),
        here=sum(each.here for each in there),
        check_in_until=tournament.check_in_until,
        stages=len(tournament.rules.stages),
        stage=0 if stage is None else stage.number,
        round=0 if held is None else held.number,
        rounds=None if stage is None else stage.rounds_planned,
        missing=() if held is None else held.missing,
        next=None if step is None else NextStep(step.step, step.at),
        ranking=tournament.ranking,
    )


def row_of_tournament(tournament: Tournament, title: str | None) -> TournamentRow:
    """Return a tournament as it stands in the list."""
    there = sum(each.gone is None and not each.disqualified for each in tournament.entrants.values())
    return TournamentRow(
        tournament=str(tournament.id),
        version=tournament.version,
        at=tournament.at,
        title=title,
        game=str(tournament.rules.match["game"]),
        format=str(type(tournament.rules.stages[0]).__struct_config__.tag),
        state=_STATES[tournament.phase],
        phase=tournament.phase,
        entrants=there,
        places=tournament.rules.entry.max,
    )


_STATES: Final[dict[str, TournamentState]] = {
    **dict.fromkeys(("announced", "entry", "check_in"), "announced"),
    **dict.fromkeys(("drawing", "running"), "running"),
    **dict.fromkeys(("finished", "cancelled", "closed"), "over"),
}


def view_of_entrant(entrant: Entrant, names: Names) -> EntrantView:
    """Return an entrant as everybody sees them."""
    name = name_of_entrant(entrant, names)
    return EntrantView(
        entrant.number, name, entrant.player, entrant.club, entrant.bot, _state_of(entrant), entrant.draws
    )


def _state_of(entrant: Entrant) -> EntrantState:
    if entrant.disqualified:
        return "disqualified"
    if entrant.gone is not None:
        return "gone" if entrant.is_in else "turned_away"
    if not entrant.is_in:
        return "waits"
    return "here" if entrant.here else "entered"


def name_of_entrant(entrant: Entrant, names: Names) -> str:
    """Return what people call an entrant; the number, where the name was erased."""
    return names.get(entrant.player, f"#{entrant.number}")


def view_of_round(tournament: Tournament, stage: int, held: HeldRound, names: Names) -> RoundView:
    """Return a round that is paired."""
    tables = tuple(_view_of_table(tournament, stage, held, held.tables[n], names) for n in sorted(held.tables))
    return RoundView(
        stage, held.number, held.law, held.roll, held.cost, held.bound, held.byes, tables,
        held.started_at, held.until, held.closed_at,
    )  # fmt: skip


def _view_of_table(
    tournament: Tournament, stage: int, held: HeldRound, table: PairedTable, names: Names
) -> TableOfRound:
    seats = tuple(
        SeatedEntrant(seat, number, name_of_entrant(tournament.entrants[number], names))
        for seat, number in enumerate(table.seats, start=1)
    )
    match = match_id(str(tournament.id), stage, held.number, table.number, table.attempt)
    counts = result_of(table)
    if counts is None:
        state: Literal["paired", "started"] = "started" if table.started else "paired"
        return TableOfRound(table.number, match, table.attempt, state, seats)
    how = "ruled" if table.ruling is not None or table.result is None else table.result.how
    return TableOfRound(table.number, match, table.attempt, "over", seats, counts.ranking, counts.absent, how)


def view_of_standings(field: StageField, names: Names) -> StandingsView:
    """Return the standings of a stage after the round that is looked at."""
    rows = tuple(_view_of_standing(field, row, names) for row in field.rows)
    return StandingsView(field.stage.number, field.upto, field.standings_hash, rows)


def _view_of_standing(field: StageField, row: Standing, names: Names) -> StandingRow:
    ties: dict[str, Shown | tuple[Shown, ...]] = {
        code: tuple(map(shown, value)) if isinstance(value, tuple) else shown(value) for code, value in row.ties.items()
    }
    name = name_of_entrant(field.entrant(row.number), names)
    return StandingRow(row.number, name, row.place, row.shared, shown(row.score), ties)


def shown(value: Fraction) -> Shown:
    """Return a number as it is and as people read it: with three digits behind the point where it is not whole."""
    if value.denominator == 1:
        return Shown(points_text(value), str(value.numerator))
    thousandths = round(value * 10**PLACES)
    whole, rest = divmod(abs(thousandths), 10**PLACES)
    sign = "-" if thousandths < 0 else ""
    return Shown(points_text(value), f"{sign}{whole}.{rest:0{PLACES}}")
