"""The profile of a service while clients play."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec

from services.cli.bench.clients import load
from services.cli.bench.clients.load import LoadAnswers
from services.cli.bench.clients.tables import BenchTable
from services.cli.bench.profile.sampler import BEGIN, END
from services.cli.bench.rig.rig import LOOPBACK, RigPlace, service
from services.cli.bench.sheets.sheets import PartCost
from services.client.house import CannotDo

PROFILED: Final = "services.cli.bench.profile.profiled"
CLIENTS: Final = 16
WARM_S: Final = 1.0
"""How long clients play before anything is counted: the first requests fill caches."""
WRITES_S: Final = 10.0
LOOK_S: Final = 0.01
MS: Final = 1_000


LoadPlay = Callable[[str, Sequence[BenchTable], int, float], Awaitable[LoadAnswers]]
"""Plays at the service of an address, at these tables, with so many clients, for so many seconds."""


async def profile(
    place: RigPlace, tables: Sequence[BenchTable], seconds: float, play: LoadPlay = load.commands
) -> tuple[PartCost, ...]:
    """Play at a service with a sampler in it, over HTTP or so, and return what each of its parts costs a command.

    Raises:
        CannotDo: It does not write its figures.
    """
    file, clients = place.folder / "profile.json", min(CLIENTS, len(tables))
    module = (PROFILED, str(file))
    async with service(place, "profiled", proxies=LOOPBACK, module=module) as serving:
        await play(serving.url, tables, clients, min(WARM_S, seconds))
        os.kill(serving.pid, BEGIN)
        done = await play(serving.url, tables, clients, seconds)
        os.kill(serving.pid, END)
        return parts_of(await _written(file), done.count)


def parts_of(spent: Mapping[str, float], commands: int) -> tuple[PartCost, ...]:
    """Return parts by their cost, the dearest first, of seconds spent on so many commands."""
    whole = sum(spent.values()) or 1.0
    dear = sorted(spent.items(), key=lambda one: -one[1])
    return tuple(PartCost(part, round(s / whole, 4), round(MS * s / max(1, commands), 4)) for part, s in dear)


async def _written(file: Path) -> dict[str, float]:
    for _ in range(int(WRITES_S / LOOK_S)):
        if (found := _read(file)) is not None:
            return msgspec.json.decode(found, type=dict[str, float])
        await asyncio.sleep(LOOK_S)
    raise CannotDo("the service did not write its profile")


def _read(file: Path) -> bytes | None:
    return file.read_bytes() if file.exists() else None
