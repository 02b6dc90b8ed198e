"""Changes of a ladder: challenges, and what becomes of them."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from domain.ids import Milliseconds, UnixMs
from domain.tournaments import events
from domain.tournaments.changed import stage_changed
from domain.tournaments.schedules.ladder import LadderChallenge
from domain.tournaments.tournament import Tournament


def on_challenge(tournament: Tournament, event: events.ChallengeMade, _at: UnixMs) -> Tournament:
    """Return the tournament after a challenge."""
    made = LadderChallenge(event.number, event.against, event.until)
    return _with(tournament, {event.challenge: made})


def on_answer(tournament: Tournament, event: events.ChallengeAnswered, _at: UnixMs) -> Tournament:
    """Return the tournament after an answer: whoever declines has lost."""
    return _changed(tournament, event.challenge, state="accepted") if event.accepted else _lost(tournament, event)


def on_lapse(tournament: Tournament, event: events.ChallengeLapsed, _at: UnixMs) -> Tournament:
    """Return the tournament after a challenge that nobody has answered."""
    return _lost(tournament, event)


def after_leaving(tournament: Tournament, number: int) -> Tournament:
    """Return a tournament that an entrant has left: what it was asked is lost, and what it asked is void."""
    stage = tournament.stage
    for challenge, each in {} if stage is None else stage.challenges.items():
        if each.waits and number == each.against:
            tournament = _lost(tournament, events.ChallengeLapsed(challenge))
        elif each.waits and number == each.number:
            tournament = _changed(tournament, challenge, state="void")
    return tournament


def after_pairing(tournament: Tournament, event: events.TablesPaired) -> Tournament:
    """Return a tournament after a pairing, with what says at which table who was challenged plays."""
    stage = tournament.stages[event.stage - 1]
    waiting = {frozenset((each.number, each.against)): key for key, each in stage.challenges.items() if each.waits}
    for table, seats in event.tables if waiting else ():
        tournament = _changed(tournament, waiting[frozenset(seats)], place=(event.round, table))
    return tournament


def after_unpairing(tournament: Tournament, event: events.TablesUnpaired) -> Tournament:
    """Return a tournament after a round was taken back: who was to play in it waits for a table again."""
    for challenge, each in tournament.stages[event.stage - 1].challenges.items():
        if each.place is not None and each.place[0] == event.round:
            tournament = _changed(tournament, challenge, place=None)
    return tournament


def after_pause(tournament: Tournament, lasted: Milliseconds) -> Tournament:
    """Return a tournament after a pause, in which nobody's time to answer ran."""
    stage = tournament.stage
    for challenge, each in {} if stage is None else stage.challenges.items():
        if each.state == "open":
            tournament = _changed(tournament, challenge, until=each.until + lasted)
    return tournament


def _lost(tournament: Tournament, event: events.ChallengeAnswered | events.ChallengeLapsed) -> Tournament:
    stage = tournament.stages[-1]
    return _changed(tournament, event.challenge, state="lost", line=tournament.seq, after=len(stage.rounds))


def _changed(tournament: Tournament, challenge: int, **changes: Any) -> Tournament:  # noqa: ANN401 - of its members
    return _with(tournament, {challenge: replace(tournament.stages[-1].challenges[challenge], **changes)})


def _with(tournament: Tournament, challenges: dict[int, LadderChallenge]) -> Tournament:
    stage = tournament.stages[-1]
    return stage_changed(tournament, stage.number, replace(stage, challenges={**stage.challenges, **challenges}))
