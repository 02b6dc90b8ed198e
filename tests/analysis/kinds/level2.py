"""Level 2: the worth of each move, where claims count."""

from __future__ import annotations

from typing import Any

from domain import commands
from domain.strategy.chance import Words
from domain.strategy.level_two.outlook import outlook_of
from domain.strategy.level_two.thinking import weigh
from domain.strategy.sight import Sight
from domain.table.evolve import evolve
from tests.analysis.kinds.posteriors import begun
from tests.analysis.positions import counting_rules, event_of, opened

PPM = 10**6


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    order = tuple(map(int, case["order"]))
    dice = {seat: case["dice"][str(seat)] for seat in order}
    rules = counting_rules(case["rules"], max(dice.values()))
    state, beliefs = opened(rules, dice, order), begun(case, rules.tokens.faces, dice)
    for name, move in case["actions"]:
        event = event_of(int(name), move)
        beliefs, state = beliefs.after(state, event), evolve(state, event)
    seat = int(case["seat"])
    weighing = weigh(outlook_of(Sight(state, seat, {seat: tuple(case["own"])}), beliefs, Words(b"nothing is drawn")))
    expected = case["expect"]["worths"]
    assert [_named(option.command) for option in weighing.options] == [move for move, _ in expected]
    for option, (_, ppm) in zip(weighing.options, expected, strict=True):
        assert abs(option.worth * PPM - ppm) <= 1, option.command


def _named(command: commands.Play) -> Any:
    return [command.quantity, command.face] if isinstance(command, commands.Bid) else command.__struct_config__.tag
