"""Logins of the database: how one logs in, and what one could do beyond the role that a program takes on with it.

A role is taken on after logging in and can be given up again, so the login bounds what somebody can do who has got hold
of a connection; the role bounds only what the program does by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import asyncpg
from msgspec import Struct

from infra.store import Unavailable

CONNECT_S: Final = 60.0
LOGIN: Final = "select session_user::text, rolsuper from pg_roles where rolname = session_user"
OWNS: Final = (
    "select pg_has_role(session_user, relowner, 'member') from pg_class where oid = to_regclass('public.event')"
)
TAKES_ON: Final = (
    "select rolname, pg_has_role(session_user, oid, 'member') from pg_roles where rolname = any ($1::name[])"
)
STATEMENTS: Final = (LOGIN, OWNS, TAKES_ON)


async def connect(dsn: str, settings: Mapping[str, str] | None = None, within_s: float = CONNECT_S) -> Any:  # noqa: ANN401 - the library's connection
    """Return a connection to a database, with these settings of its session, or give up after so many seconds.

    Raises:
        OSError: Nobody answers there.
        TimeoutError: Nobody did in time.
        Unavailable: It is no address of a database, or asks for a certificate that is not there.
        asyncpg.PostgresError: The database refuses.
    """
    try:
        return await asyncpg.connect(dsn, server_settings=dict(settings or {}), timeout=within_s)
    except (ValueError, OverflowError, asyncpg.InterfaceError) as trouble:
        raise unusable(trouble) from None


def unusable(trouble: Exception) -> Unavailable:
    """Return what is to be said of an address that the library does not take: it may quote it, and so is not quoted."""
    kind = type(trouble).__name__
    return Unavailable(
        f"the address of the database cannot be used ({kind}): see its host, port, sslmode, certificates"
    )


class Login(Struct, frozen=True):
    """A login, and how far it reaches.

    Attributes:
        name: What it is called.
        commands_all: Whether nothing is forbidden to it: it is a superuser, or owns the tables.
        roles: Which of the roles asked about it may take on.
        missing: Which of them this server does not have.
    """

    name: str
    commands_all: bool
    roles: frozenset[str]
    missing: frozenset[str]


async def login_of(connection: asyncpg.Connection, roles: tuple[str, ...]) -> Login:
    """Return what the login of this connection may become, of these roles. Cost: three queries."""
    name, is_superuser = await connection.fetchrow(LOGIN)
    owns = bool(await connection.fetchval(OWNS))
    found = dict(map(tuple, await connection.fetch(TAKES_ON, list(roles))))
    takes_on = frozenset(role for role, may in found.items() if may)
    return Login(name, is_superuser or owns, takes_on, frozenset(roles) - found.keys())
