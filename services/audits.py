"""The audit of a record as the house tells it: the same three layers as the command line, as JSON values."""

from __future__ import annotations

from typing import Any

from msgspec import to_builtins

from domain import referee
from domain.disclosure import judge
from domain.fairness import records
from domain.fairness.beacons import Beacons
from domain.log.policies import policy_of
from infra.keys import ed25519_verify
from services.verdict import verdict_of


def report_of(record: bytes, policy: str, known: Beacons | None = None) -> dict[str, Any]:
    """Return what all three layers find, judged by this policy text, with these public beacons."""
    found: dict[str, Any] = to_builtins(verdict_of(record, policy_of(policy), known=known))
    return found


def disclosure_of(record: bytes, access: bytes, policy: str) -> dict[str, Any]:
    """Return who saw what, as the access record has it, of a match whose record is without fault."""
    upto = referee.rule(records.events_of(record)).upto
    lines = records.split(record).lines
    found: dict[str, Any] = to_builtins(judge(access, lines, upto, policy_of(policy), ed25519_verify))
    return found
