"""A house of six nodes on a bus of three servers: two of each role, each with a login of its own in the database."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from time import monotonic

import httpx

from tests.crash.house import wait_until
from tests.handoff.nodes import Place, is_ready, services_of

ROLES = {
    "dealer-1": "api,dealer,bots",
    "dealer-2": "api,dealer,bots",
    "relay-1": "relay",
    "relay-2": "relay",
    "front-1": "api",
    "front-2": "api",
}
ANSWER_S = 10.0
"""How long a client waits for one node before it asks another."""


class Waits:
    """How long commands waited that were answered in the end, from when each was sent first."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._sent: dict[str, float] = {}
        self._told: list[float] = []

    def sent(self, request: httpx.Request) -> None:
        if (key := request.headers.get("idempotency-key")) is not None:
            with self._lock:
                self._sent.setdefault(key, monotonic())

    def told(self, response: httpx.Response) -> None:
        key = response.request.headers.get("idempotency-key")
        if key is not None and response.status_code != httpx.codes.SERVICE_UNAVAILABLE:
            with self._lock:
                begun = self._sent.pop(key, None)
                self._told += [] if begun is None else [monotonic() - begun]

    def longest(self) -> float:
        """Return how long the slowest waited of those answered since this was asked last, or that wait still."""
        with self._lock:
            told, self._told = self._told, []
            return max([*told, *(monotonic() - begun for begun in self._sent.values())], default=0.0)


class House:
    """The nodes, and their clients: each asks any node that answers over HTTP, and another when that is gone."""

    def __init__(self, folder: Path, databases: dict[str, str], bus: str) -> None:
        self.nodes = services_of(ROLES, folder, Place(databases, dict.fromkeys(ROLES, bus)))
        self.waits = Waits()
        self._drawn = random.Random(1)

    def client(self) -> httpx.Client:
        """Return a client of any node that has pages."""
        node = self.nodes[self._drawn.choice([name for name in ROLES if not name.startswith("relay")])]
        client = httpx.Client(base_url=node.url + "/api/v1", timeout=ANSWER_S)
        client.event_hooks = {"request": [self.waits.sent], "response": [self.waits.told]}
        return client

    def kill(self, name: str) -> None:
        """Kill a node; where it was nobody listens now."""
        self.nodes[name].kill()

    def again(self, name: str) -> None:
        """Start a node that was killed, and wait until it does its work."""
        self.nodes[name].start()
        wait_until(lambda: is_ready(self.nodes[name]))


@contextmanager
def opened(folder: Path, databases: dict[str, str], bus: str) -> Iterator[House]:
    """Run the house, each node in a process of its own."""
    house = House(folder, databases, bus)
    try:
        for node in house.nodes.values():
            node.start()
        for node in house.nodes.values():
            wait_until(lambda node=node: is_ready(node))  # type: ignore[misc]  # bound for each
        yield house
    finally:
        for node in house.nodes.values():
            node.kill()
