"""Posteriors: hands and claims after moves were read, beside every throw enumerated."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from domain.ids import Seat
from domain.rules.orders import Count
from domain.rules.rules import Faces
from domain.strategy.hands import all_hands
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.beliefs import prior_of
from domain.strategy.reading.reader import Beliefs
from domain.table.evolve import evolve
from domain.table.state import State
from tests.analysis.positions import counting_rules, event_of, opened

PPM = 10**6


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    order = tuple(map(int, case["order"]))
    dice = {seat: case["dice"][str(seat)] for seat in order}
    rules = counting_rules(case["rules"], max(dice.values()), who=case["who_doubts"])
    state, reading = opened(rules, dice, order), begun(case, rules.tokens.faces, dice)
    steps = {step["after"]: step for step in case["expect"]["steps"]}
    for number, (seat, move) in enumerate(case["actions"], start=1):
        event = event_of(int(seat), move)
        reading, state = reading.after(state, event), evolve(state, event)
        if number in steps:
            _check_step(steps[number], case["dealt"], reading, state)
    for seat, rows in case["expect"]["beliefs"].items():
        belief = reading.beliefs[int(seat)]
        for hand, ppm in rows:
            assert abs(belief.chance_of(tuple(hand)) * PPM - ppm) <= 1, (seat, hand)


def begun(case: dict[str, Any], faces: Faces, dice: dict[Seat, int]) -> Beliefs:
    """Return what is believed of these dice before anybody has acted, everybody doubted as the case says."""
    doubt = case["doubt"]
    doubts = {seat: Fraction(doubt if isinstance(doubt, str) else doubt[str(seat)]) for seat in dice}
    beliefs = {seat: prior_of(all_hands(some, faces)) for seat, some in dice.items()}
    return Beliefs(LEVEL_ONE.with_power(case["power"]), doubts, beliefs)


def _check_step(step: dict[str, Any], dealt: dict[str, list[int]], reading: Beliefs, state: State) -> None:
    claim = Count(*step["standing"])
    assert abs(reading.chance_of(state, claim) * PPM - step["public"]) <= 1
    for seat, ppm in step["seat"].items():
        assert abs(reading.chance_of(state, claim, int(seat), dealt[seat]) * PPM - ppm) <= 1, seat
