"""`truecup doctor`: what this machine and its cluster have, what they lack, and what to do about it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from msgspec import to_builtins
from rich.table import Table

from infra.config import Config
from services.cli.exits import FINE, FOUND
from services.cli.operating.checkup.bus import behind_bus, bus_of, of_bus
from services.cli.operating.checkup.checks import OF_MACHINE, OF_SERVERS, CheckFinding
from services.cli.operating.checkup.cluster import cluster_findings
from services.cli.screen import draw, plain, say_json
from services.cli.settings import folder_of, settings

MARKS = {"ok": "[green]ok[/]", "missing": "[yellow]missing[/]", "wrong": "[red]wrong[/]"}


def doctor(*, json: bool = False) -> int:
    """Check this machine.

    Args:
        json: Print one JSON document.
    """
    config = settings()
    found = asyncio.run(_look(config, folder_of(config)))
    well = all(finding.state != "wrong" for finding in found)
    if json:
        say_json({"ok": well, "checks": to_builtins(found)})
    else:
        draw(table(found))
    return FINE if well else FOUND


async def _look(config: Config, folder: Path) -> list[CheckFinding]:
    async with bus_of(config) as bus:
        return [
            *[await check(config, folder) for check in OF_SERVERS],
            await of_bus(bus, config),
            *[await check(config, folder) for check in OF_MACHINE],
            *await cluster_findings(config, folder),
            *await behind_bus(bus, config),
        ]


def table(found: list[CheckFinding]) -> Table:
    """Return what was found, as people read it."""
    table = Table(box=None, pad_edge=False)
    for title in ("", "what", "found", "what to do"):
        table.add_column(title, overflow="fold")
    for finding in found:
        table.add_row(MARKS[finding.state], *map(plain, (finding.name, finding.found, finding.to_do)))
    return table
