"""Ratings: how strong somebody is, as whole millionths, from who came before whom in matches that were played.

Everybody begins at mu 25 and sigma 25/3. All tables of a round count from the ratings before it, so that their order
does not matter; of a table that plays several matches, each counts from the one before it. What was not played, and
what was ruled without play, counts nothing.

Source: the package `openskill`, PlackettLuce with its defaults (Weng and Lin, 2011).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec import Struct
from openskill.models import PlackettLuce

from domain.seasons.counting import played_rounds
from domain.seasons.season import CAUTION, PROVISIONAL
from domain.tournaments.events import Ranking
from domain.tournaments.tournament import Tournament

MILLION: Final = 1_000_000


class Rating(Struct, frozen=True):
    """How strong somebody is, in millionths, and after how many matches."""

    mu: int = 25_000_000
    sigma: int = 8_333_333
    matches: int = 0

    @property
    def shown(self) -> int:
        """What is shown of it, in millionths."""
        return self.mu - CAUTION * self.sigma

    @property
    def is_provisional(self) -> bool:
        """Whether too little is known yet."""
        return self.sigma > PROVISIONAL


def rate(before: Mapping[int, Rating], ranking: Ranking) -> dict[int, Rating]:
    """Return the ratings of those in a match after it.

    Args:
        before: Their ratings before it; who is missing begins.
        ranking: Who came where, the best first; who shares a place stands together. At least two.
    """
    model = PlackettLuce()
    numbers = [number for level in ranking for number in level]
    places = [float(place) for place, level in enumerate(ranking) for _ in level]
    known = [before.get(number, Rating()) for number in numbers]
    teams = [[model.rating(mu=each.mu / MILLION, sigma=each.sigma / MILLION)] for each in known]
    rated = model.rate(teams, ranks=places)
    return {
        number: Rating(round(team[0].mu * MILLION), round(team[0].sigma * MILLION), each.matches + 1)
        for number, each, team in zip(numbers, known, rated, strict=True)
    }


def rate_round(before: Mapping[int, Rating], tables: Iterable[Sequence[Ranking]]) -> dict[int, Rating]:
    """Return the ratings after a round, in which each sits at one table: all tables count from those before it."""
    after = dict(before)
    for matches in tables:
        after |= _rate_table(before, matches)
    return after


def _rate_table(before: Mapping[int, Rating], matches: Sequence[Ranking]) -> dict[int, Rating]:
    """Return the ratings of those at a table after its matches, one after the other."""
    found: dict[int, Rating] = {}
    for ranking in matches:
        numbers = [number for level in ranking for number in level]
        if len(numbers) > 1:
            known = {number: before[number] for number in numbers if number in before}
            found |= rate(known | found, ranking)
    return found


def ratings_after(tournament: Tournament) -> dict[int, Rating]:
    """Return the ratings of everybody in a tournament after it, by number; they began with those they entered with."""
    found = {
        number: Rating() if each.rating is None else Rating(*each.rating)
        for number, each in tournament.entrants.items()
    }
    return rate_rounds(found, ([table.matches for table in tables] for tables in played_rounds(tournament)))


def rate_rounds(before: Mapping[int, Rating], rounds: Iterable[Iterable[Sequence[Ranking]]]) -> dict[int, Rating]:
    """Return the ratings after some rounds, one after the other."""
    found = dict(before)
    for tables in rounds:
        found = rate_round(found, tables)
    return found
