"""Level 2 where claims name hands: every worth beside the sum that defines it, and games won by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any, Final

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.games import rules_of
from domain.ids import Face, Seat
from domain.rules.ladders import Hand
from domain.rules.rules import Handling, OwnCups, Rules, Rungs, SharedCup
from domain.strategy.level_one import thinking as level_one
from domain.strategy.level_one.hands import rungs_thought_of
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.level_two import hands as level_two
from domain.strategy.level_two.call_prospects import CallProspects
from domain.strategy.level_two.thinking import weigh
from domain.strategy.sight import Sight
from domain.table.checks import lowest_rung
from domain.table.decide import evolve
from domain.table.interludes import chase
from domain.table.places import Die
from domain.table.state import State
from tests.analysis.read_games import ReadGame
from tests.analysis.sights import hidden_faces
from tests.domain.test_fifteenth import name as fifteenth
from tests.domain.test_five_aces import ACES, dealt

__all__ = ["fifteenth"]
FINE: Final = Fraction(1, 10**9)
"""Worths are integers of 48 bits inside."""
OWN: Final = replace(
    rules_of("individual_hand", {}),
    tokens=OwnCups(3),
    claims=Rungs("digits"),
    handling=Handling(law="any_hidden", limit=1, last_forces=True),
)


def small(name: str, **changes: Any) -> Rules:
    return replace(rules_of(name, {}), **changes)


# ---- the sums that define it --------------------------------------------------------------------


def called(state: State, seat: Seat, rung: int) -> State:
    """Return the game after a call, whatever the dice are."""
    hand = state.ladder.hands[rung]
    return evolve(state, events.HandClaimed(seat, hand.shape, hand.faces, beats=True))


def doubt(state: State, lists: dict[tuple[Face, ...], int] | None = None) -> Fraction:
    """Return how likely whoever is in turn is to doubt, the mean over the hands it may hold."""
    seat = state.turn or 0
    found = Fraction(0)
    for hand, chance in (lists or {(): 1}).items():
        weighing = level_one.weigh(Sight(state, seat, {seat: hand} if hand else {}), LEVEL_ONE)
        share = weighing.share(commands.Challenge(seat))
        found += Fraction(share.weight, share.total) * chance
    return found / sum((lists or {(): 1}).values())


def best_call(state: State, seat: Seat, dice: Iterable[Face], doubted: Callable[[State], Fraction] = doubt) -> Fraction:
    """Return what the best call of a seat that holds these dice is worth."""
    first, turns = state.rules.tokens.faces.first, Fraction(len(state.remaining) - 1, len(state.remaining))
    made, worths = state.ladder.measure([face - first for face in dice]), []
    for rung in rungs_thought_of(made, lowest_rung(state), state.ladder.top, LEVEL_ONE):
        by = doubted(called(state, seat, rung))
        worths.append((by if made >= rung else 0) + (1 - by) * turns)
    return max(worths, default=Fraction(0))


def near(found: Fraction, expected: Fraction) -> bool:
    return abs(found - expected) <= FINE


# ---- calls and doubts ---------------------------------------------------------------------------


def test_a_call_is_worth_being_true_where_it_is_doubted_and_a_turn_where_it_is_not() -> None:
    game = ReadGame({}, 3, "calls", "two_dice_pass")
    game.do(commands.Roll(1))
    dice = hidden_faces(game.state, game.state.places[255], game.dealer)
    made = game.state.ladder.measure([face - 1 for face in dice])
    worths = game.worths(1)
    for command, worth in worths.items():
        assert isinstance(command, commands.ClaimHand)
        rung = game.state.ladder.rungs[Hand(command.shape, command.faces)]
        by = doubt(called(game.state, 1, rung))
        assert near(worth, (by if made >= rung else 0) + (1 - by) * Fraction(2, 3))
    assert len(worths) > 1


def test_a_doubt_is_worth_what_reading_leaves_of_the_claim() -> None:
    game = ReadGame({}, 2, "doubts", "two_dice_pass")
    game.do(commands.Roll(1))
    game.do(commands.ClaimHand(1, "score", (6, 4)))
    standing = game.state.round.standing
    assert standing is not None
    truth = game.reader.chance_of(game.state, standing, 1, 2)
    assert near(game.worths(2)[commands.Challenge(2)], 1 - truth)


def test_whoever_handed_the_cup_on_untouched_knows_what_is_called_in_it() -> None:
    game = ReadGame({}, 2, "known", "two_dice_pass")
    game.do(commands.Roll(1))
    game.do(commands.ClaimHand(1, "score", (2, 1)))
    game.do(commands.Accept(2))
    dice = hidden_faces(game.state, game.state.places[255], game.dealer)
    made = game.state.ladder.measure([face - 1 for face in dice])
    for command, worth in game.worths(2).items():
        if isinstance(command, commands.ClaimHand):
            rung = game.state.ladder.rungs[Hand(command.shape, command.faces)]
            after = called(game.state, 2, rung)
            weighing = level_one.weigh(Sight(after, 1, {255: dice}), LEVEL_ONE)
            share = weighing.share(commands.Challenge(1))
            by = Fraction(share.weight, share.total)
            assert near(worth, (by if made >= rung else 0) + (1 - by) / 2)


def test_in_cups_of_their_own_the_answer_is_a_mean_over_what_the_answerer_may_hold() -> None:
    game = ReadGame({}, 2, "own", "individual_hand", OWN)
    game.deal_if_due()
    game.do(commands.ClaimHand(1, "score", (3, 2, 1)))
    lists = dict(game.reader.hands(1, 2))
    assert len(lists) == 56, "all are gone through"
    dice = hidden_faces(game.state, game.state.places[2], game.dealer)
    expected = best_call(game.state, 2, dice, lambda after: doubt(after, lists))
    best = max(worth for command, worth in game.worths(2).items() if isinstance(command, commands.ClaimHand))
    assert near(best, expected)


def test_a_last_throw_that_forces_the_verdict_is_worth_a_doubt() -> None:
    game = ReadGame({}, 2, "forced", "individual_hand", OWN)
    game.deal_if_due()
    game.do(commands.ClaimHand(1, "score", (6, 6, 1)))
    worths = game.worths(2)
    thrown = [worth for command, worth in worths.items() if isinstance(command, commands.Arrange)]
    assert thrown
    assert {*thrown} == {worths[commands.Challenge(2)]}


# ---- believing, and handling --------------------------------------------------------------------


def test_believing_blind_is_worth_the_mean_of_the_best_call_over_fresh_dice() -> None:
    game = ReadGame({}, 2, "blind", "mexican")
    game.do(commands.Roll(1))
    game.do(commands.ClaimHand(1, "score", (5, 4)))
    after = evolve(game.state, events.Accepted(2))
    after = evolve(after, events.Rolled(0, 255, after.rolls[255], (0, 1), (6, 6)))
    worths = [best_call(after, 2, dice) for dice in product(range(1, 7), repeat=2)]
    assert near(game.worths(2)[commands.Accept(2)], sum(worths, Fraction(0)) / 36)


def test_believing_with_a_look_is_worth_the_mean_of_the_best_over_what_is_believed() -> None:
    game = ReadGame(
        {}, 3, "look", "two_dice_pass", small("two_dice_pass", handling=Handling(law="all_or_none", limit=0))
    )
    game.do(commands.Roll(1))
    game.do(commands.ClaimHand(1, "score", (5, 4)))
    after = evolve(game.state, events.Accepted(2))
    believed = game.reader.hands(255, 2)
    expected = sum((best_call(after, 2, hand) * chance for hand, chance in believed.items()), Fraction(0))
    assert near(game.worths(2)[commands.Accept(2)], expected / sum(believed.values()))


RULES: Final[dict[str, Rules]] = {
    "any hidden dice": small("six_six_six", tokens=SharedCup(3)),
    "shown, hidden again and rolled": small("finska", tokens=SharedCup(3), claims=Rungs("digits")),
}


@pytest.mark.parametrize("name", RULES)
def test_handling_is_worth_the_mean_of_the_best_call_over_what_is_thrown(name: str) -> None:
    game = ReadGame({}, 3, name, "finska", RULES[name])
    game.do(commands.Roll(1))
    game.do(commands.ClaimHand(1, "score", (4, 4, 1)))
    game.do(commands.Accept(2))
    place = game.state.places[255]
    dice = hidden_faces(game.state, place, game.dealer)
    worths = {command: worth for command, worth in game.worths(2).items() if isinstance(command, commands.Arrange)}

    @cache
    def best(dice: tuple[int, ...], opened: tuple[int, ...]) -> Fraction:
        open_dice = tuple([Die(None, face - 1) for face in opened])
        lies = replace(place, inside=(Die(None),) * (3 - len(opened)), outside=open_dice, knowers=(2,))
        return best_call(replace(game.state, places={255: lies}), 2, dice)

    for command, worth in [*worths.items()][:: max(1, len(worths) // 8)]:
        thrown = {*command.roll_inside, *command.roll_outside}
        kept = [face for at, face in enumerate(dice) if at not in thrown]
        shown = [dice[at] for at in command.outside]
        found = Fraction(0)
        for fresh in product(range(1, 7), repeat=len(thrown)):
            opened = [*shown, *fresh[: len(command.roll_outside)]]
            found += best(tuple(sorted([*kept, *fresh])), tuple(sorted(opened)))
        assert near(worth, found / 6 ** len(thrown)), command
    assert len(worths) > 4


def test_beyond_what_is_gone_through_only_the_lowest_call_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    game = ReadGame({}, 2, "budget", "six_six_six")
    game.do(commands.Roll(1))
    game.do(commands.ClaimHand(1, "score", (4, 4, 1)))
    asked = game.worths(2)[commands.Accept(2)]
    monkeypatch.setattr(level_two, "LOOKED_AT_MAX", 0)
    assert 0 < game.worths(2)[commands.Accept(2)] != asked
    game.do(commands.Accept(2))
    whole = commands.Arrange(2, roll_inside=(0, 1, 2))
    by = doubt(called(game.state, 2, lowest_rung(game.state)))
    made = [game.state.ladder.measure(dice) >= lowest_rung(game.state) for dice in product(range(6), repeat=3)]
    makes = Fraction(sum(made), 216)
    assert near(game.worths(2)[whole], makes + (1 - makes) * (1 - by) / 2)


def test_over_the_top_claim_no_handling_helps() -> None:
    rules = small("six_six_six", tokens=SharedCup(2), handling=Handling(law="any_hidden", limit=2, binds=False))
    game = ReadGame({}, 2, "top", "six_six_six", rules)
    game.do(commands.Roll(1))
    game.do(commands.ClaimHand(1, "score", (6, 5)))
    state = replace(game.state, phase="holding", turn=2)
    after = replace(state, round=replace(state.round, standing=Hand("score", (6, 6))))
    prospects = CallProspects(game.outlook(2), after, (2,))
    assert prospects.best((6, 6), ()) == prospects.lie((6,), ()) == 0


def test_in_a_chase_it_does_as_level_1() -> None:
    game = dealt({(1, 0): (5, 5, 0, 1, 2), (2, 0): ACES})
    reads = ReadGame({}, 2, "chase", "german_liar_dice")
    reads.state, reads.dealer = game.state, game.dealer
    best = max(reads.weigh(1).options, key=lambda option: option.worth)
    assert best.command == commands.Arrange(1, roll_outside=(2, 3, 4))
    assert chase.Stop(1) in reads.worths(1)


def test_who_has_not_seen_its_dice_handles_none() -> None:
    game = ReadGame({}, 2, "unseen", "individual_hand", OWN)
    game.deal_if_due()
    game.do(commands.ClaimHand(1, "score", (3, 2, 1)))
    outlook = replace(game.outlook(2), sight=Sight(game.state, 2))
    asked = {type(option.command) for option in weigh(outlook).options}
    assert asked == {commands.ClaimHand, commands.Challenge}


# ---- games --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mexican", "two_dice_pass"])
def test_it_beats_level_1(name: str) -> None:
    lost: Counter[bool] = Counter()
    for number in range(16):
        game, better = ReadGame({}, 2, f"{name} {number}", name), 1 + number % 2
        for step in range(60):
            if game.state.phase != "finished":
                game.play(step, (better,))
        verdicts = [event for event in game.events if isinstance(event, events.Judged)]
        lost += Counter(verdict.losers == (better,) for verdict in verdicts)
    assert lost[True] * 4 < lost[False] * 3, lost


@pytest.mark.parametrize("name", ["finska", "beat_this"])
def test_it_plays_by_lawful_moves(name: str) -> None:
    game = ReadGame({}, 2, f"{name} lawful", name)
    for step in range(4):
        game.play(step, game.state.seats)
    assert game.state.round_number >= 1


def test_it_plays_games_the_house_does_not_have(fifteenth: str) -> None:
    game = ReadGame({}, 3, fifteenth, fifteenth)
    if isinstance(game.state.rules.claims, Rungs):
        for step in range(4):
            game.play(step, game.state.seats)
        assert game.state.round_number >= 1
