"""Losses of tables that are lifted: the table counts as it did before, unless something was said of it since."""

from __future__ import annotations

from domain.tournaments import commands, events
from tests.tournaments.events_by_hand import ARBITER, HOST
from tests.tournaments.events_for_audit import judged
from tests.tournaments.test_rulings import ruled, running


def test_a_table_that_is_lost_no_more_counts_as_before() -> None:
    event = running()
    one, two = event.table().seats
    event.record(1, ((one,), (two,)))
    before = event.table()
    event.do(commands.Penalise(by=ARBITER, number=one, kind="table_loss", table=1))
    event.do(commands.Lift(by=HOST, line=event.line_of(events.PenaltyImposed)))
    assert event.table() == before
    event.do(ruled(event, ranking=((one, two),)))
    event.do(commands.Penalise(by=ARBITER, number=two, kind="table_loss", table=1))
    line = event.line_of(events.PenaltyImposed)
    event.play_round()
    event.do(commands.Lift(by=HOST, line=line))
    assert event.table().ruling.ranking == ((one, two),)  # type: ignore[union-attr]
    assert judged(event.close().lines).upto == len(event.lines)


def test_what_was_ruled_of_a_table_since_it_was_lost_stays_and_so_does_a_ruling_before_a_warning() -> None:
    event = running()
    one, two = event.table().seats
    event.record()
    event.do(commands.Penalise(by=ARBITER, number=one, kind="table_loss", table=1))
    line = event.line_of(events.PenaltyImposed)
    event.do(ruled(event, ranking=((one, two),)))
    event.do(commands.Penalise(by=ARBITER, number=one, kind="warning"))
    event.do(commands.Lift(by=HOST, line=line))
    event.do(commands.Lift(by=HOST, line=event.line_of(events.PenaltyImposed)))
    assert event.table().ruling.ranking == ((one, two),)  # type: ignore[union-attr]
    again = running()
    again.record()
    again.do(commands.Penalise(by=ARBITER, number=again.table().seats[0], kind="table_loss", table=1))
    again.do(commands.Replay(by=HOST, round=1, table=1))
    again.do(commands.Lift(by=HOST, line=again.line_of(events.PenaltyImposed)))
    assert not again.table().is_over


def test_a_loss_is_lifted_of_a_table_that_was_taken_back_since() -> None:
    event = running()
    event.record()
    event.do(commands.Penalise(by=ARBITER, number=event.table().seats[0], kind="table_loss", table=1))
    event.do(commands.Replay(by=HOST, round=1, table=1))
    event.do(commands.Unpair(by=HOST))
    event.do(commands.Lift(by=HOST, line=event.line_of(events.PenaltyImposed)))
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_loss_on_which_others_have_played_on_is_not_lifted() -> None:
    event = running("single", 4)
    event.record()
    event.do(commands.Penalise(by=ARBITER, number=event.table().seats[0], kind="table_loss", table=1))
    line = event.line_of(events.PenaltyImposed)
    event.play_round().pair()
    assert event.code(commands.Lift(by=HOST, line=line)) == "too_late"
