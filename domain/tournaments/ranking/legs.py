"""Legs: a table of two that plays several matches, and counts as whoever has won more of them (`best_of`).

Seats change after each; every match of a table, the next leg or one that is played again, is its next attempt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from domain.tournaments.events import Ranking, ResultRecorded


def winner_of(ranking: Ranking) -> int | None:
    """Return who stands first alone; None where nobody does."""
    return ranking[0][0] if ranking and len(ranking[0]) == 1 else None


def table_result(legs: Sequence[ResultRecorded], most: int) -> ResultRecorded | None:
    """Return what a table counts as after these legs; None while it plays another.

    It plays on until one is ahead by more legs than are left: without a leg that nobody won, that is more than half.
    No leg follows one to which somebody did not come, which counts for the whole table, or one that ended with the time
    of the round. Who has won as many shares the place.

    Args:
        legs: What was recorded of its matches, in order, at least one.
        most: How many it plays at most.
    """
    last, left = legs[-1], most - len(legs)
    if most == 1 or last.absent:
        return last
    wins = Counter(winner_of(leg.ranking) for leg in legs)
    one, other = sorted((number for level in last.ranking for number in level), key=lambda number: -wins[number])
    ahead = wins[one] - wins[other]
    if left and ahead <= left and last.how != "time":
        return None
    return replace(last, ranking=((one,), (other,)) if ahead else (tuple(sorted((one, other))),), units=())
