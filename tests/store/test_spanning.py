"""Sets over two databases: stored whole or not at all, wherever whoever stores them is stopped."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest

from infra.config import primaries_of
from infra.store import Appended, Conflict, Repeated, Unavailable, shard_of
from infra.store.postgres import PostgresStore
from infra.store.primaries import spanning
from infra.store.primaries.opening import open_house
from infra.store.primaries.routed import RoutedStore
from infra.store.primaries.spanning import Spanning
from tests.store.test_all_or_none import STREAMS, stored, tables
from tests.store.test_primaries import run


class Stopped(BaseException):
    """A program that is killed: it does nothing more."""


def stop(monkeypatch: pytest.MonkeyPatch, after: str) -> None:
    """Let whoever stores sets be stopped behind this step: `prepared`, `decided`."""
    whole, ends = spanning._store, {"prepared": "prepare", "decided": "commit"}[after]  # noqa: SLF001 - it is stopped there

    async def store(*given: Any) -> Any:
        found = await whole(*given)
        if given[2].startswith(ends):
            raise Stopped
        return found

    async def nothing(*_: Any, **__: Any) -> bool:
        raise Unavailable("it is gone")

    monkeypatch.setattr(spanning, "_store", store)
    monkeypatch.setattr(Spanning, "_decided", nothing)


@pytest.mark.parametrize(("after", "is_kept"), [("prepared", False), ("decided", True)])
async def test_a_set_whose_program_is_killed_is_ended_by_another_as_it_was_decided(
    two: PostgresStore,
    after: str,
    is_kept: bool,  # noqa: FBT001
) -> None:
    commands = tables()
    assert isinstance(two, RoutedStore)
    with pytest.MonkeyPatch.context() as patch:
        stop(patch, after)
        killed = Spanning(two.stores)
        parts: dict[str, Any] = {
            name: [one for one in commands if two.places[shard_of(one.stream)] == name] for name in two.stores
        }
        with pytest.raises(Stopped):
            await killed.send(commands, parts)
    other = Spanning({"second": two.others["second"], "home": two})
    assert await other.end_doubts(600) == 0, "it may be under way"
    assert await other.end_doubts(0) == 1
    assert await other.end_doubts(0) == 0
    assert await stored(two) == (2 * STREAMS if is_kept else 0)
    found = await two.append_all(commands)
    assert (
        found == [Repeated(one.answer) for one in commands] if is_kept else {type(one) for one in found} == {Appended}
    )
    assert await stored(two) == 2 * STREAMS


async def test_a_set_that_was_given_up_is_not_stored_by_a_program_that_comes_back(two: PostgresStore) -> None:
    assert isinstance(two, RoutedStore)
    commands = tables()
    parts = {name: [one for one in commands if two.places[shard_of(one.stream)] == name] for name in two.stores}
    whole = spanning._store  # noqa: SLF001 - it sleeps there

    async def sleepy(store: PostgresStore, of: Any, end: str, decides: str | None = None) -> Any:
        if decides is not None:
            assert await Spanning(two.stores).end_doubts(0) == 1
        return await whole(store, of, end, decides)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spanning, "_store", sleepy)
        with pytest.raises(asyncpg.UniqueViolationError):
            await Spanning({"second": two.others["second"], "home": two}).send(commands, parts)
    assert await stored(two) == 0


async def test_sets_of_two_programs_over_two_primaries_all_come_through(
    database: str, second: str, two: PostgresStore
) -> None:
    other = await open_house(database, second, "truecup_dealer")
    same = tables()
    found = await asyncio.gather(*(store.append_all(same) for store in (two, other, two, other)))
    await other.close()
    assert [sorted({type(one).__name__ for one in each}) for each in found].count(["Appended"]) == 1
    assert await stored(two) == 2 * STREAMS
    assert await two.append_all([*tables(3)][:2]) == [Conflict(2), Conflict(2)]


async def test_what_others_have_prepared_keeps_no_set_in_doubt(second: str, two: PostgresStore) -> None:
    assert isinstance(two, RoutedStore)
    commands = tables()
    parts = {name: [one for one in commands if two.places[shard_of(one.stream)] == name] for name in two.stores}
    there = primaries_of(second)["second"]
    low = ("set role truecup_api", "begin", "select 1", "prepare transaction 'truecup/home/0/second'")
    gone = ("set role truecup_dealer", "begin", "select 1", "prepare transaction 'truecup/third/0/second'")
    for statements in (low, gone):
        await run(there, *statements, "select 1")
    with pytest.MonkeyPatch.context() as patch:
        stop(patch, "prepared")
        with pytest.raises(Stopped):
            await Spanning({"second": two.others["second"], "home": two}).send(commands, parts)
    try:
        await Spanning(two.stores).end_doubts(0)
        left = await run(there, "select gid from pg_prepared_xacts where database = current_database() order by gid")
        assert left == [("truecup/home/0/second",), ("truecup/third/0/second",)]
    finally:
        for gid in ("truecup/home/0/second", "truecup/third/0/second"):
            await run(there, f"rollback prepared '{gid}'", "select 1")
