"""Seasons held against the records of their tournaments: points to the fraction, ratings within rounding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal
from uuid import UUID

from msgspec import Struct

from domain.audit.seasons import SeasonRuling
from domain.seasons.counting import TournamentOutcome
from domain.seasons.events import MemberPoints, MemberRating
from domain.seasons.rules import season_rules
from domain.seasons.season import Rated, Season
from domain.tournaments.points import points_text
from services.audit.seasons.counts import count

TOLERANCE: Final = 2
"""Millionths that two machines may differ by in each match: their floats are rounded after it."""

What = Literal["season", "head", "points", "ratings"]
"""What of a season is not what the record of a tournament says."""


class CountedTournament(Struct, frozen=True):
    """What a season has on record of a tournament, in a line of it, from 1.

    Attributes:
        before: The ratings before it of those whose rating it says.
        rules: The rules object of the season.
    """

    line: int
    season: str
    tournament: str
    head: str
    points: tuple[MemberPoints, ...]
    ratings: tuple[MemberRating, ...]
    before: tuple[MemberRating, ...]
    rules: dict[str, Any]


class SeasonDifference(Struct, frozen=True):
    """A line of a season, from 1, that is not what the record of its tournament says."""

    line: int
    tournament: str
    what: What
    code: Literal["E_STANDING"] = "E_STANDING"


class HeldSeason(Struct, frozen=True):
    """What came of holding a season against the records of its tournaments.

    Attributes:
        checked: How many tournaments count what their records say.
        differences: Those that do not, in the order of their lines.
        unchecked: The tournaments whose records were not there, or are not whole, in the same order.
    """

    checked: int
    differences: tuple[SeasonDifference, ...]
    unchecked: tuple[str, ...]


def counted_of(ruling: SeasonRuling, season: str, rules: dict[str, Any]) -> tuple[CountedTournament, ...]:
    """Return what a season's record says of tournaments."""
    found = []
    for one in ruling.counts:
        given, known = one.counted, one.before.ratings
        found.append(
            CountedTournament(
                line=one.line,
                season=season,
                tournament=given.tournament,
                head=given.head,
                points=tuple((member, points_text(points)) for member, points in sorted(given.points.items())),
                ratings=tuple((member, *rated) for member, rated in sorted(given.ratings.items())),
                before=tuple((member, *known[member]) for member in sorted(given.ratings) if member in known),
                rules=rules,
            )
        )
    return tuple(found)


def hold_season(counts: Sequence[CountedTournament], outcomes: Mapping[str, TournamentOutcome]) -> HeldSeason:
    """Return what the records of tournaments, by their ids, say to a season. Cost: a millisecond a match."""
    differences: list[SeasonDifference] = []
    unchecked: list[str] = []
    for each in counts:
        outcome = outcomes.get(each.tournament)
        if outcome is None:
            unchecked.append(each.tournament)
            continue
        what = next(_differing(each, outcome), None)
        if what is not None:
            differences.append(SeasonDifference(each.line, each.tournament, what))
    return HeldSeason(len(counts) - len(differences) - len(unchecked), tuple(differences), tuple(unchecked))


def left_out(
    season: str, counts: Sequence[CountedTournament], outcomes: Mapping[str, TournamentOutcome]
) -> tuple[str, ...]:
    """Return the tournaments that say that they were held for a season, which has not counted them."""
    counted = {each.tournament for each in counts}
    return tuple(name for name, each in outcomes.items() if each.season == season and name not in counted)


def _differing(each: CountedTournament, outcome: TournamentOutcome) -> Iterator[What]:
    if outcome.season != each.season:
        yield "season"
        return
    if outcome.head != each.head:
        yield "head"
    before = Season(UUID(each.season), "", season_rules(each.rules), ratings=_rated(each.before))
    expected = count(before, outcome)
    if {member: points_text(points) for member, points in expected.points.items()} != dict(each.points):
        yield "points"
    if not _are_alike(expected.ratings, _rated(each.ratings), _rated(each.before)):
        yield "ratings"


def _rated(rows: Sequence[MemberRating]) -> dict[str, Rated]:
    return {member: (mu, sigma, matches) for member, mu, sigma, matches in rows}


def _are_alike(expected: Mapping[str, Rated], found: Mapping[str, Rated], before: Mapping[str, Rated]) -> bool:
    """Report whether ratings are the same but for what rounding makes of them."""
    if expected.keys() != found.keys():
        return False
    for member, (mu, sigma, matches) in expected.items():
        steps = matches - before.get(member, (0, 0, 0))[2]
        if found[member][2] != matches:
            return False
        if max(abs(found[member][0] - mu), abs(found[member][1] - sigma)) > TOLERANCE * steps:
            return False
    return True
