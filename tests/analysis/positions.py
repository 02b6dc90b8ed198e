"""Positions of counting rounds as the cases write them, as states of the domain."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from domain import events
from domain.games import rules_of
from domain.ids import Seat
from domain.rules.orders import Count
from domain.rules.rules import Counting, Doubt, Faces, OwnCups, Rules
from domain.table.evolve import evolve_all
from domain.table.phases import CLAIMING
from domain.table.places import Die, Place
from domain.table.state import Round, State

Move = str | Sequence[int]
"""A move of a case: a bid as quantity and face, or another kind by its name."""
EVENTS: dict[str, type[events.Challenged | events.SpotOnCalled]] = {
    "challenge": events.Challenged,
    "spot_on": events.SpotOnCalled,
}


def counting_rules(case: dict[str, Any], dice: int, *, spot_on: bool = False, who: str = "next") -> Rules:
    """Return the rules that a case of a bidding is about, each seat with at most so many dice."""
    faces = case["faces"]
    counting = Counting(
        order=case["order"],
        rank=case["rank"],
        wild=case["wild"] or "never",
        natural=case["natural"],
        aces=case["aces"],
    )
    return replace(
        rules_of("common_hand", {}),
        tokens=OwnCups(dice, Faces(faces[0], len(faces))),
        claims=counting,
        doubt=Doubt(who=who, spot_on=spot_on),  # type: ignore[arg-type]  # as the case says
    )


def opened(rules: Rules, dice: dict[Seat, int], order: Iterable[Seat]) -> State:
    """Return a round in which every seat has so many hidden dice, and the first of the order is to open."""
    places = {seat: hidden_place(seat, rules.tokens.dice, some) for seat, some in dice.items()}
    seats = tuple(order)
    return State(
        rules=rules,
        seats=seats,
        balances={"die": dict(dice.items())},
        phase=CLAIMING,
        round_number=1,
        round=Round(starter=seats[0]),
        turn=seats[0],
        places=places,
        next_starter=None,
    )


def hidden_place(cup: int, size: int, hidden: int, shown: Sequence[int] = ()) -> Place:
    """Return the place of a seat with so many hidden dice, beside those of these values that lie open."""
    inside = tuple(Die((0, slot)) for slot in range(hidden))
    outside = tuple(Die((0, hidden + slot), value) for slot, value in enumerate(shown))
    return Place(cup, size, inside, outside, (cup,), tuple((0, slot) for slot in range(hidden + len(shown))))


def standing_on(state: State, standing: Sequence[int] | None, opening: Sequence[int] | None) -> State:
    """Return the round with this claim of the last seat to beat, and this opening before it."""
    if standing is None or opening is None:
        return state
    claimant = state.seats[-1]
    first = evolve_all(replace(state, turn=claimant), [events.Bid(claimant, *opening)])
    return evolve_all(first, [events.Bid(claimant, *standing)])


def event_of(seat: Seat, move: Move) -> events.TableEvent:
    """Return what happens when a seat makes a move of a case."""
    return EVENTS[move](seat) if isinstance(move, str) else events.Bid(seat, *move)


def shown(seat: Seat, hand: Sequence[int], faces: Faces) -> events.Revealed:
    """Return what shows all dice of a seat, without the proof that nobody asks for here."""
    values = tuple((slot, face - faces.first) for slot, face in enumerate(hand))
    return events.Revealed(1, seat, 0, (), (), (), values)


def name_of(answer: Count | str) -> Move:
    """Return a move as cases write it."""
    return answer if isinstance(answer, str) else [answer.quantity, answer.face]
