"""Copies of a shard that moves have left: they are dropped where the shard is not, and only what is kept elsewhere."""

from __future__ import annotations

from typing import Final, get_args

import pytest

from infra.config import primaries_of
from infra.store.postgres import PostgresStore
from infra.store.primaries.copying import NotTheSame
from infra.store.primaries.dropping import DropStep, ShardDropped, drop_shard
from infra.store.primaries.moving import CannotMove, Step
from tests.store.moving import NAMES, SHARD, Writer, check, writing
from tests.store.test_archive import ended
from tests.store.test_moving import Stopped, move
from tests.store.test_primaries import run

LEFT: Final = (
    "select (select count(*) from event where shard = 2), (select count(*) from archive where shard = 2),"
    " (select count(*) from stream where shard = 2), (select count(*) from command where shard = 2),"
    " (select count(*) from vault.secret), (select count(*) from token), (select count(*) from access_line)"
)
"""What a primary has of the shard, in a house that has nothing else."""
NOTHING: Final = [(0, 0, 0, 0, 0, 0, 0)]


async def drop(database: str, second: str, stop: DropStep | None = None) -> ShardDropped:
    """Drop what is left of the shard, and be killed behind this step."""

    def tell(step: DropStep) -> None:
        if step == stop:
            raise Stopped

    return await drop_shard(database, primaries_of(second), SHARD, tell)


async def moved(database: str, second: str, two: PostgresStore) -> list[Writer]:
    """Let tables be played and one be archived, and move their shard."""
    await ended(two, next(NAMES), 3)
    async with writing(two, tables=2) as writers:
        pass
    assert (await two.archive_next(SHARD, "", 10)).moved
    await move(database, second, "second")
    return writers


async def test_what_is_left_is_dropped_and_comes_back_with_the_shard(
    database: str, second: str, two: PostgresStore
) -> None:
    writers = await moved(database, second, two)
    lines = (await two.positions())[SHARD]
    assert await drop(database, second) == ShardDropped("second", {"home": lines})
    assert await run(database, LEFT) == NOTHING
    await check(two, writers)
    assert await drop(database, second) == ShardDropped("second", {})
    with pytest.raises(Exception, match="never changed"):
        await run(database, "truncate event_2", "select 1")
    await move(database, second, "home")
    await check(two, writers)
    assert (await drop(database, second)).lines.keys() == {"second"}
    await check(two, writers)


@pytest.mark.parametrize("step", get_args(DropStep)[:3])
async def test_whoever_begins_again_drops_the_rest(
    database: str, second: str, two: PostgresStore, step: DropStep
) -> None:
    writers = await moved(database, second, two)
    with pytest.raises(Stopped):
        await drop(database, second, step)
    await check(two, writers)
    if step == "bare":
        # What was dropped beside its lines comes back with it.
        await move(database, second, "home")
        await check(two, writers)
        await move(database, second, "second")
    assert (await drop(database, second)).lines.keys() == {"home"}
    assert await run(database, LEFT) == NOTHING
    await check(two, writers)


async def test_nothing_is_dropped_that_is_not_kept_where_the_shard_is(
    database: str, second: str, two: PostgresStore
) -> None:
    await moved(database, second, two)
    there, before = primaries_of(second)["second"], await run(database, LEFT)
    for change, back, what in (
        ("delete from vault.secret", "select 1", "secrets"),
        ("update command set answer = 'x' || answer", "update command set answer = substr(answer, 2)", "answers"),
        ("update stream set version = version - 1", "update stream set version = version + 1", "fewer lines"),
        ("delete from token", "select 1", "secrets|tokens"),
    ):
        await run(there, change, "select 1")
        with pytest.raises(NotTheSame, match=what):
            await drop(database, second)
        await run(there, back, "select 1")
    assert await run(database, LEFT) == before


async def test_a_shard_that_is_on_its_way_is_not_dropped(database: str, second: str, two: PostgresStore) -> None:
    async with writing(two, tables=1) as writers:
        assert await drop(database, second) == ShardDropped("home", {}), "there is nothing elsewhere"
        steps: tuple[Step, ...] = ("closed", "told")
        for step in steps:
            with pytest.raises(Stopped):
                await move(database, second, "second", step)
            with pytest.raises(CannotMove, match="finish its move"):
                await drop(database, second)
        await move(database, second, "second")
    await check(two, writers)
