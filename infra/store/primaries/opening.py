"""A store on whatever the settings name: one database, or a home with other primaries beside it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AsyncExitStack

from infra.config import HOME, primaries_of
from infra.store import SHARDS
from infra.store.postgres import PostgresStore, Role, open_pool, open_store
from infra.store.primaries.naming import check_self, join_primaries
from infra.store.primaries.places import SELF, WrongPrimary
from infra.store.primaries.routed import RoutedStore


async def open_house(home: str, shards: str, role: Role, name: str = "truecup") -> PostgresStore:
    """Return a store on this home and on the primaries of this list, in this role; its connections are called so.

    Raises:
        Unavailable: One of them does not answer.
        WrongPrimary: A database is not the primary that the list calls it, or a shard lives where the list names none.
    """
    addresses = primaries_of(shards)
    if not addresses:
        return await _alone(home, role, name)
    store = await _joined(home, addresses, role, name)
    try:
        await _check_names(store)
        await store.places.hear()
        store.places.check(store.stores.keys())
    except BaseException:
        await store.close()
        raise
    return store


async def _joined(home: str, addresses: Mapping[str, str], role: Role, name: str) -> RoutedStore:
    """Return a store on the home and on these others; if one cannot be opened, none stays open."""
    async with AsyncExitStack() as opened:
        others: dict[str, PostgresStore] = {}
        for one, address in addresses.items():
            others[one] = await open_store(address, role, name)
            opened.push_async_callback(others[one].close)
        pool = await open_pool(home, role, name)
        opened.pop_all()
    return RoutedStore(pool, others, decides=role == "truecup_dealer")


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


async def _check_names(store: RoutedStore) -> None:
    """Hold what each database says it is against what the list calls it."""
    known = {name: (await each.ask(SELF) or [None])[0] for name, each in store.stores.items()}
    house = "" if known[HOME] is None else known[HOME]["house"]
    for name, told in known.items():
        check_self(told, name, house)
