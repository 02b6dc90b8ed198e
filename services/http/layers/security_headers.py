"""Security headers: what browsers are told to be careful about, and what pages of other sites may not do."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from litestar.datastructures import Headers
from litestar.enums import ScopeType
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from services.http.problems import HttpProblem

_CAREFUL: Final[dict[str, str]] = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cache-Control": "no-store",
}
"""Headers of every response that does not set its own; pages bring a wider policy with them."""
_FIELDS: Final = tuple((name.lower().encode(), value.encode()) for name, value in _CAREFUL.items())
"""The same as they are sent."""

_READS: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})


async def add_security_headers(message: Message, _scope: Scope) -> None:
    """Add the careful headers to a response, those that it has not set itself."""
    if message["type"] != "http.response.start":
        return
    message["headers"] = [*message["headers"], *_missing(tuple([name for name, _ in message["headers"]]))]


@lru_cache(maxsize=256)
def _missing(names: tuple[bytes, ...]) -> tuple[tuple[bytes, bytes], ...]:
    """Return the careful headers of an answer that has set these; there are few kinds of answers."""
    given = {name.lower() for name in names}
    return tuple(field for field in _FIELDS if field[0] not in given)


class SameSite:
    """Refuses writes that a browser sends for a page of another site.

    Tokens come in a header that such a page cannot set, so this is the second bolt: it keeps other sites from opening
    matches in their visitors' names. Programs send neither header and pass.
    """

    def concerns(self, handler: HTTPRouteHandler) -> bool:
        """Report whether it takes writes, perhaps reads as well."""
        return not handler.http_methods <= _READS

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Let the request through, or refuse it as `cross_site`."""
        assert scope["type"] == ScopeType.HTTP
        says = scope["method"] not in _READS and any(name in _TELLING for name, _ in scope["headers"])
        if says and crosses(Headers.from_scope(scope)):
            raise HttpProblem("cross_site")
        await next_app(scope, receive, send)


_TELLING: Final = frozenset({b"sec-fetch-site", b"origin"})
"""What browsers say, and programs do not."""


def crosses(headers: Headers) -> bool:
    """Report whether a browser sends a request for a page of another site."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in {"same-origin", "none"}
    origin = headers.get("origin")
    return origin is not None and _netloc(origin) != headers.get("host")


def _netloc(origin: str) -> str | None:
    """Return the host of an origin, None if it has none that can be read."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None
