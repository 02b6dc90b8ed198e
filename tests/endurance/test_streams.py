"""Readers of a match that lose their connection again and again: every version comes once, and is that of the replay.

They resume by `after` or by Last-Event-ID, in either language, as a spectator or as one of the seats.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.crash.house import Table
from tests.sizes import cases

SSE, NDJSON = "text/event-stream", "application/x-ndjson"
PATIENCE_S = 300.0
RULES = {"options": {"dice_per_player": 5}, "seats": 3}


class At:
    """A service that is there, as a table asks it."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}/api/v1"

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self._url, timeout=PATIENCE_S)


class Reader:
    """Reads some frames, hangs up, and goes on behind the last one it has seen.

    Attributes:
        frames: What it was shown, in the order in which it came.
        times: How often it has connected.
    """

    def __init__(self, url: str, token: str | None, seed: int) -> None:
        self.frames: list[dict[str, Any]] = []
        self.times = 0
        self._url = url
        self._shown = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._drawn = random.Random(seed)
        self._ended = False

    @property
    def version(self) -> int:
        return self.frames[-1]["version"] if self.frames else 0

    async def read(self, frames_max: int) -> None:
        """Read to the end of the match, at most so many frames a connection."""
        async with httpx.AsyncClient(timeout=PATIENCE_S) as client:
            while not self._ended:
                self.times += 1
                await self._connected(client, self._drawn.randint(0, frames_max))

    async def _connected(self, client: httpx.AsyncClient, frames: int) -> None:
        query, headers = {}, {"Accept": self._drawn.choice((SSE, NDJSON)), **self._shown}
        if self._drawn.random() < 0.5:
            query = {"after": self.version}
        else:
            headers["Last-Event-ID"] = str(self.version)
        async with client.stream("GET", f"{self._url}/stream", params=query, headers=headers) as answer:
            assert answer.status_code == 200
            async for item in items(answer):
                self._ended = self._ended or "ended" in item
                if "view" in item:
                    self.frames.append(item)
                    frames -= 1
                if frames < 0 or self._ended:
                    return


async def items(answer: httpx.Response) -> AsyncIterator[dict[str, Any]]:
    async for line in answer.aiter_lines():
        told = line.removeprefix("data: ")
        if told.startswith("{"):
            yield json.loads(told)


async def test_readers_who_lose_their_connection_miss_nothing_and_are_told_nothing_twice(service_url: str) -> None:
    table = await asyncio.to_thread(Table, At(service_url), RULES)
    url, viewers = f"{service_url}/api/v1{table.path}", [None, *table.tokens]
    readers = [Reader(url, viewers[seed % 3], seed) for seed in range(cases(3, 16))]
    reading = asyncio.gather(*(reader.read(cases(20, 3)) for reader in readers))
    async with asyncio.timeout(PATIENCE_S):
        await asyncio.gather(asyncio.to_thread(table.finish, PATIENCE_S), reading)
    assert sum(reader.times for reader in readers) >= cases(6, 503)
    with httpx.Client(timeout=PATIENCE_S) as client:
        replays = [replayed(client, url, token) for token in viewers]
    for number, reader in enumerate(readers):
        assert [frame["version"] for frame in reader.frames] == list(range(1, len(reader.frames) + 1))
        assert reader.frames == replays[number % 3]


def replayed(client: httpx.Client, url: str, token: str | None) -> list[dict[str, Any]]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return client.get(f"{url}/replay", headers=headers).raise_for_status().json()["frames"]


@pytest.mark.parametrize(
    ("cursor", "status"),
    [("0", 200), ("1", 200), ("999999", 409), ("-1", 400), ("1.5", 400), ("x", 400), ("9" * 40, 400)],
)
def test_a_cursor_from_the_future_or_of_no_sense_is_refused(service_url: str, cursor: str, status: int) -> None:
    with httpx.Client(base_url=f"{service_url}/api/v1", timeout=PATIENCE_S) as client:
        match = client.post("/matches", json={"rules": {"game": "common_hand"}}).raise_for_status().json()["match"]
        for params, headers in (({"after": cursor}, {}), ({}, {"Last-Event-ID": cursor})):
            with client.stream("GET", f"/matches/{match}/stream", params=params, headers=headers) as answer:
                assert answer.status_code == status
