"""`truecup doctor`: what this machine has, what it lacks, and what to do about it."""

from __future__ import annotations

import asyncio

from msgspec import to_builtins
from rich.table import Table

from services.cli.exits import FINE, FOUND
from services.cli.operating.checks import Finding, findings
from services.cli.screen import draw, plain, say_json
from services.cli.settings import folder_of, settings

MARKS = {"ok": "[green]ok[/]", "missing": "[yellow]missing[/]", "wrong": "[red]wrong[/]"}


def doctor(*, json: bool = False) -> int:
    """Check this machine.

    Args:
        json: Print one JSON document.
    """
    config = settings()
    found = asyncio.run(findings(config, folder_of(config)))
    well = all(finding.state != "wrong" for finding in found)
    if json:
        say_json({"ok": well, "checks": to_builtins(found)})
    else:
        draw(table(found))
    return FINE if well else FOUND


def table(found: list[Finding]) -> Table:
    """Return what was found, as people read it."""
    table = Table(box=None, pad_edge=False)
    for title in ("", "what", "found", "what to do"):
        table.add_column(title, overflow="fold")
    for finding in found:
        table.add_row(MARKS[finding.state], *map(plain, (finding.name, finding.found, finding.to_do)))
    return table
