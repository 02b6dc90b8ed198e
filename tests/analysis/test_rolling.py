"""Rounds that do not fold, judged by rollouts: near what is enumerated, blunders told, and the same bytes again."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from domain import commands, events
from domain.analysis.joining import analysis_of
from domain.analysis.judges.doings import command_of, doings_of
from domain.analysis.record.following import FollowedRecord, FollowedRound, follow
from domain.analysis.report import written
from domain.analysis.worths.equity import public_worths
from domain.analysis.worths.rolled import RolledScene, RolloutMeans, rolled_moment, rollouts_of
from domain.analysis.worths.scenes import Sampling, Scene
from domain.errors import Refused
from domain.ids import CupId, Face, Seat
from domain.strategy.folding.verdicts import SettledVerdicts
from domain.strategy.level_one.thinking import drawn
from domain.strategy.level_params import LEVEL_ONE
from domain.strategy.sight import Sight
from domain.table.interludes.cocked import Look, ShowCocked
from domain.table.places import Die
from services.analysis.making import WantedAnalysis, means_for
from tests.analysis.played import lines_of, secretless
from tests.analysis.test_documents import SHELF, WANTED, document, whole
from tests.analysis.test_equity import scene_of
from tests.analysis.test_fold_back import TWO, small
from tests.domain.truth_oracle import Course

PARTS = ("table", "own", "theirs", "skill", "unseen", "others")


def level_one(sight: Sight, word: int) -> commands.Play | None:
    return drawn(sight, LEVEL_ONE, word)


def test_a_moment_is_played_on_for_a_share_of_the_samples() -> None:
    assert (rollouts_of(64), rollouts_of(512), rollouts_of(65_536)) == (4, 10, 1_365)


# ---- beside what is enumerated --------------------------------------------------------------------


def rolled_scene(folded: Scene, samples: int) -> RolledScene:
    """Return the same moment, to be played on."""
    beliefs, verdicts = folded.beliefs, folded.stakes.verdicts
    assert isinstance(verdicts, SettledVerdicts)

    def hands(cup: CupId, _seat: Seat | None) -> dict[tuple[Face, ...], int]:
        return dict(zip(beliefs[cup].hands.hands, beliefs[cup].chances, strict=True))

    by = RolloutMeans(level_one, verdicts.table, Sampling("head", "level1@0", samples))
    reach = dict.fromkeys((1, 2), (Fraction(0), Fraction(1)))
    return RolledScene(folded.state, folded.version, (1, 2), TWO, {}, hands, by, reach)


def test_a_moment_played_on_is_near_what_folding_back_makes_of_it() -> None:
    folded = scene_of(small("common_hand", {"wild": "never"}, 2), TWO, (1, 2))
    rolled = rolled_moment(rolled_scene(folded, 8_192)).worth
    for seat, exact in public_worths(folded).items():
        found = rolled.public[seat]
        assert found.half is not None
        # One interval in twenty does not cover; none is off by twice its half.
        assert abs(found.value - exact.value) <= 2 * found.half
    assert rolled.all is not None
    assert sum(each.value for each in rolled.all.values()) == 1


def test_dice_that_lie_open_are_in_every_deal() -> None:
    scene = rolled_scene(scene_of(small("common_hand", {"wild": "never"}, 2), TWO, (1, 2)), 64)
    place = scene.state.places[2]
    shown = tuple([Die(die.at, face - 1) for die, face in zip(place.inside, TWO[2], strict=True)])
    opened = replace(place, inside=(), outside=shown)
    seen = replace(scene, state=replace(scene.state, places={**scene.state.places, 2: opened}))
    assert seen.lifted == {1: TWO[1]}
    assert seen.seen_by(2) == {}
    worth = rolled_moment(seen).worth
    assert {seat: each.value for seat, each in worth.seat.items()}.keys() == {1, 2}
    assert worth.seat[2] == worth.public[2], "who knows no more than everybody expects no more"


# ---- what is told ---------------------------------------------------------------------------------


def bluffed(rounds: int, options: dict[str, Any], name: str) -> FollowedRecord:
    """Return a match in which everybody calls the highest hand there is, whatever lies there, and is doubted."""
    course = Course(options, 2, name, "mexican", pause_ms=0, deal_per="match")
    course.start()
    for _ in range(rounds):
        table = course.match.table
        assert table is not None
        seat = table.turn
        assert seat is not None
        course.do(commands.Roll(seat))
        course.do(commands.ClaimHand(seat, "score", (2, 1)))
        course.do(commands.Challenge(3 - seat))
        course.go_on()
    course.do(commands.CloseSession())
    course.go_on()
    return follow(course.lines)


@pytest.mark.parametrize(
    ("options", "name", "guarantee"), [({}, "bluffed", "model"), ({"ties_allowed": True}, "bluffed1", "sampled")]
)
def test_who_bluffs_without_need_blunders(options: dict[str, Any], name: str, guarantee: str) -> None:
    followed = bluffed(4, options, name)
    means = means_for(followed, WantedAnalysis(WANTED.policies), SHELF)
    found = json.loads(written(analysis_of(followed, means)))
    calls = [event for event in found["events"] if event["type"] == "game.called"]
    caught = [event for event in calls if event["outcome"] == "caught"]
    assert caught
    assert len(caught) < len(calls), "one of them did throw it"
    assert [event["decision"]["tag"] == "blunder" for event in calls] == [event in caught for event in calls]
    for event in caught:
        told = event["decision"]
        assert told["loss"][1] == guarantee
        # Where it was played on, it is told only if chance alone has not made it.
        assert told["loss"][0] >= sum(told["loss"][2:])
        assert told["options"][told["played"]]["move"] == {"type": "call", "shape": "score", "faces": [2, 1]}
    doubts = [event["decision"] for event in found["events"] if event["type"] == "game.challenged"]
    # The highest claim of all can only be doubted, where one as high is not enough.
    assert {told["forced"] for told in doubts} == {not options}
    # One throw in eighteen is the highest, and costs the doubter a drink, or nobody.
    assert {told["challenge"]["odds"][2] for told in doubts} == {"-1/18"}
    assert all(seat["loss"][1] == guarantee for seat in found["seats"])
    assert {each.get("reason") for each in found["rounds"]} == {"claims on the cup need not rise" if options else None}


def test_a_roll_is_the_luck_of_who_rolled() -> None:
    found = whole("mexican")
    rolls = [event for event in found["events"] if event["type"] == "cup.rolled" and "decision" in event]
    assert rolls
    assert all(event["decision"]["forced"] for event in rolls)
    assert any(seat["luck"]["theirs"][0] for seat in found["seats"])


def test_dice_that_no_line_opens_are_worth_nothing_to_anybody() -> None:
    found = document(follow(secretless(lines_of("finska"))), (2, 2))
    told = [event for event in found["events"] if "equity" in event]
    assert any(event["equity"]["all"] == "not_shown" for event in told)
    assert all(event["equity"]["public"] for event in told)


def test_a_round_that_no_dice_decided_is_not_judged() -> None:
    followed = follow(lines_of("finska"))
    played = followed.rounds[0]
    assert played.verdict is not None
    cut = tuple([step for step in played.steps if step.version < played.verdict.version])
    voided = replace(followed, rounds=(FollowedRound(played.number, played.starter, cut),))
    found = document(voided)
    assert found["events"]
    assert not any("equity" in event or "decision" in event for event in found["events"])
    assert {seat["loss"] for seat in found["seats"]} == {"no_model"}


def shown_cocked(seed: int) -> Course | None:
    """Return a match whose first seat shows cocked dice and bids, and is doubted; None where none lie cocked."""
    course = Course({"cocked": True}, 2, f"cocked{seed}", "boss_liars", pause_ms=0, deal_per="match")
    course.start()
    table = course.match.table
    assert table is not None
    seat = table.turn
    assert seat is not None
    course.do(commands.ChooseFirst(seat, seat))
    course.do(Look(seat))
    try:
        course.do(ShowCocked(seat))
    except Refused:
        return None
    course.do(commands.Bid(seat, 1, 6))
    course.do(commands.Challenge(3 - seat))
    course.do(commands.Forfeit(seat))
    course.go_on()
    return course


def test_what_only_dice_let_a_seat_do_is_no_decision() -> None:
    course = next(course for seed in range(60) if (course := shown_cocked(seed)) is not None)
    found = document(follow(course.lines))
    told = {event["type"]: event for event in found["events"]}
    assert "decision" not in told["game.cocked_shown"]
    assert told["game.cocked_shown"]["equity"]["all"]
    assert told["game.bid"]["decision"]["tag"]
    for seat in found["seats"]:
        assert seat["luck"]["end"][0] - seat["luck"]["start"][0] == sum(seat["luck"][part][0] for part in PARTS)


# ---- what was asked for ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["finska", "push_and_pass", "stud_liars", "six_six_six"])
def test_what_was_handled_is_told_from_what_lies_there(name: str) -> None:
    doings = [doing for played in follow(lines_of(name)).rounds for doing in doings_of(played)]
    handled = [doing for doing in doings if isinstance(doing.first.event, events.Arranged)]
    assert handled
    for doing in handled:
        event, made = doing.first.event, command_of(doing)
        assert isinstance(event, events.Arranged)
        assert isinstance(made, commands.Arrange)
        assert (len(made.outside), len(made.roll_outside)) == (len(event.outside), event.roll_outside)
        assert len(made.roll_inside) == event.roll_inside


# ---- the same again -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["mexican", "two_dice_pass"])
def test_a_round_alone_is_told_as_it_is_among_all(name: str) -> None:
    followed, every = follow(lines_of(name)), whole(name)
    found = document(followed, (2, 2))
    assert found["rounds"] == every["rounds"][1:2]
    assert found["events"] == [event for event in every["events"] if event["round"] == 2]
