"""Bytes at the port, most of them almost a request: broken lines and fields, chunks, two in one, cut off, in pieces.

Behind each stands a right request that asks for the connection to be closed, so that nobody waits: either it is
answered, or the connection was closed before, or what came before has swallowed it, and the client goes away.
"""

from __future__ import annotations

import asyncio
import json
from itertools import pairwise
from random import Random
from typing import Final

from services.http.problems import PROBLEMS
from tests.endurance.mutations import Asked
from tests.malformed.bytes import changed
from tests.malformed.house import House
from tests.malformed.http_door import HttpDoor
from tests.malformed.lines import Line
from tests.malformed.people import People
from tests.malformed.tally import Tally

LAST: Final = b"GET /health/live HTTP/1.1\r\nHost: last\r\nConnection: close\r\n\r\n"
ALIVE: Final = b'{"status":"live"}'
"""What it is answered."""
SMUGGLED: Final = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
FRAMINGS: Final = (
    *(b"Content-Length: 0\r\n", b"Content-Length: 5\r\n", b"Content-Length: +5\r\n", b"Content-Length: -1\r\n"),
    *(b"Content-Length: 0x5\r\n", b"Content-Length: 99999999999999999999\r\n", b"Content-Length: 5, 5\r\n"),
    *(b"Transfer-Encoding: chunked\r\n", b"Transfer-Encoding : chunked\r\n", b"Transfer-Encoding: xchunked\r\n"),
    *(b"Transfer-Encoding: chunked, identity\r\n", b"Transfer-Encoding:\tchunked\r\n", b"Transfer-Encoding: gzip\r\n"),
    *(b"Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", b"Expect: 100-continue\r\n", b"Connection: upgrade\r\n"),
    *(b"Host: a\r\nHost: b\r\n", b" folded: x\r\n", b": none\r\n", b"X\x00Y: z\r\n", b"X: a\rb\r\n", b"Trailer: x\r\n"),
    *(b"Upgrade: h2c\r\nConnection: upgrade\r\n", b"X: " + b"y" * 16_500 + b"\r\n", b"X: y\r\n" * 900),
)
CHUNKS: Final = (
    *(b"0\r\n\r\n", b"1\r\n{\r\n0\r\n\r\n", b"5;x=y\r\nabcde\r\n0\r\n\r\n", b"-1\r\n", b"\r\n\r\n"),
    *(b"5\r\nabcdefgh\r\n0\r\n\r\n", b"g\r\n", b"2\r\n{}\n0\r\n\r\n", b"0\r\nX: y\r\n\r\n"),
    *(b"1\r\n \r\n" * 400 + b"0\r\n\r\n", b"10000000000000000\r\n"),
)


class RawDoor:
    """The port."""

    name = "raw"
    at_once = 16

    def __init__(self, house: House, people: People, tally: Tally) -> None:
        self._house, self._tally = house, tally
        self._right = HttpDoor(house, people, tally)

    async def begin(self) -> None:
        """Learn what right requests look like."""
        await self._right.begin()

    async def send(self, numbers: range) -> int:
        """Send these side by side, each over a connection of its own."""
        return sum(await asyncio.gather(*(self._send(number) for number in numbers)))

    async def _send(self, number: int) -> bool:
        drawn = Random(f"raw {number}")
        data, is_whole = self._bytes(drawn)
        came = await self._exchanged(number, data + LAST, drawn)
        try:
            statuses = read(came)
        except (AssertionError, ValueError, KeyError) as fault:
            self._tally.find(f"raw {number} {data!r}: {fault!r}: {came!r}")
            return True
        if came.endswith(ALIVE):
            statuses.pop()
        self._tally.said.update(map(str, statuses) if statuses else ["nothing"])
        # What is not answered may have been done: the connection was cut off for what stands behind it.
        unknown = is_whole or not statuses
        return (unknown or any(status < 300 for status in statuses)) and not data.startswith((b"GET", b"HEAD"))

    async def _exchanged(self, number: int, data: bytes, drawn: Random) -> bytes:
        """Send this, in one piece or several, and return what comes of it."""
        cuts = sorted(drawn.randrange(len(data) + 1) for _ in range(drawn.choice((0, 0, 0, 1, 4))))
        async with Line.opened(self._house, number) as line:
            for start, end in pairwise((0, *cuts, len(data))):
                line.send(data[start:end])
                await line.breathe()
            return await line.rest()

    def _bytes(self, drawn: Random) -> tuple[bytes, bool]:
        """Return what is to be sent, and whether a whole request is at its front, which is done though nobody hears."""
        request = written(self._right.asked(drawn))
        way = drawn.random()
        if way < 0.5:
            return changed(drawn, request), False
        head, _, body = request.partition(b"\r\n\r\n")
        line, _, fields = head.partition(b"\r\n")
        if way < 0.8:
            field = drawn.choice(FRAMINGS)
            fields = drawn.choice((field + fields + b"\r\n", fields + b"\r\n" + field, b"Host: x\r\n" + field))
            return line + b"\r\n" + fields + b"\r\n" + drawn.choice((body, *CHUNKS)) + drawn.choice(
                (b"", SMUGGLED)
            ), False
        if way < 0.9:
            return changed(drawn, line) + b"\r\n" + fields + b"\r\n\r\n" + body, False
        return request * drawn.choice((1, 2, 12)) + changed(drawn, request), True


def written(asked: Asked) -> bytes:
    """Return a request as it is written."""
    fields = [("Host", b"127.0.0.1"), *asked.headers]
    fields += [] if asked.body is None else [("Content-Length", str(len(asked.body)).encode())]
    lines = b"".join(name.encode() + b": " + value + b"\r\n" for name, value in fields)
    return f"{asked.method} {asked.target} HTTP/1.1\r\n".encode() + lines + b"\r\n" + (asked.body or b"")


def read(came: bytes) -> list[int]:
    """Return the status of each answer; the last may not be at its end.

    Raises:
        AssertionError, ValueError, KeyError: One is no answer, or none that a house gives to nonsense.
    """
    statuses = []
    while came:
        head, found, came = came.partition(b"\r\n\r\n")
        first, *lines = head.split(b"\r\n")
        assert first.startswith(b"HTTP/1.1 "), first
        statuses.append(status := int(first.split()[1]))
        assert status < 500, status
        fields = {name.lower(): value for name, _, value in (line.partition(b": ") for line in lines)}
        if not found or fields.get(b"upgrade") == b"websocket":
            break
        body, came = _body(fields, came)
        if fields.get(b"content-type") == b"application/problem+json" and body:
            problem = json.loads(body)
            assert PROBLEMS[problem["code"]].status == problem["status"] == status, problem
    return statuses


def _body(fields: dict[bytes, bytes], came: bytes) -> tuple[bytes, bytes]:
    """Return the body of an answer, and what comes behind it."""
    if came.startswith(b"HTTP/1.1 "):
        return b"", came  # the answer to HEAD, whose head is that of GET
    if b"chunked" not in fields.get(b"transfer-encoding", b""):
        length = int(fields.get(b"content-length", 0))
        return (came[:length], came[length:]) if len(came) >= length else (b"", b"")
    body = b""
    while came:
        size, _, came = came.partition(b"\r\n")
        length = int(size or b"0", 16)
        body, came = body + came[:length], came[length + 2 :]
        if length == 0:
            break
    return body, came
