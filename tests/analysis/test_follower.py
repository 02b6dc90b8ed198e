"""Level 2 at the table: it follows every game in which claims count, and plays on by what it believes."""

from __future__ import annotations

from typing import Any, Final

import pytest

from domain.games import rules_of
from domain.rules.rules import Rules
from domain.strategy.chance import Words
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two.follower import BeliefKeeper
from domain.strategy.level_two.thinking import weigh
from domain.table.decide import evolve, initial_state, next_deal
from domain.table.moves import moves
from tests.analysis.sights import sight_of
from tests.domain.seeded import Game
from tests.domain.test_fifteenth import RULES, Options

GAMES: Final[dict[str, tuple[str, dict[str, Any], int]]] = {
    "common hand": ("common_hand", {"dice_per_player": 3}, 3),
    "common hand, all options": (
        "common_hand",
        {"dice_per_player": 2, "pass_once": True, "spot_on": True, "palifico": True, "challenge_by": "anyone"},
        3,
    ),
    "common hand, pushed": ("common_hand", {"dice_per_player": 3, "push": True}, 2),
    "boss liars": ("boss_liars", {}, 3),
    "boss liars, cocked": ("boss_liars", {"cocked": True}, 2),
    "stud liars": ("stud_liars", {}, 2),
    "liar's poker": ("liars_poker", {}, 3),
    "liar's poker of the Wizard": ("liars_poker_wizard", {}, 2),
    "dollar bills": ("dollar_bill", {}, 2),
    "finska": ("finska", {}, 2),
}
STEPS: Final = 10
FEW: Final = 4
"""Where dice are handled, and each handling is gone through with all that may follow."""


class Seated:
    """A game with a follower in every seat."""

    def __init__(self, rules: Rules, seats: int, seed: str) -> None:
        self.game = Game({}, seats, seed)
        self.game.state = initial_state(rules, tuple(range(1, seats + 1)), 1)
        order = self.game.state.seats
        self.followers = {seat: BeliefKeeper(rules, order, seat, LEVEL_ONE) for seat in order}

    def do(self, command: Any) -> None:
        before = self.game.state
        happened = self.game.do(command)
        dice = {seat: sight_of(self.game.state, seat, self.game.dealer).dice for seat in self.followers}
        for event in happened:
            after = evolve(before, event)  # type: ignore[arg-type]  # what a table leads to
            for seat, follower in self.followers.items():
                follower.take(before, event, after, dice[seat])
            before = after

    def step(self, number: int) -> bool:
        """Play on by what whoever comes first in turn makes of it; report whether the game goes on."""
        state = self.game.state
        if not moves(state):
            self.do(next_deal(state))
            return True
        for seat in sorted(moves(state), key=lambda seat: (seat != state.turn, seat)):
            sight = sight_of(state, seat, self.game.dealer)
            turn = Words(f"{self.game.dealer.seed} {number}".encode())
            weighing = weigh(self.followers[seat].outlook(sight, turn))
            if weighing.options:
                self.do(weighing.draw(turn.word()).command)
                return self.game.state.phase != "finished"
        self.do(next_deal(state))
        return True


@pytest.mark.parametrize("name", list(GAMES))
def test_level_two_plays_on_by_lawful_moves(name: str) -> None:
    game, options, seats = GAMES[name]
    seated = Seated(rules_of(game, options), seats, name)
    steps = FEW if seated.game.state.rules.handling.law != "frozen" else STEPS
    for number in range(steps):
        if not seated.step(number):
            break
    assert len(seated.game.events) > steps


@pytest.mark.parametrize(("name", "seats"), [("counted_cup", 3), ("counted_cup", 2), ("dwindling_numbers", 2)])
def test_a_game_the_house_does_not_have_is_played_as_well(name: str, seats: int) -> None:
    seated = Seated(RULES[name](Options()), seats, name)
    steps = STEPS if name == "counted_cup" and seats == 2 else FEW
    for number in range(steps):
        if not seated.step(number):
            break
    assert len(seated.game.events) > steps
