"""Lengths on the wire: whoever counts the bytes that a seat is sent, encrypted, learns nothing of its dice."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import msgspec

from domain import commands
from domain.match.record import stream_of
from infra.feed.memory import MemoryFeed
from infra.sealing import Sealing
from infra.store import shard_of
from projections.lengths import encode_view
from services.matches.handler import Ask
from services.matches.reads.streams import Streams
from services.matches.secrets.vault import Vault
from services.relay.publisher import Publisher
from tests.attack.test_access import House

FINSKA = {"game": "finska", "options": {}, "seats": 3, "pause_ms": 0}
"""Its dice show nines, which are a digit shorter than all else they show."""
MATCHES = 40


class Heard:
    """What came over the bus for one seat."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []

    def __call__(self, _version: int, body: bytes) -> None:
        self.bodies.append(body)


async def sent(number: int) -> tuple[Any, int, dict[str, int]]:
    """Deal a match of its own; return what is public of it, how many nines there are, and all lengths."""
    house = House()
    match_id = await house.begun(**FINSKA)
    match = (await house.matches.hosted(match_id)).match
    assert match.table is not None
    seat = match.table.turn
    assert seat is not None
    heard, feed = Heard(), MemoryFeed()
    await feed.listen(str(match_id), seat, heard)
    await house.matches.submit(match_id, commands.Roll(seat), Ask("t", f"roll-{number}", b""))
    shard = shard_of(stream_of(match_id))
    publisher = Publisher(house.store, feed, Vault(house.store, Sealing(bytes(32))))
    await publisher.start(shard)
    await publisher.take(shard, await house.store.follow(shard, 0, 1_000))
    items = Streams(house.matches, MemoryFeed()).stream(match_id, seat, None)
    view = await house.matches.view(match_id, seat)
    frames = await house.matches.frames(match_id, seat, view.version - 1, 1)
    bodies = {
        "view": encode_view(view),
        "snapshot": (await anext(items)).body,
        "replay": frames[0],
        "bus": heard.bodies[-1],
        "openings": await house.matches.opened(match_id, seat),
    }
    await items.aclose()
    assert all(msgspec.json.decode(body) for body in bodies.values())
    nines = sum(die.face == 9 for die in view.cup)
    return (view.version, seat), nines, {name: len(body) for name, body in bodies.items()}


async def test_nothing_a_seat_is_sent_tells_by_its_length_how_many_nines_lie_under_the_cup() -> None:
    told: dict[Any, list[tuple[int, dict[str, int]]]] = defaultdict(list)
    for number in range(MATCHES):
        public, nines, lengths = await sent(number)
        told[public].append((nines, lengths))
    compared = 0
    for matches in told.values():
        assert [lengths for _, lengths in matches] == [matches[0][1]] * len(matches)
        compared += len({nines for nines, _ in matches}) - 1
    assert compared >= 2, "there were hands with few nines and with many"
