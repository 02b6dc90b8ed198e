"""Numbers that come up again, lies about handled dice, and what a dealer without dice never tells."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.games import rules_of
from domain.table import decide as table
from domain.table.decide import NO_DICE, initial_state
from domain.table.judging import new_verdict
from domain.table.settling import first_postings
from tests.domain.playing import Played
from tests.domain.swapped_dice import OtherDealer, Watched
from tests.domain.test_lies import Record, changed, first, judged

# ---- numbers that were played before ------------------------------------------------------------


def the_same_again(where: tuple[int, int, int, int], m: int, real: int) -> int:
    """Deal the numbers of the first deal all alike, however often they are rolled; letters are left to chance."""
    deal, cup, _, slot = where
    return (cup + slot) % m if deal == 0 and cup else real


def test_a_number_that_comes_up_again_ends_the_deal_and_another_deal_has_others() -> None:
    played = Watched({}, 2, game="dollar_bill", pause_ms=0)
    played.under = lambda real: OtherDealer(real, the_same_again)
    played.start()
    assert played.table.turn is not None
    played.do(commands.Bid(played.table.turn, 1, 2))
    played.do(commands.Challenge(played.table.turn))
    (closed,) = played.do(commands.Advance(played.chance())).events
    assert isinstance(closed, events.DealClosed), "no round was opened with a bill that was used"
    played.go_on()
    assert (played.table.round_number, played.table.phase, played.match.deals) == (2, "claiming", 2)


# ---- lies about dice that were handled ----------------------------------------------------------


@pytest.fixture(scope="module")
def handled() -> Record:
    """Return a record with a sealed choice, and dice that were shown and taken up again."""
    played = Played({"rerolls": 2}, 2, game="stanford", pause_ms=0)
    played.start()
    state = played.match.table
    assert state is not None
    assert state.turn is not None
    opener, other = state.turn, 3 - state.turn
    for command in (
        commands.Roll(opener),
        commands.ClaimHand(opener, "pair", (1, 5, 4, 3, 2)),
        commands.Accept(other),
        commands.Arrange(other, outside=(0, 1), roll_inside=(2, 3)),
        commands.Arrange(other, inside=(4,), roll_inside=(0,)),
        commands.ClaimHand(other, "six", (6,)),
        commands.Challenge(opener),
        commands.CloseSession(),
    ):
        played.do(command)
    return [json.loads(line) for line in played.lines]


def test_the_truth_about_handled_dice_is_accepted(handled: Record) -> None:
    assert judged(handled).line is None
    assert judged(handled).upto == len(handled)


@pytest.mark.parametrize(
    "lie",
    [
        {"choice": "00" * 32},
        {"choice": None},
        {"outside": [[0, 99], [0, 1]]},
        {"outside": [[0, 0]]},
        {"taken": [[0, 5]]},
        {"roll_inside": 3},
        {"cup": 1},
        {"seat": 9},
    ],
)
def test_a_lie_about_handled_dice_is_found_where_it_is_told(handled: Record, lie: dict[str, Any]) -> None:
    record, line = changed(handled, first(handled, "game.arranged"), **lie)
    assert judged(record).line == line


def test_a_lie_about_which_dice_were_rolled_is_found_when_they_are_shown(handled: Record) -> None:
    shown = first(handled, "game.choices_revealed")
    choices = handled[shown]["data"]["choices"]
    record, line = changed(handled, shown, choices=[{**choices[0], "roll_inside": [3, 4]}, *choices[1:]])
    assert judged(record).line == line


# ---- what cannot be lost or told ----------------------------------------------------------------


def test_a_seat_that_leaves_without_a_token_pays_none() -> None:
    state = initial_state(rules_of("finska", {}), (1, 2, 3), 1)
    poor = replace(state, balances={"token": {1: 0, 2: 5, 3: 5}})
    left = replace(new_verdict("forfeit", None, None), losers=(1,))
    assert first_postings(poor, left, 1) == ()
    assert first_postings(state, left, 1) == (events.Posted("token", 1, "pot", 5),)


def test_a_dealer_without_dice_seals_nothing() -> None:
    choice = events.Choice(0, (), (), ())
    assert table.decide(initial_state(rules_of("stanford", {}), (1, 2), 1), commands.CloseSession(), NO_DICE)
    with pytest.raises(AssertionError):
        NO_DICE.seal_of(choice, 1, 0)
    with pytest.raises(AssertionError):
        NO_DICE.unseal("", 1, 0, [choice])
