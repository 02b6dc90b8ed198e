"""Worths and weights of level 1, and how likely a move is taken to be."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from domain import commands
from domain.strategy.hands import all_hands
from domain.strategy.level_one.count_table import table_of
from domain.strategy.level_one.counts import position_of
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.sight import Sight
from tests.analysis.positions import counting_rules, hidden_place, opened, standing_on


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    BY_CLAIMS[case["claims"]](case)


def _check_count(case: dict[str, Any]) -> None:
    sight, params = _sight_of(case), LEVEL_ONE.with_power(case["power"])
    weighing = weigh(sight, params)
    found = [[_named(option.command), str(option.worth), option.weight] for option in weighing.options]
    assert found == case["expect"]["moves"]
    assert weighing.legal == case["expect"]["legal"]
    for move, likely in case["expect"]["likelihood"]:
        command = BESIDE[move](1) if isinstance(move, str) else commands.Bid(1, *move)
        assert weighing.likelihood(command, Fraction(case["doubt"])) == Fraction(likely)
    # The table of the position says the same of this hand, whichever way it is asked.
    table, hand = table_of(position_of(sight), params), tuple(sorted(case["own"]))
    assert table.total(hand) == weighing.total
    if len(hand) <= 6:
        hands = all_hands(len(hand), sight.state.rules.tokens.faces)
        place = hands.places[hand]
        assert table.totals(hands)[place] == weighing.total
        assert [table.weights(answer, hands)[place] for answer in table.columns] == [row[2] for row in found]


def _sight_of(case: dict[str, Any]) -> Sight:
    own, shown, unknown = case["own"], case["shown"], case["unknown"]
    rules = counting_rules(case["rules"], len(own) + len(shown) + unknown, spot_on=case["spot_on"])
    state = opened(rules, {1: len(own), 2: unknown}, (1, 2))
    size, first = rules.tokens.dice, rules.tokens.faces.first
    places = {**state.places, 1: hidden_place(1, size, len(own), [face - first for face in shown])}
    stood = standing_on(replace(state, places=places), case["standing"], case["opening"])
    return Sight(stood, 1, {1: tuple(own)})


def _named(command: commands.Play) -> Any:
    return [command.quantity, command.face] if isinstance(command, commands.Bid) else command.__struct_config__.tag


BESIDE: dict[str, type[commands.Challenge | commands.SpotOn]] = {
    "challenge": commands.Challenge,
    "spot_on": commands.SpotOn,
}
BY_CLAIMS = {"count": _check_count}
