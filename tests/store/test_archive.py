"""Finished matches in the archive: the same to whoever reads, and gone from nowhere before they are there."""

from __future__ import annotations

import asyncio
import hashlib
from itertools import count

import asyncpg
import pytest

from infra.store import SHARDS, Appended, ArchiveStep, Conflict, EventStore, PendingAnchor, Recorded, Repeated, shard_of
from infra.store.postgres import PostgresStore, open_store
from services.dealer.archivist import Archivist
from tests.store.lines import append, chain, line, stream

SHARD = 3
NOW = 10
"""Later than any line of these matches says it was written."""
NEW = (name for number in count(1) if shard_of(name := stream(number)) == SHARD)


def finished(name: str, length: int = 5) -> list[bytes]:
    """Return the lines of a match that has ended."""
    lines = chain(name, length - 1)
    return [*lines, line(name, length - 1, hashlib.sha256(lines[-1]).hexdigest(), "match.ended")]


async def ended(store: EventStore, name: str, length: int = 5, *, logged: bool = True) -> list[bytes]:
    """Store a match that has ended, and enter its final anchor if asked to; return its lines."""
    lines = finished(name, length)
    head = hashlib.sha256(lines[-1]).hexdigest()
    anchor = (length - 1, head, "final")
    assert isinstance(await store.append(append(name, lines, command=b"c" * 32, anchors=(anchor,))), Appended)
    if logged:
        await enter(store, PendingAnchor(name, *anchor))
    return lines


async def enter(store: EventStore, *anchors: PendingAnchor) -> None:
    """Enter these anchors, and let every stream that has moved be known to be live."""
    size = await store.log_size()
    assert await store.log_append([(anchor, b"entry") for anchor in anchors], {}, size)
    await seen(store)


async def seen(store: EventStore) -> None:
    """Let the anchors of streams that have moved be written and entered."""
    for shard in range(SHARDS):
        await store.save_projection("live", shard, 0, [])
        await store.log_live(shard, await store.cursor("live", shard))
    waiting = await store.log_pending(1_000)
    assert await store.log_append([(anchor, b"entry") for anchor in waiting], {}, await store.log_size())


async def told(store: EventStore, shard: int, page: int) -> list[Recorded]:
    """Return all of a shard, read by pages of this length."""
    found: list[Recorded] = []
    while more := await store.follow(shard, found[-1].position if found else 0, page):
        found += more
    return found


async def rows(database: str, query: str) -> list[tuple[object, ...]]:
    connection = await asyncpg.connect(database)
    try:
        return [tuple(row) for row in await connection.fetch(query)]
    finally:
        await connection.close()


async def test_what_is_moved_reads_as_before(store: EventStore) -> None:
    first, live, second = next(NEW), next(NEW), next(NEW)
    lines = {first: await ended(store, first, 5), live: chain(live, 4), second: []}
    await store.append(append(live, lines[live][:2]))
    lines[second] = await ended(store, second, 300)
    await store.append(append(live, lines[live][2:], expected=2))
    before = await told(store, SHARD, 1_000)
    assert await Archivist(store, 0).work() in {0, 2}, "memory moves nothing"
    for page in (1, 3, 7, 1_000):
        assert await told(store, SHARD, page) == before
    assert [one.position for one in before] == list(range(1, 310))
    for name, whole in lines.items():
        assert await store.read(name) == whole
        assert await store.read(name, 3) == whole[3:]
        assert await store.read(name, 1, 2) == whole[1:3]
        assert await store.read(name, len(whole)) == []
    for after in (0, 2, 6, 308, 309, 400):
        assert await store.follow(SHARD, after, 4) == before[after : after + 4]
    assert await store.answer(first, b"c" * 32) == (b"f" * 32, b"{}")
    assert await store.append(append(first, finished(first), command=b"c" * 32)) == Repeated(b"{}")
    assert await store.append(append(first, chain(first, 1))) == Conflict(5)
    assert (await store.positions())[SHARD] == 309


async def test_a_match_is_moved_whole_and_once(database: str, postgres: PostgresStore, other: PostgresStore) -> None:
    names = [next(NEW) for _ in range(12)]
    for name in names:
        await ended(postgres, name)
    moved = await asyncio.gather(*(Archivist(each, 0).work() for each in (postgres, other)))
    assert sum(moved) == len(names)
    assert await rows(database, "select count(*) from event") == [(0,)]
    assert await rows(database, "select count(*), sum(version) from archive") == [(12, 60)]
    assert await postgres.archive_next(SHARD, "", NOW) == ArchiveStep(None, moved=False)


async def test_what_may_still_be_written_about_stays(database: str, postgres: PostgresStore) -> None:
    playing, unlogged, waiting, young, unseen = (next(NEW) for _ in range(5))
    await postgres.append(append(playing, chain(playing, 3)))
    await ended(postgres, unlogged, logged=False)
    await seen(postgres)
    await ended(postgres, waiting)
    connection = await asyncpg.connect(database)
    await connection.execute("delete from log_entry where stream = $1", unlogged)
    await connection.execute("insert into log_outbox values ($1, 2, 'sealed', 'x', 3, 1)", waiting)
    await connection.close()
    assert await Archivist(postgres, 0).work() == 0, "one has no final anchor, one waits for another"
    await ended(postgres, young)  # with whose anchor the other's is entered
    assert (await postgres.archive_next(SHARD, young, 1)).moved is False, "its last line is not older"
    head = hashlib.sha256(finished(unseen)[-1]).hexdigest()
    await postgres.append(append(unseen, finished(unseen), anchors=((4, head, "final"),)))
    assert await postgres.log_append([(PendingAnchor(unseen, 4, head, "final"), b"e")], {}, await postgres.log_size())
    assert await Archivist(postgres, 0).work() == 2
    assert {row[0] for row in await rows(database, "select stream from archive")} == {waiting, young}
    await seen(postgres)
    assert await Archivist(postgres, 0).work() == 1
    assert len(await postgres.read(unseen)) == 5


async def test_one_looks_at_some_and_goes_on_behind_them(postgres: PostgresStore) -> None:
    names = sorted(next(NEW) for _ in range(70))
    for name in names:
        await postgres.append(append(name, finished(name, 2)))
    looked = await postgres.archive_next(SHARD, "", NOW)
    assert looked == ArchiveStep(names[63], moved=False)
    assert await postgres.archive_next(SHARD, names[63], NOW) == ArchiveStep(names[-1], moved=False)
    assert await postgres.archive_next(SHARD, names[-1], NOW) == ArchiveStep(None, moved=False)


async def test_a_line_that_follows_what_was_moved_is_stored_and_no_other(postgres: PostgresStore) -> None:
    name = next(NEW)
    lines = await ended(postgres, name)
    assert await Archivist(postgres, 0).work() == 1
    wrong = line(name, 5, "0" * 64)
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="does not follow"):
        await postgres.append(append(name, [wrong], expected=5))
    lines += chain(name, 2, lines)
    assert await postgres.append(append(name, lines[5:], expected=5)) == Appended(7, 7)
    assert await postgres.read(name) == lines
    assert await postgres.read(name, 4, 2) == lines[4:6]
    assert [one.line for one in await told(postgres, SHARD, 2)] == lines
    assert await Archivist(postgres, 0).work() == 0


@pytest.mark.parametrize("page", [1, 2, 64])
async def test_whoever_follows_while_matches_are_moved_sees_every_line_once(
    postgres: PostgresStore, other: PostgresStore, page: int
) -> None:
    names = [next(NEW) for _ in range(20)]
    for name in names:
        await ended(postgres, name)
    before = await told(postgres, SHARD, 1_000)
    found, moved = await asyncio.gather(told(postgres, SHARD, page), Archivist(other, 0).work())
    assert (found, moved) == (before, len(names))


@pytest.mark.parametrize(
    "statement",
    [
        "update archive set lines = lines",
        "delete from archive",
        f"delete from archive_{SHARD}",
        "truncate archive",
        f"truncate archive_{SHARD}",
        "delete from event",
        f"delete from event_{SHARD}",
    ],
)
async def test_what_is_moved_is_never_changed(database: str, postgres: PostgresStore, statement: str) -> None:
    name, beside = next(NEW), next(NEW)
    lines = await ended(postgres, name)
    assert await Archivist(postgres, 0).work() == 1
    await postgres.append(append(beside, chain(beside, 2)))
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="never changed"):
        await rows(database, statement)
    assert await postgres.read(name) == lines
    assert len(await postgres.read(beside)) == 2


@pytest.mark.parametrize(
    ("lines", "positions"), [("lines || ' '", "positions"), ("lines", "array[1, 2, 3, 4, 6]::bigint[]")]
)
async def test_lines_leave_for_an_archive_that_has_the_very_same(
    database: str, postgres: PostgresStore, lines: str, positions: str
) -> None:
    """Not even whoever owns the tables takes them out by mistake."""
    name = next(NEW)
    await ended(postgres, name)
    connection = await asyncpg.connect(database)
    await connection.execute(
        f"insert into archive select shard, stream, 5, 1, 5, '', {positions}, {lines} from (select shard, stream,"
        " array_agg(position order by seq) as positions, string_agg(body, E'\n' order by seq) as lines"
        " from event group by shard, stream) e"
    )
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="never changed"):
        await connection.execute("delete from event")
    with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="never changed"):
        await connection.execute(f"delete from event_{SHARD} where seq < 4")
    await connection.close()
    assert (await rows(database, "select count(*) from event")) == [(5,)]


async def test_only_the_dealer_moves_matches(database: str, postgres: PostgresStore) -> None:
    name = next(NEW)
    lines = await ended(postgres, name)
    for role in ("truecup_api", "truecup_relay"):
        store = await open_store(database, role)
        with pytest.raises(asyncpg.InsufficientPrivilegeError):
            await store.archive_next(SHARD, "", NOW)
        await store.close()
    assert await Archivist(postgres, 0).work() == 1
    reader = await open_store(database, "truecup_api")
    assert await reader.read(name) == lines
    await reader.close()
