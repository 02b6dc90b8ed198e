"""Primaries by their names: which databases a house has besides its home, and what each says it is.

A primary is joined to a house once, while it is empty: all its shards are closed, and it bears the name of the house.
So a program whose settings have two addresses the wrong way round, or those of two houses, does not start.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from infra.config import HOME
from infra.entropy import draw
from infra.store import Unavailable
from infra.store.logins import connect
from infra.store.migrate import migrate
from infra.store.primaries.places import SELF, WrongPrimary
from infra.store.writer import LOST

CALL: Final = "insert into primary_self (name, house) values ($1, $2)"
EMPTY: Final = "select not exists (select from shard where position > 0 or closed_at is not null)"
CLOSE_ALL: Final = "update shard set closed_at = position, epoch = 0"
PREPARES: Final = "select current_setting('max_prepared_transactions')::int"


async def join_primaries(home: str, others: dict[str, str]) -> dict[str, list[str]]:
    """Bring the home and all other primaries to the newest schema, and let those join the house that are new.

    Returns:
        The versions that were applied, by the name of the primary.

    Raises:
        WrongPrimary: One is of another house, or bears another name, or has shards of its own.
        Unavailable: One of the others does not answer.
        OSError: The home does not.
        asyncpg.PostgresError: A migration failed.
    """
    applied = {HOME: await migrate(home)}
    if others:
        house = await _house_of(home)
        for name, address in others.items():
            with _naming(name):
                applied[name] = await migrate(address)
                await _join(name, address, house)
    return applied


@contextmanager
def _naming(name: str) -> Iterator[None]:
    """Say which primary it is that does not answer."""
    try:
        yield
    except (*LOST, TimeoutError) as trouble:
        raise Unavailable(f"the primary {name} does not answer: {trouble or 'it hangs'}") from trouble


async def _house_of(home: str) -> str:
    """Return the name of the house, which gets one when its first primary joins."""
    connection = await connect(home)
    try:
        await _check_prepares(connection, HOME)
        known = await connection.fetchrow(SELF)
        if known is None:
            known = {"name": HOME, "house": draw(16).hex()}
            await connection.execute(CALL, known["name"], known["house"])
    finally:
        await connection.close()
    if known["name"] != HOME:
        raise WrongPrimary(f"the database of the house is its primary {known['name']}, and not its home")
    return str(known["house"])


async def _join(name: str, address: str, house: str) -> None:
    """Let a primary join, in one transaction: a crash leaves it empty and of no house."""
    connection = await connect(address)
    try:
        await _check_prepares(connection, name)
        async with connection.transaction():
            if await connection.fetchrow(SELF) is None:
                if not await connection.fetchval(EMPTY):
                    raise WrongPrimary(f"{name} has shards of its own: a primary that joins is empty")
                await connection.execute(CLOSE_ALL)
                await connection.execute(CALL, name, house)
        check_self(await connection.fetchrow(SELF), name, house)
    finally:
        await connection.close()


async def _check_prepares(connection: Any, name: str) -> None:  # noqa: ANN401 - the library's connection
    if not await connection.fetchval(PREPARES):
        raise WrongPrimary(f"{name} prepares no transaction: set max_prepared_transactions of its Postgres to 64")


def check_self(known: Any, name: str, house: str) -> None:  # noqa: ANN401 - the library's row
    """Check what a database says it is.

    Raises:
        WrongPrimary: It is another primary, of another house, or of none.
    """
    if known is None:
        raise WrongPrimary(f"{name} has not joined the house: run `truecup migrate` with these settings")
    if (known["name"], known["house"]) != (name, house):
        raise WrongPrimary(f"{name} is the primary {known['name']} of a house, and not that of this one")
