"""Promises that only a real database can keep, or break."""

from __future__ import annotations

import asyncio
import re
from hashlib import sha256
from pathlib import Path

import asyncpg
import pytest

from domain.log import merkle
from infra.store import (
    SHARDS,
    Access,
    Append,
    Appended,
    Outcome,
    PendingAnchor,
    StoredToken,
    Unavailable,
    WordsLeft,
    shard_of,
)
from infra.store.migrate import migrate, migrations
from infra.store.postgres import SESSION, STATEMENTS, PostgresStore, open_store
from infra.store.transparency.log_tables import NODES
from infra.store.writer import QUEUE_MAX, ShardWriter
from tests.store.lines import ZEROS, append, chain, line, stream


async def test_every_statement_fits_the_schema(database: str) -> None:
    connection = await asyncpg.connect(database)
    for statement in STATEMENTS:
        await connection.prepare(statement)
    await connection.close()
    assert len(STATEMENTS) > 25


SMALL = {"shard", "log_outbox", "log_state", "log_policy", "heartbeat", "projection_cursor"}
"""Tables with few rows in every house, a queue among them."""


async def test_a_plan_made_for_an_empty_house_finds_rows_by_an_index_in_a_full_one(database: str) -> None:
    connection = await asyncpg.connect(database, server_settings=SESSION)
    await connection.execute("vacuum analyze")  # with no rows and no pages, to read everything looks cheap
    for statement in (text for text in STATEMENTS if text.startswith("select") and "$" in text):
        explained = await connection.prepare(f"explain (generic_plan) {statement}")
        plan = [row[0] for row in await explained.fetch(*[None] * len(explained.get_parameters()))]
        assert set(re.findall(r"Seq Scan on (\w+)", "\n".join(plan))) <= SMALL, statement
    await connection.close()


async def test_migrating_again_or_at_once_changes_nothing(database: str) -> None:
    assert list(await asyncio.gather(migrate(database), migrate(database))) == [[], []]
    assert [version for version, _ in migrations()] == sorted(version for version, _ in migrations())


async def before(dsn: str, number: str) -> asyncpg.Connection:
    """Return a connection to the database as it was before a migration."""
    connection = await asyncpg.connect(dsn)
    await connection.execute("create table schema_migrations (version varchar primary key)")
    for version, text in migrations():
        if version < number:
            await connection.execute(text)
            await connection.execute("insert into schema_migrations values ($1)", version)
    return connection


async def test_tokens_of_before_are_for_whoever_joined_in_their_seats(empty_database: str) -> None:
    database = empty_database
    connection = await before(database, "0007")
    shard, joined = shard_of(stream()), joins("p1", "p2")
    await connection.execute("insert into stream values ($1, $2, 2)", shard, stream())
    for n, each in enumerate(joined):
        await connection.execute(
            "insert into event (shard, position, stream, seq, body) values ($1, $2, $3, $4, $5)",
            *(shard, n + 1, stream(), n, each.decode()),
        )
    for digest, role, seat in ((b"1", "seat", 1), (b"2", "seat", 2), (b"h", "host", None)):
        await connection.execute("insert into token values ($1, $2, $3, $4)", digest, stream(), role, seat)
    await connection.close()
    assert (await migrate(database))[0] == "0007"
    store = await open_store(database, "truecup_dealer")
    assert await store.token(b"1") == StoredToken(stream(), "seat", 1, "p1")
    assert await store.token(b"2") == StoredToken(stream(), "seat", 2, "p2")
    assert await store.token(b"h") == StoredToken(stream(), "host")
    await store.close()


def joins(*players: str) -> list[bytes]:
    """Return the lines that seat these players, one after the other."""
    found: list[bytes] = []
    for seat, player in enumerate(players, start=1):
        prev = sha256(found[-1]).hexdigest() if found else ZEROS
        found.append(line(stream(), len(found), prev, "seat.joined", player=player, seat=seat))
    return found


@pytest.mark.parametrize(
    "statement",
    [
        "update event set body = body",
        "delete from event",
        "truncate event",
        *(f"truncate event_{n}" for n in range(SHARDS)),
        *(f"delete from event_{shard_of(stream())}" for _ in "1"),
    ],
)
async def test_events_are_never_changed(database: str, postgres: PostgresStore, statement: str) -> None:
    await postgres.append(append(stream(), chain(stream(), 1)))
    connection = await asyncpg.connect(database)
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="never changed"):
        await connection.execute(statement)
    await connection.close()
    assert len(await postgres.read(stream())) == 1


@pytest.mark.parametrize(
    "change", ["update access_line set body = body", "delete from access_line", "truncate access_line"]
)
async def test_who_saw_what_is_never_changed(database: str, postgres: PostgresStore, change: str) -> None:
    seen = tuple(chain("access/x", 1))
    await postgres.append(append(stream(), chain(stream(), 1), access=Access("access/x", 0, seen)))
    connection = await asyncpg.connect(database)
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="never changed"):
        await connection.execute(change)
    await connection.close()
    assert await postgres.read_access("access/x") == list(seen)


async def test_a_node_without_the_dealers_role_reads_who_saw_what_and_writes_nothing(
    database: str, postgres: PostgresStore
) -> None:
    seen = Access("access/x", 0, tuple(chain("access/x", 1)))
    await postgres.append(append(stream(), chain(stream(), 1), access=seen))
    store = await open_store(database, "truecup_api")
    assert await store.read_access("access/x") == list(seen.lines)
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store.append_access(stream(), Access("access/x", 1, tuple(chain("access/x", 1, list(seen.lines)))))
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store.append(append(stream(2), chain(stream(2), 1), access=Access("access/y", 0, ())))
    await store.close()
    connection = await asyncpg.connect(database, server_settings={"role": "truecup_api"})
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("insert into access_line values ('access/y', 0, '{}')")
    await connection.close()


async def test_the_api_role_cannot_read_the_vault(database: str, postgres: PostgresStore) -> None:
    await postgres.append(append(stream(), chain(stream(), 1), secrets=(("deal/0", b"wrapped"),)))
    store = await open_store(database, "truecup_api")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await store.secrets(stream())
    connection = await asyncpg.connect(database, server_settings={"role": "truecup_api"})
    for statement in ("select * from vault.secret", "insert into event values (0, 1, 'x', 0, '{}')"):
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await connection.execute(statement)
    await connection.close()
    await store.close()


async def test_two_processes_write_without_a_gap(database: str, postgres: PostgresStore) -> None:
    other = await open_store(database, "truecup_dealer")
    names = [stream(n) for n in range(1, 120)]
    writes = [(postgres, other)[i % 2].append(append(name, chain(name, 2))) for i, name in enumerate(names)]
    outcomes = await asyncio.gather(*writes)
    assert all(isinstance(outcome, Appended) for outcome in outcomes)
    for shard, end in (await postgres.positions()).items():
        rows = await other.follow(shard, 0, 1_000)
        assert [row.position for row in rows] == list(range(1, end + 1))
    await other.close()


async def test_a_connection_cut_in_the_middle_of_a_commit_stores_each_command_once(
    database: str, postgres: PostgresStore
) -> None:
    names = [stream(n) for n in range(1, 200)]
    admin = await asyncpg.connect(database)

    async def cut() -> None:
        for _ in range(12):
            await admin.execute(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where application_name = 'truecup' and datname = current_database()"
            )
            await asyncio.sleep(0.01)

    async def write(name: str) -> None:
        lines: list[bytes] = []
        for _ in range(4):
            new = chain(name, 1, lines)
            outcome = await postgres.append(append(name, new, expected=len(lines)))
            assert not isinstance(outcome, Unavailable)
            lines += new
        assert await asyncio.wait_for(read(name), 60) == lines

    async def read(name: str) -> list[bytes]:
        while True:
            try:
                return await postgres.read(name)
            except Unavailable:
                continue

    await asyncio.gather(cut(), *(write(name) for name in names))
    for shard, end in (await postgres.positions()).items():
        assert len({row.position for row in await postgres.follow(shard, 0, 2_000)}) == end
    await admin.close()


async def test_a_full_queue_says_no_at_once() -> None:
    waiting = asyncio.Event()

    async def send(_shard: int, batch: list[Append]) -> list[Outcome]:
        await waiting.wait()
        return [Appended(1, 1) for _ in batch]

    writer = ShardWriter(0, send)
    one = append(stream(), [])
    tasks = [asyncio.create_task(writer.append(one)) for _ in range(QUEUE_MAX + 256)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    more = [asyncio.create_task(writer.append(one)) for _ in range(300)]
    await asyncio.sleep(0)
    with pytest.raises(Unavailable, match="full"):
        await writer.append(one)
    waiting.set()
    results = await asyncio.gather(*tasks, *more, return_exceptions=True)
    assert {type(result) for result in results} == {Appended, Unavailable}


async def test_a_database_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="does not answer"):
        await open_store(f"postgresql://nobody@/none?host={tmp_path}", "truecup_api")


def tree_of(size: int) -> dict[merkle.Place, bytes]:
    """Return every complete subtree of a tree of so many leaves."""
    return merkle.subtrees([sha256(str(number).encode()).digest() for number in range(size)])


async def test_the_hashes_of_the_log_are_found_in_branches_too_wherever_its_batches_ended(
    database: str, postgres: PostgresStore
) -> None:
    places, size = tree_of(600), 0
    for count in (1, 14, 1, 1, 239, 300, 44):
        anchors = [PendingAnchor(stream(), size + number, "ab", "live") for number in range(count)]
        ends = {place: (place[1] + 1) << place[0] for place in places}
        added = {place: places[place] for place, end in ends.items() if size < end <= size + count}
        assert await postgres.log_append([(anchor, b"entry") for anchor in anchors], added, size)
        size += count
        there = [place for place in places if ends[place] <= size]
        assert await postgres.log_hashes(places) == {place: places[place] for place in there}
    owner = await asyncpg.connect(database)
    stored = {(row["level"], row["index"]) for row in await owner.fetch("select level, index from log_branch")}
    assert stored == {(0, index) for index in range(600 // 16)} | {(4, index) for index in range(600 // 256)}
    await owner.execute("delete from log_hash")
    complete = {place for place in places if (place[0] - place[0] % 4, place[1] >> 4 - place[0] % 4) in stored}
    assert await postgres.log_hashes(places) == {place: places[place] for place in complete}
    await owner.close()


async def test_a_log_of_before_has_its_branches_after_the_migration(empty_database: str) -> None:
    connection = await before(empty_database, "0012")
    places = tree_of(300)
    levels, indexes = [level for level, _ in places], [index for _, index in places]
    await connection.execute(NODES, levels, indexes, list(places.values()))
    await migrate(empty_database)
    rows = await connection.fetch("select level, index, hashes from log_branch order by level, index")
    assert [tuple(row)[:2] for row in rows] == [*((0, index) for index in range(300 // 16)), (4, 0)]
    below = ((4, range(16)), (5, range(8)), (6, range(4)), (7, range(2)))
    assert rows[-1]["hashes"] == b"".join(places[level, index] for level, row in below for index in row)
    await connection.close()


@pytest.mark.parametrize("has_it", [False, True], ids=["without", "with"])
async def test_a_house_of_before_leaves_words_after_the_migration(empty_database: str, *, has_it: bool) -> None:
    connection = await before(empty_database, "0029")
    await connection.execute("insert into heartbeat (at) values (1000)")
    if has_it:
        await connection.execute(dict(migrations())["0029"])
    await connection.close()
    assert (await migrate(empty_database))[0] == "0029"
    store = await open_store(empty_database, "truecup_dealer")
    assert await store.heartbeat(9_000, 9_000) == WordsLeft(9_000, ((1_000, 9_000),))
    await store.close()
