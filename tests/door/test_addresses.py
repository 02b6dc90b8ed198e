"""The network a request comes from."""

from __future__ import annotations

from ipaddress import IPv6Address
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.http.front.addresses import network_of


def scope(client: tuple[str, int] | None) -> Any:
    return {"type": "http", "client": client}


@pytest.mark.parametrize(
    ("host", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
    ],
)
def test_a_request_comes_from_an_address_or_from_a_64(host: str, network: str) -> None:
    assert network_of(scope((host, 4_711))) == network


def test_a_request_through_a_socket_file_has_no_address() -> None:
    assert network_of(scope(None)) == "unix"


@given(st.ip_addresses(network="2001:db8:1:2::/64"))
def test_all_addresses_of_a_64_are_one_network(address: IPv6Address) -> None:
    assert network_of(scope((str(address), 1))) == "2001:db8:1:2::/64"
