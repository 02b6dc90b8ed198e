"""Rules of a tournament: every option is spelled out, and a wrong one is refused by its name."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from msgspec import UNSET, structs

from domain.errors import Refused
from domain.tournaments.options import OF_ONE_MATCH, RULES_BYTES_MAX, rules_at, rules_from
from domain.tournaments.presets import DUEL, PRESETS, preset
from domain.tournaments.rules import (
    ENTRANTS_MAX,
    TournamentRules,
    has_clocks,
    largest_size,
    match_rules,
    object_of,
    preferred_size,
    smallest_size,
    template_of,
)

LAST_LONGER = {"match": {"game": "common_hand", "options": {}}, "stages": [{"format": "last_longer"}]}
EVERY = {**PRESETS, "last_longer": LAST_LONGER}


def refusal(name: str, **members: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        rules_from({**EVERY[name], **members})
    assert refused.value.code == "bad_options"
    assert refused.value.facts["why"]
    return refused.value


def stage(**members: Any) -> dict[str, Any]:
    return {"stages": [{"format": "swiss", **members}]}


def plain(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))


def members_of(kind: Any) -> set[str]:
    """Return what is always said: members that came later are left out where nothing is said."""
    return {field.encode_name for field in structs.fields(kind) if field.default is not UNSET}


@pytest.mark.parametrize("name", EVERY)
def test_every_option_is_spelled_out_and_stays_so(name: str) -> None:
    rules = rules_from(EVERY[name])
    spelled = object_of(rules)
    assert members_of(TournamentRules) == spelled.keys()
    assert spelled["tiebreaks"]
    assert [members_of(type(each)) | {"format"} for each in rules.stages] == [set(each) for each in spelled["stages"]]
    assert rules_from(spelled) == rules
    assert object_of(rules_from(spelled)) == spelled == plain(spelled)


@pytest.mark.parametrize("name", EVERY)
def test_tables_are_of_the_sizes_that_the_game_of_a_stage_has(name: str) -> None:
    rules = rules_from(EVERY[name])
    for each in rules.stages:
        game = match_rules(rules, each)
        assert game.seats[0] <= smallest_size(each) <= preferred_size(each) <= largest_size(each) <= game.seats[1]
        assert template_of(rules, each) == rules.match


def test_as_many_rounds_may_be_said_as_there_are() -> None:
    robin = {"format": "round_robin", "rounds": 3}
    rules = rules_from(preset("pods", entry={"max": 6}, stages=[{"format": "groups", "groups": 2}, robin]))
    assert [each.rounds for each in rules.stages] == [None, 3]


def test_stages_have_clocks_of_their_own_or_none() -> None:
    clocked = {"format": "swiss", "overrides": {"clock": {"bank_ms": 60_000}}, "advance": 4}
    rules = rules_from(preset("pods", stages=[clocked, {"format": "swiss"}]))
    assert [has_clocks(rules, stage) for stage in (1, 2)] == [True, False]


def test_a_stage_may_say_something_else_of_its_matches() -> None:
    rules = rules_from(preset("pods", **stage(overrides={"pause_ms": 0})))
    assert template_of(rules, rules.stages[0]) == {**rules.match, "pause_ms": 0}


def test_a_preset_is_taken_with_other_members_where_they_are_given() -> None:
    assert preset("pods", rated=True) == {**PRESETS["pods"], "rated": True}
    assert preset("pods", name="x")["name"] == "x", "a member that no rules have is refused as one"
    with pytest.raises(KeyError):
        preset("no such preset")


@pytest.mark.parametrize(
    ("stages", "expected"),
    [
        ([{"format": "round_robin"}], ("DE", "SB", "KS", "WIN")),
        ([{"format": "round_robin", "advance": 4}, {"format": "single"}], ("DE", "BH-C1", "BH", "SB", "WIN")),
        ([{"format": "single"}], ("DE", "BH-C1", "BH", "SB", "WIN")),
        ([{"format": "balanced", "size": 3}], ("DE", "BH-C1", "BH", "SB", "CB")),
    ],
)
def test_ties_are_broken_by_what_suits_the_stages(stages: list[dict[str, Any]], expected: tuple[str, ...]) -> None:
    match = {"game": "common_hand", "options": {}}
    assert expected == rules_from({"match": match, "stages": stages}).tiebreaks


def test_where_matches_are_rated_only_players_enter() -> None:
    assert not rules_from(PRESETS["pods"]).entry.player
    assert rules_from(preset("pods", rated=True)).entry.player
    assert rules_from(preset("pods", rated=True, entry={"player": True})).entry.player
    assert refusal("pods", rated=True, entry={"player": False}).facts["option"] == "entry.player"


@pytest.mark.parametrize(
    ("option", "members"),
    [
        ("match.game", {"match": {"game": "no_such_game", "options": {}}}),
        ("match.deal_per", {"match": {"game": "common_hand", "options": {}, "deal_per": "year"}}),
        ("match", {"match": []}),
        ("tournament", {"tournament": 2}),
        ("no_such_option", {"no_such_option": 1}),
        ("entry.min", {"entry": {"min": 1}}),
        ("entry.max", {"entry": {"max": ENTRANTS_MAX + 1}}),
        ("entry.max", {"entry": {"min": 9, "max": 8}}),
        ("entry.max", {"entry": {"max": True}}),
        ("entry.late_points", {"entry": {"late_points": "full"}}),
        ("entry.rating", {"entry": {"rating": [30, 20]}}),
        ("entry.rating.1", {"entry": {"rating": [0, 10**30]}}),
        ("seeding", {"seeding": "by height"}),
        ("stages", {"stages": []}),
        ("stages", {"stages": [{"format": "swiss", "advance": 8}] * 5}),
        ("stages.0.format", {"stages": [{"format": "no_such_format"}]}),
        ("stages.0.sizes", stage(sizes={"preferred": 5, "min": 3, "max": 4})),
        ("stages.0.sizes.max", stage(sizes={"preferred": 4, "min": 3, "max": 9})),
        ("stages.0.rounds", stage(rounds=0)),
        ("stages.0.rounds", {"entry": {"max": 6}, "stages": [{"format": "round_robin", "rounds": 6}]}),
        ("stages.0.rounds", {"entry": {"max": 5}, "stages": [{"format": "round_robin", "rounds": 11, "cycles": 2}]}),
        ("stages.0.rounds", {"stages": [{"format": "single", "rounds": 3}]}),
        ("stages.0.rounds", {"entry": {"min": 16, "max": 16}, "stages": [{"format": "balanced", "rounds": 6}]}),
        ("stages.1.rounds", {"stages": [{"format": "swiss", "advance": 4}, {"format": "round_robin", "rounds": 4}]}),
        ("stages.0.through", {"stages": [{"format": "knockout", "size": 4, "through": 3}]}),
        ("stages.0.final", {"stages": [{"format": "knockout", "size": 4, "final": 5}]}),
        ("stages.0.overrides.pause_ms", stage(overrides={"pause_ms": -1})),
        ("stages.0.advance", stage(advance=4)),
        ("stages.0.advance", {"stages": [{"format": "swiss"}, {"format": "swiss"}]}),
        ("scoring.bye", {"scoring": {"bye": "2"}}),
        ("scoring.bye", {"scoring": {"bye": "-1/2"}}),
        ("scoring.bye", {"scoring": {"bye": "2/4"}}),
        ("scoring.bye", {"scoring": {"bye": "1/0"}}),
        ("scoring.bye", {"scoring": {"bye": 0.5}}),
        ("scoring.points", {"scoring": {"scheme": "custom"}}),
        ("scoring.points", {"scoring": {"points": {"3": ["2", "1", "0"]}}}),
        ("scoring.points", {"scoring": {"scheme": "custom", "points": {"4": ["3", "2", "1", "0"]}}}),
        ("scoring.points.4", {"scoring": {"scheme": "custom", "points": {"4": ["3", "2", "1"]}}}),
        ("scoring.points.9", {"scoring": {"scheme": "custom", "points": {"9": ["1"] * 9}}}),
        ("scoring.points.3", {"scoring": {"scheme": "custom", "points": {"3": ["2", "0", "1"]}}}),
        ("scoring.points.3", {"scoring": {"scheme": "custom", "points": {"3": ["2", "0.5", "0"]}}}),
        ("scoring.points.3", {"scoring": {"scheme": "custom", "points": {"3": ["0", "0", "0"]}}}),
        ("tiebreaks.1", {"tiebreaks": ["DE", "LUCK"]}),
        ("tiebreaks.1", {"tiebreaks": ["DE", "DE"]}),
        ("tiebreaks.0", {"tiebreaks": ["KS"]}),
        ("tiebreaks.0", {"tiebreaks": ["BH-C1"], "stages": [{"format": "round_robin"}]}),
        ("prizes.unit", {"prizes": {"unit": "", "amounts": [1]}}),
        ("prizes.amounts", {"prizes": {"unit": "EUR", "amounts": []}}),
        ("prizes.amounts", {"prizes": {"unit": "EUR", "amounts": [1, 2]}}),
        ("prizes.amounts.0", {"prizes": {"unit": "EUR", "amounts": [1.5]}}),
        ("prizes.amounts.0", {"prizes": {"unit": "EUR", "amounts": [-1]}}),
        ("prizes.amounts.0", {"prizes": {"unit": "EUR", "amounts": [1e9]}}),
        ("prizes.amounts.0", {"prizes": {"unit": "EUR", "amounts": [10**12 + 1]}}),
        ("time.round_ms", {"time": {"round_ms": 8 * 86_400_000}}),
        ("time.times", {"time": {"times": [1]}}),
        ("time.times", {"time": {"start": "times"}}),
        ("time.times", {"time": {"start": "times", "times": [2, 1]}}),
        ("time.times.0", {"time": {"start": "times", "times": [2**60]}}),
        ("lots.beacon.period", {"lots": {"beacon": {"chain": "0" * 64, "genesis": 0, "period": 0}}}),
        ("season", {"season": "autumn"}),
    ],
)
def test_a_wrong_option_is_refused_by_its_name(option: str, members: dict[str, Any]) -> None:
    assert refusal("pods", **members).facts["option"] == option


@pytest.mark.parametrize(
    ("game", "option", "members"),
    [
        ("german_liar_dice", "stages.0.sizes", {"format": "swiss"}),
        ("german_liar_dice", "stages.0.size", {"format": "knockout"}),
        ("stanford", "stages.0.rounds_max", {"format": "swiss"}),
        ("boss_liars", "stages.0.format", {"format": "last_longer"}),
        ("BOUTS", "stages.0.format", {"format": "swiss"}),
    ],
)
def test_a_format_needs_a_game_that_suits_it(game: str, option: str, members: dict[str, Any]) -> None:
    of_bouts = {"game": "german_liar_dice", "options": {"format": "chouette"}}
    match = of_bouts if game == "BOUTS" else {"game": game, "options": {}}
    refused = refusal("pods", match=match, stages=[members])
    assert refused.facts["option"] == option


def test_a_design_has_as_many_rounds_as_it_has_only_where_it_is_known_to_be_played() -> None:
    stages = [{"format": "balanced", "rounds": 6}]
    assert rules_from(preset("pods", stages=stages)).stages[0].rounds == 6
    assert rules_from(preset("pods", stages=stages, entry={"min": 17, "max": 17})).stages[0].rounds == 6
    five = rules_from(preset("pods", stages=[{"format": "balanced", "rounds": 5}], entry={"min": 16, "max": 16}))
    assert five.stages[0].rounds == 5


def test_rounds_start_at_no_time_that_is_over() -> None:
    times = preset("pods", time={"start": "times", "times": [1_000, 2_000]})
    assert rules_at(times, 1_000) == rules_from(times)
    with pytest.raises(Refused) as refused:
        rules_at(times, 1_001)
    assert (refused.value.code, refused.value.facts["option"]) == ("bad_options", "time.times.0")


def test_a_game_without_an_end_says_after_how_many_rounds() -> None:
    match = {"game": "stanford", "options": {}}
    assert rules_from(preset("pods", match=match, **stage(rounds_max=9))).stages[0].rounds_max == 9


@pytest.mark.parametrize("member", OF_ONE_MATCH)
def test_what_says_which_match_it_is_stands_in_no_template(member: str) -> None:
    match = {"game": "common_hand", "options": {}, member: 1}
    assert refusal("pods", match=match).facts["option"] == f"match.{member}"
    assert refusal("pods", **stage(overrides={member: 1})).facts["option"] == f"stages.0.overrides.{member}"


def test_rules_fit_the_first_line() -> None:
    prizes = {"unit": "EUR", "amounts": [10**12] * ENTRANTS_MAX}
    times = {"start": "times", "times": [10**15] * 1_000}
    assert len(msgspec.json.encode([prizes, times])) > RULES_BYTES_MAX
    assert refusal("pods", prizes=prizes, time=times).facts["option"] == "rules"


def test_the_first_wrong_option_is_named() -> None:
    wrong = {"tiebreaks": ["LUCK"], "scoring": {"bye": "2"}, "entry": {"min": 9, "max": 8}}
    assert refusal("pods", **wrong).facts["option"] == "entry.max"
    del wrong["entry"]
    assert refusal("pods", **wrong).facts["option"] == "scoring.bye"


def test_points_may_be_listed_for_every_size() -> None:
    points = {"3": ["3", "3/2", "-1"], "4": ["3", "2", "1", "-1/3"]}
    assert object_of(rules_from(preset("pods", scoring={"scheme": "custom", "points": points})))["scoring"] == {
        "scheme": "custom", "points": points, "bye": "1",
    }  # fmt: skip
    assert DUEL["options"] == {"dice_per_player": 3}
