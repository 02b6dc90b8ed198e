"""Chains: commands of one stream, each decided on what the one before leads to, are stored as a whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from typing import Any

import asyncpg
import pytest
from msgspec import structs

from infra.store import Append, Appended, Conflict, EventStore, KeyReused, Outcome, Recorded, Repeated, shard_of, turns
from infra.store.postgres import PostgresStore
from infra.store.writer import ShardWriter
from tests.store.lines import append, chain, line, stream


def linked(lines: Sequence[bytes], begin: int = 0, each: int = 1, **members: Any) -> list[Append]:
    """Return commands that add so many of these lines each, to a stream that has as many as they begin at."""
    return [
        append(stream(), list(lines[at : at + each]), expected=begin + at, answer=b"%d" % (begin + at), **members)
        for at in range(0, len(lines), each)
    ]


async def test_a_chain_is_stored_in_its_order_each_command_with_its_own_answer(store: EventStore) -> None:
    told: list[tuple[int, Sequence[Recorded]]] = []
    store.on_commit = lambda shard, recorded: told.append((shard, recorded))
    lines = chain(stream(), 9)
    commands = linked(lines, each=3, people=(("p1", "Ana"),))
    stored = await store.append_chain(commands)
    assert [outcome.version for outcome in stored if isinstance(outcome, Appended)] == [3, 6, 9]
    assert await store.read(stream()) == lines
    assert [await store.answer(stream(), one.command) for one in commands] == [
        (one.fingerprint, one.answer) for one in commands
    ]
    assert [one for _, recorded in told for one in recorded] == await store.follow(shard_of(stream()), 0, 99)


async def test_no_command_stands_in_a_chain_twice(store: EventStore) -> None:
    one, other = linked(chain(stream(), 2))
    with pytest.raises(AssertionError, match="twice"):
        await store.append_chain([one, structs.replace(other, command=one.command)])
    assert await store.read(stream()) == []


async def test_a_chain_behind_somebody_elses_lines_is_not_stored_at_all(store: EventStore) -> None:
    first = chain(stream(), 1)
    await store.append(append(stream(), first))
    # As many lines as those of its first two commands: the third would find the version that it expects.
    assert await store.append_chain(linked(chain(stream(), 6))) == [Conflict(1)] * 6
    await store.append(append(stream(), chain(stream(), 1, first), expected=1))
    assert await store.append_chain(linked(chain(stream(), 6))) == [Conflict(2)] * 6
    assert len(await store.read(stream())) == 2
    after = chain(stream(), 2, await store.read(stream()))
    assert all(isinstance(each, Appended) for each in await store.append_chain(linked(after, begin=2)))


async def test_what_stands_in_the_way_of_a_chain_is_said_of_it_and_of_no_other(store: EventStore) -> None:
    first = append(stream(), chain(stream(), 1), command=b"c" * 32, answer=b"first")
    await store.append(first)
    lines = chain(stream(), 3, list(first.lines))
    ana, bob, cyd = linked(lines, begin=1)
    again = append(stream(), list(bob.lines), expected=2, command=b"c" * 32)
    assert await store.append_chain([ana, again, cyd]) == [Conflict(1), Repeated(b"first"), Conflict(1)]
    another = append(stream(), list(bob.lines), expected=2, command=b"c" * 32, fingerprint=b"g" * 32)
    assert await store.append_chain([ana, another, cyd]) == [Conflict(1), KeyReused(), Conflict(1)]
    assert await store.read(stream()) == list(first.lines)


async def test_a_chain_that_is_sent_again_is_repeated_as_a_whole(store: EventStore) -> None:
    commands = linked(chain(stream(), 4))
    await store.append_chain(commands)
    assert await store.append_chain(commands) == [Repeated(one.answer) for one in commands]
    assert len(await store.read(stream())) == 4


async def test_a_chain_with_a_line_that_does_not_follow_is_refused_and_spoils_no_other(postgres: PostgresStore) -> None:
    lines = chain(stream(), 2)
    broken = linked([lines[0], line(stream(), 1, "ab" * 32)])
    with pytest.raises(asyncpg.IntegrityConstraintViolationError):
        await postgres.append_chain(broken)
    assert await postgres.read(stream()) == []
    assert isinstance(await postgres.append(append(stream(), lines)), Appended)


async def test_two_programs_send_chains_to_one_stream_and_no_line_of_any_is_between_anothers(
    postgres: PostgresStore, other: PostgresStore
) -> None:
    async def write(store: PostgresStore, name: str) -> None:
        done = 0
        while done < 5:
            before = await store.read(stream())
            after: list[bytes] = []
            for _ in range(3):
                after += chain(stream(), 1, [*before, *after], kind=name)
            outcomes = await store.append_chain(linked(after, begin=len(before)))
            done += all(isinstance(outcome, Appended) for outcome in outcomes)

    await asyncio.gather(write(postgres, "game.bid"), write(other, "game.pass"))
    found = await postgres.read(stream())
    whose = [b"game.bid" in each for each in found]
    assert len(found) == 30
    assert all(len(set(whose[at : at + 3])) == 1 for at in range(0, 30, 3))


async def test_a_chain_waits_its_turn_and_goes_alone() -> None:
    sent: list[tuple[str, int]] = []

    async def send(_shard: int, batch: list[Append]) -> list[Outcome]:
        sent.append(("batch", len(batch)))
        return [Appended(1, 1) for _ in batch]

    async def send_chain(_shard: int, batch: list[Append]) -> list[Outcome]:
        sent.append(("chain", len(batch)))
        return [Appended(2, 2) for _ in batch]

    writer = ShardWriter(0, send, send_chain)
    one, three = append(stream(), []), linked(chain(stream(), 3))
    said = await asyncio.gather(
        writer.append(one), writer.append(one), writer.append_chain(three), writer.append(one), writer.append(one)
    )
    assert sent == [("batch", 2), ("chain", 3), ("batch", 2)]
    assert [*said] == [Appended(1, 1), Appended(1, 1), [Appended(2, 2)] * 3, Appended(1, 1), Appended(1, 1)]


async def test_turns_of_a_stream_come_one_after_the_other_over_two_programs(
    postgres: PostgresStore, other: PostgresStore
) -> None:
    said: list[str] = []

    async def take(store: PostgresStore, name: str) -> None:
        async with store.turn(stream()):
            said.append(f"{name} begins")
            async with store.turn(stream(2)):
                await asyncio.sleep(0.01)
            said.append(f"{name} ends")

    await asyncio.gather(*(take(store, name) for store, name in ((postgres, "a"), (other, "b"))))
    assert said in (["a begins", "a ends", "b begins", "b ends"], ["b begins", "b ends", "a begins", "a ends"])


async def test_a_turn_that_cannot_be_had_is_gone_without(
    postgres: PostgresStore, other: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turns, "TURN_S", 0.2)
    async with other.turn(stream()), asyncio.timeout(20), postgres.turn(stream()):
        assert isinstance(await postgres.append(append(stream(), chain(stream(), 1))), Appended)
    async with AsyncExitStack() as many:
        for number in range(turns.TURNS_MAX + 1):
            await many.enter_async_context(postgres.turn(stream(number)))
        assert len(await postgres.read(stream())) == 1, "connections are left"
