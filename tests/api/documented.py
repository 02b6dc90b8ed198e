"""The document held against every answer: a problem that a test meets has to stand where the document promises it."""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import Any

import httpx
from litestar import Litestar

from services.api.reference.openapi import describe
from services.http.problems import MEDIA_TYPE

ANYWHERE = {"bad_method", "unknown_method", "broken", "upgrade_required"}
"""What no operation promises: methods that are of none, what is ours to mend, and what the socket's address says."""
ON_PAGES = {"spectators_only"}
"""What only pages say, which are no operations."""


class Documented:
    """Looks at responses. Hand it to a client as a hook."""

    def __init__(self, app: Litestar) -> None:
        self._app = app

    @cached_property
    def _operations(self) -> list[tuple[str, re.Pattern[str], set[tuple[int, str]]]]:
        """Return what the document promises, made when the first problem is met: most who serve a house meet none."""
        described: dict[str, Any] = describe(self._app)["paths"]
        return [
            (method.upper(), pattern_of(path), codes_of(operation))
            for path, operations in described.items()
            for method, operation in operations.items()
        ]

    def __call__(self, response: httpx.Response) -> None:
        has_body = response.request.method != "HEAD"
        if not has_body or not response.headers.get("content-type", "").startswith(MEDIA_TYPE):
            return
        response.read()
        code, status = response.json()["code"], response.status_code
        promised = self.promised(response.request.method, response.request.url.path)
        assert promised is None or code in ANYWHERE or (status, code) in promised, (response.request.url, status, code)

    def promised(self, method: str, path: str) -> set[tuple[int, str]] | None:
        """Return the problems an operation promises, by status and code; None where there is no operation."""
        found = [codes for one, pattern, codes in self._operations if one == method and pattern.fullmatch(path)]
        return found[0] if found else None


@cache
def pattern_of(path: str) -> re.Pattern[str]:
    """Return what matches the addresses of a path of the document; a tile's own path has slashes."""
    ways = {"{path}": ".+"}
    parts = (ways.get(part, "[^/]+") if part.startswith("{") else re.escape(part) for part in path.split("/"))
    return re.compile("/".join(parts))


def codes_of(operation: dict[str, Any]) -> set[tuple[int, str]]:
    """Return the problems of an operation, by status and code."""
    return {
        (int(status), code)
        for status, response in operation["responses"].items()
        for code in response.get("content", {}).get(MEDIA_TYPE, {}).get("examples", {})
    }
