"""The analysis of a record, joined from its parts: what is said of claims, of seats, and of the match as a whole."""

from __future__ import annotations

from collections import Counter
from typing import cast

from msgspec import UNSET

from domain import events
from domain.analysis import claims
from domain.analysis.figures import exact, ppm_of
from domain.analysis.figures import model as model_figure
from domain.analysis.following import FollowedRecord, FollowedRound, Step
from domain.analysis.means import Means, RoundMeans
from domain.analysis.report import Analysis, PerSeat, Stands, ToldEvent, ToldRound, ToldSeat, Unit
from domain.events import type_of
from domain.ids import Seat
from domain.strategy.tables import EVEN, MatchTable, RoundModel, unit_of
from domain.table.state import State


def analysis_of(followed: FollowedRecord, means: Means) -> Analysis:
    """Return the analysis of a record. Cost: for each event a look at the dice of every viewpoint."""
    match = followed.match
    told = tuple([told for played in followed.rounds for told in told_events(played)])
    return Analysis(
        match=str(match.id),
        head=followed.head,
        version=match.version,
        rules=followed.first.rules,
        rules_hash=match.rules_hash.hex(),
        complete=followed.is_complete,
        samples=means.samples,
        policies=means.used,
        worth=stands_for(followed),
        seats=tuple([_told_seat(followed, seat, told) for seat in sorted(match.seated)]),
        rounds=tuple([_told_round(played, means.rounds[played.number]) for played in followed.rounds]),
        events=told,
    )


def stands_for(followed: FollowedRecord) -> Stands:
    """Return what worths are counted in: the match, or the unit of a session that ends only when somebody ends it."""
    unit = unit_of(followed.match.rules) if followed.match.rules.match.open_ended else None
    return Stands("match") if unit is None else Stands("round", cast("Unit", unit.name))


def is_told(step: Step, played: FollowedRound) -> bool:
    """Report whether an event has an entry: what a seat asked for, a seat that leaves, and the dice as they lie."""
    return step.seat is not None or isinstance(step.event, events.Forfeited) or step is played.dealt


def told_events(played: FollowedRound) -> tuple[ToldEvent, ...]:
    """Return what is said of the events of a round."""
    return tuple([_told_event(step, played) for step in played.steps if is_told(step, played)])


def _told_event(step: Step, played: FollowedRound) -> ToldEvent:
    seat = step.event.seat if isinstance(step.event, events.Forfeited) else step.seat
    return ToldEvent(step.version, played.number, type_of(step.event), seat, **claims.told_claim(step, played))


def _told_round(played: FollowedRound, means: RoundMeans) -> ToldRound:
    table = means.table
    return ToldRound(
        round=played.number,
        first=played.steps[0].version,
        last=played.steps[-1].version,
        policy=means.play.id,
        table=None if table is None else table.id,
        starter=played.starter,
        doubt={},
        stake={},
        before=_told_worths(played, means, played.steps[0].old),
        after=_told_worths(played, means, played.steps[-1].new),
        dealt={},
        reason=means.reason or UNSET,
    )


def _told_worths(played: FollowedRound, means: RoundMeans, state: State) -> PerSeat:
    """Return what the state between two rounds is worth to each seat."""
    model = EVEN if means.table is None else means.table.content
    assert isinstance(model, RoundModel), "a table is a round model"
    worths = MatchTable(played.steps[0].old, model).worths(state)
    # Seats that have as much as each other are worth as much, whoever loses the rounds to come, and so are seats that
    # have won or lost: that is arithmetic, and no model.
    apart = {worth for worth in worths if worth not in {0, 1}}
    known = state.rules.match.open_ended or len(apart) <= 1
    return {
        seat: exact(worth) if known else model_figure(ppm_of(worth))
        for seat, worth in zip(state.seats, worths, strict=True)
    }


def _told_seat(followed: FollowedRecord, seat: Seat, told: tuple[ToldEvent, ...]) -> ToldSeat:
    asked = [step for played in followed.rounds for step in played.steps if step.seat == seat]
    clock = sum([step.clock for step in asked])
    forced = sum([step.forced and not step.clock for step in asked])
    labels = Counter(event.label for event in told if event.seat == seat and event.label is not UNSET)
    return ToldSeat(
        seat=seat,
        bot=followed.match.seated[seat].is_bot,
        decisions=len(asked) - clock - forced,
        forced=forced,
        clock=clock,
        error_rate=None,
        accuracy=None,
        loss="no_model",
        tags={},
        labels={str(label): count for label, count in sorted(labels.items())},
        luck=None,
    )
