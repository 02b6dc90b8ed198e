"""From groups to a knockout: who is seeded where, and how two of one group are kept apart in the first round."""

from __future__ import annotations

from collections.abc import Sequence

from domain.tournaments.schedules.brackets import first_round


def seeds_of_groups(through: Sequence[Sequence[int]]) -> list[int]:
    """Return the seeds of a knockout: the firsts in the order of the groups, then the seconds, and so on.

    Args:
        through: Who goes on from each group, the best first.
    """
    ranks = max(len(group) for group in through)
    return [group[rank] for rank in range(ranks) for group in through if rank < len(group)]


def first_round_of_groups(through: Sequence[Sequence[int]]) -> list[tuple[int, int | None]]:
    """Return the pairs of the first round, in bracket order, None for a bye.

    Where two are of one group, the lower-seeded one is exchanged with the nearest other of the same rank in the groups,
    by seeds, of two as near the one with the lower seed number, which leaves neither pair a clash. If none does, both
    stay.
    """
    seeds = seeds_of_groups(through)
    seed = {number: at for at, number in enumerate(seeds)}
    group = {number: at for at, members in enumerate(through) for number in members}
    rank = {number: at for members in through for at, number in enumerate(members)}
    pairs = [
        [seeds[first - 1], None if second is None else seeds[second - 1]] for first, second in first_round(len(seeds))
    ]
    at = {number: (place, side) for place, pair in enumerate(pairs) for side, number in enumerate(pair)}

    def clashes(one: int, other: int | None) -> bool:
        """Report whether two are of one group."""
        return other is not None and group[one] == group[other]

    for pair in pairs:
        first, second = pair
        if first is None or second is None or not clashes(first, second):
            continue
        lower, upper = (first, second) if seed[first] > seed[second] else (second, first)
        same_rank = [number for number in seeds if rank[number] == rank[lower] and number not in pair]
        nearest = sorted(same_rank, key=lambda number: (abs(seed[number] - seed[lower]), seed[number]))
        partner = {number: pairs[at[number][0]][1 - at[number][1]] for number in nearest}
        free = [number for number in nearest if not clashes(number, upper) and not clashes(lower, partner[number])]
        if free:
            (there, side), (here, own) = at[free[0]], at[lower]
            pairs[there][side], pairs[here][own] = lower, free[0]
            at[lower], at[free[0]] = at[free[0]], at[lower]
    return [(first, second) for first, second in pairs if first is not None]
