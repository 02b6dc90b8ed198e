"""The contract of every store, the double and Postgres alike."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

import pytest

from infra.store import (
    SHARDS,
    Access,
    Appended,
    Card,
    Choices,
    Conflict,
    CoveredAnchor,
    EventStore,
    KeyReused,
    PendingAnchor,
    ProjectionRow,
    Recorded,
    Repeated,
    StoredToken,
    shard_of,
)
from tests.store.lines import ZEROS, append, chain, line, stream


async def test_what_was_appended_is_read_back_byte_for_byte(store: EventStore) -> None:
    lines = chain(stream(), 3)
    outcome = await store.append(append(stream(), lines))
    assert isinstance(outcome, Appended)
    assert outcome.version == 3
    assert await store.read(stream()) == lines
    assert await store.read(stream(), 2) == lines[2:]
    assert await store.read(stream(), 0, 1) == lines[:1]
    assert await store.read(stream(9)) == []


async def test_a_second_writer_at_the_same_version_is_refused(store: EventStore) -> None:
    lines = chain(stream(), 2)
    await store.append(append(stream(), lines))
    assert await store.append(append(stream(), chain(stream(), 1))) == Conflict(2)
    assert await store.read(stream()) == lines


async def test_a_repeat_gets_the_stored_answer_and_stores_nothing(store: EventStore) -> None:
    lines = chain(stream(), 1)
    first = append(stream(), lines, answer=b'{"version":1}', command=b"c" * 32)
    await store.append(first)
    assert await store.append(first) == Repeated(b'{"version":1}')
    other = append(stream(), chain(stream(), 1, lines), expected=1, command=b"c" * 32, fingerprint=b"g" * 32)
    assert await store.append(other) == KeyReused()
    assert await store.read(stream()) == lines
    assert await store.answer(stream(), b"c" * 32) == (b"f" * 32, b'{"version":1}')
    assert await store.answer(stream(), b"d" * 32) is None


async def test_a_conflict_refuses_that_command_alone(store: EventStore) -> None:
    names = [stream(n) for n in range(1, 40)]
    outcomes = await asyncio.gather(
        *(store.append(append(n, chain(n, 1), expected=i % 2)) for i, n in enumerate(names))
    )
    assert [isinstance(outcome, Appended) for outcome in outcomes] == [i % 2 == 0 for i in range(39)]
    assert all(outcome == Conflict(0) for outcome in outcomes[1::2])


async def test_positions_are_dense_and_in_the_order_of_each_stream(store: EventStore) -> None:
    names = [stream(n) for n in range(1, 30)]
    await asyncio.gather(*(store.append(append(name, chain(name, 3))) for name in names))
    ends = await store.positions()
    seen = []
    for shard in range(SHARDS):
        rows = await store.follow(shard, 0, 1_000)
        assert [row.position for row in rows] == list(range(1, ends[shard] + 1))
        assert all(shard_of(row.stream) == shard for row in rows)
        seen += [(row.stream, row.seq) for row in rows]
    assert sorted(seen) == sorted((name, seq) for name in names for seq in range(3))
    assert await store.follow(0, ends[0], 10) == []


async def test_the_commit_is_told(store: EventStore) -> None:
    told: list[tuple[int, Sequence[Recorded]]] = []
    store.on_commit = lambda shard, lines: told.append((shard, lines))
    names = [stream() for _ in range(12)]
    await asyncio.gather(*(store.append(append(name, chain(name, 2))) for name in names))
    assert isinstance(await store.append(append(names[0], chain(names[0], 1))), Conflict)
    for shard in range(SHARDS):
        lines = [line for where, more in told if where == shard for line in more]
        assert lines == await store.follow(shard, 0, 1_000)


async def test_everything_of_a_command_is_stored_with_it_or_not_at_all(store: EventStore) -> None:
    members: dict[str, Any] = {
        "secrets": (("deal/0", b"wrapped"),),
        "people": (("p1", "Ana"),),
        "tokens": ((b"t" * 32, "seat", 3), (b"h" * 32, "host", None)),
        "anchors": ((0, "ab" * 32, "sealed"),),
    }
    await store.append(append(stream(), chain(stream(), 1), expected=7, **members))
    assert await store.secrets(stream()) == {}
    assert await store.token(b"t" * 32) is None
    assert await store.log_pending(9) == []
    await store.append(append(stream(), chain(stream(), 1), **members))
    assert await store.secrets(stream()) == {"deal/0": b"wrapped"}
    assert await store.names(["p1", "p2"]) == {"p1": "Ana"}
    assert await store.token(b"t" * 32) == StoredToken(stream(), "seat", 3)
    assert await store.token(b"h" * 32) == StoredToken(stream(), "host")
    assert await store.log_pending(9) == [PendingAnchor(stream(), 0, "ab" * 32, "sealed")]


async def test_the_first_card_of_a_stream_stays_and_none_comes_once_it_has_begun(store: EventStore) -> None:
    card = Card("Friday night", listed=False, choices=Choices(delay_ms=60_000, phrases=False))
    assert await store.card(stream()) is None
    assert await store.keep_card(stream(), card) == card
    assert await store.keep_card(stream(), Card("Another")) == card
    await store.append(append(stream(), chain(stream(), 1)))
    assert await store.keep_card(stream(), Card()) == card
    assert await store.card(stream()) == card
    await store.append(append(stream(2), chain(stream(2), 1)))
    assert await store.keep_card(stream(2), card) is None
    assert await store.card(stream(2)) is None


async def test_the_token_of_a_seat_is_for_whom_the_same_command_seats_there(store: EventStore) -> None:
    joined: list[bytes] = []
    for number, player in enumerate(("first", "second")):
        lines = [joins(3, player, joined), joins(4, "another", [*joined, joins(3, player, joined)])]
        tokens = ((bytes([number] * 32), "seat", 3), (bytes([9 - number] * 32), "host", None))
        await store.append(append(stream(), lines, expected=len(joined), tokens=tokens))
        joined += lines
    assert await store.token(bytes([0] * 32)) == StoredToken(stream(), "seat", 3, "first")
    assert await store.token(bytes([1] * 32)) == StoredToken(stream(), "seat", 3, "second")
    assert await store.token(bytes([9] * 32)) == StoredToken(stream(), "host")


async def test_commands_stored_at_once_give_each_seat_its_own_player(store: EventStore) -> None:
    names = [stream(number) for number in range(1, 30)]
    appends = [
        append(name, [joins(1, f"p of {name}", [], name)], tokens=((name.encode()[-32:], "seat", 1),)) for name in names
    ]
    await asyncio.gather(*(store.append(one) for one in appends))
    found = [await store.token(name.encode()[-32:]) for name in names]
    assert found == [StoredToken(name, "seat", 1, f"p of {name}") for name in names]


def joins(seat: int, player: str, before: list[bytes], name: str = stream()) -> bytes:
    """Return the line that seats a player, behind those before."""
    prev = sha256(before[-1]).hexdigest() if before else ZEROS
    return line(name, len(before), prev, "seat.joined", player=player, seat=seat)


async def test_a_stream_lives_from_its_first_deal_until_its_match_has_ended(store: EventStore) -> None:
    lines = chain(stream(), 1)
    await store.append(append(stream(), lines))
    assert await store.streams_live() == [], "nothing is dealt: a lobby that nobody starts costs nothing"
    dealt = chain(stream(), 1, lines)
    await store.append(append(stream(), dealt, expected=1, secrets=(("deal/0", b"wrapped"),)))
    assert await store.streams_live() == [stream()]
    await store.append(append(stream(), chain(stream(), 1, lines + dealt, "match.ended"), expected=2))
    assert await store.streams_live() == []


async def test_a_line_that_does_not_follow_is_refused(store: EventStore) -> None:
    lines = chain(stream(), 2)
    with pytest.raises(Exception, match="does not follow"):
        await store.append(append(stream(), [lines[1]]))
    with pytest.raises(Exception, match="does not follow"):
        await store.append(append(stream(), chain(stream(2), 1)))
    assert await store.read(stream()) == []


async def test_a_projection_keeps_the_newest_rows_and_never_goes_back(store: EventStore) -> None:
    await store.save_projection("lobby", 2, 5, [ProjectionRow("a", 3, b"three"), ProjectionRow("b", 1, b"one")])
    await store.save_projection("lobby", 2, 4, [ProjectionRow("a", 2, b"two")])
    assert await store.projection("lobby", "", 9) == [ProjectionRow("b", 1, b"one"), ProjectionRow("a", 3, b"three")]
    assert (await store.cursor("lobby", 2), await store.cursor("lobby", 3)) == (5, 0)


async def test_a_row_that_says_something_else_of_the_same_version_takes_the_place(store: EventStore) -> None:
    await store.save_projection("lobby", 2, 5, [ProjectionRow("a", 3, b"three", "open", 9)])
    await store.save_projection("lobby", 2, 5, [ProjectionRow("a", 3, b"three, too", "live", 8)])
    assert await store.projection("lobby", "open", 9) == []
    assert await store.projection("lobby", "live", 9) == [ProjectionRow("a", 3, b"three, too", "live", 8)]


async def test_a_shelf_is_read_a_page_at_a_time_the_latest_first(store: EventStore) -> None:
    rows = [ProjectionRow(key, 1, b"", "ended", at) for key, at in (("a", 5), ("b", 7), ("c", 5), ("d", 6))]
    await store.save_projection("shelves", 2, 5, [*rows, ProjectionRow("e", 1, b"", "open", 8)])
    first = await store.projection("shelves", "ended", 2)
    assert [row.key for row in first] == ["b", "d"]
    second = await store.projection("shelves", "ended", 3, first[-1].place)
    assert [row.key for row in second] == ["c", "a"]

    await store.save_projection("shelves", 2, 6, [ProjectionRow("e", 2, b"", "ended", 9)])
    assert await store.projection("shelves", "open", 9) == []
    assert await store.projection("shelves", "ended", 1) == [ProjectionRow("e", 2, b"", "ended", 9)]


async def test_the_log_grows_by_one_writer_at_a_time(store: EventStore) -> None:
    await store.append(append(stream(), chain(stream(), 2), anchors=((0, "a", "sealed"), (1, "b", "final"))))
    waiting = await store.log_pending(9)
    entries = [(anchor, anchor.head.encode()) for anchor in waiting]
    assert await store.log_append(entries[:1], {(0, 0): b"h0"}, 0)
    assert not await store.log_append(entries[1:], {(0, 0): b"other"}, 0)
    assert await store.log_append(entries[1:], {(0, 1): b"h1", (1, 0): b"h2"}, 1)
    assert await store.log_size() == 2
    assert await store.log_pending(9) == []
    assert await store.log_hashes([(1, 0), (0, 1), (5, 5)]) == {(1, 0): b"h2", (0, 1): b"h1"}
    assert [await store.log_entries(*span) for span in ((0, 9), (1, 1), (0, 1), (2, 9))] == [
        [b"a", b"b"],
        [b"b"],
        [b"a"],
        [],
    ]
    assert await store.log_covered(stream(), 0, "sealed") is None, "nothing is covered before a checkpoint"
    await store.log_publish(2, "note", 1)
    places = ((0, "sealed"), (1, "final"), (1, "x"))
    covered = [CoveredAnchor(0, 2, "note"), CoveredAnchor(1, 2, "note"), None]
    assert [await store.log_covered(stream(), seq, kind) for seq, kind in places] == covered


async def test_a_checkpoint_is_stored_once_for_each_policy(store: EventStore) -> None:
    await store.append(append(stream(), chain(stream(), 2), anchors=((0, "a", "sealed"), (1, "b", "final"))))
    waiting = await store.log_pending(9)
    assert await store.log_publish(0, "empty", 1)
    assert await store.log_checkpoint() == (0, "empty")
    await store.log_append([(anchor, b"") for anchor in waiting], {(0, 0): b"h0"}, 0)
    sealed, final = ((stream(), 0, "sealed"), (stream(), 1, "final"))
    assert await store.log_covered(*sealed) is None
    await store.log_publish(1, "first", 1)
    assert await store.log_covered(*final) is None
    await store.log_publish(2, "second", 1)
    await store.log_publish(2, "other", 1)
    assert await store.log_checkpoint() == (2, "second")
    assert await store.log_covered(*sealed) == CoveredAnchor(0, 1, "first")
    assert await store.log_covered(*final) == CoveredAnchor(1, 2, "second")
    assert await store.log_checkpoint(policy=2) is None
    await store.log_publish(2, "second, seen by more", 2)
    seen = (2, "second, seen by more")
    assert await store.log_checkpoint() == await store.log_checkpoint(policy=2) == seen
    assert await store.log_covered(*sealed, 1) == CoveredAnchor(0, 1, "first")
    assert await store.log_covered(*sealed, 2) == CoveredAnchor(0, *seen)
    assert await store.log_covered(*sealed, 3) is None
    found = [await store.log_policy_of(*one) for one in ((2, "second"), seen, (1, "second"), (2, "other"))]
    assert found == [1, 2, None, None]
    assert await store.log_covered(*final) == CoveredAnchor(1, 2, "second"), (
        "what was proved once is proved the same way for ever"
    )


async def test_policies_are_kept_in_the_order_they_came_into_force(store: EventStore) -> None:
    assert await store.log_policies() == []
    assert [await store.log_enforce(text) for text in ("one", "one", "two", "two", "one")] == [1, 1, 2, 2, 3]
    assert await store.log_policies() == ["one", "two", "one"]
    assert not await store.log_publish(0, "yesterday's", 2)
    assert await store.log_checkpoint() is None
    assert await store.log_publish(0, "today's", 3)


async def test_streams_that_moved_get_one_live_anchor_for_their_last_line(store: EventStore) -> None:
    one, other = stream(1), next(name for name in map(stream, range(2, 99)) if shard_of(name) == shard_of(stream(1)))
    shard, lines = shard_of(one), chain(one, 3)
    await store.append(append(one, lines))
    (line,) = chain(other, 1)
    await store.append(append(other, [line]))
    assert await store.log_live(shard, 0) == 4
    live = [
        PendingAnchor(name, seq, sha256(text).hexdigest(), "live")
        for name, seq, text in ((one, 2, lines[2]), (other, 0, line))
    ]
    assert await store.log_pending(9) == live
    assert await store.log_live(shard, 4) == 4
    assert await store.log_pending(9) == live, "nothing moved, so nothing is said"

    await store.append(append(one, chain(one, 1, lines), expected=3))
    assert await store.log_live(shard, 0) == 4, "somebody else had written these, and that is all that happens"
    assert await store.log_pending(9) == live
    assert await store.cursor("live", shard) == 4
    assert await store.log_live(shard, 4) == 5
    assert [(anchor.stream, anchor.seq) for anchor in await store.log_pending(9)] == [(one, 2), (other, 0), (one, 3)]


async def test_a_line_that_an_anchor_speaks_of_gets_no_live_one(store: EventStore) -> None:
    lines = chain(stream(), 2)
    await store.append(append(stream(), lines[:1], anchors=((0, "a", "sealed"),)))
    shard = shard_of(stream())
    assert await store.log_live(shard, 0) == 1
    assert [anchor.kind for anchor in await store.log_pending(9)] == ["sealed"]
    await store.append(append(stream(), lines[1:], expected=1, anchors=((1, "b", "final"),)))
    await store.log_append([(anchor, b"") for anchor in await store.log_pending(9)], {}, 0)
    assert await store.log_live(shard, 1) == 2
    assert await store.log_pending(9) == []


SEEN = "access/00000000-0000-0000-0000-000000000001"


async def test_an_access_stream_is_stored_with_its_command_or_not_at_all(store: EventStore) -> None:
    lines, seen = chain(stream(), 3), chain(SEEN, 3)
    await store.append(append(stream(), lines[:1], access=Access(SEEN, 0, tuple(seen[:1]))))
    late = append(stream(), lines[1:2], expected=1, access=Access(SEEN, 0, tuple(seen[1:2])))
    assert await store.append(late) == Conflict(1), "somebody wrote to the access stream first"
    early = append(stream(), lines[2:], expected=2, access=Access(SEEN, 1, tuple(seen[1:2])))
    assert await store.append(early) == Conflict(1)
    assert await store.read_access(SEEN) == seen[:1]
    assert isinstance(
        await store.append(append(stream(), lines[1:], expected=1, access=Access(SEEN, 1, tuple(seen[1:])))), Appended
    )
    assert await store.read_access(SEEN) == seen
    assert await store.read_access(SEEN, 2) == seen[2:]
    assert await store.read_access("access/other") == []
    assert await store.read(stream()) == lines
    rows = await store.follow(shard_of(stream()), 0, 99)
    assert [row.line for row in rows] == lines, "what was seen has no position"


async def test_a_repeat_adds_nothing_to_the_access_stream(store: EventStore) -> None:
    first = append(stream(), chain(stream(), 1), access=Access(SEEN, 0, tuple(chain(SEEN, 1))))
    await store.append(first)
    assert await store.append(first) == Repeated(b"{}")
    assert len(await store.read_access(SEEN)) == 1


async def test_commands_with_and_without_access_lines_share_a_batch(store: EventStore) -> None:
    names = [stream(n) for n in range(1, 60)]
    appends = [
        append(name, chain(name, 2), access=Access(seen, 0, tuple(chain(seen, 2))) if i % 2 else None)
        for i, name in enumerate(names)
        for seen in [name.replace("match/", "access/")]
    ]
    outcomes = await asyncio.gather(*map(store.append, appends))
    assert all(isinstance(outcome, Appended) for outcome in outcomes)
    for i, seen in enumerate(name.replace("match/", "access/") for name in names):
        assert await store.read_access(seen) == (chain(seen, 2) if i % 2 else [])


async def test_two_commands_of_one_match_in_one_batch_write_to_its_access_stream_once(store: EventStore) -> None:
    lines, seen = chain(stream(), 2), chain(SEEN, 1)
    both = [append(stream(), [one], expected=n, access=Access(SEEN, 0, tuple(seen))) for n, one in enumerate(lines)]
    outcomes = await asyncio.gather(*map(store.append, both))
    assert isinstance(outcomes[0], Appended)
    assert outcomes[1] == Conflict(1)
    assert await store.read_access(SEEN) == seen


async def test_an_access_stream_grows_by_one_writer_at_a_time(store: EventStore) -> None:
    await store.append(append(stream(), chain(stream(), 1)))
    seen = chain(SEEN, 2)
    assert await store.append_access(stream(), Access(SEEN, 0, tuple(seen[:1])))
    assert not await store.append_access(stream(), Access(SEEN, 0, tuple(seen[:1])))
    assert await store.append_access(stream(), Access(SEEN, 1, tuple(seen[1:])))
    with pytest.raises(Exception, match="does not follow"):
        await store.append_access(stream(), Access(SEEN, 2, tuple(seen[1:])))
    assert await store.read_access(SEEN) == seen


async def test_the_line_that_closes_an_access_stream_goes_to_the_log(store: EventStore) -> None:
    seen = chain(SEEN, 2)
    closing = chain(SEEN, 1, seen, "access.closed")
    access = Access(SEEN, 0, (*seen, *closing))
    await store.append(append(stream(), chain(stream(), 1), anchors=((0, "ab" * 32, "final"),), access=access))
    head = sha256(closing[0]).hexdigest()
    assert {PendingAnchor(SEEN, 2, head, "final"), PendingAnchor(stream(), 0, "ab" * 32, "final")} == set(
        await store.log_pending(9)
    )
