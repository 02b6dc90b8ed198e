"""Sentences about the laws and lots of a tournament: none of them is of a fault, and each is worth knowing."""

from __future__ import annotations

from collections.abc import Iterator

from services.audit.laws.lots import LotFacts
from services.words.catalogue import CATALOGUE, join_names, say

_WORDS = CATALOGUE["terminal"]["tournament"]["audit"]


def lot_sentences(found: LotFacts) -> Iterator[str]:
    """Yield a sentence for each roll that served twice, or for nothing."""
    for each in found.shared:
        lines = join_names([str(number) for number in each.lines])
        yield say(_WORDS["roll shared"], {"deal": str(each.deal), "roll": str(each.roll), "lines": lines})
    for gone in found.spent:
        facts = {"paired": str(gone.paired), "unpaired": str(gone.unpaired)}
        yield say(_WORDS["roll spent"], {"deal": str(gone.deal), "roll": str(gone.roll), **facts})


def earlier_sentence(lines: tuple[int, ...]) -> str:
    """Return that these lines, from 1, follow the laws as they were before they were mended."""
    numbers = join_names([str(number) for number in lines])
    return say(_WORDS["earlier"], {"lines": numbers, "lines.number": str(len(lines))})


def idle_sentence(options: tuple[str, ...]) -> str:
    """Return that these options of the rules changed nothing."""
    return say(_WORDS["idle"], {"options": join_names(list(options)), "options.number": str(len(options))})
