"""Passed cups folded back: rounds end as often so as when they are played on, and what does not fold says why."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any, Final

import pytest
from msgspec.structs import replace

from domain import commands
from domain.games import rules_of
from domain.rules.rules import Doubt, Rules
from domain.strategy.chance import Words
from domain.strategy.folding.cup_dice import cup_dice, cup_folds, why_unfolded
from domain.strategy.folding.passed_cups import PART_BITS, SHARE_BITS, cup_fold_of
from domain.strategy.hands import all_hands
from domain.strategy.level_one.thinking import drawn
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.rollouts import Rollout, ScriptedDealer, profiles
from domain.table.decide import decide, initial_state
from domain.table.evolve import evolve_all
from domain.table.state import PASSED_CUP, State
from tests.sizes import cases

Faces = tuple[int, ...]
PLAYED: Final = cases(400, 5_000)
CUPS: Final[dict[str, tuple[str, int, dict[str, Any]]]] = {
    "blind, two": ("mexican", 2, {}),
    "blind, three": ("mexican", 3, {}),
    "blind, four, one may be named": ("mexican", 4, {"forty_one": "impose"}),
    "looked at, all thrown or none": ("two_dice_pass", 3, {}),
    "looked at, two who both know": ("two_dice_pass", 2, {"order": "numeric"}),
    "looked at, some thrown": ("six_six_six", 3, {"dice": 2}),
    "looked at, ones wild unless named": ("beat_this", 2, {}),
}
"""A cup of each sort, by its game, seats and options."""


def dealt(rules: Rules, seats: int) -> State:
    """Return a round in which the first seat has thrown."""
    state = initial_state(rules, tuple(range(1, seats + 1)), 1)
    return did(state, commands.Roll(1))


def did(state: State, *made: commands.Play) -> State:
    """Return a round after some moves, whatever dice fall."""
    dealer = ScriptedDealer({}, b"any")
    for command in made:
        state = evolve_all(state, decide(state, command, dealer))
    return state


def every_throw(rules: Rules) -> dict[Faces, int]:
    hands = all_hands(rules.tokens.dice, rules.tokens.faces)
    return dict(zip(hands.hands, hands.ways, strict=True))


@pytest.mark.parametrize("name", CUPS)
def test_a_round_ends_as_often_so_as_it_does_when_it_is_played_on(name: str) -> None:
    game, seats, options = CUPS[name]
    rules = rules_of(game, options)
    state, throws = dealt(rules, seats), every_throw(rules)
    words, found = Words(name.encode()), Counter[tuple[bool | None, int]]()
    for profile in profiles({PASSED_CUP: throws}, words, PLAYED):
        over = Rollout(state, profile, words.word().to_bytes(8, "big")).play(
            lambda sight, word: drawn(sight, LEVEL_ONE, word)
        )
        assert over.last is not None
        assert over.last.claimant is not None
        found[over.last.holds, over.last.claimant] += 1
    told = Counter[tuple[bool | None, int]]()
    endings = cup_fold_of(rules, seats, LEVEL_ONE).endings(state, throws)
    for each in endings:
        told[each.end.holds, each.seat] += each.share
    whole = sum(told.values())
    # Each mean is cut, so that what is left out is less than anybody prints.
    assert 0 <= 1 - Fraction(whole, sum(throws.values()) << SHARE_BITS) < Fraction(1, 1 << 40)
    assert found.keys() <= told.keys()
    for end, share in told.items():
        chance = Fraction(share, whole)
        apart = Fraction(found[end], PLAYED) - chance
        # Four deviations, of which one in 16,000 is more.
        assert apart * apart <= 16 * chance * (1 - chance) / PLAYED, end


# ---- what folds ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("game", "options", "why"),
    [
        ("mexican", {"ties_allowed": True}, "claims on the cup need not rise"),
        ("mexican", {"claim_check": "next_player"}, "claims on the cup need not rise"),
        ("finska", {}, "dice may lie beside the cup"),
        ("stanford", {}, "dice may lie beside the cup"),
        ("six_six_six", {"dice": 4}, "the cup has too many throws to go through"),
    ],
)
def test_a_cup_that_does_not_fold_says_why(game: str, options: dict[str, Any], why: str) -> None:
    rules = rules_of(game, options)
    assert not cup_folds(rules)
    assert why_unfolded(rules) == why


def test_nothing_is_said_of_what_folds_and_of_what_is_no_passed_cup() -> None:
    assert {why_unfolded(rules_of(game, options)) for game, _, options in CUPS.values()} == {""}
    assert why_unfolded(rules_of("common_hand", {})) == ""
    assert not cup_folds(rules_of("common_hand", {}))


def test_a_law_that_nobody_has_foreseen_is_not_folded() -> None:
    assert not cup_folds(replace(rules_of("two_dice_pass", {}), doubt=Doubt(who="all")))


def test_dice_are_told_apart_only_where_it_matters() -> None:
    assert len(cup_dice(rules_of("mexican", {})).samples) == 21
    assert len(cup_dice(rules_of("six_six_six", {})).samples) == 56
    beat = cup_dice(rules_of("beat_this", {}))
    assert len(beat.samples) < len(beat.kinds) == 252
    for hand, kind in beat.kinds.items():
        assert beat.kinds[beat.samples[kind]] == kind, hand


def test_only_claims_answers_and_throws_are_told_apart() -> None:
    rules = rules_of("mexican", {})
    with pytest.raises(AssertionError, match="no other moves"):
        cup_fold_of(rules, 2, LEVEL_ONE).deed_of(dealt(rules, 2), commands.Catch(1), (1, 2))


def test_moves_are_as_likely_as_level_one_makes_them() -> None:
    rules = rules_of("six_six_six", {"dice": 2})
    fold = cup_fold_of(rules, 3, LEVEL_ONE)
    low = dealt(rules, 3).ladder.hands[3]
    state = did(dealt(rules, 3), commands.ClaimHand(1, low.shape, low.faces), commands.Accept(2))
    whole = 0
    for made in ({(): 0}, {(0,): 1}, {(0, 1): 2}):
        whole += sum([fold.likelihood(state, commands.Arrange(2, roll_inside=rolled), (2, 5)) for rolled in made])
    calls = [commands.ClaimHand(2, hand.shape, hand.faces) for hand in state.ladder.hands[4:]]
    whole += sum([fold.likelihood(state, call, (2, 5)) for call in calls])
    assert whole == 1 << PART_BITS
