"""Handshakes and frames of WebSockets: broken masks, opcodes, lengths, fragments, texts, and messages almost right.

Behind what is sent stands a ping. It is answered where the connection still stands and takes frames, so that nobody
waits; where what came before has swallowed it, the client goes away.
"""

from __future__ import annotations

import asyncio
import json
import re
import struct
from random import Random
from typing import Any, Final

from services.http.problems import PROBLEMS
from tests.endurance.mutations import EDGES
from tests.malformed.bytes import changed
from tests.malformed.house import House
from tests.malformed.lines import Line
from tests.malformed.people import People
from tests.malformed.tally import Tally
from tests.socket.framing import CLOSE, PING, TEXT, frame

COMMAND: Final = re.compile(rb'"do": ?"command", ?"key": ?"[^"]+", ?"command": ?\{"type"')
"""Bytes that may be a command."""
END: Final = b"the end"
PONG: Final = bytes([0x8A, len(END)]) + END
MESSAGES: Final = 12
"""How many inputs one connection is sent at most."""
FIELDS: Final = {
    "Host": "127.0.0.1",
    "Connection": "Upgrade",
    "Upgrade": "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}
WRONG: Final = {
    "Host": ("", "evil.example", "127.0.0.1:99999"),
    "Connection": ("", "keep-alive", "Upgrade, close", "\xff"),
    "Upgrade": ("", "h2c", "websocket, h2c", "WebSocket\x00"),
    "Sec-WebSocket-Version": ("", "8", "13, 8", "9" * 400),
    "Sec-WebSocket-Key": ("", "short", "=" * 24, "\xff" * 24, "A" * 4_000),
    "Sec-WebSocket-Extensions": ("permessage-deflate; server_max_window_bits=99", ";;;", "x" * 5_000),
    "Sec-WebSocket-Protocol": ("chat, superchat", "\xff", ",,,"),
    "Origin": ("null", "http://[::1", "https://elsewhere.example"),
    "Content-Length": ("5", "-1", "99999999999999999999"),
    "Transfer-Encoding": ("chunked", "gzip"),
}
TEXTS: Final = (
    *(b"", b"null", b"[]", b"{", b"[" * 9_000, b'{"a":' * 2_000, b"\xff\xfe", b'"\\ud800"', b"\xed\xa0\x80", b"1e999"),
    *(b'{"id":1e999,"do":"watch"}', b'{"id":' + b"9" * 4_000 + b"}", b'{"id":1,"id":2,"do":"watch"}', b"x" * 16_384),
)


class SocketDoor:
    """The address of sockets."""

    name = "socket"
    at_once = 50

    def __init__(self, house: House, people: People, tally: Tally) -> None:
        self._house, self._people, self._tally = house, people, tally

    async def begin(self) -> None:
        """Nothing is to be learnt."""

    async def send(self, numbers: range) -> int:
        """Send these, a handshake or several frames over one connection each, and return how many may be kept."""
        drawn, talks, left = Random(f"socket {numbers.start}"), [], list(numbers)
        while left:
            count = drawn.randint(1, MESSAGES)
            talks.append(self._talk(left[:count]))
            left = left[count:]
        return sum(await asyncio.gather(*talks))

    async def _talk(self, numbers: list[int]) -> int:
        drawn = Random(f"socket {numbers[0]}")
        shakes_badly = len(numbers) == 1 and drawn.random() < 0.5
        said = _handshake(drawn) if shakes_badly else _head(FIELDS)
        frames = [self._frame(Random(f"socket {number} frame")) for number in numbers]
        async with Line.opened(self._house, numbers[0]) as line:
            line.send(said)
            head = await line.until(b"\r\n\r\n")
            if head.startswith(b"HTTP/1.1 101 "):
                for data in frames:
                    line.send(data)
                    await line.breathe()
                line.send(frame(END, PING))
                came = await line.until(PONG)
            else:
                came = head + await line.rest()
        return self._judge(numbers, [said, *frames], came, switched=head.startswith(b"HTTP/1.1 101 "))

    def _judge(self, numbers: list[int], sent: list[bytes], came: bytes, *, switched: bool) -> int:
        """Hold what came against what may come, and return how many messages were done, or may have been.

        A connection that is closed for what comes behind a command may take the answer along.
        """
        try:
            said = list(_messages(came)) if switched else [_refusal(came)]
        except (AssertionError, ValueError, KeyError, IndexError, struct.error) as fault:
            self._tally.find(f"socket {numbers} {sent!r}: {fault!r}: {came!r}")
            return 1
        self._tally.said.update(said)
        is_closed = any(one.startswith("closed") for one in said)
        return said.count("200") + sum(is_closed and COMMAND.search(data) is not None for data in sent)

    # ---- what is sent -----------------------------------------------------------------------------

    def _frame(self, drawn: Random) -> bytes:
        """Return bytes that are almost a frame with a message that is right, or a frame with one that almost is."""
        message = json.dumps(self._message(drawn), separators=(",", ":")).encode()
        way = drawn.random()
        if way < 0.25:
            return frame(changed(drawn, message))
        if way < 0.55:
            return frame(json.dumps(bent(drawn, json.loads(message))).encode())
        if way < 0.65:
            return frame(drawn.choice(TEXTS))
        if way < 0.75:
            return changed(drawn, frame(message))
        return _misframed(drawn, message)

    def _message(self, drawn: Random) -> dict[str, Any]:
        place = drawn.choice(self._people.places)
        name = drawn.choice((drawn.randrange(100), "w"))
        about = {"id": name, "match": place.match, "token": drawn.choice(place.tokens)}
        command = drawn.choice(
            (
                {"type": "bid", "quantity": 1, "face": 3},
                {"type": "challenge"},
                {"type": "say", "text": "5x3"},
                {"type": "pass"},
            )
        )
        return drawn.choice(
            (
                {**about, "do": "command", "key": f"a-key-of-nonsense-{drawn.randrange(10**6)}", "command": command},
                {**about, "do": "watch", "after": drawn.randrange(9)},
                {"id": name, "do": "watch", "match": place.match, "phrases": True},
                {"id": name, "do": "unwatch", "watch": name},
            )
        )


def _head(fields: dict[str, str], line: str = "GET /api/v1/socket HTTP/1.1") -> bytes:
    return "\r\n".join([line, *(f"{name}: {text}" for name, text in fields.items()), "\r\n"]).encode("latin-1")


def _handshake(drawn: Random) -> bytes:
    """Return a handshake with a field or two that are wrong, or none, or changed anywhere."""
    fields = dict(FIELDS)
    for name in drawn.sample(list(WRONG), drawn.choice((1, 1, 2))):
        fields[name] = drawn.choice(WRONG[name])
    if drawn.random() < 0.2:
        del fields[drawn.choice(list(fields))]
    lines = ("GET /api/v1/socket HTTP/1.1", "GET /api/v1/socket HTTP/1.0", "POST /api/v1/socket HTTP/1.1")
    head = _head(fields, drawn.choice((*lines, lines[0], lines[0])))
    return changed(drawn, head) if drawn.random() < 0.3 else head


def bent(drawn: Random, document: Any) -> Any:
    """Return a document with one member that is something else, left out, or too many."""
    if not isinstance(document, dict) or not document:
        return drawn.choice(EDGES)
    name, way = drawn.choice(list(document)), drawn.random()
    if way < 0.15:
        return {key: value for key, value in document.items() if key != name}
    if way < 0.25:
        return {**document, drawn.choice(("x", "", "seat", name + " ")): drawn.choice(EDGES)}
    return {**document, name: bent(drawn, document[name])}


def _misframed(drawn: Random, message: bytes) -> bytes:
    """Return frames as the protocol does not have them, or as nobody sends them."""
    kind = drawn.randrange(16)
    half = len(message) // 2
    return drawn.choice(
        (
            frame(message, kind),
            bytes([drawn.randrange(256)]) + frame(message)[1:],
            frame(message)[:1] + bytes([frame(message)[1] & 0x7F]) + frame(message)[2:],
            frame(message, length=drawn.choice((0, 1, len(message) - 1, len(message) + 1, 16_385, 2**31, 2**63 - 1))),
            frame(message[:half], fin=False) + frame(message[half:], 0),
            frame(message[:half], fin=False) + frame(b"", PING) + frame(message[half:], 0),
            frame(message[:half], fin=False) + frame(message[half:], TEXT),
            frame(b"", 0, fin=False) * drawn.randrange(1, 40),
            frame(b"x" * drawn.choice((0, 125, 126, 70_000)), PING),
            frame(b"", PING, fin=False),
            frame(struct.pack("!H", drawn.choice((0, 999, 1_000, 1_004, 1_005, 1_006, 1_015, 2_999, 65_535))), CLOSE),
            frame(b"\x03\xe8" + b"\xff\xfe", CLOSE),
            frame(b"\x03", CLOSE),
            frame(b"{}", 2),
        )
    )


# ---- what comes back ------------------------------------------------------------------------------


def _refusal(came: bytes) -> str:
    """Return the status of an answer to a handshake that is none."""
    if not came:
        return "nothing"
    head, _, body = came.partition(b"\r\n\r\n")
    status = int(head.split()[1])
    assert status < 500, status
    if b"content-type: application/problem+json" in head and body:
        problem = json.loads(body[: body.index(b"}HTTP/1.1 ") + 1] if b"}HTTP/1.1 " in body else body)
        assert PROBLEMS[problem["code"]].status == problem["status"] == status, problem
    return f"shake {status}"


def _messages(came: bytes) -> Any:
    """Yield what each message says in short, and with which code the connection was closed."""
    while came:
        kind, size = came[0] & 0x0F, came[1]
        assert came[0] & 0x80, "a server does not break its messages up"
        assert size < 128, "a server masks nothing"
        at = 2
        if size == 126:
            size, at = struct.unpack("!H", came[2:4])[0], 4
        elif size == 127:
            size, at = struct.unpack("!Q", came[2:10])[0], 10
        if len(came) < at + size:
            return
        data, came = came[at : at + size], came[at + size :]
        if kind == CLOSE:
            yield f"closed {struct.unpack('!H', data[:2])[0]}"
        elif kind == TEXT:
            yield _said(json.loads(data))


def _said(message: Any) -> str:
    status = message.get("status")
    if status is None:
        return next(key for key in message if key not in {"watch", "match"})
    assert status < 500, message
    if status >= 400:
        assert PROBLEMS[message["code"]].status == status, message
    return str(status)
