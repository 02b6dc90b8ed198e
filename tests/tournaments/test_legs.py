"""Legs: a table of two plays several matches, with seats changed after each, and counts as whoever won more."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.errors import Refused
from domain.tournaments import commands, events
from domain.tournaments.deciding.due import due
from domain.tournaments.events import RULE, ResultRecorded
from domain.tournaments.field import StageField, result_of
from domain.tournaments.matches import match_object
from domain.tournaments.options import rules_from
from domain.tournaments.pairing.lots import match_id
from domain.tournaments.presets import preset
from domain.tournaments.ranking.legs import table_result
from domain.tournaments.rules import object_of
from projections.tournaments.rounds import table_view
from projections.tournaments.standings import if_it_ended_so, standings_view
from tests.tournaments.events_by_hand import HOST, TOURNAMENT
from tests.tournaments.events_for_audit import WrittenEvent, bent, judged, number_of
from tests.tournaments.test_arenas import Arena

THREE = {"format": "round_robin", "best_of": 3}


def leg(first: int | None, how: Literal["played", "time"] = "played") -> ResultRecorded:
    """Return what was recorded of a match of 1 and 2: who won it, or nobody."""
    ranking = ((1, 2),) if first is None else ((first,), (3 - first,))
    return ResultRecorded(1, 1, 1, 1, "m", 9, "h", how, ranking, (), ((1, 3), (2, -4)))


def opened(**members: Any) -> WrittenEvent:
    return WrittenEvent("round_robin", **{"stages": [THREE], **members}).begin(2).start()


def play(event: WrittenEvent, winner: int | None, **members: Any) -> None:
    """Record the match that is played, and open the next one if there is one."""
    seats = event.table().seats
    ranking = (seats,) if winner is None else ((winner,), tuple(each for each in seats if each != winner))
    event.at += 1
    event.record(1, ranking, **members)
    found = due(event.tournament)
    if found is not None and found.step == "start":
        event.step()


# ---- the law -----------------------------------------------------------------------------------------


@given(st.sampled_from([3, 5, 7]), st.data())
def test_a_table_plays_until_nobody_can_catch_up_and_counts_as_who_won_more(most: int, data: st.DataObject) -> None:
    legs: list[ResultRecorded] = []
    while not legs or (found := table_result(legs, most)) is None:
        legs.append(leg(data.draw(st.sampled_from([1, 2, None]))))
        assert len(legs) <= most
    wins = [sum(each.ranking[0] == (number,) for each in legs) for number in (1, 2)]
    one, other = sorted(wins, reverse=True)
    assert len(legs) == most or one - other > most - len(legs)
    assert found.ranking == (((1, 2),) if one == other else ((wins.index(one) + 1,), (wins.index(other) + 1,)))
    assert (found.units, found.attempt, found.match) == ((), legs[-1].attempt, legs[-1].match)


@given(st.sampled_from([3, 5, 7]), st.data())
def test_without_a_match_that_nobody_wins_it_is_over_with_more_than_half(most: int, data: st.DataObject) -> None:
    legs = [leg(data.draw(st.sampled_from([1, 2])))]
    while table_result(legs, most) is None:
        assert all(sum(each.ranking[0] == (number,) for each in legs) <= most // 2 for number in (1, 2))
        legs.append(leg(data.draw(st.sampled_from([1, 2]))))
    assert any(sum(each.ranking[0] == (number,) for each in legs) == most // 2 + 1 for number in (1, 2))


def test_one_match_is_the_result_itself() -> None:
    assert table_result([leg(2)], 1) == leg(2)


@pytest.mark.parametrize(
    ("before", "last", "ranking"), [((1,), 2, ((1, 2),)), ((1,), None, ((1,), (2,))), ((), 2, ((2,), (1,)))]
)
def test_a_match_that_ends_with_the_time_of_the_round_is_the_last(
    before: tuple[int, ...], last: int | None, ranking: events.Ranking
) -> None:
    found = table_result([*(leg(each) for each in before), leg(last, "time")], 7)
    assert found is not None
    assert found.ranking == ranking


# ---- in a tournament -------------------------------------------------------------------------------


def test_seats_change_after_each_match_and_each_is_the_next_attempt_of_the_table() -> None:
    event = opened()
    one, two = event.table().seats
    play(event, one)
    assert (event.table().seats, event.table().attempt, event.table().is_over) == ((two, one), 2, False)
    assert match_object(event.tournament, 1, event.round, event.table())["event"]["attempt"] == 2
    play(event, two)
    assert (event.table().seats, event.table().attempt) == ((one, two), 3)
    play(event, two)
    counts = result_of(event.table())
    assert counts is not None
    assert (counts.ranking, event.table().attempt, len(event.table().legs)) == (((two,), (one,)), 3, 3)
    assert event.table().paired == (one, two)
    named = [each.match for each in event.events if isinstance(each, ResultRecorded)]
    assert named == [match_id(str(TOURNAMENT), 1, 1, 1, attempt) for attempt in (1, 2, 3)]
    started = [each for each in event.events if isinstance(each, events.RoundStarted)]
    assert [each.tables for each in started] == [(1,)] * 3
    event.close()
    assert event.tournament.ranking == ((two,), (one,))
    assert judged(event.lines).upto == len(event.lines)
    seats = judged(event.lines).seats
    assert list(seats.values()) == [(one, two), (two, one), (one, two)]


def test_two_of_three_are_enough_and_the_table_counts_as_it_was_paired() -> None:
    event = opened()
    one, two = event.table().seats
    play(event, two)
    play(event, two)
    assert (event.table().seats, event.table().paired) == ((two, one), (one, two))
    field = StageField(event.tournament, 1, 1)
    assert [each.numbers for each in field.results] == [(one, two)]
    assert field.history.balance == {one: -420, two: 420}
    assert field.scores == {one: 0, two: 1}


def test_the_time_of_a_round_runs_from_its_first_match_and_that_of_who_is_waited_for_from_each() -> None:
    event = opened()
    began = event.round.started_at
    play(event, event.table().seats[0])
    table = event.table()
    assert (event.round.started_at, table.began_at, table.opened_at) == (began, began, event.at)
    play(event, table.seats[0])
    play(event, None)
    event.do(commands.Replay(by=HOST, round=1, table=1, reason="house_fault"))
    event.step()
    table = event.table()
    assert (table.attempt, table.legs, table.paired) == (4, (), table.seats)
    assert event.round.started_at == table.began_at == table.opened_at == event.at
    assert judged(event.close().lines).upto == len(event.lines)


def test_who_does_not_come_to_a_later_match_loses_the_table() -> None:
    event = opened()
    one, two = event.table().seats
    play(event, one)
    event.absent(1, one)
    counts = event.table().result
    assert counts is not None
    assert (counts.how, counts.ranking, counts.absent) == ("walkover", ((two,),), (one,))
    assert judged(event.close().lines).upto == len(event.lines)


def test_what_is_ruled_between_two_matches_counts_for_the_table_and_no_other_begins() -> None:
    event = opened()
    one, two = event.table().seats
    event.record(1, ((one,), (two,)))
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((two,), (one,))))
    found = due(event.tournament)
    assert found is not None
    assert found.step == "close_round"
    assert event.round.waiting == ()
    assert event.code(commands.StartRound(by=RULE)) == "table_running"
    assert event.table().paired == (one, two)
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_match_that_ends_after_a_ruling_is_the_last_of_its_table() -> None:
    event = opened()
    one, two = event.table().seats
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((two,), (one,))))
    event.record(1, ((one,), (two,)))
    assert event.table().attempt == 1
    assert result_of(event.table()) == event.table().ruling


def test_no_table_is_taken_back_of_which_a_match_has_ended() -> None:
    event = opened()
    play(event, event.table().seats[0])
    assert event.code(commands.Unpair(by=HOST)) == "table_over"
    assert event.code(commands.Replay(by=HOST, round=1, table=1)) == "table_running"


def test_in_a_bracket_whoever_wins_more_matches_goes_on() -> None:
    event = WrittenEvent("single", stages=[{"format": "single", "best_of": 5}]).begin(4)
    event.close()
    assert judged(event.lines).upto == len(event.lines)
    matches = [each for each in event.events if isinstance(each, ResultRecorded)]
    assert len(matches) == 3 * 3


def test_where_waves_overlap_the_next_match_of_an_earlier_one_is_opened() -> None:
    event = Arena(4, {"best_of": 3})
    event.wait(1, 2)
    event.seat()
    event.wait(3, 4, after=31_000)
    event.seat()
    one, two = event.tournament.stages[0].rounds[1].tables[1].seats
    event.at += 1
    name = match_id(str(TOURNAMENT), 1, 1, 1, 1)
    event.do(
        commands.Record(
            by=RULE, round=1, table=1, attempt=1, match=name, version=9, head="0" * 64, how="played",
            ranking=((one,), (two,)),
        )
    )  # fmt: skip
    (started,) = event.step()
    assert isinstance(started, events.RoundStarted)
    assert (started.round, started.tables) == (1, (1,))
    assert event.tournament.stages[0].rounds[1].tables[1].seats == (two, one)


def test_another_winner_of_a_match_is_found_by_the_audit() -> None:
    event = opened()
    one, two = event.table().seats
    for winner in (one, two, two):
        play(event, winner)
    event.close()
    lie = bent(
        event.lines, number_of(event.lines, "result.recorded"), lambda line: line["data"].update(ranking=[[two], [one]])
    )
    found = judged(lie)
    # With it the table is over, so no third match of it begins.
    assert (found.code, found.line) == ("E_RULES", number_of(event.lines, "round.started", 2))


# ---- the rules -------------------------------------------------------------------------------------


def test_one_match_at_a_table_is_said_by_saying_nothing() -> None:
    plain = object_of(rules_from(preset("single")))
    assert "best_of" not in plain["stages"][0]
    said = preset("single", stages=[{"format": "single", "third_place": True, "best_of": 1}])
    assert object_of(rules_from(said)) == plain
    three = object_of(rules_from(preset("round_robin", stages=[THREE])))
    assert (three["stages"][0]["best_of"], object_of(rules_from(three))) == (3, three)


@pytest.mark.parametrize(
    ("stage", "option"),
    [
        ({"format": "swiss", "best_of": 3}, "stages.0.best_of"),
        ({"format": "swiss", "sizes": {"preferred": 2, "min": 2, "max": 3}, "best_of": 3}, "stages.0.best_of"),
        ({"format": "knockout", "best_of": 3}, "stages.0.best_of"),
        ({"format": "last_longer", "best_of": 3}, "stages.0.best_of"),
        ({"format": "single", "best_of": 4}, "stages.0.best_of"),
        ({"format": "groups", "inner": {"format": "round_robin", "best_of": 3}}, "stages.0.inner.best_of"),
    ],
)
def test_several_matches_are_played_by_two_and_of_odd_number(stage: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused) as refused:
        rules_from(preset("pods", stages=[stage]))
    assert refused.value.facts["option"] == option


# ---- as people see it ------------------------------------------------------------------------------


def test_a_table_tells_its_matches_with_who_opened_and_who_won_each() -> None:
    event = opened()
    one, two = event.table().seats
    play(event, two)
    play(event, None)
    found = table_view(event.tournament, {}, 1, 1, 1)
    assert (found.best_of, found.attempt, found.state, [each.number for each in found.seats]) == (
        3,
        3,
        "started",
        [one, two],
    )
    assert [(leg.attempt, leg.opened, leg.first, leg.how) for leg in found.legs] == [
        (1, one, two, "played"),
        (2, two, None, "played"),
    ]
    assert found.legs[0].match == match_id(str(TOURNAMENT), 1, 1, 1, 1)
    ended = if_it_ended_so(event.tournament, (1, 1), {1: ((one,), (two,))})
    assert {row.score.value for row in standings_view(ended, {}, 1, 1).rows} == {"1/2"}
    plain = WrittenEvent("round_robin").begin(2).start()
    plain.record(1)
    assert table_view(plain.tournament, {}, 1, 1, 1).legs == ()
