"""A store on whatever the settings name: one database, or a home with other primaries beside it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import asyncpg
import structlog

from infra.config import HOME, primaries_of
from infra.measures.writes import WriteTally
from infra.store import SHARDS, Unavailable
from infra.store.logins import connect
from infra.store.postgres import CHECK, PostgresStore, Role, open_pool, open_store
from infra.store.primaries.naming import check_self, join_primaries
from infra.store.primaries.places import SELF, WrongPrimary
from infra.store.primaries.routed import RoutedStore

log = structlog.get_logger(__name__)


async def open_house(home: str, shards: str, role: Role, name: str = "truecup") -> PostgresStore:
    """Return a store on this home and on the primaries of this list, in this role; its connections are called so.

    Another primary than the home may be away: what lives there waits for it. It is known by its name when it comes.

    Raises:
        Unavailable: The home does not answer.
        WrongPrimary: A database is not the primary that the list calls it, or a shard lives where the list names none.
    """
    addresses = primaries_of(shards)
    if not addresses:
        return await _alone(home, role, name)
    store = await _joined(home, addresses, role, name)
    try:
        await _hear_of_others(store)
        await store.places.hear()
        store.places.check(store.stores.keys())
    except BaseException:
        await store.close()
        raise
    return store


async def _joined(home: str, addresses: Mapping[str, str], role: Role, name: str) -> RoutedStore:
    """Return a store on the home and on these others; if one cannot be opened, none stays open."""
    async with AsyncExitStack() as opened:
        pool = await open_pool(home, role, name)
        opened.push_async_callback(pool.close)
        known = await pool.fetchrow(SELF)
        check_self(known, HOME, "" if known is None else known["house"])
        others, writes = dict[str, PostgresStore](), WriteTally()
        for one, address in addresses.items():
            check = partial(_check_name, one, known["house"])
            others[one] = PostgresStore(
                await open_pool(address, role, name, check), writes, partial(_ask, address, name)
            )
            opened.push_async_callback(others[one].close)
        opened.pop_all()
    return RoutedStore(pool, others, writes, decides=role == "truecup_dealer")


async def _ask(address: str, name: str) -> None:
    """Ask a database for an answer, over a connection of its own."""
    connection = await connect(address, {"application_name": name})
    try:
        await connection.fetchval(CHECK)
    finally:
        connection.terminate()


async def open_joined(home: str, shards: str) -> PostgresStore:
    """Return a dealer's store on primaries that have joined, and have the newest schema, by then.

    Raises:
        Unavailable: One of them does not answer, or is not what the list calls it.
        OSError: The same of one that was to be migrated.
        asyncpg.PostgresError: A migration failed.
    """
    await join_primaries(home, primaries_of(shards))
    return await open_house(home, shards, "truecup_dealer")


async def _alone(home: str, role: Role, name: str) -> PostgresStore:
    """Return the store of a house with one database.

    Raises:
        WrongPrimary: Some of its shards live elsewhere.
    """
    store = await open_store(home, role, name)
    try:
        await _check_whole(store)
    except BaseException:
        await store.close()
        raise
    return store


async def _check_whole(store: PostgresStore) -> None:
    if len(await store.positions()) < SHARDS:
        raise WrongPrimary("some shards live at other primaries: name these in TRUECUP_SHARDS")


async def _check_name(name: str, house: str, connection: Any) -> None:  # noqa: ANN401 - the library's connection
    """Hold what a database says it is against what the list calls it.

    Raises:
        WrongPrimary: It is another.
    """
    try:
        known = await connection.fetchrow(SELF)
    except asyncpg.UndefinedTableError:
        known = None
    check_self(known, name, house)


async def _hear_of_others(store: RoutedStore) -> None:
    """Check those that are there, and say which are not.

    Raises:
        WrongPrimary: One is not what the list calls it.
    """
    for name, other in store.others.items():
        try:
            await other.check()
        except WrongPrimary:
            raise
        except Unavailable as trouble:
            log.warning("store.primary_away", primary=name, why=str(trouble))
