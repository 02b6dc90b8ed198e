"""The audit of a record as the house tells it: the same three layers as the command line, as JSON values."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from domain.fairness.beacons import Beacons
from domain.log.policies import policy_of
from services.verdict import LAYERS, Beside, verdict_of


def report_of(record: bytes, access: bytes | None, policy: str, known: Beacons | None = None) -> dict[str, Any]:
    """Return what all three layers find, and who saw what.

    Args:
        record: The record.
        access: Its access record; None for a match that is older than those.
        policy: The text of the policy to judge by.
        known: The public beacons that count.
    """
    found: dict[str, Any] = to_builtins(verdict_of(record, policy_of(policy), LAYERS, known, Beside(access)))
    return found
