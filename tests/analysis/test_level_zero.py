"""Level 0: anything that is allowed, each kind as often as another, and within a kind each move."""

from __future__ import annotations

from collections import Counter

import pytest

from domain import commands
from domain.games import GAMES
from domain.strategy.level_zero import legal_commands, move_at_random
from domain.table.decide import decide
from domain.table.interludes.cocked import Look, is_cocked
from domain.table.moves import moves_of
from domain.table.offers import BidMove, ShowCockedMove
from tests.analysis.sights import sight_of, word_of
from tests.domain.seeded import Game

STEPS = 12


def words(*what: object) -> tuple[int, int]:
    return word_of(*what, 1), word_of(*what, 2)


def acting(game: Game) -> int:
    return game.state.turn or min(game.state.remaining)


@pytest.mark.parametrize("name", GAMES)
def test_it_plays_every_game_by_lawful_moves(name: str) -> None:
    game = Game({}, max(2, GAMES[name].rules(GAMES[name].options()).seats[0]), f"zero {name}", game=name)
    for number in range(STEPS):
        game.deal_if_due()
        if game.state.phase == "finished":
            return
        command = move_at_random(sight_of(game.state, acting(game), game.dealer), words(name, number))
        if command is not None:
            decide(game.state, command, game.dealer)
            game.do(command)
    assert game.state.round_number >= 1


def test_each_kind_comes_as_often_as_another_and_within_it_each_move() -> None:
    game = Game({"dice_per_player": 1}, 2, "even", game="common_hand")
    game.deal_if_due()
    game.do(commands.Bid(acting(game), 1, 5))
    sight = sight_of(game.state, acting(game), game.dealer)
    found = Counter(move_at_random(sight, words("even", number)) for number in range(2_000))
    bids = [count for command, count in found.items() if isinstance(command, commands.Bid)]
    assert sum(bids) == pytest.approx(1_000, abs=100)
    assert len(bids) == sum(len(legal_commands(sight, move)) for move in moves_of(game.state, acting(game))) - 1
    assert max(bids) < 2 * min(bids)


def test_who_is_not_in_turn_and_has_nothing_to_say_does_nothing() -> None:
    game = Game({}, 3, "idle", game="common_hand")
    game.deal_if_due()
    idle = next(seat for seat in game.state.seats if seat != acting(game))
    assert move_at_random(sight_of(game.state, idle, game.dealer), words("idle")) is None


def test_over_dice_that_it_knows_to_lie_cocked_a_seat_claims_nothing_and_shows_them() -> None:
    for number in range(100):
        game = Game({"cocked": True, "first": "high_roll"}, 2, f"zero cocked {number}", game="boss_liars")
        game.deal_if_due()
        if is_cocked(game.state, acting(game), game.dealer):
            break
    seat = acting(game)
    game.do(Look(seat))
    sight = sight_of(game.state, seat, game.dealer)
    offers = {type(move): legal_commands(sight, move) for move in moves_of(game.state, seat)}
    assert offers[ShowCockedMove]
    assert not offers.get(BidMove)
