"""The batch evaluator gives what the plain one gives, to the last bit, whatever is asked of whichever round."""

from __future__ import annotations

import random
from functools import cache

from domain.strategy.folding.bidding import LevelOne, bidding_of
from domain.strategy.folding.fold_back import Deal, Position, Questions, fold_back
from domain.strategy.folding.verdicts import AtStake, Contest, stakes_by
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.tables import MatchTable
from services.evaluators import batch_evaluator
from services.evaluators.batch_evaluator import evaluate
from tests.analysis.test_fold_back import CASES, opened
from tests.sizes import cases

DEALS = 5


@cache
def stakes_of(name: str) -> AtStake:
    rules, dice = CASES[name]
    before, state = opened(rules, dice)
    bidding = bidding_of(state, LevelOne(LEVEL_ONE))
    return stakes_by(bidding, MatchTable(before))


def some_deals(stakes: AtStake, chance: random.Random, count: int) -> list[Deal]:
    sizes = [len(stakes.bidding.sizes[size]) for size in stakes.bidding.size_of]
    return [[chance.randrange(hands) for hands in sizes] for _ in range(count)]


def some_questions(stakes: AtStake, chance: random.Random) -> Questions:
    bidding = stakes.bidding
    seats, opening = len(bidding.seats), len(bidding.nodes) - 1
    found = [Position(opening, seats - 1)] if chance.random() < 0.2 else []
    found += [
        Position(chance.randrange(opening), chance.randrange(seats), chance.randrange(bidding.doubts))
        for _ in range(chance.randint(0, 4))
    ]
    claimant = chance.randrange(seats)
    doubts: list[Contest] = [stakes.test(claimant), Contest(claimant, ((claimant + 1) % seats,), spot_on=True)]
    asked = [(chance.randrange(opening), doubt) for doubt in doubts[: chance.randint(0, 2)]]
    places = sorted(chance.sample(range(seats), chance.randint(1, seats)))
    return Questions(tuple(found), tuple(asked), tuple(places))


def test_both_evaluators_give_the_same_integers() -> None:
    chance = random.Random(20261126)
    for number in range(cases(200, 10_000)):
        name = list(CASES)[number % len(CASES)]
        stakes = stakes_of(name)
        deals, asked = some_deals(stakes, chance, DEALS), some_questions(stakes, chance)
        assert evaluate(stakes, deals, asked) == fold_back(stakes, deals, asked), (name, asked)


def test_it_does_not_matter_how_deals_are_put_together(monkeypatch) -> None:
    stakes, chance = stakes_of("one die against two"), random.Random(1)
    deals, asked = some_deals(stakes, chance, 40), some_questions(stakes, chance)
    whole = evaluate(stakes, deals, asked)
    monkeypatch.setattr(batch_evaluator, "BATCH", 28)
    assert evaluate(stakes, deals, asked) == whole


def test_full_tables_are_the_same_as_well() -> None:
    rules, _ = CASES["ones never wild"]
    dice = dict.fromkeys(range(1, 11), (2, 3))
    before, state = opened(rules, dice)
    bidding = bidding_of(state, LevelOne(LEVEL_ONE))
    stakes = stakes_by(bidding, MatchTable(before))
    deals, asked = (
        some_deals(stakes, random.Random(2), 2),
        Questions((Position(bidding.node_of(state), 9),), (), (0, 9)),
    )
    assert evaluate(stakes, deals, asked) == fold_back(stakes, deals, asked)
