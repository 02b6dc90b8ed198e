"""Too few to go on: for any table, so that officials have to see to it, or for any game, so that a stage ends."""

from __future__ import annotations

from typing import Any

import pytest

from domain.tournaments import commands
from domain.tournaments.deciding.due import due
from domain.tournaments.field import StageField
from domain.tournaments.formats.format import DueStep
from services.words.details import detail_of
from tests.tournaments.events_by_hand import HOST, player
from tests.tournaments.events_for_audit import WrittenEvent, judged


def opened(name: str, count: int, **members: Any) -> WrittenEvent:
    return WrittenEvent(name, **members).begin(count)


def fixed(*tables: tuple[int, ...]) -> commands.FixTables:
    return commands.FixTables(by=HOST, tables=tables)


def left_by(event: WrittenEvent, *numbers: int) -> WrittenEvent:
    """Return a tournament that these have left."""
    for number in numbers:
        event.do(commands.Withdraw(by=player(number), number=number))
    return event


@pytest.mark.parametrize("left", [0, 1])
@pytest.mark.parametrize("name", ["pods", "duel_swiss", "round_robin", "league_day", "dutch"])
def test_a_stage_in_which_nobody_is_left_to_play_with_ends_with_the_places_as_they_stand(name: str, left: int) -> None:
    event = opened(name, 3)
    before = [event.tournament.stages[0].next_number]
    if name != "dutch":
        event.play_round()
        before.append(2)
    left_by(event, *range(left + 1, 4))
    stage = event.finish().tournament.stages[0]
    assert sorted(stage.rounds) == before[:-1]
    assert stage.closed == StageField(event.tournament, 1).ranking()
    assert judged(event.close().lines).upto == len(event.lines)


def test_until_the_next_round_would_have_been_paired_who_has_left_may_come_back() -> None:
    event = left_by(opened("duel_swiss", 2).play_round(), 2)
    closed = event.round.closed_at
    assert closed is not None
    assert due(event.tournament) == DueStep("close_stage", closed + event.tournament.rules.time.between_ms)
    event.do(commands.Return(by=player(2), number=2))
    assert event.pair().round.number == 2
    # No line says who ended a stage, so nobody does before its time; where a host starts rounds it ends at once.
    ended = left_by(opened("duel_swiss", 2).play_round(), 2)
    assert ended.code(ended.proceed_of(HOST)) == "wrong_phase"
    assert ended.finish().tournament.stages[0].closed == ((1,), (2,))
    assert judged(ended.close().lines).upto == len(ended.lines)
    hosted = left_by(opened("duel_swiss", 2, time={"start": "host"}), 1, 2)
    assert due(hosted.tournament) == DueStep("close_stage", hosted.at)


def test_of_too_few_for_any_table_nobody_rests_at_full_points() -> None:
    event = left_by(opened("pods", 4).play_round(), 3, 4)
    refused = event.refusal(event.proceed_of(HOST))
    assert (refused.code, refused.facts) == ("cannot_pair", {"pairs": [], "sizes": [3, 4], "entrants": [1, 2]})
    assert detail_of("cannot_pair", refused.facts).startswith("tables seat [3, 4], and [1, 2] alone are left")
    # Officials may seat them at a table that is as small as the game is for.
    assert event.code(fixed((1,))) == "bad_tables"
    event.do(fixed((2, 1)))
    event.pair()
    assert (event.round.law, [table.seats for table in event.round.tables.values()]) == ("manual/1", [(2, 1)])
    event.play_round()
    left_by(event, 2)
    assert event.finish().tournament.stages[0].closed == ((1,), (2,), (3,), (4,))
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_small_table_by_hand_needs_points_of_its_size() -> None:
    points = {"3": ["2", "1", "0"], "4": ["3", "2", "1", "0"]}
    event = left_by(opened("pods", 4, scoring={"scheme": "custom", "points": points}), 3, 4)
    assert event.code(fixed((1, 2))) == "bad_tables"
    event = left_by(opened("pods", 4, scoring={"scheme": "custom", "points": {"2": ["1", "0"], **points}}), 3, 4)
    event.do(fixed((1, 2)))


def test_a_round_that_somebody_asked_to_be_left_out_of_passes_without_a_table() -> None:
    event = opened("pods", 3)
    event.do(commands.RequestBye(by=player(3), number=3, round=1, kind="half"))
    event.pair()
    assert (event.round.tables, event.round.byes) == ({}, (1, 2))
    # It does not where they would be too few with everybody.
    event = left_by(opened("pods", 3), 2)
    event.do(commands.RequestBye(by=player(3), number=3, round=1, kind="half"))
    assert event.code(event.proceed_of(HOST)) == "cannot_pair"


def test_a_group_of_too_few_for_a_table_waits_for_the_others() -> None:
    stages = [
        {"format": "groups", "groups": 2, "inner": {"format": "swiss", "rounds": 2}, "through": 1},
        {"format": "single"},
    ]
    event = opened("groups", 8, match={"game": "common_hand", "options": {}}, stages=stages).play_round()
    groups = event.tournament.stages[0].groups
    assert groups is not None
    left_by(event, *groups[0][2:])
    event.play_round()
    assert sorted(n for table in event.round.tables.values() for n in table.seats) == sorted(groups[1])
    assert event.round.byes == ()
    assert judged(event.close().lines).upto == len(event.lines)
