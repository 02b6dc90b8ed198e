"""Rollouts: every game is played to its verdict with any dice under its cups, and comes to what it is worth."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from typing import Final

import pytest

from domain import commands
from domain.games import GAMES
from domain.ids import Seat
from domain.strategy.chance import Words
from domain.strategy.hands import Hand
from domain.strategy.level_one.thinking import drawn, weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.rollouts import STEPS_MAX, Profile, Rollout, ScriptedDealer, profiles, relaid, rolled_out, sight_of
from domain.strategy.sight import Sight
from domain.strategy.tables import MatchTable
from domain.table.decide import decide
from domain.table.evolve import evolve_all
from domain.table.judging import values_of
from domain.table.state import State
from tests.analysis.sights import hidden_faces, played_by_level_one
from tests.domain.seeded import Game
from tests.domain.test_fifteenth import name as fifteenth

__all__ = ["fifteenth"]
OPENING_OF_ONE_DIE: Final = 1_000


def level_one(sight: Sight, word: int) -> commands.Play | None:
    return drawn(sight, LEVEL_ONE, word)


def profile_of(game: Game) -> Profile:
    return {cup: hidden_faces(game.state, place, game.dealer) for cup, place in game.state.places.items()}


def moment_of(game: Game, steps: int) -> State:
    """Play on for some moves, and further to where somebody has something to do."""
    for state in played_by_level_one(game, steps + 20):
        steps -= 1
        if steps < 0 and state.turn is not None and state.places:
            break
    return game.state


def assert_rolls_out(game: Game, state: State) -> None:
    profile, table = profile_of(game), MatchTable(state)
    rows = rolled_out(state, [profile] * 2, [None, None], level_one, table.worths, Words(b"seed"))
    assert rows[0] == rows[1], "alternatives share all chance"
    for worths in rows[0]:
        assert len(worths) == len(state.seats)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_is_rolled_out(name: str) -> None:
    least, most = GAMES[name].rules(GAMES[name].options()).seats
    game = Game({}, min(max(3, least), most), name, game=name)
    assert_rolls_out(game, moment_of(game, 3))


def test_games_the_house_does_not_have_are_rolled_out(fifteenth: str) -> None:
    game = Game({}, 3, fifteenth, game=fifteenth)
    for steps in (2, 3):
        assert_rolls_out(game, moment_of(game, steps))


def test_dice_lie_as_the_profile_says_whatever_was_sealed() -> None:
    game = Game({}, 2, "sealed", game="finska")
    for state in played_by_level_one(game, 60):
        place = state.places.get(255)
        if place is None or not any(event.choice for event in place.handled) or len(place.inside) < 2:
            continue
        hidden = tuple(9 + at for at in range(len(place.inside)))
        laid, script = relaid(state, {255: hidden})
        dealer = ScriptedDealer(script, b"")
        shown = [die.value for die in place.outside]
        assert values_of(laid.places[255], laid, dealer) == (*range(len(hidden)), *shown)
        assert laid.places[255].knowers == place.knowers
        if state.phase == "responding":
            judged = evolve_all(laid, decide(laid, commands.Challenge(state.turn or 0), dealer)).last
            assert judged is not None
            rung = state.ladder.measure((*range(len(hidden)), *[value or 0 for value in shown]))
            assert judged.holds == (rung >= state.ladder.rungs[state.round.standing])  # type: ignore[index]
            return
    pytest.fail("nothing was ever sealed")


def test_what_is_rolled_comes_from_the_seed_and_not_from_dice_that_lay_there() -> None:
    game = Game({}, 2, game="mexican")
    game.do(commands.Roll(1))
    profile = profile_of(game)
    ends = {seed: Rollout(game.state, profile, seed).play(level_one) for seed in (b"one", b"two", b"three", b"four")}
    assert len({str(end.last) for end in ends.values()}) > 1
    assert Rollout(game.state, profile, b"one").play(level_one) == ends[b"one"]


# ---- what it comes to ---------------------------------------------------------------------------


def worth_by_hand(state: State, dealer: ScriptedDealer, table: MatchTable) -> Fraction:
    """Return what a round is worth to seat 1 if all play as level 1, through every move with its weight."""
    if state.phase in {"between_rounds", "finished"}:
        return table.worths(state)[0]
    weighing = weigh(sight_of(state, state.turn or 0, dealer), LEVEL_ONE)
    found = Fraction(0)
    for option in weighing.options:
        after = evolve_all(state, decide(state, option.command, dealer))
        found += Fraction(option.weight, weighing.total) * worth_by_hand(after, dealer, table)
    return found


def test_the_mean_of_rollouts_is_what_a_round_is_worth() -> None:
    game = Game({"dice_per_player": 1}, 2)
    game.deal_if_due()
    table = MatchTable(game.state)
    profile = {1: (3,), 2: (1,)}
    laid, script = relaid(game.state, profile)
    exact = worth_by_hand(laid, ScriptedDealer(script, b""), table)
    rows = rolled_out(game.state, [profile] * OPENING_OF_ONE_DIE, [None], level_one, table.worths, Words(b"mean"))
    mean = sum((worths[0] for worths in rows[0]), Fraction(0)) / OPENING_OF_ONE_DIE
    # Four standard deviations of a mean of so many that are 0 or 1 at worst.
    assert (mean - exact) ** 2 * OPENING_OF_ONE_DIE <= 16 * exact * (1 - exact)


def test_a_first_move_is_made_before_the_policy_goes_on() -> None:
    game = Game({"dice_per_player": 1}, 2)
    game.deal_if_due()
    game.do(commands.Bid(1, 1, 5))
    table, profile = MatchTable(game.state), {1: (5,), 2: (2,)}
    rows = rolled_out(game.state, [profile], [commands.Challenge(2), None], level_one, table.worths, Words(b""))
    assert rows[0] == [(Fraction(1), Fraction(0))]


# ---- profiles, and rounds that do not end -------------------------------------------------------


def test_profiles_are_drawn_from_what_is_believed() -> None:
    lists: dict[Seat, dict[Hand, int]] = {1: {(1,): 3, (2,): 1}, 2: {(4, 3): 1}}
    found = Counter((profile[1], profile[2]) for profile in profiles(lists, Words(b"lists"), 400))
    assert found.keys() == set(product([(1,), (2,)], [(4, 3)]))
    assert abs(found[(1,), (4, 3)] - 300) < 40


def test_a_round_that_goes_on_for_ever_is_brought_to_its_verdict() -> None:
    game = Game({"claim_check": "next_player"}, 2, game="mexican")
    game.do(commands.Roll(1))
    asked = []

    def believes_all(sight: Sight, _word: int) -> commands.Play:
        asked.append(sight.seat)
        if sight.state.phase == "responding":
            return commands.Accept(sight.seat)
        if sight.state.phase == "to_roll":
            return commands.Roll(sight.seat)
        return commands.ClaimHand(sight.seat, "score", (4, 1))

    end = Rollout(game.state, profile_of(game), b"").play(believes_all)
    assert end.last is not None
    assert len(asked) == STEPS_MAX


def test_where_nobody_thinks_of_anything_the_table_acts() -> None:
    game = Game({"dice_per_player": 1}, 2)
    game.deal_if_due()
    end = Rollout(game.state, {1: (2,), 2: (2,)}, b"").play(lambda _sight, _word: None)
    assert end.last is not None
    assert end.last.kind == "challenge"
