"""Figures of an analysis in per cent, as finely as people speak of them: to a tenth, rounded half to even.

Integers are rounded, and no float: a sentence, a table and a page (`static/analysis/figures.js`) say one thing of one
figure.
"""

from __future__ import annotations

from collections.abc import Callable

from domain.analysis.figures import MILLION, Figure, Printed, divide
from projections.casting.sentences import TENTH
from services.words.catalogue import CATALOGUE, say
from services.words.figures import share_words


def percent_words(ppm: int) -> str:
    """Return a share in per cent, such as `55.6 %`, or a difference of two, which may be below 0."""
    return _percent(divide(ppm, TENTH))


def chance_words(ppm: int) -> str:
    """Return a chance in per cent, such as `55.6 %`; one that is all but none or all but sure is under or over that."""
    words = CATALOGUE["analysis"]
    if 0 < ppm <= TENTH // 2:
        return say(words["below"], {"number": _percent(1)})
    if MILLION - TENTH // 2 <= ppm < MILLION:
        return say(words["above"], {"number": _percent(MILLION // TENTH - 1)})
    return percent_words(ppm)


def printed_words(printed: Printed, words_of: Callable[[int], str]) -> str:
    """Return a figure as `words_of` says its ppm, or why there is none."""
    return (
        words_of(printed.ppm) if isinstance(printed, Figure) else str(CATALOGUE["analyses"]["told"]["words"][printed])
    )


def _percent(tenths: int) -> str:
    minus = "\u2212" if tenths < 0 else ""
    return f"{minus}{share_words(abs(tenths) / 1_000, 1)}"
