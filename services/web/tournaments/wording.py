"""Rules, times and dues of a tournament in sentences, in the language that is spoken."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from domain.ids import UnixMs
from domain.tournaments.rules import (
    Arena,
    Balanced,
    ChouetteStage,
    Duplicate,
    Entry,
    Groups,
    KnockoutStage,
    LadderStage,
    LastLonger,
    RoundRobin,
    Single,
    Stage,
    Swiss,
    TournamentRules,
    format_name,
    legs_max,
)
from projections.tournaments.dues import DueView
from projections.tournaments.overview import TournamentView
from services.words.catalogue import join_names, message, say
from services.words.figures import figure

_MINUTE_MS: Final = 60_000
BY_ORDER: Final = (LadderStage, ChouetteStage)
"""Stages whose places are those of an order, so that no tie-break parts anybody."""
_HOUR_MS: Final = 3_600_000


class RuleWords(Struct, frozen=True):
    """What the rules say of one thing, in sentences."""

    label: str
    lines: tuple[str, ...]


def _said(key: str, **facts: object) -> str:
    return say(message(f"tournaments.{key}"), {name: str(value) for name, value in facts.items()})


def moment_text(at: UnixMs) -> str:
    """Return a moment as everybody reads it, to the minute, such as `2026-11-25 08:41 UTC`."""
    return datetime.fromtimestamp(at / 1_000, UTC).strftime("%Y-%m-%d %H:%M UTC")


def moment_stamp(at: UnixMs) -> str:
    """Return a moment as `<time>` has it (RFC 3339)."""
    return datetime.fromtimestamp(at // 1_000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def span_text(ms: int) -> str:
    """Return a length of time, such as `15 min`, `24 h` or `30 s`."""
    if ms % _HOUR_MS == 0 and ms:
        return f"{ms // _HOUR_MS} h"
    return f"{ms // _MINUTE_MS} min" if ms % _MINUTE_MS == 0 and ms else f"{ms // 1_000} s"


# ---- rules -------------------------------------------------------------------------------------------


def rules_of_event(rules: TournamentRules) -> tuple[RuleWords, ...]:
    """Return the rules of a tournament, but for those of its matches."""
    by_order = all(isinstance(stage, BY_ORDER) for stage in rules.stages)
    found = [
        RuleWords(_said("rules.format"), tuple(_stages(rules))),
        RuleWords(_said("rules.points"), tuple(_points(rules))),
        *([] if by_order else [RuleWords(_said("rules.ties"), tuple(_ties(rules)))]),
        RuleWords(_said("rules.entry"), tuple(_entry(rules))),
        RuleWords(_said("rules.times"), tuple(_times(rules))),
        RuleWords(_said("rules.seeding"), (_said(f"rules.seeded.{rules.seeding}"),)),
    ]
    if rules.prizes is not None:
        amounts = (f"{place}. {figure(amount)}" for place, amount in enumerate(rules.prizes.amounts, start=1))
        lines = (f"{rules.prizes.unit}: {', '.join(amounts)}", _said("rules.shared_prizes"))
        found.append(RuleWords(_said("rules.prizes"), lines))
    return tuple(found)


def stage_text(stage: Stage) -> str:
    """Return how a stage is played."""
    name = format_name(stage)
    match stage:
        case Swiss():
            low, high = stage.sizes.min, stage.sizes.max
            return _said("how.swiss", low=low, high=high, kind="two" if high == 2 else "more")  # noqa: PLR2004 - tables of two
        case RoundRobin():
            return _said("how.round_robin", cycles=stage.cycles)
        case Balanced() | Duplicate():
            in_one_room = isinstance(stage, Duplicate) and stage.supervised
            return _said(f"how.{name}", size=stage.size, room="yes" if in_one_room else "no")
        case KnockoutStage():
            last = stage.final or stage.size
            return _said("how.knockout", size=stage.size, through=stage.through, last=last)
        case Arena():
            return _said("how.arena", time=span_text(stage.duration_ms), streak="yes" if stage.streak else "no")
        case LadderStage():
            answer, time = span_text(stage.answer_ms), span_text(stage.duration_ms)
            return _said("how.ladder", reach=stage.reach, answer=answer, time=time)
        case ChouetteStage():
            until, time = "time" if stage.bouts is None else "bouts", span_text(stage.duration_ms or 0)
            return _said("how.chouette", until=until, bouts=stage.bouts or 0, time=time)
        case LastLonger():
            return _said("how.last_longer", high=stage.high, rounds=stage.level_rounds)
        case Groups():
            inner = stage_text(stage.inner)
            return f"{_said('how.groups', groups=stage.groups, through=stage.through)} {inner}"
        case _:
            third = isinstance(stage, Single) and stage.third_place
            return _said(f"how.{name}", third="yes" if third else "no")


def _stages(rules: TournamentRules) -> Iterator[str]:
    many = len(rules.stages) > 1
    for number, stage in enumerate(rules.stages, start=1):
        name = _said(f"formats.{format_name(stage)}")
        told = [f"{_said('rules.stage', stage=number, format=name) if many else name}.", stage_text(stage)]
        if stage.rounds is not None:
            told.append(_said("rules.rounds", rounds=stage.rounds))
        if stage.rounds_max is not None:
            told.append(_said("rules.rounds_max", rounds=stage.rounds_max))
        if legs_max(stage) > 1:
            told.append(_said("rules.best_of", most=legs_max(stage)))
        if stage.advance is not None:
            told.append(_said("rules.advance", advance=stage.advance))
        yield " ".join(told)


def _points(rules: TournamentRules) -> Iterator[str]:
    yield _said(f"rules.schemes.{rules.scoring.scheme}")
    for size, worth in rules.scoring.points.items():
        yield _said("rules.worth", size=size, points=", ".join(worth))
    yield _said("rules.bye", bye=rules.scoring.bye)


def _ties(rules: TournamentRules) -> Iterator[str]:
    yield from (f"{number}. {tie_text(code)}" for number, code in enumerate(rules.tiebreaks, start=1))
    yield _said("rules.still_tied")


def tie_text(code: str) -> str:
    """Return what a tie-break is called, and what it looks at."""
    return f"{_said(f'ties.{code}.name')}: {_said(f'ties.{code}.means')}"


def _entry(rules: TournamentRules) -> Iterator[str]:
    entry: Entry = rules.entry
    yield _said("rules.places", min=entry.min, max=entry.max)
    yield _said(f"rules.bots.{entry.bots}")
    if entry.approve:
        yield _said("rules.approve")
    if entry.invited:
        yield _said("rules.invited")
    if entry.player:
        yield _said("rules.players_only")
    if entry.rating is not None:
        yield _said("rules.rating", low=entry.rating[0], high=entry.rating[1])
    late, of = entry.late_rounds, entry.late_points
    yield _said("rules.late", late=late, of=of)
    yield _said("rules.half_byes", byes=entry.half_byes)


def _times(rules: TournamentRules) -> Iterator[str]:
    time = rules.time
    yield _said("rules.check_in", time=span_text(time.check_in_ms))
    yield _said(f"rules.start.{time.start}", time=span_text(time.between_ms))
    if time.start == "times":
        yield from (
            _said("rules.round_at", round=at, when=moment_text(ms)) for at, ms in enumerate(time.times, start=1)
        )
    yield _said("rules.no_show", time=span_text(time.no_show_ms))
    if time.round_ms is not None:
        yield _said("rules.round_ends", time=span_text(time.round_ms))
    yield _said("rules.claims", time=span_text(time.claims_ms))


# ---- chance ------------------------------------------------------------------------------------------


def lots_text(view: TournamentView, rules: TournamentRules) -> tuple[str, ...]:
    """Return how lots come about, as far as that is known."""
    told, lots = [_said(f"lots.{rules.lots.deal}")], view.lots
    told.append(_said("lots.beacon", beacon="yes" if rules.lots.beacon is not None else "no"))
    if lots.state is None:
        told.append(_said("lots.to_come", drawing=view.counts.drawing))
    else:
        told.append(_said("lots.drawn", own=lots.own))
    if lots.barred:
        told.append(_said("lots.barred", barred=lots.barred))
    return tuple(told)


# ---- what is due -------------------------------------------------------------------------------------


def due_text(due: DueView) -> str:
    """Return what happens next, or who is waited for; where it has a time, that stands beside it."""
    return _said(f"due.{due.why}", tables=join_names([str(table) for table in due.tables]), many=len(due.tables))
