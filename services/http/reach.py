"""The addresses of a house: for its own machine, and for others on the networks of that machine."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, ip_address
from typing import Final

from infra.network import own_addresses
from services.http.layers.hosts import is_own

_HERE: Final = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "::1"}  # noqa: S104 - what is listened on is read here


def url_of(host: str, port: int) -> str:
    """Return the address of a house at this name or address (RFC 3986 section 3.2.2)."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def own_url(listening: str, port: int) -> str:
    """Return the address by which the machine itself reaches a house that listens there."""
    return url_of(_HERE.get(listening, listening), port)


def others_reach(listening: str, hosts: frozenset[str] | None) -> tuple[str, ...]:
    """Return the names and addresses at which others reach a house, the likeliest first; none if it is for itself.

    Args:
        listening: The name or address the house listens on.
        hosts: The names it is known by, as `services.http.layers.hosts.known_hosts` says; an address that would be
            refused as misdirected is none to hand out.

    Cost: some system calls, which send nothing.
    """
    return tuple(host for host in _reached(listening) if hosts is None or host in hosts)


def _reached(listening: str) -> tuple[str, ...]:
    families = _families_of(listening)
    if families:
        return tuple(address for family in families for address in own_addresses(family))
    return () if is_own(listening.lower()) else (listening,)


def _families_of(listening: str) -> tuple[socket.AddressFamily, ...]:
    """Return the families of all whose addresses it listens on; none where it listens on a certain one."""
    if listening == "":
        return (socket.AF_INET, socket.AF_INET6)
    try:
        address = ip_address(listening)
    except ValueError:
        return ()
    if not address.is_unspecified:
        return ()
    return (socket.AF_INET,) if isinstance(address, IPv4Address) else (socket.AF_INET6,)
