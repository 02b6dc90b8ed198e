"""Rulings: what officials say about tables and entrants, and what becomes of it. Nothing is taken out of the record."""

from __future__ import annotations

from domain.errors import Refused
from domain.tournaments import commands, events
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.deciding.people import ELIMINATIONS
from domain.tournaments.points import NotPoints, points_of
from domain.tournaments.tournament import PairedTable

APPEALS_MAX = 3
"""How many open appeals an entrant may have."""


def appoint(course: TournamentCourse, command: commands.Appoint) -> None:
    """Give somebody powers."""
    # Whoever opens a tournament is its first host: nobody is there to appoint him.
    if course.tournament.officials:
        course.check_host(command.by)
    if command.official in course.tournament.officials:
        raise Refused("already_registered")
    course.add(events.OfficialAppointed(command.official, command.role, command.by))


def dismiss(course: TournamentCourse, command: commands.Dismiss) -> None:
    """Take them back; one host stays."""
    course.check_host(command.by)
    officials = course.tournament.officials
    if command.official not in officials:
        raise Refused("not_an_official")
    hosts = [who for who, role in officials.items() if role == "host"]
    if hosts == [command.official]:
        raise Refused("not_the_host", why="one host stays")
    course.add(events.OfficialDismissed(command.official, command.by))


def check_reason(course: TournamentCourse, ruling: commands.Ruling) -> None:
    """Check that an official rules, and says why.

    Raises:
        Refused: `not_an_official`, `reason_needed`.
    """
    course.check_official(ruling.by)
    if ruling.reason == "other" and ruling.note is None:
        raise Refused("reason_needed")


def rule(course: TournamentCourse, command: commands.Rule) -> None:
    """Say what a table counts as."""
    check_reason(course, command)
    course.check_phase("running", "finished")
    table = _table(course, command.round, command.table, command.stage)
    _check_open(course, command)
    _check_foreign(course, command.by, table)
    check_ranking(table, command.ranking, command.absent)
    if command.points is not None:
        _check_points(table, command.points)
    course.add(
        events.ResultRuled(
            command.stage, command.round, command.table, command.ranking, command.absent, command.points,
            command.by, command.reason, command.note,
        )
    )  # fmt: skip


def _check_open(course: TournamentCourse, command: commands.Rule) -> None:
    """Check that nobody has played on, where who plays on follows from the result.

    Raises:
        Refused: `too_late`.
    """
    stage = course.tournament.stages[command.stage - 1]
    later = any(each.number > command.round and each.is_paired for each in stage.rounds.values())
    if later and isinstance(course.tournament.rules.stages[command.stage - 1], ELIMINATIONS):
        raise Refused("too_late", round=command.round)


def _check_foreign(course: TournamentCourse, by: str, table: PairedTable) -> None:
    """Check that nobody rules on the own table.

    Raises:
        Refused: `own_table`.
    """
    if any(course.tournament.entrants[number].player == by for number in table.seats):
        raise Refused("own_table")


def check_ranking(table: PairedTable, ranking: events.Ranking, absent: tuple[int, ...]) -> None:
    """Check that everybody who was there stands in a ranking once, and nobody else.

    Raises:
        Refused: `bad_ranking`.
    """
    placed = [number for group in ranking for number in group]
    whole = sorted([*placed, *absent])
    if whole != sorted(table.seats) or any(not group for group in ranking):
        raise Refused("bad_ranking", seats=list(table.seats))


def _check_points(table: PairedTable, points: tuple[tuple[int, str], ...]) -> None:
    try:
        worth = {number: points_of(text) for number, text in points}
    except NotPoints as fault:
        raise Refused("bad_points", why=str(fault)) from fault
    if sorted(worth) != sorted(table.seats) or len(points) != len(worth) or any(each < 0 for each in worth.values()):
        raise Refused("bad_points", why="each of the table has points once, and none below 0")


def _table(course: TournamentCourse, round_number: int, number: int, stage: int | None = None) -> PairedTable:
    found = course.round(round_number, stage).tables.get(number)
    if found is None:
        raise Refused("unknown_table", table=number)
    return found


def replay(course: TournamentCourse, command: commands.Replay) -> None:
    """Have a table play again."""
    check_reason(course, command)
    course.check_phase("running")
    stage, table = course.stage, _table(course, command.round, command.table)
    if not table.is_over:
        raise Refused("table_running", table=table.number)
    if stage.last is None or stage.last.number != command.round or stage.last.closed_at is not None:
        raise Refused("too_late", round=command.round)
    course.add(
        events.TableReplayed(
            stage.number, command.round, table.number, table.attempt + 1, command.by, command.reason, command.note
        )
    )


def penalise(course: TournamentCourse, command: commands.Penalise) -> None:
    """Punish an entrant."""
    check_reason(course, command)
    course.check_phase("entry", "check_in", "drawing", "running", "finished")
    entrant = course.entrant(command.number)
    if entrant.disqualified:
        raise Refused("disqualified")
    try:
        worth = None if command.points is None else points_of(command.points)
    except NotPoints as fault:
        raise Refused("bad_points", why=str(fault)) from fault
    if (command.kind == "points") is not (worth is not None) or (worth is not None and worth <= 0):
        raise Refused("bad_points", why="points are taken away where that is the penalty, and more than none")
    stage = course.tournament.stage
    number = None if stage is None else stage.number
    played = None if stage is None or stage.last is None else stage.last.number
    if command.kind == "table_loss":
        _lose_table(course, command)
    course.add(
        events.PenaltyImposed(
            command.number, command.kind, command.points, number, played, command.table,
            command.by, command.reason, command.note,
        )
    )  # fmt: skip
    if command.kind == "disqualified" and entrant.gone is None:
        gone = course.tournament.next_place
        course.add(events.PlayerWithdrawn(command.number, *gone, command.by, command.reason, command.note))


def _lose_table(course: TournamentCourse, command: commands.Penalise) -> None:
    """Rule a table with an entrant last, the others as they were."""
    if command.table is None:
        raise Refused("unknown_table", table=None)
    held = course.round()
    table = _table(course, held.number, command.table)
    before = table.ruling or table.result
    if command.number not in table.seats:
        raise Refused("unknown_number", number=command.number)
    _check_foreign(course, command.by, table)
    if before is None:
        raise Refused("table_running", table=table.number)
    ranked = [tuple(each for each in group if each != command.number) for group in before.ranking]
    absent = tuple(each for each in before.absent if each != command.number)
    ranking = (*(group for group in ranked if group), (command.number,))
    course.add(
        events.ResultRuled(
            course.stage.number, held.number, table.number, ranking, absent, None,
            command.by, command.reason, command.note,
        )
    )  # fmt: skip


def lift(course: TournamentCourse, command: commands.Lift) -> None:
    """Take a penalty back."""
    check_reason(course, command)
    if command.line not in course.tournament.penalties:
        raise Refused("unknown_line", line=command.line)
    course.add(events.PenaltyLifted(command.line, command.by, command.reason, command.note))


def forbid(course: TournamentCourse, command: commands.Forbid) -> None:
    """Keep two from one table."""
    check_reason(course, command)
    one, other = sorted(command.numbers)
    course.entrant(one)
    course.entrant(other)
    if one == other or (one, other) in course.tournament.forbidden.values():
        raise Refused("bad_tables", numbers=[one, other])
    course.add(events.PairForbidden((one, other), command.by, command.reason, command.note))


def allow(course: TournamentCourse, command: commands.Allow) -> None:
    """Let them sit together."""
    course.check_official(command.by)
    if command.line not in course.tournament.forbidden:
        raise Refused("unknown_line", line=command.line)
    course.add(events.PairAllowed(command.line, command.by))


def appeal(course: TournamentCourse, command: commands.Appeal) -> None:
    """Dispute a line."""
    entrant = course.entrant(command.number)
    if entrant.player != command.by:
        raise Refused("not_yours")
    course.check_phase("running", "finished")
    if not 0 <= command.line <= course.upto:
        raise Refused("unknown_line", line=command.line)
    appeals = course.tournament.appeals
    still = sum(each.number == command.number and each.outcome is None for each in appeals.values())
    if still >= APPEALS_MAX:
        raise Refused("too_many_appeals", max=APPEALS_MAX)
    course.add(events.AppealFiled(len(appeals) + 1, command.number, command.line, command.note))


def decide_appeal(course: TournamentCourse, command: commands.DecideAppeal) -> None:
    """Say what becomes of an appeal; who filed it may withdraw it."""
    heard = course.tournament.appeals.get(command.appeal)
    if heard is None:
        raise Refused("unknown_line", appeal=command.appeal)
    own = course.tournament.entrants[heard.number].player == command.by
    if not (own and command.outcome == "withdrawn"):
        course.check_official(command.by)
    if heard.outcome is not None:
        raise Refused("appeal_decided", outcome=heard.outcome)
    if any(not 0 <= line <= course.upto for line in command.lines):
        raise Refused("unknown_line", lines=list(command.lines))
    course.add(events.AppealDecided(command.appeal, command.outcome, command.lines, command.by, command.note))


def pause(course: TournamentCourse, command: commands.PauseTournament) -> None:
    """Pair and start nothing for a while."""
    check_reason(course, command)
    course.check_phase("check_in", "drawing", "running")
    if course.tournament.paused:
        raise Refused("paused")
    course.add(events.TournamentPaused(command.by, command.reason, command.note))


def resume(course: TournamentCourse, command: commands.Resume) -> None:
    """Go on."""
    course.check_official(command.by)
    if not course.tournament.paused:
        raise Refused("not_paused")
    course.add(events.TournamentResumed(command.by))


def cancel(course: TournamentCourse, command: commands.Cancel) -> None:
    """Let it not take place, or not go on."""
    check_reason(course, command)
    course.check_host(command.by)
    course.check_phase("announced", "entry", "check_in", "drawing", "running")
    course.add(events.TournamentCancelled(command.by, command.reason, command.note))
