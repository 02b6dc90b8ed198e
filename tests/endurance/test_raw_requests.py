"""Bytes that are no request, or two requests in one: each gets one answer or none, and the next person is served.

Also asked byte by byte are paths that lead out of a folder, and writes that a page of another site would send.
"""

from __future__ import annotations

import asyncio
import json
import re
from urllib.parse import urlsplit

import httpx
import pytest

ANSWER_S = 2.0
"""How long is waited for an answer to what is incomplete, which may get none."""
BOUND_S = 60.0
"""Far above what any answer takes that is sure to come."""
NEXT = b"GET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
POST = b"POST /api/v1/matches HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
GET = b"GET /health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n"
SIZED = b"Content-Length: %d\r\n" % len(NEXT)

TWO_IN_ONE = {
    "length and chunks": POST + SIZED + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + NEXT,
    "chunks and length": POST + b"Transfer-Encoding: chunked\r\n" + SIZED + b"\r\n0\r\n\r\n" + NEXT,
    "chunked with a blank before the colon": POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n" + NEXT,
    "chunked in a fold": POST + b"Transfer-Encoding:\r\n chunked\r\n" + SIZED + b"\r\n0\r\n\r\n" + NEXT,
    "chunked with a tab": POST + b"Transfer-Encoding:\tchunked\r\n" + SIZED + b"\r\n0\r\n\r\n" + NEXT,
    "chunked and more": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n" + NEXT,
    "something like chunked": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n" + NEXT,
    "chunked twice": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: cow\r\n\r\n0\r\n\r\n" + NEXT,
    "two lengths": POST + b"Content-Length: 0\r\n" + SIZED + b"\r\n" + NEXT,
    "two lengths in one": POST + b"Content-Length: 0, %d\r\n\r\n" % len(NEXT) + NEXT,
    "a length with a sign": POST + b"Content-Length: +0\r\n\r\n" + NEXT,
    "a negative length": POST + b"Content-Length: -1\r\n\r\n" + NEXT,
    "a length in hex": POST + b"Content-Length: 0x0\r\n\r\n" + NEXT,
    "a length with a blank": POST + b"Content-Length: 0 0\r\n\r\n" + NEXT,
    "a length beyond 64 bits": POST + b"Content-Length: 18446744073709551616\r\n\r\n" + NEXT,
    "a chunk beyond 64 bits": POST + b"Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\n" + NEXT,
    "a chunk of no size": POST + b"Transfer-Encoding: chunked\r\n\r\n\r\n\r\n" + NEXT,
    "a chunk with a sign": POST + b"Transfer-Encoding: chunked\r\n\r\n-1\r\n" + NEXT,
    "a chunk longer than it says": POST + b"Transfer-Encoding: chunked\r\n\r\n1\r\n{}{}{}\r\n0\r\n\r\n" + NEXT,
    "bare line feeds": GET.replace(b"\r\n", b"\n") + b"X: a\n\nGET /smuggled HTTP/1.1\nHost: 127.0.0.1\n\n",
    "a bare carriage return": GET + b"X: a\rGET /smuggled HTTP/1.1\r\n\r\n",
    "a zero in a header": GET + b"X: a\x00b\r\n\r\n",
    "a header without a name": GET + b": a\r\n\r\n",
    "a header without a colon": GET + b"X\r\n\r\n",
    "a request line in a target": b"GET /health/live HTTP/1.1\rGET /smuggled HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "a version that is none": b"GET /health/live HTTP/9.9\r\nHost: 127.0.0.1\r\n\r\n",
    "no version": b"GET /health/live\r\n\r\n",
    "an upgrade to the second version": GET
    + b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: A\r\n\r\n",
    "the second version at once": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
    "an upgrade to a socket": GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",
    "a tunnel": b"CONNECT 127.0.0.1:5432 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
    "another house": b"GET http://elsewhere.example/health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}
"""Some hold a second request where a sloppy reader would find one."""
OUT = [
    "/static/../pages.py",
    "/static/%2e%2e/pages.py",
    "/static/0000000000000000/../../pages.py",
    "/static/0000000000000000/..%2f..%2fpages.py",
    "/static/0000000000000000/%5c..%5c..%5cpages.py",
    "/static//etc/passwd",
    "/static/0000000000000000/page.html%00.js",
    "/log/tile/../../policy.txt",
    "/log/tile/0/..%2f..%2f..%2fpolicy.txt",
    "/log/tile/entries/%2e%2e/%2e%2e/policy.txt",
    "//etc/passwd",
]
CROSSING = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
    {"Origin": "https://elsewhere.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://127.0.0.1.elsewhere.example"},
]


async def test_two_requests_in_one_get_one_answer(service_url: str) -> None:
    answers = await asyncio.gather(*(answered(service_url, request) for request in TWO_IN_ONE.values()))
    for name, answer in zip(TWO_IN_ONE, answers, strict=True):
        statuses = re.findall(rb"^HTTP/1\.1 (\d{3})", answer, re.MULTILINE)
        assert len(statuses) <= 1, (name, answer)
        assert b"smuggled" not in answer, (name, answer)
        assert all(status[:1] in b"24" for status in statuses), (name, answer)
    last = await answered(service_url, GET + b"Connection: close\r\n\r\n", BOUND_S)
    assert last.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("wrapped", [b"xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n", b"chunked\r\n\r\nnone\r\n"])
async def test_what_is_told_to_be_no_request_is_not_done(service_url: str, wrapped: bytes) -> None:
    async with httpx.AsyncClient(base_url=f"{service_url}/api/v1", timeout=BOUND_S) as client:
        made = (await client.post("/players", json={"name": "Ada"})).raise_for_status().json()
        head = f"DELETE /api/v1/players/{made['player']}/name HTTP/1.1\r\nHost: 127.0.0.1\r\n"
        shown = f"Authorization: Bearer {made['token']}\r\nTransfer-Encoding: "
        answer = await answered(service_url, (head + shown).encode() + wrapped, BOUND_S)
        assert answer.startswith(b"HTTP/1.1 400 "), answer
        assert (await client.get(f"/players/{made['player']}")).json()["name"] == "Ada"


async def answered(url: str, request: bytes, within_s: float = ANSWER_S) -> bytes:
    """Return all that comes back over a connection of its own until it is closed, or the time is up."""
    parts, came = urlsplit(url), b""
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        writer.write(request)
        async with asyncio.timeout(within_s):
            while read := await reader.read(65_536):
                came += read
    except (TimeoutError, ConnectionError):
        pass  # it is waited on, or cut off: what counts is what came until then
    finally:
        writer.transport.abort()
    return came


@pytest.mark.parametrize("path", OUT)
async def test_no_path_leads_out_of_what_is_published(service_url: str, path: str) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode()
    answer = await answered(service_url, request, BOUND_S)
    assert re.match(rb"HTTP/1\.1 40[04] ", answer), answer
    assert b"import" not in answer
    assert b"root:" not in answer


@pytest.mark.parametrize("sent", CROSSING, ids=str)
def test_a_page_of_another_site_opens_nothing(service_url: str, sent: dict[str, str]) -> None:
    answer = httpx.post(
        f"{service_url}/api/v1/matches", json={"rules": {"game": "common_hand"}}, headers=sent, timeout=60
    )
    assert (answer.status_code, answer.json()["code"]) == (403, "cross_site")
    assert not shared(answer)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_page_of_another_site_is_promised_nothing(service_url: str, method: str) -> None:
    asks = {"Origin": "https://elsewhere.example", "Access-Control-Request-Method": method}
    for path in ("/api/v1/matches", "/health/live", "/"):
        assert not shared(httpx.options(service_url + path, headers=asks, timeout=BOUND_S))
        assert not shared(httpx.get(service_url + path, headers=asks, timeout=BOUND_S))


def shared(answer: httpx.Response) -> list[str]:
    """Return the headers that would let a page of another site read an answer."""
    return [name for name in answer.headers if name.startswith("access-control-")]


NAMES = ['<img src=x onerror="a()">', "</script><script>a()</script>", "{{7*7}}", "'\"><svg/onload=a()>", "&lt;b&gt;"]


def test_what_people_call_themselves_is_text_on_every_page_of_the_real_house(service_url: str) -> None:
    with httpx.Client(base_url=service_url, timeout=BOUND_S) as client:
        opened = client.post("/api/v1/matches", json={"rules": {"game": "common_hand"}}).raise_for_status().json()
        for name in NAMES:
            client.post(f"/api/v1/matches/{opened['match']}/seats", json={"name": name}).raise_for_status()
        told = json.dumps(client.get(f"/api/v1/matches/{opened['match']}").json())
        assert all(json.dumps(name)[1:-1] in told for name in NAMES)
        for path in ("", "/replay", "/audit"):
            page = client.get(f"/m/{opened['match']}{path}").text
            assert not any(name in page for name in NAMES[:4] if "<" in name)
            assert "49" not in re.findall(r"<bdi>(.*?)</bdi>", page)
