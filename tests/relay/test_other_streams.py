"""Streams that are no match's, in the log of all: whoever follows it passes over them, and misses nothing for it."""

from __future__ import annotations

import hashlib
import json

from domain.log import canonical
from domain.match.record import GENESIS
from domain.tournaments.events import TournamentCreated
from domain.tournaments.record import lines_of, stream_of
from domain.tournaments.rules import object_of
from infra.feed.memory import MemoryFeed
from infra.store import SHARDS, Append, Appended
from infra.store.memory import MemoryStore
from services.work.failures import Stuck
from tests.bots.test_player import QUICK, Rig, _over, working
from tests.relay.playing import lobby_of, match_id
from tests.relay.test_contained import relayed
from tests.relay.test_relay import played
from tests.relay.test_statistics import sheets_of
from tests.tournaments.events_by_hand import BEGAN, TOURNAMENT, EventByHand

STREAM = stream_of(TOURNAMENT)


async def held(store: MemoryStore) -> list[bytes]:
    """Store the lines of a tournament that has drawn its lots, and go on; return them."""
    event = EventByHand().begin(4)
    created = TournamentCreated(str(TOURNAMENT), object_of(event.tournament.rules), "all")
    lines, _ = lines_of(TOURNAMENT, 0, GENESIS, BEGAN, [created, *event.events])
    for seq, line in enumerate(lines):
        name = hashlib.sha256(line).digest()
        secrets = (("deal/0", b"wrapped"),) if seq == len(lines) - 1 else ()
        assert isinstance(await store.append(Append(STREAM, seq, (line,), name, name, b"{}", secrets)), Appended)
    assert await store.streams_live() == [STREAM]
    return list(lines)


async def test_a_relay_tells_the_lines_of_a_tournament_and_keeps_no_row_of_it_among_matches(store: MemoryStore) -> None:
    lines = await held(store)
    matches = await played(store, 1)
    feed, stuck = MemoryFeed(), Stuck()
    await relayed(store, feed, stuck)
    assert await stuck.notice() is None
    kept = [frame for frames in feed.kept.values() for frame in frames]
    told = [(one.version, json.loads(one.body)) for one in kept if one.match == str(TOURNAMENT)]
    assert [version for version, _ in told] == list(range(1, len(lines) + 1))
    for (version, frame), line in zip(told, map(json.loads, lines), strict=True):
        event = {"type": line["type"], **line["data"]}
        public = {"version": version, "at": line["at"], "event": event, "changed": None}
        assert frame == public, "what is public, and no more"
    assert [one.body for one in kept if one.match == str(match_id(1))] == await matches[0].replay(None)
    assert [row.key for row in await lobby_of(store)] == [str(match_id(1))]
    assert [sheet.match for sheet in await sheets_of(store)] == [str(match_id(1))]
    assert await store.projection("lobby", "left out", SHARDS) == []


async def test_who_deals_and_who_plays_for_the_house_pass_over_a_tournament() -> None:
    rig = Rig()
    before = await held(rig.store)
    stuck = Stuck()
    async with working(rig.croupier(stuck), rig.bots(stuck=stuck)):
        match = await rig.opened(QUICK[1])
        line = canonical.line(STREAM, len(before), canonical.head(before[-1]), BEGAN, "tournament.resumed", {"by": "o"})
        name = hashlib.sha256(line).digest()
        assert isinstance(await rig.store.append(Append(STREAM, len(before), (line,), name, name, b"{}")), Appended)
        await rig.until(match, _over)
    assert await stuck.notice() is None
