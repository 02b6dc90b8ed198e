"""Acts that say nothing of anybody's dice, which reading passes over."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.games import GAMES, rules_of
from domain.rules.rules import Handling, SharedCup
from domain.strategy.chance import Words
from domain.strategy.hands import all_hands
from domain.strategy.level_one.count_table import chance_of_pass
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two.outlook import outlook_of
from domain.strategy.level_two.thinking import weigh
from domain.strategy.reading.beliefs import ONE, prior_of
from domain.strategy.reading.reader import Beliefs, is_read_by_face
from domain.strategy.sight import Sight
from domain.table.state import State
from tests.analysis.positions import opened, shown

RULES: Final = rules_of("common_hand", {"dice_per_player": 2})
BID: Final = events.Bid(1, 2, 4)


def begun() -> tuple[State, Beliefs]:
    state = opened(RULES, {1: 2, 2: 2}, (1, 2))
    prior = prior_of(all_hands(2, RULES.tokens.faces))
    return state, Beliefs(LEVEL_ONE, {1: Fraction(1, 4), 2: Fraction(1, 4)}, {1: prior, 2: prior})


@pytest.mark.parametrize("game", GAMES)
def test_counts_over_cups_or_numbers_that_nobody_handles_are_read_by_face(game: str) -> None:
    by_face = {"boss_liars", "common_hand", "dollar_bill", "liars_poker", "liars_poker_wizard"}
    assert is_read_by_face(rules_of(game, {})) == (game in by_face)
    assert not is_read_by_face(replace(rules_of(game, {}), handling=Handling(law="push", limit=1)))
    assert not is_read_by_face(replace(rules_of(game, {}), tokens=SharedCup(5)))


def test_a_bid_says_something_of_the_dice_of_its_claimant_alone() -> None:
    state, beliefs = begun()
    read = beliefs.after(state, BID)
    assert read.beliefs[2] is beliefs.beliefs[2]
    assert read.beliefs[1].chance_of((4, 4)) > beliefs.beliefs[1].chance_of((4, 4))
    assert sum(read.beliefs[1].chances) == ONE


def test_what_the_table_does_for_a_seat_out_of_time_says_nothing_of_its_dice() -> None:
    state, beliefs = begun()
    late = beliefs.after(state, events.TimedOut(1))
    acted = late.after(state, BID)
    assert acted.beliefs == beliefs.beliefs
    assert acted.after(state, BID).beliefs != beliefs.beliefs


def test_who_has_not_looked_gives_nothing_away() -> None:
    state, beliefs = begun()
    blind = replace(state, places={**state.places, 1: replace(state.places[1], knowers=())})
    assert beliefs.after(blind, BID).beliefs == beliefs.beliefs


def test_a_cup_that_was_opened_leaves_nothing_to_be_believed() -> None:
    state, beliefs = begun()
    assert sorted(beliefs.after(state, shown(1, [4, 4], RULES.tokens.faces)).beliefs) == [2]


def test_nobody_handles_dice_it_does_not_know() -> None:
    state = opened(rules_of("common_hand", {"dice_per_player": 2, "push": True}), {1: 2, 2: 2}, (1, 2))
    _, beliefs = begun()
    weighing = weigh(outlook_of(Sight(state, 1), beliefs, Words(b"")))
    assert {type(option.command) for option in weighing.options} == {commands.Bid}


@pytest.mark.parametrize(
    ("open_dice", "hidden", "chance"),
    [
        ((), 2, Fraction(5, 6)),
        ((3,), 2, Fraction(5, 9)),
        ((3, 3), 1, Fraction(0)),
        ((1, 2), 5, Fraction(0)),
    ],
)
def test_a_pass_holds_where_no_two_dice_are_alike(open_dice: tuple[int, ...], hidden: int, chance: Fraction) -> None:
    assert chance_of_pass(open_dice, hidden, 6) == chance
