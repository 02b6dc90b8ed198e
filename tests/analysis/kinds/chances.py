"""Cases of chances: claims that count, with a cup a seat, and hands, of one place that may have been handled."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from msgspec.structs import replace

from domain import events
from domain.analysis.odds import chances
from domain.analysis.odds.labels import label_after, label_of
from domain.games import rules_of
from domain.ids import Face, Seat
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import SharedCup
from domain.statistics.odds import THROWS, Throw
from domain.strategy.knowledge import NOTHING, Knowledge, Known, known_after, known_all
from domain.table.evolve import evolve
from domain.table.state import PASSED_CUP, Claim, Round, State
from tests.analysis.positions import counting_rules, hidden_place, opened

SEATS: Final = (1, 2, 3)
POKER: Final = {"9": 9, "10": 10, "J": 11, "Q": 12, "K": 13, "A": 14}
LADDERS: Final = {"digits3": "six_six_six", "pairs": "two_dice_doubles_high", "pairs_numeric": "two_dice_numeric"}


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    state, claim, knowledge, dice = (_of_count if case["claims"] == "count" else _of_hand)(case)
    by = int(case["by"])
    public = chances.chance_of_claim(state, claim, by, NOTHING)
    seats = {str(seat): chances.chance_of_claim(state, claim, by, known) for seat, known in knowledge.items()}
    seats = {seat: chance for seat, chance in seats.items() if seat in case["expect"]["seat"]}
    held = chances.holds(state, claim, by, dice)
    label = label_of(seats[case["by"]], public)
    found: dict[str, Any] = {"public": str(public), "seat": {seat: str(each) for seat, each in seats.items()}}
    if isinstance(claim, Count):
        found["public_exactly"] = str(chances.chance_of_exactly(state, claim, NOTHING))
        exactly = {seat: chances.chance_of_exactly(state, claim, known) for seat, known in knowledge.items()}
        found["seat_exactly"] = {str(seat): str(each) for seat, each in exactly.items()}
    found |= {"all": int(held), "label": label, "after": label_after(label, held=held)}
    assert found == case["expect"]


Position = tuple[State, Claim, dict[Seat, Knowledge], dict[int, tuple[Face, ...]]]


def _of_count(case: dict[str, Any]) -> Position:
    cups = {int(seat): cup for seat, cup in case["cups"].items()}
    rules = counting_rules(case["rules"], max(len(cup["hidden"]) + len(cup["shown"]) for cup in cups.values()))
    first = rules.tokens.faces.first
    places = {
        seat: hidden_place(seat, rules.tokens.dice, len(cup["hidden"]), [face - first for face in cup["shown"]])
        for seat, cup in cups.items()
    }
    opening = None if case["opening"] is None else Count(*case["opening"])
    state = replace(opened(rules, dict.fromkeys(cups, 0), sorted(cups)), places=places, round=Round(opening=opening))
    dice = {seat: tuple(cup["hidden"]) for seat, cup in cups.items()}
    return state, Count(*case["claim"]), {seat: {seat: known_all(dice[seat], 0)} for seat in cups}, dice


# ---- hands ------------------------------------------------------------------------------------------


def _of_hand(case: dict[str, Any]) -> Position:
    throw = THROWS[LADDERS.get(case["ladder"], case["ladder"])]
    handled = [(int(seat), told) for seat, told in case["knows"].items() if isinstance(told, dict)]
    hidden, shown = _faces(case["dice"]["hidden"]), _faces(case["dice"]["shown"])
    state = _table_with(throw, len(hidden), shown)
    knowledge: dict[Seat, Knowledge] = dict.fromkeys(SEATS, NOTHING)
    for seat, told in handled:
        state, known = _handled(throw, told)
        knowledge[seat] = {PASSED_CUP: known}
    for seat, told in case["knows"].items():
        if told == "all":
            knowledge[int(seat)] = {PASSED_CUP: known_all(hidden, 9)}
    claim = Hand(case["claim"]["shape"], _faces(case["claim"]["faces"]))
    assert throw.ladder.rungs[claim] == case["rung"]
    lying = [die.value + throw.faces.first for die in state.places[PASSED_CUP].outside if die.value is not None]
    assert (len(state.places[PASSED_CUP].inside), sorted(lying)) == (len(hidden), sorted(shown))
    return state, claim, knowledge, {PASSED_CUP: hidden}


def _faces(written: Sequence[str | int]) -> tuple[Face, ...]:
    return tuple([face if isinstance(face, int) else POKER[face] for face in written])


def _table_with(throw: Throw, hidden: int, shown: Sequence[Face]) -> State:
    claims = replace(throw.rungs, wild="always" if throw.wild else "never")
    rules = replace(rules_of("finska", {}), tokens=SharedCup(throw.dice, throw.faces), claims=claims)
    place = hidden_place(PASSED_CUP, throw.dice, hidden, [face - throw.faces.first for face in shown])
    state = opened(rules, {}, SEATS)
    return replace(state, turn=2, places={PASSED_CUP: place}, rolls={PASSED_CUP: 1})


def _handled(throw: Throw, told: dict[str, Any]) -> tuple[State, Known]:
    """Return the table after the seat in turn has handled dice that another one knew, and what that one still knows."""
    knew, before = _faces(told["knew"]), _faces(told["shown_before"])
    state, known = _table_with(throw, len(knew), before), known_all(knew, 0)
    lying = dict(enumerate((*knew, *before)))
    shows = _slots(lying, _faces(told["shown"]), range(len(knew)))
    back = _slots(lying, _faces(told["back"]), range(len(knew), len(lying)))
    inside, fresh = told["hidden_fresh"], _faces(told["open_fresh"])
    rolled = inside + len(fresh)
    roll = 1 if rolled else None
    happened: list[events.TableEvent] = [
        events.Arranged(2, PASSED_CUP, tuple((0, slot) for slot in shows), tuple((0, slot) for slot in back),
                        inside, len(fresh), roll, "seal" if rolled else None)
    ]  # fmt: skip
    first = throw.faces.first
    happened += [_shown(0, slot, lying[slot] - first) for slot in shows]
    if rolled:
        happened.append(events.Rolled(0, PASSED_CUP, 1, tuple(range(rolled)), (throw.faces.count,) * rolled))
        happened += [_shown(1, inside + number, face - first) for number, face in enumerate(fresh)]
    for event in happened:
        known, state = known_after(known, state, event), evolve(state, event)
    return state, known


def _slots(lying: dict[int, Face], faces: Sequence[Face], among: range) -> list[int]:
    found: list[int] = []
    for face in faces:
        found.append(next(slot for slot in among if slot not in found and lying[slot] == face))
    return found


def _shown(roll: int, slot: int, value: int) -> events.Revealed:
    return events.Revealed(0, PASSED_CUP, roll, (), (), (), ((slot, value),))
