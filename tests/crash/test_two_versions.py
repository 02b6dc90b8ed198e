"""A rolling upgrade: two nodes of other versions, and a line that only one of them knows stops no other match."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest

from domain.log import canonical
from domain.statistics.tallies import tally_of_match, total_of
from infra.store import Append, Appended
from infra.store.postgres import PostgresStore, open_store
from tests.crash.conftest import Lasting
from tests.crash.house import Service, Table, health_of
from tests.crash.test_killed import assert_kept, watched
from tests.relay.playing import eventually
from tests.relay.poison import SECRET, later_version, poison, poison_access, waved

RULES: dict[str, Any] = {"options": {"dice_per_player": 2}, "seats": 3}
KEY = "c3" * 32
PATIENCE_S = 60.0
LOOK_S = 0.5
FOLLOWERS = {"frames", "lobby", "statistics", "reads"}
"""Those who read every match: each finds for itself what it cannot read, and when it comes to it, if it does."""
NEWER = Path(__file__).with_name("newer.py")


@pytest.fixture
def nodes(lasting: Lasting, tmp_path: Path) -> Iterator[tuple[Service, Service]]:
    """Return an earlier version and a later one over the same servers."""
    found: list[Service] = []
    for name, program in (("earlier", ()), ("later", (str(NEWER),))):
        (tmp_path / name).mkdir()
        found.append(Service(lasting.database_url, lasting.nats_url, tmp_path / name, *program, key=KEY))
    try:
        for node in found:
            node.start()
        yield found[0], found[1]
    finally:
        for node in found:
            node.stop()


async def wave(store: PostgresStore, stream: str) -> int:
    """Let somebody wave at a match that is being played, and return the version it led to."""
    while True:
        lines = await store.read(stream)
        line = waved(stream, len(lines), canonical.head(lines[-1]))
        command = bytes.fromhex(canonical.head(line))
        outcome = await store.append(Append(stream, len(lines), (line,), command, command, b"{}"))
        if isinstance(outcome, Appended):
            return outcome.version


def asked(node: Service, path: str) -> Any:
    with node.client() as client:
        return client.get(path).raise_for_status().json()


def code_of(answer: httpx.Response) -> tuple[int, str | None]:
    return answer.status_code, answer.json().get("code")


def stuck(node: Service) -> dict[str, float]:
    """Return how many matches each work of a node cannot go on with."""
    text = httpx.get(f"{node.url}/metrics", timeout=60).text
    lines = [line for line in text.splitlines() if line.startswith("truecup_matches_unreadable{")]
    return {line.split('"')[1]: float(line.rpartition(" ")[2]) for line in lines}


def assert_contained(node: Service, table: Table) -> None:
    """A match that a node cannot read is a problem of its own there, and is told wherever one may look."""
    headers = {"Authorization": f"Bearer {table.tokens[0]}"}
    with node.client() as client:
        for path in ("", "/replay", "/stream"):
            assert code_of(client.get(f"{table.path}{path}")) == (503, "unreadable")
        sent = client.post(f"{table.path}/commands", json={"type": "challenge"}, headers=headers)
        assert code_of(sent) == (503, "unreadable")
        assert SECRET in client.get(f"{table.path}/record").text, "whoever can read it may have it"
    page = httpx.get(f"{node.url}/m/{table.id}", timeout=60)
    assert (page.status_code, page.headers["content-type"]) == (503, "text/html; charset=utf-8")
    status, reasons = health_of(node)
    assert (status, reasons.keys() - {"log"}) == (200, {"matches"})


async def assert_told(node: Service, store: PostgresStore, stream: str) -> None:
    """Every follower of a node says once that it cannot read a match, and none says what stands in it.

    A publisher whom the later version has overtaken goes on behind the frames that are published, and may so never come
    to a line among them: it is given another, until it was first.
    """
    works: set[str] = set()
    deadline = monotonic() + PATIENCE_S
    while not (works >= FOLLOWERS and node.log.count("match.stuck") == len(works)):
        assert monotonic() < deadline, (works, node.log.count("match.stuck"))
        if works and "frames" not in works:
            await wave(store, stream)
        await asyncio.sleep(LOOK_S)
        works = {work for work, number in (await asyncio.to_thread(stuck, node)).items() if number == 1}
    assert "game.waved v1" in node.log
    assert SECRET not in node.log


@pytest.mark.long
async def test_a_line_that_only_the_later_version_knows_stops_no_other_match(
    lasting: Lasting, nodes: tuple[Service, Service]
) -> None:
    earlier, later = nodes
    store = await open_store(lasting.database_url, "truecup_dealer")
    table, other = [await asyncio.to_thread(Table, later, RULES, seed) for seed in (1, 2)]
    stream = f"match/{table.id}"
    watching = asyncio.create_task(asyncio.to_thread(watched, later, table.path))
    await wave(store, stream)

    # The other match goes on at the earlier version, to its end and its proof.
    other.service = earlier
    await asyncio.to_thread(other.finish)
    await asyncio.to_thread(assert_kept, other)

    await asyncio.to_thread(assert_contained, earlier, table)
    await assert_told(earlier, store, stream)

    # At the later version it goes on as if nothing had been, and whoever watches there misses nothing.
    await asyncio.to_thread(table.finish)
    assert health_of(later)[1].keys() <= {"log"}
    versions = await asyncio.wait_for(watching, 60)
    assert versions == list(range(versions[0], versions[0] + len(versions)))
    assert versions[-1] == len(await store.read(stream))
    await store.close()


@pytest.mark.long
async def test_an_earlier_version_starts_again_whatever_it_cannot_read_and_a_later_one_takes_it_up(
    lasting: Lasting, nodes: tuple[Service, Service]
) -> None:
    earlier, later = nodes
    later.kill()
    store = await open_store(lasting.database_url, "truecup_dealer")
    tables = [await asyncio.to_thread(Table, earlier, RULES, seed) for seed in (1, 2)]
    await wave(store, f"match/{tables[0].id}")
    await poison_access(store, tables[1].id)
    earlier.kill()
    earlier.start()
    third = await asyncio.to_thread(Table, earlier, RULES, 3)
    await asyncio.to_thread(third.finish)
    await asyncio.to_thread(assert_kept, third)
    assert health_of(earlier)[0] == 200
    earlier.kill()

    later.start()
    for table in (tables[0], third):
        table.service = later
    await asyncio.to_thread(tables[0].finish)
    lines = [await store.read(f"match/{table.id}") for table in (*tables, third)]

    with later_version():
        whole = total_of(tally_of_match(each) for each in lines)
    dice = sum(sum(cells) for question, cells in whole.counts.items() if question[1:3] == ("faces", "all"))

    async def is_made_up_for() -> bool:
        counted = await asyncio.to_thread(asked, later, "/statistics")
        rows = await asyncio.to_thread(asked, later, "/matches?state=ended")
        ended = {one["match"]: one["version"] for one in rows}
        return counted["dice"] == dice and ended == {tables[0].id: len(lines[0]), third.id: len(lines[2])}

    await eventually(is_made_up_for)
    earlier.start()
    await store.close()


async def test_a_node_that_is_alone_with_lines_nobody_knows_goes_on(lasting: Lasting, service: Service) -> None:
    """One of them of a match, one of who saw what in another."""
    store = await open_store(lasting.database_url, "truecup_dealer")
    short: dict[str, Any] = {"options": {"dice_per_player": 1}, "seats": 3}
    match, seen = [await asyncio.to_thread(Table, service, short, seed) for seed in (1, 2)]
    await wave(store, f"match/{match.id}")
    await poison(store, "no match at all")
    await poison_access(store, seen.id)
    other = await asyncio.to_thread(Table, service, RULES)
    await asyncio.to_thread(other.finish)
    await asyncio.to_thread(assert_kept, other)
    assert health_of(service)[0] == 200
    assert json.dumps(SECRET) not in service.log
    await store.close()
