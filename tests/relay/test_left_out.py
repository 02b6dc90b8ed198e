"""Streams that the relay has left out, and another program has made up for meanwhile, or nobody ever will."""

from __future__ import annotations

import asyncio
from typing import Final
from uuid import UUID

import msgspec
import pytest

from infra.feed.memory import MemoryFeed
from infra.store import Away, Unavailable, shard_of
from infra.store.memory import MemoryStore
from services.relay import publisher
from services.relay.lobby_projector import LobbyProjector
from services.work.failures import Stuck
from tests.attack.test_embargo import SPOKEN, Kept, _finish_elsewhere, spoken
from tests.failing import Failing
from tests.relay.poison import POISONS, Poison, poison
from tests.relay.test_contained import version_in_lobby
from tests.relay.test_tried_again import Hours, begun, follow, hours, left_out, phase_of, relay

__all__ = ["hours"]


@pytest.mark.parametrize("saves", [True, False], ids=["said", "not said"])
async def test_what_another_program_made_up_for_goes_on_here_as_well(
    store: MemoryStore, hours: Hours, *, saves: bool
) -> None:
    """The store goes away once one has said what it leaves out, or before; then the other has shown it."""
    match, failing, stuck = await begun(store), Failing(), Stuck()
    one, other = LobbyProjector(store, stuck=stuck), LobbyProjector(store)
    hours.fail(LobbyProjector, "_row", failing)
    failing.left = 1
    if saves:
        await follow(one, store)
    else:
        hours.fail(store, "save_projection", Failing(1, Unavailable("for a moment")))
        with pytest.raises(Unavailable):
            await follow(one, store)
    await follow(other, store)
    assert await version_in_lobby(store, match) == match.match.version
    await follow(one, store)
    hours.pass_by()
    await follow(one, store)
    assert await stuck.notice() is None
    assert await left_out(store, "lobby") == []


def closed_board(stream: str, seq: int, prev: str) -> bytes:
    """Return a line that ends a board."""
    return msgspec.json.encode(
        {"at": 0, "data": {}, "prev": prev, "seq": seq, "stream": stream, "type": "board.closed", "v": 1}
    )


LASTING: Final[dict[str, tuple[tuple[Poison, ...], object, str]]] = {
    "board": ((POISONS["unknown type"], closed_board), LobbyProjector, "_matches_of"),
    "tournament": ((POISONS["no event"],), publisher, "tournament_frame"),
}
"""By what a stream is of: lines of which the first cannot be read, and who falls over it."""


@pytest.mark.parametrize("kind", LASTING)
async def test_a_line_that_cannot_be_read_is_not_tried_again(store: MemoryStore, hours: Hours, kind: str) -> None:
    lines, work, step = LASTING[kind]
    feed, stuck, tries = MemoryFeed(), Stuck(), Failing()
    hours.fail(work, step, tries)
    for line in lines:
        await poison(store, f"{kind}/{UUID(int=7)}", line)
    async with relay(store, feed, stuck):
        assert (await stuck.notice() or "").startswith("1 matches")
        hours.pass_by()
        await asyncio.sleep(0.05)
    assert tries.tried == 1


async def test_a_match_that_waits_for_a_board_that_cannot_be_read_is_not_tried_again(hours: Hours) -> None:
    board, stuck, tries = spoken(SPOKEN[0], "left"), Stuck(), Failing()
    kept = Kept(board)
    await kept.tell()
    await poison(kept.store, f"board/{board.rules.id}")
    projector = LobbyProjector(kept.store, kept.shared, stuck)
    await follow(projector, kept.store)
    assert stuck.is_stuck("lobby", f"match/{kept.match}")
    hours.fail(projector, "_row", tries)
    hours.pass_by()
    await follow(projector, kept.store)
    assert tries.tried == 0


async def test_a_board_holds_up_no_shard_while_a_match_of_it_lives_where_nobody_answers(hours: Hours) -> None:
    """As matches of a board may, it lives at another of several databases than the board."""
    board, stuck = spoken(SPOKEN[0], "left"), Stuck()
    kept, failing = Kept(board), Failing(0, Away("it does not answer"))
    stream = f"board/{board.rules.id}"
    shard = shard_of(stream)
    assert shard != shard_of(f"match/{kept.match}")
    await kept.tell()
    projector = LobbyProjector(kept.store, kept.shared, stuck)
    await follow(projector, kept.store)
    hours.fail(kept.shared.milestones, "newest", failing)
    _finish_elsewhere(board)
    await kept.tell()
    failing.left = 1
    await follow(projector, kept.store)
    assert await kept.store.cursor("lobby", shard) == (await kept.store.positions())[shard]
    assert await left_out(kept.store, "lobby") == [f"match/{kept.match}"]
    assert await phase_of(kept) != "finished"
    hours.pass_by()
    await follow(projector, kept.store)
    assert await phase_of(kept) == "finished"
    assert await left_out(kept.store, "lobby") == []
    assert await stuck.notice() is None


async def test_a_shard_whose_database_is_away_waits_for_it(store: MemoryStore, hours: Hours) -> None:
    match, stuck = await begun(store), Stuck()
    projector = LobbyProjector(store, stuck=stuck)
    hours.fail(projector, "_row", Failing(1, Away("it does not answer")))
    with pytest.raises(Away):
        await follow(projector, store)
    await follow(projector, store)
    assert await version_in_lobby(store, match) == match.match.version
    assert await stuck.notice() is None
