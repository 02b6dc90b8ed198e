"""The odds that bots work out about claims, against tables that are not theirs."""

from __future__ import annotations

from fractions import Fraction

import pytest

from domain.rules.claims import Auction
from domain.rules.ladders import Hand
from domain.rules.orders import Count
from domain.rules.rules import PIPS, Counting
from domain.statistics import odds as exact
from services.bots.odds import DiceInView, all_differ, at_least, chance_of, chance_of_exactly
from services.bots.reach import chances, lowest_dice, rung_of


@pytest.mark.parametrize(
    ("need", "dice", "hits", "chance"),
    [
        (0, 0, 1, 1.0),
        (1, 0, 1, 0.0),
        (1, 1, 1, 1 / 6),
        (3, 5, 2, 0.2098765432),  # CUP/1 section 5.3: three or more of five dice match a wild bid
        (1, 5, 1, 0.5981224280),
        (5, 5, 1, 1 / 7776),
    ],
)
def test_the_odds_are_those_of_the_binomial_tables(need, dice, hits, chance):
    assert at_least(need, dice, hits) == pytest.approx(chance)


def test_five_dice_differ_as_often_as_the_count_of_their_orders_says():
    assert all_differ(5) == pytest.approx(720 / 7776)
    assert all_differ(7) == 0.0


@pytest.mark.parametrize("natural", [False, True])
@pytest.mark.parametrize("wild", [False, True])
def test_the_chance_of_a_bid_is_the_exact_one(wild, natural):
    auction = Auction(Counting(wild="always" if wild else "never", natural=natural), 8, PIPS, wild)
    for seen in ((), (1, 3), (1, 1, 5), (5, 5, 1)):
        for claim in (Count(quantity, face) for quantity in range(1, 9) for face in range(1, 7)):
            needed = natural and wild and claim.face != 1
            sure = exact.chance_of_bid(claim, seen, 8 - len(seen), wild=wild, natural=needed)
            assert chance_of(auction, claim, DiceInView(seen, 8 - len(seen))) == pytest.approx(float(sure))
            spot_on = exact.chance_of_exact_bid(claim, seen, 8 - len(seen), wild=wild)
            assert chance_of_exactly(auction, claim, DiceInView(seen, 8 - len(seen))) == pytest.approx(float(spot_on))


@pytest.mark.parametrize("name", exact.THROWS)
def test_the_chances_of_hands_are_the_exact_ones(name):
    throw = exact.THROWS[name]
    first, kept = throw.faces.first, (0,) * (throw.dice // 2)
    table = exact.chances_of_hands_or_higher(throw, tuple(first + value for value in kept))
    found = chances(throw.ladder, kept, throw.dice - len(kept), throw.faces.count)
    assert found == pytest.approx([float(Fraction(chance)) for chance in table.values()])


def test_the_lowest_dice_of_a_call_make_it_and_none_make_what_others_rule_out():
    throw = exact.THROWS["finska"]
    ladder = throw.ladder
    three_kings = ladder.rungs[Hand("three", (13,))]
    dice = lowest_dice(ladder, (4,), 4, throw.faces.count, three_kings)
    assert dice is not None
    assert rung_of(ladder, (4, *dice)) == three_kings
    assert lowest_dice(ladder, (4,), 4, throw.faces.count, ladder.top) is None
