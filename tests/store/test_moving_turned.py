"""Moves that go on elsewhere than they were begun for: nothing of a shard is lost, and it is open once."""

from __future__ import annotations

import asyncio

import pytest

from infra.config import primaries_of
from infra.store import Appended
from infra.store.postgres import PostgresStore
from infra.store.primaries import moving
from infra.store.primaries.moving import CannotMove, abort_move
from tests.store.lines import append, chain
from tests.store.moving import NAMES, SHARD, begin
from tests.store.test_moving import Stopped, enter, move
from tests.store.test_primaries import address_of, run

OPEN = f"select closed_at is null from shard where shard = {SHARD}"
ENTERED = "select stream, seq, kind from log_entry"
CUT_OFF = (
    "select pg_terminate_backend(a.pid) from pg_stat_activity a join pg_locks l on l.pid = a.pid"
    " where l.locktype = 'advisory' and a.application_name = 'truecup move-shard' and a.datname = current_database()"
)


async def test_a_move_that_was_decided_is_taken_back_by_moving_to_where_the_shard_was(
    database: str, second: str, two: PostgresStore
) -> None:
    name = next(NAMES)
    await two.append(begin(name))
    with pytest.raises(Stopped):
        await move(database, second, "second", "closed")
    assert (await move(database, second, "home")).from_ is None
    later = append(name, chain(name, 1, chain(name, 2)), 2)
    assert isinstance(await two.append(later), Appended)
    assert (await move(database, second, "second")).from_ == "home"
    await enter(two)
    assert (name, 1, "sealed") in await run(database, ENTERED)


async def test_whoever_finishes_a_move_for_another_place_brings_all_that_has_changed_since_he_copied(
    database: str, second: str, two: PostgresStore
) -> None:
    name = next(NAMES)
    await two.append(begin(name))
    with pytest.raises(Stopped):
        await move(database, second, "second", "copied")
    assert await abort_move(database, primaries_of(second), SHARD)
    # No line comes, and something that has no position does. Then it is closed, on its way to a third primary.
    await run(database, "update vault.secret set wrapped = 'anew'", "select 1")
    await run(database, f"update shard set closed_at = position where shard = {SHARD}", "select 1")
    assert (await move(database, second, "second")).from_ == "home"
    assert await two.secrets(name) == {"deal/0": b"anew"}
    await enter(two)
    assert (name, 1, "sealed") in await run(database, ENTERED)


async def test_whoever_was_overtaken_while_he_slept_opens_nothing(
    database: str, second: str, two: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = next(NAMES)
    await two.append(begin(name))
    monkeypatch.setattr(moving, "HEARD_S", 2.0)
    sleeper = asyncio.create_task(move(database, second, "second"))
    while await run(database, f"select lives_at from shard_place where shard = {SHARD}") != [("second",)]:
        await asyncio.sleep(0.02)
    monkeypatch.setattr(moving, "HEARD_S", 0.2)
    assert await run(database, CUT_OFF) == [(True,)]
    assert (await move(database, second, "home")).from_ == "second"
    with pytest.raises(CannotMove, match="somebody else"):
        await sleeper
    assert (await run(database, OPEN), await run(address_of(second), OPEN)) == ([(True,)], [(False,)])
    await enter(two)
    assert (name, 1, "sealed") in await run(database, ENTERED)
