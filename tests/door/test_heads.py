"""Heads of requests: how long, how late, and in which words, before anything of ours looks at them."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from time import monotonic

import httpx
import pytest

from services.http.bounds import Bounds
from services.http.front.sockets import Terms
from tests.api.conftest import RULES, Service, served
from tests.door.sending import GET, WAIT_S, Client, connected

KIB = 1_024
SOON = Terms(head_s=2, body_s=2, rest_s=2, write_s=0.5, linger_s=0.2)
JSON = b"Content-Type: application/json\r\n"
START = b"GET /health/live HTTP/1.1\r\nHost: x\r\n"


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with served(Bounds(writes_per_s=100_000)) as running:
        yield running


@pytest.fixture(scope="module")
def hasty() -> Iterator[Service]:
    """Return a service whose deadlines are half a second."""
    with served(Bounds(), terms=SOON) as running:
        yield running


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with connected(service.server.port) as there:
        yield there


@pytest.fixture
def slow(hasty: Service) -> Iterator[Client]:
    with connected(hasty.server.port) as there:
        yield there


# ---- how long ---------------------------------------------------------------------------------


def padded(size: int) -> bytes:
    """Return a request whose head has so many bytes."""
    return START + b"X-A: " + b"a" * (size - len(START) - len("X-A: \r\n\r\n")) + b"\r\n\r\n"


@pytest.mark.parametrize("pieces", [1, 7, 4_000])
def test_a_head_of_16_kib_is_read_and_no_byte_more(service: Service, pieces: int) -> None:
    for size, status in ((16 * KIB, 200), (16 * KIB + 1, 431)):
        with connected(service.server.port) as client:
            head = padded(size)
            for start in range(0, size, size // pieces):
                client.send(head[start : start + size // pieces])
            assert client.answer()[0] == status


def test_a_header_that_never_ends_is_cut_off_and_others_are_answered_meanwhile(service: Service) -> None:
    over = threading.Event()
    taken: list[int] = []

    def endless() -> None:
        with connected(service.server.port) as client:
            client.send(START + b"X-A: ")
            sent = 0
            while not over.is_set() and client.send(b"a" * 65_536):
                sent += 65_536
            taken.append(sent)

    threads = [threading.Thread(target=endless) for _ in range(4)]
    for thread in threads:
        thread.start()
    answered = [service.client.get("/health/live").status_code for _ in range(50)]
    for thread in threads:
        thread.join(20)
    over.set()

    assert answered == [200] * 50
    assert len(taken) == 4
    assert service.parts.doors.turned_away["head_too_large"] >= 4


@pytest.mark.parametrize(
    ("head", "code"),
    [
        (START + b"X-A: " + b"a" * 200_000, "head_too_large"),
        (START + b"X-A: b\r\n" * 30_000, "head_too_large"),
        (START + b"a" * 200_000, "head_too_large"),
        (b"GET /" + b"a" * 200_000, "address_too_long"),
        (b"\r\n" * 100_000, "head_too_large"),
    ],
)
def test_a_head_without_end_is_answered_with_what_is_too_long(client: Client, head: bytes, code: str) -> None:
    client.send(head)
    assert client.problem()["code"] == code
    assert client.is_closed()


def test_a_hundred_megabytes_of_header_are_not_taken(service: Service, client: Client) -> None:
    client.send(START + b"X-A: ")
    sent = 0
    while sent < 100_000_000 and client.send(b"a" * 1_000_000):
        sent += 1_000_000
    assert sent < 100_000_000
    assert service.client.get("/health/live").status_code == 200


def test_what_stands_behind_a_body_in_chunks_is_bounded_too(client: Client) -> None:
    client.send(
        b"POST /api/v1/matches HTTP/1.1\r\nHost: x\r\n" + JSON + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n"
    )
    client.send(b"X-A: " + b"a" * 200_000)
    assert client.problem()["code"] == "malformed"
    assert client.is_closed()


def test_what_a_body_is_wrapped_in_does_not_outweigh_it(client: Client) -> None:
    client.send(b"POST /api/v1/matches HTTP/1.1\r\nHost: x\r\n" + JSON + b"Transfer-Encoding: chunked\r\n\r\n")
    client.send(b"1;" + b"a" * 200_000)
    assert client.problem()["detail"] == "what the body is wrapped in is longer than the body"


def test_a_body_in_the_smallest_chunks_is_read(client: Client) -> None:
    body = b'{"rules": {"game": "common_hand"}}'
    client.send(b"POST /api/v1/matches HTTP/1.1\r\nHost: x\r\n" + JSON)
    client.send(b"Transfer-Encoding: chunked\r\n\r\n" + b"".join(b"1\r\n%c\r\n" % byte for byte in body))
    client.send(b"0\r\nX-Trailer: nobody reads it\r\n\r\n")
    assert client.answer()[0] == 201


@pytest.mark.parametrize("path", ["/api/v1/matches", "/nothing"])
def test_a_body_that_goes_on_behind_its_answer_is_not_read_for_long(client: Client, path: str) -> None:
    client.send(f"POST {path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
    chunk, sent = b"10000\r\n" + b"a" * 65_536 + b"\r\n", 0
    while sent < 100 * KIB * KIB and client.send(chunk):
        sent += len(chunk)
    assert sent < 100 * KIB * KIB


def test_a_short_body_behind_its_answer_costs_nobody_the_connection(client: Client) -> None:
    client.send(b"POST /nothing HTTP/1.1\r\nHost: x\r\n" + JSON + b"Content-Length: 100000\r\n\r\n")
    assert client.answer()[0] == 404
    client.send(b"a" * 100_000 + GET)
    assert client.answer()[0] == 200


# ---- how late ---------------------------------------------------------------------------------


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\nHost: x\r\nX-A", b"\r\n"])
def test_a_request_that_does_not_come_to_its_end_is_not_waited_for(slow: Client, sent: bytes) -> None:
    slow.send(sent)
    if sent:
        assert slow.problem()["code"] == "too_slow"
    assert slow.is_closed()


def test_a_request_that_comes_a_byte_at_a_time_is_not_waited_for(slow: Client) -> None:
    sent = iter(START + b"X-A: " + b"a" * 400)
    while (byte := next(sent, None)) is not None and slow.send(bytes([byte])):
        threading.Event().wait(0.02)
    assert next(sent, None) is not None, "all of it was taken"


def test_a_body_that_does_not_come_is_not_waited_for(slow: Client) -> None:
    slow.send(b"POST /api/v1/matches HTTP/1.1\r\nHost: x\r\n" + JSON + b"Content-Length: 99\r\n\r\n{")
    assert slow.problem()["code"] == "too_slow"
    assert slow.is_closed()


def test_an_answered_connection_rests_and_is_closed_in_the_end(slow: Client) -> None:
    slow.send(GET)
    assert slow.answer()[0] == 200
    threading.Event().wait(0.1)
    slow.send(GET)
    assert slow.answer()[0] == 200
    assert slow.is_closed()


def test_the_second_request_of_a_connection_has_its_own_deadline(slow: Client) -> None:
    slow.send(GET)
    slow.answer()
    slow.send(GET[:-4])
    assert slow.problem()["code"] == "too_slow"


def test_a_stream_outlives_every_deadline(hasty: Service) -> None:
    match = hasty.client.post("/api/v1/matches", json=RULES).json()["match"]
    token = hasty.client.post(f"/api/v1/matches/{match}/seats", json={"name": "Ada"}).json()["token"]
    with hasty.client.stream(
        "GET", f"/api/v1/matches/{match}/stream", headers={"Accept": "application/x-ndjson"}
    ) as it:
        lines = it.iter_lines()
        next(lines)
        threading.Event().wait(3)
        hasty.client.delete(f"/api/v1/matches/{match}/seats/me", headers={"Authorization": f"Bearer {token}"})
        hasty.client.post(f"/api/v1/matches/{match}/seats", json={"name": "Bob"})
        assert next(filter(None, lines)).startswith('{"version"')


# ---- how many at once -------------------------------------------------------------------------


def test_pipelined_requests_are_answered_in_their_order(client: Client) -> None:
    paths = ["/health/live", "/nothing", "/api/v1/games", "/health/ready"] * 25
    client.send(b"".join(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode() for path in paths))
    assert [client.answer()[0] for _ in paths] == [200, 404, 200, 200] * 25


def test_a_body_does_not_swallow_the_request_behind_it(client: Client) -> None:
    body = b'{"rules": {"game": "common_hand"}}'
    post = b"POST /api/v1/matches HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
    client.send((post % (len(body), body) + GET) * 3)
    assert [client.answer()[0] for _ in range(6)] == [201, 200] * 3


def test_pipelined_requests_whose_answers_nobody_reads_are_not_taken(hasty: Service, slow: Client) -> None:
    ask = b"GET /api/v1/games HTTP/1.1\r\nHost: x\r\n\r\n"
    slow.socket.settimeout(0.2)
    sent = 0
    try:
        while sent < 8_000_000 and slow.send(ask * 1_000):
            sent += len(ask) * 1_000
    except TimeoutError:
        pass
    slow.socket.settimeout(60)
    assert sent < 8_000_000
    deadline = monotonic() + WAIT_S
    while hasty.parts.doors.turned_away["not_reading"] == 0:
        assert monotonic() < deadline, "nobody minds"
        threading.Event().wait(0.01)
    with httpx.Client(base_url=hasty.url, timeout=60) as other:
        assert other.get("/health/live").status_code == 200
    assert not slow.is_closed()
    assert hasty.parts.doors.turned_away["not_reading"] == 1


def test_an_upgrade_is_not_made_and_the_request_is_answered(client: Client) -> None:
    ask = b"GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n"
    client.send(ask + GET)
    assert [client.answer()[0] for _ in range(2)] == [200, 200]


# ---- in which words ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (b"FROB / HTTP/1.1\r\nHost: x\r\n\r\n", "unknown_method"),
        (b"\r\nFROB", "unknown_method"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "malformed"),
        (b"NONSENSE\r\n\r\n", "malformed"),
        (b"GET\r\n\r\n", "malformed"),
        (b"{}\r\n\r\n", "malformed"),
        (b"GET / HTTP/9.9\r\nHost: x\r\n\r\n", "malformed"),
        (b"GET \r\n\r\n", "malformed"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "malformed"),
        (b"GET / HTTP/1.1\r\nHost : x\r\n\r\n", "malformed"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "malformed"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nnothing\r\n", "malformed"),
        (b"CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n", "malformed"),
        (b"GET / HTTP/1.1\r\n\r\n", "bad_host"),
        (b"GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", "bad_host"),
        (b"GET / HTTP/1.1\r\nHost: \r\n\r\n", "bad_host"),
        (b"GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", "bad_host"),
        (b"GET / HTTP/1.1\r\nHost: [:::]\r\n\r\n", "bad_host"),
        (b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n", "bad_host"),
        (b"GET / HTTP/1.1\r\nHost: x:99999\r\n\r\n", "bad_host"),
    ],
)
def test_what_is_no_request_is_a_problem(client: Client, sent: bytes, code: str) -> None:
    client.send(sent)
    assert client.problem()["code"] == code


@pytest.mark.parametrize("host", [b"x", b"x:", b"x:80", b"127.0.0.1:8000", b"[::1]:80", b"dice.example.org"])
def test_a_host_is_named_in_many_ways(client: Client, host: bytes) -> None:
    client.send(b"GET /health/live HTTP/1.1\r\nHost: %b\r\n\r\n" % host)
    assert client.answer()[0] == 200


def test_the_oldest_clients_need_not_name_a_host(client: Client) -> None:
    client.send(b"GET /health/live HTTP/1.0\r\n\r\n")
    assert client.answer()[0] == 200
    assert client.is_closed()


def test_a_method_that_others_know_is_refused_with_those_that_are_taken_here(service: Service) -> None:
    for path in ("/api/v1/matches", "/", "/log/checkpoint", "/static/0/pages/table.js"):
        refused = service.client.request("PROPFIND", path)
        assert (refused.status_code, refused.json()["code"]) in {(405, "bad_method"), (404, "not_found")}
        if refused.status_code == 405:
            assert {"GET", "HEAD"} <= set(refused.headers["allow"].replace(" ", "").split(","))


def test_many_who_say_nothing_are_gone_after_a_while(hasty: Service) -> None:
    with ExitStack() as stack:
        idle = [stack.enter_context(connected(hasty.server.port)) for _ in range(50)]
        for number, client in enumerate(idle):
            client.send(GET[: number % 30])
        for client in idle:
            client.is_closed()
    with httpx.Client(base_url=hasty.url, timeout=60) as other:
        assert other.get("/health/live").status_code == 200
    assert hasty.parts.doors.turned_away["too_slow"] >= 50
