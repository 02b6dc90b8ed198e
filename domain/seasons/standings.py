"""Standings of a league: the best results of each, summed; people and bots in tables of their own.

Who has the same sum is parted by the better single result, then by the second, and so on; who still has the same shares
the place.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby

from msgspec import Struct

from domain.seasons.members import is_bot
from domain.seasons.season import Season


class LeagueResult(Struct, frozen=True):
    """What somebody has from a tournament, and whether it is among the results that count."""

    tournament: str
    points: Fraction
    counts: bool


class LeagueRow(Struct, frozen=True):
    """A row of the table.

    Attributes:
        place: From 1; who shares a place has the same.
        member: Who it is.
        points: The sum of the results that count.
        results: All results, in the order in which the tournaments counted.
    """

    place: int
    member: str
    points: Fraction
    results: tuple[LeagueResult, ...]

    @property
    def level(self) -> tuple[Fraction, list[Fraction]]:
        """What decides the place: who has the same of it shares one."""
        return self.points, sorted((each.points for each in self.results if each.counts), reverse=True)


def league_table(season: Season, *, bots: bool = False) -> list[LeagueRow]:
    """Return the table of the people in a league, or that of the bots: by place, then by id."""
    members = sorted(member for member in season.results if is_bot(member) is bots)
    unplaced = sorted((_row(season, member) for member in members), key=lambda row: row.level, reverse=True)
    found: list[LeagueRow] = []
    for _, level in groupby(unplaced, key=lambda row: row.level):
        place = len(found) + 1
        found += [LeagueRow(place, row.member, row.points, row.results) for row in level]
    return found


def _row(season: Season, member: str) -> LeagueRow:
    league, of = season.rules.league, season.results[member]
    best = len(of) if league is None or league.best is None else league.best
    # Of equal results the earlier counts.
    order = {name: place for place, name in enumerate(season.counted)}
    counting = set(sorted(of, key=lambda name: (-of[name], order[name]))[:best])
    results = tuple(LeagueResult(name, of[name], name in counting) for name in sorted(of, key=order.__getitem__))
    return LeagueRow(0, member, sum((of[name] for name in counting), Fraction(0)), results)


def promoted(season: Season, table: Sequence[LeagueRow]) -> tuple[str, ...]:
    """Return who goes up by this table: whoever has one of the first places, in their order."""
    up = 0 if season.rules.league is None else season.rules.league.up
    return tuple(row.member for row in table if row.place <= up)


def relegated(season: Season, table: Sequence[LeagueRow]) -> tuple[str, ...]:
    """Return who goes down by this table: of those who share a place all or none, and nobody who goes up."""
    down = 0 if season.rules.league is None else season.rules.league.down
    first, up = len(table) - down + 1, promoted(season, table)
    return tuple(row.member for row in table if row.place >= first and row.member not in up)
