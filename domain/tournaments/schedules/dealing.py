"""Tables dealt there and back: entrants in seed order, 1 to t and t to 1 in turn, so that tables are equally strong."""

from __future__ import annotations

from collections.abc import Sequence


def deal_out(entrants: Sequence[int], tables: int) -> list[list[int]]:
    """Return the tables that entrants in seed order are dealt to, there and back."""
    there = [*range(tables), *reversed(range(tables))]
    found: list[list[int]] = [[] for _ in range(tables)]
    for at, entrant in enumerate(entrants):
        found[there[at % len(there)]].append(entrant)
    return found
