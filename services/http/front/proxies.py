"""Proxies the operator has named, and whom they speak for: `X-Forwarded-For` and `X-Forwarded-Proto`.

Anybody can write these headers, so nobody is believed who was not named. Each proxy adds the address of its own peer at
the right end of the list, so the list is read from there: the first address that is not a named proxy's is the client.
What stands further to the left is the client's own claim.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Final

from msgspec import Struct

Network = IPv4Network | IPv6Network
Address = IPv4Address | IPv6Address

_FOR: Final = b"x-forwarded-for"
_PROTO: Final = b"x-forwarded-proto"
_SCHEMES: Final = frozenset({"http", "https"})
_WRITTEN_MAX: Final = 64
"""The longest address takes 45 characters, and some more with a scope, or with brackets and a port."""
_REMEMBERED: Final = 4_096
"""Addresses that are not read again; to read one costs as much as all else a request is asked at the door."""


class _Written(Struct, frozen=True):
    """An address that somebody has written: as it is usually spelled, and whether a named proxy has it."""

    spelled: str
    is_named: bool


class Proxies:
    """The proxies of one house."""

    def __init__(self, networks: Iterable[Network] = ()) -> None:
        """Believe whoever comes from these networks, and nobody else."""
        self._networks = tuple(networks)
        self._known = lru_cache(_REMEMBERED)(self._read)

    def believes(self, host: str) -> bool:
        """Report whether a peer is a named proxy."""
        peer = self._known(host) if self._networks else None
        return peer is not None and peer.is_named

    def client(self, peer: str, headers: Sequence[tuple[bytes, bytes]]) -> str:
        """Return the address that this believed peer speaks for.

        The walk ends at what is no address, too: then whoever passed that on is taken for the client.
        """
        last = peer
        for said in reversed(_members_of(headers, _FOR)):
            written = self._known(said) if len(said) <= _WRITTEN_MAX else None
            if written is None:
                break
            last = written.spelled
            if not written.is_named:
                break
        return last

    def scheme(self, headers: Sequence[tuple[bytes, bytes]], otherwise: str) -> str:
        """Return how the client reached the nearest proxy: `http` or `https`."""
        said = [one.lower() for one in _members_of(headers, _PROTO)[-1:]]
        return said[0] if said and said[0] in _SCHEMES else otherwise

    def _read(self, text: str) -> _Written | None:
        address = address_of(text)
        if address is None:
            return None
        return _Written(str(address), any(address in network for network in self._networks))


def address_of(text: str) -> Address | None:
    """Return the address a proxy has written, with or without a port; None if it is none."""
    host = text
    if text.startswith("["):
        host = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        host = text.partition(":")[0]
    try:
        address = ip_address(host)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _members_of(headers: Sequence[tuple[bytes, bytes]], name: bytes) -> list[str]:
    """Return the members of a list header, all its lines together, in their order."""
    lines = [value.decode("latin-1") for key, value in headers if key == name]
    return [member.strip() for member in ",".join(lines).split(",")] if lines else []
