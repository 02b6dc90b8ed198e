"""Many at once: every attack of the bench in its full size, and tables in play by the hundred.

Those laws of the bench are held against that need no clock: memory comes back, seats are served, others are answered.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from services.cli.bench.abuse.attacks import ATTACKS
from services.cli.bench.abuse.attempt import Attack
from services.cli.bench.abuse.measuring import memory_mb
from tests.cli.conftest import PROGRAM, ROOT, environment
from tests.crash.house import Service
from tests.endurance.nodes import Person, opened, turn

pytestmark = pytest.mark.long

PATIENCE_S = 1_200
CLOCKED = {"time"}
TABLES = 1_500
HOSTS = 50
SEATS = 10
EACH_MB_MAX = 0.5
"""What a live table of ten seats may take, twice what it was measured to take."""


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name.replace(" ", "_"))
def test_while_somebody_does_his_worst_everybody_else_is_served(attack: Attack, tmp_path: Path) -> None:
    said = subprocess.run(
        [*PROGRAM, "bench", "abuse", "--only", attack.name, "--json"],
        cwd=ROOT,
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    (one,) = json.loads(said.stdout)["attacks"]
    assert set(one["broke"]) <= CLOCKED, one


async def test_live_tables_take_little_memory(service: Service) -> None:
    before = memory_mb(service.pid)
    url = (service.folder / "url").read_text().strip() + "/api/v1"
    hosts = [Person([url, url], number) for number in range(HOSTS)]
    try:
        await asyncio.gather(*(host_tables(host, TABLES // HOSTS) for host in hosts))
    finally:
        await asyncio.gather(*(host.close() for host in hosts))
    after = memory_mb(service.pid)
    assert before is not None
    assert after is not None
    assert after - before < TABLES * EACH_MB_MAX


async def host_tables(host: Person, count: int) -> None:
    """Open tables, let people sit down at all their seats, and start them."""
    for _ in range(count):
        host.token = ""
        path = await opened(host, SEATS)
        token, host.token = host.token, ""
        for name in range(SEATS):
            (await host.ask("POST", f"{path}/seats", {"name": f"P{name}"})).raise_for_status()
        host.token = token
        (await host.ask("POST", f"{path}/start")).raise_for_status()
    assert (await turn(host, path))["dice_in_play"] == SEATS * 2
