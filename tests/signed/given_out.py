"""A table of a list, at a house that runs: two are seated as it is opened, without keys."""

from __future__ import annotations

import json
from typing import Any

import httpx


def opened_in_bulk(base: str) -> dict[str, Any]:
    """Open a table with two who are seated at once; return it, with the tokens of host and seats."""
    row = {"rules": {"game": "common_hand", "pause_ms": 0}, "names": ["Ada", "Ben"]}
    sort = {"Content-Type": "application/x-ndjson"}
    answer = httpx.post(f"{base}/api/v1/matches/bulk", content=json.dumps(row), headers=sort, timeout=60)
    opened: dict[str, Any] = answer.json()["tables"][0]
    return opened


def start_as(base: str, table: dict[str, Any]) -> None:
    """Start such a table, as its host."""
    asked = {"Authorization": f"Bearer {table['token']}"}
    httpx.post(f"{base}/api/v1/matches/{table['match']}/start", headers=asked, timeout=60).raise_for_status()
