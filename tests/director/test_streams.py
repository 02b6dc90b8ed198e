"""A tournament as it happens: a snapshot, then every line once and in order, whoever comes when."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from domain.tournaments import commands
from infra.feed import Placed
from infra.feed.memory import MemoryFeed
from infra.store import Unavailable, shard_of
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.tournaments.requests import UnknownTournament
from services.tournaments.streams import StreamedLine, TournamentStreams
from tests.api.conftest import Service, served
from tests.director.house import EventHouse

PATIENCE_S = 60


@asynccontextmanager
async def read(
    streams: TournamentStreams, house: EventHouse, after: int | None = None, beat_s: float = 60.0
) -> AsyncIterator[Any]:
    over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    async with asyncio.timeout(PATIENCE_S), aclosing(streams.stream(house.id, after, over, beat_s)) as lines:
        yield lines


def told(line: StreamedLine) -> tuple[str, int | None]:
    return line.kind, line.version


async def test_a_stream_tells_each_line_once_from_the_snapshot_to_the_end(house: EventHouse) -> None:
    streams = TournamentStreams(house.tournaments, MemoryFeed(), quiet_s=0.01)
    await house.announce()
    async with read(streams, house) as lines:
        first = await anext(lines)
        assert told(first) == ("snapshot", 2)
        assert json.loads(first.body)["snapshot"]["phase"] == "announced"
        await house.do(commands.Cancel(by=house.host, reason="technical"))
        await house.tournaments.proceed(house.id, "rule", house.ask())
        rest = [line async for line in lines]
    assert [told(line) for line in rest] == [("frame", 3), ("frame", 4), ("ended", 4)]
    assert [json.loads(line.body)["event"]["type"] for line in rest[:2]] == [
        "tournament.cancelled",
        "tournament.closed",
    ]


async def test_who_comes_back_is_told_what_was_missed_and_who_missed_nothing_that_it_has_ended(
    house: EventHouse,
) -> None:
    streams = TournamentStreams(house.tournaments, MemoryFeed(), quiet_s=0.01)
    await house.announce()
    await house.do(commands.Cancel(by=house.host, reason="technical"))
    await house.tournaments.proceed(house.id, "rule", house.ask())
    async with read(streams, house, after=1) as lines:
        found = [told(line) async for line in lines]
    assert found == [("snapshot", 4), ("frame", 2), ("frame", 3), ("frame", 4), ("ended", 4)]
    async with read(streams, house) as lines:
        assert [told(line) async for line in lines] == [("snapshot", 4), ("ended", 4)]


async def test_the_bus_wakes_a_reader_who_would_wait_for_long(house: EventHouse) -> None:
    feed = MemoryFeed()
    streams = TournamentStreams(house.tournaments, feed, quiet_s=3_600.0)
    await house.announce()
    async with read(streams, house) as lines:
        await anext(lines)
        coming = asyncio.ensure_future(anext(lines))
        await asyncio.sleep(0.01)
        await house.do(commands.OpenEntry(by=house.host))
        await feed.publish(shard_of(f"tournament/{house.id}"), [Placed(1, str(house.id), 3, b"")])
        assert told(await coming) == ("frame", 3)


async def test_a_silence_has_beats_and_a_house_that_closes_says_bye(house: EventHouse) -> None:
    streams = TournamentStreams(house.tournaments, MemoryFeed(), quiet_s=3_600.0)
    await house.announce()
    async with read(streams, house, beat_s=0.01) as lines:
        assert [told(await anext(lines)) for _ in range(2)] == [("snapshot", 2), ("beat", None)]
    async with read(streams, house) as lines:
        await anext(lines)
        coming = asyncio.ensure_future(anext(lines))
        await asyncio.sleep(0.01)
        streams.close()
        assert told(await coming) == ("bye", 2)


async def test_a_stream_outlives_a_store_that_is_away(house: EventHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.tournaments.streams.AWAY_S", 0.001)
    streams = TournamentStreams(house.tournaments, MemoryFeed(), quiet_s=0.01)
    await house.announce()
    really, away = house.tournaments.lines, [True]

    async def lines_of(*asked: Any) -> Any:
        if away:
            away.pop()
            raise Unavailable("the database does not answer")
        return await really(*asked)

    monkeypatch.setattr(house.tournaments, "lines", lines_of)
    async with read(streams, house, after=1) as lines:
        assert [told(await anext(lines)) for _ in range(2)] == [("snapshot", 2), ("frame", 2)]


async def test_nothing_is_streamed_of_a_tournament_that_is_not_there(house: EventHouse) -> None:
    await house.announce()
    streams = TournamentStreams(house.tournaments, MemoryFeed())
    other = EventHouse(MemoryStore())
    other.id = type(house.id)(int=7)
    with pytest.raises(UnknownTournament):
        async with read(streams, other) as lines:
            await anext(lines)


def over_http(service: Service, path: str, **headers: str) -> str:
    with service.client.stream("GET", path, headers=headers) as answer:
        assert answer.status_code == 200
        return "".join(answer.iter_text())


def test_a_stream_is_had_as_events_or_as_lines_and_goes_on_behind_what_was_seen() -> None:
    house = EventHouse(MemoryStore())

    async def close() -> None:
        await house.announce()
        await house.do(commands.Cancel(by=house.host, reason="technical"))
        await house.tournaments.proceed(house.id, "rule", house.ask())

    asyncio.run(close())
    with served(Bounds(), events=house) as service:
        path = f"/api/v1/tournaments/{house.id}/stream"
        events = over_http(service, path, **{"Last-Event-ID": "3"}).split("\n\n")
        assert [one.split("\n")[0] for one in events if one] == ["event: snapshot", "id: 4", "event: ended"]
        lines = over_http(service, f"{path}?after=3", Accept="application/x-ndjson").splitlines()
        assert [next(iter(json.loads(line))) for line in lines] == ["snapshot", "version", "ended"]
        assert service.client.get(f"{path}?after=9").json()["code"] == "version_in_the_future"
        assert service.client.head(f"{path}?after=9").status_code == 409
        assert service.client.head(path).status_code == 200
        assert service.client.get(path, headers={"Accept": "image/png"}).status_code == 406
