"""Level 3 by rollouts: it finds what is plainly best, and beats level 1 where no round folds back."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import pytest

from domain import commands
from domain.strategy import rolled_moves
from domain.strategy.chance import Words
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.rolled_moves import weigh_by_rollouts
from domain.strategy.tables import MatchTable
from domain.strategy.weighing import Weighing
from domain.table.state import State
from tests.analysis.read_games import ReadGame

NEAR: Final = Fraction(1, 200)


def thought(game: ReadGame, seat: int, seed: str = "") -> Weighing | None:
    outlook, table = game.outlook(seat), MatchTable(game.state)
    words = Words(f"{game.dealer.seed} {seed}".encode())
    return weigh_by_rollouts(outlook.sight, outlook.beliefs.beliefs, table.worths, NEAR, words, LEVEL_ONE)


def test_a_claim_that_is_known_to_be_false_is_doubted() -> None:
    game = ReadGame({}, 2, "false", "two_dice_pass")
    for command in (commands.Roll(1), commands.ClaimHand(1, "score", (2, 1)), commands.Accept(2)):
        game.do(command)
    game.do(commands.ClaimHand(2, "score", (5, 5)))
    dice = game.outlook(1).sight.dice[255]
    assert sorted(dice) != [5, 5]
    found = thought(game, 1)
    assert found is not None
    assert [option.command for option in found.options] == [commands.Challenge(1)]


def test_the_same_chance_gives_the_same_moves() -> None:
    game = ReadGame({}, 2, "same", "mexican")
    game.do(commands.Roll(1))
    assert thought(game, 1) == thought(game, 1)


def test_where_many_moves_are_thought_of_or_one_alone_there_is_nothing_to_say(monkeypatch: pytest.MonkeyPatch) -> None:
    game = ReadGame({}, 2, "few", "mexican")
    assert thought(game, 1) is None, "there is nothing but to roll"
    game.do(commands.Roll(1))
    monkeypatch.setattr(rolled_moves, "MOVES_MAX", 1)
    assert thought(game, 1) is None


def test_where_nothing_is_at_stake_there_is_nothing_to_say() -> None:
    game = ReadGame({}, 2, "none", "mexican")
    game.do(commands.Roll(1))
    sight = game.outlook(1).sight
    assert weigh_by_rollouts(sight, {}, nothing, NEAR, Words(b""), LEVEL_ONE) is None


def nothing(state: State) -> tuple[Fraction, ...]:
    return (Fraction(0),) * len(state.seats)


def test_a_cup_of_which_nothing_is_believed_holds_fair_dice() -> None:
    game = ReadGame({}, 2, "fair", "two_dice_pass")
    game.do(commands.Roll(1))
    game.do(commands.ClaimHand(1, "score", (5, 5)))
    sight = game.outlook(2).sight
    found = weigh_by_rollouts(sight, {}, MatchTable(game.state).worths, NEAR, Words(b""), LEVEL_ONE)
    assert found is not None
    # One throw in eighteen is as high.
    assert [option.command for option in found.options] == [commands.Challenge(2)]
