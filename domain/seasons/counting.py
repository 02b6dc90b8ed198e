"""Counting of a tournament for a season: what follows from its record, and from nothing else.

Points are those of its places, which who shares a place shares, or the score that somebody had in all of its stages.
What was played is told apart from what was ruled, or won without play: only the former says how strong somebody is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Final

from msgspec import UNSET, Struct

from domain.seasons.members import members_of
from domain.seasons.rules import League, SeasonRules
from domain.tournaments.events import Ranking
from domain.tournaments.field import StageField
from domain.tournaments.points import points_of, points_text
from domain.tournaments.tournament import PairedTable, Tournament

RatedRound = tuple[tuple[Ranking, ...], ...]
"""Of each table of a round, the rankings that are rated one after the other."""
PLAYED: Final = frozenset({"played", "time"})


class RatedTable(Struct, frozen=True):
    """What was played at a table, whatever was ruled about it since.

    Attributes:
        ranking: Who came where as the table counts; None where it does not count as what was played.
        matches: The same of each match that it played, in order.
    """

    ranking: Ranking | None
    matches: tuple[Ranking, ...]


class TournamentOutcome(Struct, frozen=True):
    """What a season sees of a tournament that is closed.

    Attributes:
        tournament: Its id.
        head: The hash of its last line.
        season: The season that it was held for; None where it counts for none.
        members: Who is known beyond it, by number.
        ranking: Who came where; empty where it was cancelled.
        scores: The score of each in all stages, by number, as fractions.
        rounds: Where it is rated, the tables that were played, round by round.
    """

    tournament: str
    head: str
    season: str | None
    members: dict[int, str]
    ranking: Ranking
    scores: dict[int, str]
    rounds: tuple[tuple[RatedTable, ...], ...]


def outcome_of(tournament: Tournament, head: str) -> TournamentOutcome:
    """Return what a season sees of a tournament whose last line has this hash."""
    rules, members = tournament.rules, members_of(tournament.entrants.values())
    # Places are said in the end, and not where it was cancelled before.
    counts = bool(tournament.ranking)
    scores = _scores(tournament) if counts else {}
    rounds = tuple(played_rounds(tournament)) if counts and rules.rated else ()
    return TournamentOutcome(
        str(tournament.id), head, rules.season, members, tournament.ranking,
        {number: points_text(score) for number, score in scores.items()}, rounds,
    )  # fmt: skip


def _scores(tournament: Tournament) -> dict[int, Fraction]:
    found = dict.fromkeys(tournament.entrants, Fraction(0))
    for stage in tournament.stages:
        for number, score in StageField(tournament, stage.number).scores.items():
            found[number] += score
    return found


def played_rounds(tournament: Tournament) -> Iterator[tuple[RatedTable, ...]]:
    """Yield the tables of each round at which something was played."""
    for stage in tournament.stages:
        for held in (stage.rounds[number] for number in sorted(stage.rounds)):
            tables = map(_played, held.tables.values())
            yield tuple(table for table in tables if table.matches)


def _played(table: PairedTable) -> RatedTable:
    result = table.result
    counts = None if result is None or result.how not in PLAYED else result.ranking
    return RatedTable(counts, tuple(leg.ranking for leg in table.legs if leg.how in PLAYED))


def rated_rounds(rules: SeasonRules, outcome: TournamentOutcome) -> tuple[RatedRound, ...]:
    """Return what of a tournament is rated by the rules of a season, round by round."""
    once = rules.rates is UNSET
    return tuple(tuple(_rated(table, once=once) for table in tables) for tables in outcome.rounds)


def _rated(table: RatedTable, *, once: bool) -> tuple[Ranking, ...]:
    if once:
        return () if table.ranking is None else (table.ranking,)
    return table.matches


def league_points(rules: SeasonRules, outcome: TournamentOutcome) -> dict[str, Fraction]:
    """Return the points of every member who has a place in a tournament; none where there is no league."""
    if rules.league is None:
        return {}
    return {
        outcome.members[number]: points
        for number, points in _points(rules.league, outcome)
        if number in outcome.members
    }


def _points(league: League, outcome: TournamentOutcome) -> Iterator[tuple[int, Fraction]]:
    worth, place = [points_of(text) for text in league.places], 0
    for level in outcome.ranking:
        shared = sum(worth[place : place + len(level)], Fraction(0)) / len(level)
        for number in level:
            yield number, points_of(outcome.scores[number]) if league.points == "score" else shared
        place += len(level)


def members_rated(outcome: TournamentOutcome, rounds: Iterable[RatedRound]) -> Mapping[int, str]:
    """Return whose ratings change with a tournament of which this is rated, by number: the members who have played."""
    rankings = [ranking for tables in rounds for matches in tables for ranking in matches]
    played = {number for ranking in rankings for level in ranking for number in level}
    return {number: member for number, member in outcome.members.items() if number in played}
