"""The contract of every store on matches that share the dice of a board: of what is not shown, the log gets no head."""

from __future__ import annotations

from hashlib import sha256
from typing import Final
from uuid import UUID

from infra.store import Access, EventStore, PendingAnchor, shard_of
from tests.store.lines import ZEROS, append, chain, line, stream

BOARD: Final = str(UUID(int=9))
SEEN: Final = f"access/{UUID(int=1)}"


def sharing(name: str) -> list[bytes]:
    """Return the first line of a match that shares the dice of a board."""
    return [line(name, 0, ZEROS, "match.created", rules={"board": {"id": BOARD, "positions": {"1": 1}}})]


async def test_a_stream_with_the_dice_of_a_board_gets_live_anchors_for_rounds_that_are_over(store: EventStore) -> None:
    shard, lines = shard_of(stream()), sharing(stream())
    lines += chain(stream(), 3, lines)
    await store.append(append(stream(), lines))
    assert await store.log_live(shard, 0) == 4
    assert await store.log_pending(9) == []
    for after in (4, 8):
        lines += chain(stream(), 1, lines)
        lines += chain(stream(), 1, lines, "game.released")
        lines += chain(stream(), 2, lines)
        await store.append(append(stream(), lines[after:], expected=after))
        assert await store.log_live(shard, after) == after + 4
    assert await store.log_pending(9) == [
        PendingAnchor(stream(), seq, sha256(lines[seq]).hexdigest(), "live") for seq in (5, 9)
    ]


async def test_what_ends_a_match_says_whose_dice_it_shares(store: EventStore) -> None:
    seen = chain(SEEN, 1, kind="access.closed")
    ending = append(stream(), sharing(stream()), anchors=((0, "a", "final"),), access=Access(SEEN, 0, tuple(seen)))
    await store.append(ending)
    for kind in ("sealed", "final"):
        await store.append(append(f"board/{kind}", chain(f"board/{kind}", 1), anchors=((0, "b", kind),)))
    other = [line(stream(3), 0, ZEROS, "match.created", rules={"game": "common_hand"})]
    await store.append(append(stream(3), other, anchors=((0, "c", "final"),)))
    waiting = await store.log_pending(9)
    shared, own = {(stream(), BOARD), (SEEN, BOARD)}, {(f"board/{kind}", None) for kind in ("sealed", "final")}
    assert {(one.stream, one.board) for one in waiting} == {*shared, *own, (stream(3), None)}
    await store.log_append([(one, b"") for one in waiting if one.board is None], {}, 0)
    assert {(one.stream, one.board) for one in await store.log_pending(9)} == shared
    await store.log_append([(one, b"") for one in waiting if one.board is not None], {}, 3)
    assert await store.log_pending(9) == []
