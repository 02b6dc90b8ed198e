"""Results of `truecup bench abuse`, for programs and for people."""

from __future__ import annotations

from msgspec import Struct
from rich.console import Group
from rich.table import Table
from rich.text import Text

from services.cli.bench.abuse.attempt import Sizes
from services.cli.bench.abuse.laws import LAWS, Found, broken
from services.cli.bench.sheets.machine import Machine


class AttackVerdict(Struct, frozen=True):
    """An attack, and the names of the laws it broke."""

    found: Found
    broke: tuple[str, ...]


class Abuse(Struct, frozen=True):
    """Everything one run has found.

    Attributes:
        seconds: How long each attack went on.
        sizes: How much the attacks used.
        laws: What had to hold, by name.
    """

    machine: Machine
    seconds: float
    sizes: Sizes
    laws: dict[str, str]
    attacks: tuple[AttackVerdict, ...]


def judge(machine: Machine, seconds: float, sizes: Sizes, found: list[Found]) -> Abuse:
    """Return what was found, held against the laws."""
    laws = {law.name: law.what for law in LAWS}
    return Abuse(machine, seconds, sizes, laws, tuple(AttackVerdict(one, broken(one)) for one in found))


def table_of(abuse: Abuse) -> Group:
    """Return it as a table for people."""
    where, seconds = abuse.machine, f"{abuse.seconds:g} s"
    heading = f"{where.cpu}, {where.cores} cores, {where.system}, Python {where.python}"
    aside = f"what others waited for in {seconds} before each attack > in {seconds} of it; MB before, at most, after"
    laws = [f"{name}: {what}" for name, what in abuse.laws.items()]
    return Group(Text(heading), Text(aside), _table(abuse), *(Text(line) for line in ("", *_caution(abuse), *laws)))


def _caution(abuse: Abuse) -> list[str]:
    load = max((one.found.load for one in abuse.attacks), default=0.0)
    if load <= abuse.machine.cores:
        return []
    return [f"the machine was busy with other things, too (load {load:.1f}): compare with care"]


def _table(abuse: Abuse) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("attack", no_wrap=True)
    for title in ("p50 ms", "p99 ms", "MB"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("laws")
    for one in abuse.attacks:
        table.add_row(*_row(one.found), f"broke: {', '.join(one.broke)}" if one.broke else "held")
    return table


def _row(found: Found) -> tuple[str, ...]:
    held = (found.memory.before, found.memory.most, found.memory.after)
    return (
        found.attack,
        f"{found.without.p50_ms:,.1f} > {found.beside.p50_ms:,.1f}",
        f"{found.without.p99_ms:,.1f} > {found.beside.p99_ms:,.1f}",
        " ".join("-" if mb is None else f"{mb:.0f}" for mb in held),
    )
