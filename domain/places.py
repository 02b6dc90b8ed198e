"""Where dice lie, and the one command that handles them.

A die is an address; its value is nobody's here until it has been shown to all. Which hidden dice a viewer may know is
the rules' business; their values are the dealer's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain import commands, events

Seat = int


class Die(Struct, frozen=True):
    """One die: the roll and slot of its owner's cup, and its value (a face less one) once everybody has seen it."""

    roll: int
    slot: int
    value: int | None = None

    @property
    def shown(self) -> bool:
        """Whether everybody has seen it."""
        return self.value is not None


class Place(Struct, frozen=True):
    """The dice of one seat in this round, in its owner's numbering, which stays for the round."""

    cup: int
    dice: tuple[Die, ...] = ()

    @property
    def hidden(self) -> tuple[int, ...]:
        """The positions of the dice not shown, ascending."""
        return tuple(i for i, die in enumerate(self.dice) if not die.shown)


def hidden_rolls(place: Place) -> dict[int, tuple[int, ...]]:
    """Return the slots still hidden, ascending, by roll."""
    rolls: dict[int, list[int]] = {}
    for die in place.dice:
        if not die.shown:
            rolls.setdefault(die.roll, []).append(die.slot)
    return {roll: tuple(sorted(slots)) for roll, slots in sorted(rolls.items())}


def shown_after(place: Place, event: events.Revealed) -> Place:
    """Return the place after some of its dice were shown."""
    values = dict(event.values)
    dice = tuple(
        replace(die, value=values[die.slot]) if die.roll == event.roll and die.slot in values else die
        for die in place.dice
    )
    return replace(place, dice=dice)


def rolled_after(place: Place, event: events.Rolled) -> Place:
    """Return the place after a roll: the first of a round lays its dice, a later one takes some of them up again."""
    if not place.dice:
        return replace(place, dice=tuple(Die(event.roll, slot) for slot in event.slots))
    fresh = set(event.slots)
    dice = tuple(Die(event.roll, die.slot) if die.slot in fresh and not die.shown else die for die in place.dice)
    return replace(place, dice=dice)


Law = Callable[[Place, commands.Arrange], str | None]
"""Why this handling is refused, as a code; None if it is allowed. It looks at positions only."""


def _push(place: Place, command: commands.Arrange) -> str | None:
    """Allow to show some hidden dice and to roll all the others. Source: Dudo's push."""
    named = (*command.outside, *command.inside, *command.roll_inside, *command.roll_outside)
    whole = sorted(named) == list(place.hidden)
    lawful = whole and command.outside and command.roll_inside and not command.inside and not command.roll_outside
    return None if lawful else "bad_dice"


LAWS: Final[dict[str, Law]] = {"push": _push}
"""By name; where dice are `frozen` there is no law to ask, since nobody may handle them."""
