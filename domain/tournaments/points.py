"""Points as they are written: a whole number or a fraction in lowest terms, such as `7`, `-1/2` or `13/3`.

A float is nowhere: it would round, and two readers might round it otherwise.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

_WRITTEN: Final = re.compile(r"-?(?:0|[1-9]\d{0,14})(?:/[1-9]\d{0,14})?")


class NotPoints(ValueError):  # noqa: N818 - says what the text is not
    """This text is no number, or has another way to be written."""


def points_of(text: str) -> Fraction:
    """Return the number that a text writes.

    Raises:
        NotPoints: It writes none, or not as it has to: `2/4`, `0.5`, `-0` and `07` are refused.
    """
    if _WRITTEN.fullmatch(text) is not None:
        points = Fraction(text)
        if points_text(points) == text:
            return points
    raise NotPoints(f"{text!r} is no fraction in lowest terms, such as 7, -1/2 or 13/3")


def points_text(points: Fraction) -> str:
    """Return how a number is written."""
    return str(points)
