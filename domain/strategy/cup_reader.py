"""Reading of dice that are handled: what everybody believes of every cup, from event to event.

A cup of one's own has one list that all others share, a passed cup one for each viewpoint, since who passed it on may
know what lay there. Who knows the dice of a place by the rules needs no list. What the table does for a seat out of
time says nothing of its dice. Source: section 5.3 of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Final

from domain import commands, events
from domain.ids import CupId, Face, Seat
from domain.rules.rules import SharedCup
from domain.strategy.cup_beliefs import (
    CupBelief,
    Hand,
    Handled,
    belief_after_deed,
    belief_after_handling,
    laid_belief,
    seen_belief,
)
from domain.strategy.level_params import LevelParams
from domain.strategy.thoughts import Likelihoods, Thoughts
from domain.table.checks import seat_of
from domain.table.interlude import InterludeEvent
from domain.table.places import Place
from domain.table.state import State

Viewpoint = Seat | None
"""Whose belief it is; None for everybody's."""
Sees = Callable[[Seat, CupId], Iterable[Face] | None]
"""What tells what a seat sees of the hidden dice of a cup, if the rules let it know them; None if nobody can tell."""

ASKED: Final[dict[type[events.BaseEvent], Callable[..., commands.Play]]] = {
    events.Bid: lambda event: commands.Bid(event.seat, event.quantity, event.face),
    events.HandClaimed: lambda event: commands.ClaimHand(event.seat, event.shape, event.faces),
    events.Accepted: lambda event: commands.Accept(event.seat),
    events.Challenged: lambda event: commands.Challenge(event.seat),
    events.SpotOnCalled: lambda event: commands.SpotOn(event.seat),
    events.Passed: lambda event: commands.Pass(event.seat),
    events.Caught: lambda event: commands.Catch(event.seat),
    events.CountAsked: lambda event: commands.AskCount(event.seat),
}
"""What a seat asked for when this happened: all by which a holder may give its dice away, handlings apart."""


def command_of(event: events.Event) -> commands.Play | None:
    """Return what a seat asked for when this happened; None where none did, and for handlings."""
    asks = ASKED.get(type(event))
    if asks is not None:
        return asks(event)
    return event.command() if isinstance(event, InterludeEvent) else None


class CupReader:
    """What is believed of all hidden dice of a table.

    Attributes:
        beliefs: By cup and viewpoint; everybody's own cup, and who knows a passed one, apart.
    """

    def __init__(
        self, viewpoints: Iterable[Seat], params: LevelParams, doubt: Callable[[Seat], Fraction], sees: Sees
    ) -> None:
        """Begin before any dice lie.

        Args:
            viewpoints: The seats whose belief about a passed cup is asked for, beside the public's.
            params: How others are read.
            doubt: How much a seat is doubted now.
            sees: What a seat sees of a cup once an event has been taken.
        """
        self.viewpoints: tuple[Viewpoint, ...] = (None, *viewpoints)
        self.beliefs: dict[CupId, dict[Viewpoint, CupBelief]] = {}
        self._params, self._doubt, self._sees = params, doubt, sees
        self._handling: _Handling | None = None
        self._out_of_time: Seat | None = None

    def take(self, before: State, event: events.Event, after: State) -> None:
        """Read what happened.

        Args:
            before: The game before it.
            event: Any; most tell nothing of hidden dice.
            after: The game after it.
        """
        if isinstance(event, events.TimedOut):
            self._out_of_time = event.seat
        elif isinstance(event, events.Arranged):
            silent = self._out_of_time == event.seat
            self._out_of_time = None
            self._handling = _Handling(before, event, silent=silent)
        elif self._handling is None:
            self._read(before, event, after)
        if self._handling is not None and self._handling.is_over(event):
            self._handle(self._handling, after)
            self._handling = None
        self._forget(after)

    def _read(self, before: State, event: events.Event, after: State) -> None:
        command = command_of(event)
        if command is not None:
            self._hear(before, command)
        for cup, place in after.places.items():
            lain = before.places.get(cup)
            if lain is None or lain.laid != place.laid:
                self._lay(cup, place, after)
            elif lain.knowers != place.knowers:
                self._look(cup, place, after)
            elif isinstance(event, events.Revealed) and lain.inside != place.inside:
                self._show(cup, lain, event, after)

    def _hear(self, before: State, command: commands.Play) -> None:
        seat = seat_of(command)
        if seat == self._out_of_time:
            self._out_of_time = None
            return
        place = before.place_of(seat) if seat in before.remaining else None
        if place is None or place.cup not in self.beliefs or seat not in place.knowers:
            return
        likely = self._likelihoods(before, seat, place.cup)
        lists = self.beliefs[place.cup]
        for viewpoint, belief in lists.items():
            if viewpoint is None or viewpoint not in place.knowers:
                lists[viewpoint] = belief_after_deed(belief, lambda hand: likely.of(hand, command))

    def _likelihoods(self, before: State, seat: Seat, cup: CupId) -> Likelihoods:
        return Likelihoods(Thoughts(before, seat, cup, self._params), self._doubt(seat))

    def _lay(self, cup: CupId, place: Place, after: State) -> None:
        fair = laid_belief(place, after.rules.tokens.faces)
        self.beliefs[cup] = dict.fromkeys(self._viewpoints_of(after), fair)
        self._look(cup, place, after)

    def _viewpoints_of(self, state: State) -> tuple[Viewpoint, ...]:
        return self.viewpoints if isinstance(state.rules.tokens, SharedCup) else (None,)

    def _look(self, cup: CupId, place: Place, after: State) -> None:
        """Give those who know a place what they see there."""
        lists = self.beliefs.get(cup, {})
        for viewpoint in lists:
            if viewpoint is not None and viewpoint in place.knowers:
                hand = self._sees(viewpoint, cup)
                if hand is not None:
                    lists[viewpoint] = seen_belief(place, hand, after.rolls[cup] - 1)

    def _show(self, cup: CupId, lain: Place, event: events.Revealed, after: State) -> None:
        """Take dice that were shown by no choice of anybody, such as at a verdict."""
        first = after.rules.tokens.faces.first
        shown = tuple([((event.roll, slot), value + first) for slot, value in event.values if slot < lain.size])
        nothing = events.Arranged(0, cup, (), (), 0, 0, None, None)
        handled = Handled(nothing, shown, (), ())
        for viewpoint, belief in self.beliefs.get(cup, {}).items():
            self.beliefs[cup][viewpoint] = belief_after_handling(belief, handled, None, after.rules.tokens.faces)

    def _handle(self, handling: _Handling, after: State) -> None:
        event, faces = handling.event, after.rules.tokens.faces
        place, lists = after.places[event.cup], self.beliefs[event.cup]
        likely = None if handling.silent else self._likelihoods(handling.before, event.seat, event.cup).of
        handled = handling.seen(faces.first)
        for viewpoint, belief in lists.items():
            if viewpoint is None or viewpoint not in place.knowers:
                lists[viewpoint] = belief_after_handling(belief, handled, likely, faces)
        self._look(event.cup, place, after)

    def _forget(self, after: State) -> None:
        self.beliefs = {cup: lists for cup, lists in self.beliefs.items() if cup in after.places}

    def hands(self, cup: CupId, viewpoint: Viewpoint) -> Mapping[Hand, int]:
        """Return how likely each hand of a cup is to a viewpoint, times 2^48; that of its owner is everybody's."""
        lists = self.beliefs[cup]
        return lists[viewpoint if viewpoint in lists else None].hands()


class _Handling:
    """A handling whose openings and roll are still to come."""

    def __init__(self, before: State, event: events.Arranged, *, silent: bool) -> None:
        self.before, self.event, self.silent = before, event, silent
        self._values: dict[tuple[int, int], int] = {}
        self._rolled = event.roll is None

    def is_over(self, event: events.Event) -> bool:
        """Take one more event; report whether it was the last that belongs to the handling."""
        if isinstance(event, events.Revealed):
            self._values |= {(event.roll, slot): value for slot, value in event.values}
        self._rolled = self._rolled or isinstance(event, events.Rolled)
        outdoors = sum([roll == self.event.roll for roll, _ in self._values])
        shown = all(at in self._values for at in self.event.outside)
        return shown and self._rolled and outdoors >= self.event.roll_outside

    def seen(self, first: Face) -> Handled:
        """Return what everybody saw of it."""
        open_dice = {die.at: (die.value or 0) + first for die in self.before.places[self.event.cup].outside}
        taken = tuple([(at, open_dice[at]) for at in self.event.taken])
        shown = tuple([(at, self._values[at] + first) for at in self.event.outside])
        stays = [face for at, face in open_dice.items() if at not in self.event.taken]
        return Handled(self.event, shown, taken, tuple(sorted([*stays, *[face for _, face in shown]])))
