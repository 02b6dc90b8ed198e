"""Trust: the doubt of seats after rounds whose dice were shown."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from domain import events
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.learning import Learning
from domain.table.evolve import evolve
from tests.analysis.positions import counting_rules, event_of, opened, shown


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    learning = Learning(LEVEL_ONE.with_power(case["power"]))
    order = tuple(map(int, case["order"]))
    dice = {seat: case["dice"][str(seat)] for seat in order}
    rules = counting_rules(case["rules"], max(dice.values()))
    assert learning.doubt(1) == Fraction(339, 1024)
    for number, played in enumerate(case["rounds"], start=1):
        state = opened(rules, dice, order)
        learning = learning.after(state, events.RoundOpened(number, order[0]))
        for name, move in played["actions"]:
            event = event_of(int(name), move)
            learning, state = learning.after(state, event), evolve(state, event)
        for seat in order:
            learning = learning.after(state, shown(seat, played["dealt"][str(seat)], rules.tokens.faces))
        learning = learning.after(state, events.RoundClosed(order[0], ()))
        assert {str(seat): [str(each) for each in learning.trust[seat]] for seat in order} == played["tau_after"]
        assert {str(seat): str(learning.doubt(seat)) for seat in order} == played["doubt_after"]
