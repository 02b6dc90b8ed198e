"""Streams: both languages, resuming, ending, and readers that do not read."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Generator
from contextlib import ExitStack
from itertools import islice
from typing import Any
from uuid import UUID

import httpx
import pytest

from services.http.bounds import Bounds
from tests.api.conftest import Service, Table, served

Seated = tuple[Table, dict[str, str], dict[str, str]]
NDJSON = {"Accept": "application/x-ndjson"}


def items(response: httpx.Response) -> Generator[Any, None, None]:
    """Yield the items of an NDJSON stream."""
    return (json.loads(line) for line in response.iter_lines() if line)


def test_a_stream_begins_with_a_snapshot_and_goes_on_with_frames(match: Seated) -> None:
    table, first, second = match

    with table.client.stream("GET", f"{table.path}/stream", headers=NDJSON) as response:
        told = items(response)
        snapshot = next(told)["snapshot"]
        table.play(first, {"type": "bid", "quantity": 1, "face": 2})
        table.play(second, {"type": "bid", "quantity": 2, "face": 2})
        frames = list(islice(told, 2))

    assert response.headers["content-type"] == "application/x-ndjson; charset=utf-8"
    assert snapshot["version"] == 4
    assert [frame["version"] for frame in frames] == [5, 6]


def test_server_sent_events_carry_the_version_as_their_id(match: Seated) -> None:
    table, first, _ = match

    with table.client.stream("GET", f"{table.path}/stream", headers={"Accept": "text/event-stream"}) as response:
        lines = response.iter_lines()
        opened = list(islice(lines, 4))
        table.play(first, {"type": "bid", "quantity": 1, "face": 2})
        frame = list(islice(lines, 3))

    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert opened[:2] == ["event: snapshot", "id: 4"]
    assert json.loads(opened[2].removeprefix("data: "))["snapshot"]["version"] == 4
    assert frame[0] == "id: 5"
    assert json.loads(frame[1].removeprefix("data: "))["version"] == 5


@pytest.mark.parametrize("seen", [{"Last-Event-ID": "2"}, {}])
def test_a_stream_resumes_after_the_version_last_seen(match: Seated, seen: dict[str, str]) -> None:
    table, _, _ = match
    query = {} if seen else {"after": 2}

    with table.client.stream("GET", f"{table.path}/stream", params=query, headers=NDJSON | seen) as response:
        told = list(islice(items(response), 3))

    assert [frame["version"] for frame in told[1:]] == [3, 4]


def test_a_caster_needs_no_token_and_is_refused_like_any_reader(match: Seated) -> None:
    table, _, _ = match
    path = f"{table.path}/caster"

    with table.client.stream("GET", f"{path}?after=1", headers=NDJSON) as response:
        told = list(islice(items(response), 3))

    assert [frame["version"] for frame in told[1:]] == [2, 3]
    assert told[0]["snapshot"]["viewer"] is None
    assert table.client.get(f"{path}?after=9", headers=NDJSON).json()["code"] == "version_in_the_future"
    assert table.client.get(path, headers={"Accept": "image/png"}).status_code == 406
    assert table.client.head(path, headers=NDJSON).headers["content-type"].startswith("application/x-ndjson")
    assert table.client.get(f"/api/v1/matches/{UUID(int=0)}/caster", headers=NDJSON).json()["code"] == "unknown_match"


def test_whoever_commentates_is_told_what_may_be_said_of_each_version_that_spectators_see(match: Seated) -> None:
    table, _, _ = match
    path = f"{table.path}/caster?channels=odds"

    with table.client.stream("GET", f"{path}&after=1&words=de", headers=NDJSON) as response:
        told = list(islice(items(response), 3))
    with table.client.stream("GET", path, headers={"Accept": "text/event-stream", "Last-Event-ID": "2"}) as response:
        said = list(islice(response.iter_lines(), 8))

    assert told[0]["snapshot"]["version"] == 4
    assert [(frame["version"], frame["text"]) for frame in told[1:]] == [(2, []), (3, [])]
    assert said[:2] == ["event: snapshot", "id: 4"]
    assert said[4] == "id: 3"
    assert table.client.get(f"{path}&after=9", headers=NDJSON).json()["code"] == "version_in_the_future"
    for asked in ("channels=seat", "channels=odds,", "channels=odds&words=tlh", "channels=", "channels=odds%0A"):
        assert table.client.get(f"{table.path}/caster?{asked}", headers=NDJSON).json()["code"] == "malformed"


def test_a_seat_and_a_spectator_get_the_same_versions(match: Seated) -> None:
    table, first, _ = match
    path = f"{table.path}/stream?after=0"

    with (
        table.client.stream("GET", path, headers=NDJSON) as watched,
        table.client.stream("GET", path, headers=NDJSON | first) as played,
    ):
        seen = [[frame["version"] for frame in islice(items(response), 1, 5)] for response in (watched, played)]

    assert seen == [[1, 2, 3, 4], [1, 2, 3, 4]]


def test_a_stream_ends_when_the_match_does(match: Seated) -> None:
    table, _, _ = match

    with table.client.stream("GET", f"{table.path}/stream", headers=NDJSON) as response:
        told = items(response)
        next(told)
        table.play(table.host, {"type": "close_session"})
        rest = list(told)

    assert rest[-1] == {"ended": 5}


def test_a_stream_more_than_there_is_room_for_is_refused() -> None:
    with served(Bounds(streams_max=1)) as service:
        table = Table(service)
        with table.client.stream("GET", f"{table.path}/stream", headers=NDJSON) as response:
            told = items(response)
            next(told)
            refused = table.client.get(f"{table.path}/stream", headers=NDJSON)
            told.close()

        assert (refused.status_code, refused.json()["code"]) == (503, "too_many_streams")
        assert refused.headers["retry-after"] == "1"
        assert _becomes(service, 0)
        assert table.client.get(f"{table.path}/stream?after=9", headers=NDJSON).status_code == 409


def test_a_seat_comes_in_where_people_watch_and_the_one_who_goes_is_told() -> None:
    with served(Bounds(streams_max=4)) as service, ExitStack() as stack:
        table = Table(service)
        seat = table.join("Ada")
        watchers = [_told(stack, service, table) for _ in range(3)]
        assert table.client.get(f"{table.path}/stream", headers=NDJSON).json()["code"] == "too_many_streams"

        seats = [_told(stack, service, table, seat) for _ in range(2)]
        rest = list(watchers[2])
        resumed = table.client.get(f"{table.path}/stream?after=2", headers=NDJSON)

        assert rest == [{"bye": 2}]
        assert (resumed.status_code, resumed.json()["code"]) == (503, "too_many_streams")
        table.play(table.host, {"type": "close_session"})
        assert [list(told)[-1] for told in (*watchers[:2], *seats)] == [{"ended": 3}] * 4


def test_a_network_has_so_many_streams_and_another_has_its_own() -> None:
    with served(Bounds(streams_of_network_max=2)) as service, ExitStack() as stack:
        table = Table(service)
        seat = table.join("Ada")
        watchers = [_told(stack, service, table) for _ in range(2)]

        refused = table.client.get(f"{table.path}/stream", headers=NDJSON)
        _told(stack, service, table, source="127.0.0.2")
        _told(stack, service, table, seat)

        assert (refused.status_code, refused.json()["code"]) == (503, "too_many_streams")
        assert refused.json()["detail"] == "2 streams are open to your network already"
        assert list(watchers[1]) == [{"bye": 2}]


def _told(
    stack: ExitStack, service: Service, table: Table, seat: dict[str, str] | None = None, source: str = "127.0.0.1"
) -> Generator[Any, None, None]:
    """Open a stream from this address, read its snapshot, and return what follows."""
    transport = httpx.HTTPTransport(local_address=source)
    client = stack.enter_context(httpx.Client(base_url=service.url, transport=transport, timeout=60))
    response = stack.enter_context(client.stream("GET", f"{table.path}/stream", headers=NDJSON | (seat or {})))
    assert response.status_code == 200
    told = items(response)
    assert "snapshot" in next(told)
    return told


def test_streams_say_bye_and_the_server_stops_at_once() -> None:
    with served(Bounds()) as service:
        table = Table(service)
        with table.client.stream("GET", f"{table.path}/stream", headers=NDJSON) as response:
            told = items(response)
            next(told)
            service.server.should_exit = True
            rest = list(told)

        assert rest == [{"bye": 1}]


@pytest.mark.parametrize(("accept", "beat"), [("text/event-stream", ": ping"), ("application/x-ndjson", "")])
def test_a_silent_stream_says_that_it_is_alive(accept: str, beat: str) -> None:
    with served(Bounds(beat_s=0.05)) as service:
        table = Table(service)
        with table.client.stream("GET", f"{table.path}/stream", headers={"Accept": accept}) as response:
            lines = response.iter_lines()
            snapshot = list(islice(lines, 4 if beat else 1))
            alive = list(islice(lines, 3))

    assert any("snapshot" in line for line in snapshot)
    assert beat in alive


def test_nobody_is_let_in_once_the_doors_are_closed() -> None:
    with served(Bounds()) as service:
        table = Table(service)
        service.parts.doors.close()

        refused = table.client.get(f"{table.path}/stream", headers=NDJSON)
        ready = table.client.get("/health/ready")

        assert (refused.status_code, refused.json()["code"]) == (503, "closing")
        assert ready.json()["reasons"] == {"doors": "the service is going down"}


def test_a_reader_that_stops_reading_is_cut_off() -> None:
    with served(Bounds(write_s=0.2, writes_per_s=100_000)) as service, socket.socket() as reader:
        table = Table(service)
        first, second = table.join("Ada"), table.join("Bob")
        table.start()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_048)
        reader.connect(("127.0.0.1", service.server.port))
        reader.sendall(f"GET {table.path}/stream HTTP/1.1\r\nHost: x\r\nAccept: */*\r\n\r\n".encode())
        assert _becomes(service, 1)

        for quantity in range(1, 4_000):
            table.play(second if quantity % 2 == 0 else first, {"type": "bid", "quantity": quantity, "face": 2})
            if service.parts.doors.streams == 0:
                break

        assert _becomes(service, 0)


def _becomes(service: Service, streams: int) -> bool:
    """Report whether so many streams are open before long."""
    for _ in range(6_000):
        if service.parts.doors.streams == streams:
            return True
        threading.Event().wait(0.01)
    return False


def test_who_follows_a_match_without_a_seat_is_counted_once_and_whoever_glances_or_plays_is_not(match: Seated) -> None:
    table, first, _ = match
    path, browser = f"{table.path}/stream", {"User-Agent": "Firefox"}

    def watching() -> int:
        counted: int = table.client.get(f"{table.path}/watching").json()["watching"]
        rows = {row["match"]: row["watching"] for row in table.client.get("/api/v1/matches").json()}
        assert rows[table.id] == counted
        return counted

    assert watching() == 0
    with ExitStack() as streams:
        for headers, query in (({}, ""), (browser, ""), (browser, "?after=2"), (first, ""), ({}, "?glance=true")):
            streams.enter_context(table.client.stream("GET", path + query, headers=NDJSON | headers))
        assert watching() == 2
    nothing = table.client.get(f"/api/v1/matches/{UUID(int=0)}/watching")
    assert (nothing.status_code, nothing.json()["code"]) == (404, "unknown_match")
