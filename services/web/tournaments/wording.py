"""Rules, times and dues of a tournament in sentences, in the language that is spoken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from domain.tournaments.formats.table import format_called, format_of
from domain.tournaments.rules import Entry, Stage, TournamentRules, format_name, legs_max
from projections.tournaments.dues import DueView
from projections.tournaments.overview import TournamentView
from services.words.catalogue import Facts, join_names, message, say, term
from services.words.figures import figure, moment_text

_MINUTE_MS: Final = 60_000
PAIR: Final = 2
_HOUR_MS: Final = 3_600_000


class RuleWords(Struct, frozen=True):
    """What the rules say of one thing, in sentences."""

    label: str
    lines: tuple[str, ...]


def _said(key: str, **facts: object) -> str:
    return say(message(f"tournaments.{key}"), {name: str(value) for name, value in facts.items()})


def span_text(ms: int) -> str:
    """Return a length of time, such as `15 min`, `24 h` or `30 s`."""
    if ms % _HOUR_MS == 0 and ms:
        return f"{ms // _HOUR_MS} h"
    return f"{ms // _MINUTE_MS} min" if ms % _MINUTE_MS == 0 and ms else f"{ms // 1_000} s"


# ---- rules -------------------------------------------------------------------------------------------


def rules_of_event(rules: TournamentRules) -> tuple[RuleWords, ...]:
    """Return the rules of a tournament, but for those of its matches."""
    by_order = all(format_of(stage).counting.order is not None for stage in rules.stages)
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


def format_text(name: str) -> str:
    """Return what people call a format; in English, what no language has words for."""
    return _said_of(f"formats.{name}", {}) or term(format_called(name).title or name)


def stage_text(stage: Stage) -> str:
    """Return how a stage is played, and of one with groups how each of these is."""
    chosen, facts = format_of(stage), dict(_facts(stage))
    told = _said_of(f"how.{format_name(stage)}", facts) or term(chosen.about)
    part = chosen.part(stage)
    return told if part is stage else f"{told} {stage_text(part)}"


def _said_of(key: str, facts: Facts) -> str | None:
    """Return what the catalogue says of a format; None where it has no words for it."""
    try:
        found = message(f"tournaments.{key}")
    except KeyError:
        return None
    return say(found, facts)


def _facts(stage: Stage) -> Iterator[tuple[str, str]]:
    """Yield what a sentence on a stage may name or choose by: its members, and how many sit at a table."""
    sizes = stage.table_sizes
    yield from (("low", str(sizes.min)), ("high", str(sizes.max)), ("kind", "two" if sizes.max == PAIR else "more"))
    for name in stage.__struct_fields__:
        yield name, _fact(name, getattr(stage, name))


def _fact(name: str, value: object) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case int() if name.endswith("_ms"):
            return span_text(value)
        case _:
            return str(value)


def _stages(rules: TournamentRules) -> Iterator[str]:
    many = len(rules.stages) > 1
    for number, stage in enumerate(rules.stages, start=1):
        name = format_text(format_name(stage))
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
