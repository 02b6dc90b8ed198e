"""`truecup statistics`: the dice of many records counted, without asking anybody."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated

from cyclopts import Parameter
from msgspec import Struct

from domain.fairness.audit import audit
from domain.fairness.records import events_of, split
from domain.statistics import uniformity
from domain.statistics.deals import HostDeals
from domain.statistics.tallies import DiceTally, tally_of_match, total_of
from domain.statistics.uniformity import Statistics
from infra.keys import ed25519_verify
from services.audit import statistics_text
from services.audit.statistics_text import phrase
from services.cli.auditing.sources import Unread, names_of, read
from services.cli.exits import CANNOT, FINE, FOUND, INCOMPLETE
from services.cli.screen import say, say_aside, say_json, show_progress
from services.words.figures import figure, share_words

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
            _leave_out(name, "unread", str(trouble))
            worst = CANNOT
    found = uniformity.statistics(total_of(one.tally for one in kept.values()))
    say_json(found) if json else _tell(found)
    if worst != FINE:
        return worst
    if not found.even or found.dealt.frequent:
        return FOUND
    return INCOMPLETE if found.waiting else FINE


def _count(name: str, kept: dict[str, CountedRecord]) -> int:
    """Count a record, in place of a shorter one of its match; return FOUND if it is at fault and does not count."""
    record = read(name)
    report = audit(record, None, ed25519_verify, LAYERS)
    if report.status == "FAULT":
        _leave_out(name, "fault", f"{report.code} {report.line}: {report.message}")
        return FOUND
    lines, match = split(record).lines, str(events_of(record)[0].data["match"])
    known = kept.get(match)
    if known is not None:
        others = split(read(known.name)).lines
        if any(one != other for one, other in zip(lines, others, strict=False)):
            _leave_out(name, "history", known.name)
            return FOUND
    if known is None or known.lines < len(lines):
        kept[match] = CountedRecord(name, len(lines), tally_of_match(lines))
    return FINE


def _leave_out(name: str, why: str, trouble: str) -> None:
    say_aside(f"truecup: {phrase('left_out', name=name, why=why, trouble=trouble)}")


def _tell(found: Statistics) -> None:
    told = statistics_text.verdict(found)
    say(f"{told.title}. {told.text}")
    say(phrase("line", **{name: figure(getattr(found, name)) for name in ("dice", "deals", "matches", "waiting")}))
    say(*statistics_text.deals_thrown(found))
    if found.dealt.frequent:
        say(phrase("thrown_alarm"))
    if found.dealt.hosts:
        heads = (phrase(key).lower() for key in ("host", "thrown_deals", "thrown_away", "chance"))
        _table(tuple(heads), map(_host, found.dealt.hosts[: statistics_text.HOSTS_MAX]))
    for kind in statistics_text.dice(found):
        what, fair = statistics_text.kind_name(kind.m), share_words(1 / kind.m, 2)
        say("", phrase("of_kind", what=what, seen=figure(kind.seen), waiting=figure(kind.waiting), fair=fair))
        heads = (phrase(key).lower() for key in ("side", "seen", "share", "low", "high"))
        _table(tuple(heads), (_side(kind.m, side) for side in kind.sides))
        say("", phrase("coin_of", what=what))
        heads = (one.lower() for one in ("", phrase("dice"), *statistics_text.habits()))
        _table(tuple(heads), map(_line, kind.lines))
    for m, counts in found.shown.items():
        shown = ", ".join(map(str, counts))
        say("", phrase("shown_of", what=statistics_text.kind_name(int(m)), counts=shown))


def _host(one: HostDeals) -> tuple[str, ...]:
    alarm = f" {phrase('too_often').upper()}" if one.frequent else ""
    figures = (
        figure(one.counts.logged),
        figure(one.counts.voided),
        f"{statistics_text.chance_words(one.chance)}{alarm}",
    )
    return (statistics_text.host_name(one.host), *figures)


def _side(m: int, side: statistics_text.Side) -> tuple[str, ...]:
    shares = (share_words(share, 2) for share in (side.share, side.low, side.high))
    return (statistics_text.side_name(m, side.number), figure(side.seen), *shares)


def _line(line: statistics_text.StatisticsLine) -> tuple[str, ...]:
    coins = (f"{coin} {phrase('uneven').upper()}" if uneven else coin for coin, uneven in line.coins)
    return (line.name, figure(line.dice), *coins)


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> None:
    """Print rows under their heads: the first column to the left, numbers to the right."""
    told = [heads, *rows]
    first, *others = (max(map(len, column)) for column in zip(*told, strict=True))
    for name, *cells in told:
        numbers = "".join(f"  {cell:>{width}}" for cell, width in zip(cells, others, strict=True))
        say(f"  {name:<{first}}{numbers}".rstrip())
