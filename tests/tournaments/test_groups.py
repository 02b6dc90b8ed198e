"""Stages in groups: everybody meets everybody there, or sits with who has done as well, and the first go on."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from domain.errors import Refused
from domain.tournaments import commands
from domain.tournaments.options import rules_from
from domain.tournaments.presets import preset
from domain.tournaments.rules import Groups
from tests.tournaments.events_by_hand import HOST
from tests.tournaments.events_for_audit import WrittenEvent, judged

PODS = {"format": "swiss", "rounds": 2}
SINGLE = {"format": "single"}
SWISS_OF_TWO = {"format": "swiss", "rounds": 1, "sizes": {"preferred": 2, "min": 2, "max": 2}}


def in_groups(groups: int = 4, following: dict[str, Any] = SINGLE, **members: Any) -> list[dict[str, Any]]:
    stage = {"format": "groups", "groups": groups, "inner": {"format": "round_robin"}, "through": 2, **members}
    return [stage, following]


def close_first_stage(event: WrittenEvent) -> None:
    while event.tournament.stages[0].closed is None:
        event.play_round()
        if event.tournament.stages[0].next_number > (event.tournament.stages[0].rounds_planned or 0):
            event.step()


@pytest.mark.parametrize("count", [3, 6, 9, 14, 17])
def test_everybody_meets_everybody_of_the_group_and_the_first_two_go_on(count: int) -> None:
    event = WrittenEvent("groups", stages=in_groups()).begin(count)
    close_first_stage(event)
    stage = event.tournament.stages[0]
    groups = stage.groups or ()
    assert sorted(n for group in groups for n in group) == list(range(1, count + 1))
    assert max(map(len, groups)) - min(map(len, groups)) <= 1
    met = sorted(tuple(sorted(t.seats)) for held in stage.rounds.values() for t in held.tables.values())
    assert met == sorted(tuple(sorted(pair)) for group in groups for pair in combinations(group, 2))
    # Lower numbers win: so the two lowest of each group are its first two.
    assert sorted(stage.advanced) == sorted(n for group in groups for n in sorted(group)[:2])
    assert list(stage.advanced[: len(groups)]) == [min(group) for group in groups]
    event.close()
    assert judged(event.lines).code is None
    assert sorted(n for level in event.tournament.ranking for n in level) == list(range(1, count + 1))


def test_no_two_of_a_group_meet_in_the_first_round_of_a_bracket() -> None:
    event = WrittenEvent("groups", stages=in_groups()).begin(12)
    close_first_stage(event)
    group_of = {n: at for at, group in enumerate(event.tournament.stages[0].groups or ()) for n in group}
    event.start()
    assert event.tournament.stage is not None
    assert event.tournament.stage.number == 2
    assert all(len({group_of[n] for n in table.seats}) == 2 for table in event.round.tables.values())


def test_groups_of_larger_tables_are_paired_each_by_a_certificate_of_its_own() -> None:
    event = WrittenEvent("groups", stages=in_groups(2, SWISS_OF_TWO, inner=PODS)).begin(9)
    event.start()
    lines = [each for each in event.events if type(each).__name__ == "TablesPaired"]
    assert [each.group for each in lines] == [1, 2]  # type: ignore[union-attr]
    assert sorted(event.round.tables) == [1, 2]
    assert [len(event.table(number).seats) for number in (1, 2)] == [4, 4]
    assert len(event.round.byes) == 1
    event.play_round().start()
    assert event.round.cost is not None
    assert event.round.bound is not None
    assert event.round.cost >= event.round.bound > 0
    event.close()
    assert judged(event.lines).code is None


def test_a_group_that_is_done_sooner_waits_for_the_others() -> None:
    event = WrittenEvent("groups", stages=in_groups(2)).begin(7)
    assert event.tournament.stages[0].rounds_planned == 3
    stages = in_groups(2, SWISS_OF_TWO, through=1)
    event = WrittenEvent("groups", stages=stages).begin(5)
    for _ in range(3):
        event.play_round()
    first, second = event.tournament.stages[0].groups or ()
    assert [len(first), len(second)] == [3, 2]
    seated = [
        sorted(n for table in held.tables.values() for n in table.seats)
        for held in event.tournament.stages[0].rounds.values()
    ]
    assert [len(each) for each in seated] == [4, 2, 2]
    event.close()
    assert judged(event.lines).code is None


def test_who_has_withdrawn_does_not_go_on() -> None:
    event = WrittenEvent("groups", stages=in_groups(2, SWISS_OF_TWO)).begin(8)
    event.play_round()
    first = min((event.tournament.stages[0].groups or ())[0])
    event.do(commands.Withdraw(by=HOST, number=first, reason="request"))
    close_first_stage(event)
    assert first not in event.tournament.stages[0].advanced
    assert len(event.tournament.stages[0].advanced) == 4


@pytest.mark.parametrize(("left", "sooner"), [(5, True), (4, False)])
def test_who_alone_is_left_for_the_finals_comes_before_all_who_have_left(left: int, *, sooner: bool) -> None:
    event = WrittenEvent("groups", stages=in_groups(2)).begin(6).play_round()
    if not sooner:
        close_first_stage(event)
    others = {1, 2, 3, 4, 5, 6} - {left}
    for number in others:
        event.do(commands.Withdraw(by=HOST, number=number, reason="request"))
    event.close()
    first, *levels = event.tournament.ranking
    assert (first, sorted(n for level in levels for n in level)) == ((left,), sorted(others))
    assert len(event.tournament.stages) == 1
    ruling = judged(event.lines)
    assert (ruling.code, ruling.earlier) == (None, ())


def test_with_few_entrants_there_are_fewer_groups() -> None:
    event = WrittenEvent("groups", stages=in_groups(4)).begin(7)
    assert sorted(map(len, event.tournament.stages[0].groups or ())) == [3, 4]


def test_nobody_sets_tables_across_groups() -> None:
    event = WrittenEvent("groups", stages=in_groups(2)).begin(6)
    assert event.code(commands.FixTables(by=HOST, tables=((1, 2), (3, 4), (5, 6)))) == "bad_tables"


def test_from_groups_as_many_go_on_as_from_each() -> None:
    stage = rules_from(preset("groups")).stages[0]
    assert isinstance(stage, Groups)
    assert stage.advance == 8
    alone = rules_from(preset("groups", stages=in_groups()[:1]))
    assert (alone.stages[0].advance, alone.tiebreaks) == (None, ("DE", "SB", "KS", "WIN"))


@pytest.mark.parametrize(
    ("members", "option"),
    [
        ({"advance": 3}, "stages.0.advance"),
        ({"rounds": 3}, "stages.0.rounds"),
        ({"inner": {"format": "round_robin", "rounds_max": 3}}, "stages.0.inner.rounds_max"),
        ({"inner": {"format": "round_robin", "overrides": {"seats": 2}}}, "stages.0.inner.overrides"),
        ({"inner": {"format": "round_robin", "rounds": 99}}, "stages.0.inner.rounds"),
        ({"inner": {"format": "swiss", "sizes": {"preferred": 4, "min": 3, "max": 3}}}, "stages.0.inner.sizes"),
        ({"inner": {"format": "knockout"}}, "stages.0.inner.format"),
    ],
)
def test_what_is_said_twice_or_cannot_be_is_refused(members: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused) as refused:
        rules_from(preset("groups", stages=in_groups(**members)))
    assert refused.value.facts["option"] == option
