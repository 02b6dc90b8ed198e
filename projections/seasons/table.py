"""A season as people see it: the table of its league, ratings, and which tournaments are held for it.

People and bots of the house stand in lists of their own, over one scale. Names are not in the stream: whoever asks
brings them; a player whose name was erased has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct

from domain.ids import UnixMs, Version
from domain.seasons.members import is_bot
from domain.seasons.rules import season_object
from domain.seasons.season import CAUTION, PROVISIONAL, Rated, Season
from domain.seasons.standings import LeagueRow, league_table, promoted, relegated
from projections.tournaments.numbers import ExactNumber, exact

MemberNames = Mapping[str, str]
"""What people call members, by id."""
NOTHING: Final[Mapping[str, str]] = {}


class SeasonMember(Struct, frozen=True):
    """Somebody who is known beyond one tournament.

    Attributes:
        player: The id: a player's, or how bots of the house play that share one.
        name: What people call a player; null where the name was erased, and for bots.
        bot: Whether it is a bot of the house.
    """

    player: str
    name: str | None
    bot: bool


class CountedResult(Struct, frozen=True):
    """What somebody has from a tournament.

    Attributes:
        counts: Whether it is among the results that count.
    """

    tournament: str
    points: ExactNumber
    counts: bool


class LeagueLine(Struct, frozen=True):
    """A row of the table of a league.

    Attributes:
        place: From 1; who shares a place has the same.
        who: Who it is.
        points: The sum of the results that count.
        results: All results, in the order in which the tournaments counted.
        moves: Where this place leads when the season ends.
    """

    place: int
    who: SeasonMember
    points: ExactNumber
    results: tuple[CountedResult, ...]
    moves: Literal["up", "down"] | None


class RatingView(Struct, frozen=True):
    """How strong somebody is, in millionths.

    Attributes:
        who: Who it is.
        mu: The mean of what is believed.
        sigma: Its standard deviation.
        shown: mu less three sigmas: what somebody is at least, most probably.
        matches: How many matches it stands on.
        provisional: Whether too little is known yet.
    """

    who: SeasonMember
    mu: int
    sigma: int
    shown: int
    matches: int
    provisional: bool


class SeasonTournament(Struct, frozen=True):
    """A tournament that is held for a season.

    Attributes:
        counted: Whether it has counted.
        title: What its host calls it; null where nobody said, of one that stands in no list, and of one long before.
    """

    tournament: str
    counted: bool
    title: str | None = None


class SeasonView(Struct, frozen=True):
    """A season.

    Attributes:
        season: Its id.
        title: What its host calls it; null where nobody said.
        game: Which game is played.
        rules: The rules object.
        state: Whether tournaments may still count.
        version: How many lines its stream has.
        head: The hash of the last of them.
        at: When that was written, in Unix milliseconds.
        tournaments: Those that are held for it, in the order they were announced.
        table: The table of the people in its league; empty where there is none.
        bots: That of the bots.
        ratings: How strong who is, the strongest first.
        bot_ratings: The same of bots, over one scale with people.
    """

    season: str
    title: str | None
    game: str
    rules: dict[str, Any]
    state: Literal["open", "closed"]
    version: Version
    head: str
    at: UnixMs
    tournaments: tuple[SeasonTournament, ...]
    table: tuple[LeagueLine, ...]
    bots: tuple[LeagueLine, ...]
    ratings: tuple[RatingView, ...]
    bot_ratings: tuple[RatingView, ...]


def season_view(
    season: Season, head: str, title: str | None, names: MemberNames, titles: Mapping[str, str] = NOTHING
) -> SeasonView:
    """Return a season as it stands after the line with this hash, with the titles of tournaments by their ids."""
    people, bots = league_table(season), league_table(season, bots=True)
    moves: dict[str, Literal["up", "down"]] = dict.fromkeys(promoted(season, people), "up")
    moves |= dict.fromkeys(relegated(season, people), "down")
    ratings = sorted((rating_view(member, rated, names) for member, rated in season.ratings.items()), key=_strength)
    return SeasonView(
        season=str(season.id),
        title=title,
        game=season.game,
        rules=season_object(season.rules),
        state="closed" if season.closed else "open",
        version=season.version,
        head=head,
        at=season.at,
        tournaments=tuple(SeasonTournament(each, each in season.counted, titles.get(each)) for each in season.admitted),
        table=_lines(people, moves, names),
        bots=_lines(bots, {}, names),
        ratings=tuple(each for each in ratings if not each.who.bot),
        bot_ratings=tuple(each for each in ratings if each.who.bot),
    )


def _strength(rating: RatingView) -> tuple[int, str]:
    return -rating.shown, rating.who.player


def _lines(
    rows: Iterable[LeagueRow], moves: Mapping[str, Literal["up", "down"]], names: MemberNames
) -> tuple[LeagueLine, ...]:
    return tuple(
        LeagueLine(
            row.place,
            member_view(row.member, names),
            exact(row.points),
            tuple(CountedResult(each.tournament, exact(each.points), each.counts) for each in row.results),
            moves.get(row.member),
        )
        for row in rows
    )


def member_view(member: str, names: MemberNames) -> SeasonMember:
    """Return a member by id and name."""
    return SeasonMember(member, names.get(member), is_bot(member))


def rating_view(member: str, rated: Rated, names: MemberNames) -> RatingView:
    """Return how strong a member is."""
    mu, sigma, matches = rated
    return RatingView(member_view(member, names), mu, sigma, mu - CAUTION * sigma, matches, sigma > PROVISIONAL)
