"""Proxies, and whom they speak for: nobody is believed who was not named."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.http.bounds import Bounds
from services.http.front.proxies import Proxies
from services.http.front.rates import Rate
from services.http.front.sockets import Terms
from tests.api.conftest import RULES, Service, served

NAMED = Proxies([ip_network("127.0.0.1"), ip_network("10.0.0.0/8"), ip_network("2001:db8:1::/48")])


def headers(*lines: str, name: str = "x-forwarded-for") -> list[tuple[bytes, bytes]]:
    return [(b"host", b"x"), *((name.encode(), line.encode("latin-1")) for line in lines)]


@pytest.mark.parametrize(
    ("lines", "client"),
    [
        ((), "127.0.0.1"),
        (("192.0.2.7",), "192.0.2.7"),
        (("203.0.113.9, 192.0.2.7",), "192.0.2.7"),
        (("203.0.113.9", "192.0.2.7"), "192.0.2.7"),
        (("203.0.113.9, 192.0.2.7, 10.1.2.3",), "192.0.2.7"),
        (("192.0.2.7,10.1.2.3 ,\t2001:db8:1::5",), "192.0.2.7"),
        (("10.9.9.9, 10.1.2.3",), "10.9.9.9"),
        (("192.0.2.7:4711",), "192.0.2.7"),
        (("[2001:db8::7]:4711",), "2001:db8::7"),
        (("2001:db8::7",), "2001:db8::7"),
        (("::ffff:192.0.2.7",), "192.0.2.7"),
        (("AAAA",), "127.0.0.1"),
        (("",), "127.0.0.1"),
        (("192.0.2.7, unknown",), "127.0.0.1"),
        (("192.0.2.7, nonsense, 10.1.2.3",), "10.1.2.3"),
        (("192.0.2.7" + "0" * 60_000,), "127.0.0.1"),
        (("192.0.2.7\xff",), "127.0.0.1"),
    ],
)
def test_the_client_is_the_last_that_no_named_proxy_is(lines: tuple[str, ...], client: str) -> None:
    assert NAMED.client("127.0.0.1", headers(*lines)) == client


@given(st.lists(st.one_of(st.ip_addresses().map(str), st.text(st.characters(max_codepoint=255, min_codepoint=32)))))
def test_whatever_the_list_says_the_client_is_an_address(members: list[str]) -> None:
    ip_address(NAMED.client("127.0.0.1", headers(",".join(members))))


@given(st.lists(st.ip_addresses().map(str)))
def test_what_a_client_writes_before_the_proxy_changes_nothing(lies: list[str]) -> None:
    assert NAMED.client("127.0.0.1", headers(*lies, "192.0.2.7")) == "192.0.2.7"


@pytest.mark.parametrize(
    ("peer", "believed"),
    [
        ("127.0.0.1", True),
        ("127.0.0.2", False),
        ("10.255.0.1", True),
        ("::ffff:10.0.0.1", True),
        ("2001:db8:1:ffff::1", True),
        ("2001:db8:2::1", False),
    ],
)
def test_a_proxy_is_named_by_its_address_or_its_network(peer: str, *, believed: bool) -> None:
    assert NAMED.believes(peer) == believed
    assert not Proxies().believes(peer)


@pytest.mark.parametrize(
    ("said", "scheme"),
    [((), "http"), (("https",), "https"), (("HTTPS",), "https"), (("http, https",), "https"), (("gopher",), "http")],
)
def test_the_nearest_proxy_says_how_it_was_reached(said: tuple[str, ...], scheme: str) -> None:
    assert NAMED.scheme(headers(*said, name="x-forwarded-proto"), "http") == scheme


# ---- over the wire ----------------------------------------------------------------------------


def codes(service: Service, said: Iterator[str]) -> list[int]:
    return [
        service.client.post("/api/v1/matches", json=RULES, headers={"X-Forwarded-For": one}).status_code for one in said
    ]


def spread(count: int) -> Iterator[str]:
    return (f"192.0.2.{one}" for one in range(count))


def test_a_header_of_a_stranger_opens_no_second_quota() -> None:
    with served(Bounds(writes_per_s=3)) as service:
        assert 429 in codes(service, spread(30))


def test_a_named_proxy_has_a_quota_for_each_whom_it_speaks_for() -> None:
    with served(Bounds(writes_per_s=3), proxies=NAMED) as service:
        assert set(codes(service, spread(30))) == {201}
        assert 429 in codes(service, iter(["192.0.2.99"] * 30))
        assert 429 in codes(service, (f"2001:db8::{one:x}" for one in range(30)))


def test_rubbish_from_a_named_proxy_is_the_proxys_own() -> None:
    with served(Bounds(writes_per_s=3), proxies=NAMED) as service:
        assert 429 in codes(service, (f"A{one}" for one in range(30)))


def test_all_requests_of_a_network_have_a_quota_together() -> None:
    with served(Bounds(), terms=Terms(requests=Rate(5, 3_600)), proxies=NAMED) as service:
        began = monotonic()
        asked = [service.client.get("/health/live") for _ in range(8)]
        took_s = monotonic() - began
        other = service.client.get("/health/live", headers={"X-Forwarded-For": "192.0.2.1"})

        assert [answer.status_code for answer in asked] == [200] * 5 + [429] * 3
        assert asked[-1].json()["code"] == "too_many_requests"
        assert 720 - took_s <= int(asked[-1].headers["retry-after"]) <= 720
        assert asked[-1].headers["ratelimit-policy"] == '"requests";q=5;w=3600'
        assert other.status_code == 200
        assert service.parts.doors.turned_away["requests"] == 3
