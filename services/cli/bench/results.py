"""What a benchmark found, for programs and for people."""

from __future__ import annotations

from msgspec import Struct
from rich.console import Group
from rich.table import Table
from rich.text import Text

from services.cli.bench.figures import Figure
from services.cli.bench.machine import Machine


class Commands(Struct, frozen=True):
    """Durable commands through HTTP, as shares of the bare route and of the bare insert of as many rows as clients."""

    clients: int
    commands: Figure
    bare_route: Figure
    bare_insert: Figure
    of_bare_route: float
    of_bare_insert: float


class Beside(Struct, frozen=True):
    """A figure, its floor, and how one relates to the other."""

    measured: Figure
    floor: Figure
    ratio: float


class Bench(Struct, frozen=True):
    """Everything one run measures; medians of the repetitions.

    Attributes:
        commands: Durable commands, by number of clients; ratios of commands a second.
        bid_to_spectator: From a bid being sent to its frame in a spectator's stream, over a bare NATS hop; of p50.
        rules: Commands through the domain alone on one core, over a bare loop of struct replacement; ratio a second.
    """

    machine: Machine
    seconds: float
    repetitions: int
    commands: tuple[Commands, ...]
    bid_to_spectator: Beside
    rules: Beside


def shown(found: Bench) -> Group:
    """Return the figures as a table for people."""
    where = found.machine
    heading = f"{where.cpu}, {where.cores} cores, {where.system}, Python {where.python}"
    servers = f"Postgres {where.postgres}, NATS {where.nats}; medians of {found.repetitions} repetitions"
    return Group(Text(heading), Text(servers), _table(found))


def _table(found: Bench) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("what", no_wrap=True)
    for title in ("a second", "p50 ms", "p99 ms", "of floor"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in found.commands:
        clients = f"{row.clients} client{'' if row.clients == 1 else 's'}"
        _add(table, f"durable commands, {clients}", row.commands)
        _add(table, f"  a bare route, {clients}", row.bare_route, f"{row.of_bare_route:.3f}")
        _add(table, f"  a bare insert, {row.clients} a commit", row.bare_insert, f"{row.of_bare_insert:.3f}")
    _add(table, "bid to spectator", found.bid_to_spectator.measured)
    _add(table, "  a bare hop through NATS", found.bid_to_spectator.floor, f"{found.bid_to_spectator.ratio:.1f} p50")
    _add(table, "rules alone, one core", found.rules.measured)
    _add(table, "  a bare struct replaced", found.rules.floor, f"{found.rules.ratio:.4f}")
    return table


def _add(table: Table, what: str, figure: Figure, share: str = "") -> None:
    table.add_row(what, f"{figure.per_s:,.0f}", f"{figure.p50_ms:.3f}", f"{figure.p99_ms:.3f}", share)
