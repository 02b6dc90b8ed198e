"""Pages of seasons and players: the table of a league, how strong everybody is, and where somebody has played."""

from __future__ import annotations

from uuid import UUID

from litestar import Response, get
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from domain.games import GAMES
from services.http.injected import Injected
from services.web.seasons.sites import SeasonSite
from services.web.seasons.wording import league_words, member_name, rating_text
from services.web.sites import Json, Site
from services.web.writing.renderer import PageRenderer
from services.words.figures import moment_stamp, moment_text

_WORDS: Json = {"called": member_name, "rating": rating_text, "stamp": moment_stamp, "clock": moment_text}


@get("/seasons/new", opt={"public": True})
async def beginning(site: Injected[Site], paper: Injected[PageRenderer]) -> Response[str]:
    """Return the form that begins a season, whose script sends it."""
    return paper.page("season_new.html", cards=await site.games())


@get("/players/new", opt={"public": True})
async def becoming(paper: Injected[PageRenderer]) -> Response[str]:
    """Return the form that makes somebody a player, whose script sends it."""
    return paper.page("player_new.html")


@get("/seasons/{season:str}", opt={"public": True})
async def season_page(
    season: FromPath[str], beyond: Injected[SeasonSite], paper: Injected[PageRenderer]
) -> Response[str]:
    """Return the page of a season."""
    try:
        view = await beyond.season(UUID(season))
    except ValueError:
        view = None
    if view is None:
        return paper.problem("not_found")
    return paper.page("season.html", view=view, game=GAMES[view.game].title, rules=list(league_words(view)), **_WORDS)


@get("/players/{player:str}", opt={"dear": True})
async def player_page(
    player: FromPath[str], beyond: Injected[SeasonSite], paper: Injected[PageRenderer]
) -> Response[str]:
    """Return the page of a player."""
    view = await beyond.player(player)
    if view is None:
        return paper.problem("not_found")
    return paper.page("player.html", view=view, games={name: game.title for name, game in GAMES.items()}, **_WORDS)


def pages_of_seasons() -> list[ControllerRouterHandler]:
    """Return the handlers of pages."""
    return [beginning, becoming, season_page, player_page]
