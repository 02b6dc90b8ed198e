"""The limit on open files: the program raises its own, keeps its bounds within it, and says what it is."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.door.sending import GET, connected

ROOT = Path(__file__).parents[2]
_PROGRAM = """
import asyncio
from infra.files.limit import raise_limit
from services.api.application import create_app
from services.http.game_cards import cards
from services.api.dependencies import Dependencies
from services.cli.operating.until_stopped import event_loop
from services.http.front.sockets import terms_within
from services.http.front.server import BoundedServer
from tests.api.house import House

async def main() -> None:
    house = House()
    parts = Dependencies(house, house, house, house.report, cards())
    server = BoundedServer(create_app(parts), parts.doors, "127.0.0.1", 0, terms_within(raise_limit()))
    serving = asyncio.ensure_future(server.serve())
    while not server.started:
        await asyncio.sleep(0.01)
    print(server.port, flush=True)
    await serving

with asyncio.Runner(loop_factory=event_loop) as runner:
    runner.run(main())
"""


def within(soft: int, hard: int, *program: str) -> list[str]:
    """Return the command line of a program that may open so many files, and raise that to so many."""
    return ["sh", "-c", f'ulimit -Sn {soft} && ulimit -Hn {hard} && exec "$@"', "sh", *program]


@pytest.mark.parametrize(
    ("soft", "hard", "state"), [(64, 1_024, "missing"), (64, 4_096, "ok"), (1_024, 1_024, "missing")]
)
def test_the_doctor_says_how_many_connections_the_files_allow(soft: int, hard: int, state: str, tmp_path: Path) -> None:
    argv = within(soft, hard, sys.executable, "-m", "services.cli.main", "doctor", "--json")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "TRUECUP_PORT": "0"}
    said = subprocess.run(argv, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=60)
    (found,) = [check for check in json.loads(said.stdout)["checks"] if check["name"] == "open files"]
    assert found["state"] == state
    assert found["found"].startswith(f"{hard} files may be open: ")
    assert bool(found["to_do"]) == (state != "ok")


def test_where_files_are_few_idle_sockets_shut_nobody_out() -> None:
    argv = within(64, 400, sys.executable, "-c", _PROGRAM)
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT) as program, ExitStack() as stack:
        stack.callback(program.kill)
        assert program.stdout is not None
        port = int(program.stdout.readline())
        idle = []
        for number in range(800):
            client = stack.enter_context(connected(port, f"127.0.1.{number % 40 + 1}"))
            client.send(GET[: number % 3])
            idle.append(client)
        for number in range(20):
            with connected(port, f"127.0.2.{number + 1}") as other:
                other.send(GET)
                assert other.answer()[0] == 200
