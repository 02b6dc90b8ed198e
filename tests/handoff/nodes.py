"""A house of three nodes with a role each, as operators would split it: each with a login of its own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import urlsplit

import asyncpg
import httpx
from msgspec import Struct

from infra.config import Config
from infra.entropy import draw
from services.program.app import serve
from services.program.grounds import Where
from tests.crash.house import WAIT_S, Service, Table, wait_until

RULES: dict[str, Any] = {"options": {"dice_per_player": 2}, "seats": 3}
KEY = "5e" * 32
NDJSON = {"Accept": "application/x-ndjson"}
ROLES = {"dealer": "api,dealer,bots", "relay": "relay", "front": "api"}
"""What each node does. The dealer answers over HTTP, too, so that the two can be compared."""
RIGHTS = {"dealer": "truecup_dealer", "relay": "truecup_relay", "front": "truecup_api"}


class Node(Protocol):
    """A node, and the folder in which it says where it is."""

    folder: Path

    def client(self) -> httpx.Client:
        """Return a client of its interface."""


class Place(Struct, frozen=True):
    """What the nodes stand on: a database by login, and a bus by user, each by the name of the node."""

    databases: dict[str, str]
    buses: dict[str, str]


@asynccontextmanager
async def logins(database: str, nodes: Iterable[str] = tuple(ROLES)) -> AsyncIterator[dict[str, str]]:
    """Lend a login for each of these nodes, in one role only: `dealer-2` is a dealer."""
    mark, admin = draw(8).hex(), await asyncpg.connect(database)
    names = {node: f"{node.replace('-', '_')}_{mark}" for node in nodes}
    for node, name in names.items():
        await admin.execute(f"create role {name} login in role {RIGHTS[node.partition('-')[0]]}")
    yield {node: urlsplit(database)._replace(netloc=f"{name}@").geturl() for node, name in names.items()}
    for name in names.values():
        await admin.execute(f"drop role {name}")
    await admin.close()


class Nodes:
    """The nodes by name."""

    def __init__(self, front: Node, dealer: Node, relay: Node) -> None:
        self.front = front
        self.dealer = dealer
        self.relay = relay


# ---- all in one process -------------------------------------------------------------------------


class Thread:
    """A node that runs in a thread of this process."""

    def __init__(self, name: str, roles: str, folder: Path, place: Place) -> None:
        self.folder = folder / name
        self.folder.mkdir()
        key = None if name == "front" else KEY
        self._config = Config(port=0, roles=roles, key=key, bot_pause_ms=0, data=str(self.folder))
        self._where = Where(place.databases[name], place.buses[name])
        self._ready = threading.Event()
        self._over: Callable[[], object] = lambda: None
        self._trouble: Exception | None = None
        self._thread = threading.Thread(target=self._runs)

    def client(self) -> httpx.Client:
        return client_of(self.folder)

    def start(self) -> None:
        self._thread.start()
        wait_until(lambda: self._ready.is_set() or not self._thread.is_alive())
        assert self._ready.is_set(), self._trouble

    def _runs(self) -> None:
        try:
            asyncio.run(self._run())
        except Exception as trouble:  # noqa: BLE001 - told where the node is started or stopped
            self._trouble = trouble

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        work = asyncio.ensure_future(serve(self._config, self.folder, self._where, lambda _url: self._ready.set()))
        self._over = lambda: loop.call_soon_threadsafe(work.cancel)
        with suppress(asyncio.CancelledError):
            await work

    def stop(self) -> None:
        self._over()
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive()
        assert self._trouble is None, self._trouble


@contextmanager
def beside_each_other(folder: Path, place: Place, **roles: str) -> Iterator[Nodes]:
    """Run the nodes, each in a thread of this process, with other roles where some are given."""
    nodes = {name: Thread(name, does, folder, place) for name, does in {**ROLES, **roles}.items()}
    for node in nodes.values():
        node.start()
    try:
        wait_until(lambda: is_ready(nodes["front"]))
        yield Nodes(**nodes)
    finally:
        for node in reversed(nodes.values()):
            node.stop()


# ---- each in a process of its own, to be killed -------------------------------------------------


@contextmanager
def to_be_killed(folder: Path, place: Place, key: str = KEY) -> Iterator[dict[str, Service]]:
    """Run the nodes, each in a process of its own."""
    nodes = services_of(ROLES, folder, place, key)
    try:
        for node in nodes.values():
            node.start()
        wait_until(lambda: is_ready(nodes["front"]))
        yield nodes
    finally:
        for node in nodes.values():
            node.kill()


def services_of(roles: Mapping[str, str], folder: Path, place: Place, key: str = KEY) -> dict[str, Service]:
    """Return nodes that do this, not started yet; those called front have no key."""
    nodes = {}
    for name, does in roles.items():
        (folder / name).mkdir()
        keyed = {} if name.startswith("front") else {"key": key}
        nodes[name] = Service(place.databases[name], place.buses[name], folder / name, roles=does, **keyed)
    return nodes


# ---- what tests ask -----------------------------------------------------------------------------


def client_of(folder: Path) -> httpx.Client:
    return httpx.Client(base_url=(folder / "url").read_text().strip() + "/api/v1", timeout=30)


def health(node: Node, path: str = "/health/ready") -> httpx.Response:
    return httpx.get((node.folder / "url").read_text().strip() + path, timeout=60)


def is_ready(node: Node) -> bool:
    return health(node).status_code == 200


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def begun(node: Node) -> Table:
    """Return a table whose first cup has been rolled."""
    table = Table(node, RULES)
    with node.client() as client:
        wait_until(lambda: table.view(client)["dice_in_play"] == 6)
    return table


def turn_of(table: Table, client: httpx.Client) -> tuple[str, int, dict[str, Any]] | None:
    """Return token, seat and a bid for the person whose turn it is; None while it is a bot's."""
    for seat, token in enumerate(table.tokens, start=1):
        view = table.view(client, token)
        if view["turn"] == seat:
            bid = next((move for move in view["moves"] if move["type"] == "bid"), None)
            if bid is not None:
                quantity, face = bid["minimum"][0]
                return token, seat, {"type": "bid", "quantity": quantity, "face": face}
    return None


def to_bid(node: Node) -> tuple[Table, str, dict[str, Any]]:
    """Return a table at which it is a person's turn, with that token and a bid."""
    while True:
        table = begun(node)
        with node.client() as client:
            for _ in range(100):
                found = turn_of(table, client)
                if found is not None:
                    return table, found[0], found[2]
                if table.view(client)["standing"] is not None and table.view(client)["phase"] == "finished":
                    break


class Reader:
    """Reads a stream to its end, beside the test."""

    def __init__(self, node: Node, path: str, token: str | None) -> None:
        self.lines: list[bytes] = []
        self._read = threading.Event()
        headers = NDJSON if token is None else NDJSON | bearer(token)
        self._thread = threading.Thread(target=self._run, args=(node, f"{path}/stream", headers), daemon=True)
        self._thread.start()
        assert self._read.wait(WAIT_S), "the stream does not begin"

    def _run(self, node: Node, path: str, headers: dict[str, str]) -> None:
        # Who reads when a node is killed has read what there was.
        with (
            suppress(httpx.TransportError),
            node.client() as client,
            client.stream("GET", path, headers=headers) as told,
        ):
            for line in told.iter_lines():
                if line:
                    self.lines.append(line.encode())
                    self._read.set()

    def ended(self) -> list[bytes]:
        """Return all lines, once the stream has ended."""
        self._thread.join(WAIT_S)
        assert not self._thread.is_alive(), "the stream does not end"
        assert json.loads(self.lines[-1]).keys() == {"ended"}
        return self.lines
