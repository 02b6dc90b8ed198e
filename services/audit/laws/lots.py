"""Rolls of a tournament that drew several rounds, or one that was taken back: what lots a record used twice over or up.

Waves of one minute share a roll by law, and who unpairs a round has the next one drawn for it. Neither is a fault; both
are what somebody asks about who thinks that lots were tried until they suited.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from domain.fairness.records import RecordLine


class SharedRoll(Struct, frozen=True):
    """A roll that drew several rounds: its deal, its number there, and the lines that paired them, from 1."""

    deal: int
    roll: int
    lines: tuple[int, ...]


class SpentRoll(Struct, frozen=True):
    """A roll that drew a round which was taken back: its deal, its number there, the line of either, from 1."""

    deal: int
    roll: int
    paired: int
    unpaired: int


class LotFacts(Struct, frozen=True):
    """What the record of a tournament says of its rolls, each in the order of its lines."""

    shared: tuple[SharedRoll, ...] = ()
    spent: tuple[SpentRoll, ...] = ()


class _Drawn(Struct, frozen=True):
    """A round that a roll drew."""

    deal: int
    roll: int
    line: int


def lot_facts(lines: Sequence[RecordLine]) -> LotFacts:
    """Return what the lines of a tournament, which hold by its laws, say of rolls; groups of a round share its roll."""
    drawn: dict[tuple[int, int], _Drawn] = {}
    served: dict[tuple[int, int], list[int]] = {}
    spent: list[SpentRoll] = []
    deal = 0
    for line in lines:
        data = line.data
        if line.kind == "cup.rolled":
            deal = data["deal"]
        elif line.kind == "tables.paired" and data["roll"] is not None:
            place, roll = (data["stage"], data["round"]), data["roll"]
            if place not in drawn:
                served.setdefault((deal, roll), []).append(line.number)
            drawn.setdefault(place, _Drawn(deal, roll, line.number))
        elif line.kind == "tables.unpaired" and data["tables"] is None:
            gone = drawn.pop((data["stage"], data["round"]), None)
            if gone is not None:
                spent.append(SpentRoll(gone.deal, gone.roll, gone.line, line.number))
    shared = (SharedRoll(*name, tuple(numbers)) for name, numbers in served.items() if len(numbers) > 1)
    return LotFacts(tuple(shared), tuple(spent))
