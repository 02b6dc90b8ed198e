"""Equity of three kinds before each action of a round, and the worth of each move to who had to act."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from domain.analysis.figures import Figure, ppm_of
from domain.analysis.worths.equity import Equity, decide, moment_worth, printed, stake_of
from domain.analysis.worths.scenes import Dice, Sampling, Scene
from domain.ids import Seat
from domain.rules.orders import Count
from domain.strategy.folding.bidding import LevelOne, bidding_of, folds
from domain.strategy.folding.positions import Bidding
from domain.strategy.folding.verdicts import AtStake, Contest, Outcome
from domain.strategy.level_one.count_table import Answer
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.tables import Worths
from domain.table.evolve import evolve
from tests.analysis.kinds.posteriors import begun
from tests.analysis.positions import counting_rules, event_of, name_of, opened


class Given:
    """The verdicts of a case: by the losers, the worths of all seats."""

    measures = False

    def __init__(self, bidding: Bidding, verdicts: dict[str, dict[str, str]]) -> None:
        self.bidding = bidding
        self.verdicts = verdicts

    def worths(self, doubt: Contest, outcome: Outcome) -> Worths:
        seats = self.bidding.seats
        losers = doubt.doubters if outcome.holds else (doubt.claimant,)
        found = self.verdicts[",".join(str(seat) for seat in sorted(seats[place] for place in losers))]
        return tuple(Fraction(found[str(seat)]) for seat in seats)


def equity_of(scene: Scene, dice: Dice) -> Equity:
    """Return the figures of a moment, given the hidden dice of some seats or all."""
    return printed(moment_worth(scene, dice), scene.stakes.whole)


def check(_table: dict[str, Any], case: dict[str, Any]) -> None:
    dice = {int(seat): tuple(hand) for seat, hand in case["dealt"].items()}
    scene = scene_of(case, dice)
    beliefs = begun({**case, "dice": None}, scene.state.rules.tokens.faces, {seat: len(dice[seat]) for seat in dice})
    equity = {step["after"]: step for step in case["expect"]["equity"]}
    for number, (seat, move) in enumerate(case["actions"]):
        if number in equity:
            check_equity(equity_of(scene, dice), equity[number])
        check_decision(scene, int(seat), dice, move, case["expect"]["decisions"][number])
        event = event_of(int(seat), move)
        beliefs, state = beliefs.after(scene.state, event), evolve(scene.state, event)
        scene = Scene(scene.stakes, state, beliefs.beliefs, number + 1, scene.sampling)
    if len(case["actions"]) in equity:
        check_equity(equity_of(scene, dice), equity[len(case["actions"])])


def scene_of(case: dict[str, Any], dice: Dice) -> Scene:
    """Return the round of a case before anybody acts."""
    order = [int(seat) for seat in case["order"]]
    rules = counting_rules(case["rules"], max(len(hand) for hand in dice.values()), who=case["who_doubts"])
    sizes = {seat: len(dice[seat]) for seat in order}
    state = opened(rules, sizes, order)
    assert folds(state)
    bidding = bidding_of(state, LevelOne(LEVEL_ONE.with_power(case["power"])))
    beliefs = begun(case, rules.tokens.faces, sizes)
    return Scene(AtStake(bidding, Given(bidding, case["verdicts"])), state, beliefs.beliefs, 0, Sampling("", ""))


def check_equity(found: Equity, expected: dict[str, Any]) -> None:
    for name, figures in (("public", found.public), ("seat", found.seat), ("all", found.all)):
        assert figures is not None
        near({str(seat): figure.ppm for seat, figure in figures.items()}, expected[name])


def near(found: dict[str, int], expected: dict[str, int]) -> None:
    assert found.keys() == expected.keys()
    assert all(abs(found[name] - expected[name]) <= 1 for name in found), (found, expected)


def answer_of(move: Any) -> Answer:
    return "challenge" if isinstance(move, str) else Count(*move)


def check_decision(scene: Scene, seat: Seat, dice: Dice, move: Any, expected: dict[str, Any]) -> None:
    decided = decide(scene, seat, dice[seat], answer_of(move))
    found = {
        str(name_of(way.answer or "wait")): worth.figure
        for way, worth in zip(decided.ways, decided.worths, strict=True)
    }
    near({name: figure.ppm for name, figure in found.items()}, {str(name): q for name, q in expected["q"]})
    assert all(figure == Figure(figure.ppm, "model") for figure in found.values())
    assert name_of(decided.ways[decided.best].answer or "wait") == expected["best"]
    stake = stake_of(scene.stakes, seat)
    loss, skill = decided.loss.value, decided.skill.value
    points = loss * Fraction(1, stake)
    near(
        {"loss": ppm_of(loss), "stake": ppm_of(stake), "points": ppm_of(points), "skill": ppm_of(skill)},
        {name: expected[name] for name in ("loss", "stake", "points", "skill")},
    )
