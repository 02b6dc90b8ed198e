"""The analysis of a record, joined from its parts: what is said of claims, of seats, and of the match as a whole."""

from __future__ import annotations

from collections import Counter
from typing import cast

from msgspec import UNSET, Struct

from domain import events
from domain.analysis import claims
from domain.analysis.following import FollowedRecord, FollowedRound, Step
from domain.analysis.report import Analysis, Stands, ToldEvent, ToldRound, ToldSeat, Unit, UsedPolicy
from domain.events import type_of
from domain.ids import Seat
from domain.strategy.tables import unit_of


class Means(Struct, frozen=True):
    """What an analysis is made with.

    Attributes:
        policies: Their headers, that by which moves are read first.
        samples: How many profiles an estimate is made from, 64 to 65,536.
    """

    policies: tuple[UsedPolicy, ...]
    samples: int


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
        policies=means.policies,
        worth=stands_for(followed),
        seats=tuple([_told_seat(followed, seat, told) for seat in sorted(match.seated)]),
        rounds=tuple([_told_round(played, means) for played in followed.rounds]),
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


def _told_round(played: FollowedRound, means: Means) -> ToldRound:
    return ToldRound(
        round=played.number,
        first=played.steps[0].version,
        last=played.steps[-1].version,
        policy=means.policies[0].id,
        table=None,
        starter=played.starter,
        doubt={},
        stake={},
        before={},
        after={},
        dealt={},
    )


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
