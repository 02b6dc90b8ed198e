"""Rows: what is made of the log beside it, held against what the log makes from nothing, after many lives have ended.

Nobody waits for the count of dice, and a page of it is taken once in two seconds: so it is not held at the end of a
story, but at the end of a house, whose followers first take up what they had not come to.
"""

from __future__ import annotations

from typing import Any, Final, cast

from infra.store import SHARDS, EventStore, ProjectionRow
from infra.store.memory import MemoryStore
from infra.store.postgres import PostgresStore
from projections.sheets import ROWS, SHEETS, TOTALS
from services.relay.follower import FollowingWork
from services.relay.lobby_projector import LobbyProjector
from services.relay.statistics_projector import StatisticsProjector

LOBBY: Final = "lobby"
LOBBY_SHELVES: Final = "select distinct shelf from projection where name = 'lobby'"
KEPT: Final = ("cursor", "save_projection", "projection")
"""What a store is asked about rows, and nothing else."""
MANY: Final = 100_000


class _Anew:
    """The same log, and rows of its own."""

    def __init__(self, store: PostgresStore) -> None:
        self._store = store
        self._rows = MemoryStore()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows if name in KEPT else self._store, name)


async def faults_of_rows(store: PostgresStore) -> list[str]:
    """Return what differs from the rows that the log makes, once those who make them have come to its end."""
    anew = cast(EventStore, _Anew(store))
    await _follow(store)
    await _follow(anew)
    shelves = [(LOBBY, row["shelf"]) for row in await store.ask(LOBBY_SHELVES)] + [(ROWS, TOTALS), (ROWS, SHEETS)]
    return [
        f"the rows of {name}, {shelf}, are not what the log makes"
        for name, shelf in shelves
        if await _shelf(store, name, shelf) != await _shelf(anew, name, shelf)
    ]


async def _follow(store: EventStore) -> None:
    """Bring the rows of a store to the end of its log, from wherever they are."""
    works: tuple[FollowingWork, ...] = (LobbyProjector(store), StatisticsProjector(store))
    for work in works:
        for shard in range(SHARDS):
            position = await work.start(shard)
            while page := await store.follow(shard, position, work.page):
                position = await work.take(shard, page)


async def _shelf(store: EventStore, name: str, shelf: str) -> list[ProjectionRow]:
    return await store.projection(name, shelf, MANY)
