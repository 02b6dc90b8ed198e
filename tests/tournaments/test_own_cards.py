"""Cards of entrants: what one may appeal against, and how one would stand if tables ended as they do now."""

from __future__ import annotations

from domain.tournaments import commands
from domain.tournaments.events import PenaltyImposed, ResultRuled
from projections.tournaments.entrants import may_enter
from projections.tournaments.rounds import round_view
from projections.tournaments.standings import if_it_ended_so, standings_view
from tests.tournaments.events_by_hand import HOST, SEASON, EventByHand, player
from tests.tournaments.seen_events import NAMES, busy
from tests.tournaments.test_readings import card


def test_a_card_has_every_line_that_can_be_appealed_against_and_what_became_of_appeals() -> None:
    event = busy()
    ruled, fined = event.line_of(ResultRuled), event.line_of(PenaltyImposed)
    one, two, *_ = event.table(1).seats
    own = card(event, two)
    assert [(each.kind, each.line) for each in own.disputable] == [("penalty", fined), ("ruling", ruled)]
    assert (own.disputable[1].round, own.disputable[1].table, own.disputable[1].place) == (1, 1, 1)
    assert [(each.appeal, each.outcome) for each in card(event, one).appeals] == [(1, "denied")]
    assert own.appeals == ()
    away = next(
        number for table in event.round.tables.values() for number in (table.result.absent if table.result else ())
    )
    (missed,) = card(event, away).disputable
    assert (missed.kind, missed.place) == ("result", None)
    assert missed.line == round_view(event.tournament, NAMES, 1, 1).tables[-1].line
    event.do(commands.Appeal(by=player(away), number=away, line=missed.line))
    assert [(each.line, each.outcome) for each in card(event, away).appeals] == [(missed.line, None)]
    event.do(commands.RequestBye(by=player(two), number=two, round=3, kind="zero"))
    assert [(each.round, each.kind) for each in card(event, two).byes] == [(3, "zero")]


def test_people_may_enter_while_anybody_may_and_late_where_the_rules_let_them() -> None:
    event = EventByHand("pods", entry={"late_rounds": 1, "max": 5})
    said = [may_enter(event.tournament)]
    event.enter(4)
    said.append(may_enter(event.tournament))
    event.check_in(draws=(2,))
    said.append(may_enter(event.tournament))
    assert [card(event, number).draws for number in (1, 2)] == [False, True]
    event.draw().step()
    said.append(may_enter(event.tournament))
    event.enter(1)
    said.append(may_enter(event.tournament))
    assert said == [False, True, False, True, False], "announced, entry, check-in, late, full"
    assert not may_enter(EventByHand("pods", entry={"invited": True}).tournament)
    assert may_enter(EventByHand("pods", entry={"player": True, "rating": [10, 40]}, season=SEASON).enter(0).tournament)


def test_a_ruling_counts_before_what_is_recorded_later_and_a_replay_takes_both_away() -> None:
    event = EventByHand("duel_swiss").begin(4).start()
    one, two = event.table(1).seats
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((two,), (one,)), reason="agreement"))
    ruled = event.tournament.seq
    event.record(1)
    assert event.table(1).line == ruled
    event.do(commands.Replay(by=HOST, round=1, table=1, reason="technical"))
    assert event.table(1).line is None


def test_standings_can_be_read_as_if_tables_ended_as_they_stand() -> None:
    event = EventByHand("duel_swiss").begin(4).play_round().start()
    one, two = event.table(1).seats
    event.record(2)
    assert standings_view(event.tournament, NAMES, 1, 2).missing == (1,)
    assert if_it_ended_so(event.tournament, (1, 2), {}) == event.tournament
    ended = if_it_ended_so(event.tournament, (1, 2), {1: ((two,), (one,))})
    told = standings_view(ended, NAMES, 1, 2)
    assert told.missing == ()
    event.record(1, ((two,), (one,)))
    assert [(row.number, row.place, row.score) for row in told.rows] == [
        (row.number, row.place, row.score) for row in standings_view(event.tournament, NAMES, 1, 2).rows
    ]
    assert if_it_ended_so(event.tournament, (1, 2), {1: ((one,), (two,))}) == event.tournament, "results stay"
