"""An analysis in words: a row for each seat, or the claims of one, the moments, and how to see more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import UNSET

from domain.analysis.figures import Figure, divide
from domain.analysis.report import Analysis, Printed, ToldEvent, ToldSeat
from domain.ids import Seat

LABELS: Final = ("true", "truthful", "semi-bluff", "bluff")
JUDGED: Final = ("accuracy", "loss a decision", "mistakes", "blunders")
COLUMNS: Final = ("seat", "decisions", "forced", "by clock", *JUDGED, *LABELS, "caught", "passed")
REASONS: Final = {"not_shown": "not shown", "no_model": "no model", "no_stake": "no stake"}
GAP: Final = "  "
TENTH: Final = 1_000
"""Ppm in a tenth of a percent."""


def told(analysis: Analysis, record: str, seat: Seat | None) -> list[str]:
    """Return the lines that tell of an analysis.

    Args:
        analysis: The analysis.
        record: What somebody called the record.
        seat: Whose claims to tell of; None for a row for each seat.
    """
    rounds = [played.round for played in analysis.rounds]
    state = "over" if analysis.complete else "not over; its closed rounds are told"
    head = f"match {analysis.match}: rounds {rounds[0]} to {rounds[-1]}, {state}"
    lines = list(_seats(analysis)) if seat is None else list(_claims(analysis, seat))
    return [head, "", *lines, *_moments(analysis), "", *_more(record, seat)]


def _seats(analysis: Analysis) -> Iterator[str]:
    yield from _table([COLUMNS, *(_row(analysis, row) for row in analysis.seats)])


def _row(analysis: Analysis, row: ToldSeat) -> tuple[str, ...]:
    outcomes = [event.outcome for event in analysis.events if event.seat == row.seat]
    name = f"{row.seat} (bot)" if row.bot else str(row.seat)
    judged = ["-" if each is None else percent(each) for each in (row.accuracy, row.error_rate)]
    counts = [row.tags.get("mistake", 0), row.tags.get("blunder", 0), *(row.labels.get(label, 0) for label in LABELS)]
    ends = [outcomes.count("caught"), outcomes.count("passed")]
    return (name, *map(str, (row.decisions, row.forced, row.clock)), *judged, *map(str, (*counts, *ends)))


def _claims(analysis: Analysis, seat: Seat) -> Iterator[str]:
    said = [event for event in analysis.events if event.seat == seat and event.chance is not UNSET]
    yield from _table([("line", "round", "claim", "own", "public", "all", "was", "became"), *map(_claim, said)])


def _claim(event: ToldEvent) -> tuple[str, ...]:
    chance = event.chance
    assert chance is not UNSET
    assert event.seat is not None
    flags = "" if event.flags is UNSET else "".join(f" {flag}" for flag in event.flags)
    label = "not shown" if event.label is UNSET else event.label
    return (
        str(event.version),
        str(event.round),
        _named(event.claim),
        percent(chance.seat.get(event.seat, "not_shown")),
        percent(chance.public),
        "not shown" if chance.all is UNSET else percent(chance.all),
        label + flags,
        "" if event.outcome is UNSET else event.outcome,
    )


def _named(claim: Any) -> str:  # noqa: ANN401 - as the document has it
    if claim is UNSET:
        return "all different"
    if "quantity" in claim:
        return f"{claim['quantity']} x {claim['face']}"
    return f"{claim['shape']} {'-'.join(map(str, claim['faces']))}".rstrip()


def _moments(analysis: Analysis) -> Iterator[str]:
    for number, moment in enumerate(analysis.moments):
        if not number:
            yield ""
        yield f"line {moment.version}: {', '.join(moment.kinds)}"


def _more(record: str, seat: Seat | None) -> Iterator[str]:
    if seat is None:
        yield f"truecup analyse {record} --seat N tells what seat N claimed, and how likely it was."
    yield f"truecup analyse {record} --json has every figure of it."


def percent(figure: Printed) -> str:
    """Return a figure as a share, such as `55.6 %`, or why there is none."""
    if not isinstance(figure, Figure):
        return REASONS[figure]
    tenths = divide(figure.ppm, TENTH)
    return f"{tenths // 10}.{tenths % 10} %"


def _table(rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows of cells, in columns as wide as their widest cell."""
    every = list(rows)
    widths = [max(len(row[column]) for row in every) for column in range(len(every[0]))]
    for row in every:
        yield GAP.join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
