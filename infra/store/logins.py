"""Logins of the database: what one could do beyond the role that a program takes on with it.

A role is taken on after logging in and can be given up again, so the login bounds what somebody can do who has got hold
of a connection; the role bounds only what the program does by itself.
"""

from __future__ import annotations

from typing import Final

import asyncpg
from msgspec import Struct

LOGIN: Final = "select session_user::text, rolsuper from pg_roles where rolname = session_user"
OWNS: Final = (
    "select pg_has_role(session_user, relowner, 'member') from pg_class where oid = to_regclass('public.event')"
)
TAKES_ON: Final = (
    "select rolname, pg_has_role(session_user, oid, 'member') from pg_roles where rolname = any ($1::name[])"
)
STATEMENTS: Final = (LOGIN, OWNS, TAKES_ON)


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
