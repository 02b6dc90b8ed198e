"""Knowledge of dice that others have handled: the same as going through every choice, die by die."""

from __future__ import annotations

import random
from collections import defaultdict
from fractions import Fraction

import pytest
from msgspec.structs import replace

from domain import events
from domain.games import rules_of
from domain.ids import Face
from domain.rules.rules import PIPS, SharedCup
from domain.strategy.knowledge import Known, KnownWay, dice_known, faces_known, knowledge_after, known_after, known_all
from domain.table.evolve import evolve
from domain.table.places import Handful, Place, candidates
from domain.table.state import PASSED_CUP, State
from tests.analysis.positions import hidden_place, opened

Address = tuple[int, int]
Hand = frozenset[Address]


def table(dice: int) -> State:
    rules = replace(rules_of("finska", {}), tokens=SharedCup(dice, PIPS))
    place = hidden_place(PASSED_CUP, dice, dice)
    return replace(opened(rules, {}, (1, 2, 3)), turn=2, places={PASSED_CUP: place}, rolls={PASSED_CUP: 1})


def shown(at: Address, value: int) -> events.Revealed:
    return events.Revealed(0, PASSED_CUP, at[0], (), (), (), ((at[1], value),))


class Slow:
    """A viewer that remembers every die by where it came from, and goes through every choice of every hand."""

    def __init__(self, hand: dict[Address, Face]) -> None:
        self.faces = dict(hand)
        self.ways: dict[Hand, Fraction] = {frozenset(hand): Fraction(1)}
        self.open: dict[Address, Face] = {}

    def handle(self, event: events.Arranged, fresh: tuple[Address, ...]) -> None:
        self.faces |= {at: self.open[at] for at in event.taken}
        found: defaultdict[Hand, Fraction] = defaultdict(Fraction)
        for hand, chance in self.ways.items():
            if not {*event.outside} <= hand:
                continue
            before = Handful(tuple(sorted(hand)), tuple(sorted(self.open)))
            choices = list(candidates(before, event))
            for choice in choices:
                numbers = (*before.inside, *before.outside)
                gone = {numbers[each] for each in (*choice.roll_inside, *choice.roll_outside)}
                left = (hand | {*event.taken}) - gone - {*event.outside}
                found[frozenset(left | {*fresh})] += chance / len(choices)
        self.ways = dict(found)

    def table(self) -> dict[tuple[Face, ...], Fraction]:
        found: defaultdict[tuple[Face, ...], Fraction] = defaultdict(Fraction)
        for hand, chance in self.ways.items():
            found[tuple(sorted(self.faces[at] for at in hand if at in self.faces))] += chance
        total = sum(self.ways.values(), Fraction(0))
        return {faces: chance / total for faces, chance in found.items()}


def quick(known: Known) -> dict[tuple[Face, ...], Fraction]:
    found: defaultdict[tuple[Face, ...], Fraction] = defaultdict(Fraction)
    total = sum(weight for _, weight in faces_known({PASSED_CUP: known}))
    for faces, weight in faces_known({PASSED_CUP: known}):
        found[faces[PASSED_CUP]] += Fraction(weight, total)
    return dict(found)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_left_of_known_dice_is_what_every_choice_leaves(seed: int) -> None:
    chance = random.Random(seed)
    state = table(chance.choice((3, 4, 5)))
    lying: dict[Address, Face] = {die.at: chance.randint(1, 3) for die in place_of(state).inside if die.at is not None}
    slow, known = Slow(lying), known_all(tuple(lying.values()), 0)
    outside: dict[Address, Face] = {}
    for roll in (1, 2, 3):
        state, known = handled_once(chance, state, known, slow, lying, outside, roll)
        assert quick(known) == slow.table()


def place_of(state: State) -> Place:
    return state.places[PASSED_CUP]


def handled_once(
    chance: random.Random,
    state: State,
    known: Known,
    slow: Slow,
    lying: dict[Address, Face],
    outside: dict[Address, Face],
    roll: int,
) -> tuple[State, Known]:
    """Have the seat in turn show, take up and roll some dice, at random; return the table, and what is still known."""
    shows = chance.sample(sorted(lying), chance.randint(0, min(2, len(lying))))
    taken = chance.sample(sorted(outside), chance.randint(0, len(outside)))
    pool = sorted({*lying, *taken} - {*shows})
    gone = chance.sample(pool, chance.randint(1, len(pool))) if pool else []
    inside = chance.randint(0, len(gone))
    event = events.Arranged(2, PASSED_CUP, tuple(sorted(shows)), tuple(sorted(taken)), inside, len(gone) - inside,
                            roll if gone else None, "seal" if gone else None)  # fmt: skip
    fresh = {(roll, slot): chance.randint(1, 3) for slot in range(len(gone))}
    slow.open = dict(outside)
    slow.handle(event, tuple(list(fresh)[:inside]))
    happened: list[events.TableEvent] = [event, *(shown(at, lying[at] - 1) for at in shows)]
    if gone:
        happened.append(events.Rolled(0, PASSED_CUP, roll, (*range(len(gone)), 5), (6,) * len(gone) + (1,)))
        happened += [shown(at, face - 1) for at, face in list(fresh.items())[inside:]]
    for each in happened:
        known, state = known_after(known, state, each), evolve(state, each)
    outside |= {at: lying[at] for at in shows}
    lying |= {at: outside.pop(at) for at in taken}
    for at in {*shows, *gone}:
        lying.pop(at)
    hidden = list(fresh.items())
    lying |= dict(hidden[:inside])
    outside |= dict(hidden[inside:])
    return state, known


def test_whoever_looks_knows_and_whoever_never_did_knows_nothing() -> None:
    state = table(3)
    looking = evolve(state, events.Accepted(2))
    seen = {PASSED_CUP: known_all((1, 2, 3), 0)}
    assert knowledge_after({}, 2, state, events.Accepted(2), looking, seen) == seen
    assert knowledge_after({}, 3, state, events.Accepted(2), looking, seen) == {}
    # Nothing has happened to the dice that seat 1 has handed on.
    assert knowledge_after(seen, 1, state, events.Challenged(2), replace(state, turn=None), {}) == seen
    # What the record does not open counts as never seen; who tells that from nothing is the viewpoint.
    assert knowledge_after({}, 2, state, events.Accepted(2), looking, {}) == {}


def test_dice_laid_afresh_are_known_to_nobody_from_before() -> None:
    state = table(3)
    rolled = events.Rolled(0, PASSED_CUP, 1, (0, 1, 2), (6, 6, 6))
    after = evolve(replace(state, phase="to_roll"), rolled)
    assert knowledge_after({PASSED_CUP: known_all((1, 2, 3), 0)}, 1, state, rolled, after, {}) == {}


def test_a_die_of_a_later_roll_was_never_seen() -> None:
    # One of two was rolled; the fresh one is shown: the other is the six or the one that was known, as before.
    state = table(2)
    known = known_all((1, 6), 0)
    for event in (
        events.Arranged(2, PASSED_CUP, (), (), 1, 0, 1, "seal"),
        events.Rolled(0, PASSED_CUP, 1, (0, 2), (6, 1)),
        shown((1, 0), 3),
    ):
        known, state = known_after(known, state, event), evolve(state, event)
    assert known.ways == (KnownWay(((1, 0),), (), 1), KnownWay(((6, 0),), (), 1))
    # The old one is shown: what is left is the fresh one, whichever it was.
    ended = known_after(known, state, shown((0, 0), 5))
    assert ended.ways == (KnownWay((), (), 1),)
    assert known_after(known, state, events.Accepted(3)) is known


def test_dice_that_are_known_are_told_wherever_they_lie() -> None:
    own, passed = known_all((2, 1), 0), Known(0, {}, (KnownWay(((4, 0),), (), 1), KnownWay(((6, 0),), (), 3)))

    assert [*dice_known({})] == [((), 1)]
    assert [*dice_known({1: own})] == [((1, 2), 1)]
    assert [*dice_known({1: own, PASSED_CUP: passed})] == [
        (tuple(face for some in faces.values() for face in some), weight)
        for faces, weight in faces_known({1: own, PASSED_CUP: passed})
    ]
    assert sorted(weight for _, weight in dice_known({1: own, PASSED_CUP: passed})) == [1, 3]
