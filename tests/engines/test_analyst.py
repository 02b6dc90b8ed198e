"""The analyst: it plays what an analysis of its seat's view would have called best, and that wins."""

from __future__ import annotations

from fractions import Fraction

import pytest

from domain import commands
from domain.analysis.figures import Figure, ppm_of
from domain.analysis.grades.decisions import POINT
from domain.analysis.judges.telling import JudgedDecision
from domain.analysis.record.following import follow
from domain.analysis.rounds import told_round
from domain.analysis.settings import RoundSetting
from domain.analysis.worths.scenes import Sampling
from domain.ids import Seat
from domain.strategy.hands import all_hands
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two.outlook import DOUBT
from domain.strategy.weighing import Weighing
from domain.table.state import State
from services.analysis.making import WantedAnalysis, means_for
from services.engines.analyst import DEALS_MAX, HALF_A_POINT, RoundsKept, weigh_by_cup, weigh_by_worth
from services.engines.levels import Thought, player_of, words_of
from services.evaluators.batch_evaluator import evaluate
from services.gauntlet.contenders import HousePlayer
from services.gauntlet.gauntlet import Gauntlet, run_gauntlet
from services.policies.shelf import shelf
from tests.bots.tables import BotTable

CHANCE = bytes(range(32))
CUP_TURNS = 40


def state_of(table: BotTable) -> State:
    assert table.match.table is not None
    return table.match.table


def weighing(table: BotTable, seat: Seat, near: Fraction = HALF_A_POINT, chance: bytes = CHANCE) -> Weighing | None:
    seen = table.seen(seat)
    assert seen.sight is not None
    return weigh_by_worth(seen, seen.sight, near, chance)


def played(table: BotTable, analyst: Seat) -> Seat | None:
    """Return who wins if one seat is the analyst's, and all others are played by the table's level."""
    for _ in range(400):
        if table.match.ended:
            break
        found = weighing(table, table.turn, chance=table.drawn()) if table.turn == analyst else None
        command = table.chosen(table.turn)[1] if found is None else found.draw(words_of(table.drawn())[0]).command
        assert command is not None
        table.do(command)
        table.go_on()
    return state_of(table).winner


def test_it_beats_simple_odds() -> None:
    won = [
        played(BotTable({"dice_per_player": 2}, 2, seed, level="L1"), 1 + seed % 2) == 1 + seed % 2
        for seed in range(30)
    ]
    assert sum(won) >= 20


def test_it_weighs_every_move_it_would_think_of_and_plays_those_near_the_best() -> None:
    table = BotTable({"dice_per_player": 2}, 2, 3)
    best, every = weighing(table, table.turn, Fraction(0)), weighing(table, table.turn, Fraction(1))
    assert best is not None
    assert every is not None
    assert len(best.options) < len(every.options) == every.legal
    top = max(option.worth for option in every.options)
    assert {option.worth for option in best.options} == {top}
    assert {option.weight for option in every.options} == {1}


async def test_it_beats_level_2() -> None:
    asked = Gauntlet({"game": "common_hand", "options": {}}, 2, 20, b"analyst")
    found = (await run_gauntlet(asked, [HousePlayer("L3"), HousePlayer("L2")]))[0]
    assert found.difference - (found.half_width or 1) > 0


@pytest.mark.parametrize("dice", [2, 5])
def test_it_plays_what_an_analysis_that_doubts_as_it_does_calls_best(dice: int) -> None:
    table, best = BotTable({"dice_per_player": dice}, 2, 1, level="L3.steady"), {}
    while not table.match.ended:
        found = weighing(table, table.turn)
        assert found is not None
        best[table.match.version + 1] = ppm_of(max(option.worth for option in found.options))
        assert len([*table.turns(1)]) == 1
    decisions = decisions_of(table)
    assert decisions.keys() == best.keys()
    for version, decision in decisions.items():
        compare(decision, best[version])


@pytest.mark.parametrize(("game", "seats"), [("two_dice_pass", 3), ("beat_this", 2)])
def test_at_a_passed_cup_that_folds_it_does_so_too(game: str, seats: int) -> None:
    table, best = BotTable({}, seats, 1, level="L3.steady", game=game), {}
    for _ in range(CUP_TURNS):
        if table.match.ended:
            break
        seen = table.seen(table.turn)
        assert seen.sight is not None
        found = weigh_by_cup(seen, seen.sight, HALF_A_POINT)
        if found is None:
            # There is nothing but to roll.
            assert len([*table.turns(1)]) == 1
            continue
        best[table.match.version + 1] = ppm_of(max(option.worth for option in found.options))
        thought = player_of("L3").choose(seen, table.drawn())
        assert thought == Thought(found.draw(words_of(table.drawn())[0]).command, "L3")
        table.do(thought.command)
        table.go_on()
    decisions = {version: each for version, each in decisions_of(table).items() if version in best}
    assert len(decisions) > 5
    for version, decision in decisions.items():
        compare(decision, best[version])


def test_at_a_cup_of_which_dice_are_kept_in_secret_level_2_plays() -> None:
    table = BotTable({}, 2, 1, game="six_six_six")
    table.do(commands.Roll(table.turn))
    seen = table.seen(table.turn)
    assert seen.sight is not None
    assert weigh_by_cup(seen, seen.sight, HALF_A_POINT) is None
    thought = player_of("L3").choose(seen, CHANCE)
    assert thought is not None
    assert thought.level == "L2"


def decisions_of(table: BotTable) -> dict[int, JudgedDecision]:
    """Return what an analysis says of each decision of a match that doubts all seats as level 3 does."""
    followed = follow(tuple(table.lines))
    means = means_for(followed, WantedAnalysis((shelf().find("level1").policy,)), shelf())
    decisions: dict[int, JudgedDecision] = {}
    for played_round in followed.rounds:
        chosen = means.rounds[played_round.number]
        doubts = dict.fromkeys(played_round.steps[0].new.remaining, DOUBT)
        setting = RoundSetting(chosen, LEVEL_ONE, doubts, Sampling(followed.head, chosen.play.id), evaluate)
        decisions.update(told_round(played_round, setting).decisions)
    return decisions


def compare(decision: JudgedDecision, best: int) -> None:
    q, points = decision.told.options[0].q, decision.told.points
    assert isinstance(q, Figure)
    assert isinstance(points, Figure)
    assert q.ppm == best
    assert points.ppm <= POINT // 2


def test_of_many_dice_the_hands_are_folded_that_a_reader_has_drawn() -> None:
    table = BotTable({"dice_per_player": 8}, 2, 1)
    table.do(commands.Bid(table.turn, 10, 3))
    every = all_hands(8, table.table.rules.tokens.faces)
    assert {len(belief.hands) < len(every) for belief in table.seen(table.turn).beliefs().beliefs.values()} == {True}
    found = weighing(table, table.turn, Fraction(0))
    assert found is not None
    assert [type(option.command) for option in found.options] == [commands.Challenge]


def test_the_same_frames_and_chance_give_the_same_moves() -> None:
    table, again = BotTable({}, 3, 5), BotTable({}, 3, 5)
    assert weighing(table, table.turn) == weighing(again, again.turn)
    # With two others of five dice deals are drawn by the chance, so that another gives other worths.
    other = weighing(table, table.turn, Fraction(1), CHANCE[::-1])
    assert other != weighing(table, table.turn, Fraction(1))


def test_few_deals_are_gone_through_one_and_all() -> None:
    table = BotTable({"dice_per_player": 2}, 2, 3)
    assert DEALS_MAX >= 21
    assert weighing(table, table.turn, Fraction(1), CHANCE) == weighing(table, table.turn, Fraction(1), CHANCE[::-1])


def test_it_says_spot_on_where_that_is_on_offer() -> None:
    table = BotTable({"dice_per_player": 1, "spot_on": True}, 2, 1)
    table.do(commands.Bid(table.turn, 2, 6))
    found = weighing(table, table.turn, Fraction(1))
    assert found is not None
    assert [type(option.command) for option in found.options] == [commands.Challenge, commands.SpotOn]


@pytest.mark.parametrize(
    ("game", "options"),
    [
        ("finska", {}),
        ("common_hand", {"pass_once": True}),
        ("common_hand", {"elimination": "none"}),
    ],
)
def test_of_rounds_that_do_not_fold_back_and_of_nothing_at_stake_it_says_nothing(game: str, options: dict) -> None:
    table = BotTable(options, 2, 1, game=game)
    assert weighing(table, table.turn) is None


def test_out_of_turn_it_says_nothing() -> None:
    table = BotTable({"challenge_by": "anyone"}, 3, 1)
    table.do(commands.Bid(table.turn, 1, 2))
    (waiting,) = [seat for seat in (1, 2, 3) if seat not in {table.turn, state_of(table).round.claimant}]
    assert weighing(table, waiting) is None


def test_only_the_last_rounds_are_kept() -> None:
    rounds = RoundsKept(1)
    first, second = [state_of(BotTable({"dice_per_player": 1}, seats, 1)) for seats in (2, 3)]
    kept = rounds.at_stake(first)
    assert rounds.at_stake(first) is kept
    rounds.at_stake(second)
    assert rounds.at_stake(first) is not kept
