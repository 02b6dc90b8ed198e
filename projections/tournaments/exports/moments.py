"""Moments as files write them: days and seconds of UTC; what lies behind the year 9999 is its end."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

from domain.ids import UnixMs

LAST_S: Final = 253_402_300_799
"""The last second of the year 9999, after which these forms have no way to write one."""


def utc(at: UnixMs) -> datetime:
    """Return a time in Unix milliseconds as one of UTC, without its milliseconds."""
    return datetime.fromtimestamp(min(at // 1000, LAST_S), UTC)


def day_text(at: UnixMs) -> str:
    """Return a day as `2026/11/21`."""
    return f"{utc(at):%Y/%m/%d}"


def moment_text(at: UnixMs) -> str:
    """Return a moment as `20261121T183000Z` (RFC 5545, 3.3.5)."""
    return f"{utc(at):%Y%m%dT%H%M%SZ}"


def iso_text(at: UnixMs) -> str:
    """Return a moment with its milliseconds as `2026-11-21T18:30:00.250Z` (RFC 3339)."""
    return f"{utc(at):%Y-%m-%dT%H:%M:%S}.{at % 1000:03}Z"
