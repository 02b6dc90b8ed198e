"""A bus that lets each role do what `.docs/roles.md` says: a house plays on it, and nobody there can do more."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path

import nats
import pytest
import pytest_asyncio
from nats.aio.client import Client

from services.local.child import Child
from services.local.nats import binary
from tests.crash.house import Table
from tests.handoff.nodes import RULES, Nodes, Place, Reader, bearer, beside_each_other, logins, to_bid
from tests.hosting import TEMPLATE, a_database
from tests.store.rights import DOCUMENT

ROOT = DOCUMENT.parents[1]
SEATS = ', "truecup.seat.*.*"'
ALL_HEAR = {"truecup.committed.1", "truecup.looked.m", "truecup.listening"}
TO_ONE = "truecup.handoff.d"
MAY: dict[str, tuple[set[str], set[str]]] = {
    "api": (
        {"truecup.handoff", TO_ONE, "truecup.looked.m", "truecup.listening", "truecup.said.m"},
        ALL_HEAR
        | {"truecup.frames.1.m", "truecup.seat.m.1", "truecup.said.m", "truecup.dealers", "truecup.inbox.api.a"},
    ),
    "relay": ({"truecup.frames.1.m", "truecup.seat.m.1", "truecup.entrant.t.1"}, ALL_HEAR | {"truecup.inbox.relay.a"}),
    "dealer": (
        {
            "truecup.committed.1",
            "truecup.dealers",
            "truecup.inbox.api.a",
            "truecup.inbox.relay.a",
            "truecup.inbox.dealer.a",
        },
        ALL_HEAR | {TO_ONE, "truecup.dealers"},
    ),
}
"""What each role may publish, and what it may hear."""
SUBJECTS = set().union(*(publish | hear for publish, hear in MAY.values())) | {"truecup.handoff", "anything.else"}


def documented() -> str:
    """Return the permissions as the page has them."""
    found = re.search(
        r"^```\n(authorization \{.*?)^```$", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert found is not None
    return found[1]


class Bus:
    """A server with these permissions."""

    def __init__(self, folder: Path, permissions: str) -> None:
        folder.mkdir()
        self._folder = folder
        settings = f'host: 127.0.0.1\nport: -1\nports_file_dir: "{folder}"\njetstream {{ store_dir: "{folder}/js" }}\n'
        (folder / "nats.conf").write_text(settings + permissions, encoding="utf-8")
        self._child = Child("NATS", [str(binary()), "-c", str(folder / "nats.conf")], folder / "nats.log")

    async def start(self) -> None:
        await self._child.ready(lambda: self._ports.exists() and self._ports.read_text().endswith("}"))

    @property
    def _ports(self) -> Path:
        return self._folder / f"nats-server_{self._child.pid}.ports"

    def url(self, user: str) -> str:
        address = json.loads(self._ports.read_text())["nats"][0].removeprefix("nats://")
        return f"nats://{user}:change-me@{address}"

    async def stop(self) -> None:
        await self._child.stop()


@pytest_asyncio.fixture
async def bus(tmp_path: Path) -> AsyncIterator[Bus]:
    bus = Bus(tmp_path / "nats", documented())
    await bus.start()
    yield bus
    await bus.stop()


async def playing(folder: Path, postgres_dsn: str, permissions: str) -> AsyncIterator[Nodes]:
    bus = Bus(folder / "nats", permissions)
    await bus.start()
    async with a_database(postgres_dsn, TEMPLATE) as database, logins(database) as databases:
        users = {"front": "api", "relay": "relay", "dealer": "dealer"}
        place = Place(databases, {node: bus.url(user) for node, user in users.items()})
        with beside_each_other(folder, place, dealer="dealer,bots") as nodes:
            yield nodes
    await bus.stop()


@pytest_asyncio.fixture(params=["as documented", "without the dice of all seats"])
async def nodes(request: pytest.FixtureRequest, tmp_path: Path, postgres_dsn: str) -> AsyncIterator[Nodes]:
    permissions = documented()
    if request.param != "as documented":
        hearing = 'subscribe: ["truecup.frames.*.*"'
        assert hearing + SEATS in permissions
        permissions = permissions.replace(hearing + SEATS, hearing)
    async for nodes in playing(tmp_path, postgres_dsn, permissions):
        yield nodes


def test_every_subject_of_the_project_is_in_the_list() -> None:
    drivers = [path.read_text(encoding="utf-8") for path in (ROOT / "infra").rglob("*.py")]
    written = "".join(text for text in drivers if "from nats" in text)
    listed = set(re.findall(r"^\| `truecup\.(\w+)", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r'(?<!"ce-type": )"truecup\.(\w+)', written))
    assert sorted(listed) == sorted(named)


def test_a_match_is_played_over_a_bus_with_these_permissions(nodes: Nodes) -> None:
    table = Table(nodes.front, RULES)
    readers = [Reader(nodes.front, table.path, token) for token in (None, *table.tokens)]
    table.finish()
    assert table.audited().status == "OK"
    for reader in readers:
        versions = [json.loads(line)["version"] for line in reader.ended()[1:-1]]
        assert versions == list(range(versions[0], versions[0] + len(versions)))
    table, token, bid = to_bid(nodes.front)
    with nodes.front.client() as client:
        assert client.post(f"{table.path}/commands", json=bid, headers=bearer(token)).status_code == 200


@pytest.mark.parametrize("role", MAY)
async def test_a_role_publishes_and_hears_what_it_has_to_and_no_more(bus: Bus, role: str) -> None:
    publish, hear = MAY[role]
    assert {one for one in SUBJECTS if await may(bus.url(role), publishing=one)} == publish
    assert {one for one in SUBJECTS if await may(bus.url(role), hearing=one)} == hear
    for everything in (">", "truecup.>", "truecup.inbox.>", "truecup.handoff", "_INBOX.>"):
        assert not await may(bus.url(role), hearing=everything)


async def test_only_a_dealer_takes_questions_and_only_as_one_of_all_dealers(bus: Bus) -> None:
    assert await may(bus.url("dealer"), hearing="truecup.handoff", queue="dealers")
    assert not await may(bus.url("dealer"), hearing="truecup.handoff", queue="mine")
    for role in ("api", "relay"):
        assert not await may(bus.url(role), hearing="truecup.handoff", queue="dealers")


async def may(url: str, *, publishing: str = "", hearing: str = "", queue: str = "") -> bool:
    """Report whether the server lets this user do one thing."""
    denied = asyncio.Event()

    async def refused(fault: Exception) -> None:
        assert "permissions violation" in str(fault).lower()
        denied.set()

    client: Client = await nats.connect(url, error_cb=refused, allow_reconnect=False, connect_timeout=60)
    if publishing:
        await client.publish(publishing, b"")
    else:
        await client.subscribe(hearing, queue=queue)
    for _ in range(2):  # as `infra.bus.flush` does
        await client.flush(timeout=60)
    await client.close()
    return not denied.is_set()
