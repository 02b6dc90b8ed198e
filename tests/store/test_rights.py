"""A role of the database may what its programs do, and nothing else: every statement, table and function is tried.

What is held against what is tried are the lists that operators read (`.docs/roles.md`).
"""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest
import pytest_asyncio

from infra.store import batches, erasable, rewrapping, turns
from infra.store import postgres as postgres_store
from infra.store.comments import comment_tables
from infra.store.hooks import tables
from infra.store.postgres import PostgresStore, Role, open_store
from infra.store.primaries import places, spanning
from infra.store.transparency import log_tables
from services.relay.lobby_projector import LobbyProjector
from tests.store.lines import append, chain, stream
from tests.store.rights import ROLES, listed

PRIMARIES = (places, spanning)
STATEMENTS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": text
    for module in (postgres_store, batches, turns, log_tables, erasable, tables, comment_tables, rewrapping, *PRIMARIES)
    for name, text in vars(module).items()
    if name.isupper() and isinstance(text, str)
}
TABLES = (
    "select n.nspname || '.' || c.relname from pg_class c join pg_namespace n on n.oid = c.relnamespace"
    " where n.nspname in ('public', 'vault') and c.relkind in ('r', 'p', 'v', 'm', 'S', 'f')"
)
FUNCTIONS = (
    "select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace"
    " where n.nspname in ('public', 'vault')"
)
PRIVILEGES = ("select", "insert", "update", "delete", "truncate", "references", "trigger")


class Acting:
    """A connection in a role; whatever it does is undone."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def may(self, statement: str, *given: object) -> bool:
        """Report whether this is let through, whatever else becomes of it."""
        tried = self._connection.transaction()
        await tried.start()
        try:
            await self._connection.execute(statement, *given)
        except asyncpg.InsufficientPrivilegeError:
            return False
        except asyncpg.PostgresError:
            return True
        finally:
            await tried.rollback()
        return True

    async def may_prepared(self, statement: str) -> bool:
        """Report whether this statement is let through with nothing for every argument."""
        try:
            wanted = (await self._connection.prepare(statement)).get_parameters()
        except asyncpg.InsufficientPrivilegeError:
            return False
        return await self.may(statement, *(None for _ in wanted))


@pytest_asyncio.fixture(params=ROLES)
async def role(request: pytest.FixtureRequest) -> Role:
    return request.param


@pytest_asyncio.fixture
async def acting(database: str, role: Role) -> AsyncIterator[Acting]:
    connection = await asyncpg.connect(database, server_settings={"role": role})
    yield Acting(connection)
    await connection.close()


@pytest_asyncio.fixture
async def owner(database: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database)
    yield connection
    await connection.close()


async def test_every_table_of_the_schema_is_in_the_list(owner: asyncpg.Connection) -> None:
    found = {row[0].removeprefix("public.") for row in await owner.fetch(TABLES)}
    partitions = {f"{table}_{shard}" for table in ("event", "archive") for shard in range(8)}
    assert found - partitions == set(listed("table"))


async def test_a_role_was_granted_what_the_list_says(owner: asyncpg.Connection, role: Role) -> None:
    tables = [row[0] for row in await owner.fetch(TABLES)]
    rights = listed("table")
    for table in tables:
        granted = {
            one
            for one in PRIVILEGES
            if await owner.fetchval("select has_table_privilege($1, $2, $3)", role, table, one)
            or (
                one in {"select", "insert", "update", "references"}
                and await owner.fetchval("select has_any_column_privilege($1, $2, $3)", role, table, one)
            )
        }
        assert granted == rights.get(table.removeprefix("public."), {role: frozenset()})[role], (role, table)


async def test_a_role_that_tries_every_table_comes_as_far_as_the_list_says(
    owner: asyncpg.Connection, acting: Acting, role: Role
) -> None:
    rights = listed("table")
    for table in [row[0] for row in await owner.fetch(TABLES)]:
        column = await owner.fetchval(
            "select quote_ident(attname) from pg_attribute where attrelid = $1::regclass and attnum = 1", table
        )
        tries = {
            "select": f"select * from {table} limit 1",
            "insert": f"insert into {table} ({column}) select null where false",
            "update": f"update {table} set {column} = null where false",
            "delete": f"delete from {table} where false",
            "truncate": f"truncate {table}",
        }
        let = {name for name, statement in tries.items() if await acting.may(statement)}
        assert let == rights.get(table.removeprefix("public."), {role: frozenset()})[role], (role, table)


async def test_every_function_of_the_schema_is_in_the_list(owner: asyncpg.Connection) -> None:
    found = [row[0].partition("(")[0] for row in await owner.fetch(FUNCTIONS)]
    assert sorted(found) == sorted(listed("function")), "each has a name of its own, and a line"


async def test_a_role_that_calls_every_function_comes_as_far_as_the_list_says(
    owner: asyncpg.Connection, acting: Acting, role: Role
) -> None:
    rights = listed("function")
    for (function,) in await owner.fetch(FUNCTIONS):
        name, _, types = function.removesuffix(")").partition("(")
        nothing = ", ".join(f"null::{kind}" for kind in types.split(",") if kind)
        assert await acting.may(f"select {name}({nothing})") == bool(rights[name][role]), (role, function)


async def test_nobody_may_call_a_function_without_being_named(owner: asyncpg.Connection) -> None:
    """What PUBLIC may, every login of the database may."""
    open_to_all = await owner.fetch(
        FUNCTIONS + " and exists (select from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a"
        " where a.grantee = 0)"
    )
    assert open_to_all == []
    tables = await owner.fetch(
        TABLES + " and exists (select from aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) a"
        " where a.grantee = 0)"
    )
    assert tables == []


async def test_every_statement_of_the_project_is_in_the_list() -> None:
    assert sorted(STATEMENTS) == sorted(listed("statement"))
    known = {*postgres_store.STATEMENTS, *log_tables.STATEMENTS, *erasable.STATEMENTS, *rewrapping.STATEMENTS}
    assert set(STATEMENTS.values()) == known.union(*(module.STATEMENTS for module in PRIMARIES))


async def test_a_role_that_tries_every_statement_comes_as_far_as_the_list_says(acting: Acting, role: Role) -> None:
    rights = listed("statement")
    let = {name: await acting.may_prepared(text) for name, text in STATEMENTS.items()}
    assert let == {name: bool(may[role]) for name, may in rights.items()}


async def test_a_role_makes_nothing_of_its_own(acting: Acting) -> None:
    for statement in (
        "create table public.mine (one int)",
        "create function public.mine() returns int language sql as 'select 1'",
        "create schema mine",
        "alter table event disable trigger all",
        "drop function append_batch",
        "grant truecup_dealer to truecup_api",
        "copy event to program 'true'",
    ):
        assert not await acting.may(statement), statement


# ---- what was tried ---------------------------------------------------------------------------


async def test_a_node_that_shows_matches_cannot_bid_for_a_seat(database: str, postgres: PostgresStore) -> None:
    one = stream()
    await postgres.append(append(one, first := chain(one, 1)))
    forged = append(one, chain(one, 1, first), expected=1, command=b"forged".ljust(32, b"\0"))
    for role in ("truecup_api", "truecup_relay"):
        store = await open_store(database, role)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await store.append(forged)
        await store.close()
    assert await postgres.read(one) == first


async def test_a_node_that_shows_matches_gives_clocks_no_time_and_writes_no_lobby(
    database: str, postgres: PostgresStore
) -> None:
    store = await open_store(database, "truecup_api")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store.heartbeat(1)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store.last_words()
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store.save_projection("lobby", 0, 1, [])
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store.token(b"0" * 32)
    await store.close()
    assert await postgres.last_words() is None


async def test_a_relay_does_its_work_with_its_own_rights(database: str, postgres: PostgresStore) -> None:
    one = stream()
    await postgres.append(append(one, chain(one, 1), secrets=(("deal/0", b"wrapped"),)))
    store = await open_store(database, "truecup_relay")
    assert await store.secrets(one) == {"deal/0": b"wrapped"}
    await store.save_projection(LobbyProjector.name, 0, 1, [])
    assert await store.cursor(LobbyProjector.name, 0) == 1
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store.log_enforce("a policy of its own")
    await store.close()
