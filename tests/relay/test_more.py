"""`more`: all frames of a command but its last are marked, since whoever acts on what they show acts too early."""

from __future__ import annotations

from itertools import pairwise

import msgspec
import pytest

from domain.match.record import event_of, goes_on
from infra.feed.memory import MemoryFeed
from infra.store.memory import MemoryStore
from services.matches import handler
from services.relay.publisher import Publisher
from services.work.failures import Stuck
from tests.bots.test_player import Rig
from tests.relay.playing import Played
from tests.relay.test_contained import relayed


async def ended_commands(match: Played) -> set[int]:
    """Play a match to its end, and return the versions that its commands led to."""
    ends = set()
    await match.open()
    ends.add(match.match.version)
    for name in ("Ada", "Bob", "Cyd"):
        await match.join(name)
        ends.add(match.match.version)
    ask = match.ask

    async def noting(*asked: object, **how: object) -> None:
        await ask(*asked, **how)  # type: ignore[arg-type]
        ends.add(match.match.version)

    match.ask = noting  # type: ignore[method-assign]
    await match.deal()
    await match.finish()
    return ends


async def test_all_frames_of_a_command_but_its_last_say_that_there_is_more(store: MemoryStore) -> None:
    match = Played(store, 1)
    ends = await ended_commands(match)
    for seat in (None, 2):
        frames = list(map(msgspec.json.decode, await match.replay(seat)))
        assert {frame["version"] for frame in frames if not frame["more"]} == ends
    # Whoever acts on these acts too early: the table has more to say, though it seems to be a seat's turn.
    assert any(frame["more"] and frame["view"]["turn"] is not None for frame in frames)


@pytest.mark.parametrize("page", [1, 3, 64])
async def test_however_the_log_is_cut_into_pages_frames_are_the_same(
    store: MemoryStore, page: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Publisher, "page", page)
    feed, match = MemoryFeed(), Played(store, 1)
    await ended_commands(match)
    await relayed(store, feed, Stuck())
    assert [one.body for one in feed.kept[match.shard]] == await match.replay(None)


async def test_a_part_of_a_replay_says_what_the_whole_of_it_says() -> None:
    rig = Rig()
    match_id = await rig.opened({"game": "common_hand", "options": {}, "seats": 3})
    whole = await rig.matches.frames(match_id, None, 0, 100)
    assert [
        frame for after in range(len(whole)) for frame in await rig.matches.frames(match_id, None, after, 1)
    ] == whole
    assert [frame for after in range(len(whole)) for frame in await rig.house().frames(match_id, 1, after, 1)] == (
        await rig.matches.frames(match_id, 1, 0, 100)
    )


async def test_two_commands_of_one_millisecond_have_times_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(handler, "now_ms", lambda: 1_000)
    rig = Rig()
    match_id = await rig.opened({"game": "common_hand", "options": {}, "seats": 2})
    lines = await rig.store.read(f"match/{match_id}")
    assert [event_of(line)[1] for line in lines[:5]] == [1_000, 1_001, 1_001, 1_002, 1_002]
    assert [goes_on(*pair) for pair in pairwise(lines[:5])] == [False, True, False, True]
