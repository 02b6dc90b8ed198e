"""The tables of a database that a backup has: those that migrations make, and none that somebody keeps beside them."""

from __future__ import annotations

import re
from typing import Final

import asyncpg
from msgspec import Struct

from infra.store.migrate import migrations

ELSEWHERE: Final = frozenset({"schema_migrations", "log_branch"})
"""What the manifest says, and what follows from another table."""
MADE: Final = re.compile(r"^create table (?:if not exists )?(?:\w+\.)?(\w+) ", re.MULTILINE)
TABLES: Final = (
    "select n.nspname as schema, c.relname as name, a.columns, k.keys from pg_class c"
    " join pg_namespace n on n.oid = c.relnamespace"
    " cross join lateral (select array_agg(attname order by attnum) as columns from pg_attribute"
    " where attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = '') a"
    " join lateral (select array_agg(g.attname order by o.n) as keys from pg_index i"
    " cross join unnest(i.indkey::int2[]) with ordinality as o (attnum, n)"
    " join pg_attribute g on g.attrelid = c.oid and g.attnum = o.attnum"
    " where i.indrelid = c.oid and i.indisprimary) k on true"
    " where n.nspname in ('public', 'vault') and c.relkind in ('r', 'p') and not c.relispartition"
    " and c.relname = any ($1::text[]) order by n.nspname, c.relname"
)
APPLIED: Final = "select version from schema_migrations order by version"


class StoredTable(Struct, frozen=True):
    """A table: its columns but those that follow from others, and the columns of its primary key."""

    schema: str
    name: str
    columns: tuple[str, ...]
    keys: tuple[str, ...]

    @property
    def quoted(self) -> str:
        """Its name in a statement."""
        return f'"{self.schema}"."{self.name}"'


async def tables_of(connection: asyncpg.Connection) -> list[StoredTable]:
    """Return the tables of this database by their names, in which order none refers to a later one."""
    made = {name for _, sql in migrations() for name in MADE.findall(sql)} - ELSEWHERE
    rows = await connection.fetch(TABLES, sorted(made))
    return [StoredTable(row["schema"], row["name"], tuple(row["columns"]), tuple(row["keys"])) for row in rows]


async def applied(connection: asyncpg.Connection) -> tuple[str, ...]:
    """Return the migrations that this database has had, in order; none where nobody has migrated it."""
    if await connection.fetchval("select to_regclass('public.schema_migrations') is null"):
        return ()
    return tuple(row["version"] for row in await connection.fetch(APPLIED))
