"""Shards that move under load: nothing is lost or stored twice, wherever whoever moves them is stopped."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import get_args

import asyncpg
import pytest

from infra.config import primaries_of
from infra.store.postgres import PostgresStore
from infra.store.primaries import moving
from infra.store.primaries.copying import NotTheSame
from infra.store.primaries.moving import CannotMove, ShardMoved, Step, abort_move, move_shard
from infra.store.primaries.opening import open_house
from services.cli.exits import FOUND
from services.cli.operating.rewrap import rewrap
from services.client.house import CannotDo
from tests.sizes import spread
from tests.store.moving import NAMES, SHARD, begin, check, writing
from tests.store.test_archive import ended, seen
from tests.store.test_primaries import run

STEPS: tuple[Step, ...] = get_args(Step)
DECIDED = STEPS.index("closed")


class Stopped(BaseException):
    """Whoever moved a shard is killed."""


async def move(database: str, second: str, target: str, stop: Step | None = None) -> ShardMoved:
    """Move the shard, and be killed behind this step."""

    def tell(step: Step) -> None:
        if step == stop:
            raise Stopped

    return await move_shard(database, primaries_of(second), SHARD, target, tell)


async def enter(store: PostgresStore) -> int:
    """Enter whatever waits for the log, and return how many entries it has."""
    waiting = await store.log_pending(1_000)
    size = await store.log_size()
    await store.log_append([(one, b"entry") for one in waiting], {}, size)
    return size + len(waiting)


async def test_a_shard_moves_there_and_back_while_it_is_written_to(
    database: str, second: str, two: PostgresStore
) -> None:
    other = await open_house(database, second, "truecup_dealer")
    async with writing(two, other) as writers:
        logging = asyncio.create_task(_log(two))
        there = await move(database, second, "second")
        assert there.from_ == "home"
        await asyncio.sleep(0.2)
        assert (await move(database, second, "home")).from_ == "second"
        assert (await move(database, second, "second")).from_ == "home"
        logging.cancel()
    assert (await move(database, second, "second")).from_ is None
    for store in (two, other):
        await check(store, writers)
    await seen(two)
    await enter(two)
    assert await two.log_pending(9) == []
    for writer in writers:
        assert await two.log_covered(writer.name, 1, "sealed") is None, "no checkpoint was published"
    entries = await run(database, "select stream, seq, kind from log_entry")
    assert len(set(entries)) == len(entries)
    assert {(writer.name, 1, "sealed") for writer in writers} <= set(entries)
    assert await run(primaries_of(second)["second"], "select count(*) from shard_change") == [(0,)]
    await other.close()


async def _log(store: PostgresStore) -> None:
    while True:
        await enter(store)
        await store.log_live(SHARD, await store.cursor("live", SHARD))
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("step", spread(STEPS, 4))
async def test_whoever_begins_again_finishes_what_was_stopped(
    database: str, second: str, two: PostgresStore, step: Step
) -> None:
    async with writing(two, tables=2) as writers:
        with pytest.raises(Stopped):
            await move(database, second, "second", step)
        if STEPS.index(step) < DECIDED:
            # It goes on where it was, as if nothing had been.
            reached = (await two.positions())[SHARD]
            while (await two.positions())[SHARD] < reached + 5:
                await asyncio.sleep(0.01)
            assert await abort_move(database, primaries_of(second), SHARD)
        else:
            assert step != "closed" or not await abort_move(database, primaries_of(second), SHARD)
        await move(database, second, "second")
    await check(two, writers)
    assert await run(database, "select closed_at is not null from shard where shard = 2") == [(True,)]
    assert await run(database, "select count(*) from log_outbox where shard = 2") == [(0,)]
    assert await run(database, "select count(*) from pg_trigger where tgname = 'shard_changes'") == [(0,)]


async def test_what_is_in_the_archive_moves_as_lines_and_is_archived_again(
    database: str, second: str, two: PostgresStore
) -> None:
    name = next(NAMES)
    lines = await ended(two, name, 40)
    assert (await two.archive_next(SHARD, "", 10)).moved
    await move(database, second, "second")
    assert await two.read(name) == lines
    assert (await two.archive_next(SHARD, "", 10)).moved, "what the log has of it has come along"
    assert await two.read(name) == lines
    await move(database, second, "home")
    assert await two.read(name) == lines


async def test_a_copy_that_is_not_the_same_moves_nothing(database: str, second: str, two: PostgresStore) -> None:
    async with writing(two, tables=1) as writers:
        with pytest.raises(Stopped):
            await move(database, second, "second", "copied")
        there = primaries_of(second)["second"]
        await run(there, "insert into stream values (2, 'match/made-up', 1)", "select 1")
        with pytest.raises(NotTheSame):
            await move(database, second, "second")
    await check(two, writers)
    assert await run(database, "select lives_at from shard_place where shard = 2") == [("home",)]


async def test_a_shard_that_cannot_be_held_goes_on_where_it_is(
    database: str, second: str, two: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "LOCK_MS", 50)
    monkeypatch.setattr(moving, "TRIES", 2)
    holding = await asyncpg.connect(database)
    async with holding.transaction():
        await holding.execute("select from shard where shard = 2 for no key update")
        with pytest.raises(CannotMove, match="2 times"):
            await move(database, second, "second")
    await holding.close()
    monkeypatch.setattr(moving, "HOLD_S", 0.0)
    with pytest.raises(CannotMove):
        await move(database, second, "second")
    await two.append(begin(next(NAMES)))


async def test_one_shard_moves_at_a_time_and_only_to_a_primary_of_the_house(
    database: str, second: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moving, "GONE_MS", 100)
    others = primaries_of(second)
    for shard, target in ((8, "second"), (-1, "second"), (2, "third")):
        with pytest.raises(CannotMove, match="primaries"):
            await move_shard(database, others, shard, target, lambda _: None)
    moving_now = await asyncpg.connect(database)
    await moving_now.execute("select pg_advisory_lock($1)", moving.LOCK)
    with pytest.raises(CannotMove, match="already"):
        await move(database, second, "second")
    await moving_now.close()


async def test_a_move_waits_until_the_database_knows_that_the_one_before_has_died(database: str, second: str) -> None:
    dead = await asyncpg.connect(database)
    await dead.execute("select pg_advisory_lock($1)", moving.LOCK)
    moved = asyncio.create_task(move(database, second, "second"))
    waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
    async with asyncio.timeout(60):
        while await run(database, waiting) == [(0,)]:
            await asyncio.sleep(0.01)
    assert not moved.done()
    await dead.close()
    assert (await moved).from_ == "home"


async def test_no_secrets_are_wrapped_anew_while_a_shard_moves_nor_does_one_move_meanwhile(
    database: str, second: str, two: PostgresStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it takes along to where all secrets were wrapped already would be under the key that is taken away."""
    monkeypatch.setattr(moving, "GONE_MS", 50)
    settings = {"DATABASE_URL": database, "SHARDS": second, "DATA": str(tmp_path), "KEY": "1" * 64}
    for name, value in {**settings, "KEY_BEFORE": "2" * 64}.items():
        monkeypatch.setenv(f"TRUECUP_{name}", value)
    await two.append(begin(next(NAMES)))
    async with moving.owners(database, primaries_of(second)):
        with pytest.raises(CannotDo, match="a shard is being moved already"):
            await asyncio.to_thread(rewrap)
    assert await asyncio.to_thread(rewrap) == FOUND, "no key at hand opens what this test has stored"
    async with moving.nothing_moves(database):
        with pytest.raises(CannotMove, match="secrets are wrapped anew"):
            await move(database, second, "second")
    assert (await move(database, second, "second")).from_ == "home"
