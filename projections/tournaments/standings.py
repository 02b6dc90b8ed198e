"""Standings as everybody sees them: places, scores, tie-breaks, and what each number is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from domain.errors import Refused
from domain.ids import Version
from domain.tournaments.changed import table_changed
from domain.tournaments.events import Ranking, ResultRecorded
from domain.tournaments.field import StageField
from domain.tournaments.formats.groups import GroupField
from domain.tournaments.formats.table import format_of
from domain.tournaments.ranking.legs import table_result
from domain.tournaments.ranking.standings import Standing
from domain.tournaments.rules import format_name, legs_max
from domain.tournaments.tournament import PairedTable, Place, Tournament
from projections.tournaments.formats.cross import CrossRow, cross_table
from projections.tournaments.numbers import ExactNumber, exact
from projections.tournaments.parts import CourseRound, Explanation, TieValueView
from projections.tournaments.people import Names, Status, group_of, name_of, status_of


class StandingRow(Struct, frozen=True):
    """Where an entrant stands.

    Attributes:
        place: From 1; null for who was disqualified.
        shared: Whether somebody has the same place.
        score: Points of rounds, and penalties.
        penalty: The points that officials took; null for none.
        bonus: What first places in a row give besides, where they do; null for nothing.
        ties: Tie-breaks, in the order in which they are looked at.
        course: What each round was.
    """

    number: int
    name: str
    bot: bool
    status: Status
    place: int | None
    shared: bool
    score: ExactNumber
    penalty: ExactNumber | None
    ties: tuple[TieValueView, ...]
    course: tuple[CourseRound, ...]
    bonus: ExactNumber | None = None


class StandingsView(Struct, frozen=True):
    """The standings of a stage after a round.

    What was ruled later about an earlier round counts in it as well, as it does in the tournament.

    Attributes:
        version: How many lines of the tournament it shows.
        by_score: Whether places are those of the rows; in eliminations they follow from who went out when, and of a
            stage in groups from places in these.
        ordered_by: Where the rows stand in an order that does not follow from points, its format: `ladder`, `chouette`.
        groups: The members of each group, where the stage is played in groups.
        group: The group that this is of, from 1; null for the whole stage.
        closed: Whether all results of the round are in.
        missing: Tables of the round without a result: what stands here is as of now.
        tiebreaks: The codes, in the order in which they are looked at.
        hash: The SHA-256 of the canonical standings of the whole stage, as `round.closed` has it.
        ranking: The places of the stage once it is over, best first; who shares one stands together.
        rows: By place, then by number.
        cross: What everybody came to against everybody else, in the order of the rows: of round robins, balanced tables
            and duels of 32 entrants at most, a group by itself; null of others.
    """

    tournament: str
    version: Version
    stage: int
    round: int
    planned: int | None
    by_score: bool
    groups: tuple[tuple[int, ...], ...] | None
    group: int | None
    closed: bool
    missing: tuple[int, ...]
    tiebreaks: tuple[str, ...]
    hash: str
    ranking: Ranking
    rows: tuple[StandingRow, ...]
    ordered_by: str | None = None
    cross: tuple[CrossRow, ...] | None = None


def standings_view(
    tournament: Tournament,
    names: Names,
    stage: int | None = None,
    number: int | None = None,
    group: int | None = None,
    *,
    explained: bool = True,
) -> StandingsView:
    """Return the standings.

    Args:
        tournament: How it stands.
        names: What people call entrants.
        stage: A stage that has begun; the last one if nothing is said.
        number: A round that is paired, or 0 for before the first; the last that is closed if nothing is said.
        group: A group of the stage, from 1, where it is played in groups; the whole stage if nothing is said.
        explained: Whether what tie-breaks are made of is said as well.

    Raises:
        Refused: `not_paired`: there is no such stage, round or group yet.

    Cost: for 1,000 entrants over seven rounds half a second where all is explained, a fifth otherwise.
    """
    return standings_again(tournament, names, stage, number, group, explained=explained)[0]


def standings_again(
    tournament: Tournament,
    names: Names,
    stage: int | None = None,
    number: int | None = None,
    group: int | None = None,
    *,
    explained: bool = True,
    known: Explanation | None = None,
) -> tuple[StandingsView, Explanation]:
    """Return the standings as `standings_view` does, and what is known of them then.

    What is `known` from before, be it of an earlier version or of another stage, is not worked out again where it holds
    on: after one result that takes half of the time.
    """
    whole = _field(tournament, stage, number, None if known is None else known.field)
    field = whole if group is None else _group(whole, group)
    explanation = Explanation(field, known)
    rows = _rows(explanation, names, explained=explained)
    return replace(_view(whole, field, group, rows), cross=cross_table(explanation)), explanation


def rows_of_groups(tournament: Tournament, names: Names) -> Iterator[tuple[int, tuple[StandingRow, ...]]]:
    """Yield the rows of each group of the newest stage after its number; none of a stage without groups, or before one.

    Cost: a quarter of a second for 256 groups of four, where `standings_view` of each would look at all others as well.
    """
    if tournament.stage is not None:
        whole = _field(tournament, None, None)
        for group in range(1, len(whole.stage.groups or ()) + 1):
            yield group, _rows(Explanation(_group(whole, group)), names, explained=False)


def _rows(explanation: Explanation, names: Names, *, explained: bool) -> tuple[StandingRow, ...]:
    return tuple(standing_row(explanation, names, row, explained=explained) for row in explanation.field.rows)


def if_it_ended_so(tournament: Tournament, place: Place, rankings: Mapping[int, Ranking]) -> Tournament:
    """Return a tournament as if tables of a round that have no result yet had ended as they stand.

    Args:
        tournament: How it stands.
        place: The stage and the round, which is paired.
        rankings: Who would be where, by table, as everybody can see it.
    """
    held = tournament.stages[place[0] - 1].rounds[place[1]]
    for number in held.missing:
        if number in rankings:
            table = held.tables[number]
            ended = ResultRecorded(
                *place, number, table.attempt, None, None, None, "time", rankings[number], _not_in(table, rankings), ()
            )
            # The time is up for all of it, so a table that plays several matches counts those that are over as well.
            legs = (*table.legs, ended)
            result = table_result(legs, legs_max(tournament.rules.stages[place[0] - 1]))
            changes = {"result": result, "legs": legs, "over_line": tournament.version}
            tournament = table_changed(tournament, place, number, **changes)
    return tournament


def _not_in(table: PairedTable, rankings: Mapping[int, Ranking]) -> tuple[int, ...]:
    there = {number for level in rankings[table.number] for number in level}
    return tuple(number for number in table.seats if number not in there)


def _view(whole: StageField, field: StageField, group: int | None, rows: tuple[StandingRow, ...]) -> StandingsView:
    tournament, held = whole.tournament, field.stage.rounds.get(whole.upto)
    return StandingsView(
        tournament=str(tournament.id),
        version=tournament.version,
        stage=whole.stage.number,
        round=whole.upto,
        planned=field.stage.rounds_planned,
        by_score=format_of(field.rules).by_score,
        groups=whole.stage.groups,
        group=group,
        closed=held is None or held.closed_at is not None,
        missing=() if held is None else held.missing,
        tiebreaks=tournament.rules.tiebreaks if field.order is None else (),
        hash=whole.standings_hash,
        ranking=whole.stage.closed or (),
        rows=rows,
        ordered_by=None if field.order is None else format_name(field.rules),
    )


def _field(
    tournament: Tournament, stage: int | None, number: int | None, before: StageField | None = None
) -> StageField:
    chosen = len(tournament.stages) if stage is None else stage
    if not 1 <= chosen <= len(tournament.stages):
        raise Refused("not_paired", stage=chosen)
    held = tournament.stages[chosen - 1].rounds
    if number and (number not in held or not held[number].is_paired):
        raise Refused("not_paired", stage=chosen, round=number)
    return StageField(tournament, chosen, number, before)


def _group(whole: StageField, group: int) -> StageField:
    if not 1 <= group <= len(whole.stage.groups or ()):
        raise Refused("not_paired", stage=whole.stage.number, group=group)
    return GroupField(whole, group)


def field_of(tournament: Tournament, stage: int, number: int) -> StageField:
    """Return a stage as an entrant stands in it: the own group, where it is played in groups."""
    whole = StageField(tournament, stage)
    group = group_of(whole.stage, number)
    return whole if group is None else GroupField(whole, group)


def standing_row(explanation: Explanation, names: Names, row: Standing, *, explained: bool) -> StandingRow:
    """Return an entrant of the standings."""
    field = explanation.field
    entrant = field.entrant(row.number)
    played = sum((explanation.points(each) for each in field.outcomes.of[row.number]), Fraction(0))
    taken = sum((each.points for each in field.penalties if each.number == row.number), Fraction(0))
    bonus = row.score - played - taken
    return StandingRow(
        number=row.number,
        name=name_of(names, row.number),
        bot=entrant.bot,
        status=status_of(entrant),
        place=row.place,
        shared=row.shared,
        score=exact(row.score),
        penalty=exact(taken) if taken else None,
        bonus=exact(bonus) if bonus else None,
        ties=explanation.ties(row, explained=explained),
        course=explanation.course(row.number),
    )
