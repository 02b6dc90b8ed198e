"""Sessions that have been played for long, made as fast as a service takes commands."""

from __future__ import annotations

import asyncio
from typing import Final

from services.cli.bench.abuse.attempt import Session, crowd
from services.cli.bench.clients.tables import BenchTable, open_table
from services.cli.bench.clients.wire import Wire
from services.client.house import CannotDo

SEATS: Final = 10
"""Commands are bounded by token: ten seats may do ten times as much."""
DEAL_S: Final = 0.005
PATIENCE_S: Final = 300.0
"""How long a session may take; a machine of two cores needs about a minute for the longest."""
NONE: Final = Session("", 0, {})


async def session_of(url: str, events: int) -> Session:
    """Return a session with at least so many events.

    Raises:
        CannotDo: The service was too slow.
    """
    wires = [await Wire.to(url, crowd(number)) for number in range(SEATS)]
    try:
        async with asyncio.timeout(PATIENCE_S):
            table = await open_table(wires[0], SEATS)
            return Session(table.path, await _played(table, wires, events), table.tokens)
    except TimeoutError as trouble:
        raise CannotDo(f"the service did not take {events} events in {PATIENCE_S:.0f} s") from trouble
    finally:
        for wire in wires:
            wire.abort()


async def _played(table: BenchTable, wires: list[Wire], events: int) -> int:
    """Act, each time over the next connection, until the session is long enough, and return its version."""
    version, turn = 0, 0
    while version < events:
        wire = wires[turn % len(wires)]
        turn += 1
        if await table.ready(wire):
            version = await table.act(wire) or version
        else:
            await asyncio.sleep(DEAL_S)
    return version
