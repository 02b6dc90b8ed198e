"""Rows of projections thrown away, which whoever follows the log next makes again from its first line."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import asyncpg

from infra.clock import ticks_s
from infra.store import Unavailable
from infra.store.logins import connect

LEAVE_S: Final = 5.0
"""How long those who have just hung up may take to be gone for the database."""
LOOK_S: Final = 0.05
OTHERS: Final = (
    "select exists (select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()"
    " and backend_type is distinct from 'autovacuum worker')"
)
CLEAR_ROWS: Final = "delete from projection where name = any($1)"
CLEAR_CURSORS: Final = "delete from projection_cursor where name = any($1)"


async def clear_rows(database_url: str, names: Sequence[str]) -> None:
    """Delete what these projections have made, with how far they have come, in one transaction: a crash leaves all.

    Whoever follows the log meanwhile would go on from where it is and never make these rows again.

    Raises:
        Unavailable: Others are connected to the database.
    """
    connection = await connect(database_url)
    try:
        await _wait_alone(connection)
        async with connection.transaction():
            await connection.execute(CLEAR_ROWS, names)
            await connection.execute(CLEAR_CURSORS, names)
    finally:
        await connection.close()


async def _wait_alone(connection: asyncpg.Connection) -> None:
    until = ticks_s() + LEAVE_S
    while await connection.fetchval(OTHERS):
        if ticks_s() >= until:
            raise Unavailable("others are connected to it: stop every program of the house first")
        await asyncio.sleep(LOOK_S)
