"""Beliefs about one handled place by enumeration: every die at every address, every choice a seal may hide.

An oracle that shares with the house only what a move weighs: worlds are addresses with values, and fractions are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, prod
from typing import Final

from domain import commands, events
from domain.ids import Seat
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.asking import asked
from domain.strategy.sight import Sight
from domain.table.checks import seat_of
from domain.table.places import Place
from domain.table.state import State

Address = tuple[int, int]
World = tuple[tuple[Address, int], ...]
"""The hidden dice by where they come from, with what they show."""


FINE: Final = 1 << 160


def balanced(worlds: Mapping[World, Fraction]) -> dict[World, Fraction]:
    """Return the chances of worlds with these weights, to more places than anybody looks at."""
    total = sum(worlds.values(), Fraction(0))
    return {world: Fraction(weight / total * FINE // 1, FINE) for world, weight in worlds.items()}


class Enumerated:
    """What one viewpoint believes of the dice of one cup, world by world; None is everybody's viewpoint."""

    def __init__(self, cup: int, viewpoint: Seat | None, doubt: Fraction) -> None:
        self.cup, self.viewpoint, self.doubt = cup, viewpoint, doubt
        self.worlds: dict[World, Fraction] = {}
        self.handling: tuple[State, events.Arranged] | None = None
        self.shown: dict[Address, int] = {}

    def take(self, before: State, event: events.Event, after: State, dice: dict[Address, int]) -> None:
        """Read what happened; `dice` are the values of everything that was ever rolled."""
        place = after.places.get(self.cup)
        if place is None:
            return
        lain = before.places.get(self.cup)
        if isinstance(event, events.Arranged) and event.cup == self.cup:
            self.handling, self.shown = (before, event), {}
        elif isinstance(event, events.Revealed) and event.cup == self.cup:
            self.shown |= {(event.roll, slot): value for slot, value in event.values}
        elif self.handling is None and lain is not None and self.viewpoint not in lain.knowers:
            self._hear(before, event, lain)
        if lain is None or lain.laid != place.laid:
            self._lay(place, after)
        if self.handling is not None and self._is_over(event):
            self._handle(after)
            self.handling = None
        if self.viewpoint in place.knowers and self.handling is None:
            self._see(place, dice)

    def _hear(self, before: State, event: events.Event, lain: Place) -> None:
        command = asked(event)
        if command is not None and seat_of(command) in lain.knowers:
            first, seat = before.rules.tokens.faces.first, seat_of(command)

            @cache
            def likelihood(hand: tuple[int, ...]) -> Fraction:
                return weigh(Sight(before, seat, {self.cup: hand}), LEVEL_ONE).likelihood(command, self.doubt)

            self.worlds = balanced(
                {
                    world: weight * likelihood(tuple(sorted([value + first for _, value in world])))
                    for world, weight in self.worlds.items()
                }
            )

    def _lay(self, place: Place, after: State) -> None:
        every = product(range(after.rules.tokens.faces.count), repeat=len(place.laid))
        self.worlds = {tuple(zip(place.laid, values, strict=True)): Fraction(1) for values in every}

    def _see(self, place: Place, dice: dict[Address, int]) -> None:
        if len(dice) == len(place.inside):
            self.worlds = {tuple(sorted(dice.items())): Fraction(1)}

    def _is_over(self, event: events.Event) -> bool:
        assert self.handling is not None
        arranged = self.handling[1]
        if isinstance(event, events.Arranged) and event.roll is not None:
            return False
        fresh = [at for at in self.shown if at[0] == arranged.roll]
        return (
            set(arranged.outside) <= set(self.shown)
            and len(fresh) >= arranged.roll_outside
            and (arranged.roll is None or (isinstance(event, events.Rolled | events.Revealed) and self._rolled(event)))
        )

    def _rolled(self, event: events.Event) -> bool:
        assert self.handling is not None
        return isinstance(event, events.Rolled) or self.handling[1].roll_outside > 0

    def _handle(self, after: State) -> None:
        assert self.handling is not None
        before, event = self.handling
        found: dict[World, Fraction] = {}

        @cache
        def results(hand: tuple[int, ...]) -> dict[object, Fraction]:
            return self._results(before, event.seat, hand)

        for world, weight in self.worlds.items():
            for kept, likely in self._choices(before, event, dict(world), results):
                for fresh in product(range(after.rules.tokens.faces.count), repeat=event.roll_inside):
                    rolled = [((event.roll or 0, slot), value) for slot, value in enumerate(fresh)]
                    made = tuple(sorted([*kept, *rolled]))
                    found[made] = found.get(made, Fraction(0)) + weight * likely
        self.worlds = balanced(found)

    def _choices(
        self,
        before: State,
        event: events.Arranged,
        dice: dict[Address, int],
        results: Callable[[tuple[int, ...]], dict[object, Fraction]],
    ) -> Iterator[tuple[list[tuple[Address, int]], Fraction]]:
        """Yield what may have been kept with how likely that is, all dice alike being as likely as each other."""
        if any(dice.get(at) != self.shown[at] for at in event.outside):
            return
        place, first = before.places[self.cup], before.rules.tokens.faces.first
        open_dice = {die.at: die.value or 0 for die in place.outside}
        shows = Counter([self.shown[at] for at in event.outside])
        values = Counter(dice.values())
        alike = prod([comb(values[value], times) for value, times in shows.items()])
        free = {**{at: value for at, value in dice.items() if at not in event.outside}}
        free |= {at: open_dice[at] for at in event.taken}
        rest = [value for at, value in open_dice.items() if at not in event.taken]
        outside = tuple(sorted([value + first for value in (*rest, *shows.elements())]))
        weighing = results(tuple(sorted([value + first for value in dice.values()])))
        for stay in combinations(sorted(free.items()), len(free) - event.roll_inside - event.roll_outside):
            inside = tuple(sorted([value + first for _, value in stay]))
            same = prod(
                [comb([*free.values()].count(value), times) for value, times in Counter([v for _, v in stay]).items()]
            )
            key = (inside, outside, event.roll_inside, event.roll_outside)
            yield list(stay), weighing.get(key, weighing["odd"]) / (alike * same)

    def _results(self, state: State, seat: Seat, hand: tuple[int, ...]) -> dict[object, Fraction]:
        """Return how likely each result of a handling is to a hand, which is asked as a command."""
        place, first = state.places[self.cup], state.rules.tokens.faces.first
        faces = (*hand, *[(die.value or 0) + first for die in place.outside])
        weighing = weigh(Sight(state, seat, {self.cup: hand}), LEVEL_ONE)
        found: dict[object, Fraction] = {"odd": self.doubt / 16 / weighing.legal}
        for option in weighing.options:
            command = option.command
            if not isinstance(command, commands.Arrange):
                continue
            rolled = {*command.roll_inside, *command.roll_outside}
            shown = ({*range(len(hand), len(faces))} | {*command.outside}) - {*command.inside, *rolled}
            inside = tuple(sorted([faces[at] for at in range(len(faces)) if at not in shown | rolled]))
            outside = tuple(sorted([faces[at] for at in shown]))
            likely = weighing.likelihood(command, self.doubt)
            found[inside, outside, len(command.roll_inside), len(command.roll_outside)] = likely
        return found

    def hands(self, first: int) -> dict[tuple[int, ...], Fraction]:
        """Return the chance of each hand of hidden dice."""
        found: dict[tuple[int, ...], Fraction] = {}
        for world, weight in self.worlds.items():
            hand = tuple(sorted([value + first for _, value in world]))
            found[hand] = found.get(hand, Fraction(0)) + weight
        total = sum(found.values(), Fraction(0))
        return {hand: weight / total for hand, weight in found.items() if weight}
