"""Tables set by hand: some of a round are taken back, those who sat there are seated anew, the others play on."""

from __future__ import annotations

from typing import Any

import pytest

from domain.tournaments import commands, events
from projections.tournaments.dues import due_view
from projections.tournaments.pairings import certificate_of, pairing_with, pairings_of
from tests.tournaments.events_by_hand import HOST, STRANGER, TOURNAMENT, player
from tests.tournaments.events_for_audit import WrittenEvent, judged

MANUAL = "manual/1"


def eight(name: str = "duel_swiss", **members: Any) -> WrittenEvent:
    """Return a tournament of eight whose first round has begun, and of which the first table has a result."""
    event = WrittenEvent(name, **members).begin(8).start()
    event.record(1)
    return event


def freed(event: WrittenEvent, *tables: int) -> list[int]:
    """Take tables back, and return who sat there, ascending."""
    seats = sorted(number for table in tables for number in event.table(table).seats)
    event.do(commands.Unpair(by=HOST, tables=tables, reason="wrong_result"))
    return seats


def test_who_sat_at_tables_that_were_taken_back_is_seated_anew_and_the_others_play_on() -> None:
    event = eight()
    kept = event.table(1)
    one, two, three, four = freed(event, 3, 2)
    assert event.line_of(events.TablesUnpaired) == event.tournament.seq
    assert sorted(event.round.tables) == [1, 4]
    assert event.round.is_paired
    event.record(4)
    waits = due_view(event.tournament)
    assert (waits.why, waits.tables) == ("unseated", (2, 3))
    fixed, paired = event.do(commands.FixTables(by=HOST, tables=((four, one), (two, three)), reason="agreement"))
    assert isinstance(fixed, events.TablesFixed)
    assert isinstance(paired, events.TablesPaired)
    assert (paired.law, paired.certificate, paired.byes) == (MANUAL, None, ())
    assert paired.tables == ((2, (four, one)), (3, (two, three)))
    assert event.table(1) == kept
    assert [event.table(number).attempt for number in (2, 3)] == [2, 2], "their matches have ids of their own"
    event.play_round()
    assert event.round.closed_at is not None
    assert judged(event.close().lines).upto == len(event.lines)


def test_who_is_not_named_rests_and_more_tables_than_were_taken_back_get_the_next_numbers() -> None:
    sizes = {"preferred": 4, "min": 2, "max": 5}
    event = WrittenEvent("pods", stages=[{"format": "swiss", "sizes": sizes}]).begin(9).start()
    assert [len(table.seats) for table in event.round.tables.values()] == [5, 4]
    one, two, three, four, five = event.table(1).seats
    event.do(commands.Unpair(by=HOST, tables=(1,)))
    event.do(commands.FixTables(by=HOST, tables=((one, two), (four, three))))
    assert {number: table.seats for number, table in event.round.tables.items() if number != 2} == {
        1: (one, two),
        3: (four, three),
    }
    assert event.round.byes == (five,)
    assert (event.round.cost, event.round.bound) == (None, None)
    assert judged(event.close().lines).upto == len(event.lines)


def test_all_may_rest_and_a_table_that_is_left_alone_closes_the_round() -> None:
    event = WrittenEvent("duel_swiss").begin(4).start()
    seats = freed(event, 2)
    event.do(commands.FixTables(by=HOST, tables=()))
    assert list(event.round.byes) == seats
    event.play_round()
    assert judged(event.lines).code is None


def test_who_has_left_meanwhile_is_seated_nowhere() -> None:
    event = eight()
    one, two, three, four = freed(event, 2, 3)
    event.do(commands.Withdraw(by=player(four), number=four))
    assert event.code(commands.FixTables(by=HOST, tables=((one, four),))) == "bad_tables"
    event.do(commands.FixTables(by=HOST, tables=((one, two),)))
    assert event.round.byes == (three,)


def test_a_round_taken_back_as_a_whole_is_paired_anew_by_the_law() -> None:
    event = WrittenEvent("duel_swiss").begin(4).start()
    event.do(commands.Unpair(by=HOST, tables=(2, 1)))
    unpaired = event.events[-1]
    assert isinstance(unpaired, events.TablesUnpaired)
    assert unpaired.tables is None
    freed(event.start(), 1)
    event.do(commands.Unpair(by=HOST))
    assert event.round.freed == {}
    event.start()
    assert [table.attempt for table in event.round.tables.values()] == [3, 3]
    assert judged(event.close().lines).upto == len(event.lines)


def test_tables_are_taken_back_a_second_time_and_all_of_them_in_turn() -> None:
    event = WrittenEvent("duel_swiss").begin(4).start()
    one, two = event.table(1).seats
    three, four = event.table(2).seats
    event.do(commands.Unpair(by=HOST, tables=(1,)))
    event.do(commands.Unpair(by=HOST, tables=(2,)))
    assert not event.round.tables
    event.do(commands.FixTables(by=HOST, tables=((one, three), (two, four))))
    event.do(commands.Unpair(by=HOST, tables=(1,)))
    event.do(commands.FixTables(by=HOST, tables=((three, one),)))
    assert event.table(1).attempt == 3
    assert judged(event.close().lines).upto == len(event.lines)


@pytest.mark.parametrize(
    ("tables", "code"),
    [((9,), "unknown_table"), ((1, 2), "table_over"), ((0,), "unknown_table"), ((2,), "reason_needed")],
)
def test_tables_that_cannot_be_taken_back_are_refused(tables: tuple[int, ...], code: str) -> None:
    assert eight().code(commands.Unpair(by=HOST, tables=tables, reason="other")) == code


def test_where_who_meets_whom_follows_from_the_results_only_the_round_as_a_whole_is_taken_back() -> None:
    event = WrittenEvent("single").begin(4).start()
    assert event.code(commands.Unpair(by=HOST, tables=(1,))) == "bad_tables"
    event.do(commands.Unpair(by=HOST, tables=(1, 2)))


def test_seats_at_tables_that_were_taken_back_are_given_as_any() -> None:
    event = eight()
    one, two, three, four = freed(event, 2, 3)
    event.do(commands.Forbid(by=HOST, numbers=(one, two)))
    fix: dict[str, Any] = {"by": HOST, "reason": "other"}
    assert event.code(commands.FixTables(tables=(), by=STRANGER)) == "not_an_official"
    assert event.code(commands.FixTables(tables=((one, one),), **fix)) == "bad_tables"
    assert event.code(commands.FixTables(tables=((one, event.table(4).seats[0]),), **fix)) == "bad_tables"
    assert event.code(commands.FixTables(tables=((one, three, four),), **fix)) == "bad_tables"
    assert event.code(commands.FixTables(tables=((two, one),), **fix)) == "forbidden_pair"
    assert event.code(commands.FixTables(tables=((three, four),), **fix)) == "reason_needed"


def test_the_certificate_of_the_round_stays_and_who_was_seated_anew_sits_by_hand() -> None:
    event = eight()
    one, two, three, four = freed(event, 2, 3)
    event.do(commands.FixTables(by=HOST, tables=((one, two), (three, four))))
    created = WrittenEvent("duel_swiss").tournament
    happened = [(each, event.at) for each in event.events[1:]]
    by_law, by_hand = pairings_of(created, happened)[1, 1]
    assert certificate_of(by_law) is not None
    assert certificate_of(by_hand) is None
    assert pairing_with((by_law, by_hand), one) == by_hand
    assert pairing_with((by_law, by_hand), event.table(1).seats[0]) == by_law
    assert str(created.id) == str(TOURNAMENT)


def test_a_round_that_is_taken_back_lets_officials_rule_on_the_one_before_and_follows_from_it() -> None:
    event = WrittenEvent("single").begin(4).play_round().pair()
    assert event.tournament.stage is not None
    before = event.tournament.stage.rounds[1].tables[1].seats
    assert before[0] in event.table().seats
    rule = commands.Rule(
        by=HOST, stage=1, round=1, table=1, ranking=((before[1],), (before[0],)), reason="wrong_result"
    )
    assert event.code(rule) == "too_late"
    event.do(commands.Unpair(by=HOST))
    event.do(rule)
    event.pair()
    assert before[1] in event.table().seats
    assert judged(event.close().lines).upto == len(event.lines)


def test_who_leaves_between_pairing_and_start_keeps_that_seat_and_has_none_after() -> None:
    event = WrittenEvent("duel_swiss").begin(4).pair()
    one, other = event.table(1).seats
    event.do(commands.Withdraw(by=player(one), number=one))
    assert event.table(1).seats == (one, other), "from the next pairing on they are not seated"
    event.start().record(1, ranking=((other,),), absent=(one,))
    event.play_round().pair()
    assert not any(one in table.seats for table in event.round.tables.values())
    assert judged(event.close().lines).upto == len(event.lines)
