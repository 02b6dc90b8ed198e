"""Addresses that others name: none leads into the networks of this machine, and none keeps it busy."""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from collections.abc import Sequence
from ipaddress import ip_address

import pytest

from infra.abroad.addresses import BadUrl, checked_url, is_public
from infra.abroad.pinned import PinnedPoster, Unreached
from tests.webhooks.listening import Ear, listening

PUBLIC = "93.184.216.34"


def names(*answers: Sequence[str]) -> tuple[list[tuple[str, int]], PinnedPoster]:
    """Return what is asked, and a poster for which names have one answer after the other."""
    asked: list[tuple[str, int]] = []

    async def resolve(host: str, port: int) -> Sequence[str]:
        asked.append((host, port))
        if not answers[len(asked) - 1]:
            raise OSError("no such name")
        return answers[len(asked) - 1]

    return asked, PinnedPoster(resolve=resolve, answer_s=1)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()  # until the other side has had enough
    writer.close()


async def why_not(poster: PinnedPoster, url: str) -> str:
    with pytest.raises(Unreached) as refused:
        await poster.post(url, b"{}", {})
    return refused.value.why


@pytest.mark.parametrize(
    "url",
    [
        "http://hooks.club.org/",
        "ftp://hooks.club.org/",
        "https://",
        "hooks.club.org",
        "https://user:secret@hooks.club.org/",
        "https://hooks.club.org/#part",
        "https://localhost/",
        "https://printer/",
        "https://printer.local/",
        "https://db.internal./",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://2130706433/",
        "https://0x7f.0x1/",
        "https://10.0.0.8/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://[fec0::1]/",
        "https://xn--/",
        "https://xn--a.com/",
        "https://0.0.0.0/",
        "https://hooks.club.org:99999/",
        "https://hooks.club.org/\nHost: x",
        "https://hooks.club.org/ä",
        f"https://hooks.club.org/{'x' * 2_000}",
    ],
)
def test_an_address_that_leads_nowhere_in_public_is_none(url: str) -> None:
    with pytest.raises(BadUrl):
        checked_url(url, anywhere=False)


@pytest.mark.parametrize(
    "url",
    ["https://hooks.club.org/x?y=1", "https://hooks.club.org:8443/", f"https://{PUBLIC}/", "https://[2606:4700::1]/"],
)
def test_a_public_address_is_one(url: str) -> None:
    assert str(checked_url(url, anywhere=False)) == url


def test_an_operator_may_allow_any_network() -> None:
    assert checked_url("http://127.0.0.1:9/", anywhere=True).port == 9
    with pytest.raises(BadUrl):
        checked_url("ftp://127.0.0.1/", anywhere=True)
    with pytest.raises(BadUrl):
        checked_url("http://xn--/", anywhere=True)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        (PUBLIC, True),
        ("2606:4700::1", True),
        ("64:ff9b::5db8:d822", True),
        ("64:ff9b::7f00:1", False),
        ("64:ff9b:1::1", False),
        ("::ffff:10.0.0.1", False),
        ("2002:7f00:1::", False),
        ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False),
        ("100.64.0.1", False),
        ("192.0.2.1", False),
        ("224.0.0.1", False),
        ("240.0.0.1", False),
        ("255.255.255.255", False),
        ("ff02::1", False),
        ("fec0::1", False),
        ("feff::1", False),
        ("::", False),
    ],
)
def test_an_address_is_public_with_whatever_it_stands_for(address: str, *, public: bool) -> None:
    assert is_public(ip_address(address)) == public


async def test_a_name_with_an_address_of_this_machine_leads_nowhere() -> None:
    _, poster = names(["127.0.0.1"], [PUBLIC, "10.0.0.1"], ["fe80::1%eth0"], [])
    assert [await why_not(poster, "https://hooks.club.org/") for _ in range(4)] == [*["not_public"] * 3, "no_address"]
    assert await why_not(poster, "https://localhost/") == "bad_url"


async def test_a_name_that_changes_its_address_is_judged_anew_each_time_by_the_one_that_is_connected_to() -> None:
    checked_url("https://hooks.club.org/", anywhere=False)
    asked, poster = names(["10.0.0.1"], ["::1"])
    assert [await why_not(poster, "https://hooks.club.org/") for _ in range(2)] == ["not_public"] * 2
    assert asked == [("hooks.club.org", 443)] * 2, "once for each post: nobody asks again in between"


async def test_what_is_connected_to_is_what_the_name_was_resolved_to_and_hears_the_name() -> None:
    async with listening(Ear(204)) as ear:
        port = ear.url.rpartition(":")[2].partition("/")[0]
        asked, poster = names(["127.0.0.1"])
        poster.anywhere = True
        status = await poster.post(f"http://hook.club.org:{port}/told?x=1", b'{"a":1}', {"webhook-id": "t.1"})
        await poster.close()
    (heard,) = ear.heard
    assert (status, asked) == (204, [("hook.club.org", int(port))])
    assert (heard.path, heard.body, heard.headers["webhook-id"]) == ("/told?x=1", b'{"a":1}', "t.1")
    assert heard.headers["host"] == f"hook.club.org:{port}"


async def test_names_whose_servers_are_silent_hold_up_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, over = 0, threading.Event()

    def silence(*_: object, **__: object) -> None:
        nonlocal asked
        asked += 1
        over.wait()
        raise socket.gaierror(socket.EAI_AGAIN, "nobody answered")

    monkeypatch.setattr(socket, "getaddrinfo", silence)
    posts, threads = PinnedPoster(answer_s=0.2), min(32, (os.cpu_count() or 1) + 4)
    whys = asyncio.gather(*(why_not(posts, "https://silent.club.org/") for _ in range(threads)))
    try:
        async with asyncio.timeout(60):
            while asked < threads:
                await asyncio.sleep(0.005)
            await asyncio.to_thread(lambda: None)
            assert set(await whys) == {"no_answer"}
    finally:
        over.set()
    await posts.close()


@pytest.mark.parametrize(
    ("status", "why"), [(301, "redirected"), (307, "redirected"), (404, "refused"), (500, "refused")]
)
async def test_a_redirect_is_no_answer_and_nor_is_a_refusal(status: int, why: str) -> None:
    elsewhere = Ear(204)
    async with listening(elsewhere), listening(Ear(status, head=f"Location: {elsewhere.url}\r\n".encode())) as ear:
        poster = PinnedPoster(anywhere=True)
        assert await why_not(poster, ear.url) == why
        await poster.close()
    assert elsewhere.heard == []


async def test_a_body_that_never_ends_is_cut() -> None:
    async with listening(Ear(200, rest=b"x" * 65_536)) as ear, asyncio.timeout(30):
        poster = PinnedPoster(anywhere=True)
        assert await poster.post(ear.url, b"{}", {}) == 200
        while not ear.cut:
            await asyncio.sleep(0.01)
        await poster.close()


async def test_whoever_says_nothing_or_no_end_of_a_head_has_not_taken_it() -> None:
    endless = Ear(200, head=b"X-Long: " + b"x" * 300_000 + b"\r\n")
    async with listening(endless), asyncio.timeout(30):
        poster = PinnedPoster(anywhere=True, answer_s=0.2)
        assert await why_not(poster, endless.url) == "no_answer"
        server = await asyncio.start_server(silent, "127.0.0.1", 0)
        assert await why_not(poster, f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/") == "no_answer"
        server.close()
        await poster.close()
