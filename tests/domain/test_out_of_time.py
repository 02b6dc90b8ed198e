"""The table's play for a seat whose time is up: in every game, something the rules accept, until the turn ends."""

from __future__ import annotations

import random
from typing import Any, Final

import pytest

from domain import commands, events
from domain.games import GAMES
from domain.table.decide import decide, evolve, timeout_command
from domain.table.interludes import cocked
from tests.domain.playing import Played
from tests.domain.seeded import Game, SeededDealer
from tests.domain.test_refusals import OPTIONS, positions

STEPS_MAX: Final = 20
CLOCK: Final = {"bank_ms": 5_000, "on_timeout": "act"}


@pytest.mark.parametrize("game", GAMES)
def test_who_runs_out_of_time_does_what_is_accepted_until_another_is_in_turn(game: str) -> None:
    for options in OPTIONS[game]:
        for number in range(4):
            for position in positions(game, options, random.Random(f"{game} {options} {number}")):
                if position.state.turn is not None:
                    waited_out(position)


def waited_out(game: Game) -> None:
    """Let the time of the seat in turn run out until the turn is over."""
    # The dice of a loaded dealer might lie cocked for ever.
    state, dealer = game.state, SeededDealer(game.dealer.seed)
    for _ in range(STEPS_MAX):
        for event in decide(state, timeout_command(state, dealer), dealer):
            state = evolve(state, event)
        if state.turn != game.state.turn or state.phase == "to_roll" or state.round_number != game.state.round_number:
            return
    pytest.fail(f"the turn does not end: {state}")


@pytest.mark.parametrize("game", GAMES)
def test_a_match_in_which_nobody_acts_goes_on_by_itself(game: str) -> None:
    options: list[dict[str, Any]] = OPTIONS[game]
    for number, given in enumerate(options):
        lowest = GAMES[game].rules(GAMES[game].options()).seats[0]
        played = Played(given, lowest, str(number), game, pause_ms=0, clock=CLOCK)
        played.start()
        for _ in range(60):
            if played.match.ended:
                break
            clocks = played.match.clocks
            assert clocks is not None
            assert clocks.due_at is not None
            played.do(commands.Advance(played.chance()), max(0, clocks.due_at - played.at))
            played.go_on()
        assert played.match.ended or any(isinstance(event, events.Judged) for event in played.events)


def test_who_has_looked_at_cocked_dice_throws_them_anew_and_who_has_looked_at_flat_ones_bids() -> None:
    met = set()
    for seed in range(30):
        game = Game({"cocked": True}, 2, str(seed), game="boss_liars")
        game.deal_if_due()
        game.do(cocked.Look(1))
        command = timeout_command(game.state, game.dealer)
        game.do(command)
        met.add(type(command))
    assert met == {cocked.ShowCocked, commands.Bid}


def test_who_has_rolled_under_a_claim_nobody_can_beat_rolls_on() -> None:
    game = Game({}, 2, game="individual_hand")
    game.deal_if_due()
    game.do(commands.ClaimHand(1, "five", (6,)))
    game.do(commands.Arrange(2, roll_inside=(0, 1)))
    for _ in range(2):
        command = timeout_command(game.state, game.dealer)
        assert command == commands.Arrange(2, roll_inside=(0,))
        game.do(command)
    assert game.state.last is not None
    assert game.state.last.kind == "auto_challenge"
