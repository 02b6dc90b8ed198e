"""Results of a benchmark, for programs and for people."""

from __future__ import annotations

from msgspec import Struct
from rich.console import Group
from rich.table import Table
from rich.text import Text

from services.cli.bench.sheets.figures import Figure
from services.cli.bench.sheets.machine import Machine


class Commands(Struct, frozen=True):
    """Durable commands through HTTP, as shares of the bare route and of the bare insert of as many rows as clients."""

    clients: int
    commands: Figure
    bare_route: Figure
    bare_insert: Figure
    of_bare_route: float
    of_bare_insert: float


class BesideFloor(Struct, frozen=True):
    """A figure, its floor, and how one relates to the other."""

    measured: Figure
    floor: Figure
    ratio: float


class RulesFigures(Struct, frozen=True):
    """Commands of random legal matches of a game through the domain alone, on one core.

    Attributes:
        seats: With how many seats it was played.
        worst_ms: The slowest command; the median of the repetitions' slowest.
        of_bare_replace: As a share of a bare loop of struct replacement; ratio a second.
    """

    game: str
    seats: int
    commands: Figure
    worst_ms: float
    of_bare_replace: float


class Fairness(Struct, frozen=True):
    """What provable dice cost on one core, and how much of that a bare loop of the HMACs it needs would take.

    Attributes:
        of_bare_hmac: Time of the bare loop by time of the work.
    """

    what: str
    measured: Figure
    of_bare_hmac: float


class Bench(Struct, frozen=True):
    """Everything one run measures; medians of the repetitions.

    Attributes:
        commands: Durable commands, by number of clients; ratios of commands a second.
        bid_to_spectator: From a bid being sent to its frame in a spectator's stream, over a bare NATS hop; of p50.
        bare_replace: A bare loop of struct replacement, the floor of the rules.
        rules: The rules of every game.
        bare_hmac: A bare loop of HMACs, the floor of provable dice.
        fairness: A deal, a roll with its opening, an audit.
    """

    machine: Machine
    seconds: float
    repetitions: int
    commands: tuple[Commands, ...]
    bid_to_spectator: BesideFloor
    bare_replace: Figure
    rules: tuple[RulesFigures, ...]
    bare_hmac: Figure
    fairness: tuple[Fairness, ...]


def table_of(found: Bench) -> Group:
    """Return the figures as a table for people."""
    where = found.machine
    heading = f"{where.cpu}, {where.cores} cores, {where.system}, Python {where.python}"
    servers = f"Postgres {where.postgres}, NATS {where.nats}; medians of {found.repetitions} repetitions"
    return Group(
        Text(heading), Text(servers), _table(found), Text(), _table_of_rules(found), Text(), _table_of_fairness(found)
    )


def _table(found: Bench) -> Table:
    table = _columns("what", ("a second", "p50 ms", "p99 ms", "of floor"))
    for row in found.commands:
        clients = f"{row.clients} client{'' if row.clients == 1 else 's'}"
        _add(table, f"durable commands, {clients}", row.commands)
        _add(table, f"  a bare route, {clients}", row.bare_route, f"{row.of_bare_route:.3f}")
        _add(table, f"  a bare insert, {row.clients} a commit", row.bare_insert, f"{row.of_bare_insert:.3f}")
    _add(table, "bid to spectator", found.bid_to_spectator.measured)
    _add(table, "  a bare hop through NATS", found.bid_to_spectator.floor, f"{found.bid_to_spectator.ratio:.1f} p50")
    return table


def _table_of_rules(found: Bench) -> Table:
    table = _columns("rules alone, one core", ("a second", "p50 ms", "p99 ms", "worst ms", "of floor"))
    for row in sorted(found.rules, key=lambda row: row.commands.per_s):
        worst, share = f"{row.worst_ms:.3f}", f"{row.of_bare_replace:.4f}"
        table.add_row(f"{row.game}, {row.seats} seats", *_figures(row.commands), worst, share)
    table.add_row("  a bare struct replaced", *_figures(found.bare_replace))
    return table


def _table_of_fairness(found: Bench) -> Table:
    table = _columns("provable dice, one core", ("a second", "p50 ms", "p99 ms", "of floor"))
    for row in found.fairness:
        _add(table, row.what, row.measured, f"{row.of_bare_hmac:.2f}")
    _add(table, "  a bare HMAC", found.bare_hmac)
    return table


def _add(table: Table, what: str, figure: Figure, share: str = "") -> None:
    table.add_row(what, *_figures(figure), share)


def _columns(first: str, titles: tuple[str, ...]) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    return table


def _figures(figure: Figure) -> tuple[str, str, str]:
    return f"{figure.per_s:,.0f}", f"{figure.p50_ms:.3f}", f"{figure.p99_ms:.3f}"
