"""Learning: what a round in which dice were shown says of those who held them.

Whoever follows a match keeps what each seat did in the round and which dice were shown. Where all that a seat went by
has come to light, its moves are weighed by it, and the seat is doubted more or less from the next round on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.errors import Refused
from domain.events.base import BaseEvent
from domain.ids import CupId, Face, Seat, Slot
from domain.strategy.level_one.arrangements import DiceAfter
from domain.strategy.level_params import LevelParams, fraction_of
from domain.strategy.reading.asking import asked
from domain.strategy.reading.doubts import Trust, doubt_of, trust_after, trust_at_first
from domain.strategy.reading.reader import share_of
from domain.strategy.reading.thoughts import Thoughts
from domain.strategy.sight import Sight, open_faces
from domain.strategy.weighing import Share
from domain.table.checks import seat_of
from domain.table.places import Place, choice_of, handful
from domain.table.state import State

At = tuple[CupId, int, int]
"""A die of a round: its cup, the roll it came from, and its slot."""


class SeatAct(Struct, frozen=True):
    """What a seat did: the game before it, and the event that it led to first."""

    state: State
    seat: Seat
    event: BaseEvent


class ShownDice(Struct, frozen=True):
    """What has come to light in a round: values by die, and the sealed choices of each cup.

    It stands for whoever holds the secret of a deal where a place asks which dice lie in it.
    """

    values: Mapping[At, int] = {}
    choices: Mapping[CupId, tuple[events.Choice, ...]] = {}

    def seal_of(self, choice: events.Choice, cup: CupId, slot: Slot) -> str:
        """Nobody seals anything once it is shown."""
        raise AssertionError((choice, cup, slot))

    def unseal(self, _seal: str, cup: CupId, _slot: Slot, candidates: Iterable[events.Choice]) -> events.Choice | None:
        """Return the one of these choices that has been shown."""
        shown = self.choices.get(cup, ())
        return next((choice for choice in candidates if choice in shown), None)


class Learning(Struct, frozen=True):
    """What has been learnt of the seats of a match, and what a round has shown so far.

    Attributes:
        params: The policy that they are compared with.
        trust: By seat, what is thought of it; a seat that nothing was learnt of is not in it.
        acts: What was done in the round.
        shown: What has come to light in it.
        out_of_time: The seat for which the table acts.
    """

    params: LevelParams
    trust: Mapping[Seat, Trust] = {}
    acts: tuple[SeatAct, ...] = ()
    shown: ShownDice = ShownDice()
    out_of_time: Seat | None = None

    def doubt(self, seat: Seat) -> Fraction:
        """Return how much a seat is doubted now."""
        return doubt_of(self.trust.get(seat) or trust_at_first(self.params), self.params)

    def after(self, state: State, event: BaseEvent) -> Learning:
        """Return what is known after an event; `state` is the game before it."""
        match event:
            case events.RoundOpened():
                return Learning(self.params, self.trust)
            case events.TimedOut():
                return replace(self, out_of_time=event.seat)
            case events.Revealed():
                return replace(self, shown=_with_values(self.shown, event))
            case events.ChoicesRevealed():
                choices = {**self.shown.choices, event.cup: event.choices}
                return replace(self, shown=replace(self.shown, choices=choices))
            case events.RoundClosed():
                return Learning(self.params, {**self.trust, **_learnt(self)})
            case _:
                return self._after_acting(state, event)

    def _after_acting(self, state: State, event: BaseEvent) -> Learning:
        seat = actor_of(event)
        if seat is None:
            return self
        if seat == self.out_of_time:
            return replace(self, out_of_time=None)
        return replace(self, acts=(*self.acts, SeatAct(state, seat, event)))


def actor_of(event: BaseEvent) -> Seat | None:
    """Return the seat whose doing an event is; None for what follows of itself."""
    if isinstance(event, events.Arranged):
        return event.seat
    command = asked(event)
    return None if command is None else seat_of(command)


def _with_values(shown: ShownDice, event: events.Revealed) -> ShownDice:
    values = {(event.cup, event.roll, slot): value for slot, value in event.values}
    return replace(shown, values={**shown.values, **values})


def _learnt(learning: Learning) -> dict[Seat, Trust]:
    """Return what is thought from now on of each seat whose every move can be weighed by what it went by."""
    found = {}
    for seat in sorted({act.seat for act in learning.acts}):
        shares = [_share_of(act, learning) for act in learning.acts if act.seat == seat]
        known = [share for share in shares if share is not None]
        if len(known) == len(shares):
            before = learning.trust.get(seat) or trust_at_first(learning.params)
            found[seat] = trust_after(before, known, learning.params)
    return found


def _share_of(act: SeatAct, learning: Learning) -> Share | None:
    """Return the share of what a seat did by the dice it held then; None where they have not been shown."""
    try:
        sight = sight_at(act, learning.shown)
        if sight is None:
            return None
        if isinstance(act.event, events.Arranged):
            return _share_of_handling(sight, act.event, learning)
    except Refused:
        # Under a seal that nobody has opened lie dice that nobody can name.
        return None
    command = asked(act.event)
    return None if command is None else share_of(sight, command, learning.params)


def _share_of_handling(sight: Sight, event: events.Arranged, learning: Learning) -> Share:
    """Return the share of the way in which dice were handled."""
    result = _result(sight.state.places[event.cup], sight, event, learning.shown)
    thoughts = Thoughts(sight.state, sight.seat, event.cup, learning.params)
    thought = thoughts.of(tuple(sorted(sight.dice.get(event.cup, ()))))
    odd = fraction_of(learning.params.odd)
    return Share(thought.weights.get(result, 0), thought.total, len(thought.weights), thoughts.legal, odd)


def _result(place: Place, sight: Sight, event: events.Arranged, shown: ShownDice) -> DiceAfter:
    before = handful(place, shown)
    choice = choice_of(before, event, place, shown)
    numbers = (*before.inside, *before.outside)
    faces = (*sight.dice.get(place.cup, ()), *open_faces(place, sight.state.rules.tokens.faces.first))
    rolled = {*choice.roll_inside, *choice.roll_outside}
    kept = [at for at in range(len(numbers)) if at not in rolled]
    # What lay open stays so unless it was taken up, and what lay hidden unless it was shown.
    out = {at for at in kept if (at >= len(before.inside) and numbers[at] not in event.taken) or at in choice.outside}
    inside = sorted([faces[at] for at in kept if at not in out])
    return DiceAfter(tuple(inside), tuple(sorted([faces[at] for at in out])), event.roll_inside, event.roll_outside)


def sight_at(act: SeatAct, shown: ShownDice) -> Sight | None:
    """Return what a seat went by; None where a die of it has not been shown to all.

    Raises:
        Refused: `bad_dice`, where a choice of dice is still sealed.
    """
    dice = {}
    for cup, place in act.state.places.items():
        if act.seat in place.knowers and place.inside:
            faces = _faces(place, act.state.rules.tokens.faces.first, shown)
            if faces is None:
                return None
            dice[cup] = faces
    return Sight(act.state, act.seat, dice)


def _faces(place: Place, first: Face, shown: ShownDice) -> tuple[Face, ...] | None:
    values = [shown.values.get((place.cup, *at)) for at in handful(place, shown).inside]
    known = [value + first for value in values if value is not None]
    return tuple(known) if len(known) == len(values) else None
