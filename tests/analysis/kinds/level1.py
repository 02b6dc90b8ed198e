"""Worths and weights of level 1, and how likely a move is taken to be."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from msgspec.structs import replace

from domain import commands
from domain.rules.ladders import Hand
from domain.strategy.hands import all_hands
from domain.strategy.level_one.answers import worth_of_blind_roll
from domain.strategy.level_one.arranging import worth_of_keeping
from domain.strategy.level_one.count_table import table_of
from domain.strategy.level_one.counts import position_of
from domain.strategy.level_one.hands import calls, chance_of_rung, trust
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE, fraction_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import Option, Weighing, weight_of
from tests.analysis.ladders import LADDERS, faces_of_case
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


def _check_hand(case: dict[str, Any]) -> None:
    throw, params = LADDERS[case["ladder"]], LEVEL_ONE.with_power(case["power"])
    hidden, shown = faces_of_case(case["dice"]["hidden"]), faces_of_case(case["dice"]["shown"])
    found = calls(lambda _: throw, throw, hidden + shown, shown, case["lowest"], case["tries"], params)
    hands = throw.ladder.hands
    options = [
        Option(commands.ClaimHand(1, hands[rung].shape, hands[rung].faces), worth, weight_of(worth, params))
        for rung, worth in found
    ]
    expect = case["expect"]
    assert [[rung, str(worth), each.weight] for (rung, worth), each in zip(found, options, strict=True)] == [
        *expect["moves"]
    ]
    legal = throw.ladder.top - case["lowest"] + 1 + case["other_kinds"]
    assert legal == expect["legal"]
    weighing = Weighing(tuple(options), legal, fraction_of(params.odd))
    for rung, likely in expect["likelihood"]:
        command = commands.ClaimHand(1, hands[rung].shape, hands[rung].faces)
        assert weighing.likelihood(command, Fraction(case["doubt"])) == Fraction(likely)
    for rung, name in expect["names"].items():
        assert Hand(name["shape"], faces_of_case(name["faces"])) == hands[int(rung)]


def _check_answer(case: dict[str, Any]) -> None:
    throw, params = LADDERS[case["ladder"]], LEVEL_ONE.with_power(case["power"])
    shown = faces_of_case(case["shown"])
    assert len(shown) + case["unknown"] == throw.dice
    believed = trust(chance_of_rung(throw, case["standing"], shown), case["tries"])
    blind = worth_of_blind_roll(chance_of_rung(throw, case["standing"] + 1, ()), params)
    worths = {"challenge": 1 - believed, "accept": believed if case["gate"] == "look" else blind}
    found = [[move, str(worths[move]), weight_of(worths[move], params)] for move, _, _ in case["expect"]["moves"]]
    assert found == case["expect"]["moves"]


def _check_arrange(case: dict[str, Any]) -> None:
    throw, params = LADDERS[case["ladder"]], LEVEL_ONE.with_power(case["power"])
    kept, public = sorted(faces_of_case(case["kept"])), sorted(faces_of_case(case["public"]))
    assert len(kept) + case["rolled"] == throw.dice
    worth = worth_of_keeping(throw, tuple(kept), tuple(public), case["lowest"], case["tries"], params)
    assert {"worth": str(worth), "weight": weight_of(worth, params)} == case["expect"]


BY_CLAIMS = {"count": _check_count, "hand": _check_hand, "answer": _check_answer, "arrange": _check_arrange}
