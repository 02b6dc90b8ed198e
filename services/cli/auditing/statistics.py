"""`truecup statistics`: the dice of many records counted, without asking anybody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from cyclopts import Parameter
from msgspec import Struct

from domain.fairness.audit import audit
from domain.fairness.records import events_of, split
from domain.statistics import uniformity
from domain.statistics.tallies import DiceTally, tally_of_match, total_of
from domain.statistics.uniformity import Statistics
from infra.keys import ed25519_verify
from services.audit import statistics_text
from services.cli.auditing.sources import Unread, names_of, read
from services.cli.exits import CANNOT, FINE, FOUND, INCOMPLETE
from services.cli.screen import say, say_aside, say_json, show_progress

LAYERS = (1, 2)


class CountedRecord(Struct, frozen=True):
    """A record that counts: where it stands, how many lines it has, its tally."""

    name: str
    lines: int
    tally: DiceTally


def statistics(
    records: Annotated[tuple[str, ...], Parameter(negative=(), required=True)], /, *, json: bool = False
) -> int:
    """Count dice.

    Args:
        records: Record files, folders of them, addresses of matches; - reads one from stdin.
        json: Print one JSON document.
    """
    kept: dict[str, CountedRecord] = {}
    worst = FINE
    names = names_of(records)
    for name in show_progress(names, "count", len(names)):
        try:
            worst = max(worst, _count(name, kept), key=(FINE, FOUND, CANNOT).index)
        except Unread as trouble:
            say_aside(f"truecup: {name} cannot be read: {trouble}")
            worst = CANNOT
    found = uniformity.statistics(total_of(one.tally for one in kept.values()))
    say_json(found) if json else _tell(found)
    if worst != FINE:
        return worst
    if not found.even:
        return FOUND
    return INCOMPLETE if found.waiting else FINE


def _count(name: str, kept: dict[str, CountedRecord]) -> int:
    """Count a record, in place of a shorter one of its match; return FOUND if it is at fault and does not count."""
    record = read(name)
    report = audit(record, None, ed25519_verify, LAYERS)
    if report.status == "FAULT":
        say_aside(f"truecup: {name} does not count: {report.code} in line {report.line}: {report.message}")
        return FOUND
    lines, match = split(record).lines, str(events_of(record)[0].data["match"])
    known = kept.get(match)
    if known is not None:
        others = split(read(known.name)).lines
        if any(one != other for one, other in zip(lines, others, strict=False)):
            say_aside(f"truecup: {name} does not count: it tells another history than {known.name}")
            return FOUND
    if known is None or known.lines < len(lines):
        kept[match] = CountedRecord(name, len(lines), tally_of_match(lines))
    return FINE


def _tell(found: Statistics) -> None:
    told = statistics_text.verdict(found)
    say(f"{told.title}. {told.text}")
    say(f"Counted: dice {found.dice:,}, deals {found.deals:,}, matches {found.matches:,}. Hidden: {found.waiting:,}.")
    for kind in statistics_text.dice(found):
        fair = f"a fair share is {1 / kind.m:.2%}"
        say("", f"{statistics_text.kind_name(kind.m)}: {kind.seen:,} counted, {kind.waiting:,} waiting; {fair}")
        _table(("side", "seen", "share", "from", "to"), (_side(kind.m, side) for side in kind.sides))
        say("", f"What one coin has become on dice with {kind.m} sides")
        _table(("", "dice", *(name.lower() for name in statistics_text.HABITS.values())), map(_line, kind.lines))
    for m, counts in found.shown.items():
        shown = ", ".join(map(str, counts))
        say("", f"Shown of dice with {m} sides whose secrets stay secret, not tested: {shown}")


def _side(m: int, side: statistics_text.Side) -> tuple[str, ...]:
    return (
        statistics_text.side_name(m, side.number),
        f"{side.seen:,}",
        f"{side.share:.2%}",
        f"{side.low:.2%}",
        f"{side.high:.2%}",
    )


def _line(line: statistics_text.StatisticsLine) -> tuple[str, ...]:
    coins = (f"{coin} UNEVEN" if uneven else coin for coin, uneven in line.coins)
    return (line.name, f"{line.dice:,}", *coins)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows under their heads: the first column to the left, numbers to the right."""
    told = [heads, *rows]
    first, *others = (max(map(len, column)) for column in zip(*told, strict=True))
    for name, *cells in told:
        numbers = "".join(f"  {cell:>{width}}" for cell, width in zip(cells, others, strict=True))
        say(f"  {name:<{first}}{numbers}".rstrip())
