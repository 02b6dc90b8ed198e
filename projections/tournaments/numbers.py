"""Exact numbers for people: a fraction as text, a decimal beside it, and points as they are written by hand, `4⅔`."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Final
from unicodedata import normalize

from msgspec import Struct

from domain.tournaments.points import points_text

PLACES: Final = 3
"""How many digits stand behind the point of a decimal at most."""
SIGNS: Final = {normalize("NFKC", sign): sign for sign in "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"}
"""Fractions that have a sign of their own, by what it stands for (Unicode, Number Forms)."""
_OVER: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_UNDER: Final = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
MINUS: Final = "\N{MINUS SIGN}"
SLASH: Final = "\N{FRACTION SLASH}"


KNOWN_MAX: Final = 4_096
"""How many numbers are kept as they are written."""


class ExactNumber(Struct, frozen=True):
    """A number that is a fraction.

    Attributes:
        value: What it is, in lowest terms: `14/3`.
        shown: A decimal to look at, rounded: `4.667`.
        written: As people write it: `4⅔`.
    """

    value: str
    shown: str
    written: str


@lru_cache(KNOWN_MAX)
def exact(number: Fraction) -> ExactNumber:
    """Return a number in the three ways it is written; standings of a thousand have few that differ."""
    return ExactNumber(points_text(number), decimal_text(number), mixed_text(number))


def decimal_text(number: Fraction) -> str:
    """Return a number as a decimal, rounded to `PLACES` digits, halves away from zero, without noughts at its end."""
    scale = 10**PLACES
    units = (abs(number) * scale * 2 + 1) // 2
    whole, rest = divmod(units, scale)
    digits = f"{rest:0{PLACES}}".rstrip("0")
    sign = "-" if number < 0 and units else ""
    return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"


def mixed_text(number: Fraction) -> str:
    """Return a number as people write it by hand: such as `4⅔`, with a sign for the fraction or a small one."""
    whole, rest = divmod(abs(number), 1)
    sign = MINUS if number < 0 else ""
    if not rest:
        return f"{sign}{whole}"
    sign_of = SIGNS.get(f"{rest.numerator}{SLASH}{rest.denominator}")
    small = f"{str(rest.numerator).translate(_OVER)}{SLASH}{str(rest.denominator).translate(_UNDER)}"
    return f"{sign}{whole or ''}{sign_of or small}"
