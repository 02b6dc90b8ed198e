"""The stored secrets wrapped anew, a batch at a time, while others read and write them.

What was wrapped by the newest key is left alone, so whoever is interrupted goes on where it was by beginning again. A
batch is one transaction; a secret is opened by an older key or by the newest, and both are at hand meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import asyncpg
from msgspec import Struct

from infra.sealing import CannotUnwrap, Sealing
from infra.store.logins import connect

BATCH: Final = 500
SOME: Final = (
    "select stream, name, wrapped from vault.secret where (stream, name) > ($1, $2) order by stream, name limit $3"
)
COUNT: Final = "select count(*) from vault.secret"
REWRAP: Final = "select rewrap_secrets($1, $2, $3, $4)"
STATEMENTS: Final = (SOME, COUNT, REWRAP)


class Rewrapped(Struct, frozen=True):
    """What became of the secrets.

    Attributes:
        changed: How many were wrapped anew.
        kept: How many the newest key had wrapped already.
        closed: How many no key at hand opens; they are as they were.
    """

    changed: int = 0
    kept: int = 0
    closed: int = 0


async def rewrap(dsn: str, sealing: Sealing, tell: Callable[[int, int], None], batch: int = BATCH) -> Rewrapped:
    """Wrap every stored secret with the newest key.

    Args:
        dsn: The database.
        sealing: The keys, the newest first.
        tell: Told how many secrets were looked at, of how many.
        batch: How many share a transaction.

    Raises:
        OSError: Nobody answers there.
        asyncpg.PostgresError: The database refuses; what was done stays done.
    """
    connection = await connect(dsn, {"role": "truecup_dealer", "application_name": "truecup"})
    try:
        total, seen, found = await connection.fetchval(COUNT), 0, Rewrapped()
        place = ("", "")
        while rows := await connection.fetch(SOME, *place, batch):
            found = await _batch(connection, sealing, rows, found)
            place, seen = (rows[-1]["stream"], rows[-1]["name"]), seen + len(rows)
            tell(seen, max(total, seen))
        return found
    finally:
        await connection.close()


async def _batch(
    connection: asyncpg.Connection, sealing: Sealing, rows: list[asyncpg.Record], found: Rewrapped
) -> Rewrapped:
    """Wrap a batch anew. A crash before the answer leaves all of it as it was, or all of it anew."""
    changes, kept, closed = [], found.kept, found.closed
    for row in rows:
        stream, name, wrapped = row["stream"], row["name"], row["wrapped"]
        bound = f"{stream}/{name}".encode()
        if sealing.is_newest(wrapped):
            kept += 1
            continue
        try:
            changes.append((stream, name, wrapped, sealing.wrap(sealing.unwrap(wrapped, bound), bound)))
        except CannotUnwrap:
            closed += 1
    changed = await connection.fetchval(REWRAP, *map(list, zip(*changes, strict=True))) if changes else 0
    return Rewrapped(found.changed + changed, kept, closed)
