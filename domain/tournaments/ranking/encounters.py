"""Direct encounter: who of those that are tied did better at the tables where they met.

FIDE Handbook C.07, article on direct encounter, for tables of any size: what one came to against another is 1 for each
time ahead, 1/2 for level and 0 for behind, averaged over the times the two met.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import lcm

from domain.tournaments.ranking.outcomes import PLAYED, RoundOutcome


def encounters(
    of: Mapping[int, Sequence[RoundOutcome]], tied: Sequence[int]
) -> tuple[dict[int, Fraction], list[list[int]]]:
    """Return what each of the tied came to against the others, and the groups that they fall into, the best first.

    If all have met, groups are those of one sum. Otherwise whoever is first however the encounters that are missing
    would have ended is first, then whoever is first of the rest, and so on; those who are left stay together.

    Args:
        of: What each round was to each entrant.
        tied: Entrants, in the order that they keep within a group.
    """
    among = set(tied)
    times: dict[int, dict[int, list[int]]] = {}
    for number in tied:
        against = times[number] = {}
        for outcome in of[number]:
            if outcome.how == PLAYED:
                for other, ahead in zip(outcome.met, outcome.beaten, strict=True):
                    if other in among:
                        against.setdefault(other, []).append(ahead)
    # Halves of every number of times that two of them met, so that what is summed is whole.
    met = 2 * lcm(*{len(ahead) for against in times.values() for ahead in against.values()})
    sums = {
        number: sum([sum(ahead) * (met // (2 * len(ahead))) for ahead in against.values()])
        for number, against in times.items()
    }
    missing = {number: met * (len(tied) - 1 - len(against)) for number, against in times.items()}
    return {number: Fraction(units, met) for number, units in sums.items()}, _groups(sums, missing)


def _groups(sums: Mapping[int, int], missing: Mapping[int, int]) -> list[list[int]]:
    """Return the groups, the best first.

    Args:
        sums: What each came to, in units.
        missing: What each could have come to besides, in the same units.
    """
    order = sorted(sums, key=lambda number: -sums[number])
    if not any(missing.values()):
        levels: dict[int, list[int]] = {}
        for number in order:
            levels.setdefault(sums[number], []).append(number)
        return list(levels.values())
    # What the best of all from each place on can still come to, the last place first.
    reach = [-1]
    for number in reversed(order):
        reach.append(max(reach[-1], sums[number] + missing[number]))
    first = 0
    while first < len(order) - 1 and sums[order[first]] > reach[len(order) - 1 - first]:
        first += 1
    rest = set(order[first:])
    return [*([number] for number in order[:first]), [number for number in sums if number in rest]]
