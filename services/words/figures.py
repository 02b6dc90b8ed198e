"""Figures in words' company: numbers and shares with the separators of the language that is spoken, and moments.

Source: Unicode CLDR, numbers: what stands between thousands, from which number on it does (Spanish writes `1234`), and
what stands before a fraction.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from domain.ids import UnixMs
from services.words.catalogue import CATALOGUE, say

LAST_DAY_MS: Final = 253_402_300_799_999
"""The end of the year 9999, in Unix milliseconds."""


def figure(number: float, places: int = 0) -> str:
    """Return a number that is not negative in digits, with so many of them behind the point."""
    words: dict[str, Any] = CATALOGUE["figures"]
    whole, _, rest = f"{number:,.{places}f}".partition(".")
    whole = whole.replace(",", words["group"] if number >= int(words["grouped"]) else "")
    return f"{whole}{words['decimal']}{rest}" if rest else whole


def share_words(share: float, places: int) -> str:
    """Return a share of one in hundredths, such as `16.67 %`."""
    return say(CATALOGUE["figures"]["percent"], {"number": figure(100 * share, places)})


def count_figure(number: int, noun: str) -> str:
    """Return so many of a thing, such as `1,234 matches`."""
    one, many = CATALOGUE["nouns"][noun]
    return f"{figure(number)} {one if number == 1 else many}"


def moment_text(at: UnixMs) -> str:
    """Return a moment as everybody reads it, to the minute, such as `2026-11-25 08:41 UTC`."""
    return _day_of(at).strftime("%Y-%m-%d %H:%M UTC")


def moment_stamp(at: UnixMs) -> str:
    """Return a moment as `<time>` has it (RFC 3339)."""
    return _day_of(at).strftime("%Y-%m-%dT%H:%M:%SZ")


def _day_of(at: UnixMs) -> datetime:
    """Return a moment on the calendar, whose last day stands for all that come later."""
    return datetime.fromtimestamp(min(at, LAST_DAY_MS) // 1_000, UTC)
