"""The network a request comes from: the key of every rate and every cap by address.

Of IPv4 it is the address; whoever shares one (a household, a school, a tournament) shares its bounds. Of IPv6 it is the
/64, since whoever has one address there has 2**64 of them: a /64 is the least that a network hands out (RFC 6177).
"""

from __future__ import annotations

from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

from litestar.types import Scope

UNIX: Final = "unix"
"""The network of whoever comes through a socket file, which has no address."""
_HOST_BITS: Final = 64


def network_of(scope: Scope) -> str:
    """Return the network that a request comes from, as text: `192.0.2.7`, `2001:db8::/64`, or `unix`.

    It is the peer's, unless a proxy that the operator named has said for whom it speaks.
    """
    client = scope["client"]
    return UNIX if client is None else _network_of(client[0])


@lru_cache(maxsize=4_096)
def _network_of(host: str) -> str:
    return network_at(ip_address(host))


def network_at(address: IPv4Address | IPv6Address) -> str:
    """Return the network of an address; an IPv4 address in IPv6's clothes (`::ffff:192.0.2.7`) counts as what it is."""
    if isinstance(address, IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return f"{IPv6Address(int(address) >> _HOST_BITS << _HOST_BITS)}/{_HOST_BITS}"
