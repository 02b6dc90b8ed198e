"""Servers that hang while people play: everybody is answered in time, and the program comes to its end."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import httpx
import psutil
import pytest

from infra.store.postgres import SEND_S
from services.cli.operating.until_stopped import AGAIN_S
from services.local.servers import LocalServers
from tests.cli.conftest import Running
from tests.crash.house import WAIT_S, Addressed, Service, Table, health_of, wait_until
from tests.crash.test_killed import assert_kept, watched
from tests.hanging import hung

RULES: dict[str, Any] = {"options": {"dice_per_player": 2}, "seats": 3}


def problem(answer: httpx.Response) -> tuple[int, str, str]:
    return answer.status_code, answer.headers["content-type"], answer.json()["code"]


def opened(service: Addressed, key: str) -> httpx.Response:
    with httpx.Client(base_url=service.url + "/api/v1", timeout=WAIT_S) as client:
        return client.post("/matches", json={"rules": {"game": "common_hand"}}, headers={"Idempotency-Key": key})


async def test_a_database_that_hangs_and_then_a_bus_keep_nobody_waiting_and_hold_up_no_end(
    mortal: LocalServers, service_of_mortals: Service
) -> None:
    service = service_of_mortals
    table = await asyncio.to_thread(Table, service, RULES)
    with hung(mortal.postgres_pid):
        keys = [f"opened-while-it-hangs-{number}" for number in range(3)]
        began = monotonic()
        first = [asyncio.create_task(asyncio.to_thread(opened, service, key)) for key in keys[:2]]
        await asyncio.sleep(4.0)
        last = asyncio.create_task(asyncio.to_thread(opened, service, keys[2]))
        answers = await asyncio.gather(*first)
        assert {problem(answer) for answer in answers} == {(503, "application/problem+json", "unavailable")}
        status, reasons = await asyncio.to_thread(health_of, service)
        assert (status, reasons.keys() & {"database", "writes"}) == (503, {"database", "writes"})
        os.kill(service.pid, signal.SIGINT)
        status, kind, code = problem(await last)
        assert (status, kind) == (503, "application/problem+json")
        assert code in {"closing", "unavailable"}
        assert await asyncio.to_thread(service.wait) == 0
        took_s = monotonic() - began
    # On a slow machine the connection may have been given up by then, and with it what was in doubt.
    assert "store.leaves_in_doubt" in service.log or took_s > SEND_S
    await asyncio.to_thread(service.start)
    again = [(await asyncio.to_thread(opened, service, key)).raise_for_status().json()["match"] for key in keys]
    assert len(set(again)) == len(keys)
    await assert_that_a_hung_bus_delays_only_what_people_see(mortal, service, table)


async def assert_that_a_hung_bus_delays_only_what_people_see(
    mortal: LocalServers, service: Service, table: Table
) -> None:
    """Nor does it hold up the end."""
    watching = asyncio.create_task(asyncio.to_thread(watched, service, table.path))
    with hung(mortal.nats_pid):
        status, reasons = await asyncio.to_thread(health_of, service)
        assert (status, "bus" in reasons) == (503, True)
        await asyncio.to_thread(table.finish)
    await asyncio.to_thread(assert_kept, table)
    versions = await asyncio.wait_for(watching, WAIT_S)
    assert versions == list(range(versions[0], versions[0] + len(versions)))
    with hung(mortal.nats_pid):
        os.kill(service.pid, signal.SIGINT)
        assert await asyncio.to_thread(service.wait) == 0


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Running]:
    """Return a service started by `truecup up`, with its own servers and two witnesses."""
    running = Running(tmp_path / "up", TRUECUP_BOT_PAUSE_MS="0")
    yield running
    running.process.send_signal(signal.SIGKILL)
    running.process.wait(WAIT_S)


def child_of(program: psutil.Process, word: str) -> psutil.Process:
    """Return the child of a program that was started with this word."""
    return next(one for one in program.children() if any(word in each for each in one.cmdline()))


@pytest.mark.long
def test_hung_witnesses_keep_sealed_tables_waiting_and_nobody_else(up: Running) -> None:
    program = psutil.Process(up.process.pid)
    dealt = up.match_of_bots()
    with hung(child_of(program, "witness-1").pid), hung(child_of(program, "witness-2").pid):
        waiting = up.match_of_bots()
        wait_until(lambda: "log" in health_of(up)[1])
        assert health_of(up)[0] == 200
        seen = httpx.get(f"{up.url}/api/v1/matches/{waiting}", timeout=WAIT_S).json()
        assert seen["deal"]["stage"] == "sealed"
    up.wait_until_over(dealt)
    up.wait_until_over(waiting)
    with hung(child_of(program, "witness-1").pid):
        up.process.send_signal(signal.SIGINT)
        assert up.process.wait(WAIT_S) == 0


@pytest.mark.long
def test_whatever_hangs_ends_at_once_with_the_program_when_it_is_told_twice(up: Running) -> None:
    program = psutil.Process(up.process.pid)
    family = program.children(recursive=True)
    assert len(family) > 4
    with hung(child_of(program, "postgres").pid), ThreadPoolExecutor(1) as asking:
        waiting = asking.submit(opened, up, "opened-while-it-hangs")
        sleep(2.0)  # by then it has come
        up.process.send_signal(signal.SIGINT)
        sleep(6 * AGAIN_S)
        up.process.send_signal(signal.SIGTERM)
        assert up.process.wait(WAIT_S) == 128 + signal.SIGTERM
        with pytest.raises(httpx.TransportError):
            waiting.result()
    _, alive = psutil.wait_procs(family, WAIT_S)
    assert alive == []
    assert "ended at once" in up.log
