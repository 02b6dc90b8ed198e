"""Log lines of the program: never a body, a token, a query or the message of a fault."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import asyncpg
import pytest
from structlog.testing import capture_logs

from infra import telemetry
from infra.config import Config
from infra.store import Unavailable
from infra.telemetry import place_of_fault
from services.api.meters import LINES_PER_S, RequestLines
from services.cli.operating import running
from services.client.house import CannotDo
from services.http.bounds import Bounds
from tests.api.conftest import Service, Table, served
from tests.api.house import SECRET
from tests.socket.speaking import speaking

_STORY = f"""
import logging, sys
import structlog
from infra.telemetry import set_up
set_up("info", "json")
log = structlog.get_logger("story")
log.debug("too.quiet")
log.info("api.request", method="GET", status=200)
try:
    raise ValueError("{SECRET}")
except ValueError:
    log.exception("api.broken")
    logging.getLogger("a.library").exception("it broke")
logging.getLogger("a.library").info("it %s", "works")
"""

_FORGOTTEN = f"""
import asyncio, gc
from infra.telemetry import set_up
set_up("info", "json")

class Die:
    def __repr__(self):
        return "{SECRET}"

def fails(die):
    raise KeyError(die)

async def forgets():
    asyncio.get_running_loop().call_soon(fails, Die())
    task = asyncio.create_task(asyncio.to_thread(fails, Die()))
    await asyncio.wait([task])
    del task
    gc.collect()

asyncio.run(forgets())
"""

_ASKING = f"""
import asyncio
import structlog
from infra.abroad.pinned import PinnedPoster
from infra.posting import NoReply, Poster
from infra.telemetry import set_up
set_up("debug", "json")

async def answer(reader, writer):
    await reader.readuntil(b"\\r\\n\\r\\n")
    writer.write(b"HTTP/1.1 204 No Content\\r\\nconnection: close\\r\\n\\r\\n")
    writer.close()

async def asks():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    poster, abroad = Poster(), PinnedPoster(anywhere=True)
    assert (await poster.get(f"http://us:{SECRET}@127.0.0.1:{{port}}/{SECRET}?{SECRET}")).status == 204
    assert await abroad.post(f"http://127.0.0.1:{{port}}/{SECRET}?{SECRET}", b"", {{}}) == 204
    server.close()
    await server.wait_closed()
    try:
        await poster.post(f"http://us:{SECRET}@127.0.0.1:{{port}}/{SECRET}", b"")
    except NoReply:
        structlog.get_logger("story").info("asked")

asyncio.run(asks())
"""


def _told(story: str = _STORY) -> list[dict[str, object]]:
    done = subprocess.run([sys.executable, "-c", story], capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return [json.loads(line) for line in done.stderr.splitlines()]


def test_our_own_lines_and_those_of_libraries_look_alike() -> None:
    told = _told()

    assert [line["event"] for line in told] == ["api.request", "api.broken", "it broke", "it works"]
    assert all({"event", "level", "timestamp"} <= set(line) for line in told)


def test_a_fault_is_told_by_type_and_place_and_not_by_its_message() -> None:
    _, ours, theirs, _ = _told()

    for line in (ours, theirs):
        assert line["fault"] == "ValueError"
        assert line["where"]
        assert SECRET not in json.dumps(line)


def test_a_line_without_a_fault_is_left_as_it_is() -> None:
    assert place_of_fault(None, "info", {"event": "x"}) == {"event": "x"}


def test_what_asyncio_says_of_a_fault_that_nobody_took_has_no_values() -> None:
    told = _told(_FORGOTTEN)
    assert [line["event"] for line in told] == ["Exception in callback fails", "Task exception was never retrieved"]
    assert [line["fault"] for line in told] == ["KeyError"] * 2
    assert SECRET not in json.dumps(told)


def test_no_line_says_an_address_that_is_asked() -> None:
    """That of a webhook is as good as a key, and that of a witness may have a password in it."""
    assert [line["event"] for line in _told(_ASKING)] == ["asked"]


@pytest.mark.parametrize(
    "trouble",
    [
        KeyError(SECRET),
        asyncpg.CheckViolationError(f"a row does not fit\nDETAIL:  Failing row contains ({SECRET})."),
        Unavailable(f"a row does not fit\nDETAIL:  Failing row contains ({SECRET})."),
    ],
    ids=lambda trouble: type(trouble).__name__,
)
def test_a_fault_that_ends_the_program_says_nothing_of_what_it_held(
    trouble: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(telemetry, "set_up", lambda *_: None)

    async def breaks(_folder: Path, _ready: object) -> None:
        raise trouble

    with pytest.raises(CannotDo) as why:
        running._run(Config(port=0, data=str(tmp_path)), breaks)  # noqa: SLF001 - up and serve are this and a house
    assert str(why.value) in {"Truecup is broken; the line before says where", "Truecup cannot run: a row does not fit"}


async def test_where_requests_are_many_the_next_line_says_how_many_have_none() -> None:
    lines, asked = RequestLines(), 2 * LINES_PER_S + 50
    with capture_logs() as told:
        for number in range(asked):
            lines.write("GET", f"/{number}", 200, 0.001)
        lines.write("GET", "/broken", 500, 0.001)
        await asyncio.sleep(1)
        lines.write("GET", "/later", 200, 0.001)
    # What else runs in this process may have something to say, too.
    told = [line for line in told if line["event"].startswith("api.")]
    assert {line["event"] for line in told} == {"api.request"}
    assert {"/0", "/broken", "/later"} <= {line["path"] for line in told}
    left_out = [line["left_out"] for line in told if "left_out" in line]
    assert left_out
    assert len(told) + sum(left_out) == asked + 2


def test_a_service_that_is_asked_very_often_writes_fewer_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over HTTP and on a socket together."""
    monkeypatch.setattr("services.api.meters.LINES_PER_S", 3)
    with served(Bounds()) as service, speaking(service) as speaker, capture_logs() as told:
        table, asked = Table(service), 0
        seat, _ = table.join("Ada"), table.join("Bob")
        table.start()
        while not any("left_out" in line for line in told):
            for number in range(20):
                speaker.play(table, seat, {"type": "bid", "quantity": number + 1, "face": 2})
                service.client.get("/api/v1/games")
            asked += 40
            threading.Event().wait(1)
    paths = [line["path"] for line in told if line["event"] == "api.request"]
    assert len(paths) < asked


def test_commands_on_a_socket_are_counted_by_status_timed_and_logged(
    service: Service, match: tuple[Table, dict[str, str], dict[str, str]]
) -> None:
    table, first, second = match
    with capture_logs() as told, speaking(service) as speaker:
        assert speaker.play(table, first, {"type": "bid", "quantity": 1, "face": 3})["status"] == 200
        assert speaker.play(table, second, {"type": "bid", "quantity": 0, "face": 3})["status"] == 409
        assert speaker.play(table, second, {"type": "bid", "quantity": 2, "face": 3})["status"] == 200
        metered = service.client.get("/metrics").text
    assert 'truecup_socket_commands_total{status="200"} 2.0' in metered
    assert 'truecup_socket_commands_total{status="409"} 1.0' in metered
    assert "truecup_socket_command_seconds_count 3.0" in metered
    assert "truecup_websockets 1.0" in metered
    lines = [line for line in told if line.get("method") == "SOCKET"]
    assert [repr(line["status"]) for line in lines] == ["200", "409", "200"], "numbers, as lines for people show them"
    assert {line["path"] for line in lines} == {f"{table.path}/commands"}
    assert all(line.keys() == {"event", "log_level", "method", "path", "status", "ms"} for line in lines)


def test_what_takes_less_than_a_millisecond_is_timed_as_well(
    service: Service, match: tuple[Table, dict[str, str], dict[str, str]]
) -> None:
    table, first, _ = match
    with speaking(service) as speaker:
        speaker.play(table, first, {"type": "bid", "quantity": 1, "face": 3})
    metered = ""
    for _ in range(3):  # one in a million is a whole millisecond by chance
        service.client.get("/api/v1/games")
        metered += service.client.get("/metrics").text
    for name in (
        'truecup_request_seconds_sum{method="GET",path="/api/v1/games"}',
        "truecup_socket_command_seconds_sum",
    ):
        sums = [1_000 * float(line.rpartition(" ")[2]) for line in metered.splitlines() if line.startswith(name)]
        assert any(abs(ms - round(ms)) > 1e-6 for ms in sums), "whole milliseconds"
