"""Openings of a stage: who is seeded where, and tournaments that do not come to one."""

from __future__ import annotations

from domain.tournaments import commands
from tests.tournaments.events_by_hand import HOST, SEASON, player
from tests.tournaments.events_for_audit import WrittenEvent, judged


def test_seeds_follow_ratings_and_who_has_none_comes_last() -> None:
    event = WrittenEvent("single", seeding="rating", season=SEASON).enter(1)
    for mu in (10, 30, -20):
        event.enter(1, rating=(mu * 1_000_000, 1))
    event.check_in().draw().step()
    assert event.tournament.stages[0].seeds == (3, 2, 4, 1)
    assert judged(event.close().lines).upto == len(event.lines)


def test_seeds_are_as_the_host_says_and_others_come_after_by_lot() -> None:
    event = WrittenEvent("single", seeding="manual").enter(2)
    for seed in (2, 1):
        number = len(event.tournament.entrants) + 1
        event.do(commands.Register(by=HOST, player=player(number), seed=seed))
    event.check_in().draw().step()
    assert event.tournament.stages[0].seeds[:2] == (4, 3)
    assert judged(event.close().lines).upto == len(event.lines)


def test_where_all_but_one_leave_while_lots_are_drawn_nothing_is_played() -> None:
    event = WrittenEvent().enter(2).check_in().draw()
    event.do(commands.Withdraw(by=player(1), number=1))
    event.step()
    assert event.tournament.phase == "cancelled"
    assert judged(event.close().lines).upto == len(event.lines)


def test_a_deal_that_is_open_when_a_tournament_is_cancelled_is_closed_with_it() -> None:
    event = WrittenEvent().enter(3).check_in(draws=(1,))
    event.step()
    assert event.ceremony.stage == "committed"
    event.do(commands.Cancel(by=HOST))
    event.close()
    kinds = [type(each).__name__ for each in event.events[-4:]]
    assert kinds == ["TournamentCancelled", "DealVoided", "DealClosed", "TournamentClosed"]
    assert judged(event.lines).upto == len(event.lines)
