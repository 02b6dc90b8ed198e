"""A ladder: an order in which anybody may challenge somebody a little above, and takes their place by winning."""

from __future__ import annotations

from collections.abc import Sequence


def may_challenge(order: Sequence[int], challenger: int, defender: int, reach: int) -> bool:
    """Report whether one stands above the other, and at most so many places.

    Args:
        order: Everybody, the first at the top.
        challenger: Who asks.
        defender: Who is asked.
        reach: How many places above one may challenge.
    """
    return 0 < order.index(challenger) - order.index(defender) <= reach


def after_challenge(order: Sequence[int], challenger: int, defender: int, winner: int) -> list[int]:
    """Return the order after a match: who wins from below takes the place, and all between move down one.

    A challenge that nobody answered in time is won by who made it. By then who made it may stand above already.
    """
    found = list(order)
    if winner == challenger and order.index(challenger) > order.index(defender):
        found.remove(challenger)
        found.insert(order.index(defender), challenger)
    return found
