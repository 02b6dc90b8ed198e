"""The sheet of a bench: a row a figure, beside its floor and what is to be reached; medians of five repetitions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from statistics import median
from typing import Any, Final

import asyncpg
from msgspec import Struct, to_builtins
from rich.console import Group
from rich.table import Table
from rich.text import Text

from infra.store import Unavailable
from services.cli.bench.sheets.figures import Figure
from services.cli.bench.sheets.machine import Machine
from services.cli.exits import FINE
from services.cli.screen import bar, draw, say_json
from services.client.house import CannotDo
from services.work.startup import CannotStart

REPETITIONS: Final = 5
PER_S, MS, BYTES = "a second", "ms", "bytes"
"""Units."""
LESS: Final = 10
"""Figures below this have three decimals, since a millisecond is long."""
SMALL: Final = 0.01


class Row(Struct, frozen=True):
    """One figure.

    Attributes:
        what: What was measured.
        unit: In what: `a second`, `ms`, `bytes`, or another.
        ours: The median of the repetitions.
        beside: Its floor; empty if it has none.
        floor: The median of the floor, in the same unit.
        ratio: The median of the repetitions' ratios, ours by floor: both of a pair were measured one after the other;
            None where there is no floor, or it is 0.
        reach: What the ratio, or the figure if it has no floor, is to be; empty if nothing was asked.
    """

    what: str
    unit: str
    ours: float
    beside: str = ""
    floor: float | None = None
    ratio: float | None = None
    reach: str = ""


class PartCost(Struct, frozen=True):
    """What one part of the service costs a command.

    Attributes:
        part: Which.
        share: Of the processor's time of all parts, between 0 and 1.
        ms: Milliseconds of a core a command.
    """

    part: str
    share: float
    ms: float


class BenchSheet(Struct, frozen=True):
    """What one bench has measured.

    Attributes:
        bench: Its name.
        rows: The figures.
        profile: Where the processor's time goes, if that was asked.
    """

    bench: str
    machine: Machine
    seconds: float
    repetitions: int
    rows: tuple[Row, ...]
    profile: tuple[PartCost, ...] = ()


class Samples:
    """What the repetitions measure, in pairs: a figure and its floor."""

    def __init__(self) -> None:
        """Begin with none."""
        self._heads: dict[str, tuple[str, str, str]] = {}
        self._ours: dict[str, list[float]] = {}
        self._floors: dict[str, list[float]] = {}

    def add(
        self, what: str, unit: str, ours: float, beside: str = "", floor: float | None = None, reach: str = ""
    ) -> None:
        """Keep a figure, and its floor if it has one, in the same unit."""
        self._heads.setdefault(what, (unit, beside, reach))
        self._ours.setdefault(what, []).append(ours)
        if floor is not None:
            self._floors.setdefault(what, []).append(floor)

    def add_waits(self, what: str, ours: Figure, beside: str, floor: Figure, reach: str = "") -> None:
        """Keep p50 and p99, each beside that of its floor; the reach is that of the p50."""
        self.add(f"{what}, p50", MS, ours.p50_ms, f"{beside}, p50", floor.p50_ms, reach)
        self.add(f"{what}, p99", MS, ours.p99_ms, f"{beside}, p99", floor.p99_ms)

    def rows(self) -> tuple[Row, ...]:
        """Return the medians, in the order in which the first repetition measured."""
        return tuple(self._row(what, *head) for what, head in self._heads.items())

    def _row(self, what: str, unit: str, beside: str, reach: str) -> Row:
        ours, floors = self._ours[what], self._floors.get(what)
        if floors is None:
            return Row(what, unit, _rounded(median(ours)), beside, reach=reach)
        floor = _rounded(median(floors))
        # A floor of nothing, on the scale of the sheet, such as the core of what hardly worked, gives no ratio.
        ratios = [one / each for one, each in zip(ours, floors, strict=True) if each]
        ratio = round(median(ratios), 6) if floor else None
        return Row(what, unit, _rounded(median(ours)), beside, floor, ratio, reach)


Measuring = Callable[[Callable[[str], None]], Coroutine[Any, Any, BenchSheet]]
"""Measures, and says meanwhile what it does."""


def run(measuring: Measuring, *, json: bool) -> int:
    """Run a bench, and print its sheet as a table or as one JSON document.

    Raises:
        CannotDo: What it stands on does not start, or does not answer.
    """
    try:
        with bar() as progress:
            task = progress.add_task("starting", total=None)
            found = asyncio.run(measuring(lambda what: progress.update(task, description=what)))
    except (CannotStart, Unavailable, OSError, asyncpg.PostgresError) as trouble:
        raise CannotDo(f"the benchmark cannot run: {trouble or type(trouble).__name__}") from trouble
    if json:
        say_json(to_builtins(found))
    else:
        draw(table_of(found))
    return FINE


def table_of(found: BenchSheet) -> Group:
    """Return the sheet as a table for people."""
    where = found.machine
    servers = f"Postgres {where.postgres}, NATS {where.nats}; " if where.postgres else ""
    heads = (
        Text(f"{where.cpu}, {where.cores} cores, {where.system}, Python {where.python}"),
        Text(f"{servers}medians of {found.repetitions} repetitions"),
    )
    profile = (Text(), _table_of_profile(found.profile)) if found.profile else ()
    return Group(*heads, _table(found.rows), *profile)


def _table(rows: Iterable[Row]) -> Table:
    """Return a line for each figure, and below those that share a floor a line for it."""
    table = Table(box=None, pad_edge=False)
    table.add_column("what")
    for title in ("figure", "unit", "ratio", "reach"):
        table.add_column(title, justify="left" if title in {"unit", "reach"} else "right", no_wrap=True)
    every = list(rows)
    for row, after in zip(every, [*every[1:], None], strict=True):
        ratio = "" if row.ratio is None else _said_ratio(row.ratio)
        table.add_row(row.what, _said(row.ours), row.unit, ratio, row.reach)
        shared = after is not None and (after.beside, after.floor) == (row.beside, row.floor)
        if row.floor is not None and not shared:
            table.add_row(f"  {row.beside}", _said(row.floor), row.unit)
    return table


def _table_of_profile(parts: Iterable[PartCost]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("where the processor's time goes")
    table.add_column("share", justify="right")
    table.add_column("ms a command", justify="right")
    for part in parts:
        table.add_row(part.part, f"{part.share:.1%}", f"{part.ms:.3f}")
    return table


def _rounded(figure: float) -> float:
    return round(figure, 4) if abs(figure) < LESS else round(figure, 1)


def _said_ratio(ratio: float) -> str:
    return f"{ratio:,.2f}" if ratio >= 1 else f"{ratio:.3f}" if ratio >= SMALL else f"{ratio:.5f}"


def _said(figure: float) -> str:
    return f"{figure:,.3f}" if abs(figure) < LESS else f"{figure:,.0f}"
