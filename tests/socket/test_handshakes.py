"""Handshakes that no usual client sends: each is told what is wrong with it, and none is a fault of ours."""

from __future__ import annotations

import base64

import pytest

from tests.api.conftest import Service
from tests.door.sending import Client, connected
from tests.socket.framing import frame

KEY = base64.b64encode(bytes(16)).decode()
USUAL = (
    "Host: 127.0.0.1",
    "Connection: Upgrade",
    "Upgrade: websocket",
    "Sec-WebSocket-Version: 13",
    f"Sec-WebSocket-Key: {KEY}",
)


def head(*fields: str, version: str = "1.1") -> bytes:
    """Return a request for the socket with these fields, any of them as often as it is named."""
    return "\r\n".join((f"GET /api/v1/socket HTTP/{version}", *fields, "", "")).encode()


def refusal(client: Client) -> tuple[str, dict[str, str]]:
    """Return the code with which a handshake is refused, and the headers of the answer."""
    status, headers, body = client.answer()
    assert status < 500, body
    return body.decode().rpartition('"code":"')[2].rstrip('"}'), headers


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ("Upgrade: h2c", "upgrade_required"),
        ("Upgrade: websocket", "upgrade_required"),
        (f"Sec-WebSocket-Key: {KEY}", "malformed"),
        ("Sec-WebSocket-Version: 13", "malformed"),
        ("Connection: @@", "malformed"),
        ("Host: 127.0.0.1", "bad_host"),
    ],
)
def test_what_is_said_twice_is_told_so(service: Service, field: str, code: str) -> None:
    with connected(service.server.port) as client:
        client.send(head(*USUAL, field))
        assert refusal(client)[0] == code


@pytest.mark.parametrize("fields", [USUAL, USUAL[1:]])
def test_http_1_0_is_not_upgraded_whether_it_names_a_host_or_not(service: Service, fields: tuple[str, ...]) -> None:
    with connected(service.server.port) as client:
        client.send(head(*fields, version="1.0"))
        assert refusal(client)[0] == "upgrade_required"


@pytest.mark.parametrize(
    ("field", "body"),
    [("Content-Length: 5", b"hello"), ("Content-Length: 5", b"h"), ("Transfer-Encoding: chunked", b"1\r\nh\r\n")],
)
def test_a_body_is_never_taken_for_frames(service: Service, field: str, body: bytes) -> None:
    with connected(service.server.port) as client:
        client.send(head(*USUAL, field) + body)
        assert refusal(client)[0] == "malformed"


def test_a_body_of_no_length_is_none(service: Service) -> None:
    with connected(service.server.port) as client:
        client.send(head(*USUAL, "Content-Length: 0"))
        assert client.until(b"\r\n\r\n").startswith(b"HTTP/1.1 101 ")


def test_who_does_not_ask_for_a_websocket_is_told_to(service: Service) -> None:
    with connected(service.server.port) as client:
        for asked in (head("Host: 127.0.0.1"), head(*USUAL, "Upgrade: h2c")):
            client.send(asked)
            code, headers = refusal(client)
            assert code == "upgrade_required"
            assert (headers["upgrade"], headers["connection"].lower()) == ("websocket", "upgrade")
            assert headers["sec-websocket-version"] == "13"


def test_who_asks_for_another_version_is_told_which_there_is(service: Service) -> None:
    with connected(service.server.port) as client:
        client.send(head(*USUAL[:3], "Sec-WebSocket-Version: 8", USUAL[4]))
        code, headers = refusal(client)
        assert (code, headers["sec-websocket-version"]) == ("malformed", "13")


def test_requests_before_a_handshake_are_answered_and_frames_behind_it_are_read(service: Service) -> None:
    with connected(service.server.port) as client:
        plain = b"GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n"
        client.send(plain + plain + head(*USUAL) + frame(b'{"id": 1, "do": "unwatch", "watch": 5}'))
        assert [client.answer()[0], client.answer()[0], client.answer()[0]] == [200, 200, 101]
        assert b'"id":1' in client.until(b'"code":"malformed"')
