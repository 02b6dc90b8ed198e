"""Knowledge: what a seat can still conclude of hidden dice that it knew before others handled them in secret.

A seat knew every die of a place at a time. Whoever handles them next seals which are rolled anew (CUP/1 section 4.12),
but how many they are is public, and so is the address of every die that is shown. The law of the file: each choice that
the public counts leave (`places.candidates`) is as likely as any other, and fresh dice are fair.

Dice are told apart by no more than what matters to the seat: those it knows by their faces and since when they lie
hidden, the others by the roll they came from. A die that is shown says by its address which of these it was, and how
many could have been it says how likely each way has become.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import product
from math import comb, prod
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain import events
from domain.events import Address
from domain.ids import CupId, Face, RollNumber, Seat
from domain.table.places import Place
from domain.table.state import State

Fresh = tuple[tuple[RollNumber, int], ...]
"""How many hidden dice of each roll the seat has never seen, ascending by roll."""


Seen = tuple[Face, int]
"""A hidden die that the seat knows: what it shows, and which handling took it up; 0 for those it saw there."""


class KnownWay(Struct, frozen=True, order=True):
    """One way in which the hidden dice of a place may have come about.

    Attributes:
        seen: Those the seat knows, ascending.
        fresh: Those it has never seen.
        weight: How many choices lead to it.
    """

    seen: tuple[Seen, ...]
    fresh: Fresh
    weight: int

    @property
    def faces(self) -> tuple[Face, ...]:
        """What the dice show that the seat knows, ascending."""
        return tuple([face for face, _ in self.seen])


class Known(Struct, frozen=True, dict=True):
    """What a seat knows of the hidden dice of a place.

    Attributes:
        since: The last roll of the cup when it knew all of them: dice of later rolls are fresh to it.
        back: By where they come from, which handling took up dice that everybody had seen before.
        ways: What may lie there, each once.
    """

    since: RollNumber
    back: Mapping[Address, int]
    ways: tuple[KnownWay, ...]

    @cached_property
    def faces(self) -> tuple[tuple[tuple[Face, ...], int], ...]:
        """What the dice show that the seat knows, in each way, with its weight."""
        return tuple([(way.faces, way.weight) for way in self.ways])


Knowledge = Mapping[CupId, Known]
"""What a seat knows, by cup; a cup whose dice it has never known since they were laid is not in it."""
NOTHING: Knowledge = {}
"""What everybody knows of hidden dice."""


def known_all(faces: tuple[Face, ...], since: RollNumber) -> Known:
    """Return what a seat knows that sees all hidden dice of a place; `since` is the last roll of its cup."""
    return Known(since, {}, (KnownWay(tuple([(face, 0) for face in sorted(faces)]), (), 1),))


def known_after(known: Known, state: State, event: events.Event) -> Known:
    """Return what is left of what a seat knew of a place after an event by which it does not see the dice anew.

    Args:
        known: What it knew of the place of the event's cup.
        state: The game before the event.
        event: Any; most tell nothing of hidden dice.
    """
    match event:
        case events.Arranged():
            return _after_taking(known, state.places[event.cup], event, state.rules.tokens.faces.first)
        case events.Revealed():
            for slot, value in event.values:
                at = (event.roll, slot)
                if slot < state.places[event.cup].size:
                    known = _after_showing(known, at, value + state.rules.tokens.faces.first)
            return known
        case events.Rolled():
            rolling = state.places[event.cup].rolling
            assert rolling is not None, "dice that are laid afresh are known to nobody from before"
            return _after_rolling(known, event.roll, rolling.roll_inside + rolling.roll_outside)
        case _:
            return known


def _after_taking(known: Known, place: Place, event: events.Arranged, first: Face) -> Known:
    """Return it with the dice that were taken up among the hidden ones: everybody had seen what they show."""
    if not event.taken:
        return known
    handling = 1 + max(known.back.values(), default=0)
    taken = [die for die in place.outside if die.at in event.taken]
    seen = [(die.value + first, handling) for die in taken if die.value is not None]
    ways = tuple([replace(way, seen=tuple(sorted((*way.seen, *seen)))) for way in known.ways])
    return Known(known.since, {**known.back, **dict.fromkeys(event.taken, handling)}, ways)


def _after_showing(known: Known, at: Address, face: Face) -> Known:
    """Return it without a hidden die that is now open."""
    handling = known.back.get(at, 0 if at[0] <= known.since else None)
    found = (
        _way_without_fresh(way, at[0]) if handling is None else _way_without(way, (face, handling))
        for way in known.ways
    )
    back = {each: number for each, number in known.back.items() if each != at}
    return Known(known.since, back, _merge(way for way in found if way is not None))


def _way_without(way: KnownWay, die: Seen) -> KnownWay | None:
    # Of dice alike, each may have been the one that was left; the more are left, the likelier it was this one.
    alike = way.seen.count(die)
    at = way.seen.index(die) if alike else 0
    return KnownWay(way.seen[:at] + way.seen[at + 1 :], way.fresh, way.weight * alike) if alike else None


def _way_without_fresh(way: KnownWay, roll: RollNumber) -> KnownWay | None:
    fresh = dict(way.fresh)
    alike = fresh.get(roll, 0)
    left = tuple([(each, count - (each == roll)) for each, count in way.fresh if count > (each == roll)])
    return KnownWay(way.seen, left, way.weight * alike) if alike else None


def _after_rolling(known: Known, roll: RollNumber, rolled: int) -> Known:
    """Return it after so many of the hidden dice were rolled anew, nobody else knows which."""
    return replace(known, ways=_merge(each for way in known.ways for each in _ways_after(way, roll, rolled)))


def _ways_after(way: KnownWay, roll: RollNumber, rolled: int) -> Iterator[KnownWay]:
    seen = sorted(Counter(way.seen).items())
    counts = [count for _, count in seen] + [count for _, count in way.fresh]
    for gone in product(*[range(min(count, rolled) + 1) for count in counts]):
        if sum(gone) != rolled:
            continue
        left = [count - out for count, out in zip(counts, gone, strict=True)]
        kept = tuple([die for (die, _), count in zip(seen, left, strict=False) for _ in range(count)])
        old = [(each, count) for (each, _), count in zip(way.fresh, left[len(seen) :], strict=True) if count]
        choices = prod([comb(count, out) for count, out in zip(counts, gone, strict=True)])
        yield KnownWay(kept, (*old, (roll, rolled)), way.weight * choices)


def _merge(ways: Iterable[KnownWay]) -> tuple[KnownWay, ...]:
    weights: dict[tuple[tuple[Seen, ...], Fresh], int] = {}
    for way in ways:
        weights[way.seen, way.fresh] = weights.get((way.seen, way.fresh), 0) + way.weight
    return tuple([KnownWay(seen, fresh, weights[seen, fresh]) for seen, fresh in sorted(weights)])


# ---- for a whole table ----------------------------------------------------------------------------


def knowledge_after(
    knowledge: Knowledge, seat: Seat, before: State, event: events.Event, after: State, dice: Knowledge
) -> Knowledge:
    """Return what a seat knows of all hidden dice after an event.

    Args:
        knowledge: What it knew.
        seat: Whose knowledge it is.
        before: The game before the event.
        event: What happened.
        after: The game after it.
        dice: What lies in the cups that the rules let the seat see now (`known_all`), where the event changed them or
            it did not see them before; one that is left out counts as never seen.
    """
    cup = getattr(event, "cup", None)
    found: dict[CupId, Known] = {}
    for each, place in after.places.items():
        if each in knowledge and before.places.get(each) is place:
            found[each] = knowledge[each]
        elif seat in place.knowers:
            if each in dice:
                found[each] = dice[each]
        elif each in knowledge and each in before.places and before.places[each].laid == place.laid:
            found[each] = known_after(knowledge[each], before, event) if each == cup else knowledge[each]
    return found


def faces_known(knowledge: Knowledge) -> list[tuple[dict[CupId, tuple[Face, ...]], int]]:
    """Return the faces of hidden dice that a seat knows, by cup, in each way they may have come about, with its weight.

    All other hidden dice are fair. Without any knowledge there is one way, in which it knows none.
    """
    cups = sorted(knowledge)
    return [
        ({cup: way.faces for cup, way in zip(cups, ways, strict=True)}, prod([way.weight for way in ways]))
        for ways in product(*[knowledge[cup].ways for cup in cups])
    ]


def dice_known(knowledge: Knowledge) -> Sequence[tuple[tuple[Face, ...], int]]:
    """Return the faces of all hidden dice that a seat knows, wherever they lie, as `faces_known` has them by cup.

    Cost: next to nothing where it knows the dice of one cup, which is its own as a rule, or none.
    """
    if not knowledge:
        return _NO_DICE
    if len(knowledge) == 1:
        [known] = knowledge.values()
        return known.faces
    return [(tuple([face for some in faces.values() for face in some]), way) for faces, way in faces_known(knowledge)]


_NO_DICE: Final = (((), 1),)
