"""Nodes without a dealer: each says so, waits within a bound, and loses and doubles nothing."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from time import monotonic
from typing import Any
from uuid import uuid4

import httpx
import pytest
import pytest_asyncio

from services.local.nats import EmbeddedNats
from tests.crash.house import WAIT_S, Service, wait_until
from tests.crash.test_killed import assert_kept
from tests.handoff.nodes import (
    Place,
    Reader,
    bearer,
    begun,
    health,
    is_ready,
    logins,
    to_be_killed,
    to_bid,
)
from tests.hosting import TEMPLATE, a_database
from tests.socket.speaking import speaking

Nodes = dict[str, Service]


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def nodes(tmp_path_factory: pytest.TempPathFactory, postgres_dsn: str) -> AsyncIterator[Nodes]:
    folder = tmp_path_factory.mktemp("nodes")
    bus = EmbeddedNats(folder / "nats")
    await bus.start()
    async with a_database(postgres_dsn, TEMPLATE) as database, logins(database) as databases:
        with to_be_killed(folder, Place(databases, dict.fromkeys(databases, bus.url))) as nodes:
            yield nodes
    await bus.stop()


def served(ask: Callable[[], httpx.Response]) -> httpx.Response:
    """Return the first answer that is not to ask again: that a dealer is back is known before it can store."""
    deadline = monotonic() + WAIT_S
    while (answer := ask()).status_code == httpx.codes.SERVICE_UNAVAILABLE:
        assert monotonic() < deadline, answer.text
    return answer


def keyed(token: str) -> dict[str, str]:
    return bearer(token) | {"Idempotency-Key": str(uuid4())}


def test_without_a_dealer_a_node_is_not_ready_and_a_repeat_is_answered_once_it_is_back(nodes: Nodes) -> None:
    front = nodes["front"]
    table, token, bid = to_bid(front)
    reader, headers = Reader(front, table.path, token), keyed(token)
    nodes["dealer"].kill()
    with front.client() as client:
        refused = client.post(f"{table.path}/commands", json=bid, headers=headers)
        assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        assert refused.headers["retry-after"]
        assert client.get(table.path, headers=bearer(token)).status_code == 503
        assert client.get(table.path).status_code == 200, "what is public needs no dealer"
        expected = {"status": "not_ready", "reasons": {"dealer": "no dealer answers"}}
        wait_until(lambda: health(front).json() == expected)
        assert health(front).status_code == 503
        assert health(front, "/health/live").status_code == 200
        nodes["dealer"].start()
        wait_until(lambda: is_ready(front))
        done = served(lambda: client.post(f"{table.path}/commands", json=bid, headers=headers))
        assert done.status_code == 200, done.text
        assert client.post(f"{table.path}/commands", json=bid, headers=headers).content == done.content
    table.finish()
    assert_kept(table)
    assert len(reader.ended()) > 2


def test_without_a_dealer_a_command_on_a_socket_is_told_so_and_its_repeat_is_done_once(nodes: Nodes) -> None:
    front = nodes["front"]
    table, token, bid = to_bid(front)
    headers = keyed(token)
    asked = {"match": table.id, "token": token, "key": headers["Idempotency-Key"], "command": bid}
    with speaking(front) as speaker:
        assert speaker.ask(do="watch", id="eyes", match=table.id, token=token)["status"] == 200
        nodes["dealer"].kill()
        refused = speaker.ask(do="command", **asked)
        assert (refused["status"], refused["code"]) == (503, "unavailable")
        nodes["dealer"].start()
        wait_until(lambda: is_ready(front))
        deadline = monotonic() + WAIT_S
        while (done := speaker.ask(do="command", **asked))["status"] == httpx.codes.SERVICE_UNAVAILABLE:
            assert monotonic() < deadline, done
        assert done["status"] == 200, done
        while not any(said.get("frame", {}).get("version") == done["version"] for said in speaker.kept):
            speaker.kept.append(speaker.hear())
    with front.client() as client:
        again = client.post(f"{table.path}/commands", json=bid, headers=headers)
    assert {**again.json(), "id": done["id"], "status": 200} == done
    table.finish()
    assert_kept(table)


@pytest.mark.long
def test_a_dealer_that_hangs_is_not_waited_for_and_takes_a_command_once_when_it_wakes(nodes: Nodes) -> None:
    """What was sent to it may be done when it wakes: the repeat with the same key is answered with that."""
    front, pid = nodes["front"], nodes["dealer"].pid
    table, token, bid = to_bid(front)
    headers = keyed(token)

    def ask() -> Any:
        with front.client() as client:
            return client.post(f"{table.path}/commands", json=bid, headers=headers)

    with ThreadPoolExecutor(1) as pool:
        os.kill(pid, signal.SIGSTOP)
        try:
            asked = pool.submit(ask)
            wait_until(lambda: health(front).json()["reasons"] == {"dealer": "no dealer answered in time"})
            with front.client() as client:
                assert client.get(table.path).status_code == 200
            assert asked.result().status_code == 503
        finally:
            os.kill(pid, signal.SIGCONT)
    wait_until(lambda: is_ready(front))
    done = served(ask)
    assert done.status_code == 200, done.text
    assert ask().content == done.content
    table.finish()
    assert_kept(table)


@pytest.mark.long
def test_a_dealer_killed_again_and_again_loses_and_doubles_nothing(nodes: Nodes) -> None:
    table = begun(nodes["front"])
    readers = [Reader(nodes["front"], table.path, token) for token in table.tokens]
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(table.finish, 120)
        for _ in range(4):
            said = len(table.sent)
            wait_until(lambda: len(table.sent) > said or playing.done())  # noqa: B023 - asked before it changes
            nodes["dealer"].kill()
            nodes["dealer"].start()
        playing.result()
    assert_kept(table)
    for reader in readers:
        versions = [json.loads(line)["version"] for line in reader.ended()[1:-1]]
        assert versions == list(range(versions[0], versions[0] + len(versions)))


def test_no_node_writes_a_token_down_and_only_keyed_ones_have_a_key(nodes: Nodes) -> None:
    to_bid(nodes["front"])
    told = {name: (node.folder / "service.log").read_text() for name, node in nodes.items()}
    assert not any("truecup_seat_" in log for log in told.values())
    assert not (nodes["front"].folder / "key").exists()
    assert "running at http" in told["front"]
    assert "without pages" in told["relay"]
