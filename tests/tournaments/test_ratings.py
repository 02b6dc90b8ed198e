"""Ratings: who comes first is stronger afterwards, and in which order the tables of a round are counted is the same."""

from __future__ import annotations

from domain.tournaments import commands
from domain.tournaments.events import Ranking
from services.audit.seasons.ratings import Rating, rate, rate_round, ratings_after
from tests.tournaments.events_by_hand import HOST, SEASON, EventByHand


def test_who_comes_first_is_stronger_and_better_known_afterwards() -> None:
    after = rate({}, ((1,), (2,), (3,)))
    assert after[1].mu > Rating().mu > after[3].mu
    assert all(each.sigma < Rating().sigma and each.matches == 1 for each in after.values())


def test_who_shares_a_place_stays_equal() -> None:
    after = rate({}, ((1, 2), (3,)))
    assert after[1] == after[2]


def test_a_beginner_is_shown_as_nothing_and_provisional() -> None:
    assert (Rating().shown, Rating().is_provisional) == (1, True)
    assert not Rating(25_000_000, 3_999_999).is_provisional


def test_tables_of_a_round_count_from_the_ratings_before_it() -> None:
    one, other = ((1,), (2,)), ((3,), (4,))
    tables: list[list[Ranking]] = [[one], [other], [((5,),)], []]
    assert rate_round({}, tables) == rate_round({}, reversed(tables)) == rate({}, one) | rate({}, other)


def test_each_match_of_a_table_that_plays_several_counts_from_the_one_before_it() -> None:
    first, second = ((1,), (2,)), ((2,), (1,))
    once = rate({}, first)
    found = rate_round({}, [[first, second], [((3,), (4,))]])
    assert {number: found[number] for number in (1, 2)} == rate(once, second)
    assert [found[number].matches for number in (1, 2, 3, 4)] == [2, 2, 1, 1]


def test_a_tournament_counts_what_was_played_and_not_what_was_ruled_or_stood_over() -> None:
    event = EventByHand("duel_swiss", entry={"rating": [0, 50]}, season=SEASON)
    event.enter(4, rating=(30_000_000, 2_000_000)).check_in().draw().step()
    event.start()
    one, two = event.table(1).seats
    three, four = event.table(2).seats
    event.record(1, ((one,), (two,)))
    event.do(commands.Rule(by=HOST, stage=1, round=1, table=1, ranking=((two,), (one,))))
    event.record(2, ((three,),), absent=(four,), how="walkover", match=None, version=None, head=None)
    found = ratings_after(event.tournament)
    assert found[one].mu > 30_000_000 > found[two].mu
    assert found[three] == found[four] == Rating(30_000_000, 2_000_000)


def test_who_enters_without_a_rating_begins() -> None:
    event = EventByHand("duel_swiss").begin(2)
    assert ratings_after(event.tournament) == {1: Rating(), 2: Rating()}
