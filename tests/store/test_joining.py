"""Batches that come for several shards at one moment: stored in one commit, and what cannot be goes its own way."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import asyncpg
import pytest

from infra.store import SHARDS, Append, Appended, Conflict, Outcome, Repeated, shard_of
from infra.store.batches import Part
from infra.store.joining import TOGETHER_MAX, Joining, Stored
from infra.store.postgres import PostgresStore
from tests.store.lines import append, chain, line, stream

NAMES = {shard_of(stream(n)): stream(n) for n in range(60)}
"""A stream of each shard."""
FIRST = {shard: append(name, chain(name, 1)) for shard, name in NAMES.items()}


class Database:
    """Takes batches as the database does, and notes what came together; some shards are written to by others."""

    def __init__(self, trouble: Exception | None = None, busy: Sequence[int] = ()) -> None:
        self.alone: list[int] = []
        self.together: list[list[int]] = []
        self.free = asyncio.Event()
        self.free.set()
        self._trouble, self._busy = trouble, busy

    async def send(self, shard: int, batch: list[Append]) -> list[Outcome]:
        self.alone.append(shard)
        await self.free.wait()
        return [Appended(1, 1) for _ in batch]

    async def send_together(self, parts: Sequence[Part]) -> Stored | None:
        self.together.append([shard for shard, _ in parts])
        if self._trouble is not None:
            raise self._trouble
        return {shard: [Appended(1, 2) for _ in batch] for shard, batch in parts if shard not in self._busy}


async def sent(database: Database, batches: Sequence[Part]) -> list[object]:
    """Send these at once, behind one that is on its way."""
    joining = Joining(database.send, database.send_together)
    database.free.clear()
    flying = asyncio.create_task(joining.send(7, [FIRST[7]]))
    await asyncio.sleep(0)
    sending = asyncio.gather(*(joining.send(shard, list(batch)) for shard, batch in batches), return_exceptions=True)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    database.free.set()
    await flying
    return list(await sending)


async def test_a_batch_goes_alone_where_nothing_else_is_on_its_way() -> None:
    database = Database()
    joining = Joining(database.send, database.send_together)
    assert await joining.send(0, [FIRST[0]]) == [Appended(1, 1)]
    assert (database.alone, database.together) == ([0], [])


async def test_what_comes_at_one_moment_goes_together() -> None:
    database = Database()
    assert await sent(database, [(n, [FIRST[n]]) for n in range(3)]) == [[Appended(1, 2)]] * 3
    assert (database.alone, database.together) == ([7], [[0, 1, 2]])


async def test_a_shard_that_is_left_out_goes_alone() -> None:
    database = Database(busy=[1])
    assert await sent(database, [(n, [FIRST[n]]) for n in range(3)]) == [
        [Appended(1, 2)],
        [Appended(1, 1)],
        [Appended(1, 2)],
    ]
    assert (database.alone, database.together) == ([7, 1], [[0, 1, 2]])


async def test_what_the_database_refuses_goes_alone() -> None:
    database = Database(asyncpg.IntegrityConstraintViolationError("a line does not follow"))
    assert await sent(database, [(n, [FIRST[n]]) for n in range(2)]) == [[Appended(1, 1)]] * 2
    assert sorted(database.alone) == [0, 1, 7]


async def test_whoever_goes_together_hears_of_a_lost_connection() -> None:
    trouble = ConnectionResetError()
    assert await sent(Database(trouble), [(n, [FIRST[n]]) for n in range(2)]) == [trouble] * 2


@pytest.mark.parametrize("passes", range(4))
@pytest.mark.parametrize("who", range(3))
async def test_whoever_is_cancelled_takes_nobody_along(who: int, passes: int) -> None:
    """With whoever sends for all, the connection is gone: the others hear that, and send theirs again."""
    gate = asyncio.Event()

    async def store(parts: Sequence[Part]) -> Stored:
        await gate.wait()
        return {shard: [Appended(1, 2)] for shard, _ in parts}

    database = Database()
    joining = Joining(database.send, store)
    database.free.clear()
    flying = asyncio.create_task(joining.send(7, [FIRST[7]]))
    await asyncio.sleep(0)
    tasks = [asyncio.create_task(joining.send(shard, [FIRST[shard]])) for shard in range(3)]
    for _ in range(passes):
        await asyncio.sleep(0)
    tasks[who].cancel()
    await asyncio.sleep(0)
    gate.set()
    database.free.set()
    async with asyncio.timeout(60):
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(found.pop(who), asyncio.CancelledError)
        assert all(one == [Appended(1, 2)] or isinstance(one, ConnectionAbortedError) for one in found)
        assert await joining.send(0, [FIRST[0]])
        await flying


async def test_what_is_not_plain_or_too_much_goes_alone() -> None:
    database = Database()
    full = [append(stream(n), chain(stream(n), 1)) for n in range(TOGETHER_MAX)]
    secret = append(NAMES[1], chain(NAMES[1], 1), secrets=(("deal/1", b"wrapped"),))
    await sent(database, [(0, full), (1, [secret]), (2, [FIRST[2]]), (3, [FIRST[3]])])
    assert sorted(database.alone) == [0, 1, 2, 3, 7]
    assert database.together == []


@pytest.mark.parametrize("round_", range(3))
async def test_commands_of_all_shards_meet_what_they_would_have_met_alone(postgres: PostgresStore, round_: int) -> None:
    """One is repeated, one is in conflict, one does not follow; the others are stored, once."""
    for shard in range(round_):
        assert isinstance(await postgres.append(FIRST[shard]), Appended)
    late = append(NAMES[6], chain(NAMES[6], 2)[1:], 1)
    wrong = append(NAMES[7], [line(NAMES[7], 0, "f" * 64)])
    asked = [*(FIRST[shard] for shard in range(6)), late, wrong]
    found = await asyncio.gather(*map(postgres.append, asked), return_exceptions=True)
    assert [type(one).__name__ for one in found[:6]] == ["Repeated"] * round_ + ["Appended"] * (6 - round_)
    assert found[6] == Conflict(0)
    assert isinstance(found[7], asyncpg.IntegrityConstraintViolationError)
    again = await asyncio.gather(*map(postgres.append, asked[:6]))
    assert again == [Repeated(b"{}")] * 6
    assert await postgres.positions() == {shard: int(shard < 6) for shard in range(SHARDS)}


async def test_a_shard_that_somebody_else_writes_to_holds_up_no_other(database: str, postgres: PostgresStore) -> None:
    holder = await asyncpg.connect(database)
    holding = holder.transaction()
    await holding.start()
    await holder.execute("select from shard where shard = 3 for update")
    tasks = {shard: asyncio.create_task(postgres.append(one)) for shard, one in FIRST.items()}
    async with asyncio.timeout(60):
        found = await asyncio.gather(*(task for shard, task in tasks.items() if shard != 3))
    assert all(isinstance(one, Appended) for one in found)
    assert not tasks[3].done()
    await holding.rollback()
    assert await tasks[3] == Appended(1, 1)
    await holder.close()


async def test_two_programs_that_write_to_all_shards_store_each_command_once(
    postgres: PostgresStore, other: PostgresStore
) -> None:
    names = [stream(n) for n in range(1, 40)]
    told: dict[int, list[int]] = {shard: [] for shard in range(SHARDS)}

    async def write(name: str) -> None:
        for seq in range(5):
            one = append(name, chain(name, seq + 1)[seq:], seq)
            found = await asyncio.gather(postgres.append(one), other.append(one))
            assert sorted(type(each).__name__ for each in found) == ["Appended", "Repeated"]
            told[shard_of(name)] += [each.position for each in found if isinstance(each, Appended)]

    await asyncio.gather(*map(write, names))
    for shard, places in told.items():
        kept = [one.position for one in await postgres.follow(shard, 0, 1_000)]
        assert kept == sorted(places) == list(range(1, len(places) + 1))
