"""Fold-back beside an oracle that plays every course of a round by the domain's own `decide` and `evolve`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.games import rules_of
from domain.ids import Face, Seat
from domain.rules.orders import Count
from domain.rules.rules import Counting, Doubt, Faces, OwnCups, Rules
from domain.strategy.folding.bidding import LevelOne, bidding_of, folds
from domain.strategy.folding.fold_back import Position, Questions, fold_back
from domain.strategy.folding.verdicts import stakes_by
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.sight import Sight
from domain.strategy.tables import MatchTable, Worths
from domain.table.decide import NO_DICE, decide, initial_state
from domain.table.evolve import evolve_all
from domain.table.state import State

PPM = Fraction(1, 10**6)
Dice = Mapping[Seat, tuple[Face, ...]]


class Laid:
    """A dealer who knows the dice that lie there, and proves nothing."""

    number = 0

    def __init__(self, dice: Dice) -> None:
        self.dice = dice

    def value(self, cup: int, _roll: int, slot: int, _m: int) -> int:
        return self.dice[cup][slot] - 1

    def open(self, cup: int, roll: int, slots: Any, m: Any) -> events.Revealed:
        values = tuple((slot, self.value(cup, roll, slot, 6)) for slot, _ in zip(slots, m, strict=True))
        return events.Revealed(0, cup, roll, (), (), (), values)

    seal_of = NO_DICE.seal_of
    unseal = NO_DICE.unseal


class Oracle:
    """W by the law of section 6.2, in fractions: everybody plays level 1, and the dice are these."""

    def __init__(self, table: MatchTable, dice: Dice) -> None:
        self.table = table
        self.dice = dice
        self.known: dict[Any, Worths] = {}

    def worth(self, state: State) -> Worths:
        now = state.round
        key = (now.standing, now.opening, now.doubters, state.turn)
        if key not in self.known:
            self.known[key] = self.mean(state)
        return self.known[key]

    def mean(self, state: State) -> Worths:
        assert state.turn is not None
        weighing = weigh(Sight(state, state.turn, {state.turn: self.dice[state.turn]}), LEVEL_ONE)
        sums = [Fraction(0)] * len(state.seats)
        for option in weighing.options:
            for place, worth in enumerate(self.after(state, option.command)):
                sums[place] += worth * option.weight * Fraction(1, weighing.total)
        return tuple(sums)

    def after(self, state: State, command: commands.Play) -> Worths:
        happened = decide(state, command, Laid(self.dice))
        then = evolve_all(state, happened)
        return (
            self.table.worths(then) if any(isinstance(each, events.Judged) for each in happened) else self.worth(then)
        )


def small(game: str, options: dict[str, Any], faces: int, **changes: Any) -> Rules:
    """Return the rules of a game with fewer faces and dice, so that every course of a round can be played."""
    rules = rules_of(game, options)
    return replace(rules, tokens=OwnCups(2, Faces(1, faces)), **changes)


def opened(rules: Rules, dice: Dice) -> tuple[State, State]:
    """Return the game before a round with these dice, and in it."""
    before = initial_state(rules, tuple(dice), starter=min(dice))
    if rules.match.unit == "die":
        before = replace(before, balances={"die": {seat: len(hand) for seat, hand in dice.items()}})
    rolled = [events.Rolled(0, seat, 0, tuple(range(len(hand))), (6,) * len(hand)) for seat, hand in dice.items()]
    return before, evolve_all(before, [events.RoundOpened(1, min(dice)), *rolled])


PERUDO = {"bid_aces": "half_double", "spot_on": True, "spot_on_win": "regain", "dice_per_player": 2}
WAGER = {"elimination": "none", "stakes": "per_round", "wager": 3, "spot_on": True}
DRINKS = {"elimination": "none", "drinks": {"basis": "difference"}, "challenge_by": "anyone"}
TWO: Dice = {1: (2, 3), 2: (3, 3)}
THREE: Dice = {1: (1, 3), 2: (2,), 3: (2, 3)}
CASES: dict[str, tuple[Rules, Dice]] = {
    "one die against two": (small("common_hand", {}, 3), {1: (2,), 2: (1, 3)}),
    "ones never wild": (small("common_hand", {"wild": "never"}, 3), TWO),
    "the opening decides what is wild": (small("common_hand", {"wild": "unless_opened"}, 3), THREE),
    "every number higher": (small("common_hand", {"system": "highest_number"}, 4), {1: (4,), 2: (3,)}),
    "the face first": (small("common_hand", {"system": "face_first"}, 3), THREE),
    "neither number lower": (small("common_hand", {"system": "no_decrease"}, 3), TWO),
    "the product": (small("common_hand", {"system": "product"}, 3), TWO),
    "half of them for ones, and spot on": (small("common_hand", PERUDO, 3), THREE),
    "all others lose by spot on": (small("common_hand", {"spot_on": True}, 3), THREE),
    "a natural die": (small("boss_liars", {"challenge_by": "next"}, 3), TWO),
    "all have to doubt": (small("boss_liars", {"mode": "all_challenge"}, 3), THREE),
    "all doubt, or one says spot on": (small("boss_liars", {}, 3, doubt=Doubt("all", spot_on=True)), THREE),
    "a wager": (small("common_hand", WAGER, 3), THREE),
    "drinks by the difference": (small("common_hand", DRINKS, 3), THREE),
    "nothing at stake": (small("common_hand", {"elimination": "none"}, 3), TWO),
    "winners open": (small("boss_liars", {"next_starter": "winner", "stakes": "drinks", "wild": "never"}, 3), THREE),
}


def positions(state: State) -> Iterator[tuple[State, tuple[commands.Play, ...]]]:
    """Yield the opening, and what follows the first few of its claims."""
    yield state, ()
    assert state.turn is not None
    for claim in (Count(1, 2), Count(1, 3), Count(2, 3)):
        asked = commands.Bid(state.turn, claim.quantity, claim.face)
        yield evolve_all(state, decide(state, asked, NO_DICE)), (asked,)


@pytest.mark.parametrize("name", CASES)
def test_a_round_is_worth_what_playing_every_course_of_it_gives(name: str) -> None:
    rules, dice = CASES[name]
    before, state = opened(rules, dice)
    assert folds(state)
    table = MatchTable(before)
    bidding, oracle = bidding_of(state, LevelOne(LEVEL_ONE)), Oracle(table, dice)
    stakes = stakes_by(bidding, table)
    deal = [bidding.hand_of(place, dice[seat]) for place, seat in enumerate(bidding.seats)]
    seats = tuple(range(len(bidding.seats)))
    for then, claims in positions(state):
        asked = Questions((Position(bidding.node_of(then), 0 if claims else len(seats) - 1),), (), seats)
        found = [stakes.worth(share) for (share,) in fold_back(stakes, [deal], asked)[0]]
        expected = oracle.worth(then)
        assert all(
            abs(one - two) <= PPM * max(Fraction(1), stakes.range) for one, two in zip(found, expected, strict=True)
        ), name


@pytest.mark.parametrize(
    ("order", "dice", "endless"),
    [("product", 6, True), ("face_first", 6, True), ("quantity_first", 6, False), ("face_first", 1, False)],
)
def test_a_round_in_which_bids_may_come_round_to_one_before_is_not_folded(
    order: Any, dice: int, *, endless: bool
) -> None:
    rules = rules_of("common_hand", {"dice_per_player": dice})
    rules = replace(rules, claims=Counting(order, wild="never", aces="half_double"))
    _, state = opened(rules, {1: (2,) * dice, 2: (3,) * dice})
    assert folds(state) is not endless
