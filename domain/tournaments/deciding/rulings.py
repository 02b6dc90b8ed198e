"""Rulings: what officials say about tables and entrants, and what becomes of it. Nothing is taken out of the record."""

from __future__ import annotations

from domain.errors import Refused
from domain.tournaments import commands, events
from domain.tournaments.deciding.course import HOST, TournamentCourse
from domain.tournaments.field import result_of
from domain.tournaments.formats.table import format_of, keeps_pairs_apart
from domain.tournaments.points import NotPoints, points_of
from domain.tournaments.tournament import HeardAppeal, PairedTable

APPEALS_MAX = 3
"""How many open appeals an entrant may have."""


def appoint(course: TournamentCourse, command: commands.Appoint) -> None:
    """Give somebody powers."""
    officials = course.tournament.officials
    if officials:
        course.check_host(command.by)
    elif (command.official, command.role) != (command.by, HOST):
        # Whoever opens a tournament is its first host: nobody else is there to appoint him, and no arbiter comes first.
        raise Refused("not_the_host")
    if command.official in officials:
        raise Refused("already_registered")
    course.add(events.OfficialAppointed(command.official, command.role, command.by))


def dismiss(course: TournamentCourse, command: commands.Dismiss) -> None:
    """Take them back; one host stays."""
    course.check_host(command.by)
    officials = course.tournament.officials
    if command.official not in officials:
        raise Refused("not_an_official")
    if [who for who, role in officials.items() if role == HOST] == [command.official]:
        raise Refused("not_the_host", why="one host stays")
    course.add(events.OfficialDismissed(command.official, command.by))


# ---- tables ----------------------------------------------------------------------------------------


def rule(course: TournamentCourse, command: commands.Rule) -> None:
    """Say what a table counts as."""
    course.check_official(command.by)
    course.check_input("running", "finished")
    _check_open(course, command.stage, command.round)
    table = _table(course, command.table, command.round, command.stage)
    check_foreign(course, command.by, table)
    check_ranking(table, command.ranking, command.absent)
    if command.points is not None:
        _check_points(table, command.points)
    course.check_reason(command)
    course.add(
        events.ResultRuled(
            command.stage, command.round, command.table, command.ranking, command.absent, command.points,
            command.by, command.reason, command.note,
        )
    )  # fmt: skip


def _check_open(course: TournamentCourse, stage: int, number: int) -> None:
    """Check that nobody has played on, where who plays on follows from the result.

    Raises:
        Refused: `too_late`.
    """
    tournament = course.tournament
    if not 1 <= stage <= len(tournament.stages):
        return  # `not_paired` says so
    played, rules = tournament.stages[stage - 1], tournament.rules.stages
    goes_on = tournament.phase == "running" and played.closed is not None and stage < len(rules)
    later = any(each.number > number and each.is_paired for each in played.rounds.values())
    if stage < len(tournament.stages) or goes_on or (later and format_of(rules[stage - 1]).eliminates):
        raise Refused("too_late", stage=stage, round=number)


def check_foreign(course: TournamentCourse, by: str, table: PairedTable) -> None:
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


def _table(course: TournamentCourse, number: int, in_round: int | None = None, stage: int | None = None) -> PairedTable:
    """Return a table, of the last round of the stage that is played where no other is named.

    Raises:
        Refused: `wrong_phase`, `not_paired`, `unknown_table`.
    """
    found = course.round(in_round, stage).tables.get(number)
    if found is None:
        raise Refused("unknown_table", table=number)
    return found


def table_of(course: TournamentCourse, number: int, entrant: int) -> PairedTable:
    """Return a table of the last round at which an entrant sits.

    Raises:
        Refused: `wrong_phase`, `not_paired`, `unknown_table`.
    """
    found = _table(course, number)
    if entrant not in found.seats:
        raise Refused("unknown_table", table=number, seats=list(found.seats))
    return found


def replay(course: TournamentCourse, command: commands.Replay) -> None:
    """Have a table play again, until the next round is paired; what was closed since is open again.

    After the last round that is until the tournament is closed: places are said anew once the table is over.
    """
    course.check_official(command.by)
    course.check_phase("running", "finished")
    if any(held.number > command.round and held.is_paired for held in course.stage.rounds.values()):
        raise Refused("too_late", round=command.round)
    if why := format_of(course.tournament.stage_rules).played_once:
        raise Refused("wrong_phase", why=why)
    table = _table(course, command.table, command.round)
    if course.round(command.round).closed_at is not None:
        # A lot that is drawn for the next round is drawn for results that stand.
        course.check_input("running", "finished")
    if not table.is_over:
        raise Refused("table_running", table=table.number)
    check_foreign(course, command.by, table)
    course.check_reason(command)
    course.add(
        events.TableReplayed(
            course.stage.number, command.round, table.number, table.attempt + 1,
            command.by, command.reason, command.note,
        )
    )  # fmt: skip


# ---- entrants --------------------------------------------------------------------------------------


def penalise(course: TournamentCourse, command: commands.Penalise) -> None:
    """Punish an entrant, at a table where one is named; losing it takes one."""
    course.check_official(command.by)
    entrant = course.entrant(command.number)
    course.check_input("entry", "check_in", "drawing", "running", "finished")
    if entrant.disqualified:
        raise Refused("disqualified")
    lost = _lost_table(course, command)
    _check_penalty(command)
    course.check_reason(command)
    stage = course.tournament.stage
    number = None if stage is None else stage.number
    played = None if stage is None or stage.played is None else stage.played.number
    if lost is not None:
        _lose_table(course, command, lost)
    course.add(
        events.PenaltyImposed(
            command.number, command.kind, command.points, number, played, command.table,
            command.by, command.reason, command.note,
        )
    )  # fmt: skip
    if command.kind == "disqualified" and entrant.gone is None:
        gone = course.tournament.next_place
        course.add(events.PlayerWithdrawn(command.number, *gone, command.by, command.reason, command.note))


def _check_penalty(command: commands.Penalise) -> None:
    try:
        worth = None if command.points is None else points_of(command.points)
    except NotPoints as fault:
        raise Refused("bad_points", why=str(fault)) from fault
    if (command.kind == "points") is not (worth is not None) or (worth is not None and worth <= 0):
        raise Refused("bad_points", why="points are taken away where that is the penalty, and more than none")


def _lost_table(course: TournamentCourse, command: commands.Penalise) -> PairedTable | None:
    """Return the table that an entrant loses, if that is the penalty."""
    if command.kind != "table_loss" and command.table is None:
        return None
    stage = course.stage
    if command.kind == "table_loss" and stage.played is not None:
        _check_open(course, stage.number, stage.played.number)
    table = table_of(course, command.table or 0, command.number)
    if command.kind == "table_loss" and not table.is_over:
        raise Refused("table_running", table=table.number)
    check_foreign(course, command.by, table)
    return table if command.kind == "table_loss" else None


def _lose_table(course: TournamentCourse, command: commands.Penalise, table: PairedTable) -> None:
    """Rule a table with an entrant last, the others as they were."""
    before = result_of(table)
    assert before is not None, "it is over"
    ranked = [tuple(each for each in group if each != command.number) for group in before.ranking]
    absent = tuple(each for each in before.absent if each != command.number)
    ranking = (*(group for group in ranked if group), (command.number,))
    course.add(
        events.ResultRuled(
            course.stage.number, course.round().number, table.number, ranking, absent, None,
            command.by, command.reason, command.note,
        )
    )  # fmt: skip


def lift(course: TournamentCourse, command: commands.Lift) -> None:
    """Take a penalty back; a table that was lost by it counts as before, unless it was ruled anew since."""
    course.check_official(command.by)
    course.check_input("entry", "check_in", "drawing", "running", "finished")
    penalty = course.tournament.penalties.get(command.line)
    if penalty is None:
        raise Refused("unknown_line", line=command.line)
    if penalty.kind == "table_loss":
        assert penalty.stage is not None
        assert penalty.round is not None, "it was a table of some round"
        _check_open(course, penalty.stage, penalty.round)
    course.check_reason(command)
    course.add(events.PenaltyLifted(command.line, command.by, command.reason, command.note))


def forbid(course: TournamentCourse, command: commands.Forbid) -> None:
    """Keep two from one table."""
    course.check_official(command.by)
    one, other = sorted(command.numbers)
    course.entrant(one)
    course.entrant(other)
    course.check_input("entry", "check_in", "drawing", "running")
    if one == other or (one, other) in course.tournament.forbidden.values():
        raise Refused("bad_tables", numbers=[one, other])
    if not course.tournament.earlier:
        _check_keeps_apart(course, {one, other})
    course.check_reason(command)
    course.add(events.PairForbidden((one, other), command.by, command.reason, command.note))


def _check_keeps_apart(course: TournamentCourse, pair: set[int]) -> None:
    """Check that a round to come looks at it, and that no official has set the two at one table of it.

    Raises:
        Refused: `bad_tables`.
    """
    if not keeps_pairs_apart(course.tournament):
        raise Refused("bad_tables", why="here who meets whom follows from a schedule, or from who has won")
    fixed = () if course.tournament.stage is None else course.tournament.stage.fixed_next
    if any(pair.issubset(table) for table in fixed):
        raise Refused("bad_tables", numbers=sorted(pair), why="they are set at one table: set others first")


def allow(course: TournamentCourse, command: commands.Allow) -> None:
    """Let them sit together."""
    course.check_official(command.by)
    course.check_input("entry", "check_in", "drawing", "running")
    if command.line not in course.tournament.forbidden:
        raise Refused("unknown_line", line=command.line)
    course.add(events.PairAllowed(command.line, command.by))


def open_case(course: TournamentCourse, command: commands.OpenCase) -> None:
    """Look into a case; whether there is one of this name only the house knows."""
    course.check_official(command.by)
    course.check_phase("running", "finished")
    course.add(events.CaseOpened(command.case, command.by))


# ---- appeals ---------------------------------------------------------------------------------------


def appeal(course: TournamentCourse, command: commands.Appeal) -> None:
    """Dispute a line, until appeals are heard no more."""
    entrant = course.entrant(command.number)
    if entrant.player != command.by:
        raise Refused("not_yours")
    course.check_phase("running", "finished")
    heard_until = course.tournament.changed_at + course.tournament.rules.time.claims_ms
    if course.tournament.phase == "finished" and course.at >= heard_until:
        raise Refused("too_late", until=heard_until)
    if not 0 <= command.line <= course.upto:
        raise Refused("unknown_line", line=command.line)
    appeals = course.tournament.appeals
    still = sum(each.number == command.number and each.outcome is None for each in appeals.values())
    if still >= APPEALS_MAX:
        raise Refused("too_many_appeals", max=APPEALS_MAX)
    course.add(events.AppealFiled(len(appeals) + 1, command.number, command.line, command.note))


def decide_appeal(course: TournamentCourse, command: commands.DecideAppeal) -> None:
    """Say what becomes of an appeal; who filed it, and nobody else, may withdraw it."""
    heard = course.tournament.appeals.get(command.appeal)
    filed_by = None if heard is None else course.tournament.entrants[heard.number].player
    withdraws = command.outcome == "withdrawn"
    if not withdraws or filed_by is None:
        course.check_official(command.by)
    if withdraws and filed_by not in {None, command.by}:
        raise Refused("not_yours")
    if not withdraws and heard is not None:
        _check_impartial(course, command.by, heard, filed_by)
    if heard is None or any(not 0 <= line <= course.upto for line in command.lines):
        raise Refused("unknown_line", appeal=command.appeal, lines=list(command.lines))
    if heard.outcome is not None:
        raise Refused("appeal_decided", outcome=heard.outcome)
    course.add(events.AppealDecided(command.appeal, command.outcome, command.lines, command.by, command.note))


def _check_impartial(course: TournamentCourse, by: str, heard: HeardAppeal, filed_by: str | None) -> None:
    """Check that nobody decides what he is himself a party to, unless there is no other official.

    Raises:
        Refused: `own_ruling`.
    """
    others = course.tournament.officials.keys() - {by}
    if others and by in {filed_by, course.tournament.ruled.get(heard.line)}:
        raise Refused("own_ruling", line=heard.line)


# ---- the tournament --------------------------------------------------------------------------------


def pause(course: TournamentCourse, command: commands.PauseTournament) -> None:
    """Pair and start nothing for a while."""
    course.check_official(command.by)
    if course.tournament.paused:
        raise Refused("paused")
    course.check_phase("running")
    course.check_reason(command)
    course.add(events.TournamentPaused(command.by, command.reason, command.note))


def resume(course: TournamentCourse, command: commands.Resume) -> None:
    """Go on."""
    course.check_official(command.by)
    if not course.tournament.paused:
        raise Refused("not_paused")
    course.add(events.TournamentResumed(command.by))


def cancel(course: TournamentCourse, command: commands.Cancel) -> None:
    """Let it not take place, or not go on."""
    course.check_host(command.by)
    course.check_phase("announced", "entry", "check_in", "drawing", "running")
    course.check_reason(command)
    course.add(events.TournamentCancelled(command.by, command.reason, command.note))
