"""A handling that leaves every die as it lies: where a cup is passed on it is one like any other."""

from __future__ import annotations

from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands, events
from domain.errors import Refused
from domain.games import GAMES
from domain.table.decide import moves
from domain.table.state import PASSED_CUP
from tests.domain.seeded import Game

PASSED_ON: Final = ("stanford", "finska", "beat_this", "six_six_six", "two_dice_pass")
KEPT: Final[dict[str, tuple[int, ...]]] = {"nothing": (), "the hidden ones": (0, 1)}


def accepted(name: str, seed: str = "seed", **options: Any) -> Game:
    """Return a game in which the second seat has just looked at the dice of the first."""
    game = Game(options, 2, seed, game=name)
    game.do(commands.Roll(1))
    lowest = game.state.ladder.hands[0]
    game.do(commands.ClaimHand(1, lowest.shape, lowest.faces))
    game.do(commands.Accept(2))
    return game


def refusal(game: Game, command: commands.TableCommand) -> str | None:
    try:
        game.do(command)
    except Refused as refused:
        return refused.code
    return None


@given(st.sampled_from(PASSED_ON), st.text(max_size=4), st.sampled_from(list(KEPT.values())))
def test_dice_that_nobody_touches_lie_and_are_known_as_before(name: str, seed: str, named: tuple[int, ...]) -> None:
    game = accepted(name, seed)
    before = game.state
    [happened] = game.do(commands.Arrange(2, inside=named))
    places = {state.places[PASSED_CUP].inside: state.places[PASSED_CUP].knowers for state in (before, game.state)}
    assert places == {before.places[PASSED_CUP].inside: (1, 2)}
    assert isinstance(happened, events.Arranged)
    assert (happened.roll, happened.choice, happened.taken, happened.outside) == (None, None, (), ())
    assert (game.state.phase, game.state.turn, game.state.round.bound) == (before.phase, before.turn, True)


@pytest.mark.parametrize("name", PASSED_ON)
def test_leaving_the_dice_as_they_lie_is_the_one_handling_of_the_turn(name: str) -> None:
    game = accepted(name)
    assert refusal(game, commands.Arrange(2)) is None
    assert refusal(game, commands.Arrange(2)) == "no_rerolls_left"
    assert refusal(game, commands.Arrange(2, roll_inside=(0, 1))) in {"no_rerolls_left", "bad_dice"}
    assert "arrange" not in {move.__struct_config__.tag for move in moves(game.state)[2]}


@pytest.mark.parametrize("name", PASSED_ON)
def test_who_may_not_handle_the_dice_may_not_leave_them_either(name: str) -> None:
    game = Game({}, 2, game=name)
    assert refusal(game, commands.Arrange(1)) in {"wrong_phase", "not_allowed"}
    game.do(commands.Roll(1))
    assert refusal(game, commands.Arrange(2)) in {"not_your_turn", "not_allowed"}


def test_an_opener_who_may_show_dice_may_show_none() -> None:
    game = Game({}, 2, game="stanford")
    game.do(commands.Roll(1))
    assert refusal(game, commands.Arrange(1)) is None
    none_left = Game({"rerolls": 0}, 2, game="stanford")
    none_left.do(commands.Roll(1))
    assert refusal(none_left, commands.Arrange(1)) == "no_rerolls_left"


@pytest.mark.parametrize(
    ("name", "options"),
    [("individual_hand", {}), ("german_liar_dice", {}), ("stud_liars", {}), ("common_hand", {"push": True})],
)
def test_behind_a_screen_a_handling_rolls_or_shows_some_die(name: str, options: dict[str, Any]) -> None:
    rules = GAMES[name].rules(GAMES[name].options(**options))
    game = Game(options, 2, game=name)
    game.deal_if_due()
    if rules.handling.opener == "nothing":
        lowest = game.state.ladder.hands[0]
        game.do(commands.ClaimHand(1, lowest.shape, lowest.faces))
    seat = game.state.turn
    assert seat is not None
    assert refusal(game, commands.Arrange(seat)) == "bad_dice"
