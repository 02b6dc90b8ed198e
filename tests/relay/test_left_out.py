"""Streams that the relay has left out, and another program has made up for meanwhile."""

from __future__ import annotations

import pytest

from infra.store import Unavailable
from infra.store.memory import MemoryStore
from services.relay.lobby_projector import LobbyProjector
from services.work.failures import Stuck
from tests.failing import Failing
from tests.relay.test_contained import version_in_lobby
from tests.relay.test_tried_again import Hours, begun, follow, hours, left_out

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
