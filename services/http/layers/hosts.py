"""Host names: by which names this house may be addressed.

A page of another site can give its own name the address of this machine, after which a browser takes the two for one
site (DNS rebinding): then no Origin tells them apart, but the name in the `Host` header is still the other's. A house
that listens to its own machine alone is known by that machine's names and addresses; one that listens to others is
known by the names its operator lists, and by any name if none is listed.

Source: RFC 9110 section 7.2 (Host) and section 15.5.20 (421); RFC 6761 section 6.3 (localhost).
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import ip_address
from typing import Final

from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Receive, Scope, Send

from services.http.fields import field_of
from services.http.problems import HttpProblem

ANY: Final = "*"
"""Listed as a name: all names are welcome."""
_PROBES: Final = "/health/"
"""What those ask who look whether the process is well, by whatever address they have; a page learns nothing there."""
_REMEMBERED: Final = 256
"""Names that are not looked up again; a host is as long as a head may be."""
_HOST: Final = re.compile(r"\[(?P<six>[^\]]*)\](?::\d*)?|(?P<name>[^:]*)(?::\d*)?")


class KnownHosts:
    """Refuses requests that are meant for another house."""

    def __init__(self, names: frozenset[str] | None) -> None:
        """Be known by these names, in small letters, and by those of the machine itself; for None by any."""
        self._names = names
        self._knows = lru_cache(_REMEMBERED)(self._is_known)

    def concerns(self, handler: HTTPRouteHandler) -> bool:  # noqa: ARG002 - of every handler
        """Report whether there is a name by which the house is not known."""
        return self._names is not None

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Let the request through, or refuse it as `misdirected`."""
        host = field_of(scope, b"host")
        if host is not None and not self._knows(host) and not scope["path"].startswith(_PROBES):
            raise HttpProblem("misdirected")
        await next_app(scope, receive, send)

    def _is_known(self, host: bytes) -> bool:
        name = name_of(host.decode("latin-1"))
        return self._names is None or name in self._names or is_own(name)


def known_hosts(listed: str | None, listening: str) -> frozenset[str] | None:
    """Return the names a house is known by besides those of its machine; None if by any.

    Args:
        listed: Names separated by commas, as the operator lists them; None if nothing is said.
        listening: The name or address the house listens on.
    """
    if listed is None:
        return frozenset({listening.lower()}) if is_own(listening.lower()) else None
    names = {name_of(name.strip()) for name in listed.split(",")}
    return None if ANY in names else frozenset(names)


def name_of(host: str) -> str:
    """Return the name or address in a `Host` header, without its port, in small letters; empty if there is none."""
    found = _HOST.fullmatch(host.strip())
    return "" if found is None else (found["six"] or found["name"] or "").lower().removesuffix(".")


def is_own(name: str) -> bool:
    """Report whether a name or an address always means the machine itself, so that no other site can have it."""
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False
