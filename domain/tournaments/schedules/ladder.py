"""A ladder: an order in which anybody may challenge somebody a little above, and takes their place by winning."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

from domain.ids import UnixMs


class LadderChallenge(Struct, frozen=True):
    """A challenge on a ladder.

    Attributes:
        number: Who asks.
        against: Who is asked, and stands above.
        until: Until when there is time to answer.
        state: What became of it: `accepted`, `lost` by who declined, did not answer or left, or `void` since who asked
            has left.
        line: The place of the line by which it was lost.
        after: How many rounds were begun by then.
        place: The round and the table at which the two met.
    """

    number: int
    against: int
    until: UnixMs
    state: Literal["open", "accepted", "lost", "void"] = "open"
    line: int = 0
    after: int = 0
    place: tuple[int, int] | None = None

    @property
    def waits(self) -> bool:
        """Whether it waits for an answer or a table."""
        return self.state == "open" or (self.state == "accepted" and self.place is None)


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
