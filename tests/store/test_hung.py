"""A database that hangs: everybody is answered in time, and what nobody could know is known afterwards."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Coroutine
from functools import partial
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from msgspec import Struct
from structlog.testing import capture_logs

from infra.entropy import draw
from infra.store import SHARDS, Access, Append, Appended, Away, Outcome, Repeated, Unavailable, lending, shard_of
from infra.store import postgres as postgres_store
from infra.store import writer as writer_module
from infra.store.postgres import PostgresStore, open_pool, open_store
from infra.store.primaries.naming import join_primaries
from infra.store.primaries.opening import open_house
from infra.store.writer import ShardWriter
from services.local.postgres import EmbeddedPostgres
from services.work.changes import LiveStreams
from tests.hanging import hung
from tests.hosting import TEMPLATE, a_database, make_template
from tests.store.conftest import GIVE, TAKE
from tests.store.lines import append, chain, stream
from tests.store.test_primaries import AT_HOME, ELSEWHERE, begin, run

BOUND_S = 60
"""Far above every bound of the store: who waits so long waits for ever."""


AT_WORK = """select count(*) from pg_stat_activity
 where state = 'active' and backend_type = 'client backend' and pid <> pg_backend_pid()"""
"""Connections whose command is not over, whether or not anybody still listens to them."""


class Server(Struct, frozen=True):
    """A Postgres that nobody else needs, and a database on it that no other test has written to."""

    pid: int
    url: str


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def alone(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedPostgres]:
    running = EmbeddedPostgres(tmp_path_factory.mktemp("alone") / "postgres")
    await running.start()
    await make_template(running.url)
    yield running
    await running.stop()


@pytest_asyncio.fixture
async def server(alone: EmbeddedPostgres) -> AsyncIterator[Server]:
    async with a_database(alone.url, TEMPLATE) as url:
        yield Server(alone.pid, url)


@pytest.fixture
async def store(server: Server) -> AsyncIterator[PostgresStore]:
    store = await open_store(server.url, "truecup_dealer")
    yield store
    await store.close()


async def refused(waiting: Awaitable[object]) -> str:
    """Return why the store cannot do something now."""
    async with asyncio.timeout(BOUND_S):
        with pytest.raises(Unavailable) as why:
            await waiting
    return str(why.value)


@pytest.mark.long
async def test_a_database_that_hangs_keeps_nobody_waiting(server: Server, store: PostgresStore) -> None:
    one, other = append(stream(), chain(stream(), 1)), append(stream(2), chain(stream(2), 1))
    assert isinstance(await store.append(one), Appended)
    access = Access("access/x", 0, tuple(chain("access/x", 1)))
    with hung(server.pid):
        asks = (
            partial(store.read, stream()),
            partial(store.append, other),
            partial(store.append_access, stream(), access),
            partial(store.heartbeat, 1),
            partial(store.last_words),
            partial(store.save_projection, "lobby", 1, 1, ()),
            partial(store.log_live, 1, 0),
            partial(store.positions),
            partial(store.check),
        )
        whys = await asyncio.gather(*(refused(ask()) for ask in asks))
        assert set(whys) == {"the database does not answer"}
        assert (await store.check_writes() or "").startswith("no write is taken")
        assert await refused(open_store(server.url, "truecup_dealer"))
    async with asyncio.timeout(BOUND_S):
        while await store.check_writes() is not None:
            await asyncio.sleep(0.01)
    # Whatever became of it, the repeat says so, and it is stored once.
    assert isinstance(await store.append(other), Appended | Repeated)
    assert len(await store.read(stream(2))) == 1


async def test_a_reader_that_goes_away_leaves_the_others_their_connections(
    server: Server, store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    with hung(server.pid):
        for _ in range(3 * postgres_store.POOL_MAX):
            reading = asyncio.create_task(store.read(stream()))
            await asyncio.sleep(0.01)
            reading.cancel()
            async with asyncio.timeout(BOUND_S):
                await asyncio.gather(reading, return_exceptions=True)
            assert reading.cancelled()
    monkeypatch.setattr(postgres_store, "WAIT_S", BOUND_S)  # it has to make its connections anew first
    async with asyncio.timeout(BOUND_S):
        assert await asyncio.gather(*(store.read(stream()) for _ in range(3 * postgres_store.POOL_MAX)))


async def test_a_query_given_up_at_any_moment_is_no_answer_in_time(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A connection given up is followed by a new one, on which the query is prepared first and may be given up then."""
    for tenth_ms in range(400):
        monkeypatch.setattr(postgres_store, "WAIT_S", tenth_ms / 10_000)
        with contextlib.suppress(Unavailable):
            assert await store.read(stream()) == []


async def test_a_program_ends_while_its_database_hangs_and_says_what_is_in_doubt(server: Server) -> None:
    store = await open_store(server.url, "truecup_dealer")
    one = append(stream(), chain(stream(), 1))
    with hung(server.pid), capture_logs() as told:
        waiting = [asyncio.create_task(store.append(one)) for _ in range(3)]
        await asyncio.sleep(0.1)
        async with asyncio.timeout(BOUND_S):
            await store.close()
        for each in waiting:
            await refused(each)
    assert [one["commands"] for one in told if one["event"] == "store.leaves_in_doubt"] == [3]
    again = await open_store(server.url, "truecup_dealer")
    assert isinstance(await again.append(one), Appended | Repeated)
    assert len(await again.read(stream())) == 1
    await again.close()


@pytest.fixture
def brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the store lose patience soon."""
    monkeypatch.setattr(writer_module, "ANSWER_S", 0.5)
    monkeypatch.setattr(writer_module, "PATIENCE_S", 0.2)
    monkeypatch.setattr(writer_module, "STUCK_S", 0.1)


@pytest.mark.usefixtures("brisk")
@pytest.mark.parametrize("send_s", [0.3, 60.0], ids=["its connection given up", "still in flight"])
async def test_a_commit_that_hangs_holds_up_its_shard_only_and_counts_once(
    server: Server, store: PostgresStore, monkeypatch: pytest.MonkeyPatch, send_s: float
) -> None:
    """As with a disk that takes no write: everything can be read, and one shard commits nothing."""
    monkeypatch.setattr(postgres_store, "SEND_S", send_s)
    others = [stream(n) for n in range(1, 60) if shard_of(stream(n)) != shard_of(stream(1))]
    first, second = append(stream(1), chain(stream(1), 1)), append(stream(1), chain(stream(1), 1))
    # A connection that has appended before sends a whole command at once: what is given up has been sent.
    warm = next(stream(n) for n in range(2, 60) if shard_of(stream(n)) == shard_of(stream(1)))
    assert isinstance(await settled(store, append(warm, chain(warm, 1))), Appended | Repeated)
    holder = await asyncpg.connect(server.url)
    holding = holder.transaction()
    await holding.start()
    await holder.execute("select from shard where shard = $1 for update", shard_of(stream(1)))

    assert await refused(store.append(first)) == "the database does not answer"
    waiting = asyncio.create_task(store.append(second))
    beside = await asyncio.gather(*(settled(store, append(name, chain(name, 1))) for name in others))
    assert all(isinstance(outcome, Appended | Repeated) for outcome in beside)
    assert await refused(waiting) == "the database does not answer"
    assert await store.read(stream(1)) == []
    assert len(await store.positions()) == SHARDS

    await holding.rollback()
    async with asyncio.timeout(BOUND_S):
        while await holder.fetchval(AT_WORK):
            await asyncio.sleep(0.01)
    # What had come to the database is stored; on a busy machine a connection may be given up before.
    stored = "Repeated" if await store.read(stream(1)) else "Appended"
    outcomes = [await settled(store, one) for one in (first, second)]
    assert len(await store.read(stream(1))) == 1
    assert [type(outcome).__name__ for outcome in outcomes] == [stored, "Conflict"]
    assert stored == "Repeated" or send_s < 1
    await holder.close()


async def settled(store: PostgresStore, one: Append) -> Outcome:
    """Return what came of a command in the end, as whoever repeats it learns."""
    async with asyncio.timeout(BOUND_S):
        while True:
            try:
                return await store.append(one)
            except Unavailable:
                continue


@pytest.mark.usefixtures("brisk")
async def test_what_was_never_sent_is_never_sent_once_nobody_waits_for_it() -> None:
    free, sent = asyncio.Event(), []

    async def send(_shard: int, batch: list[Append]) -> list[Outcome]:
        sent.append([one.command for one in batch])
        await free.wait()
        return [Appended(1, 1) for _ in batch]

    writer = ShardWriter(0, send)
    one, two, three = (append(stream(), [], command=draw(32)) for _ in range(3))
    flying = asyncio.create_task(writer.append(one))
    await asyncio.sleep(0)
    await asyncio.gather(refused(flying), refused(writer.append(two)))
    assert (writer.trouble or "").startswith("no write is taken")
    free.set()
    assert await writer.append(three) == Appended(1, 1)
    assert sent == [[one.command], [three.command]]
    assert (writer.trouble, writer.pending) == (None, 0)


@pytest.mark.usefixtures("brisk")
async def test_a_queue_of_commands_that_nobody_waits_for_is_not_full() -> None:
    free = asyncio.Event()

    async def send(_shard: int, batch: list[Append]) -> list[Outcome]:
        await free.wait()
        return [Appended(1, 1) for _ in batch]

    writer = ShardWriter(0, send)
    one = append(stream(), [])
    tasks = [asyncio.create_task(writer.append(one)) for _ in range(writer_module.QUEUE_MAX + writer_module.BATCH_MAX)]
    await asyncio.gather(*tasks, return_exceptions=True)
    later = asyncio.create_task(writer.append(one))
    await asyncio.sleep(0)
    free.set()
    assert await later == Appended(1, 1)


READ_ONLY = "alter system set default_transaction_read_only = {}"


async def test_a_database_that_is_set_to_be_read_only_refuses_for_as_long_as_it_is(
    server: Server, store: PostgresStore
) -> None:
    """As whoever hosts a database does before its disk is full."""
    admin = await asyncpg.connect(server.url)
    one, access = append(stream(), chain(stream(), 1)), Access("access/x", 0, tuple(chain("access/x", 1)))
    await set_read_only(admin, store, "on")
    assert "read-only" in await refused(store.append(one))
    for ask in (store.heartbeat(1), store.append_access(stream(), access), store.save_projection("lobby", 1, 1, ())):
        await refused(ask)
    assert (await store.check_writes() or "").startswith("writes are refused")
    assert await store.read(stream()) == []
    await set_read_only(admin, store, "off")
    assert isinstance(await store.append(one), Appended)
    assert await store.check_writes() is None
    await admin.close()


async def set_read_only(admin: asyncpg.Connection, store: PostgresStore, to: str) -> None:
    """Set it, and wait until the connections of the store have heard of it."""
    await admin.execute(READ_ONLY.format(to))
    await admin.execute("select pg_reload_conf()")
    async with asyncio.timeout(BOUND_S):
        while set(await asyncio.gather(*(shown(store) for _ in range(6)))) != {to}:
            await asyncio.sleep(0.01)


async def shown(store: PostgresStore) -> str:
    return str((await store.ask("show default_transaction_read_only"))[0][0])


async def test_a_database_without_room_is_said_so_until_it_takes_a_write() -> None:
    full = True

    async def send(_shard: int, batch: list[Append]) -> list[Outcome]:
        if full:
            raise asyncpg.DiskFullError("could not extend file base/1/2: no space left on device")
        return [Appended(1, 1) for _ in batch]

    writer = ShardWriter(0, send)
    one = append(stream(), [])
    with pytest.raises(Unavailable):
        await writer.append(one)
    assert writer.trouble == "writes are refused: DiskFullError"
    assert writer.refusal == "DiskFullError"
    full = False
    await writer.append(one)
    assert [writer.trouble, writer.refusal] == [None, None]


# ---- one of two -------------------------------------------------------------------------------


@pytest_asyncio.fixture
async def both(database: str, server: Server) -> AsyncIterator[PostgresStore]:
    """Return a store on two primaries with a table at each, of which the second is on a server that may hang."""
    await join_primaries(database, {"second": server.url})
    for where, change in ((database, GIVE), (server.url, TAKE)):
        await run(where, change, "select 1")
    store = await open_house(database, f"second {server.url}", "truecup_dealer")
    for name in (AT_HOME, ELSEWHERE):
        await store.append(begin(name, secrets=(("deal/0", b"k"),)))
    await store.positions()
    yield store
    await store.close()


def is_refused_at_once(asked: Coroutine[Any, Any, object]) -> bool:
    """Report whether somebody is told that a database is away before anything is waited for."""
    try:
        asked.send(None)
    except Away:
        return True
    asked.close()
    return False


async def test_one_of_two_databases_that_hangs_is_waited_for_once_and_not_once_a_table(
    server: Server, both: PostgresStore
) -> None:
    third = append(ELSEWHERE, chain(ELSEWHERE, 1, chain(ELSEWHERE, 2)), expected=2)
    live = LiveStreams(both.streams_live)
    with hung(server.pid):
        waiting = [both.append(third), both.read(ELSEWHERE), both.token(draw(32)), both.secrets(ELSEWHERE)]
        assert set(await asyncio.gather(*map(refused, waiting))) >= {"the database does not answer"}
        for _ in range(20):
            for asked in (both.read(ELSEWHERE), both.secrets(ELSEWHERE), both.append(third)):
                assert is_refused_at_once(asked)
        assert await live.list_them() == [AT_HOME]
        assert len(await both.positions()) == SHARDS, "as they were last heard of"
        home = append(AT_HOME, chain(AT_HOME, 1, chain(AT_HOME, 2)), expected=2)
        assert isinstance(await both.append(home), Appended)
    async with asyncio.timeout(BOUND_S):
        while not await live.are_back():
            await asyncio.sleep(0.01)
    # Whatever became of it, the repeat says so, and it is stored once.
    assert isinstance(await both.append(third), Appended | Repeated)
    assert len(await both.read(ELSEWHERE)) == 3


async def test_a_database_that_answers_is_waited_for_however_long_a_lock_is_held(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lending, "LONG_S", 0.01)
    monkeypatch.setattr(lending, "ANSWER_S", BOUND_S)
    answered = asyncio.Event()

    async def ask() -> None:
        await run(server.url, "select 1")
        answered.set()

    store = PostgresStore(await open_pool(server.url, "truecup_dealer"), None, ask)
    holder = await asyncpg.connect(server.url)
    async with holder.transaction():
        await holder.execute("select from shard for update")
        late = asyncio.create_task(store.append(append(stream(), chain(stream(), 1))))
        async with asyncio.timeout(BOUND_S):
            await answered.wait()
        assert not late.done()
        assert not store.lending.hangs
    assert isinstance(await late, Appended)
    await holder.close()
    await store.close()
