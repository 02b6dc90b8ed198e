"""Passed cups judged that fold: as the maker of the tablebase says of the same play, with sums that hold."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any, Final

import pytest

from domain import commands
from domain.analysis.record.following import follow
from domain.analysis.worths.blind import CupWorths, cup_stakes
from domain.analysis.worths.passed import CupVerdicts
from domain.strategy.duels.blind_cup import BlindCup, lowest_after
from domain.strategy.duels.tablebase import Facing, Tablebase
from domain.strategy.folding.passed_cups import cup_fold_of
from domain.strategy.level_one.thinking import weigh
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.rollouts import ScriptedDealer
from domain.strategy.sight import Sight
from domain.strategy.tables import MatchTable, Worths
from domain.table.decide import decide
from domain.table.state import PASSED_CUP, State
from tests.analysis.played import secretless
from tests.analysis.test_blind_cup import MIA, Options, mia
from tests.analysis.test_documents import document
from tests.analysis.test_passed_cups import CUPS, dealt, did, every_throw
from tests.domain.truth_oracle import Course, played_out

STEPS: Final = 60


# ---- makers of worths ----------------------------------------------------------------------------


class LevelledCup(BlindCup, frozen=True):
    """A blind cup that is played otherwise than its tablebase says."""

    answers: tuple[Facing, ...] = ()

    @property
    def base(self) -> Tablebase:
        """The same throws, with what is made of them."""
        return Tablebase(self.answers, MIA.base.chances)


@cache
def levelled() -> LevelledCup:
    """Return the cup in which both seats play as level 1 does: what that makes of each claim, asked of it."""
    start, throws = dealt(mia(Options()), 2), every_throw(mia(Options()))
    ladder, answers = MIA.throw.ladder, []
    doubts = []
    for hand in ladder.hands:
        heard = did(start, commands.ClaimHand(1, hand.shape, hand.faces))
        options = weigh(Sight(heard, 2), LEVEL_ONE).options
        total = sum([option.weight for option in options])
        doubts.append(Fraction(sum([o.weight for o in options if isinstance(o.command, commands.Challenge)]), total))
    for lowest in range(len(ladder.hands)):
        state, seat = start, 1
        if lowest:
            below = ladder.hands[lowest - 1]
            seat = 2
            state = did(start, commands.ClaimHand(1, below.shape, below.faces), commands.Accept(2), commands.Roll(2))
        rows = dict.fromkeys(range(-1, len(ladder.hands)), (Fraction(0),) * (len(ladder.hands) - lowest))
        for dice in throws:
            options = weigh(Sight(state, seat, {PASSED_CUP: dice}), LEVEL_ONE).options
            total = sum([option.weight for option in options])
            weights = {MIA.rungs_of([called])[0]: o.weight for o in options for called in asked_of(state, o.command)}
            rows[MIA.rung_of(dice)] = tuple(
                [Fraction(weights.get(rung, 0), total) for rung in range(lowest, len(ladder.hands))]
            )
        answers.append(Facing(Fraction(0), Fraction(0), tuple(doubts[lowest:]), tuple(rows.values())))
    return LevelledCup(MIA.faces, MIA.ladder, tuple(answers))


def asked_of(state: State, command: commands.Play) -> list[Any]:
    return list(decide(state, command, ScriptedDealer({}, b"any")))


def test_what_the_maker_of_the_tablebase_says_of_level_one_is_what_folding_back_says() -> None:
    rules = mia(Options(lives=3))
    state, throws = dealt(rules, 2), every_throw(rules)
    table, fold = MatchTable(state), cup_fold_of(rules, 2, LEVEL_ONE)
    cup, verdicts = levelled(), CupVerdicts(state, fold, table)
    worths = CupWorths(cup, cup_stakes(state, cup, table))
    near = Fraction(1, 10**8)

    def compare(folded: dict[int, Fraction], told: Worths) -> None:
        assert abs(folded[1] - told[0]) < near
        assert abs(folded[2] - told[1]) < near

    # Fractions of level 1 grow with every claim that is left.
    for claim in (13, 16, 20):
        hand = cup.throw.ladder.hands[claim]
        heard = did(state, commands.ClaimHand(1, hand.shape, hand.faces))
        for dice in throws:
            holds = cup.rung_of(dice) >= claim
            compare(verdicts.brought(fold.endings(heard, {dice: 1})), worths.after_claim(0, 0, claim, holds=holds))
        if claim < cup.top:
            thrown = did(heard, commands.Accept(2))
            compare(
                verdicts.brought(fold.endings(thrown, fold.whatever)), worths.before_throw(lowest_after([claim]), 1)
            )


# ---- what is told --------------------------------------------------------------------------------


@cache
def lines_of_cup(name: str, seed: int) -> tuple[bytes, ...]:
    game, seats, options = CUPS[name]
    course = Course(options, seats, f"cup{seed}", game, pause_ms=0, deal_per="match")
    course.start()
    return tuple(played_out(course, seed, STEPS).lines)


@cache
def told(name: str, seed: int = 1) -> dict[str, Any]:
    return document(follow(lines_of_cup(name, seed)))


@pytest.mark.parametrize("name", CUPS)
def test_nothing_of_a_cup_that_folds_is_estimated(name: str) -> None:
    found = told(name)
    weighed = [event for event in found["events"] if "equity" in event]
    assert any("decision" in event for event in weighed)
    assert not any("reason" in each for each in found["rounds"])
    assert "sampled" not in str(found["events"])
    for event in weighed:
        # What a verdict leads to is told seat by seat.
        if found["worth"]["kind"] == "match" and event["type"] != "game.challenged":
            figures = [event["equity"]["public"], event["equity"]["all"]]
            assert {sum([figure[0] for figure in each.values()]) for each in figures} == {1_000_000}
        decision = event.get("decision")
        if decision is not None:
            # All that level 1 thinks of is weighed; options behind the twelve best are told by nobody.
            assert sum([option["weight"][0] for option in decision["options"]]) <= 1_000_003
            assert decision["surprise"][1] == "model"
            assert decision["loss"][0] >= 0
    for seat in found["seats"]:
        parts = sum([seat["luck"][part][0] for part in ("table", "own", "theirs", "skill", "unseen", "others")])
        assert seat["luck"]["end"][0] - seat["luck"]["start"][0] == parts


def test_who_has_looked_knows_what_a_challenge_brings() -> None:
    course = Course({"order": "numeric", "lives": 1}, 2, "both", "two_dice_pass", pause_ms=0, deal_per="match")
    course.start()
    state = course.match.table
    assert state is not None
    seat = state.turn
    assert seat is not None
    first, second = state.ladder.hands[0], state.ladder.hands[-2]
    for command in (
        commands.Roll(seat),
        commands.ClaimHand(seat, first.shape, first.faces),
        commands.Accept(3 - seat),
        commands.ClaimHand(3 - seat, second.shape, second.faces),
        commands.Challenge(seat),
    ):
        course.do(command)
    course.go_on()
    found = document(follow(course.lines))
    doubt = next(event["decision"] for event in found["events"] if event["type"] == "game.challenged")
    assert doubt["tag"] in {"best", "good"}
    assert doubt["challenge"]["odds"][:2] == [1_000_000, "exact"]
    assert doubt["options"][doubt["played"]]["q"][0] == 1_000_000
    # The public took it for less certain.
    assert doubt["surprise"][0] < 1_000_000


@pytest.mark.parametrize("name", ["blind, three", "looked at, all thrown or none"])
def test_dice_that_no_line_opens_are_not_told(name: str) -> None:
    found = document(follow(secretless(lines_of_cup(name, 1))))
    weighed = [event for event in found["events"] if "equity" in event]
    assert any(event["equity"]["all"] == "not_shown" for event in weighed)
    for event in weighed:
        assert event["equity"]["public"]
        if event["equity"]["all"] == "not_shown" and event["type"] in {"game.called", "cup.rolled"}:
            assert str(event["seat"]) not in event["equity"]["seat"]
