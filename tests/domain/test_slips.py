"""Slips in liar's poker: which of its two commands the table has to ask for between rounds."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands
from domain.table.decide import next_deal, refusal_of
from domain.table.interludes import slips
from domain.table.state import State
from tests.domain.seeded import Game
from tests.domain.test_refusals import stepped

SLIPS: Final[dict[str, Any]] = {"numbers": "slips", "slip_length": 4, "slip_plays": 2}


def playing(seed: str = "seed") -> Game:
    return Game(SLIPS, 2, seed, game="liars_poker")


def round_played(game: Game) -> None:
    game.deal_if_due()
    opener = game.state.turn
    assert opener is not None
    game.do(commands.Bid(opener, 1, 1))
    game.do(commands.Challenge(3 - opener))
    game.do(commands.AskCount(opener))


@given(st.integers(0, 2**32), st.integers(1, 40))
def test_the_table_may_always_do_one_of_the_two_and_never_the_other(seed: int, steps: int) -> None:
    game, drawn = playing(str(seed)), random.Random(seed)
    for _ in range(steps):
        stepped(game, drawn)
    while game.state.phase != "between_rounds":
        stepped(game, drawn)
    wanted = next_deal(game.state)
    assert refusal_of(game.state, wanted) is None
    other = slips.DealSlips() if isinstance(wanted, commands.DealRound) else commands.DealRound()
    assert refusal_of(game.state, other) == expected(game.state, other)


def expected(state: State, other: commands.TableCommand) -> str:
    """Return why it is not asked for now: only slips that were played are finished."""
    return (
        "slip_finished"
        if isinstance(other, commands.DealRound) and state.remembered(slips.Slip) is not None
        else "wrong_phase"
    )


@pytest.mark.parametrize("command", [commands.DealRound(), slips.DealSlips()])
def test_slips_are_dealt_before_the_first_round_and_nothing_is_finished_before_them(
    command: commands.TableCommand,
) -> None:
    wanted = "wrong_phase" if isinstance(command, commands.DealRound) else None
    assert refusal_of(playing().state, command) == wanted


def test_slips_whose_numbers_are_all_played_are_finished() -> None:
    game = playing()
    round_played(game)
    assert refusal_of(game.state, slips.DealSlips()) == "wrong_phase"
    round_played(game)
    assert refusal_of(game.state, commands.DealRound()) == "slip_finished"
    game.do(slips.DealSlips())
    assert game.state.phase == "claiming"
