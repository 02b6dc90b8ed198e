"""The audit of a record as the house tells it: all three layers, as JSON values."""

from __future__ import annotations

from typing import Any


def report_of(record: bytes, policy: str | None) -> dict[str, Any]:
    """Return the report."""
    return {"status": "INCOMPLETE", "bytes": len(record), "policy": policy}
