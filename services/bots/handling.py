"""Lawful handlings for bots, tried out against the law of the game, which sees positions and never a value."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations

from msgspec import Struct

from domain import commands
from domain.ids import Seat
from domain.rules.laws import LAWS
from domain.rules.rules import Handling
from domain.table.offers import ArrangeMove
from domain.table.places import Die, Place, plan_of

Positions = tuple[int, ...]


class Way(Struct, frozen=True):
    """A lawful way to handle dice, by position.

    Attributes:
        shows: Hidden dice that are shown.
        rolls: Dice that are rolled.
        in_open: Whether everybody sees what they come to show.
        seen: Dice that everybody sees afterwards, apart from those that are rolled.
    """

    shows: Positions
    rolls: Positions
    in_open: bool
    seen: Positions

    def command(self, seat: Seat) -> commands.Arrange:
        """Return what the seat asks for."""
        if self.in_open:
            return commands.Arrange(seat, outside=self.shows, roll_outside=self.rolls)
        return commands.Arrange(seat, outside=self.shows, roll_inside=self.rolls)


@lru_cache(maxsize=1_024)
def ways(move: ArrangeMove) -> tuple[Way, ...]:
    """Return the lawful ways to handle dice that bots consider: none hides a die again. At most a few hundred."""
    return tuple(way for way in _thinkable(move) if _is_lawful(move, way))


def expected_move(handling: Handling, hidden: int, shown: int) -> ArrangeMove:
    """Return the handling that will be on offer to a seat that looks at a cup with so many dice of either kind."""
    law = LAWS[handling.law]
    inside, outside = tuple(range(hidden)), tuple(range(hidden, hidden + shown))
    return ArrangeMove(handling.law, law.placements, law.whole, inside, outside, handling.limit)


def _thinkable(move: ArrangeMove) -> Iterator[Way]:
    every = (*move.inside, *move.outside)
    for size in range(len(every) + 1 if move.rolls_left else 1):
        for rolls in combinations(every, size):
            kept = tuple(position for position in move.inside if position not in rolls)
            alone = () if rolls else tuple((position,) for position in kept)
            for shows in dict.fromkeys(((), kept, *alone)):
                for in_open in (False, True):
                    still = tuple(position for position in move.outside if position not in rolls)
                    yield Way(shows, rolls, in_open, (*shows, *still))


def _is_lawful(move: ArrangeMove, way: Way) -> bool:
    rolling = "roll_outside" if way.in_open else "roll_inside"
    if (way.shows and "outside" not in move.placements) or (way.rolls and rolling not in move.placements):
        return False
    if way.in_open and not way.rolls:
        return False
    unknown = Die(None)
    place = Place(0, 0, (unknown,) * len(move.inside), (unknown,) * len(move.outside))
    tally = plan_of(place, way.command(0))
    return tally is not None and LAWS[move.law].refusal(tally) is None
