"""The audit of a record as the house tells it: the same three layers as the command line, as JSON values."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from domain.fairness.beacons import Beacons
from domain.log.policies import policy_of
from services.verdict import verdict_of


def report_of(record: bytes, policy: str, known: Beacons | None = None) -> dict[str, Any]:
    """Return what all three layers find, judged by this policy text, with these public beacons."""
    found: dict[str, Any] = to_builtins(verdict_of(record, policy_of(policy), known=known))
    return found
