"""The gate of all requests: HEAD as GET, turns by network, and answers in our own words, whatever happens."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, cast
from uuid import UUID

import httpx
import pytest
from litestar import Litestar
from litestar.routes import HTTPRoute

from services.http.bounds import Bounds
from services.http.front.drain import Drain
from services.http.front.gate import Gate
from services.http.front.proxies import Proxies
from services.http.front.queues import Full, Queues
from services.http.front.sockets import Terms
from services.web.assets import Assets
from tests.api.conftest import RULES, Service, Table, served
from tests.api.house import House
from tests.door.sending import connected
from tests.tournaments.events_by_hand import TOURNAMENT
from tests.web.event_pages import PATHS as EVENT_PAGES

NDJSON = {"Accept": "application/x-ndjson"}


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds(writes_per_s=100_000, audits_per_s=100_000)) as running:
        yield running


# ---- HEAD -------------------------------------------------------------------------------------


APART = {
    "/api/v1/matches/{match_id:uuid}/caster",
    "/api/v1/matches/{match_id:uuid}/stream",
    *(f"/api/v1/tournaments/{{tournament_id:uuid}}{path}" for path in ("/stream", "/me/stream")),
    "/api/v1/socket",
    "/metrics",
}
"""Addresses that tests of their own ask: five never end, and the last says more each time, of HEAD too."""


def everywhere(match: str) -> list[str]:
    """Return an address of every kind that GET is answered at, errors among them."""
    pages = ["/", "/tables", "/tables/live", "/tables/none", "/statistics", "/audit", "/docs", "/docs/first-bot"]
    pages += ["/nothing", "/learn", "/rules", "/rules/finska", "/rules/none", "/tournaments/new", "/tournaments/more"]
    pages += ["/problems/not_found", "/m", "/problems", "/problems/not_found/more", "/tv", f"/m/{match}/more"]
    pages += ["/matches", f"/matches/{match}", f"/matches/{match}/more", "/rules/finska/more", "/tables/live/more"]
    pages += ["/tournaments", "/tournaments?state=ended", "/tournaments?state=none"]
    pages += [f"/{what}{rest}" for what in ("seasons", "players") for rest in ("", "/new", "/none", "/x/y")]
    event = f"/t/{TOURNAMENT}"
    pages += ["/t", "/t/none", f"{event}/more", f"{event}/entrants", f"{event}/entrants/99", f"{event}/entrants/1/more"]
    pages += [f"{event}{path}" for path in ("/qr.svg", "/standings.csv", "/entrants/1/certificate", *EVENT_PAGES)]
    for stage in ("/embed", "/overlay"):
        pages += [stage, f"{stage}/more", f"{stage}/matches", f"{stage}/matches/{match}/more"]
    pages += [f"/embed/matches/{match}", f"/embed/matches/{match}?eyes=1", f"/overlay/matches/{match}"]
    pages += [f"/static/{Assets().digest}/cup.svg", f"/matches/{match}/card.svg", f"/matches/{match}/card.png"]
    tables = [f"/m/{match}{path}" for path in ("", "/rules", "/replay", "/audit", "/qr.svg")]
    reads = ["", "/replay", "/replay?version=1", "/replay?version=99", "/record", "/policy", "/access", "/audit"]
    reads += ["/openings", "/names", "/openings/folded", "/rematch", "/hint", "/watching", "/choices", "/analysis"]
    reads += ["/analysis/moments", "/analysis/page", "/bots", "/comments", "/comments/writers", "/comments/export"]
    api = ["/games", "/matches", "/odds", "/odds/none", "/log/policy", "/log/checkpoint", "/statistics", "/ladder"]
    documents = ["/openapi.json", "/asyncapi.json", "/openapi", "/openapi/openapi.json", "/openapi/none"]
    others = ["/manifest.webmanifest", "/health/live", "/health/ready", "/log/checkpoint", "/log/tile/0/000.p/1"]
    files = ["webhooks", "bundle", "bracket", "certificate", "pairings.csv", "results.csv", "event.trf", "calendar.ics"]
    files += ["export", "lines", "notes", "me", "troubles", "cases", "cases/k0", "luck", "entrants", "entrants/1"]
    views = ("standings", "rounds/1/1", "rounds/1/1/tables/1", "why?number=1")
    events = [f"/tournaments/{match}", *(f"/tournaments/{match}/{read}" for read in (*files, *views))]
    api += ["/analyses/none", "/policies", "/policies/none", *(f"/boards/{match}/{read}" for read in ("record", "me"))]
    api += [f"/seasons/{match}", f"/seasons/{match}/export", "/players/u0", "/tournaments", *events]
    return [
        *(*pages, *tables, *documents, *others, "/api/v1/statistics/matches"),
        *(f"/api/v1/matches/{match}{read}" for read in (*reads, "/lines")),
        *(f"/api/v1{path}" for path in api),
    ]


def templates(app: Litestar) -> set[str]:
    """Return the path of every route that GET is answered at."""
    return {route.path for route in app.routes if isinstance(route, HTTPRoute) and "GET" in route.methods}


def pattern(template: str) -> str:
    """Return what the paths of a route look like."""
    return re.sub(r"\\\{\w+:(\w+)\\\}", lambda kind: ".+" if kind[1] == "path" else "[^/]+", re.escape(template))


def test_no_route_is_left_out_here(service: Service) -> None:
    asked = [address.partition("?")[0] for address in everywhere(str(UUID(int=0)))]
    left = {path for path in templates(service.app) if not any(re.fullmatch(pattern(path), one) for one in asked)}
    assert left == APART


def told(response: httpx.Response) -> dict[str, str]:
    """Return the headers of an answer that say something of it: not of when, or of how it is carried."""
    return {name: value for name, value in response.headers.items() if name not in {"date", "transfer-encoding"}}


def test_head_is_answered_wherever_get_is_with_the_same_headers_and_no_body(service: Service) -> None:
    for path in everywhere(Table(service).spell_out().id):
        got, asked = service.client.get(path), service.client.head(path)
        assert (asked.status_code, told(asked), asked.content) == (got.status_code, told(got), b""), path
        assert got.status_code < 500 or (path.startswith("/m/") and path.endswith("/audit")), (
            "this house audits nothing"
        )


def test_head_of_what_a_browser_has_is_no_more_than_get(service: Service) -> None:
    table = Table(service)
    kept = {"If-None-Match": service.client.get(table.path).headers["etag"]}
    assert service.client.head(table.path, headers=kept).status_code == 304


@pytest.mark.parametrize("accept", ["text/event-stream", "application/x-ndjson", "*/*"])
def test_head_of_a_stream_opens_none(service: Service, accept: str) -> None:
    table = Table(service)
    path, headers = f"{table.path}/stream", {"Accept": accept}
    asked = service.client.head(path, headers=headers)
    assert service.parts.doors.streams == 0
    with service.client.stream("GET", path, headers=headers) as got:
        assert (asked.status_code, told(asked)) == (got.status_code, told(got))


def test_head_of_a_stream_says_what_get_would_say_against_it(service: Service) -> None:
    table = Table(service)
    for path, status in ((f"{table.path}/stream?after=9", 409), (f"/api/v1/matches/{UUID(int=0)}/stream", 404)):
        assert service.client.head(path).status_code == status
    assert service.client.head(f"{table.path}/stream", headers={"Accept": "image/png"}).status_code == 406


def test_a_write_is_no_read(service: Service) -> None:
    before = len(service.house.rooms)
    refused = service.client.head("/api/v1/matches/none/seats")
    assert refused.status_code in {404, 405}
    assert len(service.house.rooms) == before


def test_an_address_that_takes_get_says_that_it_takes_head(service: Service) -> None:
    table = Table(service)
    for path in (table.path, "/api/v1/matches", "/health/live"):
        for method in ("PATCH", "OPTIONS"):
            allowed = service.client.request(method, path).headers["allow"].replace(" ", "").split(",")
            assert sorted({"GET", "HEAD", *allowed}) == allowed, (method, path)
    assert "HEAD" not in service.client.get(f"{table.path}/commands").headers["allow"]


def test_a_head_request_is_counted_as_one(service: Service) -> None:
    service.client.head("/health/live")
    told_of = service.client.get("/metrics").text
    assert 'truecup_requests_total{method="HEAD",path="/health/live",status="200"}' in told_of


# ---- odd headers ------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["127.0.0.1:99999", "[::1", "x y", "http://x"])
@pytest.mark.parametrize("path", ["/statistics", "/m/{}/audit", "/", "/api/v1/matches"])
def test_a_host_that_cannot_be_is_refused_before_anything_is_looked_up(service: Service, host: str, path: str) -> None:
    match = Table(service).id
    with connected(service.server.port) as client:
        client.send(f"GET {path.format(match)} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        problem = client.problem()
    assert (problem["status"], problem["code"]) == (400, "bad_host")


def test_a_page_may_be_asked_for_without_a_host_by_the_oldest_clients(service: Service) -> None:
    with connected(service.server.port) as client:
        client.send(b"GET /statistics HTTP/1.0\r\n\r\n")
        assert client.answer()[0] == 200


# ---- turns ------------------------------------------------------------------------------------


async def test_so_many_of_a_network_have_their_turn_and_the_others_come_in_their_order():
    queues, order = Queues(2, 3), []

    async def one(number: int, network: str = "192.0.2.1") -> None:
        turn = await queues.turn(network)
        order.append(number)
        await asyncio.sleep(0)
        turn.end()
        turn.end()

    await asyncio.gather(*(one(number) for number in range(5)), one(9, "192.0.2.2"))
    assert order == [0, 1, 9, 2, 3, 4]


async def test_whoever_finds_too_many_waiting_is_refused_and_later_is_not():
    queues = Queues(1, 1)
    turn = await queues.turn("192.0.2.1")
    waiting = asyncio.ensure_future(queues.turn("192.0.2.1"))
    await asyncio.sleep(0)
    with pytest.raises(Full):
        await queues.turn("192.0.2.1")
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    turn.end()
    (await queues.turn("192.0.2.1")).end()


async def test_reads_of_one_network_wait_for_each_other_and_for_nobody_elses():
    inside, let_go = [], asyncio.Event()

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        inside.append(scope["client"][0])
        await let_go.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})

    gate = Gate(app, Drain(), Terms(reads_at_once=2), Proxies())
    asking = [asyncio.ensure_future(asked(gate, host)) for host in ["192.0.2.1"] * 9 + ["192.0.2.2"]]
    writing = asyncio.ensure_future(asked(gate, "192.0.2.1", method="POST"))
    health = asyncio.ensure_future(asked(gate, "192.0.2.1", path="/health/ready"))
    for _ in range(9):
        await asyncio.sleep(0)
    assert sorted(inside) == ["192.0.2.1"] * 4 + ["192.0.2.2"]
    let_go.set()
    answers = await asyncio.gather(*asking, writing, health)
    assert [answer[0]["status"] for answer in answers] == [200] * 12


async def test_a_turn_ends_where_the_answer_begins():
    over = asyncio.Event()

    async def app(_scope: Any, _receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await over.wait()

    gate = Gate(app, Drain(), Terms(reads_at_once=1), Proxies())
    streams = [asyncio.ensure_future(asked(gate, "192.0.2.1")) for _ in range(5)]
    for _ in range(20):
        await asyncio.sleep(0)
    over.set()
    answers = await asyncio.gather(*streams)
    assert [answer[0]["status"] for answer in answers] == [200] * 5


async def test_of_a_crowd_without_tokens_some_begin_at_a_time_and_a_seat_comes_in_between():
    begun: list[str] = []

    async def app(scope: Any, _receive: Any, send: Any) -> None:
        begun.append(scope["client"][0])
        await send({"type": "http.response.start", "status": 200, "headers": []})

    gate = Gate(app, Drain(), Terms(), Proxies())
    crowd = [asyncio.ensure_future(asked(gate, f"192.0.2.{which}")) for which in range(100)]
    await asyncio.sleep(0)
    seat = asyncio.ensure_future(asked(gate, "198.51.100.1", token=True))
    machine = asyncio.ensure_future(asked(gate, "198.51.100.2", path="/health/live"))
    await asyncio.gather(seat, machine)
    assert len(begun) < 20
    await asyncio.gather(*crowd)
    assert [host for host in begun if host.startswith("192")] == [f"192.0.2.{which}" for which in range(100)]


async def asked(
    gate: Gate, host: str, method: str = "GET", path: str = "/", *, token: bool = False
) -> list[dict[str, Any]]:
    """Ask as a client at this address would, and return the messages of the answer."""
    said: list[dict[str, Any]] = []

    async def send(message: Any) -> None:
        said.append(message)

    scope: Any = {"type": "http", "http_version": "1.1", "method": method, "path": path, "client": (host, 1)}
    headers = [(b"host", b"x"), *([(b"authorization", b"Bearer x")] if token else [])]
    scope |= {"scheme": "http", "headers": headers, "state": {}}
    await gate(scope, cast(Any, asyncio.Event().wait), send)
    return said


# ---- whatever happens -------------------------------------------------------------------------


@pytest.mark.parametrize(("open_doors", "status", "code"), [(True, 500, "broken"), (False, 503, "closing")])
@pytest.mark.parametrize("fault", [ValueError("5ec2e7"), asyncio.CancelledError()])
async def test_a_fault_nobody_caught_is_a_problem_and_is_not_kept_from_the_server(open_doors, status, code, fault):
    said: list[dict[str, Any]] = []

    async def app(_scope: Any, _receive: Any, _send: Any) -> None:
        raise fault

    async def send(message: Any) -> None:
        said.append(message)

    doors = Drain()
    if not open_doors:
        doors.close()
    scope: Any = {"type": "http", "http_version": "1.0", "method": "GET", "path": "/", "client": None, "headers": []}
    with pytest.raises(type(fault)):
        await Gate(app, doors, Terms(), Proxies())(scope | {"state": {}}, cast(Any, asyncio.Event().wait), send)

    problem = json.loads(said[1]["body"])
    assert (said[0]["status"], problem["code"]) == (status, code)
    assert "5ec2e7" not in str(said)


# ---- dear reads -------------------------------------------------------------------------------


class Slow(House):
    """A house whose records take as long as they are let."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = threading.Event()
        self.reading = 0
        self.most = 0

    async def record(self, match_id: UUID) -> bytes:
        self.reading += 1
        self.most = max(self.most, self.reading)
        while not self.let_go.is_set():
            await asyncio.sleep(0.01)
        self.reading -= 1
        return await super().record(match_id)


def test_few_dear_reads_of_a_network_run_at_once_and_cheap_ones_beside_them() -> None:
    house = Slow()
    bounds = Bounds(dear_at_once=2, dear_waiting_max=3, dear_wait_s=20)
    with served(bounds, house) as service, ExitStack() as stack:
        table = Table(service)
        ask = f"GET {table.path}/record HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        crowd = [stack.enter_context(connected(service.server.port)) for _ in range(8)]
        for client in crowd:
            client.send(ask)
        other = stack.enter_context(connected(service.server.port, "127.0.0.2"))
        other.send(ask)
        while service.parts.doors.turned_away["dear_reads"] < 3 or house.reading < 3:
            threading.Event().wait(0.01)
        assert service.client.get(table.path).status_code == 200
        house.let_go.set()
        answers = sorted(client.answer()[0] for client in crowd)

        assert answers == [200] * 5 + [429] * 3
        assert other.answer()[0] == 200
        assert house.most == 3
        assert 'truecup_turned_away_total{reason="dear_reads"} 3.0' in service.client.get("/metrics").text


def test_whoever_waits_for_a_dear_read_keeps_no_other_read_of_the_network_waiting() -> None:
    house = Slow()
    with served(Bounds(dear_at_once=1, dear_wait_s=20), house) as service, ExitStack() as stack:
        table = Table(service)
        crowd = [stack.enter_context(connected(service.server.port)) for _ in range(2 * Terms().reads_at_once)]
        for client in crowd:
            client.send(f"GET {table.path}/record HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        while service.parts.doors.sockets < len(crowd) or house.reading == 0:
            threading.Event().wait(0.01)
        assert service.client.get(table.path).status_code == 200
        assert house.reading == 1
        house.let_go.set()
        assert [client.answer()[0] for client in crowd] == [200] * len(crowd)


def test_who_waits_too_long_for_a_dear_read_is_told_to_come_again() -> None:
    house = Slow()
    with served(Bounds(dear_at_once=1, dear_wait_s=0.1), house) as service, ExitStack() as stack:
        table = Table(service)
        first = stack.enter_context(connected(service.server.port))
        first.send(f"GET {table.path}/record HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        while house.reading == 0:
            threading.Event().wait(0.01)
        refused = service.client.get(f"{table.path}/record")
        house.let_go.set()

        assert (refused.status_code, refused.json()["code"], refused.headers["retry-after"]) == (
            429,
            "too_many_requests",
            "1",
        )
        assert first.answer()[0] == 200


def test_what_is_open_and_who_was_turned_away_is_counted() -> None:
    with served(Bounds(streams_max=1)) as service, ExitStack() as stack:
        path = f"/api/v1/matches/{service.client.post('/api/v1/matches', json=RULES).json()['match']}/stream"
        stack.enter_context(service.client.stream("GET", path, headers=NDJSON))
        assert service.client.get(path, headers=NDJSON).status_code == 503
        stack.enter_context(connected(service.server.port)).send(b"NONSENSE / HTTP/1.1\r\n\r\n")
        while not service.parts.doors.turned_away["unknown_method"]:
            threading.Event().wait(0.01)
        told_of = service.client.get("/metrics").text

    assert "truecup_streams 1.0" in told_of
    assert 'truecup_turned_away_total{reason="streams"} 1.0' in told_of
    assert 'truecup_turned_away_total{reason="unknown_method"} 1.0' in told_of
    assert "truecup_sockets 3.0" in told_of or "truecup_sockets 2.0" in told_of
