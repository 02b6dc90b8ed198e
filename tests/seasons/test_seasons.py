"""Seasons: what counts once, what a place is worth, which results count, who goes up and down, and ratings."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import msgspec
import pytest

from domain.errors import SEASON_CODES, Refused
from domain.seasons import events
from domain.seasons.counting import TournamentOutcome, league_points
from domain.seasons.deciding import PART, TOURNAMENTS_MAX, AdmitTournament, CloseSeason, CountTournament
from domain.seasons.members import is_bot, member_of
from domain.seasons.record import is_season, season_of, step_season, stream_of_season
from domain.seasons.rules import rules_to_begin, season_object, season_rules
from domain.seasons.season import evolve_season
from domain.seasons.standings import league_table
from domain.tournaments import commands
from services.audit.seasons.counts import count
from services.audit.seasons.ratings import Rating, rate
from tests.seasons.season_stories import (
    BASIL,
    LEAGUE,
    SAFFRON,
    SEASON,
    EventOfPlayers,
    SeasonByHand,
    held,
    lied,
    other_id,
    person,
)
from tests.tournaments.events_by_hand import HOST

ADA, BOB, CLEO, DORA = map(person, range(1, 5))
GUEST = "e" + "7" * 24
HEAD = "ab" * 32


def outcome(number: int, *levels: tuple[str, ...], **members: Any) -> TournamentOutcome:
    """Return a tournament that came out so, in which nothing was played that is rated."""
    players = [player for level in levels for player in level]
    numbers = {player: place for place, player in enumerate(players, start=1)}
    known = {place: member_of(player) for player, place in numbers.items()}
    found = TournamentOutcome(
        tournament=other_id(number),
        head=HEAD,
        season=str(SEASON),
        members={place: member for place, member in known.items() if member is not None},
        ranking=tuple(tuple(numbers[player] for player in level) for level in levels),
        scores={place: str(len(players) - place) for place in known},
        rounds=(),
    )
    return msgspec.structs.replace(found, **members)


def refusal(season: SeasonByHand, command: Any) -> Refused:
    with pytest.raises(Refused) as refused:
        season.do(command)
    return refused.value


# ---- who is known beyond one tournament -----------------------------------------------------------


def test_a_player_is_the_same_in_every_tournament_a_bot_by_its_manner_and_a_guest_is_nobody() -> None:
    assert member_of(ADA) == ADA
    assert member_of(BASIL) == "bot/steady"
    assert member_of("bot/L2.bold/0123abcd") == "bot/L2.bold"
    assert [is_bot("bot/steady"), is_bot(ADA)] == [True, False]
    assert [member_of(who) for who in (GUEST, "u12", "bot/steady", "o" + "1" * 24)] == [None] * 4


def test_streams_of_seasons_are_told_from_others() -> None:
    assert season_of(stream_of_season(SEASON)) == SEASON
    assert [is_season(f"{kind}/{SEASON}") for kind in ("season", "match", "tournament")] == [True, False, False]


# ---- the rules object -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rules", "option"),
    [
        ({"season": 2}, "season"),
        ({"leagues": {}}, "leagues"),
        ({"league": {}}, "league.places"),
        ({"league": {"points": "score", "places": ["1"]}}, "league.places"),
        ({"league": {"places": ["0.5"]}}, "league.places.0"),
        ({"league": {"places": ["3", "2/4"]}}, "league.places.1"),
        ({"league": {"places": ["3", "-1"]}}, "league.places.1"),
        ({"league": {"places": ["1000001"]}}, "league.places.0"),
        ({"league": {"places": ["3", "2", "5/2"]}}, "league.places.2"),
        ({"league": {"places": ["3"], "best": 0}}, "league.best"),
    ],
)
def test_the_first_wrong_option_of_a_season_is_named(rules: dict[str, Any], option: str) -> None:
    with pytest.raises(Refused) as refused:
        season_rules(rules)
    assert (refused.value.code, refused.value.facts["option"]) == ("bad_options", option)


# ---- what counts ----------------------------------------------------------------------------------


def test_places_are_worth_what_the_list_says_and_who_shares_one_shares_the_points() -> None:
    points = league_points(season_rules(LEAGUE), outcome(1, (ADA,), (BOB, CLEO), (GUEST,), (DORA,)))
    assert points == {ADA: 10, BOB: 5, CLEO: 5, DORA: 0}


def test_points_may_be_the_score_and_a_season_without_a_league_has_none() -> None:
    seen = outcome(1, (ADA,), (GUEST,), (BOB,))
    assert league_points(season_rules({"league": {"points": "score"}}), seen) == {ADA: 2, BOB: 0}
    assert league_points(season_rules({}), seen) == {}


def test_what_is_not_held_for_a_season_and_what_has_counted_does_not_count() -> None:
    season = SeasonByHand()
    counts = count(season.season, outcome(1, (ADA,)))
    assert refusal(season, counts).code == "too_late"
    season.count(outcome(1, (ADA,)))
    assert refusal(season, counts).code == "already_registered"
    assert refusal(season, AdmitTournament(other_id(1))).code == "already_registered"


def test_a_season_ends_when_all_that_is_held_for_it_has_counted_and_then_for_good() -> None:
    season = SeasonByHand()
    season.do(AdmitTournament(other_id(1)))
    refused = refusal(season, CloseSeason())
    assert (refused.code, refused.facts) == ("season_running", {"tournaments": [other_id(1)]})
    season.do(CountTournament(other_id(1), HEAD, {}, {}))
    season.close()
    codes = {refusal(season, command).code for command in (CloseSeason(), AdmitTournament(other_id(2)))}
    assert codes == {"season_over"}
    assert season.read() == season.season


def test_a_season_has_room_for_so_many_tournaments() -> None:
    season = SeasonByHand()
    season.season = msgspec.structs.replace(season.season, admitted=tuple(map(other_id, range(TOURNAMENTS_MAX))))
    refused = refusal(season, AdmitTournament(other_id(TOURNAMENTS_MAX)))
    assert (refused.code, refused.facts) == ("season_full", {"max": TOURNAMENTS_MAX})
    assert set(SEASON_CODES) == {"season_full", "season_over", "season_running"}


def test_many_players_count_in_parts_of_one_append() -> None:
    season = SeasonByHand()
    people = [(person(number),) for number in range(1, 2 * PART + 2)]
    season.do(AdmitTournament(other_id(1)))
    happened = season.do(count(season.season, outcome(1, *people)))
    assert [len(each.points) for each in happened] == [PART, PART, 1]  # type: ignore[union-attr]
    assert [each.part for each in happened] == [1, 2, 3]  # type: ignore[union-attr]
    assert season.read() == season.season
    assert max(map(len, season.lines)) < 60_000


# ---- the table of a league ------------------------------------------------------------------------


def test_the_best_results_count_and_the_better_single_one_parts_equals() -> None:
    season = SeasonByHand()
    season.count(outcome(1, (ADA,), (BOB,), (CLEO,)))
    season.count(outcome(2, (BOB,), (CLEO,), (DORA,), (ADA,)))
    season.count(outcome(3, (CLEO,), (GUEST,), (ADA,), (BOB,)))
    table = league_table(season.season)
    assert [(row.place, row.member, row.points) for row in table] == [
        *((1, BOB, Fraction(16)), (1, CLEO, Fraction(16)), (3, ADA, Fraction(14)), (4, DORA, Fraction(4))),
    ]
    assert [[each.counts for each in row.results] for row in table] == [
        *([True, True, False], [False, True, True], [True, False, True], [True]),
    ]
    assert table[0].results[2].points == Fraction(3)


def test_who_shares_the_last_place_that_goes_up_goes_along_and_down_all_of_a_place_go_or_none() -> None:
    season = SeasonByHand({"league": {"places": ["3", "2", "1"], "up": 2, "down": 2}})
    season.count(outcome(1, (ADA,), (BOB, CLEO), (DORA, person(5), person(6)))).close()
    assert (season.season.up, season.season.down) == ((ADA, BOB, CLEO), ())
    season = SeasonByHand({"league": {"places": ["3", "2", "1"], "down": 2}})
    season.count(outcome(1, (ADA,), (BOB, CLEO))).close()
    assert (season.season.up, season.season.down) == ((), (BOB, CLEO))
    season = SeasonByHand({"league": {"places": ["3", "2"], "up": 1, "down": 9}})
    season.count(outcome(1, (ADA,), (BOB,))).close()
    assert (season.season.up, season.season.down) == ((ADA,), (BOB,))


def test_bots_have_a_table_of_their_own_and_nobody_goes_anywhere_without_a_league() -> None:
    season = SeasonByHand()
    season.count(outcome(1, (BASIL,), (ADA,), (SAFFRON,)))
    assert [row.member for row in league_table(season.season)] == [ADA]
    assert [(row.place, row.member) for row in league_table(season.season, bots=True)] == [
        *((1, "bot/steady"), (2, "bot/bold")),
    ]
    alone = SeasonByHand({})
    alone.do(AdmitTournament(other_id(1)))
    alone.do(CountTournament(other_id(1), HEAD, {ADA: Fraction(1), BOB: Fraction(1, 2)}, {}))
    assert [row.points for row in league_table(alone.season)] == [1, Fraction(1, 2)]
    assert (alone.close().season.up, alone.season.down) == ((), ())


# ---- how strong everybody is ----------------------------------------------------------------------------


def test_a_tournament_goes_on_from_the_ratings_of_the_season_whatever_they_were_at_entry() -> None:
    season, event = SeasonByHand(), held(ADA, BOB, CLEO)
    season.count(event.outcome)
    first = season.season.ratings
    assert first[ADA][0] > Rating().mu > first[CLEO][0]
    season.count(msgspec.structs.replace(event.outcome, tournament=other_id(2)))
    assert season.season.ratings[ADA][0] > first[ADA][0]
    assert [rating[2] for rating in season.season.ratings.values()] == [2, 2, 2]
    assert season.read() == season.season


def test_of_bots_that_play_alike_the_first_counts() -> None:
    event = held(ADA, BASIL, "bot/steady/ffff0000", BOB)
    assert event.outcome.members == {1: ADA, 2: "bot/steady", 4: BOB}
    season = SeasonByHand().count(event.outcome)
    assert set(season.season.ratings) == {ADA, BOB, "bot/steady"}
    assert sorted(season.season.results) == ["bot/steady", ADA, BOB]


def test_who_was_not_there_keeps_the_rating_and_has_the_place() -> None:
    event = EventOfPlayers("pods", rated=True, stages=[{"format": "swiss", "rounds": 1}]).enter_these(ADA, BOB, CLEO)
    event.start()
    seats = event.table().seats
    event.absent(1, seats[2])
    season = SeasonByHand().count(event.close().outcome)
    gone = event.tournament.entrants[seats[2]].player
    assert gone not in season.season.ratings
    assert gone in season.season.results
    assert len(season.season.ratings) == 2


def legs_of(*players: str, winners: Sequence[str]) -> EventOfPlayers:
    """Return a rated tournament of one table of two that plays best of three, won by these in turn."""
    stages = [{"format": "round_robin", "best_of": 3}]
    event = EventOfPlayers("round_robin", rated=True, stages=stages).enter_these(*players)
    for winner in winners:
        event.start()
        first, other = sorted(event.table().seats, key=lambda n: event.tournament.entrants[n].player != winner)
        event.at += 1
        event.record(1, ((first,), (other,)))
    return event


def test_every_match_of_a_table_is_rated_and_in_seasons_of_before_the_table_once() -> None:
    event = legs_of(ADA, BOB, winners=(ADA, BOB, ADA)).close()
    now, before = (SeasonByHand(rules).count(event.outcome).season.ratings for rules in ({"rates": "matches"}, {}))
    assert [now[who][2] for who in (ADA, BOB)] == [3, 3]
    assert [before[who][2] for who in (ADA, BOB)] == [1, 1]
    once = rate({}, ((1,), (2,)))
    assert before == {ADA: (once[1].mu, once[1].sigma, 1), BOB: (once[2].mu, once[2].sigma, 1)}
    steps = rate(rate(once, ((2,), (1,))), ((1,), (2,)))
    assert now == {ADA: (steps[1].mu, steps[1].sigma, 3), BOB: (steps[2].mu, steps[2].sigma, 3)}


def test_matches_that_were_played_are_rated_though_somebody_did_not_come_to_the_last() -> None:
    event = legs_of(ADA, BOB, winners=(ADA,))
    event.start()
    one = next(number for number, who in event.tournament.entrants.items() if who.player == BOB)
    event.absent(1, one)
    outcome = event.close().outcome
    assert {
        who: rated[2] for who, rated in SeasonByHand({"rates": "matches"}).count(outcome).season.ratings.items()
    } == {
        ADA: 1,
        BOB: 1,
    }
    assert SeasonByHand({}).count(outcome).season.ratings == {}


def test_the_rules_of_a_season_that_begins_say_that_every_match_is_rated_and_those_of_before_say_nothing() -> None:
    assert season_object(rules_to_begin({})) == {"season": 1, "league": None, "rates": "matches"}
    assert season_object(season_rules({})) == {"season": 1, "league": None}


def test_what_is_not_rated_leaves_ratings_alone_and_guests_have_no_points() -> None:
    event = held(ADA, GUEST, BOB, rated=False)
    season = SeasonByHand().count(event.outcome)
    assert (season.season.ratings, sorted(season.season.results)) == ({}, [ADA, BOB])


def test_a_tournament_that_was_cancelled_counts_for_nothing() -> None:
    event = EventOfPlayers("pods", rated=True, stages=[{"format": "swiss"}]).enter_these(ADA, BOB, CLEO, DORA)
    event.play_round()
    event.do(commands.Cancel(by=HOST))
    season = SeasonByHand().count(event.close().outcome)
    assert (season.season.results, season.season.ratings) == ({}, {})
    assert season.season.awaited == ()


def test_scores_of_all_stages_are_summed() -> None:
    event = EventOfPlayers("pods_final", scoring={"scheme": "winner"}).enter_these(*map(person, range(1, 9))).close()
    assert event.outcome.scores[1] == "4"
    assert sum(map(int, event.outcome.scores.values())) == 7


# ---- lines ----------------------------------------------------------------------------------------


def test_lines_of_another_version_or_type_are_not_read() -> None:
    season = SeasonByHand()
    for change in (lambda line: line.update(type="season.paused"), lambda line: line["data"].update(more=1)):
        with pytest.raises(ValueError, match=r"no event|unknown field"):
            step_season(None, lied(season.lines, 1, change)[0])
    with pytest.raises(ValueError, match="another version"):
        step_season(None, season.lines[0].replace(b'"v":1}', b'"v":2}'))


def test_a_season_is_created_once() -> None:
    season = SeasonByHand()
    created = msgspec.convert(msgspec.json.decode(season.lines[0])["data"], events.SeasonCreated)
    with pytest.raises(AssertionError, match="once"):
        evolve_season(season.season, created, 2)
