"""Decisions of a tournament: the lines that a command leads to, or its refusal.

The law of the file: `decide` refuses, or says what happens. Time and chance come with the command. What a drawing of
lots leads to by itself follows in the same append.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.ids import UnixMs
from domain.tournaments import commands, events
from domain.tournaments.deciding import by_hand, keys, ladders, people, rounds, rulings, waits
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.deciding.drawing import (
    add_following_lots,
    begin_lots,
    close_lots,
    do_lots,
    is_drawing,
    needs_deal,
    seal_lots,
    seat_drawers,
    void_lots,
)
from domain.tournaments.deciding.due import due, is_pairing_next
from domain.tournaments.events import RULE
from domain.tournaments.formats.format import DueStep, Step
from domain.tournaments.formats.table import has_lots_each_round
from domain.tournaments.pairing.lots import LOT_BYTES, Lots
from domain.tournaments.tournament import Tournament


class TournamentDecision(Struct, frozen=True):
    """What a command leads to.

    Attributes:
        events: What has happened, in order; never empty.
        tournament: The tournament after them.
        keeper: The keeper of the current deal of lots.
        secrets: What has to be stored, wrapped, in the same transaction: bytes by name.
        steps: The tournament after each event.
    """

    events: tuple[events.TournamentEvent, ...]
    tournament: Tournament
    keeper: DealSecrets | None
    secrets: dict[str, bytes]
    steps: tuple[Tournament, ...] = ()


def decide(
    tournament: Tournament, command: commands.AnyCommand, at: UnixMs, head: str, keeper: DealSecrets | None
) -> TournamentDecision:
    """Return what the command leads to.

    Args:
        tournament: The tournament it is decided on; the append must find it at this version.
        command: What is asked, by whom, with the chance it may need.
        at: The time, in Unix milliseconds.
        head: The hash of the last line, as hex: a pairing names it.
        keeper: The secrets of the current deal of lots, if there is one.

    Raises:
        Refused: A rule says no; nothing has happened.
    """
    assert at >= tournament.at, "whoever asks has seen to it that time does not run backwards"
    # What was cancelled still ends its drawing of lots, and closes.
    asks = isinstance(command, commands.TournamentCommand) and type(command) is not commands.Proceed
    if tournament.ended or (tournament.phase == "cancelled" and asks):
        raise Refused("tournament_over")
    course = TournamentCourse(tournament, at, head, keeper)
    if isinstance(command, commands.TournamentCommand):
        _DO[type(command)](course, command)
    else:
        do_lots(course, command)
    while add_following_lots(course):
        continue
    return TournamentDecision(
        tuple(course.events), course.tournament, course.keeper, course.secrets, tuple(course.steps)
    )


def _proceed(course: TournamentCourse, command: commands.Proceed) -> None:
    """Do what is due; officials need not wait for the draw or for a pairing."""
    step = due(course.tournament)
    if command.by != RULE:
        course.check_official(command.by)
        _hurry(course, command, step)
        return
    if step is None and course.tournament.paused:
        raise Refused("paused")
    if step is None or course.at < step.at:
        raise Refused("wrong_phase", phase=course.tournament.phase, due_at=None if step is None else step.at)
    _STEPS[step.step](course, command)


def _hurry(course: TournamentCourse, command: commands.Proceed, step: DueStep | None) -> None:
    """End the check-in for an official, or draw lots and pair; whatever else is due, the director does.

    Raises:
        Refused: `paused`, `wrong_phase`, `round_open`, `already_paired`; `too_few_players` while there is time to come.
    """
    tournament, stage = course.tournament, course.tournament.stage
    if tournament.paused:
        raise Refused("paused")
    in_time = step is not None and step.step == "draw" and course.at < step.at
    if in_time and not tournament.earlier and _are_too_few(tournament):  # a hurry calls nothing off
        raise Refused("too_few_players", seats=tournament.rules.entry.min)
    if step is not None and step.step in HURRIED:
        _STEPS[step.step](course, command)
        return
    held = None if stage is None else stage.played
    if held is not None and held.is_paired and held.closed_at is None:
        if held.missing and held.started_at is not None:
            raise Refused("round_open", tables=list(held.missing))
        raise Refused("already_paired", round=held.number)
    if step is not None or tournament.phase != "running" or is_drawing(tournament):
        raise Refused("wrong_phase", phase=tournament.phase)
    takes_lot = has_lots_each_round(tournament.stage_rules) and needs_deal(tournament)
    _STEPS["lots" if takes_lot else "pair"](course, command)


def _pair(course: TournamentCourse, command: commands.Pair) -> None:
    """Draw lots and pair for an official, where that is what comes next."""
    course.check_official(command.by)
    course.check_phase("running")
    _hurry(course, command, due(course.tournament))


def _draw(course: TournamentCourse, command: commands.Proceed) -> None:
    """End the check-in: who is not there is out, and the lots are drawn by those who offered."""
    for entrant in course.tournament.entrants.values():
        if not entrant.here and entrant.gone is None:
            course.add(events.PlayerWithdrawn(entrant.number, 1, 1, RULE, "absent", None))
    if _are_too_few(course.tournament):
        course.add(events.TournamentCancelled(RULE, "absent", None))
        return
    seat_drawers(course)
    begin_lots(course, command.chance)


def _are_too_few(tournament: Tournament) -> bool:
    """Report whether fewer are there than the tournament is held for."""
    return sum(each.plays for each in tournament.entrants.values()) < tournament.rules.entry.min


def _lots(course: TournamentCourse, command: commands.Proceed) -> None:
    """Begin another deal; where it is of a round alone, not before it is known that the round can be paired."""
    stage = course.tournament.stage
    if course.tournament.has_own_deals and stage is not None and is_pairing_next(course.tournament):
        rounds.draw_round(course.tournament, Lots(bytes(LOT_BYTES), stage.number, stage.next_number))
    close_lots(course)
    begin_lots(course, command.chance)


def _close(course: TournamentCourse, command: commands.Proceed | commands.Finish) -> None:
    if course.tournament.ceremony is not None and course.ceremony.stage in {"committed", "sealed"}:
        void_lots(course, "late")
    close_lots(course)
    course.add(events.TournamentClosed(command.by))


def _finish(course: TournamentCourse, command: commands.Finish) -> None:
    """Close for an official who hears no more appeals, once the places are said and none waits for a decision."""
    course.check_official(command.by)
    course.check_phase("finished")
    if course.tournament.outdated:
        raise Refused("wrong_phase", phase="finished", why="the places are said anew first")
    waiting = [number for number, each in course.tournament.appeals.items() if each.outcome is None]
    if waiting:
        raise Refused("appeals_open", appeals=waiting)
    _close(course, command)


HURRIED: Final = {"draw", "lots", "pair"}
"""What officials need not wait for."""
_STEPS: Final[dict[Step, Callable[[TournamentCourse, commands.Proceed], None]]] = {
    "draw": _draw,
    "lots": _lots,
    "seal": lambda course, _command: seal_lots(course),
    "void": lambda course, _command: void_lots(course, "withheld"),
    "open_stage": lambda course, _command: rounds.open_stage(course),
    "lapse": lambda course, _command: ladders.lapse(course),
    "pair": rounds.pair,
    "start": lambda course, command: rounds.start_round(course, commands.StartRound(command.by)),
    "close_round": lambda course, _command: rounds.close_round(course),
    "close_stage": lambda course, _command: rounds.close_stage(course),
    "finish": lambda course, _command: rounds.finish(course),
    "close": _close,
}

_DO: Final[dict[type[commands.TournamentCommand], Callable[[TournamentCourse, Any], None]]] = {
    commands.Appoint: rulings.appoint,
    commands.Dismiss: rulings.dismiss,
    commands.OpenEntry: people.open_entry,
    commands.CloseEntry: people.close_entry,
    commands.Register: people.register,
    commands.Approve: people.approve,
    commands.Seed: people.seed,
    commands.TurnAway: people.turn_away,
    commands.OpenCheckIn: people.open_check_in,
    commands.CheckIn: people.check_in,
    commands.Withdraw: people.withdraw,
    commands.Return: people.take_back,
    commands.RequestBye: people.request_bye,
    commands.DropBye: people.drop_bye,
    commands.WaitForTable: waits.wait,
    commands.TakeBreak: waits.take_break,
    commands.TakeKey: keys.take_key,
    commands.NameEntrantKey: keys.name_key,
    commands.ChallengeAbove: ladders.challenge,
    commands.AnswerChallenge: ladders.answer,
    commands.FixTables: by_hand.fix_tables,
    commands.Unpair: by_hand.unpair,
    commands.StartRound: rounds.start_round,
    commands.Record: rounds.record,
    commands.Extend: rounds.extend,
    commands.GiveTableTime: rounds.give_time,
    commands.Rule: rulings.rule,
    commands.Replay: rulings.replay,
    commands.Penalise: rulings.penalise,
    commands.Lift: rulings.lift,
    commands.OpenCase: rulings.open_case,
    commands.Forbid: rulings.forbid,
    commands.Allow: rulings.allow,
    commands.PauseTournament: rulings.pause,
    commands.Resume: rulings.resume,
    commands.Appeal: rulings.appeal,
    commands.DecideAppeal: rulings.decide_appeal,
    commands.Cancel: rulings.cancel,
    commands.Proceed: _proceed,
    commands.Pair: _pair,
    commands.Finish: _finish,
}
"""What does what is asked for."""
