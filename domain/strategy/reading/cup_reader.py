"""Reading of dice that are handled: what everybody believes of every cup, from event to event.

A cup of one's own has one list that all others share, a passed cup one for each viewpoint, since who passed it on may
know what lay there. Who knows the dice of a place by the rules needs no list. What the table does for a seat out of
time says nothing of its dice. Source: section 5.3 of the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction

from domain import commands, events
from domain.ids import CupId, Face, Seat
from domain.rules.claims import count_of
from domain.rules.orders import Count
from domain.rules.rules import SharedCup
from domain.strategy.hands import Hands
from domain.strategy.level_params import LevelParams
from domain.strategy.reading.asking import asked
from domain.strategy.reading.beliefs import ONE, belief_of, together
from domain.strategy.reading.cups import (
    CupBelief,
    Hand,
    Handled,
    belief_after_deed,
    belief_after_handling,
    laid_belief,
    may_be_shown,
    not_told_apart,
    seen_belief,
)
from domain.strategy.reading.thoughts import Likelihoods, Thoughts
from domain.strategy.sight import open_faces, shown_faces
from domain.table.checks import seat_of
from domain.table.places import Place
from domain.table.state import Claim, State

Viewpoint = Seat | None
"""Whose belief it is; None for everybody's."""
Sees = Callable[[Seat, CupId], Iterable[Face] | None]
"""What tells what a seat sees of the hidden dice of a cup, if the rules let it know them; None if nobody can tell."""


class CupReader:
    """What is believed of all hidden dice of a table.

    Attributes:
        beliefs: By cup and viewpoint; everybody's own cup, and who knows a passed one, apart.
    """

    def __init__(
        self,
        viewpoints: Iterable[Seat],
        params: LevelParams,
        doubt: Callable[[Seat], Fraction],
        sees: Sees,
        *,
        rolls_apart: bool = True,
    ) -> None:
        """Begin before any dice lie.

        Args:
            viewpoints: The seats whose belief about a passed cup is asked for, beside the public's.
            params: How others are read.
            doubt: How much a seat is doubted now.
            sees: What a seat sees of a cup once an event has been taken.
            rolls_apart: Whether dice are told apart by their rolls where nobody ever sees from which one came. It
                changes chances by no more than their rounding, and takes ten times as long after some rolls.
        """
        self._rolls_apart = rolls_apart
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
        command = asked(event)
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
        for viewpoint in self._viewpoints_of(after) if cup in self.beliefs else ():
            if viewpoint is not None and viewpoint in place.knowers:
                hand = self._sees(viewpoint, cup)
                if hand is None:
                    # What it knows from now on nobody can tell.
                    lists.pop(viewpoint, None)
                else:
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
                found = belief_after_handling(belief, handled, likely, faces)
                roll = None if self._rolls_apart or may_be_shown(after.rules) else event.roll
                lists[viewpoint] = found if roll is None else not_told_apart(found, roll)
        self._look(event.cup, place, after)

    def _forget(self, after: State) -> None:
        self.beliefs = {cup: lists for cup, lists in self.beliefs.items() if cup in after.places}

    def hands(self, cup: CupId, viewpoint: Viewpoint) -> Mapping[Hand, int]:
        """Return how likely each hand of a cup is to a viewpoint, times 2^48; that of its owner is everybody's."""
        lists = self.beliefs[cup]
        return lists[viewpoint if viewpoint in lists else None].hands()

    def chance_of(self, state: State, claim: Claim, claimant: Seat, viewpoint: Viewpoint) -> Fraction:
        """Return the chance that a claim holds, as a viewpoint reads what has been taken so far.

        Args:
            state: The game in which the claim stands.
            claim: Which.
            claimant: Who made it.
            viewpoint: Whose belief is asked for.
        """
        if isinstance(claim, Count):
            return self._chance_of_count(state, claim, viewpoint)
        place, first = state.place_of(claimant), state.rules.tokens.faces.first
        assert place is not None
        shown, rung = open_faces(place, first), state.ladder.rungs[claim]
        hands = self._hands_of(place, viewpoint)
        good = [
            chance
            for hand, chance in hands.items()
            if state.ladder.measure([face - first for face in (*hand, *shown)]) >= rung
        ]
        return Fraction(sum(good), sum([*hands.values()]))

    def _chance_of_count(self, state: State, claim: Count, viewpoint: Viewpoint) -> Fraction:
        auction, shown = state.auction, shown_faces(state)
        spreads = []
        for place in state.places.values():
            hands = self._hands_of(place, viewpoint)
            belief = belief_of(Hands([*hands], [1] * len(hands)), [*hands.values()])
            spreads.append(belief.spread(auction, claim.face))
        need = claim.quantity - count_of(auction, claim.face, shown)
        natural = claim.face in shown
        return Fraction(together(spreads, auction, claim.face).holds(need, natural=natural), ONE)

    def _hands_of(self, place: Place, viewpoint: Viewpoint) -> Mapping[Hand, int]:
        """Return how likely each hand of a place is to a viewpoint, which may be its owner."""
        if viewpoint is not None and viewpoint in place.knowers and place.inside:
            hand = self._sees(viewpoint, place.cup)
            if hand is not None:
                return {tuple(sorted(hand)): 1}
        return self.hands(place.cup, viewpoint)


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
