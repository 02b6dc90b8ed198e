"""Lines that the server has dated otherwise than witnesses say: `at` is the server's word, and witnesses bound it.

What a checkpoint holds was there before a witness signed it, and what holds a checkpoint came after. A line that is
more than a minute off is no fault of the record, since clocks differ; an audit says which they are (CUP/1 section
4.14.7). Of witnesses of one checkpoint whose clocks differ the one counts that blames the server less.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from domain.fairness.records import RecordLine
from domain.ids import UnixMs

OFF_MS: Final = 60_000
"""How far a line may be off."""
HOLDING: Final = frozenset({"deal.logged", "deal.fixed"})
"""The types of lines that hold a checkpoint."""
_FOREVER: Final = 2**64


class Witnessed(NamedTuple):
    """A line, from 0, that a checkpoint of a record holds, and who has seen that when, in Unix seconds."""

    seq: int
    seen: Mapping[str, int]


def misdated_lines(lines: Sequence[RecordLine], witnessed: Sequence[Witnessed]) -> list[int]:
    """Return the lines, from 1, that are more than a minute off the times of witnesses around them.

    Args:
        lines: The lines of a record.
        witnessed: What its checkpoints say, in their order: those that stand in lines, and the one of the proof behind.

    Cost: linear in the lines.
    """
    holding = [line.number for line in lines if line.kind in HOLDING]
    after = {number: min(each.seen.values()) for number, each in zip(holding, witnessed, strict=False) if each.seen}
    before = {each.seq + 1: max(each.seen.values()) for each in witnessed if each.seen}
    least = accumulate([after.get(line.number, -_FOREVER) for line in lines], max)
    most = accumulate([before.get(line.number, _FOREVER) for line in reversed(lines)], min)
    bounds = zip(lines, least, reversed([*most]), strict=True)
    return [line.number for line, low, high in bounds if not _ms(low) - OFF_MS <= line.at <= _ms(high) + OFF_MS]


def _ms(seconds: int) -> UnixMs:
    return seconds * 1_000
