"""Looking on: what is noted of whoever follows a match, over a stream or on a socket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from litestar import Request

from services.api.dependencies import Dependencies


def browser_of(request: Request[Any, Any, Any]) -> str:
    """Return what a browser calls itself, which tells it from others of its network."""
    return str(request.headers.get("user-agent", ""))


def look(parts: Dependencies, match: str, network: str, browser: str | None) -> Callable[[], None]:
    """Note that a match is looked at, until what this returns is called.

    Args:
        parts: Where it is noted.
        match: The match.
        network: Whence.
        browser: What the browser calls itself; None for whoever is not counted among those who watch.
    """
    parts.looks.begin(match)
    leave = None if browser is None else parts.crowds.begin(match, network, browser)

    def end() -> None:
        parts.looks.end(match)
        if leave is not None:
            leave()

    return end
