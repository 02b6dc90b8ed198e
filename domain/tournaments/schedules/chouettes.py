"""Places of a chouette: wins, then how soon one would have played again."""

from __future__ import annotations

from collections.abc import Mapping

from domain.rules.schedules import Chouette


def chouette_places(wins: Mapping[int, int], end: Chouette[int]) -> list[int]:
    """Return the places, the best first.

    Args:
        wins: How many bouts each has won; who is missing won none.
        end: Who sits and who waits after the last bout.
    """
    queue = (*end.seats, *end.queue)
    return sorted(queue, key=lambda number: -wins.get(number, 0))
