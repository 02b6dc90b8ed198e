"""Figures in words' company: numbers and shares with the separators of the language that is spoken.

Source: Unicode CLDR, numbers: what stands between thousands, from which number on it does (Spanish writes `1234`), and
what stands before a fraction.
"""

from __future__ import annotations

from typing import Any

from services.words.catalogue import CATALOGUE, say


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
