"""Ways to handle dice weighed together before a call, beside the same told apart."""

from __future__ import annotations

from itertools import chain
from typing import Final

import pytest
from msgspec.structs import replace

from domain import commands
from domain.games import rules_of
from domain.rules.rules import Handling, OwnCups, Rules, Rungs, SharedCup
from domain.statistics.odds import THROWS
from domain.strategy.hands import all_hands
from domain.strategy.level_one.arrangements import DiceAfter
from domain.strategy.level_one.kept_table import COLUMNS_MAX, CallAhead, KeptTable
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.reading.thoughts import DeedShare, Thoughts
from domain.table.decide import initial_state
from tests.analysis.sights import played_by_level_one
from tests.domain.seeded import Game

HANDLED: Final = Handling(law="any_hidden", limit=2)
GAMES: Final[dict[str, Rules]] = {
    "a passed cup, dice shown and hidden again": replace(
        rules_of("finska", {}), tokens=SharedCup(3), claims=Rungs("digits")
    ),
    "a passed cup, anything with each die": replace(
        rules_of("stanford", {}), tokens=SharedCup(3), claims=Rungs("digits")
    ),
    "cups of one's own": replace(
        rules_of("individual_hand", {}), tokens=OwnCups(3), claims=Rungs("digits"), handling=HANDLED
    ),
    "ones wild until opened on": replace(rules_of("beat_this", {}), tokens=SharedCup(3), claims=Rungs("kinds")),
    "a verdict that may be forced": replace(
        rules_of("six_six_six", {}), tokens=SharedCup(3), handling=replace(HANDLED, last_forces=True)
    ),
}


@pytest.mark.parametrize("name", list(GAMES))
def test_what_is_weighed_together_is_what_is_weighed_move_by_move(name: str) -> None:
    rules = GAMES[name]
    game, shares = Game({}, 2, name), 0
    game.state = initial_state(rules, (1, 2), 1)
    for state in played_by_level_one(game, 14):
        seat = state.turn
        place = None if seat is None else state.place_of(seat)
        if seat is None or place is None or seat not in place.knowers or not place.inside:
            continue
        told, whole = (Thoughts(state, seat, place.cup, LEVEL_ONE) for _ in range(2))
        hands = all_hands(len(place.inside), rules.tokens.faces).hands[::9]
        deeds = {*chain.from_iterable(told.of(hand).weights for hand in hands), commands.Pass(seat)}
        deeds |= {rolled_openly(deed) for deed in deeds if isinstance(deed, DiceAfter) and deed.roll_inside}
        for hand in hands:
            thought = told.of(hand)
            for deed in deeds:
                expected = DeedShare(thought.weights.get(deed, 0), thought.total, len(thought.weights))
                assert whole.share(hand, deed) == expected
                shares += 1
    assert shares


def rolled_openly(result: DiceAfter) -> DiceAfter:
    """Return the same with a die more rolled for all to see, which the law may forbid."""
    return replace(result, roll_inside=result.roll_inside - 1, roll_outside=result.roll_outside + 1)


def test_dice_that_may_not_be_handled_say_nothing_of_a_handling() -> None:
    game = Game({"rerolls": 0}, 2, game="german_liar_dice")
    game.deal_if_due()
    thoughts = Thoughts(game.state, 1, 1, LEVEL_ONE)
    assert thoughts.share((9, 9, 10, 11, 12), DiceAfter((9, 9), (), 3, 0)).weight == 0


def test_calls_are_forgotten_when_there_are_too_many() -> None:
    table, throw = KeptTable(), THROWS["six_six_six"]
    first = table.column(CallAhead(throw, 0, 3), LEVEL_ONE)
    assert table.column(CallAhead(throw, 0, 3), LEVEL_ONE) is first
    for rung in range(1, COLUMNS_MAX + 1):
        table.column(CallAhead(throw, rung, 3), LEVEL_ONE)
    assert table.column(CallAhead(throw, 0, 3), LEVEL_ONE) is not first
