"""Counting of a tournament for a season: points by its rules, and ratings that go on from those of the season."""

from __future__ import annotations

from domain.seasons.counting import TournamentOutcome, league_points, members_rated, rated_rounds
from domain.seasons.deciding import CountTournament
from domain.seasons.season import Season
from services.audit.seasons.ratings import Rating, rate_rounds


def count(season: Season, outcome: TournamentOutcome) -> CountTournament:
    """Return what a tournament that is closed counts for a season as it stands. Cost: a millisecond a match.

    Everybody begins it with the rating of the season, whatever that was when they entered.
    """
    members = outcome.members
    before = {number: Rating(*season.ratings[member]) for number, member in members.items() if member in season.ratings}
    rounds = rated_rounds(season.rules, outcome)
    after = rate_rounds(before, rounds)
    rated = {member: after[number] for number, member in members_rated(outcome, rounds).items()}
    ratings = {member: (each.mu, each.sigma, each.matches) for member, each in rated.items()}
    return CountTournament(outcome.tournament, outcome.head, league_points(season.rules, outcome), ratings)
