"""The real program on a signal: streams say bye, and it is gone within a second."""

from __future__ import annotations

import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx

from services.http.bounds import Bounds
from tests.api.conftest import RULES, served

NEVER = """
class Slow(House):
    async def record(self, match_id):
        print("asked", flush=True)
        await asyncio.Event().wait()

House = Slow
"""
"""A house whose records never come."""
_PROGRAM = """
import asyncio, signal, sys
from services.api.application import create_app
from services.http.game_cards import cards
from services.api.dependencies import Dependencies
from services.http.front.server import BoundedServer
from tests.api.house import House
{more}
async def main() -> None:
    house = House()
    parts = Dependencies(house, house, house, house.report, cards())
    server = BoundedServer(create_app(parts), parts.doors, "127.0.0.1", 0)
    serving = asyncio.ensure_future(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, setattr, server, "should_exit", True)
    print(server.port, flush=True)
    await serving

asyncio.run(main())
"""


def test_a_signal_ends_open_streams_with_a_bye_and_the_process_soon_after() -> None:
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM.format(more="")], stdout=subprocess.PIPE, text=True, cwd=root
    ) as program:
        assert program.stdout is not None
        url = f"http://127.0.0.1:{int(program.stdout.readline())}"
        match = httpx.post(f"{url}/api/v1/matches", json=RULES, timeout=60).json()["match"]
        with httpx.stream(
            "GET", f"{url}/api/v1/matches/{match}/stream", headers={"Accept": "application/x-ndjson"}, timeout=60
        ) as got:
            lines = got.iter_lines()
            next(lines)
            program.send_signal(signal.SIGTERM)
            last = list(lines)
        code = program.wait(60)

    assert last == ['{"bye":1}']
    assert code == 0


def test_who_is_not_answered_before_the_end_is_told_so_in_a_problem() -> None:
    root = Path(__file__).parents[2]
    argv = [sys.executable, "-c", _PROGRAM.format(more=NEVER)]
    with (
        subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=root) as program,
        ThreadPoolExecutor() as threads,
        httpx.Client(timeout=60) as client,
    ):
        assert program.stdout is not None
        url = f"http://127.0.0.1:{int(program.stdout.readline())}"
        match = client.post(f"{url}/api/v1/matches", json=RULES).json()["match"]
        waiting = threads.submit(client.get, f"{url}/api/v1/matches/{match}/record")
        assert "asked\n" in program.stdout
        program.send_signal(signal.SIGTERM)
        answer = waiting.result()
        code = program.wait(60)
    assert (answer.status_code, answer.headers["content-type"]) == (503, "application/problem+json")
    assert answer.json()["code"] == "closing"
    assert "retry-after" in answer.headers
    assert code == 0


def test_the_last_answer_of_a_connection_says_that_it_is_the_last() -> None:
    with served(Bounds()) as service:
        assert "connection" not in service.client.get("/health/live").headers
        service.parts.doors.close()
        last = service.client.get("/health/live")
    assert (last.status_code, last.headers["connection"]) == (200, "close")
