"""Plans: who sits where in the matches of a block, so that every player has every seat with the same dice.

Source: the laws of analysis, section on the gauntlet.
"""

from __future__ import annotations

from itertools import permutations
from typing import Final

Lineup = tuple[int, ...]
"""By seat, which player sits there, counted from 0."""
ALL_ORDERS_MAX: Final = 4
"""Players up to whom every order is played; of more every rotation."""


class NoPlan(ValueError):  # noqa: N818 - named for what is the matter
    """So many players cannot be measured at such a table; the sentence says why."""


def plan_of(players: int, seats: int) -> tuple[Lineup, ...]:
    """Return the matches of a block.

    Two players sit against each other, first the one in each seat and the other in all others, then the other way
    round; more of them sit together, one in each seat.

    Raises:
        NoPlan: There are fewer than two players, or more than two and not as many as seats.
    """
    if players == 2:  # noqa: PLR2004 - one against the other
        first = [tuple([int(seat != alone) for seat in range(seats)]) for alone in range(seats)]
        second = [tuple([1 - player for player in lineup]) for lineup in first]
        return tuple(dict.fromkeys([*first, *second]))
    if players < 2:  # noqa: PLR2004
        raise NoPlan("a gauntlet takes two players or more")
    if players != seats:
        raise NoPlan(f"{players} players need {players} seats, or else there are two of them")
    if players <= ALL_ORDERS_MAX:
        return tuple(permutations(range(players)))
    return tuple([tuple([(seat + turn) % players for seat in range(players)]) for turn in range(players)])


def alone_in(lineup: Lineup, player: int) -> int | None:
    """Return the seat of a player who has one and no more, from 1; None otherwise."""
    return lineup.index(player) + 1 if lineup.count(player) == 1 else None
