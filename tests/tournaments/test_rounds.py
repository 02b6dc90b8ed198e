"""Rounds of a tournament: set by hand, paired, started, extended, recorded; and refused where they are not."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from domain.tournaments import commands, events
from domain.tournaments.deciding.due import due
from domain.tournaments.events import RULE
from domain.tournaments.rules import WEEK_MS
from tests.tournaments.events_by_hand import ARBITER, CLOCKED, HEAD, HOST, STRANGER, EventByHand, player
from tests.tournaments.events_for_audit import WrittenEvent, judged

NOTE = "ab" * 32


def opened(name: str = "duel_swiss", count: int = 4, **members: Any) -> WrittenEvent:
    """Return a tournament before its first round, with an arbiter beside the host."""
    event = WrittenEvent(name, **members)
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    return event.begin(count)


# ---- set by hand -------------------------------------------------------------------------------------


def fixed(*tables: tuple[int, ...], by: str = ARBITER, **members: Any) -> commands.FixTables:
    return commands.FixTables(by=by, tables=tables, **members)


def test_of_several_reasons_not_to_set_tables_the_first_is_told() -> None:
    event = opened("pods", 8)
    event.do(commands.Withdraw(by=player(8), number=8))
    event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
    wrong: dict[str, Any] = {"reason": "other"}
    assert event.code(fixed((1, 1), by=STRANGER, **wrong)) == "not_an_official"
    assert event.code(fixed((1, 1, 2, 3), **wrong)) == "bad_tables"
    assert event.code(fixed((1, 2, 3), (3, 4, 5), **wrong)) == "bad_tables"
    assert event.code(fixed((1, 2, 8), **wrong)) == "bad_tables"
    assert event.code(fixed((1, 2, 99), **wrong)) == "bad_tables"
    assert event.code(fixed((1, 2), **wrong)) == "bad_tables"
    assert event.code(fixed((1, 2, 3, 4, 5), **wrong)) == "bad_tables"
    assert event.code(fixed((1, 2, 3), **wrong)) == "forbidden_pair"
    assert event.code(fixed((1, 3, 4), **wrong)) == "reason_needed"
    event.do(fixed((1, 3, 4), **wrong, note=NOTE))
    event.pair()
    assert (1, 3, 4) in {tuple(sorted(table.seats)) for table in event.round.tables.values()}
    assert event.code(fixed((1, 1), **wrong)) == "already_paired"
    assert judged(event.close().lines).upto == len(event.lines)
    assert EventByHand().enter(4).code(fixed((1, 1), by=HOST)) == "wrong_phase"


def test_a_round_that_is_set_as_a_whole_is_played_as_it_was_set() -> None:
    event = opened("duel_swiss", 4)
    event.do(fixed((4, 1), (2, 3)))
    event.pair()
    assert (event.round.law, [table.seats for table in event.round.tables.values()]) == ("manual/1", [(4, 1), (2, 3)])
    assert judged(event.close().lines).upto == len(event.lines)


def test_tables_that_were_set_are_taken_back_by_setting_none() -> None:
    event = opened("duel_swiss", 4)
    event.do(fixed((4, 1), (2, 3)))
    event.do(fixed())
    event.pair()
    assert event.round.law == "pods/1"


def test_a_table_that_was_set_for_somebody_who_left_is_no_table() -> None:
    event = opened("pods", 8)
    event.do(fixed((1, 2, 3, 4)))
    event.do(commands.Withdraw(by=player(1), number=1))
    event.pair()
    assert sorted(n for table in event.round.tables.values() for n in table.seats) == list(range(2, 9))
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_round_of_a_schedule_is_set_as_a_whole() -> None:
    event = opened("round_robin", 4)
    assert event.code(fixed((1, 2))) == "bad_tables"
    event.do(fixed((1, 2), (3, 4)))
    event.pair()
    assert event.round.law == "manual/1"


def test_after_the_last_round_no_tables_are_set() -> None:
    event = opened("club_night", 3).play_round().play_round().play_round()
    assert event.code(fixed((1, 1), reason="other")) == "too_late"
    event.step()
    assert event.code(fixed((1, 1), reason="other")) == "too_late"


# ---- paired, taken back, started ---------------------------------------------------------------------


def test_pairing_while_results_are_missing_names_the_tables() -> None:
    event = opened()
    assert event.code(event.proceed_of(STRANGER)) == "not_an_official"
    event.pair()
    # It is the director who opens the matches, and says so.
    assert event.code(event.proceed_of(HOST)) == "already_paired"
    event.start()
    event.record(1)
    refused = event.refusal(event.proceed_of(HOST))
    assert (refused.code, refused.facts["tables"]) == ("round_open", [2])
    event.do(commands.PauseTournament(by=HOST))
    assert event.code(event.proceed_of(HOST)) == "paused"
    event.do(commands.Resume(by=HOST))
    event.record(2)
    assert event.code(event.proceed_of(HOST)) == "already_paired"
    event.step()
    event.hurry(HOST)
    assert event.round.number == 2
    assert judged(event.close().lines).upto == len(event.lines)


@pytest.mark.parametrize("name", ["single", "double"])
def test_a_round_of_a_bracket_waits_for_its_last_table(name: str) -> None:
    event = opened(name, 8).start()
    for table in (1, 2, 3):
        event.record(table)
    event.at += WEEK_MS
    assert due(event.tournament) is None
    event.record(4)
    event.step()
    closed_at = event.at
    assert event.round.closed_at == closed_at
    event.pair()
    assert len(event.round.tables) == (2 if name == "single" else 4)
    assert event.at == closed_at + event.tournament.rules.time.between_ms


def test_what_is_not_due_is_done_for_nobody() -> None:
    event = EventByHand().enter(3)
    assert event.code(event.proceed_of()) == "wrong_phase"
    assert event.code(event.proceed_of(HOST)) == "wrong_phase"
    event.check_in()
    refused = event.refusal(event.proceed_of())
    assert (refused.code, refused.facts["due_at"]) == ("wrong_phase", event.tournament.check_in_until)
    running = EventByHand("duel_swiss").begin(2).start()
    assert running.code(running.proceed_of()) == "wrong_phase"
    running.do(commands.PauseTournament(by=HOST))
    assert running.code(running.proceed_of()) == "paused"


def test_everybody_kept_from_everybody_cannot_be_paired() -> None:
    event = opened("duel_swiss", 4)
    pairs = [(one, other) for one in range(1, 5) for other in range(one + 1, 5)]
    for pair in pairs:
        event.do(commands.Forbid(by=HOST, numbers=pair))
    before = event.tournament
    refused = event.refusal(event.proceed_of())
    assert refused.code == "cannot_pair"
    assert {tuple(pair) for pair in refused.facts["pairs"]} <= set(pairs)  # type: ignore[attr-defined]
    assert event.tournament is before


def test_of_several_reasons_not_to_take_a_round_back_the_first_is_told() -> None:
    event = opened()
    why: dict[str, Any] = {"reason": "other"}
    assert EventByHand().enter(2).code(commands.Unpair(by=STRANGER, **why)) == "not_an_official"
    assert EventByHand().enter(2).code(commands.Unpair(by=HOST, **why)) == "wrong_phase"
    assert event.code(commands.Unpair(by=ARBITER, **why)) == "not_paired"
    event.start()
    assert event.code(commands.Unpair(by=ARBITER, **why)) == "reason_needed"
    event.do(commands.Unpair(by=ARBITER))
    assert event.code(commands.Unpair(by=ARBITER, **why)) == "not_paired"
    event.start()
    event.record(1)
    refused = event.refusal(commands.Unpair(by=ARBITER, **why))
    assert (refused.code, refused.facts["tables"]) == ("table_over", [1])
    event.play_round()
    refused = event.refusal(commands.Unpair(by=ARBITER, **why))
    assert (refused.code, refused.facts["round"]) == ("not_paired", 2)
    assert judged(event.close().lines).upto == len(event.lines)


def test_who_leaves_between_pairing_and_start_stays_seated_and_is_not_paired_again() -> None:
    event = opened().pair()
    gone = event.table().seats[0]
    event.do(commands.Withdraw(by=player(gone), number=gone))
    event.start()
    event.absent(1, gone)
    event.play_round().pair()
    assert gone not in {number for table in event.round.tables.values() for number in table.seats}
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_round_starts_once_and_not_while_it_is_paused() -> None:
    event = opened()
    started = commands.StartRound(by=ARBITER)
    assert event.code(commands.StartRound(by=STRANGER)) == "not_an_official"
    assert EventByHand().enter(2).code(commands.StartRound(by=HOST)) == "wrong_phase"
    assert event.code(started) == "not_paired"
    event.pair()
    event.do(commands.PauseTournament(by=HOST))
    assert event.code(started) == "paused"
    event.do(commands.Resume(by=HOST))
    event.do(started)
    assert event.code(started) == "table_running"
    event.play_round()
    assert event.code(started) == "not_paired"


# ---- results -----------------------------------------------------------------------------------------


def test_of_several_reasons_not_to_record_a_result_the_first_is_told() -> None:
    event = opened()
    early = EventByHand().begin(3)
    assert early.code(commands.Record(RULE, 1, 1, None, None, None, "nobody", ())) == "not_paired"
    event.start()
    wrong: dict[str, Any] = {"ranking": (), "attempt": 2}
    assert event.code(event.result(1, by=HOST, **wrong)) == "not_an_official"
    assert event.code(commands.Record(RULE, 9, 2, None, None, None, "nobody", ())) == "unknown_table"
    assert event.code(event.result(1, **wrong)) == "wrong_match"
    del wrong["attempt"]
    for match in ({"match": None}, {"match": "0" * 36}, {"version": None}, {"head": None}):
        assert event.code(event.result(1, **wrong, **match)) == "wrong_match"
    assert event.code(event.result(1, **wrong)) == "bad_ranking"
    event.record()
    assert event.code(event.result(1, **wrong, attempt=2)) == "already_recorded"
    event.play_round()
    assert event.code(event.result(1, **wrong)) == "not_paired"
    assert event.finish().code(event.result(1, **wrong)) == "wrong_phase"


@pytest.mark.parametrize(
    ("how", "there", "code"),
    [
        ("nobody", 0, None),
        ("nobody", 1, "bad_ranking"),
        ("nobody", 2, "bad_ranking"),
        ("walkover", 0, "bad_ranking"),
        ("walkover", 1, None),
        ("walkover", 2, "bad_ranking"),
        ("played", 0, "bad_ranking"),
        ("played", 2, None),
        ("time", 2, None),
    ],
)
def test_a_result_without_a_match_is_of_a_table_at_which_one_was_there_at_most(
    how: str, there: int, code: str | None
) -> None:
    event = opened().start()
    seats = event.table().seats
    unplayed = how in {"nobody", "walkover"}
    said: dict[str, Any] = dict.fromkeys(("match", "version", "head")) if unplayed else {}
    result = event.result(1, tuple((each,) for each in seats[:there]), absent=seats[there:], how=how, **said)
    if code is not None:
        assert event.code(result) == code
        return
    if unplayed:
        # What names a match says what was played there.
        assert event.code(event.result(1, result.ranking, absent=result.absent, how=how)) == "wrong_match"
    event.do(result)
    assert event.table().is_over


@pytest.mark.parametrize("units", [((99, 1),), ((1, 1), (1, 1))])
def test_units_are_said_of_those_at_the_table_once(units: Any) -> None:
    event = opened("duel_swiss", 2).start()
    assert event.code(event.result(1, units=units)) == "bad_ranking"
    event.record(1, units=((1, 3), (2, 0)))


def test_who_is_waited_for_twice_is_out_and_who_has_left_is_waited_for_by_nobody() -> None:
    event = opened("duel_swiss", 2).start()
    event.absent(1, 1)
    event.play_round().start()
    event.do(commands.Withdraw(by=player(2), number=2))
    happened = event.absent(1, 1, 2)
    assert [type(each) for each in happened] == [events.TableNoShow, events.ResultRecorded, events.PlayerWithdrawn]
    assert happened[0].numbers == (1,)  # type: ignore[union-attr]
    assert event.tournament.entrants[1].gone == (1, 3)
    assert judged(event.close().lines).upto == len(event.lines)


# ---- time --------------------------------------------------------------------------------------------


def test_pauses_leave_as_much_time_to_come_as_there_was() -> None:
    event = opened("duel_swiss", 2)
    for lasted in (1_000, 20_000):
        event.do(commands.PauseTournament(by=HOST))
        event.at += lasted
        event.do(commands.Resume(by=HOST))
        event.at += 500
    # What was over before a table was opened is nothing to it, and of the rest what fell behind.
    began, no_show = event.at - 21_500, event.tournament.rules.time.no_show_ms
    assert event.tournament.no_show_at(event.at) == event.at + no_show
    assert event.tournament.no_show_at(began - 500) == began - 500 + no_show + 21_000
    assert event.tournament.no_show_at(began + 2_000) == began + 2_000 + no_show + 19_000


def test_a_round_is_extended_into_the_future_by_a_week_at_most() -> None:
    event = opened()

    def code(until: int, by: str = ARBITER) -> str:
        return event.code(commands.Extend(by=by, until=event.at + until, reason="other"))

    assert code(1, STRANGER) == "not_an_official"
    assert code(1) == "not_paired"
    event.pair()
    assert code(1) == "not_paired"
    event.start()
    assert code(0) == "too_late"
    assert code(WEEK_MS + 1) == "too_late"
    assert code(WEEK_MS) == "reason_needed"
    event.do(commands.Extend(by=ARBITER, until=event.at + WEEK_MS))
    assert event.round.until == event.at + WEEK_MS
    event.play_round()
    assert code(1) == "not_paired"
    assert EventByHand().code(commands.Extend(by=HOST, until=0)) == "wrong_phase"
    assert judged(event.close().lines).upto == len(event.lines)


def test_of_several_reasons_not_to_give_time_the_first_is_told() -> None:
    event = opened(match=CLOCKED)

    def code(number: int, table: int = 1, ms: int = 0, by: str = ARBITER) -> str:
        return event.code(commands.GiveTableTime(by=by, table=table, number=number, ms=ms, reason="other"))

    assert code(99, by=STRANGER) == "not_an_official"
    assert code(99) == "unknown_number"
    assert code(1) == "not_paired"
    event.start()
    one, other = event.table(1).seats[0], event.table(2).seats[0]
    assert code(one, 9) == "unknown_table"
    assert code(other) == "unknown_table"
    assert code(one) == "bad_time"
    assert code(one, ms=600_001) == "bad_time"
    assert code(one, ms=1_000) == "reason_needed"
    event.do(commands.GiveTableTime(by=ARBITER, table=1, number=one, ms=1_000))
    event.record(1)
    assert code(one) == "table_over"
    untimed = opened().start()
    asked = commands.GiveTableTime(by=ARBITER, table=1, number=untimed.table(1).seats[0], ms=1_000, reason="late")
    assert untimed.code(asked) == "not_allowed"
    early = EventByHand().enter(2)
    assert early.code(commands.GiveTableTime(by=HOST, table=1, number=1, ms=0)) == "wrong_phase"
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_result_has_the_match_that_follows_from_its_place() -> None:
    event = opened("duel_swiss", 2).start()
    recorded = event.record()[-1]
    assert isinstance(recorded, events.ResultRecorded)
    assert (recorded.version, recorded.head, recorded.how) == (9, HEAD, "played")
    assert recorded.match is not None
    assert recorded.match[14] == "8"


def test_two_who_are_kept_apart_may_sit_at_two_tables_that_are_set() -> None:
    event = opened("duel_swiss", 4)
    event.do(commands.Forbid(by=HOST, numbers=(1, 2)))
    event.do(fixed((1, 3), (2, 4)))
    assert event.pair().round.law == "manual/1"


NINE_IN_THREES = {"match": {"game": "common_hand", "options": {}}, "stages": [{"format": "balanced", "size": 3}]}


def test_by_a_design_everybody_meets_everybody_once_and_who_is_left_alone_rests() -> None:
    event = opened("league_day", 9, **NINE_IN_THREES)
    met: list[tuple[int, ...]] = []
    for _ in range(4):
        event.play_round()
        assert event.round.law == "design/1"
        met += [pair for table in event.round.tables.values() for pair in combinations(sorted(table.seats), 2)]
    assert sorted(met) == list(combinations(range(1, 10), 2))
    audited = event.copy().close()
    assert judged(audited.lines).upto == len(audited.lines)
    event = opened("league_day", 9, **NINE_IN_THREES).pair()
    alone, *others = event.table().seats
    event.do(commands.Unpair(by=HOST))
    for number in others:
        event.do(commands.Withdraw(by=player(number), number=number))
    event.pair()
    assert (len(event.round.tables), event.round.byes) == (2, (alone,))
    assert judged(event.close().lines).upto == len(event.lines)
