"""HEAD: what GET would answer, without the body. The door asks handlers for GET, and says so here.

Most answers are made whole either way, and the server leaves the body out. A stream would never end: its handler asks.
"""

from __future__ import annotations

from typing import Final

from litestar.types import HTTPScope, Scope

_ASKED: Final = "head"
"""The key in the state of a scope."""


def as_get(scope: HTTPScope) -> HTTPScope:
    """Return a HEAD request as the GET that it asks about."""
    return {**scope, "method": "GET", "state": {**scope["state"], _ASKED: True}}


def wants_head(scope: Scope) -> bool:
    """Report whether nothing but the head of the answer is wanted."""
    return bool(scope["state"].get(_ASKED))


def method_of(scope: HTTPScope) -> str:
    """Return the method that was sent."""
    return "HEAD" if wants_head(scope) else scope["method"]
