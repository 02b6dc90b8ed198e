"""The networks of this machine: the addresses it has in them, found without sending anything to anybody.

A UDP socket that is connected has chosen the address it would send from, and has sent nothing; it is asked which.
"""

from __future__ import annotations

import socket
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path
from typing import Final

_FAR: Final = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
"""Addresses that are for documents alone (RFC 5737, RFC 3849): whatever way leads out of the network leads to them."""
_DISCARD: Final = 9
"""The port; nothing is sent to it."""
_ROUTES: Final = Path("/proc/net/route")
"""Linux: a line for each way, of which the first columns are the interface, the network and the gateway, in hex."""
_INTERFACES: Final = Path("/sys/class/net")
_NONE: Final = "00000000"
_ADDRESSES_MAX: Final = 8


def own_addresses(family: socket.AddressFamily) -> tuple[str, ...]:
    """Return at most eight addresses at which others may reach this machine, that of the way out first.

    Where the machine is in no network there is none. Networks that end inside the machine, as those of containers do,
    are not among them.
    """
    near = _near() if family == socket.AF_INET else ()
    found = (_source(family, other) for other in (_FAR[family], *near))
    return tuple(dict.fromkeys(one for one in found if one is not None))[:_ADDRESSES_MAX]


def _near() -> Iterator[str]:
    """Yield an address in each network that this machine is part of, where the system says which these are."""
    try:
        lines = _ROUTES.read_text(encoding="ascii").splitlines()[1:]
    except OSError:
        return
    for interface, network, gateway in (line.split()[:3] for line in lines):
        if gateway == _NONE != network and not (_INTERFACES / interface / "bridge").exists():
            yield str(IPv4Address(int.from_bytes(bytes.fromhex(network), "little") + 1))


def _source(family: socket.AddressFamily, other: str) -> str | None:
    """Return the address this machine would speak from to that one; None if there is no way, or none to others."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as unsent:
            unsent.connect((other, _DISCARD))
            found = ip_address(unsent.getsockname()[0])
    except OSError:
        return None
    return str(found) if _is_for_others(found) else None


def _is_for_others(address: IPv4Address | IPv6Address) -> bool:
    return not (address.is_loopback or address.is_unspecified or address.is_link_local)
