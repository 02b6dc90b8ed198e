"""Bugs of those who follow the log: cursors, rows, gaps, and what is counted twice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from infra.store import ProjectionRow, Recorded, Unavailable
from infra.store.memory import MemoryStore
from services.matches.reads.queries import MatchQueries
from services.relay import tail
from services.relay.follower import Follower
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import Publisher
from services.relay.statistics_projector import StatisticsProjector
from tests.simulation.faults import GOSSIP, KILLER
from tests.simulation.planted.bug import CLOSED, FORGETS, SLOW, TWO, Planted

_take_rows = LobbyProjector.take
_publish = Publisher.take
_start_publisher = Publisher.start
_start_counting = StatisticsProjector.start
_save_counts = StatisticsProjector._save
_load_match = MatchQueries.load_match


async def _cursor_before_rows(projector: LobbyProjector, shard: int, page: Sequence[Recorded]) -> int:
    """Save how far the rows have come before they are there."""
    await projector._store.save_projection(projector.name, shard, page[-1].position, ())
    return await _take_rows(projector, shard, page)


async def _cursor_before_frames(publisher: Publisher, shard: int, page: Sequence[Recorded]) -> int:
    """Save how far the frames have come before they are published."""
    await publisher._store.save_projection(publisher.name, shard, page[-1].position, ())
    return await _publish(publisher, shard, page)


async def _frames_from_now_on(publisher: Publisher, shard: int) -> int:
    """Publish, after a restart, what is stored from then on."""
    await _start_publisher(publisher, shard)
    return (await publisher._store.positions())[shard]


def _gap_skipped(window: Any, lines: Sequence[Recorded]) -> None:
    """Take lines for those that follow, whatever others have stored in between."""
    fresh = [line for line in lines if line.position > window.end]
    if fresh:
        window.begin = fresh[0].position - 1 if window.begin is None else window.begin
        window._lines += fresh
        window.end = fresh[-1].position


def _always_follows(log: tail.LogTail, shard: int, lines: Sequence[Recorded]) -> None:
    log._windows[shard].add(lines)
    log._ring(shard, lines[-1].position)


async def _counted_from_the_first(projector: StatisticsProjector, shard: int) -> int:
    """Count all dice again after a restart, on top of what was counted."""
    await _start_counting(projector, shard)
    return 0


async def _sheets_apart(projector: StatisticsProjector, shard: int, position: int, counted: Any) -> None:
    """Save the total, and the sheets in another transaction, which fails every third time."""
    await _save_counts(projector, shard, position, counted if position % 3 else ())


async def _goes_on_after_trouble(follower: Follower) -> None:
    """Begin once, and after trouble go on where memory says."""
    position = None
    while True:
        try:
            if position is None:
                position = follower.position = await follower._work.start(follower._shard)
            await follower._follow()
        except Unavailable as trouble:
            await follower._waits.out(trouble)


async def _any_row(store: MemoryStore, name: str, shard: int, position: int, rows: Sequence[ProjectionRow]) -> None:
    """Store rows whatever stands there, be it newer."""
    store._rows.setdefault(name, {}).update({row.key: row for row in rows})
    store._cursors[name, shard] = max(position, store._cursors.get((name, shard), 0))


async def _memory_is_enough(queries: MatchQueries, match_id: Any, at_least: int | None = None) -> Any:
    """Show a match as it is in memory, once it is."""
    return queries._hosted.get(match_id) or await _load_match(queries, match_id, at_least)


BUGS: Final = (
    Planted(
        "cursor saved before the rows",
        "the lobby is not what the log makes",
        CLOSED,
        ((LobbyProjector, "take", _cursor_before_rows),),
    ),
    Planted(
        "cursor saved before the frames",
        "the bus does not come to rest",
        FORGETS,
        ((Publisher, "take", _cursor_before_frames),),
    ),
    Planted(
        "frames of the time in which nobody was there",
        "the bus does not come to rest",
        KILLER,
        ((Publisher, "start", _frames_from_now_on),),
    ),
    Planted(
        "tail skips a gap",
        "lines come in order, each once",
        GOSSIP,
        ((tail._Window, "add", _gap_skipped), (tail.LogTail, "on_commit", _always_follows)),
    ),
    Planted(
        "dice counted twice",
        "the totals of dice are not what the log makes",
        KILLER,
        ((StatisticsProjector, "start", _counted_from_the_first),),
    ),
    Planted(
        "sheets in another transaction than their total",
        "the sheets of dice are not what the log makes",
        CLOSED,
        ((StatisticsProjector, "_save", _sheets_apart),),
    ),
    Planted(
        "follower goes on after trouble",
        "lines come in order, each once",
        CLOSED,
        ((Follower, "run", _goes_on_after_trouble),),
    ),
    Planted(
        "older row over a newer one",
        "has become older",
        SLOW,
        ((MemoryStore, "save_projection", _any_row),),
        TWO,
    ),
    Planted(
        "match shown from memory", "has not ended", GOSSIP, ((MatchQueries, "load_match", _memory_is_enough),), TWO
    ),
)
