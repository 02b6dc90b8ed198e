"""Decisions about ladders: who challenges whom, what is answered, and what nobody answers."""

from __future__ import annotations

from domain.errors import Refused
from domain.tournaments import commands, events
from domain.tournaments.deciding.course import TournamentCourse
from domain.tournaments.field import StageField
from domain.tournaments.formats.ladders import busy, ladder_ends_at, playing_order, waiting
from domain.tournaments.rules import LadderStage
from domain.tournaments.schedules.ladder import may_challenge
from domain.tournaments.tournament import Entrant, PlayedStage


def challenge(course: TournamentCourse, command: commands.ChallengeAbove) -> None:
    """Put on record that an entrant asks one who stands a little above for a match.

    Raises:
        Refused: `unknown_number`, `not_yours`, `paused`, `wrong_phase`, `not_checked_in`, `already_withdrawn`,
            `disqualified`, `too_late`, `out_of_reach`, `forbidden_pair`, `already_challenged`, `table_running`.
    """
    asks, asked = course.entrant(command.number), course.entrant(command.against)
    if asks.player != command.by:
        raise Refused("not_yours")
    if course.tournament.paused:
        raise Refused("paused")
    stage, rules = _ladder(course)
    for entrant in (asks, asked):
        _check_there(entrant)
    ends_at = ladder_ends_at(stage, rules)
    if course.at >= ends_at:
        raise Refused("too_late", until=ends_at)
    _check_pair(course, stage, rules, command)
    until = course.at + rules.answer_ms
    course.add(events.ChallengeMade(len(stage.challenges) + 1, command.number, command.against, until))


def _ladder(course: TournamentCourse) -> tuple[PlayedStage, LadderStage]:
    """Return the ladder that is played.

    Raises:
        Refused: `wrong_phase`.
    """
    course.check_phase("running")
    rules = course.tournament.stage_rules
    if not isinstance(rules, LadderStage) or course.stage.closed is not None:
        raise Refused("wrong_phase", phase=course.tournament.phase)
    return course.stage, rules


def _check_there(entrant: Entrant) -> None:
    if entrant.disqualified:
        raise Refused("disqualified", number=entrant.number)
    if entrant.gone is not None:
        raise Refused("already_withdrawn", number=entrant.number)
    if not entrant.plays:
        raise Refused("not_checked_in", number=entrant.number)


def _check_pair(
    course: TournamentCourse, stage: PlayedStage, rules: LadderStage, command: commands.ChallengeAbove
) -> None:
    """Check that one may challenge the other now: near enough, and neither has something else to do."""
    pair = (command.number, command.against)
    field = StageField(course.tournament, stage.number)
    order = playing_order(field)
    if not set(pair) <= set(order) or not may_challenge(order, *pair, rules.reach):
        raise Refused("out_of_reach", reach=rules.reach)
    if field.forbidden(pair):
        raise Refused("forbidden_pair", numbers=sorted(pair))
    asked = {each for found in waiting(course.tournament, stage).values() for each in (found.number, found.against)}
    sits = busy(stage)
    for number in pair:
        if number in asked:
            raise Refused("already_challenged", number=number)
        if number in sits:
            raise Refused("table_running", number=number, round=sits[number])


def answer(course: TournamentCourse, command: commands.AnswerChallenge) -> None:
    """Put on record what who was challenged answers: to say no is to lose.

    Raises:
        Refused: `wrong_phase`, `no_challenge`, `not_yours`, `too_late`.
    """
    stage, _ = _ladder(course)
    found = waiting(course.tournament, stage).get(command.challenge)
    if found is None or found.state != "open":
        raise Refused("no_challenge", challenge=command.challenge)
    if course.entrant(found.against).player != command.by:
        raise Refused("not_yours")
    if course.at >= found.until and not course.tournament.paused:
        raise Refused("too_late", until=found.until)
    course.add(events.ChallengeAnswered(command.challenge, command.accepted))


def lapse(course: TournamentCourse) -> None:
    """Put on record which challenges nobody has answered in time: whoever made them has won."""
    for key, found in sorted(waiting(course.tournament, course.stage).items()):
        if found.state == "open" and found.until <= course.at:
            course.add(events.ChallengeLapsed(key))
