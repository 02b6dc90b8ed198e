"""The audit of a record as the house tells it: the same three layers as the command line, as JSON values."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import Any, Final

from cachetools import LRUCache
from msgspec import to_builtins

from domain.fairness.beacons import Beacons
from domain.log.policies import policy_of
from services.audit.verdict import LAYERS, Evidence, verdict_of
from services.work.single_flight import Once

KEPT_MAX: Final = 64
"""Reports kept; that of a long session has some 200 kB, that of a usual match 10."""


class Audits:
    """The audits that the house makes of its own records: each once, however many ask, and as long as it is kept.

    An audit is a pure function of a record, what lies beside it and a policy, so what those hash to names it.
    """

    def __init__(self, policy_for: Callable[[bytes], Awaitable[str]], known: Beacons | None = None) -> None:
        """Judge each record by the policy of then, and by these public beacons."""
        self._policy_for = policy_for
        self._beacons = known
        self._once = Once()
        self._kept: LRUCache[bytes, Mapping[str, Any]] = LRUCache(KEPT_MAX)

    async def report(self, record: bytes, beside: Evidence) -> Mapping[str, Any]:
        """Return what `report_of` finds, which is nobody's to change. Cost: a second of a thread for 5,000 events."""
        policy = await self._policy_for(record)
        parts = (record, beside.access, beside.board, policy.encode())
        name = hashlib.sha256(b"".join(_name(part) for part in parts)).digest()
        if name not in self._kept:
            return await self._once.get(name, partial(self._make_report, name, record, beside, policy))
        return self._kept[name]

    async def _make_report(self, name: bytes, record: bytes, beside: Evidence, policy: str) -> Mapping[str, Any]:
        report = await asyncio.to_thread(report_of, record, beside, policy, self._beacons)
        self._kept[name] = report
        return report


def _name(part: bytes | None) -> bytes:
    return b"-" if part is None else hashlib.sha256(part).digest()


def report_of(record: bytes, beside: Evidence, policy: str, known: Beacons | None = None) -> dict[str, Any]:
    """Return what all three layers find, and who saw what.

    Args:
        record: The record.
        beside: Its access record, unless it is older than those, and the record of its board, if it has one.
        policy: The text of the policy to judge by.
        known: The public beacons that count.
    """
    found: dict[str, Any] = to_builtins(verdict_of(record, policy_of(policy), LAYERS, known, beside))
    return found
