"""Analyses as documents: valid, the same bytes again, and of every game there is."""

from __future__ import annotations

import json
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from msgspec.structs import replace

from domain import events
from domain.analysis.claims import told_claim
from domain.analysis.joining import analysis_of
from domain.analysis.means import SAMPLES_MIN
from domain.analysis.record.dice import ShownChoices
from domain.analysis.record.following import FollowedRecord, FollowedRound, follow
from domain.analysis.report import written
from domain.fairness.records import split
from domain.log import canonical
from services.analysis.making import CannotAnalyse, WantedAnalysis, means_for
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import Shelf
from tests.analysis.played import EVERY, lines_of, lines_with_clocks, secretless, short_lines_of
from tests.domain.truth_oracle import Course, played_out
from tests.sizes import cases, is_long

SHELF = Shelf()
FEW = 60
"""Lines of a match of many dice."""
WANTED = WantedAnalysis(tuple([SHELF.find(name).policy for name in ("level1", "weighted")]), SAMPLES_MIN)
FIRST = (1, 1)
LONG_ROUNDS = {
    **dict.fromkeys(("liars_poker", "slips", "liars_poker_wizard", "stud_liars", "dollar_bill", "chouette"), FIRST),
    **dict.fromkeys(("finska", "six_six_six", "beat_this"), (1, 2)),
    "stanford": FIRST,
}
"""Which rounds are told of matches that take longest; all of them with `--long`, and of all others."""
KEEPING = {
    **dict.fromkeys(("mucked", "push_and_pass", "mexican", "stud_liars", "individual_hand"), FIRST),
    **dict.fromkeys(("liars_poker", "slips"), FIRST),
    "common_hand": (3, 3),
    "finska": (2, 2),
}
"""Matches told without the secrets of their deals: some of every sort of tokens, handling and reveal.

Each with a round in which dice stay hidden, where it has one; with `--long` all of its rounds are told.
"""
SHOWN = "stud_liars"
"""The one in which all dice are shown."""
SCHEMA = jsonschema_rs.validator_for(json.loads((Path(__file__).parent / "schema.json").read_text(encoding="utf-8")))


def bytes_of(followed: FollowedRecord, rounds: tuple[int, int] | None = None) -> bytes:
    return written(analysis_of(followed, means_for(followed, replace(WANTED, rounds=rounds), SHELF), evaluate))


def document(followed: FollowedRecord, rounds: tuple[int, int] | None = None) -> dict[str, Any]:
    """Return an analysis as whoever reads its bytes has it, which is as the schema says."""
    said = bytes_of(followed, rounds)
    assert said.endswith(b"}\n")
    found: dict[str, Any] = json.loads(said)
    assert canonical.encode_document(found) + b"\n" == said
    assert [str(fault) for fault in SCHEMA.iter_errors(found)] == []
    return found


@cache
def whole(name: str) -> dict[str, Any]:
    """Return the analysis of a match that publishes all its dice, made once for all tests."""
    return document(follow(lines_of(name)), None if is_long() else LONG_ROUNDS.get(name))


@pytest.mark.parametrize("name", EVERY)
def test_a_match_of_every_game_has_a_valid_analysis(name: str) -> None:
    found = whole(name)
    claims = [event for event in found["events"] if "chance" in event]
    assert found["complete"]
    assert claims
    for event in claims:
        # The record of a match that is over opens all its dice: nobody's view is missing, and every claim was one.
        assert event["label"]
        assert event["outcome"]
        assert event["chance"]["all"][0] in {0, 1_000_000}
        seen = event["chance"]["seat"][str(event["seat"])]
        if event["label"] == "true":
            assert (seen[2], event["chance"]["all"][2]) == ("1", "1")
        if event["outcome"] in {"tested", "believed"}:
            assert event["chance"]["all"][2] == "1"
    told = {seat["seat"]: seat for seat in found["seats"]}
    for seat, row in told.items():
        asked = [event for event in found["events"] if event["seat"] == seat and event["type"] != "game.forfeited"]
        assert row["decisions"] + row["forced"] + row["clock"] == len(asked)
        assert sum(row["labels"].values()) == sum("label" in event for event in asked)


@pytest.mark.parametrize("name", KEEPING)
def test_dice_that_were_never_shown_are_not_told(name: str) -> None:
    shown, every = document(follow(secretless(lines_of(name))), None if is_long() else KEEPING[name]), whole(name)
    rounds = [each["round"] for each in shown["rounds"]]
    told = [event for event in every["events"] if event["round"] in rounds]
    assert told
    for some, all_ in zip(shown["events"], told, strict=True):
        if "chance" not in some:
            continue
        # The public figures are the same, since the same was done; whatever else is told is told rightly.
        assert some["chance"]["public"] == all_["chance"]["public"]
        for seat, figure in some["chance"]["seat"].items():
            assert figure in ("not_shown", all_["chance"]["seat"][seat])
        assert some["chance"]["all"] in ("not_shown", all_["chance"]["all"])
        for member in ("label", "after", "outcome", "own", "need", "slack"):
            assert some.get(member) in (None, all_.get(member))
    assert name == SHOWN or any(each["chance"]["all"] == "not_shown" for each in shown["events"] if "chance" in each)


def test_where_hands_of_a_seat_are_drawn_its_own_are_judged_and_others_are_estimated() -> None:
    course = Course({"dice_per_player": 8}, 2, "eight", pause_ms=0, deal_per="match")
    course.start()
    found = document(follow(played_out(course, 3, FEW).lines))
    equities = [event["equity"] for event in found["events"] if "decision" in event and event["type"] == "game.bid"]
    assert {each["public"]["1"][1] for each in equities[:1]} == {"sampled"}
    assert {each["all"]["1"][1] for each in equities} == {"model"}


def test_who_calls_spot_on_is_told_what_bids_there_were() -> None:
    called = [event for event in document(follow(lines_of("spot")))["events"] if event["type"] == "game.spot_on_called"]
    assert called
    for event in called:
        moves = [option["move"] for option in event["decision"]["options"]]
        assert moves[event["decision"]["played"]] == {"type": "spot_on"}
        assert {"type": "bid", "quantity": 2, "face": 6} in moves


def test_chances_of_seats_and_public_are_those_of_a_mean() -> None:
    # What the claimant knows is no more and no less than what the public does not: over all throws the means agree,
    # and a claim that is certain to the public is certain to everybody.
    for name in EVERY:
        for event in whole(name)["events"]:
            chance = event.get("chance")
            if chance is not None and chance["public"][0] in {0, 1_000_000} and len(chance["public"]) == len("abc"):
                certain = Fraction(chance["public"][2])
                if certain in {0, 1}:
                    assert {each[2] for each in chance["seat"].values()} == {str(certain)}


def test_what_the_table_does_for_a_seat_out_of_time_is_no_decision() -> None:
    found = document(follow(lines_with_clocks()))
    assert found["events"]
    assert [(seat["decisions"], seat["forced"]) for seat in found["seats"]] == [(0, 0), (0, 0)]
    assert all(seat["clock"] for seat in found["seats"])


def test_a_record_that_ends_in_a_round_is_analysed_to_the_last_that_is_closed() -> None:
    lines = lines_of("common_hand")
    every = whole("common_hand")
    second = every["rounds"][1]
    cut = document(follow(lines[: second["last"] - 1]))
    assert (cut["complete"], cut["version"]) == (False, second["last"] - 1)
    assert [each["round"] for each in cut["rounds"]] in ([1], [1, 2])
    begun = document(follow(lines[: second["first"] + 4]))
    # Nothing but what everybody saw is known of dice whose deal is not closed.
    assert [each["round"] for each in begun["rounds"]] == [1]
    for early in (every["rounds"][0]["first"], every["rounds"][0]["first"] - 1):
        with pytest.raises(CannotAnalyse, match="no round is over"):
            document(follow(lines[:early]))


def test_the_same_record_gives_the_same_bytes() -> None:
    again = bytes_of(follow(lines_of("common_hand")))
    assert again == canonical.encode_document(whole("common_hand")) + b"\n"
    assert whole("common_hand")["worth"] == {"kind": "match"}
    assert whole("liars_poker")["worth"] == {"kind": "round", "unit": "unit"}


def test_a_claim_that_nothing_came_of_was_tested_by_nobody() -> None:
    played = follow(secretless(lines_of("common_hand"))).rounds[0]
    claimed = next(number for number, step in enumerate(played.steps) if told_claim(step, played))
    broken_off = FollowedRound(played.number, played.starter, played.steps[: claimed + 1])
    told = told_claim(broken_off.steps[claimed], broken_off)
    assert told["outcome"] in {"passed", "believed"}
    assert not broken_off.is_over
    assert broken_off.verdict is None
    dealt = FollowedRound(played.number, played.starter, played.steps[:claimed]).dealt
    assert dealt == broken_off.dealt == broken_off.steps[claimed - 1]


def test_what_nobody_would_think_of_says_nothing_of_dice() -> None:
    found = document(follow(lines_of("cocked", 2)))
    assert all(event["read"] for event in found["events"] if event["type"] == "game.bid")


def test_whoever_reads_a_record_seals_nothing() -> None:
    with pytest.raises(AssertionError):
        ShownChoices(0, {}).seal_of(events.Choice(0, (), (), ()), 1, 5)


def test_a_round_alone_is_told_as_it_is_among_all() -> None:
    followed, every = follow(lines_of("common_hand")), whole("common_hand")
    found = document(followed, (2, 2))
    assert found["rounds"] == every["rounds"][1:2]
    assert found["events"] == [event for event in every["events"] if event["round"] == found["rounds"][0]["round"]]


@pytest.mark.parametrize("name", EVERY)
def test_what_everybody_has_sums_to_the_match(name: str) -> None:
    told = [event["equity"] for event in whole(name)["events"] if "equity" in event]
    assert told
    # Whoever waits for a bout has a share beside those who play.
    match = whole(name)["worth"]["kind"] == "match" and name != "knockout"
    sums = {sum(figure[0] for figure in each[by].values()) for each in told for by in ("public", "all")}
    after = {sum(figure[0] for figure in each["after"].values()) for each in whole(name)["rounds"]}
    # A verdict may be rounded seat by seat, each figure for itself.
    assert not match or all(abs(total - min(sums)) <= len(whole(name)["seats"]) for total in sums | after)


@pytest.mark.parametrize("name", EVERY)
def test_the_parts_of_luck_sum_to_what_a_match_brought(name: str) -> None:
    parts = ("table", "own", "theirs", "skill", "unseen", "others")
    for seed in range(1, cases(1, 1_000) + 1):
        found = whole(name) if seed == 1 else document(follow(short_lines_of(name, seed)))
        told = [seat["luck"] for seat in found["seats"] if seat["luck"] is not None]
        assert told or seed > 1
        for luck in told:
            assert luck["end"][0] - luck["start"][0] == sum(luck[part][0] for part in parts)


@pytest.mark.parametrize("name", EVERY)
def test_no_decision_is_better_than_the_best(name: str) -> None:
    decisions = [event["decision"] for event in whole(name)["events"] if "decision" in event]
    assert decisions
    for each in decisions:
        worths = [option["q"][0] for option in each["options"]]
        assert worths[each["best"]] == max(worths)
        assert each["loss"][0] >= 0
        apart = max(worths) - worths[each["played"]]
        if each["loss"][:2] == [0, "sampled"]:
            # What chance alone may have made so much is told of no move as a loss.
            assert apart <= each["loss"][2] + 1
        else:
            assert abs(each["loss"][0] - apart) <= 1
        assert (each["tag"] is None) == (each["forced"] or each["clock"] or each["points"] == "no_stake")
        assert len({json.dumps(option["move"]) for option in each["options"]}) == len(worths)


def test_the_published_example_comes_out_as_it_was_published() -> None:
    here = Path(__file__).parent
    example = json.loads((here / "example.json").read_text(encoding="utf-8"))
    record = split((here / "vectors" / "records" / "one-die-each.cup").read_bytes())
    wanted = WantedAnalysis(WANTED.policies)
    followed = follow(record.lines)
    found = json.loads(written(analysis_of(followed, means_for(followed, wanted, SHELF))))
    # It leaves out flags and marks that the rules call for, and the moments that hang on them; sentences are added
    # elsewhere.
    for each in (found, example):
        each["text"] = each["moments"] = []
        for event in each["events"]:
            event.pop("flags", None)
            event.get("decision", {}).pop("marks", None)
    assert found == example
