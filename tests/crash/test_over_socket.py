"""The socket, with the real store behind it: whatever is killed or cut, commands are done once and frames come once."""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Literal

import httpx
import psutil
import pytest
from websockets.client import ClientProtocol
from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.frames import Frame
from websockets.protocol import OPEN
from websockets.uri import parse_uri

from tests.adversity.proxy import Proxy, proxied
from tests.crash.conftest import Lasting
from tests.crash.gate import Gate, Moment
from tests.crash.house import Sent, Service, Table, wait_until
from tests.crash.listening import Listener
from tests.crash.test_killed import assert_kept
from tests.door.sending import Client
from tests.endurance.nodes import Nodes
from tests.handoff.nodes import to_bid
from tests.sizes import cases, spread
from tests.socket.framing import closed_with, frame, opened
from tests.socket.speaking import encoded, key, speaking

PATIENCE_S = 120.0
RULES: dict[str, Any] = {"options": {"dice_per_player": 2}, "seats": 3}
NOBODY_KNOWS = Moment("a bid is stored, and nobody knows", "append_set", ("game.bid",), ('"seat":3',), "answer")
NOT_STORED = Moment("a bid is decided, and not stored", "append_set", ("game.bid",), ('"seat":3',))
"""The third seat is a bot's."""
LOST = ((NOT_STORED, "killed"), (NOT_STORED, "cut off"), (NOBODY_KNOWS, "cut off"), (NOBODY_KNOWS, "killed"))
"""Where a command is lost, and what becomes of the program: of either, the first and the third have both."""


def about(sent: Sent) -> dict[str, Any]:
    """Return a command as a message of the socket."""
    token, name = sent.headers["Authorization"].removeprefix("Bearer "), sent.headers["Idempotency-Key"]
    return {"match": sent.path.split("/")[2], "token": token, "key": name, "command": sent.body}


def over_socket(service: Service, sent: Sent) -> dict[str, Any]:
    """Return what a command is answered on a new socket, by a service that may still be starting."""
    deadline = monotonic() + PATIENCE_S
    while True:
        assert monotonic() < deadline, "nobody answers"
        try:
            with speaking(service) as speaker:
                said = speaker.ask(do="command", **about(sent))
        except (OSError, WebSocketException):
            sleep(0.05)
            continue
        if said["status"] != 503:
            return said
        sleep(0.05)


@pytest.mark.parametrize(("moment", "fate"), spread(LOST, 2), ids=lambda one: one if isinstance(one, str) else one.name)
async def test_a_command_that_is_lost_at_the_commit_is_answered_on_another_socket_and_done_once(
    lasting: Lasting, tmp_path: Path, moment: Moment, fate: Literal["killed", "cut off"]
) -> None:
    """The program dies with the command in its hands, or its connection to the database does."""
    async with AsyncExitStack() as ending:
        short = Path(ending.enter_context(tempfile.TemporaryDirectory(prefix="truecup")))
        gate = await ending.enter_async_context(proxied(lasting.database_url, Gate(moment).listener, below=short))
        service = Service(gate.url, lasting.nats_url, tmp_path)
        ending.callback(service.kill)
        await asyncio.to_thread(service.start)
        await asyncio.to_thread(_lost, service, gate, asyncio.get_running_loop(), fate)


def _lost(service: Service, gate: Proxy, loop: asyncio.AbstractEventLoop, fate: str) -> None:
    table, token, bid = to_bid(service)
    sent = Sent(f"{table.path}/commands", bid, token, key())
    with speaking(service) as speaker:
        speaker.say({"id": 1, "do": "command", **about(sent)})
        asyncio.run_coroutine_threadsafe(gate.reached.wait(), loop).result(PATIENCE_S)
        if fate == "killed":
            service.kill()
        loop.call_soon_threadsafe(gate.break_off)
        if fate == "killed":
            with pytest.raises(ConnectionClosed):
                speaker.hear()
            service.start()
        else:
            assert speaker.hear()["status"] in {200, 503}
    said = over_socket(service, sent)
    assert said["status"] == 200, said
    assert over_socket(service, sent) == {**said, "id": said["id"] + 1}
    with service.client() as client:
        sent.answer = sent.again(client)
    assert json.loads(sent.answer) == {name: said[name] for name in said if name not in {"id", "status"}}
    table.sent.append(sent)
    table.finish()
    assert_kept(table)


# ---- two nodes ----------------------------------------------------------------------------------


class SentTwice(Sent):
    """A command that is sent to both nodes at once, to one over the socket and to the other over HTTP, with one key."""

    nodes: Nodes
    """Set before any is sent."""
    turns = itertools.count()

    def send(self, _client: httpx.Client) -> httpx.Response:
        one, other = self.nodes.each if next(self.turns) % 2 else self.nodes.each[::-1]
        with ThreadPoolExecutor(1) as pool, other.client() as beside:
            over_http = pool.submit(super().send, beside)
            said, answer = over_socket(one, self), over_http.result(PATIENCE_S)
        if answer.status_code == 200:
            assert {**answer.json(), "id": said["id"], "status": 200} == said
        assert answer.status_code in {said["status"], 503}, (answer.text, said)
        return answer


async def test_two_nodes_are_one_house_over_the_socket_and_over_http(lasting: Lasting, tmp_path: Path) -> None:
    """Every command goes to both at once; seats are lost and come back, here or there, and get every frame once."""
    nodes = Nodes(lasting, tmp_path)
    await asyncio.to_thread(nodes.start)
    try:
        await asyncio.to_thread(_played_by_two, nodes)
    finally:
        await asyncio.to_thread(nodes.stop)


def _played_by_two(nodes: Nodes) -> None:
    SentTwice.nodes = nodes
    for seed in range(cases(1, 20)):
        table = Table(nodes, RULES, seed, SentTwice)
        listeners = [Listener(nodes.each, table.id, token, seed + at) for at, token in enumerate(table.tokens)]
        table.finish()
        for seat, listener in enumerate(listeners, start=1):
            listener.check(seat)
        assert_kept(table)


# ---- clients that do their worst ----------------------------------------------------------------

COMMANDS = 1_000
HALVES = 100
KEPT_MAX = 48 << 20
"""Bytes by which the program may grow: less than one message that it refuses, and there are three of those."""
REFUSALS = {"too_many_requests", "not_your_turn", "claim_not_higher", "count_out_of_range"}
"""What a bid may be told that came too soon, or behind one that did."""


class SentOver(Sent):
    """A command of an honest player, sent on a socket of its own."""

    service: Service
    """Set before any is sent."""

    def send(self, client: httpx.Client) -> httpx.Response:
        said = over_socket(self.service, self)
        answer = super().send(client)
        assert answer.status_code in {said["status"], 503}, "what HTTP says of a repeat the socket has said"
        return answer


def bidding(service: Service) -> list[dict[str, Any]]:
    """Open a table for two, and return a thousand commands that bid ever more, by turns."""
    options = {"dice_per_player": 10, "elimination": "none", "wild": "never", "bid_aces": "as_ones"}
    with service.client() as client:
        rules = {"game": "common_hand", "pause_ms": 0, "seats": 2, "options": options}
        host = client.post("/matches", json={"rules": rules}).raise_for_status().json()
        path = f"/matches/{host['match']}"
        seats = [client.post(f"{path}/seats", json={"name": name}).raise_for_status().json() for name in ("Eve", "Mal")]
        bearer = {"Authorization": f"Bearer {host['token']}"}
        client.post(f"{path}/start", headers=bearer).raise_for_status()
        wait_until(lambda: client.get(path).json()["phase"] == "claiming")
        first = client.get(path).json()["turn"] - 1
    return [
        {
            "match": host["match"],
            "token": seats[(first + number) % 2]["token"],
            "key": key(),
            "command": {"type": "bid", "quantity": number // 6 + 1, "face": number % 6 + 1},
        }
        for number in range(COMMANDS)
    ]


def send_without_reading(client: Client, asked: list[dict[str, Any]]) -> threading.Thread:
    """Send commands, as far as they are taken, in a thread of their own."""
    data = b"".join(frame(encoded({"id": number, "do": "command", **one})) for number, one in enumerate(asked))
    sending = threading.Thread(target=client.send, args=(data,), daemon=True)
    sending.start()
    return sending


def answers_in(client: Client, count: int) -> list[dict[str, Any]]:
    """Return so many messages of a socket on which nothing was read."""
    frames, said = ClientProtocol(parse_uri("ws://127.0.0.1/"), state=OPEN), list[dict[str, Any]]()
    while len(said) < count:
        frames.receive_data(client.take())
        said += [json.loads(bytes(one.data)) for one in frames.events_received() if isinstance(one, Frame)]
    return said


def test_clients_at_their_worst_are_told_so_and_cost_little_while_others_play(service: Service) -> None:
    """Garbage, messages of 64 MiB, half of one and silence, a thousand commands before any answer is read."""
    SentOver.service, port = service, int(service.url.rpartition(":")[2])
    asked, process = bidding(service), psutil.Process(service.pid)
    honest = Table(service, RULES, sending=SentOver)
    before = process.memory_info().rss
    with ThreadPoolExecutor(1) as pool, ExitStack() as bad:
        playing = pool.submit(honest.finish)
        halves = [bad.enter_context(opened(port, f"127.0.0.{2 + number % 50}")) for number in range(HALVES)]
        for half in halves:
            half.send(frame(b'{"id": 1, "do":', length=100))
        deaf = bad.enter_context(opened(port, "127.0.0.100", receives=4_096))
        deaf.until(b"\r\n\r\n")
        sending = send_without_reading(deaf, asked)
        for source in ("127.0.0.101", "127.0.0.102", "127.0.0.103"):
            with opened(port, source) as huge:
                huge.until(b"\r\n\r\n")
                huge.send(frame(b"", length=64 << 20))
                assert closed_with(huge.until_closed()) == 1009
            with opened(port, source) as huge:
                huge.until(b"\r\n\r\n")
                huge.send(frame(b"", length=64 << 20))
                assert not all(huge.send(bytes(1 << 16)) for _ in range(1 << 10)), "all of it was taken"
        with opened(port, "127.0.0.104") as garbage:
            garbage.until(b"\r\n\r\n")
            garbage.send(random.Random(1).randbytes(100_000))
            assert closed_with(garbage.until_closed()) in {1002, 1003, 1009}
        playing.result(PATIENCE_S)
        assert process.memory_info().rss - before < KEPT_MAX
        said = answers_in(deaf, COMMANDS)
        sending.join(PATIENCE_S)
    assert_kept(honest)
    assert_done_once(service, asked, said)


def assert_done_once(service: Service, asked: list[dict[str, Any]], said: list[dict[str, Any]]) -> None:
    """Each command was answered once, in order, and those that were granted are the bids there are."""
    assert [one["id"] for one in said] == list(range(COMMANDS))
    granted = [number for number, one in enumerate(said) if one["status"] == 200]
    assert {one["code"] for one in said if one["status"] != 200} <= REFUSALS
    assert granted
    with service.client() as client:
        record = client.get(f"/matches/{asked[0]['match']}/record").raise_for_status().text
    lines = [json.loads(line)["data"] for line in record.splitlines() if '"type":"game.bid"' in line]
    bids = [{"type": "bid", "quantity": one["quantity"], "face": one["face"]} for one in lines]
    assert bids == [asked[number]["command"] for number in granted]
    with speaking(service) as again:
        for number in granted[::25]:
            while (answer := again.ask(do="command", **asked[number], id=number))["status"] == 429:
                sleep(1)
            assert answer == said[number]
