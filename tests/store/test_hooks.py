"""Webhooks in the store: cursors that never go back, one teller at a time, and what waits to be sent again."""

from __future__ import annotations

import asyncio
from uuid import UUID

from msgspec.structs import replace

from infra.store import EventStore
from infra.store.hooks import HookNote, Retry, StoredHook
from tests.store.lines import append, chain

STREAM = f"tournament/{UUID(int=1)}"


def hook(number: int = 1, seq: int = 1) -> StoredHook:
    made = (b"d" * 32, b"f" * 32, number)
    return StoredHook(
        UUID(int=number), STREAM, "https://a.example/x", "standard", "en", ("round.paired",), *made, seq=seq
    )


async def begun(store: EventStore, lines: int = 1) -> list[bytes]:
    found = chain(STREAM, lines, kind="tournament.created")
    await store.append(append(STREAM, found))
    return found


async def test_a_hook_is_kept_as_it_was_given_and_no_more_than_there_may_be(store: EventStore) -> None:
    assert await store.keep_hook(hook(2), 2) == hook(2)
    assert await store.keep_hook(hook(1), 2) == hook(1)
    assert await store.keep_hook(hook(3), 2) is None
    assert await store.keep_hook(replace(hook(1), url="https://b.example/"), 9) == hook(1), "the first one stays"
    assert await store.hooks(STREAM) == [hook(1), hook(2)]
    assert await store.hooks(f"tournament/{UUID(int=2)}") == []


async def test_a_hook_is_forgotten_with_all_that_it_waits_for(store: EventStore) -> None:
    await begun(store, 2)
    await store.keep_hook(hook(), 9)
    await store.note_told(UUID(int=1), HookNote(2, 0, again=Retry(1, 1, 50), at=9, why="refused", status=500))
    assert not await store.drop_hook(f"tournament/{UUID(int=2)}", UUID(int=1))
    assert await store.drop_hook(STREAM, UUID(int=1))
    assert not await store.drop_hook(STREAM, UUID(int=1))
    assert await store.hooks(STREAM) == []
    assert await store.retries(UUID(int=1)) == []
    assert not await store.note_told(UUID(int=1), HookNote(3, 0, again=Retry(2, 1, 50)))
    assert await store.retries(UUID(int=1)) == []


async def test_a_hook_is_leased_where_there_is_something_to_do_and_by_one_at_a_time(store: EventStore) -> None:
    lines = await begun(store)
    await store.keep_hook(hook(), 9)
    assert await store.lease_hooks(100, 200, 9) == [], "it has been told of everything"
    await store.append(append(STREAM, chain(STREAM, 1, lines), expected=1))
    found = await asyncio.gather(*(store.lease_hooks(100, 200, 9) for _ in range(4)))
    assert sorted(map(len, found)) == [0, 0, 0, 1]
    assert await store.lease_hooks(199, 300, 9) == []
    assert await store.lease_hooks(200, 300, 9) == [hook()], "the lease is over"
    await store.note_told(UUID(int=1), HookNote(2, 0, at=250, status=204))
    assert await store.lease_hooks(260, 300, 9) == []
    assert await store.hooks(STREAM) == [replace(hook(), seq=2, told_at=250, status=204)]


async def test_what_was_not_taken_is_due_again_when_its_time_comes(store: EventStore) -> None:
    await begun(store, 3)
    await store.keep_hook(hook(), 9)
    for retry in (Retry(1, 1, 500), Retry(2, 1, 400)):
        await store.note_told(UUID(int=1), HookNote(3, 0, again=retry, at=100, why="no_answer"))
    assert await store.retries(UUID(int=1)) == [Retry(2, 1, 400), Retry(1, 1, 500)]
    assert await store.retries_waiting() == 2
    assert await store.lease_hooks(399, 999, 9) == []
    assert len(await store.lease_hooks(400, 999, 9)) == 1
    await store.note_told(UUID(int=1), HookNote(3, 0, taken=2, at=401, status=200))
    await store.note_told(UUID(int=1), HookNote(3, 0, again=Retry(1, 2, 900), at=402, status=500, why="refused"))
    assert await store.retries(UUID(int=1)) == [Retry(1, 2, 900)]
    (kept,) = await store.hooks(STREAM)
    assert (kept.told_at, kept.status, kept.why) == (402, 500, "refused")
    assert await store.retries_waiting() == 1
    await store.note_told(UUID(int=1), HookNote(3, 0, "off", at=403, why="gave_up"))
    assert await store.retries_waiting() == 0, "nobody is told any more"


async def test_a_cursor_never_goes_back_and_a_hook_that_is_off_is_left_alone(store: EventStore) -> None:
    await begun(store, 3)
    await store.keep_hook(hook(), 9)
    await store.note_told(UUID(int=1), HookNote(3, 0))
    await store.note_told(UUID(int=1), HookNote(2, 0, "off", at=7, why="gave_up"))
    (kept,) = await store.hooks(STREAM)
    assert (kept.seq, kept.state, kept.why) == (3, "off", "gave_up")
    assert await store.lease_hooks(10**6, 10**7, 9) == []


async def test_who_notes_too_late_turns_no_hook_on_again(store: EventStore) -> None:
    await begun(store, 3)
    await store.keep_hook(hook(), 9)
    assert await store.note_told(UUID(int=1), HookNote(3, 0, "off", at=7, status=410, why="gone"))
    assert not await store.note_told(UUID(int=1), HookNote(2, 0, again=Retry(1, 1, 50), at=9, why="no_answer"))
    (kept,) = await store.hooks(STREAM)
    assert (kept.state, kept.told_at, kept.why) == ("off", 7, "gone")
    assert await store.retries(UUID(int=1)) == []


async def test_no_hook_is_over_while_something_waits_to_be_told_again(store: EventStore) -> None:
    await begun(store, 3)
    await store.keep_hook(hook(), 9)
    await store.note_told(UUID(int=1), HookNote(2, 0, again=Retry(1, 1, 50)))
    await store.note_told(UUID(int=1), HookNote(3, 0, "over"))
    assert [kept.state for kept in await store.hooks(STREAM)] == ["on"]
    await store.note_told(UUID(int=1), HookNote(3, 0, taken=1))
    await store.note_told(UUID(int=1), HookNote(3, 0, "over"))
    assert [kept.state for kept in await store.hooks(STREAM)] == ["over"]


async def test_a_hook_of_what_has_ended_is_leased_once_more(store: EventStore) -> None:
    lines = await begun(store)
    await store.keep_hook(hook(), 9)
    closing = chain(STREAM, 1, lines, kind="tournament.closed")
    await store.append(append(STREAM, closing, expected=1))
    await store.note_told(UUID(int=1), HookNote(2, 0, again=Retry(1, 1, 500)))
    assert await store.lease_hooks(100, 200, 9) == [], "something waits yet"
    await store.note_told(UUID(int=1), HookNote(2, 0, taken=1))
    assert len(await store.lease_hooks(100, 200, 9)) == 1
    await store.note_told(UUID(int=1), HookNote(2, 0, "over"))
    assert await store.lease_hooks(300, 400, 9) == []
