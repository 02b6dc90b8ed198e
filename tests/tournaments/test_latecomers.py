"""Latecomers and byes: until when somebody comes, in whose place, and what a round counts that was not played."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from domain.tournaments import commands
from domain.tournaments.field import StageField
from domain.tournaments.ranking.standings import Standing
from tests.tournaments.events_by_hand import ARBITER, HOST, STRANGER, EventByHand, player
from tests.tournaments.events_for_audit import WrittenEvent, judged

SOMEBODY = "u" + "7" * 24


def enters() -> commands.Register:
    return commands.Register(by=SOMEBODY, player=SOMEBODY)


def back(number: int, by: str = HOST) -> commands.Return:
    return commands.Return(by=by, number=number, reason="request")


# ---- coming late -----------------------------------------------------------------------------------


def test_somebody_comes_late_until_so_many_rounds_are_closed() -> None:
    event = EventByHand("duel_swiss", entry={"late_rounds": 1}).begin(4).play()
    event.enter(1)
    event.play_round()
    assert event.code(enters()) == "entry_closed"


def test_nobody_comes_late_where_the_rules_have_no_latecomers() -> None:
    assert EventByHand("duel_swiss").begin(4).code(enters()) == "entry_closed"


def test_nobody_comes_when_the_last_round_is_paired() -> None:
    event = EventByHand("club_night", entry={"late_rounds": 9}).begin(6).play_round().play_round()
    event.enter(1).pair()
    assert event.code(enters()) == "entry_closed"
    event.play_round().step()
    assert event.tournament.stages[0].closed is not None
    assert event.code(enters()) == "entry_closed"


def test_nobody_comes_late_into_a_later_stage() -> None:
    event = EventByHand("pods_final", entry={"late_rounds": 9}).begin(6)
    for _ in range(3):
        event.play_round()
    event.step()
    event.step()
    assert len(event.tournament.stages) == 2
    assert event.code(enters()) == "entry_closed"


@pytest.mark.parametrize(
    ("name", "count", "comes"),
    [
        ("single", 5, True),
        ("single", 4, False),
        ("double", 3, True),
        ("round_robin", 5, True),
        ("round_robin", 4, False),
        ("knockout", 5, True),
        ("knockout", 4, False),
        ("knockout", 6, False),
        ("league_day", 5, True),
        ("league_day", 7, False),
        ("league_day", 16, False),
        ("last_longer", 7, False),
    ],
)
def test_where_who_meets_whom_is_known_somebody_comes_late_in_the_place_of_a_bye(
    name: str, count: int, *, comes: bool
) -> None:
    event = WrittenEvent(name, entry={"late_rounds": 1}).begin(count)
    if not comes:
        assert event.code(enters()) == "entry_closed"
        return
    event.enter(1)
    assert event.tournament.stages[0].seeds[-1] == count + 1
    event.pair()
    assert count + 1 in {number for table in event.round.tables.values() for number in table.seats}
    assert event.code(enters()) == "entry_closed"
    ruling = judged(event.close().lines)
    assert (ruling.code, ruling.upto) == (None, len(event.lines)), ruling.why
    assert sorted(n for level in event.tournament.ranking for n in level) == list(range(1, count + 2))


def test_who_comes_late_and_waits_plays_from_the_pairing_after_being_let_in() -> None:
    event = WrittenEvent("duel_swiss", entry={"late_rounds": 2, "approve": True}).enter(3)
    for number in (1, 2, 3):
        event.do(commands.Approve(by=HOST, number=number))
    event.check_in().draw().step()
    event.enter(2)
    event.play_round()
    assert set(event.tournament.stages[0].seeds) == {1, 2, 3}
    event.do(commands.Approve(by=HOST, number=4))
    assert event.tournament.entrants[4].since == (1, 2)
    event.play_round()
    # Two rounds are closed, and with them the time for latecomers.
    assert event.code(commands.Approve(by=HOST, number=5)) == "entry_closed"
    assert judged(event.close().lines).upto == len(event.lines)


@pytest.mark.parametrize(("name", "played"), [("duel_swiss", 0), ("duel_swiss", 1), ("single", 0), ("round_robin", 0)])
def test_who_was_not_there_when_lots_were_drawn_comes_late_where_anybody_may(name: str, played: int) -> None:
    event = WrittenEvent(name, entry={"late_rounds": 2}).enter(4).check_in((1, 2, 3)).draw().do_step()
    assert (event.tournament.entrants[4].gone, event.code(back(4, STRANGER))) == ((1, 1), "not_yours")
    for _ in range(played):
        event.play_round()
    event.do(back(4, player(4)))
    assert event.tournament.entrants[4].since == (1, played + 1)
    assert (4 in event.tournament.stages[0].seeds) is not bool(played)
    event.pair()
    assert 4 in {number for table in event.round.tables.values() for number in table.seats}
    ruling = judged(event.close().lines)
    assert (ruling.code, ruling.upto) == (None, len(event.lines)), ruling.why
    assert sorted(n for level in event.tournament.ranking for n in level) == [1, 2, 3, 4]


def test_who_was_not_there_stays_out_once_nobody_comes_late() -> None:
    event = WrittenEvent("duel_swiss", entry={"late_rounds": 1}).enter(4).check_in((1, 2, 3)).draw().do_step()
    event.play_round()
    assert event.code(back(4)) == "entry_closed"
    full = WrittenEvent("single", entry={"late_rounds": 1}).enter(5).check_in((1, 2, 3, 4)).draw().do_step()
    assert full.code(back(5)) == "entry_closed"


def test_who_still_waited_to_be_let_in_at_the_draw_is_let_in_late() -> None:
    event = WrittenEvent("duel_swiss", entry={"late_rounds": 2, "approve": True}).enter(4)
    for number in (1, 2, 3):
        event.do(commands.Approve(by=HOST, number=number))
    event.check_in((1, 2, 3)).draw().do_step().play_round()
    assert event.code(commands.Approve(by=HOST, number=4)) == "already_withdrawn"
    event.do(back(4))
    assert not event.tournament.entrants[4].plays
    event.do(commands.Approve(by=HOST, number=4))
    event.pair()
    assert 4 in {number for table in event.round.tables.values() for number in table.seats}
    assert judged(event.close().lines).upto == len(event.lines)


# ---- byes ------------------------------------------------------------------------------------------


def bye(number: int, played: int, kind: Any = "half", by: str | None = None) -> commands.RequestBye:
    return commands.RequestBye(by=player(number) if by is None else by, number=number, round=played, kind=kind)


def test_a_bye_is_asked_for_oneself_or_by_an_official() -> None:
    event = EventByHand().enter(2)
    event.do(commands.Appoint(by=HOST, official=ARBITER, role="arbiter"))
    assert event.code(bye(9, 1)) == "unknown_number"
    assert event.code(bye(1, 1, by=player(2))) == "not_yours"
    event.do(bye(1, 1, by=ARBITER))
    assert event.code(bye(1, 1)) == "already_registered"
    event.do(bye(1, 1, "zero"))
    event.do(commands.DropBye(by=player(1), number=1, round=1))
    assert event.tournament.entrants[1].byes == {}


def test_half_a_point_is_had_as_often_as_the_rules_say_and_never_for_what_may_be_the_last_round() -> None:
    event = EventByHand("duel_swiss", entry={"half_byes": 2}).enter(5)
    # With two entrants there are 3 rounds, with 64 there are 6.
    assert event.code(bye(1, 3)) == "too_late"
    assert event.code(bye(1, 7, "zero")) == "too_late"
    event.do(bye(1, 6, "zero"))
    event.check_in().draw().step()
    assert event.tournament.stages[0].rounds_planned == 3
    assert event.code(bye(1, 0)) == "too_late"
    assert event.code(bye(1, 4, "zero")) == "too_late"
    assert event.code(bye(1, 3)) == "too_late"
    event.do(bye(1, 1))
    event.do(bye(1, 2))
    event.do(bye(1, 3, "zero"))
    one = EventByHand("club_night", entry={"half_byes": 1}).begin(4)
    one.do(bye(1, 1))
    assert one.code(bye(1, 2)) == "too_late"


def test_no_bye_is_asked_for_a_round_that_is_paired_and_none_taken_back() -> None:
    event = EventByHand("club_night").begin(5)
    event.do(bye(1, 1))
    event.pair()
    assert event.code(bye(2, 1)) == "too_late"
    assert event.code(commands.DropBye(by=player(1), number=1, round=1)) == "too_late"
    assert event.code(commands.DropBye(by=player(1), number=1, round=2)) == "too_late"
    event.finish()
    assert event.code(bye(2, 1)) == "wrong_phase"
    assert event.code(commands.DropBye(by=player(1), number=1, round=1)) == "wrong_phase"


def test_who_has_left_asks_for_no_bye_and_those_asked_for_lapse() -> None:
    event = WrittenEvent("club_night").begin(5)
    event.do(bye(1, 2))
    event.play()
    event.do(commands.Withdraw(by=player(1), number=1))
    assert event.code(bye(1, 2, "zero")) == "already_withdrawn"
    assert event.code(commands.DropBye(by=player(1), number=1, round=2)) == "too_late"
    event.play_round().play_round()
    before = [row for row in _rows(event) if row.number == 1]
    event.do(commands.Return(by=player(1), number=1))
    assert [row for row in _rows(event) if row.number == 1] == before
    assert judged(event.close().lines).upto == len(event.lines)


@pytest.mark.parametrize("name", ["single", "round_robin", "knockout", "league_day"])
def test_where_who_meets_whom_is_known_nobody_asks_for_a_bye(name: str) -> None:
    assert EventByHand(name).enter(2).code(bye(1, 1, "zero")) == "too_late"


def test_a_bye_that_was_asked_for_counts_half() -> None:
    event = EventByHand("club_night").begin(5)
    event.do(bye(1, 1))
    event.play_round()
    assert next(row.score for row in _rows(event) if row.number == 1) * 2 == 1


def _rows(event: EventByHand) -> list[Standing]:
    return StageField(event.tournament, 1).rows


def test_who_comes_late_has_for_each_missed_round_what_the_rules_say() -> None:
    worth: dict[str, Fraction] = {}
    for points in ("half", "zero"):
        event = EventByHand("club_night", entry={"late_rounds": 2, "late_points": points}).begin(5).play_round()
        event.enter(1)
        event.play_round()
        worth[points] = next(row.score for row in _rows(event) if row.number == 6)
    assert (worth["half"] - worth["zero"]) * 2 == 1
