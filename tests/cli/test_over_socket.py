"""A terminal plays over one socket, and over HTTP where a proxy refuses it or cuts it: nothing is lost or doubled."""

from __future__ import annotations

import http.server
import re
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
from websockets.sync.server import ServerConnection, serve

from services.client import following
from services.client.house import CannotDo
from services.client.sending import Sender
from services.client.socket import MatchSocket, NoSocket
from tests.cli.conftest import Run, Service, Terminal, answer, documents
from tests.cli.cutting_proxy import Cutter, cutting_proxy

SHORT = ("--bots", "1", "--name", "Ada", "--no-own-seeds", "--option", "dice_per_player=2")
"""A short match in which only what is typed is asked for."""
MATCH = "018f4e6a-7c00-4000-8000-000000000001"


@pytest.fixture
def proxy(running: Service) -> Iterator[Cutter]:
    """Return a proxy to the service."""
    with cutting_proxy(running.url) as cutter:
        yield cutter


class BreakingSocket(MatchSocket):
    """A socket that breaks behind a frame, then behind the snapshot with which it goes on, then no more."""

    def __init__(self) -> None:
        super().__init__("http://127.0.0.1:9", MATCH)
        self.asked: list[int | None] = []

    async def items(self, after: int | None, _token: str | None) -> AsyncGenerator[dict[str, Any], None]:
        self.asked.append(after)
        yield {"snapshot": {"version": 2 if after is None else 5}}
        if len(self.asked) == 1:
            yield {"version": 3, "event": {}}
        if len(self.asked) == 3:
            for version in range((after or 0) + 1, 6):
                yield {"version": version, "event": {}}
            yield {"ended": 5}


async def test_what_was_missed_in_a_break_is_told_where_the_next_connection_breaks_as_well(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(following, "AGAIN_S", 0.01)
    socket = BreakingSocket()
    items = following.follow("http://127.0.0.1:9", MATCH, None, socket, broke=lambda *_: None)
    told = [item async for item in items]
    assert socket.asked == [None, 3, 3]
    assert [item["version"] for item in told if "event" in item] == [3, 4, 5]
    assert told[-1] == {"ended": 5}


def played_out(terminal: Terminal) -> int:
    """Play to the end, and return how many commands that took, none of which was refused."""
    typed = 0
    while (offered := terminal.until(("You may type: ", "- "))) is not None:
        assert not offered.startswith("- "), offered
        terminal.type(answer(offered))
        typed += 1
    assert terminal.said[-1] == "The match is over."
    assert terminal.ended() == 0
    return typed


def done_by_ada(terminal: Terminal, service: Service) -> int:
    """Return how many claims and doubts of the first seat the match has."""
    match = next(line for line in terminal.said if "You sit at" in line).split("/m/")[1].split(",")[0]
    frames = httpx.get(f"{service.url}/api/v1/matches/{match}/replay", timeout=60).json()["frames"]
    made = Counter(frame["event"]["type"] for frame in frames if frame["event"].get("seat") == 1)
    return made["game.bid"] + made["game.challenged"]


def test_commands_and_frames_go_over_one_socket(
    at_terminal: Callable[..., Terminal], running: Service, proxy: Cutter
) -> None:
    terminal = at_terminal(*SHORT, "--url", proxy.url)
    typed = played_out(terminal)
    assert len(set(proxy.commands())) == typed == done_by_ada(terminal, running)
    assert proxy.watched() == [None]
    assert proxy.posted() == proxy.streams() == []


def test_where_a_proxy_knows_no_sockets_all_goes_over_http(
    at_terminal: Callable[..., Terminal], running: Service, proxy: Cutter
) -> None:
    proxy.refuses = True
    terminal = at_terminal(*SHORT, "--url", proxy.url)
    typed = played_out(terminal)
    assert len(set(proxy.posted())) == typed == done_by_ada(terminal, running)
    assert proxy.streams()
    assert proxy.messages == []


@pytest.mark.long
def test_a_command_whose_answer_is_lost_is_asked_again_with_its_key_and_done_once(
    at_terminal: Callable[..., Terminal], running: Service, proxy: Cutter
) -> None:
    proxy.swallows = 2
    terminal = at_terminal(*SHORT, "--url", proxy.url)
    typed = played_out(terminal)
    again = set(proxy.commands()) & set(proxy.posted())
    assert len(again) == 2 - proxy.swallows > 0
    assert len({*proxy.commands(), *proxy.posted()}) == typed == done_by_ada(terminal, running)
    assert all(isinstance(after, int) for after in proxy.watched()[1:]), "it goes on behind what it has seen"


@pytest.mark.long
def test_a_match_is_watched_through_cut_sockets_without_a_gap(
    truecup: Run, running: Service, finished: str, proxy: Cutter
) -> None:
    proxy.bytes_max = 4_000
    match = running.match_of_bots(options={"dice_per_player": 1}, pause_ms=200)
    said = truecup("watch", match, "--url", proxy.url, "--json")
    assert said.returncode == 0, said.stderr
    items = documents(said.stdout)
    versions = [item["version"] for item in items if "event" in item]
    assert versions == list(range(items[0]["snapshot"]["version"] + 1, items[-1]["ended"] + 1))
    assert len(proxy.watched()) > 1
    assert truecup("watch", finished, "--url", proxy.url, "--json").returncode == 0


def test_frames_of_another_history_are_an_alarm_on_a_socket_as_well(
    at_terminal: Callable[..., Terminal], proxy: Cutter
) -> None:
    terminal = at_terminal(*SHORT, "--url", proxy.url)
    offered = terminal.until("You may type: ")
    assert offered is not None
    proxy.alters = lambda piece: re.sub(rb'"head":"[0-9a-f]{8}', b'"head":"00000000', piece)
    terminal.type(answer(offered))
    assert terminal.until("ALARM: do not trust this server")
    assert terminal.ended() == 1


def test_a_match_that_there_is_not_is_refused_in_the_words_of_http(truecup: Run, proxy: Cutter) -> None:
    over_socket = truecup("watch", MATCH, "--url", proxy.url)
    proxy.refuses = True
    over_http = truecup("watch", MATCH, "--url", proxy.url)
    assert over_socket.returncode == over_http.returncode == 3
    assert over_socket.stderr == over_http.stderr
    assert "no match" in over_socket.stderr


# ---- servers that are none ----------------------------------------------------------------------


@contextmanager
def answering(handle: Callable[[http.server.BaseHTTPRequestHandler], None]) -> Iterator[str]:
    """Lend the address of a server that does this with every request."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            handle(self)

        def do_POST(self) -> None:
            handle(self)

        def log_message(self, *_words: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.05,))
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            serving.join()


@contextmanager
def speaking(talk: Callable[[ServerConnection], None]) -> Iterator[str]:
    """Lend the address of a server that speaks so on every socket."""
    with serve(talk, "127.0.0.1", 0) as server:
        serving = threading.Thread(target=server.serve_forever)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.socket.getsockname()[1]}"
        finally:
            server.shutdown()
            serving.join()


async def test_nobody_is_led_elsewhere_with_a_token() -> None:
    came: list[str] = []

    def elsewhere(request: http.server.BaseHTTPRequestHandler) -> None:
        came.append(request.path)
        request.send_error(400)

    with answering(elsewhere) as other:

        def redirect(request: http.server.BaseHTTPRequestHandler) -> None:
            request.send_response(302)
            request.send_header("Location", f"{other.replace('http', 'ws')}/api/v1/socket")
            request.end_headers()

        with answering(redirect) as base, pytest.raises(NoSocket):
            await anext(MatchSocket(base, MATCH).items(None, "truecup_seat_secret"))
    assert came == []


async def test_a_socket_on_which_nothing_comes_is_none_and_not_tried_again_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.client.socket.ANSWERED_S", 0.2)
    opened: list[ServerConnection] = []

    def silent(wire: ServerConnection) -> None:
        opened.append(wire)
        for _ in wire:
            pass

    with speaking(silent) as base:
        socket = MatchSocket(base, MATCH)
        for _ in range(2):
            with pytest.raises(NoSocket):
                await anext(socket.items(None, None))
    assert len(opened) == 1


@pytest.mark.parametrize("said", ["[]", "garbage", '{"status": 200}', '{"id": 0, "status": "200"}'])
async def test_what_no_service_says_is_no_item(said: str) -> None:
    def talk(wire: ServerConnection) -> None:
        wire.recv()
        wire.send(said)
        wire.send("{")

    with speaking(talk) as base, pytest.raises(CannotDo):
        await anext(MatchSocket(base, MATCH).items(None, None))


async def test_what_was_not_answered_is_the_same_request_until_the_match_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("services.client.sending.AGAIN_S", 0.01)
    keys: list[str] = []

    def deaf(request: http.server.BaseHTTPRequestHandler) -> None:
        keys.append(request.headers["Idempotency-Key"])

    with answering(deaf) as base:
        async with httpx.AsyncClient(base_url=base) as client:
            sender = Sender(client, MatchSocket(base, MATCH), MATCH)
            for text, seen in (("roll", 5), ("roll", 5), ("roll", 6), ("liar", 6)):
                sender.seen = seen
                with pytest.raises(CannotDo, match="nobody answers"):
                    await sender.send({"type": "say", "text": text}, "token")
    assert list(Counter(keys).values()) == [8, 4, 4]
