"""A batch of commands is stored as a set, and each of them meets what it would have met alone."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import count, islice

import asyncpg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.store import Access, Append, Appended, Conflict, Outcome, Recorded, shard_of
from infra.store.memory import MemoryStore
from infra.store.postgres import PostgresStore
from tests.store.lines import append, chain, line, stream

SHARD = shard_of(stream(1))
Drawn = tuple[int, int, int, int, int | None, bytes]
"""Which stream, the version expected, how many lines, the key, the access version expected, the fingerprint's byte."""
COMMANDS = st.tuples(
    st.integers(0, 2),
    st.integers(0, 3),
    st.integers(0, 2),
    st.integers(0, 5),
    st.none() | st.integers(0, 2),
    st.sampled_from([b"f", b"f", b"g"]),
)


def in_one_shard() -> Iterator[str]:
    """Yield streams whose commands come in one batch."""
    return (name for name in map(stream, count(1)) if shard_of(name) == SHARD)


NEW = in_one_shard()


def made(names: list[str], batch: Iterable[Drawn], *, plain: bool) -> list[Append]:
    """Return appends whose lines follow one another wherever they are expected; plain ones have nothing beside them."""
    found = []
    for number, (which, expected, added, key, seen, fingerprint) in enumerate(batch):
        name, beside = names[which], f"access/{names[which]}"
        lines = chain(name, expected + added)[expected:]
        members = {"command": bytes([key]) * 32, "fingerprint": fingerprint * 32, "answer": bytes([number])}
        more = {
            "secrets": ((f"{expected}/{key}", b"wrapped"),),
            "anchors": tuple((expected + n, sha256(one).hexdigest(), "sealed") for n, one in enumerate(lines)),
            "people": ((names[0], f"name {number}"),),
            "access": None if seen is None else Access(beside, seen, tuple(chain(beside, seen + 1)[seen:])),
        }
        found.append(append(name, lines, expected, **members, **({} if plain else more)))
    return found


def without_place(outcome: Outcome) -> Outcome:
    return Appended(outcome.version, 0) if isinstance(outcome, Appended) else outcome


@given(batches=st.lists(st.lists(COMMANDS, min_size=1, max_size=9), min_size=1, max_size=3), plain=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], deadline=None)
async def test_a_batch_says_and_stores_what_its_commands_would_one_by_one(
    postgres: PostgresStore, batches: list[list[Drawn]], *, plain: bool
) -> None:
    names, model, told = list(islice(NEW, 3)), MemoryStore(), list[Recorded]()
    start = (await postgres.positions())[SHARD]
    postgres.on_commit = lambda _, lines: told.extend(lines)
    for batch in batches:
        appends = made(names, batch, plain=plain)
        found = await asyncio.gather(*(postgres.append(one) for one in appends))
        wanted = [await model.append(one) for one in appends]
        assert list(map(without_place, found)) == list(map(without_place, wanted))
    assert told == await postgres.follow(SHARD, start, 1_000)
    assert [one.position for one in told] == list(range(start + 1, start + 1 + len(told)))
    for name in names:
        assert await postgres.read(name) == await model.read(name)
        assert await postgres.read_access(f"access/{name}") == await model.read_access(f"access/{name}")
        assert await postgres.secrets(name) == await model.secrets(name)
    assert await postgres.names(names) == await model.names(names)
    waiting = [one for one in await postgres.log_pending(100_000) if one.stream in names]
    assert sorted(map(str, waiting)) == sorted(map(str, await model.log_pending(1_000)))


@pytest.mark.parametrize("people", [(), (("nobody", "of a command that was refused"),)])
@pytest.mark.parametrize("broken", ["prev", "seq", "stream", "not JSON", "a gap"])
async def test_a_broken_chain_in_the_middle_of_a_batch_is_refused_alone(
    postgres: PostgresStore, broken: str, people: tuple[tuple[str, str], ...]
) -> None:
    names = list(islice(NEW, 5))
    first, second, third = chain(names[2], 3)
    wrong = {
        "prev": line(names[2], 1, "f" * 64),
        "seq": line(names[2], 2, sha256(first).hexdigest()),
        "stream": line(names[1], 1, sha256(first).hexdigest()),
        "not JSON": second[:-1],
        "a gap": third,
    }[broken]
    appends = [append(name, chain(name, 3)) for name in names]
    appends[2] = append(names[2], [first, wrong, third], people=people)
    found = await asyncio.gather(*(postgres.append(one) for one in appends), return_exceptions=True)
    assert isinstance(found[2], asyncpg.PostgresError)
    assert all(isinstance(found[n], Appended) for n in (0, 1, 3, 4))
    assert await postgres.read(names[2]) == []
    assert await postgres.names(["nobody"]) == {}
    places = [one.position for one in await postgres.follow(SHARD, 0, 1_000)]
    assert places == list(range(1, 13)), "what was refused leaves no gap"


@pytest.mark.parametrize("broken", ["prev", "seq", "stream"])
async def test_a_broken_access_line_takes_its_command_with_it(postgres: PostgresStore, broken: str) -> None:
    names = list(islice(NEW, 3))
    first, _ = chain("access/x", 2)
    head = sha256(first).hexdigest()
    wrong = {
        "prev": line("access/x", 1, "f" * 64),
        "seq": line("access/x", 2, head),
        "stream": line("access/y", 1, head),
    }[broken]
    appends = [append(name, chain(name, 1)) for name in names]
    appends[1] = append(names[1], chain(names[1], 1), access=Access("access/x", 0, (first, wrong)))
    found = await asyncio.gather(*(postgres.append(one) for one in appends), return_exceptions=True)
    assert [isinstance(one, Appended) for one in found] == [True, False, True]
    assert await postgres.read(names[1]) == await postgres.read_access("access/x") == []


@pytest.mark.parametrize("table", ["event", f"event_{SHARD}"])
async def test_whoever_owns_the_tables_cannot_add_a_line_that_does_not_follow(
    database: str, postgres: PostgresStore, table: str
) -> None:
    name = next(NEW)
    first, second, third = chain(name, 3)
    await postgres.append(append(name, [first]))
    owner = await asyncpg.connect(database)
    insert = f"insert into {table} (shard, position, stream, seq, body, hash) values ($1, $2, $3, $4, $5, $6)"
    bad = [
        (2, third, sha256(third)),
        (1, third, sha256(third)),
        (1, second, sha256(first)),
        (2, second, sha256(second)),
    ]
    for seq, body, digest in bad:
        with pytest.raises(asyncpg.IntegrityConstraintViolationError, match="does not follow"):
            await owner.execute(insert, SHARD, 2, name, seq, body.decode(), digest.digest())
    await owner.execute(insert, SHARD, 2, name, 1, second.decode(), sha256(second).digest())
    assert await postgres.read(name) == [first, second]
    await owner.close()


@pytest.mark.parametrize("added", [1, 2])
@pytest.mark.parametrize("many", [1, 3])
async def test_a_match_ends_with_its_last_line_alone_or_among_others(
    postgres: PostgresStore, many: int, added: int
) -> None:
    names = list(islice(NEW, many + 1))
    first = {name: chain(name, 1) for name in names}
    await asyncio.gather(
        *(postgres.append(append(name, first[name], secrets=(("deal/1", b"wrapped"),))) for name in names)
    )
    assert await postgres.streams_live() == sorted(names)
    rest = {name: chain(name, added - 1, first[name]) for name in names[:many]}
    last = {name: chain(name, 1, [*first[name], *rest[name]], kind="match.ended") for name in rest}
    await asyncio.gather(*(postgres.append(append(name, [*rest[name], *last[name]], 1)) for name in rest))
    assert await postgres.streams_live() == names[many:]
    for name, lines in last.items():
        assert await postgres.read(name) == [*first[name], *rest[name], *lines]


async def test_a_dealer_of_before_stores_what_it_stored(database: str, postgres: PostgresStore) -> None:
    """The functions that it calls are there until nobody calls them."""
    name, beside = next(NEW), "access/x"
    dealer = await asyncpg.connect(database, server_settings={"role": "truecup_dealer"})
    lines, seen = chain(name, 2), chain(beside, 1)
    heads = ([name], [0], [b"c" * 32], [b"f" * 32], [b"{}"])
    nothing: list[list[object]] = [[] for _ in range(14)]
    plain = "select * from append_batch(" + ",".join(f"${n}" for n in range(1, 23)) + ")"
    assert [tuple(row) for row in await dealer.fetch(plain, SHARD, *heads, [1], [lines[0].decode()], *nothing)] == [
        (0, 1, 1, None)
    ]
    both = "select * from append_batch_seen(" + ",".join(f"${n}" for n in range(1, 28)) + ")"
    heads = ([name, name], [0, 1], [b"c" * 32, b"d" * 32], [b"f" * 32] * 2, [b"{}"] * 2)
    access = ([2], [beside], [0], [2], [seen[0].decode()])
    rows = await dealer.fetch(both, SHARD, *heads, [2], [lines[1].decode()], *nothing, *access)
    assert [tuple(row) for row in rows] == [(2, None, 1, b"{}"), (0, 2, 2, None)]
    assert await postgres.read(name) == lines
    assert await postgres.read_access(beside) == seen
    await dealer.close()


async def test_two_programs_that_write_the_same_streams_store_each_once(
    postgres: PostgresStore, other: PostgresStore
) -> None:
    names = list(islice(NEW, 12))
    both = await asyncio.gather(
        *(store.append(append(name, chain(name, 2))) for name in names for store in (postgres, other))
    )
    for one, two in zip(both[::2], both[1::2], strict=True):
        assert {type(one), type(two)} == {Appended, Conflict}
    places = [row.position for row in await other.follow(SHARD, 0, 1_000)]
    assert places == list(range(1, 25))
