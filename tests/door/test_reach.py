"""Addresses of a house for others on the network; whatever is told of them is let in."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest

from infra.network import own_addresses
from services.http.layers.hosts import known_hosts
from services.http.reach import others_reach, own_url, url_of

FAMILIES = [socket.AF_INET, socket.AF_INET6]


@pytest.mark.parametrize("family", FAMILIES)
def test_an_address_for_others_is_one_of_this_machine_and_not_for_itself_alone(family: socket.AddressFamily) -> None:
    for address in own_addresses(family):
        assert not ip_address(address).is_loopback
        assert not ip_address(address).is_link_local
        with socket.socket(family, socket.SOCK_DGRAM) as ours:
            ours.bind((address, 0))  # of another machine it is refused


def test_a_house_that_listens_everywhere_is_reached_at_every_address_of_its_machine() -> None:
    four, six = (own_addresses(family) for family in FAMILIES)
    assert others_reach("0.0.0.0", None) == four
    assert others_reach("::", None) == six
    assert others_reach("", None) == four + six


@pytest.mark.parametrize("listening", ["127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "::1", "dice.localhost"])
def test_a_house_for_its_own_machine_is_reached_by_nobody_else(listening: str) -> None:
    assert others_reach(listening, known_hosts(None, listening)) == ()


@pytest.mark.parametrize("listening", ["192.0.2.7", "2001:db8::7", "dice.example"])
def test_a_house_that_listens_at_one_address_is_reached_there(listening: str) -> None:
    assert others_reach(listening, known_hosts(None, listening)) == (listening,)


def test_no_address_is_handed_out_that_would_be_misdirected() -> None:
    assert others_reach("192.0.2.7", known_hosts("dice.example", "192.0.2.7")) == ()
    assert others_reach("192.0.2.7", known_hosts("dice.example,192.0.2.7", "192.0.2.7")) == ("192.0.2.7",)
    assert others_reach("0.0.0.0", known_hosts("dice.example", "0.0.0.0")) == ()


def test_an_address_of_ipv6_stands_in_brackets() -> None:
    assert url_of("2001:db8::7", 8000) == "http://[2001:db8::7]:8000"
    assert url_of("dice.example", 8000) == "http://dice.example:8000"


@pytest.mark.parametrize(
    ("listening", "url"),
    [
        ("0.0.0.0", "http://127.0.0.1:8000"),
        ("", "http://127.0.0.1:8000"),
        ("::", "http://[::1]:8000"),
        ("192.0.2.7", "http://192.0.2.7:8000"),
    ],
)
def test_its_own_machine_is_told_an_address_that_one_can_open(listening: str, url: str) -> None:
    assert own_url(listening, 8000) == url
