"""Answers to requests that are almost right, held against what the interface says of itself."""

from __future__ import annotations

import json
from typing import Any, Final

from services.http.problems import PROBLEMS
from tests.endurance.mutations import Asked

ANYWHERE: Final = {"not_found", "bad_method", "too_many_requests", "malformed"}
"""Problems of addresses and methods that are none, which no operation describes, and of asking too much."""


def judge(asked: Asked, status: int, kind: str, body: bytes) -> None:
    """Hold an answer against what the interface says of itself."""
    told = (asked, status, kind, body[:300])
    assert status < 500 or status == 503, told
    if asked.operation is not None and status < 400:
        assert str(status) in asked.operation["responses"], told
    if status >= 400 and kind != "text/html" and asked.method != "HEAD":
        assert kind == "application/problem+json", told
        problem = json.loads(body)
        code = problem["code"]
        assert problem["status"] == PROBLEMS[code].status == status, told
        assert problem["type"] == f"/problems/{code}", told
        if asked.operation is not None and code not in ANYWHERE:
            assert code in documented(asked.operation, status), told


def documented(operation: Any, status: int) -> set[str]:
    """Return the problems that an operation says it has with this status."""
    content = operation["responses"].get(str(status), {}).get("content", {})
    return set(content.get("application/problem+json", {}).get("examples", {}))
