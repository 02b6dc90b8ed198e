"""Seasons of tournaments: for which one may be held, and by whom."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from domain.errors import Refused
from domain.seasons.deciding import TOURNAMENTS_MAX
from domain.tournaments.tournament import Tournament
from services.seasons.reads import SeasonQueries
from services.tournaments.requests import TournamentBearer


def host_by_season(season: UUID, tournament: Tournament) -> TournamentBearer | None:
    """Return as which host of a tournament the host of its season appoints officials; None where it is not of that.

    It was announced with the token of the season, so that the first of its hosts is nobody else.
    """
    if tournament.rules.season != str(season):
        return None
    host = next(official for official, role in tournament.officials.items() if role == "host")
    return TournamentBearer(tournament.id, "host", host)


async def check_season(seasons: SeasonQueries, rules: dict[str, Any], host_of: UUID | None) -> None:
    """Check that whoever asks may hold a tournament for the season that its rules name, if they name one.

    Args:
        seasons: The seasons of the house.
        rules: The rules object of the tournament, with every option spelled out.
        host_of: The season whose host asks, if that is so.

    Raises:
        Refused: `bad_options`, `season_over`, `season_full`.
        UnknownSeason: There is no such season.
    """
    if rules["season"] is None:
        if rules["rated"]:
            raise Refused("bad_options", option="rated", why="ratings are those of a season: name it in `season`")
        return
    if host_of != UUID(rules["season"]):
        why = "a tournament is announced for a season with the token of its host"
        raise Refused("bad_options", option="season", why=why)
    season = (await seasons.load(host_of)).season
    if season.closed:
        raise Refused("season_over")
    if len(season.admitted) >= TOURNAMENTS_MAX:
        raise Refused("season_full", max=TOURNAMENTS_MAX)
    games = {{**rules["match"], **stage["overrides"]}["game"] for stage in rules["stages"]}
    if games != {season.game}:
        raise Refused("bad_options", option="match.game", why=f"the season is one of {season.game}")
