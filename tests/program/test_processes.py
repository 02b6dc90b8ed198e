"""Several processes are one program: nothing acknowledged is lost, whichever is killed, and they end as one."""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from time import monotonic, sleep
from urllib.parse import urlsplit

import httpx
import psutil
import pytest

from services.cli.exits import CANNOT
from services.cli.operating.until_stopped import AGAIN_S
from services.program.sets import HOUSE
from tests.crash.house import Service, Table
from tests.crash.test_killed import assert_kept
from tests.hanging import hung

NAMES = {HOUSE, "api-1", "api-2"}
RULES = {"options": {"dice_per_player": 2, "wild": "never"}}
BOUND_S = 120.0
House = Callable[..., Service]


def processes_of(service: Service) -> dict[str, psutil.Process]:
    """Return the processes of a set by their names."""
    family = psutil.Process(service.pid).children()
    return {name: one for one in family for name in NAMES & set(one.cmdline())}


def health_of(service: Service) -> tuple[int, dict[str, str]]:
    answer = httpx.get(f"{service.url}/health/ready", timeout=BOUND_S)
    assert "reasons" in answer.json(), (answer.text, service.log)
    return answer.status_code, answer.json()["reasons"]


def wait_until_well(service: Service) -> None:
    deadline = monotonic() + BOUND_S
    while True:
        try:
            status, reasons = health_of(service)
            if status == httpx.codes.OK:
                return
        except httpx.TransportError as trouble:
            reasons = {"trouble": str(trouble)}
        assert monotonic() < deadline, (reasons, service.log)
        sleep(0.05)


def assert_nobody_is_left(family: list[psutil.Process]) -> None:
    _, alive = psutil.wait_procs(family, BOUND_S)
    assert alive == []


@pytest.mark.long
def test_whichever_is_killed_nothing_acknowledged_is_lost_or_doubled_and_they_answer_as_one(house: House) -> None:
    service = house(bot_tables_each="1")
    tables = [Table(service, RULES, seed) for seed in (1, 2)]
    with ThreadPoolExecutor() as players:
        playing = [players.submit(table.finish) for table in tables]
        for name in sorted(NAMES):
            processes_of(service)[name].kill()
            wait_until_well(service)
        for each in playing:
            each.result()
    for table in tables:
        assert_kept(table)
    assert set(processes_of(service)) == NAMES
    assert set(re.findall(r"process\.died.* died=(\S+)", service.log)) == NAMES
    assert_health_and_meters_are_those_of_all(service)
    family = list(processes_of(service).values())
    service.kill()
    assert_nobody_is_left(family)


def assert_health_and_meters_are_those_of_all(service: Service) -> None:
    with service.client() as client:
        started = [start_table_of_bots(client) for _ in range(2)]
    assert [answer.status_code for answer in started] == [200, 429]
    assert started[1].json()["code"] == "too_many_bot_tables"
    for _ in range(12):  # each over a connection of its own, which either of them accepts
        assert httpx.get(f"{service.url}/api/v1/games").status_code == 200
    served = httpx.get(f"{service.url}/metrics", timeout=BOUND_S).text
    asked = r'truecup_requests_total\{method="GET",path="/api/v1/games",process="(.*)",status="200"\} (.*)'
    counted = re.findall(asked, served)
    assert sum(float(count) for _, count in counted) == 12
    assert {name for name, _ in counted} <= NAMES - {HOUSE}
    assert re.findall(r'truecup_bot_tables\{process="(.*)"\} (.*)', served) == [(HOUSE, "1.0")]
    with hung(processes_of(service)[HOUSE].pid):
        status, reasons = health_of(service)
        assert (status, reasons["process"].partition(":")[0]) == (503, HOUSE)
        served = httpx.get(f"{service.url}/metrics", timeout=BOUND_S).text
    assert dict(re.findall(r'truecup_process_up\{process="(.*)"\} (.*)', served)) == {
        **dict.fromkeys(NAMES, "1.0"),
        HOUSE: "0.0",
    }


def start_table_of_bots(client: httpx.Client) -> httpx.Response:
    # Bots take no time here, and the dice of each of their rounds lie for a minute.
    rules = {"game": "common_hand", "seats": 2, "pause_ms": 60_000}
    opened = client.post("/matches", json={"rules": rules}).raise_for_status().json()
    host = {"Authorization": f"Bearer {opened['token']}"}
    client.post(f"/matches/{opened['match']}/bots", json={"count": 2}, headers=host).raise_for_status()
    return client.post(f"/matches/{opened['match']}/start", headers=host)


@pytest.mark.long
def test_told_to_end_under_load_it_leaves_no_answer_half_said(house: House) -> None:
    """Nor anybody who watches without a bye, and of what it has answered it has lost nothing."""
    service = house()
    family = list(processes_of(service).values())
    over, table = Event(), Table(service, RULES, seed=3)
    with ThreadPoolExecutor(8 + 4 + 1) as asking:
        watching = [Event() for _ in range(4)]
        watched = [asking.submit(watch_to_the_end, service.url, table, began) for began in watching]
        asked = [asking.submit(ask_on, service.url, over) for _ in range(8)]
        playing = asking.submit(table.finish)
        assert all(began.wait(BOUND_S) for began in watching)
        sleep(0.5)
        os.kill(service.pid, signal.SIGTERM)
        assert service.wait() == 0
        over.set()
        assert all(each.result() > 0 for each in asked)
        assert [each.result() for each in watched] == ["bye"] * 4
        assert_nobody_is_left(family)
        assert "process.died" not in service.log
        service.start()
        playing.result()
    assert_kept(table)
    family = list(processes_of(service).values())
    with hung(processes_of(service)["api-1"].pid):
        os.kill(service.pid, signal.SIGTERM)
        sleep(2 * AGAIN_S)
        os.kill(service.pid, signal.SIGTERM)
        assert service.wait() == 128 + signal.SIGTERM
    assert_nobody_is_left(family)


def watch_to_the_end(url: str, table: Table, began: Event) -> str:
    """Watch a match for as long as the service lets one; return which event was the last."""
    last = ""
    with httpx.stream("GET", f"{url}/api/v1{table.path}/stream", timeout=BOUND_S) as answer:
        for line in answer.iter_lines():
            if line.startswith("event: "):
                last = line.removeprefix("event: ")
                began.set()
    return last


def ask_on(url: str, over: Event) -> int:
    """Ask until nobody is there any more; return how many answers came, each of them whole."""
    place, answers = urlsplit(url), 0
    while not over.is_set():
        try:
            with socket.create_connection((place.hostname, place.port), timeout=BOUND_S) as asking:
                while True:
                    asking.sendall(b"GET /api/v1/games HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                    said = whole_answer(asking)
                    answers += bool(said)
                    if not said:
                        break
        except ConnectionError:
            sleep(0.02)
    return answers


def whole_answer(asking: socket.socket) -> bytes:
    """Return an answer with all of its body; nothing if the other side has hung up before it."""
    said = b""
    while (end := said.find(b"\r\n\r\n")) < 0 or len(said) < end + 4 + length_of(said[:end]):
        more = asking.recv(65_536)
        assert more or not said, "an answer is half said"
        if not more:
            break
        said += more
    return said


def length_of(head: bytes) -> int:
    found = re.search(rb"(?i)\r\ncontent-length: (\d+)", head)
    assert found is not None, head
    return int(found[1])


def test_one_process_is_alone_and_what_a_set_cannot_do_is_said_once(house: House) -> None:
    service = house(processes=1)
    assert psutil.Process(service.pid).children() == []
    assert 'process="' not in httpx.get(f"{service.url}/metrics").text
    assert health_of(service)[0] == httpx.codes.OK
    service.stop()
    service.settings |= {"processes": "2", "key": "ab" * 32}
    with pytest.raises(AssertionError, match="another key"):
        service.start()
    assert service.wait() == CANNOT
    assert service.log.count("signed with another key") == 1
    assert "never retrieved" not in service.log
