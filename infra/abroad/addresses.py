"""Addresses that others name: which of them may be posted to, as far as it can be told without asking anybody."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Final

import httpx

URL_MAX: Final = 2_000
PORT_MAX: Final = 65_535
_TRANSLATED: Final = IPv6Network("64:ff9b::/96")
"""IPv4 addresses as networks that have only IPv6 write them (RFC 6052)."""
_WITHIN: Final = ("localhost", "local", "internal", "lan", "home", "arpa", "test", "example", "invalid", "onion")
"""Last parts of names that lead nowhere in public (RFC 6761, RFC 6762, ICANN)."""
_NUMBER: Final = re.compile("[0-9]+|0[xX][0-9a-fA-F]*")
"""The last part of what some programs take for an address, as in `127.1`."""


class BadUrl(ValueError):  # noqa: N818 - named for what happened
    """Nothing may be posted there; says why."""


def checked_url(url: str, *, anywhere: bool) -> httpx.URL:
    """Return an address that may be posted to, as far as it can be told without asking anybody.

    Args:
        url: The address as somebody wrote it.
        anywhere: Whether networks of this machine, and connections that anybody reads, are addresses as well.

    Raises:
        BadUrl: It is none.
    """
    if len(url) > URL_MAX or not url.isascii() or not url.isprintable() or " " in url:
        raise BadUrl("an address is at most 2,000 visible ASCII characters")
    try:
        found = httpx.URL(url)
        host = found.host  # is taken out of its ASCII form only here, which may be none
    except (httpx.InvalidURL, ValueError) as trouble:
        raise BadUrl("this is no address") from trouble
    if found.scheme not in ({"https", "http"} if anywhere else {"https"}) or not host:
        raise BadUrl("an address begins with https:// and has a host")
    if found.port is not None and not 0 < found.port <= PORT_MAX:
        raise BadUrl("an address has a port from 1 to 65535")
    if found.userinfo or found.fragment:
        raise BadUrl("an address has no user and no fragment")
    if not anywhere:
        _check_host(host)
    return found


def _check_host(host: str) -> None:
    literal = _literal(host)
    if literal is not None:
        if not is_public(literal):
            raise BadUrl("this address is not a public one")
        return
    _, dot, last = host.rstrip(".").rpartition(".")
    if not dot or last in _WITHIN or _NUMBER.fullmatch(last):
        raise BadUrl("this name leads to no public address")


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Report whether an address is one of the public network, and so is whatever it stands for."""
    if isinstance(address, IPv6Address):
        if address.teredo is not None or address.is_site_local:
            return False
        inner = address.ipv4_mapped or address.sixtofour
        if address in _TRANSLATED:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)
