"""The path of a request, letter by letter.

The framework takes `/a/b/`, `/a//b` and `/a%2Fb` for `/a/b`. That is kind to people who type; but what is kept for ever
by whoever copies a log has one address (C2SP tlog-tiles), and another one is a mistake of whoever asks.
"""

from __future__ import annotations

from typing import Any

from litestar import Request


def is_at(request: Request[Any, Any, Any], path: str) -> bool:
    """Report whether this very path was asked for, before anybody decoded it or took a slash away."""
    return bool(request.scope["raw_path"] == path.encode())
