"""A transaction that the database undoes, since it and another wait for each other, is nobody's fault, and not ours."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine
from itertools import count
from typing import Any, Final, NamedTuple

import asyncpg
import pytest
import pytest_asyncio

from domain.tournaments.commands import OpenEntry
from infra.measures.writes import WriteTally
from infra.store import Append, Appended, Outcome, ProjectionRow, Unavailable, shard_of
from infra.store.postgres import PostgresStore, open_store
from infra.store.primaries.opening import open_house
from infra.store.writer import ShardWriter
from tests.director.house import EventHouse
from tests.store.lines import append, chain, stream

QUICK: Final = "deadlock_timeout = '20ms'"
"""How long whoever waits does so before the database looks whether somebody waits in a ring."""
HELD: Final = "select exists (select from pg_stat_activity where $1 = any(pg_blocking_pids(pid)))"


class Ring(NamedTuple):
    """What two others do, so that whoever writes waits for one who waits for them.

    Attributes:
        gate: What the first takes, where whoever writes is held until the ring can be closed.
        taken: What the second takes, and whoever writes wants behind the gate.
        wanted: What the second wants, and whoever writes has.
    """

    gate: str
    taken: str
    wanted: str


def ring_of(name: str) -> Ring:
    """Return the ring that a command of a stream meets: it takes its shard, then writes to these tables in turn."""
    wanted = f"select from shard where shard = {shard_of(name)} for update"
    return Ring("lock table stream in share mode", "lock table command in share mode", wanted)


async def do_in_a_ring(database: str, ring: Ring, work: Coroutine[Any, Any, Any]) -> Any:
    """Return what comes of work that the database undoes at its first try. Who closes the ring is who is undone."""
    gate, rival, watcher = [await asyncpg.connect(database) for _ in range(3)]
    await rival.execute("set deadlock_timeout = '10min'")
    for connection, takes in ((gate, ring.gate), (rival, ring.taken)):
        await connection.execute(f"begin; {takes}")
    doing = asyncio.ensure_future(work)
    while not await watcher.fetchval(HELD, gate.get_server_pid()):
        assert not doing.done(), "it does not pass the gate"
    wanting = asyncio.ensure_future(rival.execute(ring.wanted))
    while not await watcher.fetchval("select cardinality(pg_blocking_pids($1)) > 0", rival.get_server_pid()):
        assert not wanting.done(), "it does not have what the other wants"
    await gate.close()
    await wanting
    await rival.close()
    await watcher.close()
    return (await asyncio.gather(doing, return_exceptions=True))[0]


async def set_all(database: str, setting: str) -> None:
    """Have every connection that is made from now on begin with a setting."""
    owner = await asyncpg.connect(database)
    await owner.execute(f'alter database "{await owner.fetchval("select current_database()")}" set {setting}')
    await owner.close()


@pytest_asyncio.fixture
async def quick(database: str) -> AsyncIterator[PostgresStore]:
    await set_all(database, QUICK)
    store = await open_store(database, "truecup_dealer")
    yield store
    await store.close()


def sets_of(shards: set[int], many: int) -> list[Append]:
    """Return commands of so many streams, each of one of these shards."""
    names = (name for name in map(stream, count(1)) if shard_of(name) in shards)
    return [append(name, chain(name, 2)) for name, _ in zip(names, range(many), strict=False)]


# ---- commands ---------------------------------------------------------------------------------------


async def test_a_command_that_was_undone_is_stored_once(database: str, quick: PostgresStore) -> None:
    name = stream()
    one = append(name, chain(name, 3))
    assert await do_in_a_ring(database, ring_of(name), quick.append(one)) == Appended(3, 3)
    assert await quick.read(name) == list(one.lines)
    assert quick.writes.troubles == {"undone": 1}


async def test_a_chain_that_was_undone_is_stored_once(database: str, quick: PostgresStore) -> None:
    name = stream()
    lines = chain(name, 4)
    links = [append(name, lines[:2]), append(name, lines[2:], 2)]
    told = await do_in_a_ring(database, ring_of(name), quick.append_chain(links))
    assert told == [Appended(2, 2), Appended(4, 4)]
    assert await quick.read(name) == lines
    assert quick.writes.troubles == {"undone": 1}


async def test_a_set_that_was_undone_is_stored_once_in_every_shard(database: str, quick: PostgresStore) -> None:
    appends = sets_of(set(range(8)), 6)
    first = min(appends, key=lambda one: shard_of(one.stream))
    told = await do_in_a_ring(database, ring_of(first.stream), quick.append_all(appends))
    assert all(isinstance(outcome, Appended) for outcome in told)
    assert [await quick.read(one.stream) for one in appends] == [list(one.lines) for one in appends]
    assert quick.writes.troubles == {"undone": 1}


async def test_a_set_over_two_primaries_that_one_of_them_has_undone_is_stored_once(database: str, second: str) -> None:
    address = second.split()[1]
    await set_all(address, QUICK)
    two = await open_house(database, second, "truecup_dealer")
    appends = sets_of({0, 3}, 4)
    ring = ring_of(next(one.stream for one in appends if shard_of(one.stream) == 3))
    told = await do_in_a_ring(address, ring, two.append_all(appends))
    assert all(isinstance(outcome, Appended) for outcome in told)
    assert [await two.read(one.stream) for one in appends] == [list(one.lines) for one in appends]
    assert two.writes.troubles == {"undone": 1}
    await two.close()


async def test_a_request_to_enter_a_tournament_that_was_undone_is_answered(database: str, quick: PostgresStore) -> None:
    house = EventHouse(quick)
    await house.announce()
    await house.do(OpenEntry(by=house.host))
    ring, asked = ring_of(f"tournament/{house.id}"), house.ask()
    answer = await do_in_a_ring(database, ring, house.tournaments.register(house.id, None, "Ada", asked))
    assert quick.writes.troubles == {"undone": 1}
    assert await house.tournaments.register(house.id, None, "Ada", asked) == answer
    assert len((await house.tournament()).entrants) == 1


async def test_what_is_undone_again_and_again_is_refused_for_now(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.store.writer.PATIENCE_S", 0.0)

    async def send(_shard: int, _batch: list[Append]) -> list[Outcome]:
        raise asyncpg.SerializationError("could not serialize access due to concurrent update")

    tally = WriteTally()
    writer = ShardWriter(0, send, None, tally)
    told = await asyncio.gather(*(writer.append(one) for one in sets_of({0}, 3)), return_exceptions=True)
    assert [type(one) for one in told] == [Unavailable] * 3
    assert tally.troubles["rejected"] == 0


async def test_commands_are_stored_where_the_database_puts_transactions_in_an_order(database: str) -> None:
    await set_all(database, "default_transaction_isolation = 'repeatable read'")
    here, elsewhere = [await open_store(database, "truecup_dealer") for _ in range(2)]
    appends = sets_of({0}, 24)
    told = await asyncio.gather(
        *(store.append(one) for store, one in zip((here, elsewhere) * 12, appends, strict=True))
    )
    assert all(isinstance(outcome, Appended) for outcome in told)
    assert len(await here.follow(0, 0, 1_000)) == 48
    await here.close()
    await elsewhere.close()


# ---- small writes -----------------------------------------------------------------------------------


async def test_rows_that_were_undone_are_unavailable_for_now_and_not_stored(
    database: str, quick: PostgresStore
) -> None:
    def rows(version: int) -> list[ProjectionRow]:
        return [ProjectionRow(key, version, b"%d" % version, "shelf", 1) for key in ("first", "gate", "last")]

    async def stored() -> list[int]:
        return [row.version for row in await quick.projection("cards", "shelf", 9)]

    await quick.save_projection("cards", 0, 1, rows(1))
    ring = Ring(*(f"select from projection where key = '{key}' for update" for key in ("gate", "last", "first")))
    told = await do_in_a_ring(database, ring, quick.save_projection("cards", 0, 2, rows(2)))
    assert isinstance(told, Unavailable)
    assert (await stored(), await quick.cursor("cards", 0)) == ([1, 1, 1], 1)
    await quick.save_projection("cards", 0, 2, rows(2))
    assert (await stored(), await quick.cursor("cards", 0)) == ([2, 2, 2], 2)
