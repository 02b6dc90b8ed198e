"""Unwatching a match before its snapshot is there: it is not followed on, and its place is free again."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.api.conftest import Service, Table
from tests.door.sending import Client
from tests.socket.framing import frame, opened
from tests.socket.speaking import encoded

Match = tuple[Table, dict[str, str], dict[str, str]]


@contextmanager
def unwatching(service: Service, match: str) -> Iterator[Client]:
    """Watch a match and unwatch it, in one write."""
    with opened(service.server.port) as client:
        client.until(b"\r\n\r\n")
        watch, unwatch = {"id": 1, "do": "watch", "match": match}, {"id": 2, "do": "unwatch", "watch": 1}
        client.send(frame(encoded(watch)) + frame(encoded(unwatch)))
        assert client.until(b"}").endswith(b'{"id":2,"status":200}')
        yield client


def test_a_match_may_be_unwatched_before_its_snapshot_is_there(service: Service, match: Match) -> None:
    table, _, _ = match
    with unwatching(service, table.id) as client:
        assert b'{"id":1,"status":200,' in client.until(b'"snapshot":')
        assert b'"frame"' not in client.until(b'"bye":4}')
        for _ in range(100):
            if not service.parts.doors.streams:
                break
            threading.Event().wait(0.1)
        assert service.parts.doors.streams == 0


def test_who_unwatches_what_is_refused_is_told_that_it_is(service: Service) -> None:
    with unwatching(service, "00000000-0000-4000-8000-000000000000") as client:
        assert b'"id":1,' in client.until(b'"code":"unknown_match"')
