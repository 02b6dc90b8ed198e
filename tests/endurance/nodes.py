"""Two nodes of one house, on one database and one bus: whoever asks either asks the same house."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import httpx

from infra.entropy import draw
from tests.crash.conftest import Lasting
from tests.crash.house import Service

KEY = "ab" * 32
PATIENCE_S = 60.0
WAIT_S = 0.1
RULES: dict[str, Any] = {"game": "common_hand", "options": {"dice_per_player": 2, "wild": "never"}, "pause_ms": 0}


class Nodes:
    """Two services that share a key. It stands for one where any will do."""

    def __init__(self, on: Lasting, folder: Path) -> None:
        self.each = [Service(on.database_url, on.nats_url, folder / name, key=KEY) for name in ("one", "two")]
        for service in self.each:
            service.folder.mkdir()
        self._drawn = random.Random(1)

    def start(self) -> None:
        for service in self.each:
            service.start()

    def stop(self) -> None:
        for service in self.each:
            service.stop()

    def client(self) -> httpx.Client:
        """Return a client of either of them."""
        return self._drawn.choice(self.each).client()

    def urls(self) -> list[str]:
        return [(service.folder / "url").read_text().strip() + "/api/v1" for service in self.each]


class Person:
    """Somebody with an address of his own, who asks one node or the other."""

    def __init__(self, urls: list[str], number: int) -> None:
        self.number = number
        source = httpx.AsyncHTTPTransport(local_address=f"127.0.2.{number % 250 + 1}")
        self._client = httpx.AsyncClient(transport=source, timeout=PATIENCE_S)
        self._urls = urls
        self._asked = 0
        self.token = ""

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(
        self, method: str, path: str, body: Any = None, node: int | None = None, **headers: str
    ) -> httpx.Response:
        """Ask a node, the next one if none is named, and once more while others are first too often."""
        self._asked += 1
        url = self._urls[(self.number + self._asked) % 2 if node is None else node] + path
        shown = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        key = {"Idempotency-Key": draw(16).hex(), **headers}
        while True:
            answer = await self._client.request(method, url, json=body, headers=shown | key)
            if answer.status_code not in {429, 503}:
                return answer
            await asyncio.sleep(WAIT_S)


async def opened(host: Person, seats: int, **rules: Any) -> str:
    """Open a table and return its address."""
    asked = {**RULES, "seats": seats, **rules}
    answer = (await host.ask("POST", "/matches", {"rules": asked})).raise_for_status().json()
    host.token = answer["token"]
    return f"/matches/{answer['match']}"


async def turn(asker: Person, path: str) -> dict[str, Any]:
    """Return the view of a match once somebody is to act, or it is over."""
    async with asyncio.timeout(PATIENCE_S):
        while True:
            view = (await asker.ask("GET", path)).raise_for_status().json()
            if view["turn"] is not None or view["winner"] is not None:
                return view
            await asyncio.sleep(WAIT_S)


def by_status(answers: Iterable[httpx.Response]) -> dict[int, list[httpx.Response]]:
    found: dict[int, list[httpx.Response]] = {}
    for answer in answers:
        found.setdefault(answer.status_code, []).append(answer)
    return found
