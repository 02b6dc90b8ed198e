"""Sets: commands of many streams, in whatever shards, are stored as a whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec import structs

from infra.store import (
    Append,
    Appended,
    Conflict,
    EventStore,
    KeyReused,
    Outcome,
    Recorded,
    Repeated,
    batches,
    shard_of,
)
from infra.store.postgres import PostgresStore
from tests.store.lines import append, chain, stream

STREAMS = 20


def tables(count: int = STREAMS, **members: Any) -> list[Append]:
    """Return commands that begin so many streams, each with its own answer."""
    return [append(stream(n), chain(stream(n), 2), answer=b"%d" % n, **members) for n in range(1, count + 1)]


async def stored(store: EventStore) -> int:
    return sum([len(await store.read(stream(n))) for n in range(1, STREAMS + 1)])


async def test_a_set_is_stored_whole_whatever_shards_its_streams_are_in(store: EventStore) -> None:
    told: list[tuple[int, Sequence[Recorded]]] = []
    store.on_commit = lambda shard, recorded: told.append((shard, recorded))
    commands = tables(people=(("p1", "Ana"),))
    found = await store.append_all(commands)
    assert [outcome.version for outcome in found if isinstance(outcome, Appended)] == [2] * STREAMS
    assert len({shard_of(one.stream) for one in commands}) > 1
    assert [await store.read(one.stream) for one in commands] == [[*one.lines] for one in commands]
    heard = {shard: [one for of, lines in told for one in lines if of == shard] for shard, _ in told}
    assert heard == {shard: await store.follow(shard, 0, 99) for shard in heard}
    assert await store.names(["p1"]) == {"p1": "Ana"}


async def test_a_set_with_one_stream_that_is_there_is_not_stored_at_all(store: EventStore) -> None:
    await store.append(append(stream(7), chain(stream(7), 1)))
    found = await store.append_all(tables())
    assert {type(outcome) for outcome in found} == {Conflict}
    assert (found[6], await stored(store)) == (Conflict(1), 1)


async def test_a_set_that_is_sent_again_is_repeated_whole_and_another_of_its_key_refused(store: EventStore) -> None:
    commands = tables()
    await store.append_all(commands)
    assert await store.append_all(commands) == [Repeated(one.answer) for one in commands]
    one, *others = [structs.replace(each, fingerprint=b"g" * 32) for each in commands]
    fresh = append(stream(STREAMS + 1), chain(stream(STREAMS + 1), 1))
    assert await store.append_all([one, fresh]) == [KeyReused(), Conflict(0)]
    assert await store.append_all([others[0]]) == [KeyReused()]


async def test_a_set_is_of_as_many_streams(store: EventStore) -> None:
    with pytest.raises(AssertionError, match="as many streams"):
        await store.append_all([*tables(1), *tables(1)])


async def test_sets_of_two_programs_over_the_same_shards_beside_single_commands_all_come_through(
    postgres: PostgresStore, other: PostgresStore
) -> None:
    async def write(store: PostgresStore, first: int) -> list[Outcome]:
        named = range(first, first + 40)
        return await store.append_all([append(stream(n), chain(stream(n), 3)) for n in named])

    single = [append(stream(n), chain(stream(n), 1)) for n in range(1_000, 1_060)]
    found = await asyncio.gather(
        *(write((postgres, other)[n % 2], 100 * n) for n in range(8)), *(postgres.append(one) for one in single)
    )
    flat = [one for each in found for one in (each if isinstance(each, list) else [each])]
    assert (len(flat), {type(one) for one in flat}) == (380, {Appended})


async def test_a_program_that_is_cut_off_in_the_middle_leaves_nothing_and_its_repeat_all(
    postgres: PostgresStore, other: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_any, calls = batches.store_any, 0

    async def cut(connection: Any, shard: int, batch: Sequence[Append]) -> list[Outcome]:
        nonlocal calls
        calls += 1
        found = await store_any(connection, shard, batch)
        if calls == 3:
            assert await stored(other) == 0, "nobody sees a part of it"
            connection.terminate()
        return found

    monkeypatch.setattr(batches, "store_any", cut)
    found = await postgres.append_all(tables())
    assert {type(one) for one in found} == {Appended}
    assert (await stored(other), calls > 3 + len({shard_of(one.stream) for one in tables()})) == (2 * STREAMS, True)
