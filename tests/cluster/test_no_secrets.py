"""A node that only shows holds no secret: not in its memory, its environment, its files or its rights."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import httpx
import pytest
import pytest_asyncio
from msgspec import Struct

from infra.entropy import draw
from services.local.nats import EmbeddedNats
from tests.cluster.memory import family, forms, found_in
from tests.crash.house import Service, Table
from tests.handoff.nodes import Place, Reader, bearer, logins, to_be_killed, to_bid
from tests.hosting import TEMPLATE, a_database
from tests.store.rights import listed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows the memory of a process as a file")
KEY = draw(32)
"""No pattern: the bytes of one could stand in any memory."""
READS = 300
OF_EACH = 2
"""Openings of each cup that are looked for: of one of them all of the other is known to whoever has the key."""
PATHS = ("", "/replay", "/record", "/access", "/openings", "/lines?after=0", "/policy", "/bots")


class Looked(Struct):
    """A house that is looked into: its nodes, and where the one that shows finds the database."""

    nodes: dict[str, Service]
    database: str


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def looked(tmp_path_factory: pytest.TempPathFactory, postgres_dsn: str) -> AsyncIterator[Looked]:
    folder = tmp_path_factory.mktemp("nodes")
    bus = EmbeddedNats(folder / "nats")
    await bus.start()
    async with a_database(postgres_dsn, TEMPLATE) as database, logins(database) as databases:
        with to_be_killed(folder, Place(databases, dict.fromkeys(databases, bus.url)), KEY.hex()) as nodes:
            yield Looked(nodes, databases["front"])
    await bus.stop()


def secrets_of(table: Table) -> dict[str, list[bytes]]:
    """Return what a spectator may not know of a match that goes on: tokens, and what opens hidden dice."""
    told = {f"token {number}": [token.encode()] for number, token in enumerate(table.tokens)}
    with table.service.client() as client:
        for token in table.tokens:
            for opening in client.get(f"{table.path}/openings", headers=bearer(token)).raise_for_status().json():
                found = _salts(opening, f"seat {opening['cup']}")
                told |= dict(list(found.items())[:OF_EACH])
    assert len(told) > len(table.tokens)
    return told


def _salts(told: Any, name: str) -> dict[str, list[bytes]]:
    """Return whatever opens a commitment in a document: the strings of it that are 16 bytes and more in hex."""
    if isinstance(told, dict):
        return {key: each for part, value in told.items() for key, each in _salts(value, f"{name} {part}").items()}
    if isinstance(told, list):
        return {key: each for at, value in enumerate(told) for key, each in _salts(value, f"{name}.{at}").items()}
    try:
        secret = bytes.fromhex(told)
    except (TypeError, ValueError):
        return {}
    return {name: forms(secret)} if len(secret) >= 16 else {}


def read_much(front: Service, table: Table) -> None:
    """Ask a node for whatever it serves of a match, again and again."""
    stream = Reader(front, table.path, None)
    with front.client() as client:
        for number in range(READS):
            answer = client.get(table.path + PATHS[number % len(PATHS)])
            assert answer.status_code < httpx.codes.INTERNAL_SERVER_ERROR, answer.text
    with httpx.Client(base_url=front.url, timeout=30) as pages:
        for path in ("/", table.path, f"{table.path}/replay", "/matches", "/statistics"):
            pages.get(path, headers={"Accept": "text/html"})
    assert json.loads(stream.lines[0])


def test_its_memory_never_has_the_key_a_token_or_what_opens_a_hidden_die(looked: Looked) -> None:
    """Beside that of this process, in which all of it is found, and of those that have the key."""
    front, dealer, relay = (looked.nodes[name] for name in ("front", "dealer", "relay"))
    table, _, _ = to_bid(dealer)
    wanted = {"key": forms(KEY), **secrets_of(table)}
    read_much(front, table)
    assert found_in(os.getpid(), wanted) == set(wanted)
    # What a request brought or was answered is in a dealer's memory until that is used again.
    for keyed in (dealer, relay):
        assert found_in(keyed.pid, {"key": wanted["key"]}) == {"key"}
    for pid in family(front.pid):
        assert found_in(pid, wanted) == set()
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        assert not any(form in environment for each in wanted.values() for form in each)
    written = [(Path(folder) / name).read_bytes() for folder, _, names in os.walk(front.folder) for name in names]
    assert written
    assert not any(form in text for text in written for each in wanted.values() for form in each)


async def test_its_login_reads_no_table_that_holds_a_secret(looked: Looked) -> None:
    closed = [name for name, may in listed("table").items() if "select" not in may["truecup_api"]]
    assert {"vault.secret", "token", "player_token", "own_seeds", "command"} <= set(closed)
    connection = await asyncpg.connect(looked.database)
    for reset in ("set role truecup_api", "reset role"):
        await connection.execute(reset)
        for table in closed:
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await connection.fetch(f"select * from {table} limit 1")
    await connection.close()
