"""Weights that are made for all hands at once, beside the weighing of each hand by itself."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

import pytest
from msgspec.structs import replace

from domain.games import rules_of
from domain.rules.rules import Rules
from domain.strategy.hands import all_hands
from domain.strategy.level_one.arrangements import Arranger
from domain.strategy.level_one.count_table import largest_weights, table_of
from domain.strategy.level_one.counts import position_of
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.beliefs import prior_of
from domain.strategy.reading.reader import Beliefs
from domain.strategy.reading.thoughts import Deed, Thoughts
from domain.strategy.sight import Sight
from domain.table.decide import initial_state
from domain.table.moves import moves_of
from domain.table.offers import ArrangeMove
from tests.analysis.positions import opened, standing_on
from tests.analysis.sights import played_by_level_one, sight_of
from tests.domain.seeded import Game
from tests.domain.test_fifteenth import RULES, Options
from tests.domain.toasts import TOASTING, Toasted, Toasting

GAMES: Final[dict[str, tuple[Rules, int]]] = {
    "passes and spot on": (rules_of("common_hand", {"pass_once": True, "spot_on": True, "dice_per_player": 3}), 3),
    "pushed": (rules_of("common_hand", {"push": True, "dice_per_player": 4}), 2),
    "stud liars": (rules_of("stud_liars", {}), 2),
    "cocked dice": (rules_of("boss_liars", {"cocked": True}), 2),
    "all have to doubt": (rules_of("liars_poker", {}), 3),
    "counts of a passed cup": (RULES["counted_cup"](Options()), 2),
}

FEW: Final = 5


@pytest.mark.parametrize("name", list(GAMES))
def test_every_hand_has_the_weights_that_it_has_by_itself(name: str) -> None:
    rules, seats = GAMES[name]
    game = Game({}, seats, name)
    game.state = initial_state(rules, tuple(range(1, seats + 1)), 1)
    compared = 0
    for state in played_by_level_one(game, 14):
        for seat, place in [(seat, state.place_of(seat)) for seat in state.remaining]:
            offers = moves_of(state, seat)
            if place is None or seat not in place.knowers or not place.inside or not offers:
                continue
            sight = Sight(state, seat, {place.cup: sight_of(state, seat, game.dealer).dice[place.cup]})
            thought = Thoughts(state, seat, place.cup, LEVEL_ONE).of(tuple(sorted(sight.dice[place.cup])))
            assert thought.weights == by_itself(sight)
            compared += 1
    assert compared >= FEW


def by_itself(sight: Sight) -> dict[Deed, int]:
    """Return the weights of a hand's own weighing, ways to handle dice by what comes of them."""
    results: dict[Any, Deed] = {}
    if any(isinstance(offer, ArrangeMove) for offer in moves_of(sight.state, sight.seat)):
        arranger = Arranger(sight.state, sight.seat)
        hidden = sight.dice[arranger.place.cup]
        results = {made.command: made.result for made in arranger.arrangements(hidden)}
    options = weigh(sight, LEVEL_ONE).options
    return {results.get(option.command, option.command): option.weight for option in options}


def test_what_is_no_matter_of_counts_is_asked_hand_by_hand() -> None:
    rules = replace(rules_of("common_hand", {"dice_per_player": 2}), interludes=(Toasting(),))
    state = replace(opened(rules, {1: 2, 2: 2}, (1, 2)), phase=TOASTING)
    assert Thoughts(state, 1, 1, LEVEL_ONE).of((2, 5)).weights == {}
    prior = prior_of(all_hands(2, rules.tokens.faces))
    read = Beliefs(LEVEL_ONE, {1: Fraction(1, 4)}, {1: prior}).after(state, Toasted(1))
    assert read.beliefs[1].chances == prior.chances


@pytest.mark.parametrize("kinds", [("bid",), ("bid", "challenge"), ("challenge",), ()])
@pytest.mark.parametrize("passer", [None, ((), 2)])
@pytest.mark.parametrize("standing", [[2, 3], [4, 6]])
def test_the_largest_weight_is_the_largest_of_the_table(
    kinds: tuple[str, ...], passer: tuple[tuple[int, ...], int] | None, standing: list[int]
) -> None:
    rules = rules_of("common_hand", {"dice_per_player": 2})
    state = standing_on(opened(rules, {1: 2, 2: 2}, (1, 2)), standing, standing)
    position = replace(position_of(Sight(state, 1, {1: (2, 5)})), kinds=kinds, passer=passer)
    hands, table = all_hands(2, rules.tokens.faces), table_of(position, LEVEL_ONE)
    expected = [max([1, *[table.weight(answer, hand) for answer in table.columns]]) for hand in hands.hands]
    assert list(largest_weights(position, hands, LEVEL_ONE)) == expected
