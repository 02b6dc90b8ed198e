"""A backup of a house with several primaries is one moment of all of them, and is put back as a whole or not at all."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from msgspec import Struct

from infra.config import HOME
from infra.store import Append, Appended, shard_of
from infra.store.backups import cutting, filling
from infra.store.backups.cutting import HOLD_ALL, cut
from infra.store.backups.houses import HOUSE, HouseManifest, back_up_house, read_house, restore_house
from infra.store.backups.manifests import BadBackup, read_manifest
from infra.store.backups.snapshot import Snapshot, snapshot_of
from infra.store.backups.taking import back_up
from infra.store.postgres import PostgresStore
from infra.store.primaries import moving
from infra.store.primaries.moving import HOLD_LOG, Step, move_shard, owners
from infra.store.primaries.naming import join_primaries
from infra.store.primaries.opening import open_house
from services.cli.exits import INCOMPLETE
from services.cli.operating.backups.verifying import DatabaseFindings, verify
from tests.backups.houses import LINES, STREAMS, Showing, head
from tests.backups.test_copies import all_of, quiet
from tests.hosting import TEMPLATE, a_database
from tests.store.conftest import SECOND
from tests.store.lines import append, chain, line, stream
from tests.store.moving import SHARD
from tests.store.terminal import run as terminal
from tests.store.test_moving import Stopped

PLAYED, OVER = stream(1), stream(2)
SHARD_AT_HOME = next(shard for shard in range(8) if shard not in {shard_of(PLAYED), SHARD})
LOOKS = 3
"""How many moments are looked at while people play."""


class Several(Struct):
    """A house of two primaries: where they are."""

    home: str
    second: str

    @property
    def others(self) -> dict[str, str]:
        return {SECOND: self.second}

    @property
    def addresses(self) -> list[str]:
        return [self.home, self.second]

    @property
    def shards(self) -> str:
        return f"{SECOND} {self.second}"

    async def move(self, shard: int, target: str, stop: Step | None = None) -> None:
        def tell(step: Step) -> None:
            if step == stop:
                raise Stopped

        await move_shard(self.home, self.others, shard, target, tell)

    async def back_up(self, folder: Path) -> HouseManifest:
        return await back_up_house(self.home, self.others, folder, "1.2.3", quiet)

    async def restore(self, folder: Path) -> None:
        await restore_house(self.home, self.others, folder, quiet)

    async def found(self) -> DatabaseFindings:
        async with snapshot_of(self.home, self.others) as snapshot:
            return await verify(snapshot, lambda _seen, _of: None)


@pytest_asyncio.fixture
async def several(house: str, postgres_dsn: str) -> AsyncIterator[Several]:
    """Return the house of the other tests, whose match that is played has moved to a second primary."""
    async with a_database(postgres_dsn, TEMPLATE) as second:
        made = Several(house, second)
        await join_primaries(house, made.others)
        await made.move(shard_of(PLAYED), SECOND)
        yield made


@pytest_asyncio.fixture
async def elsewhere(postgres_dsn: str) -> AsyncIterator[Several]:
    """Return where nothing is yet."""
    async with AsyncExitStack() as made:
        yield Several(*[await made.enter_async_context(a_database(postgres_dsn, TEMPLATE)) for _ in range(2)])


async def play_on(several: Several, jury: Showing) -> None:
    """Let another line come to the match that has moved, whose entry the witnesses see."""
    store = await open_house(several.home, several.shards, "truecup_dealer")
    before = await store.read(PLAYED)
    one = line(PLAYED, len(before), head(before[-1]))
    more = append(PLAYED, [one], len(before), anchors=((len(before), head(one), "sealed"),))
    assert isinstance(await store.append(more), Appended)
    await jury.notary(store).work()
    await store.close()


async def test_a_house_is_put_back_as_it_was_and_plays_on(
    several: Several, elsewhere: Several, jury: Showing, tmp_path: Path
) -> None:
    await several.move(shard_of(OVER), SECOND)
    await several.move(shard_of(OVER), HOME)
    await play_on(several, jury)
    found = await several.found()
    assert (found.lines, found.faults) == (LINES + 1, [])
    assert found.entries == found.anchored
    kept = await terminal(several.home, tmp_path, "backup", str(tmp_path / "b"), TRUECUP_SHARDS=several.shards)
    assert f"{tmp_path / 'b'} is a whole backup" in kept.stdout, kept.stderr
    taken = read_house(tmp_path / "b")
    assert sum(taken.positions.values()) == LINES + 1
    assert taken.parts.keys() == {HOME, SECOND}
    told = await terminal(elsewhere.home, tmp_path, "restore", str(tmp_path / "b"), TRUECUP_SHARDS=elsewhere.shards)
    assert told.returncode == INCOMPLETE, told.stderr
    assert f"lines: {LINES + 1}; streams: {STREAMS};" in told.stdout
    assert "UNKNOWN: it holds in itself" in told.stdout, "nobody has named a witness"
    assert await all_of(elsewhere.home) == await all_of(several.home)
    assert await all_of(elsewhere.second) == await all_of(several.second)
    assert (await elsewhere.found()).faults == []
    await play_on(elsewhere, jury)
    found = await elsewhere.found()
    assert (found.lines, found.faults) == (LINES + 2, [])
    await elsewhere.move(shard_of(PLAYED), HOME)
    assert (await elsewhere.found()).faults == []


# ---- one moment ---------------------------------------------------------------------------------


class Players:
    """Whoever opens tables, two at a time, one at each primary, and plays at both; the log has them at once.

    Attributes:
        opened: How many tables there are by now.
    """

    def __init__(self, store: PostgresStore, jury: Showing) -> None:
        self._store, self._notary = store, jury.notary(store)
        self._new = [free_names(shard) for shard in (SHARD_AT_HOME, SHARD)]
        self.opened = 0

    async def run(self) -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(self._play())
            group.create_task(self._enter())

    async def _play(self) -> None:
        while True:
            pair = [next(names) for names in self._new]
            await self._store.append_all([_begin(name) for name in pair])
            self.opened += 2
            for name in pair:
                await self._store.append(append(name, chain(name, 1, chain(name, 1)), 1))

    async def _enter(self) -> None:
        while True:
            await self._notary.work()
            await asyncio.sleep(0)

    async def go_on(self) -> None:
        """Wait until some more tables were opened."""
        wanted = self.opened + 4
        while self.opened < wanted:
            await asyncio.sleep(0.001)


def free_names(shard: int) -> Iterator[str]:
    """Yield the streams of a shard that no other test has."""
    return (name for name in map(stream, count(100)) if shard_of(name) == shard)


@asynccontextmanager
async def playing(several: Several, jury: Showing) -> AsyncIterator[Players]:
    store = await open_house(several.home, several.shards, "truecup_dealer")
    players = Players(store, jury)
    running = asyncio.create_task(players.run())
    try:
        await players.go_on()
        yield players
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await store.close()


def _begin(name: str) -> Append:
    (first,) = chain(name, 1)
    return append(name, [first], anchors=((0, head(first), "sealed"),), people=((f"p/{name}", "Ana"),))


async def test_a_moment_of_all_primaries_is_one_while_people_play(several: Several, jury: Showing) -> None:
    """Tables come in pairs, one at each primary, with names at home, and the notary enters them as fast as it can."""
    await several.move(SHARD, SECOND)
    for where, hold in ((several.second, HOLD_ALL), (several.home, HOLD_LOG)):
        assert await waits_for(several, where, hold), "what is under way, as a set in doubt is, has to be over"
    async with AsyncExitStack() as moments:
        seen = []
        async with playing(several, jury) as players:
            for _ in range(LOOKS):
                seen.append(await moments.enter_async_context(cut(several.home, several.others)))
                await players.go_on()
        for parts in seen:
            found = await verify(Snapshot(parts[HOME], {SECOND: parts[SECOND]}), lambda _seen, _of: None)
            assert found.faults == []
            assert await is_whole(parts)


async def waits_for(several: Several, database: str, hold: str) -> bool:
    """Report whether no moment begins while somebody holds something."""
    holder = await asyncpg.connect(database)
    try:
        async with holder.transaction():
            await holder.execute(hold)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(cutting, "TRIES", 2)
                patch.setattr(cutting, "LOCK_MS", 10)
                async with cut(several.home, several.others):
                    return False
    except BadBackup as why:
        return "held by others" in str(why)
    finally:
        await holder.close()


async def is_whole(parts: dict[str, Any]) -> bool:
    """Report whether of tables that were opened together none is there without the other, nor without its name."""
    begun = [
        {row["stream"] for row in await parts[name].fetch("select stream from stream where shard = $1", shard)}
        for name, shard in ((HOME, SHARD_AT_HOME), (SECOND, SHARD))
    ]
    people = {row["player"] for row in await parts[HOME].fetch("select player from person")}
    return len(begun[0]) == len(begun[1]) > 0 and {f"p/{name}" for each in begun for name in each} <= people


# ---- what is refused ----------------------------------------------------------------------------


async def test_parts_of_two_moments_are_not_put_back_together_and_found_where_they_were(
    several: Several, elsewhere: Several, postgres_dsn: str, jury: Showing, tmp_path: Path
) -> None:
    empty = await all_of(elsewhere.home)
    await several.back_up(tmp_path / "monday")
    await play_on(several, jury)
    await several.back_up(tmp_path / "tuesday")
    for late, early in ((HOME, SECOND), (SECOND, HOME)):
        mixed = tmp_path / f"{late} late"
        shutil.copytree(tmp_path / "tuesday", mixed)
        shutil.rmtree(mixed / early)
        shutil.copytree(tmp_path / "monday" / early, mixed / early)
        with pytest.raises(BadBackup, match=f"{early} is not the part that was taken with the others"):
            await elsewhere.restore(mixed)
    assert await all_of(elsewhere.home) == empty
    await fill(elsewhere.home, tmp_path / "tuesday" / HOME)
    await fill(elsewhere.second, tmp_path / "monday" / SECOND)
    assert (await elsewhere.found()).faults == [f"the log has another line 3 of {PLAYED} than there is"]
    async with a_database(postgres_dsn, TEMPLATE) as home, a_database(postgres_dsn, TEMPLATE) as second:
        await fill(home, tmp_path / "monday" / HOME)
        await fill(second, tmp_path / "tuesday" / SECOND)
        assert (await Several(home, second).found()).faults == [
            f"{SECOND} has entries of the log that the home has not: they are not of one moment"
        ]


async def fill(database: str, part: Path) -> None:
    """Put a part back by itself, as somebody may who has two backups."""
    await filling.restore(database, part, read_manifest(part), quiet)


async def test_of_a_shard_on_its_way_and_of_a_home_alone_there_is_no_backup(
    several: Several, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with suppress(Stopped):
        await several.move(SHARD, SECOND, "closed")
    with pytest.raises(BadBackup, match=f"shard {SHARD} lives at home, and is open at none: finish its move"):
        await several.back_up(tmp_path / "b")
    assert not (tmp_path / "b").exists()
    assert any("finish its move" in fault for fault in (await several.found()).faults)
    await several.move(SHARD, SECOND)
    assert (await several.found()).faults == []
    monkeypatch.setattr(moving, "GONE_MS", 50)
    async with owners(several.home, several.others):
        with pytest.raises(BadBackup, match=r"a shard is being moved already, .*: begin again"):
            await several.back_up(tmp_path / "b")
    with pytest.raises(BadBackup, match="name these in TRUECUP_SHARDS"):
        await back_up(several.home, tmp_path / "b", "1.2.3", quiet)
    assert not (tmp_path / "b").exists()


async def test_other_primaries_than_those_that_were_kept_are_told(
    several: Several, elsewhere: Several, tmp_path: Path
) -> None:
    await several.back_up(tmp_path / "b")
    home, second = elsewhere.home, elsewhere.second
    empty = await all_of(home)
    for others, why in (
        ({}, "home, second, and the settings name home"),
        ({"third": second}, "home, second, and the settings name home, third"),
        ({SECOND: home}, "two primaries have one address"),
        ({SECOND: several.second}, "second: there is a house in this database already"),
    ):
        with pytest.raises(BadBackup, match=why):
            await restore_house(home, others, tmp_path / "b", quiet)
    lines = tmp_path / "b" / SECOND / "event.gz"
    lines.write_bytes(lines.read_bytes()[:-9])
    with pytest.raises(BadBackup, match=r"second: .*event\.gz"):
        await elsewhere.restore(tmp_path / "b")
    assert await all_of(home) == empty, "the home has waited for the part of the other"
    for bytes_, why in ((b"{}", "is no manifest"), (None, "holds no whole backup")):
        (tmp_path / "b" / HOUSE).unlink() if bytes_ is None else (tmp_path / "b" / HOUSE).write_bytes(bytes_)
        with pytest.raises(BadBackup, match=why):
            await elsewhere.restore(tmp_path / "b")
