"""Promises that hang on there being two databases: where a shard is, who is told so, what a crash between leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from hashlib import sha256
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from infra.config import primaries_of
from infra.entropy import draw
from infra.store import SHARDS, Append, Appended, PendingAnchor, Repeated, Unavailable, shard_of
from infra.store.postgres import PostgresStore, open_store
from infra.store.primaries import routed
from infra.store.primaries.naming import join_primaries
from infra.store.primaries.opening import open_house, open_joined
from infra.store.primaries.places import WrongPrimary
from tests.hosting import TEMPLATE, a_database
from tests.store.lines import append, chain, stream

BOUND_S = 60
AT_HOME = next(name for name in map(stream, range(1, 99)) if shard_of(name) == 2)
ELSEWHERE = next(name for name in map(stream, range(1, 99)) if shard_of(name) == 3)


async def run(address: str, *statements: str) -> list[Any]:
    """Run statements as whoever owns a database, and return what the last one says."""
    connection = await asyncpg.connect(address)
    try:
        for statement in statements[:-1]:
            await connection.execute(statement)
        return [tuple(row) for row in await connection.fetch(statements[-1])]
    finally:
        await connection.close()


def address_of(second: str) -> str:
    return primaries_of(second)["second"]


def begin(name: str, **members: Any) -> Append:
    return append(name, chain(name, 2), **members)


# ---- where a shard is -------------------------------------------------------------------------


async def test_all_of_a_command_lies_at_the_primary_of_its_shard_and_names_at_home(
    database: str, second: str, two: PostgresStore
) -> None:
    for name in (AT_HOME, ELSEWHERE):
        members = {"secrets": (("deal/0", b"k"),), "people": ((f"p{name}", "Ana"),), "anchors": ((1, "a", "sealed"),)}
        await two.append(begin(name, tokens=((name.encode(), "host", None),), **members))
    tables = ("event", "stream", "command", "token", "vault.secret", "log_outbox")
    for table in tables:
        assert await run(database, f"select distinct stream from {table}") == [(AT_HOME,)], table
        assert await run(address_of(second), f"select distinct stream from {table}") == [(ELSEWHERE,)], table
    assert await run(address_of(second), "select * from person") == []
    assert set(await two.names([f"p{AT_HOME}", f"p{ELSEWHERE}"])) == {f"p{AT_HOME}", f"p{ELSEWHERE}"}


async def leave(database: str, second: str) -> None:
    """Let the shard of the stream at home live at the other one, and nobody say so."""
    await run(database, "update shard set closed_at = position where shard = 2", "select 1")
    await run(address_of(second), "update shard set closed_at = null, epoch = 2 where shard = 2", "select 1")


async def say_so(database: str) -> None:
    await run(database, "update shard_place set lives_at = 'second', epoch = 2 where shard = 2", "select 1")


async def test_a_program_that_has_not_heard_of_a_move_appends_where_the_shard_is_now(
    database: str, second: str, two: PostgresStore
) -> None:
    first = begin(AT_HOME)
    await leave(database, second)
    late = asyncio.create_task(two.append(first))
    await asyncio.sleep(0.3)
    assert not late.done(), "it is refused where it was, and nobody says where else"
    await say_so(database)
    assert isinstance(await late, Appended)
    assert await two.append(first) == Repeated(b"{}")
    assert (await two.positions())[2] == 2
    assert await run(database, "select count(*) from event") == [(0,)]


@pytest.mark.parametrize("name", ["append", "append_chain", "append_all"])
async def test_a_command_without_lines_is_stored_where_its_shard_is_now(
    database: str, second: str, two: PostgresStore, name: str
) -> None:
    token = draw(32)
    one = append(AT_HOME, [], tokens=((token, "host", None),))
    given = one if name == "append" else [one]
    await leave(database, second)
    late = asyncio.create_task(getattr(two, name)(given))
    await asyncio.sleep(0.3)
    assert not late.done()
    await say_so(database)
    await late
    assert await run(database, "select stream from command union all select stream from token") == []
    assert await run(address_of(second), "select stream from command") == [(AT_HOME,)]
    assert await two.append(one) == Repeated(b"{}")
    assert await two.token(token) is not None


async def test_nothing_is_said_of_a_stream_where_its_shard_is_no_more(
    database: str, second: str, two: PostgresStore
) -> None:
    lines = chain(AT_HOME, 3)
    first, third = append(AT_HOME, lines[:2]), append(AT_HOME, lines[2:], expected=2)
    await two.append(first)
    await leave(database, second)
    elsewhere = await open_store(address_of(second), "truecup_dealer")
    await elsewhere.append(first)
    await elsewhere.append(third)
    chained = [append(AT_HOME, chain(AT_HOME, 1, lines), expected=3)]
    calls: list[Coroutine[Any, Any, Any]] = [two.append(third), two.append(first), two.append_chain(chained)]
    late = [asyncio.create_task(call) for call in calls]
    await asyncio.sleep(0.3)
    assert not any(one.done() for one in late), "whether it is a repeat, or comes too late, is said where the shard is"
    await say_so(database)
    *repeats, (appended,) = await asyncio.gather(*late)
    assert repeats == [Repeated(b"{}")] * 2
    assert isinstance(appended, Appended)
    await elsewhere.close()


async def test_whoever_writes_to_a_shard_that_is_nowhere_is_told_to_repeat(
    database: str, two: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routed, "MOVED_S", 0.2)
    await run(database, "update shard set closed_at = position", "select 1")
    calls = (two.append(begin(AT_HOME)), two.append_chain([begin(AT_HOME)]), two.append_all([begin(AT_HOME)]))
    spanning = two.append_all([begin(AT_HOME), begin(ELSEWHERE)])
    for found in await asyncio.gather(*calls, spanning, return_exceptions=True):
        assert isinstance(found, Unavailable), found
    assert await two.read(ELSEWHERE) == []


async def test_a_refusal_that_hangs_on_no_shard_is_told_as_it_is(two: PostgresStore) -> None:
    with pytest.raises(asyncpg.NotNullViolationError):
        await two.append(begin(ELSEWHERE, secrets=(("deal/0", None),)))


# ---- one log ----------------------------------------------------------------------------------


async def test_what_a_crash_has_left_waiting_behind_the_log_is_not_entered_again(
    second: str, two: PostgresStore
) -> None:
    lines = chain(ELSEWHERE, 2)
    head = sha256(lines[1]).hexdigest()
    await two.append(append(ELSEWHERE, lines, anchors=((1, head, "final"),)))
    anchor = PendingAnchor(ELSEWHERE, 1, head, "final")
    assert await two.log_pending(9) == [anchor]
    assert await PostgresStore.log_append(two, [(anchor, b"entry")], {}, 0), "the commit at home, and no more"
    assert await run(address_of(second), "select count(*) from log_outbox") == [(1,)]
    assert await two.log_pending(9) == []
    rows = "select index, stream, seq, kind, entry from log_entry"
    assert await run(address_of(second), rows) == [(0, ELSEWHERE, 1, "final", b"entry")]
    assert await two.log_live(shard_of(ELSEWHERE), 0) == 2
    assert await two.log_pending(9) == [], "a line that an anchor speaks of gets no other"


# ---- one is away ------------------------------------------------------------------------------


def cut_off(address: str) -> tuple[str, str]:
    """Return the folder of the socket of a database, and the statement that cuts off whoever is connected to it."""
    name, _, folder = address.partition("?host=")
    chosen = f"datname = '{name.rpartition('/')[2]}'"
    return folder, f"select pg_terminate_backend(pid) from pg_stat_activity where {chosen}"


async def test_while_a_primary_is_away_tables_of_the_other_play_on(
    database: str, second: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    way = tmp_path_factory.mktemp("w") / "s"
    folder, cut = cut_off(address_of(second))
    way.symlink_to(folder)
    two = await open_house(database, second.replace(folder, str(way)), "truecup_dealer")
    before = {name: begin(name, tokens=((name.encode(), "host", None),)) for name in (AT_HOME, ELSEWHERE)}
    for one in before.values():
        await two.append(one)
    await two.positions()
    way.unlink()
    await run(database, cut)
    try:
        lines = [*before[AT_HOME].lines]
        assert isinstance(await two.append(append(AT_HOME, chain(AT_HOME, 1, lines), expected=2)), Appended)
        assert len(await two.read(AT_HOME)) == 3
        assert await two.token(AT_HOME.encode()) is not None
        assert await two.log_pending(9) == []
        assert {shard_of(ELSEWHERE), shard_of(AT_HOME)} < (await two.positions()).keys()
        for away in (two.read(ELSEWHERE), two.token(ELSEWHERE.encode()), two.streams_open("match")):
            with pytest.raises(Unavailable):
                await away
        await two.check()
        assert await two.check_writes() is None
        assert "second" in str(await two.refusal())
    finally:
        way.symlink_to(folder)
    async with asyncio.timeout(BOUND_S):
        while await two.refusal() is not None:
            await asyncio.sleep(0.05)
    assert len(await two.read(ELSEWHERE)) == 2
    assert len(await two.positions()) == SHARDS
    await two.close()


# ---- which is which ---------------------------------------------------------------------------


async def test_a_program_with_the_wrong_primaries_does_not_start(database: str, second: str, postgres_dsn: str) -> None:
    other = address_of(second)
    wrong = [(database, ""), (database, f"third {other}"), (other, f"second {database}"), (other, "")]
    async with a_database(postgres_dsn, TEMPLATE) as stranger:
        await run(stranger, "update shard set position = 1 where shard = 0", "select 1")
        with pytest.raises(WrongPrimary, match="empty"):
            await join_primaries(database, {"third": stranger})
        wrong += [(stranger, second), (database, f"second {stranger}")]
        for home, shards in wrong:
            with pytest.raises(WrongPrimary):
                await open_house(home, shards, "truecup_dealer")
        with pytest.raises(WrongPrimary):
            await join_primaries(stranger, {"second": other})
        with pytest.raises(WrongPrimary):
            await join_primaries(other, {"third": stranger})


async def test_a_house_that_cannot_be_opened_leaves_nothing_open(
    database: str, second: str, empty_database: str
) -> None:
    wrong = [(database, ""), (empty_database, ""), (empty_database, second), (database, f"third {address_of(second)}")]
    wrong += [(database, f"{second},third {empty_database}"), (f"{database}_none", second)]
    for home, shards in wrong:
        with pytest.raises((Unavailable, asyncpg.PostgresError)):
            await open_house(home, shards, "truecup_dealer", "never open")
    async with asyncio.timeout(BOUND_S):
        while await run(database, "select from pg_stat_activity where application_name = 'never open'"):
            await asyncio.sleep(0.01)


async def test_joining_again_changes_nothing_and_says_who_is_away(
    database: str, second: str, two: PostgresStore, tmp_path: Path
) -> None:
    await two.append(begin(ELSEWHERE))
    assert await join_primaries(database, primaries_of(second)) == {"home": [], "second": []}
    folder, _ = cut_off(address_of(second))
    with pytest.raises(Unavailable, match="the primary second does not answer"):
        await join_primaries(database, primaries_of(second.replace(folder, str(tmp_path / "gone"))))
    again = await open_joined(database, second)
    assert await again.read(ELSEWHERE) == chain(ELSEWHERE, 2)
    await again.close()


# ---- what is counted ----------------------------------------------------------------------------


async def test_what_is_written_to_any_primary_is_counted_and_a_move_is_no_fault(
    database: str, second: str, two: PostgresStore
) -> None:
    for name in (AT_HOME, ELSEWHERE):
        await two.append(begin(name))
    await two.append(begin(ELSEWHERE))
    spanning = next(name for name in map(stream, range(99, 199)) if shard_of(name) == 2)
    await two.append_all([begin(spanning), append(ELSEWHERE, chain(ELSEWHERE, 1, chain(ELSEWHERE, 2)), expected=2)])
    assert two.writes.outcomes == {"Appended": 4, "Conflict": 1}
    assert len(two.lendings) == 2
    assert sum(one.open for one in two.lendings) > two.lending.open
    await leave(database, second)
    late = asyncio.create_task(two.append(begin(AT_HOME)))
    await asyncio.sleep(0.2)
    await say_so(database)
    await late
    assert two.writes.troubles["rejected"] == 0
    assert two.pending == 0
