"""Bad input on a socket: a clear answer or a clear end, bounded memory, and nobody else hears of it."""

from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psutil
import pytest
from websockets.exceptions import InvalidStatus

from services.api.socket.session import UNREAD_MAX
from services.http.bounds import Bounds
from services.http.front.rates import Rate
from services.http.front.sockets import Terms
from services.http.front.upgrades import FRAGMENTS_MAX, MESSAGE_MAX
from tests.api.conftest import Service, Table, served
from tests.door.sending import Client, connected
from tests.socket.framing import CLOSE, PING, closed_with, frame, opened
from tests.socket.speaking import Speaker, encoded, key, last_words, speaking, token_of

Match = tuple[Table, dict[str, str], dict[str, str]]


@contextmanager
def raw(service: Service, **more: str) -> Iterator[Client]:
    """Open a socket of a service and speak it in bytes."""
    with opened(service.server.port, headers=more) as client:
        yield client


def close_code(speaker: Speaker) -> int:
    """Read on until the service closes, and return its code."""
    _, code = last_words(speaker)
    return code


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("garbage", None),
        ("", None),
        ("[]", None),
        ('{"id": 7}', 7),
        ('{"id": 7, "do": "dance"}', 7),
        ('{"id": "x", "do": "watch"}', "x"),
        ('{"id": 7, "do": "unwatch", "watch": 1, "token": "in the wrong place"}', 7),
        ('{"id": -1, "do": "watch"}', None),
        ('{"id": 7, "do": "command", "match": "x", "key": "k", "token": "t", "command": {}}', 7),
        ("[" * 10_000, None),
    ],
)
def test_what_asks_for_nothing_is_answered_with_where_and_why(
    speaker: Speaker, message: str, name: int | str | None
) -> None:
    speaker.socket.send(message)
    said = speaker.hear()
    assert (said["id"], said["status"], said["code"]) == (name, 400, "malformed")
    assert said["faults"][0]["why"]


def test_who_asks_for_nothing_again_and_again_is_closed(speaker: Speaker) -> None:
    for _ in range(UNREAD_MAX):
        speaker.socket.send("garbage")
    assert close_code(speaker) == 1008


def test_bytes_are_no_message(speaker: Speaker) -> None:
    speaker.socket.send(b"\0\1\2")
    assert close_code(speaker) == 1003


def test_text_that_is_no_utf_8_is_malformed(service: Service) -> None:
    with raw(service) as client:
        client.until(b"\r\n\r\n")
        client.send(frame(b'{"id": 1, "do": "\xff\xfe"}'))
        client.until(b'"code":"malformed"')


def test_64_mib_are_refused_by_their_head_and_not_kept(service: Service) -> None:
    before = psutil.Process().memory_info().rss
    with raw(service) as client:
        client.until(b"\r\n\r\n")
        client.send(frame(b"", length=64 << 20))
        for _ in range(1_024):
            if not client.send(bytes(65_536)):
                break
        else:
            pytest.fail("all of it was taken")
        assert psutil.Process().memory_info().rss - before < 16 << 20


def test_a_message_that_is_too_long_is_told_so(service: Service) -> None:
    for length in (MESSAGE_MAX + 1, 64 << 20, 2**62):
        with raw(service) as client:
            client.until(b"\r\n\r\n")
            client.send(frame(b"", length=length))
            assert closed_with(client.until_closed()) == 1009


def test_the_longest_message_may_come_in_pieces_but_not_in_any_number(service: Service) -> None:
    with raw(service) as client:
        client.until(b"\r\n\r\n")
        client.send(frame(b"{", fin=False) + frame(b" " * (MESSAGE_MAX - 1), 0) + frame(b"", PING))
        client.until(b'"code":"malformed"')
        client.send(frame(b"", fin=False) + frame(b"", 0, fin=False) * (FRAGMENTS_MAX + 1))
        assert closed_with(client.until_closed()) == 1008


@pytest.mark.parametrize(
    "data", [b"\xc1\x80\0\0\0\0", b"\x81\x01a", frame(b"", 0), frame(b"x" * 126, PING), frame(b"", 0x3), b"GET / HTTP"]
)
def test_what_is_no_frame_is_a_fault_of_the_protocol(service: Service, data: bytes) -> None:
    with raw(service) as client:
        client.until(b"\r\n\r\n")
        client.send(data)
        assert closed_with(client.until_closed()) == 1002


def test_half_a_message_is_not_waited_for_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.http.front.upgrades.MESSAGE_S", 0.3)
    with served(Bounds()) as service, raw(service) as client:
        client.until(b"\r\n\r\n")
        client.send(frame(b'{"id": 1, "do":', length=100))
        assert closed_with(client.until_closed()) == 1008


def test_who_asks_for_nothing_is_closed_after_a_rest_and_who_watches_is_not() -> None:
    with served(Bounds(), terms=Terms(rest_s=0.5)) as service:
        table = Table(service)
        with speaking(service) as watching:
            watching.watch(table)
            with speaking(service) as resting:
                assert close_code(resting) == 1000
            assert watching.ask(do="unwatch", watch=99)["code"] == "malformed"


def test_sockets_at_rest_give_way_to_whoever_comes() -> None:
    with served(Bounds(), terms=Terms(sockets_of_network_max=3)) as service:
        service.client.close()
        with speaking(service) as first, speaking(service), speaking(service), speaking(service) as fourth:
            assert close_code(first) == 1013
            assert fourth.ask(do="unwatch", watch=1)["code"] == "malformed"


def test_frames_over_the_rate_of_a_network_wait_and_none_is_lost() -> None:
    with served(Bounds(), terms=Terms(requests=Rate(100, 2))) as service, raw(service) as client:
        client.until(b"\r\n\r\n")
        began = time.monotonic()
        client.send(frame(b"", PING) * 150 + frame(b'{"id": 1, "do": "unwatch", "watch": 5}'))
        client.until(b'"code":"malformed"')
        assert time.monotonic() - began > 0.5
        with connected(service.server.port, "127.0.0.2") as other:
            other.send(b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n")
            assert other.answer()[0] == 200


def test_who_reads_nothing_is_closed_and_the_others_hear_all() -> None:
    with served(Bounds(writes_per_s=100_000), terms=Terms(write_s=0.5)) as service:
        table = Table(service)
        first, second = table.join("Ada"), table.join("Bob")
        table.start()
        service.house.quantity = 0
        with raw(service) as deaf, speaking(service) as hearing:
            deaf.until(b"\r\n\r\n")
            hearing.watch(table)
            for number in range(32):
                asked = {"id": number, "do": "watch", "match": table.id}
                deaf.send(frame(json.dumps(asked).encode()))
            for number in range(400):
                asked = {"type": "bid", "quantity": number + 1, "face": 3}
                assert table.play((first, second)[number % 2], asked).status_code == 200
            versions = [hearing.hear() for _ in range(401)][-1]["frame"]["version"]
            assert versions == 404
            for _ in range(100):
                if service.parts.doors.turned_away["not_reading"] and service.parts.doors.streams == 1:
                    break
                threading.Event().wait(0.1)
            assert service.parts.doors.turned_away["not_reading"] == 1
            assert service.parts.doors.streams == 1


def test_what_came_before_the_close_is_done(service: Service, match: Match) -> None:
    table, first, _ = match
    about = {"match": table.id, "token": token_of(first), "key": key()}
    asked = {"id": 1, "do": "command", **about, "command": {"type": "bid", "quantity": 1, "face": 3}}
    with raw(service) as client:
        client.until(b"\r\n\r\n")
        client.send(frame(encoded(asked)) + frame(b"\x03\xe8", CLOSE))
        assert closed_with(client.until_closed()) == 1000
    with speaking(service) as again:
        assert again.ask(**asked)["version"] == 5
    assert service.client.get(table.path).json()["version"] == 5


# ---- the handshake ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "header", [{"Origin": "http://evil.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_a_page_of_another_site_opens_no_socket(service: Service, header: dict[str, str]) -> None:
    with raw(service, **header) as client:
        assert client.problem()["code"] == "cross_site"


def test_a_page_of_the_house_and_a_program_open_one(service: Service) -> None:
    own = {"Origin": service.url, "Host": service.url.removeprefix("http://"), "Sec-Fetch-Site": "same-origin"}
    for headers in (own, {"Origin": service.url, "Host": service.url.removeprefix("http://")}, {}):
        with raw(service, **headers) as client:
            assert client.until(b"\r\n\r\n").startswith(b"HTTP/1.1 101 ")


def test_a_house_is_asked_by_a_name_it_is_known_by() -> None:
    with served(Bounds(), hosts=frozenset({"dice.example"})) as service:
        evil = {"Origin": "http://evil.example", "Host": "evil.example"}
        with raw(service, **evil) as client:
            assert client.problem()["code"] == "misdirected"


@pytest.mark.parametrize(
    ("header", "code"),
    [
        ({"Upgrade": "h2c"}, "upgrade_required"),
        ({"Sec-WebSocket-Version": "8"}, "malformed"),
        ({"Sec-WebSocket-Key": "short"}, "malformed"),
    ],
)
def test_what_is_no_handshake_is_told_so(service: Service, header: dict[str, str], code: str) -> None:
    with raw(service, **header) as client:
        assert client.problem()["code"] == code


def test_a_plain_get_is_told_what_the_address_takes(service: Service) -> None:
    for ask in (service.client.get, service.client.head):
        assert ask("/api/v1/socket").status_code == 426


def test_no_message_is_compressed_whoever_offers_it(service: Service) -> None:
    with raw(service, **{"Sec-WebSocket-Extensions": "permessage-deflate"}) as client:
        assert b"extensions" not in client.until(b"\r\n\r\n").lower()


def test_a_head_that_never_ends_is_refused_as_ever(service: Service) -> None:
    with raw(service, **{"X-Long": "x" * 20_000}) as client:
        assert client.problem()["code"] == "head_too_large"


# ---- what is said of it -------------------------------------------------------------------------


def test_no_token_stands_in_any_line_of_the_log(
    service: Service, match: Match, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    table, first, _ = match
    with caplog.at_level(logging.DEBUG), speaking(service) as speaker:
        logging.getLogger("websockets.client").setLevel(logging.INFO)
        speaker.watch(table, token=token_of(first))
        speaker.play(table, first, {"type": "bid", "quantity": 1, "face": 3})
        speaker.socket.send(json.dumps({"do": "nothing", "token": token_of(first), "key": key()}))
        speaker.hear()
    printed = capsys.readouterr()
    lines: list[Any] = [record.getMessage() for record in caplog.records]
    assert token_of(first) not in "\n".join(lines) + printed.out + printed.err


def test_a_refused_handshake_is_no_open_socket(service: Service) -> None:
    with pytest.raises(InvalidStatus), speaking(service, origin="http://evil.example"):
        pass
    assert service.parts.doors.guests == 0
