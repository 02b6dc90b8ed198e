"""Rights of a login beyond its role: they are found, and said."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit, urlunsplit

import asyncpg
import pytest

from infra.entropy import draw
from infra.store import Unavailable, logins
from infra.store.logins import Login, login_of
from infra.store.postgres import Role, open_store
from services.cli.operating.checkup.checks import login_words
from tests.store.rights import ROLES


@asynccontextmanager
async def login(database: str, *roles: str) -> AsyncIterator[str]:
    """Lend a login of its own with these roles: its address."""
    name = f"l{draw(8).hex()}"
    admin = await asyncpg.connect(database)
    await admin.execute(f"create role {name} login in role {', '.join(roles)}")
    parts = urlsplit(database)
    yield urlunsplit((parts.scheme, f"{name}@", parts.path, parts.query, ""))
    await admin.execute(f"drop role {name}")
    await admin.close()


async def looked_at(address: str) -> Login:
    connection = await asyncpg.connect(address)
    try:
        return await login_of(connection, ROLES)
    finally:
        await connection.close()


@pytest.mark.parametrize("role", ROLES)
async def test_a_login_of_its_own_reaches_as_far_as_its_role(database: str, role: Role) -> None:
    async with login(database, role) as address:
        found = await looked_at(address)
        assert (found.commands_all, set(found.roles), set(found.missing)) == (False, {role}, set())
        assert login_words(found, role).state == "ok"
        store = await open_store(address, role)
        await store.check()
        await store.close()


@pytest.mark.parametrize(
    ("has", "needs", "state", "says"),
    [
        (("truecup_api", "truecup_dealer"), "truecup_api", "wrong", "in role truecup_api"),
        (("truecup_api", "truecup_relay"), "truecup_api", "wrong", "in role truecup_api"),
        (("truecup_relay", "truecup_api"), "truecup_relay", "wrong", "in role truecup_relay"),
        (("truecup_relay", "truecup_dealer"), "truecup_dealer", "missing", "in role truecup_dealer"),
        (("truecup_relay",), "truecup_dealer", "wrong", "grant truecup_dealer to l"),
    ],
)
async def test_a_login_that_may_more_or_less_than_it_needs_is_found(
    database: str, has: tuple[str, ...], needs: Role, state: str, says: str
) -> None:
    async with login(database, *has) as address:
        found = login_words(await looked_at(address), needs)
    assert found.state == state
    assert says in found.to_do


async def test_a_process_cannot_take_on_a_role_that_its_login_has_not(database: str) -> None:
    async with login(database, "truecup_api") as address:
        for role in ("truecup_relay", "truecup_dealer"):
            with pytest.raises((asyncpg.PostgresError, Unavailable)):
                await open_store(address, role)
        connection = await asyncpg.connect(address, server_settings={"role": "truecup_api"})
        for given_up in ("reset role", "set role none", "reset session authorization"):
            await connection.execute(given_up)
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.fetch("select * from vault.secret")
        await connection.close()


@pytest.mark.parametrize(("needs", "state"), [(role, "wrong") for role in ROLES[:2]] + [(ROLES[2], "missing")])
async def test_the_login_that_migrates_is_too_much_for_every_process(database: str, needs: Role, state: str) -> None:
    found = login_words(await looked_at(database), needs)
    assert (found.state, "nothing is forbidden" in found.found) == (state, True)


def test_roles_that_are_not_there_yet_have_to_be_made_first() -> None:
    found = login_words(
        Login("me", commands_all=False, roles=frozenset(), missing=frozenset({"truecup_relay"})), ROLES[0]
    )
    assert (found.state, found.to_do) == ("wrong", "run `truecup migrate`")


async def test_every_statement_about_logins_fits_the_schema(database: str) -> None:
    connection = await asyncpg.connect(database)
    for statement in logins.STATEMENTS:
        await connection.prepare(statement)
    await connection.close()
