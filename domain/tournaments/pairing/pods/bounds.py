"""The bound of a pairing: a cost that no grouping goes below, stated beside the cost of the one that was found.

Source: the laws of tournaments, `pods/1`, bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from domain.tournaments.pairing.pods.costs import PairCosts


def bound_of(costs: PairCosts, sizes: Sequence[int]) -> int:
    """Return what every grouping into tables of these sizes costs at least, the sizes from the largest down.

    The larger of two: everybody sits with the mates that are cheapest for them, the larger tables going to whom they
    cost least more; and, where all sizes are equal, scores are as close as they can be, and nothing else costs.
    """
    if not sizes:
        return 0
    largest, smallest = sizes[0], sizes[-1]
    # Nothing is cheaper than oneself, at no cost: the first of each row.
    cheapest = [sorted(row)[1:largest] for row in costs.pairs]
    halves = sum(sum(mates[: smallest - 1]) for mates in cheapest)
    for size in range(smallest, largest):
        seats = sum(larger for larger in sizes if larger > size)
        halves += sum(sorted(mates[size - 1] for mates in cheapest)[:seats])
    return max(-(-halves // 2), _spread(costs, largest) if largest == smallest else 0)


def _spread(costs: PairCosts, size: int) -> int:
    """Return what differences of scores cost where neighbours sit together."""
    groups = (costs.strengths[at : at + size] for at in range(0, len(costs.strengths), size))
    return costs.score * sum((i - j) ** 2 for group in groups for i, j in combinations(group, 2))
