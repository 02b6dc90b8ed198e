"""Schedules for games of two that more want to play: chouette, knockout, and the draw for the first seat.

Pure functions over names of players; they know no dice but those of the draw. Source: the German article on hidden dice
poker; the draw is the common one of all games.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Generic, TypeVar

from msgspec import Struct

Player = TypeVar("Player")


class Chouette(Struct, Generic[Player], frozen=True):
    """A chouette between two matches.

    Attributes:
        seats: Who plays now, the first to sit first.
        queue: Who waits, the next to play first.
    """

    seats: tuple[Player, Player]
    queue: tuple[Player, ...] = ()


def chouette(order: Sequence[Player]) -> Chouette[Player]:
    """Return a chouette of at least two players in this order, before its first match."""
    return Chouette((order[0], order[1]), tuple(order[2:]))


def chouette_after(now: Chouette[Player], winner: Player) -> Chouette[Player]:
    """Return the chouette after a match: the winner stays, the loser joins the end, the first who waits sits down."""
    loser = next(player for player in now.seats if player != winner)
    challenger, *waiting = (*now.queue, loser)
    first, second = now.seats
    return Chouette((first, challenger) if winner == first else (challenger, second), tuple(waiting))


class Knockout(Struct, Generic[Player], frozen=True):
    """One round of a knockout.

    Attributes:
        pairs: Who plays whom.
        bye: Who goes on without a match, where the number is odd.
    """

    pairs: tuple[tuple[Player, Player], ...]
    bye: Player | None


def knockout(order: Sequence[Player]) -> Knockout[Player]:
    """Return a round of a knockout: neighbours in this order, the last has a bye where the number is odd."""
    paired = len(order) // 2 * 2
    pairs = tuple((order[index], order[index + 1]) for index in range(0, paired, 2))
    return Knockout(pairs, order[-1] if paired < len(order) else None)


def order_after(played: Knockout[Player], winners: Sequence[Player]) -> tuple[Player, ...]:
    """Return the order of the next round: whoever had a bye first, so that nobody has two in a row."""
    return (*([] if played.bye is None else [played.bye]), *winners)


def highest_players(drawn: Mapping[Player, int]) -> tuple[Player, ...]:
    """Return who drew the highest; several have to draw again."""
    best = max(drawn.values())
    return tuple(player for player, value in drawn.items() if value == best)
