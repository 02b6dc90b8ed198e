"""Three makers of W agree: folded back deal by deal, folded back at once, and played out with any chance."""

from __future__ import annotations

from fractions import Fraction

import pytest

from domain import commands
from domain.analysis.worths.estimates import half_width
from domain.strategy.chance import Words
from domain.strategy.folding.bidding import LevelOne, bidding_of
from domain.strategy.folding.fold_back import Position, Questions, fold_back
from domain.strategy.folding.verdicts import WHOLE, stakes_by
from domain.strategy.level_one.thinking import drawn
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.rollouts import rolled_out
from domain.strategy.sight import Sight
from domain.strategy.tables import MatchTable
from services.evaluators.batch_evaluator import evaluate
from tests.analysis.test_fold_back import CASES, opened

PLAYED_OUT = 100


def level_one(sight: Sight, word: int) -> commands.Play | None:
    return drawn(sight, LEVEL_ONE, word)


@pytest.mark.parametrize("name", CASES)
def test_a_round_is_worth_as_much_whoever_works_it_out(name: str) -> None:
    rules, dice = CASES[name]
    before, state = opened(rules, dice)
    table = MatchTable(before)
    bidding = bidding_of(state, LevelOne(LEVEL_ONE))
    stakes = stakes_by(bidding, table)
    seats = tuple(range(len(bidding.seats)))
    asked = Questions((Position(bidding.node_of(state), seats[-1]),), (), seats)
    deal = [bidding.hand_of(place, dice[seat]) for place, seat in enumerate(bidding.seats)]
    (folded,) = fold_back(stakes, [deal], asked)
    assert evaluate(stakes, [deal], asked) == [folded]
    (rows,) = rolled_out(state, [dice] * PLAYED_OUT, [None], level_one, table.worths, Words(name.encode()))
    for place, seat in enumerate(bidding.seats):
        shares = [stakes.share(worths[state.seats.index(seat)]) for worths in rows]
        apart = abs(Fraction(sum(shares), PLAYED_OUT) - folded[place][0])
        # Four deviations, where 95 % lie within two of them, and a hundredth where there are none at all.
        assert apart <= 2 * half_width(shares) + Fraction(WHOLE, 100), (name, seat)
