"""Requests without end, sockets that say nothing, answers that are not read, headers nobody expects."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from functools import partial
from itertools import chain, repeat
from typing import Final

from services.cli.bench.abuse.attempt import SULK_S, Attempt, status_of

MB: Final = 1 << 20
CHUNK: Final = b"a" * 65_536
"""What is written at once: as much as fills a usual buffer."""
WINDOW: Final = 4_096
"""What a client that does not read still takes."""
ANSWER_S: Final = 2.0
"""How long a strange request waits for its answer."""
GET: Final = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n"
POST: Final = b"POST /api/v1/matches HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
HALVES: Final = (
    b"",
    GET + b"X-A: a",
    POST + b"Content-Length: 99\r\n\r\n{",
)
"""Nothing, half a header, half a body."""


async def endless_header(attempt: Attempt) -> None:
    """Send a header that never ends, over four sockets."""
    await attempt.at_once(4, lambda _: _send(attempt, GET + b"X-A: ", repeat(CHUNK)))


async def great_header(attempt: Attempt) -> None:
    """Send one header of many megabytes."""
    size = attempt.sizes.header_mb * MB // len(CHUNK)
    await attempt.again_and_again(lambda: _send(attempt, GET + b"X-A: ", _then(repeat(CHUNK, size))))


async def long_url(attempt: Attempt) -> None:
    """Ask for an address of many megabytes."""
    size = attempt.sizes.url_mb * MB // len(CHUNK)
    rest = chain(repeat(CHUNK, size), [b" HTTP/1.1\r\nHost: 127.0.0.1"])
    await attempt.again_and_again(lambda: _send(attempt, b"GET /", _then(rest)))


async def many_fields(attempt: Attempt) -> None:
    """Send many megabytes of small headers."""
    field = b"X-A: a\r\n"
    fields = field * (len(CHUNK) // len(field))
    size = attempt.sizes.fields_mb * MB // len(fields)
    await attempt.again_and_again(lambda: _send(attempt, GET, _then(repeat(fields, size))))


async def endless_body(attempt: Attempt) -> None:
    """Send a body that never ends, in chunks, over four sockets."""
    chunk = b"%x\r\n%b\r\n" % (len(CHUNK), CHUNK)
    await attempt.at_once(4, lambda _: _send(attempt, POST + b"Transfer-Encoding: chunked\r\n\r\n", repeat(chunk)))


def _then(chunks: Iterable[bytes]) -> Iterable[bytes]:
    """Return these chunks and what ends a head."""
    return chain(chunks, [b"\r\n\r\n"])


async def _send(attempt: Attempt, head: bytes, chunks: Iterable[bytes]) -> None:
    """Send a request until it is complete, or the service has answered or hung up."""
    async with attempt.dial() as (reader, writer):
        answer = asyncio.ensure_future(status_of(reader))
        try:
            writer.write(head)
            for chunk in chunks:
                if answer.done():
                    break
                writer.write(chunk)
                await writer.drain()
                attempt.tally["bytes"] += len(chunk)
            attempt.tally[await answer] += 1
        finally:
            answer.cancel()
            await asyncio.gather(answer, return_exceptions=True)


async def idle_sockets(attempt: Attempt) -> None:
    """Keep sockets open that sent nothing, half a header or half a body."""
    await attempt.at_once(attempt.sizes.sockets, partial(_hold, attempt), SULK_S)


async def _hold(attempt: Attempt, number: int) -> None:
    async with attempt.dial() as (reader, writer):
        writer.write(HALVES[number % len(HALVES)])
        await hold_until_hung_up(attempt, reader)


async def hold_until_hung_up(attempt: Attempt, reader: asyncio.StreamReader) -> None:
    """Return when the service has hung up, having read what it said."""
    attempt.tally["open now"] += 1
    attempt.worst("open at most", attempt.tally["open now"])
    try:
        while await reader.read(WINDOW):
            continue
    finally:
        attempt.tally["open now"] -= 1
    attempt.tally["closed"] += 1
    await asyncio.sleep(SULK_S)


async def unread_answers(attempt: Attempt) -> None:
    """Pipeline many requests and read no answer."""
    await attempt.again_and_again(partial(_unread, attempt))


async def _unread(attempt: Attempt) -> None:
    requests = (GET + b"\r\n") * (len(CHUNK) // len(GET))
    async with attempt.dial(window=WINDOW) as (_, writer):
        for _ in range(attempt.sizes.pipelined_mb * MB // len(requests)):
            writer.write(requests)
            await writer.drain()
            attempt.tally["bytes"] += len(requests)
        await asyncio.sleep(SULK_S)


def _asks(line: bytes, *fields: bytes, host: bytes = b"Host: 127.0.0.1\r\n", body: bytes = b"") -> bytes:
    return line + b" HTTP/1.1\r\n" + host + b"".join(field + b"\r\n" for field in fields) + b"\r\n" + body


OPEN: Final = b"POST /api/v1/matches"
LOBBY: Final = b"GET /api/v1/matches"
STRANGE: Final = (
    _asks(OPEN, b"Origin: http://[::1", b"Content-Length: 0"),
    _asks(OPEN, b"Origin: //", b"Sec-Fetch-Site: sideways", b"Content-Length: 0"),
    _asks(OPEN, b"Content-Length: -1"),
    _asks(OPEN, b"Content-Length: 1", b"Content-Length: 2", body=b"{}"),
    _asks(OPEN, b"Content-Length: 2", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n"),
    _asks(OPEN, b"Content-Length: 2", b"Content-Type: application/json; charset=\xff", body=b"{}"),
    _asks(OPEN, b"Content-Length: 2", b"Content-Encoding: gzip", b"Expect: 100-continue", body=b"{}"),
    _asks(OPEN, b"Content-Length: 2", b"Idempotency-Key: " + b"k" * 8_000, body=b"{}"),
    _asks(OPEN, b"Content-Length: 2", b'If-Match: "v1", "v2"', body=b"{}"),
    _asks(b"GET /statistics", host=b"Host: 127.0.0.1:99999\r\n"),
    _asks(b"GET /statistics", host=b"Host: [::1\r\n"),
    _asks(LOBBY, host=b""),
    _asks(LOBBY, host=b"Host: 127.0.0.1\r\nHost: y\r\n"),
    _asks(LOBBY, b"X-Forwarded-For: " + b"A" * 8_000, b"Forwarded: for=\xff"),
    _asks(LOBBY, b"Authorization: Bearer \xff", b"Cookie: " + b"c=d; " * 1_000),
    _asks(LOBBY, b"Accept: ;;;,*/*;q=x", b"Accept-Encoding: \xff", b"Range: bytes=9-1"),
    _asks(LOBBY, b"If-None-Match: W/\xff", b"Last-Event-ID: -1", b"X-Nul: a\x00b"),
    _asks(LOBBY, b"Upgrade: websocket", b"Connection: Upgrade", b"Sec-WebSocket-Key: x"),
    _asks(LOBBY, b"X-Folded: a\r\n b"),
    _asks(b"GET /api/v1/matches?state=%ff&before=\xff"),
    _asks(b"HEAD /"),
    _asks(b"BREW /"),
    _asks(b"GET /%2e%2e/%00"),
    _asks(b"GET http://[/"),
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
)
"""Requests with something that is not expected where it stands."""


async def odd_headers(attempt: Attempt) -> None:
    """Send requests with headers that nobody expects, each over a socket of its own."""
    await attempt.at_once(2, lambda which: _ask_strangely(attempt, STRANGE[which::2]))


async def _ask_strangely(attempt: Attempt, requests: Iterable[bytes]) -> None:
    for request in requests:
        async with attempt.dial() as (reader, writer):
            writer.write(request)
            try:
                async with asyncio.timeout(ANSWER_S):
                    attempt.tally[await status_of(reader)] += 1
            except TimeoutError:
                attempt.tally["no answer"] += 1
