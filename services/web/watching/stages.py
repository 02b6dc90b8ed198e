"""Stages: pages that show a match and nothing around it, to whoever sits nowhere.

None of them shows a token, whoever opens it, so each sees what spectators see. Only `/embed` may stand in the page of
another site: it has nothing that a visitor could be led to press, but a link that opens the table elsewhere.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, Protocol
from uuid import UUID

from litestar import Request, Response, get
from litestar.params import FromPath, QueryParameter
from msgspec import to_builtins

from projections.lobby import row_of
from projections.view import View
from services.http.injected import Injected
from services.http.paging import LIMIT
from services.http.problems import HttpProblem
from services.web.front import on_front, title_of
from services.web.invitations import spectator_view
from services.web.sites import Json, Site
from services.web.writing.policies import policy

_FRAMED: Final = {
    "Content-Security-Policy": policy("'none'", "*"),
    # A page that isolates itself may embed it as well.
    "Cross-Origin-Resource-Policy": "cross-origin",
}
_ALONE: Final = {"Content-Security-Policy": policy("'none'")}
_SEATED: Final = ("eyes", "seat", "token", "viewer")
"""What somebody might ask for who wants the view of a seat."""
_PUBLIC: Final = {"public": True}
Theme = Literal["dark", "light", "felt"]
Feed = Literal["live", "caster"]


class Paper(Protocol):
    """What pages are written on."""

    def page(self, template: str, status: int = 200, **context: object) -> Response[str]:
        """Return the page of this template."""


@get("/embed/matches/{match:str}", opt=_PUBLIC)
async def embed(
    request: Request[Any, Any, Any], match: FromPath[str], site: Injected[Site], paper: Injected[Paper]
) -> Response[str]:
    """Return a match for the pages of other sites.

    Raises:
        HttpProblem: `unknown_match`; `spectators_only`, for whoever asks for the view of a seat.
    """
    if any(name in request.query_params for name in _SEATED):
        raise HttpProblem("spectators_only").with_headers(_FRAMED)
    view = await spectator_view(site, match)
    if view is None:
        raise HttpProblem("unknown_match").with_headers(_FRAMED)
    return _framed(paper.page("stage.html", kind="embed", **await _shown(site, view)))


@get("/overlay/matches/{match:str}", opt=_PUBLIC)
async def overlay(
    match: FromPath[str],
    site: Injected[Site],
    paper: Injected[Paper],
    theme: Annotated[Theme, QueryParameter()] = "dark",
    feed: Annotated[Feed, QueryParameter()] = "live",
) -> Response[str]:
    """Return a match on nothing, to be laid over the picture of a stream, live or one round late with every cup.

    Raises:
        HttpProblem: `unknown_match`.
    """
    view = await spectator_view(site, match)
    if view is None:
        raise HttpProblem("unknown_match")
    return _alone(paper.page("stage.html", kind="overlay", theme=theme, feed=feed, **await _shown(site, view)))


@get("/tv", opt=_PUBLIC)
async def television(site: Injected[Site], paper: Injected[Paper]) -> Response[str]:
    """Return the page that shows the best table of the house that is played, whichever that is."""
    rows = on_front(await site.lobby("live", LIMIT))["live"]
    view = await site.view(UUID(rows[0]["match"])) if rows else None
    shown: Json = {"view": None, "title": "", "delay_ms": 0} if view is None else await _shown(site, view)
    return _alone(paper.page("stage.html", kind="tv", **shown))


async def title_in(site: Site, view: View) -> str:
    """Return what the table of a view is called, or whose it is."""
    return title_of(to_builtins(row_of(view, (await site.card(UUID(view.match))).name)))


async def _shown(site: Site, view: View) -> Json:
    delay_ms = (await site.card(UUID(view.match))).choices.delay_ms
    return {"view": view, "title": await title_in(site, view), "delay_ms": delay_ms}


def _framed(page: Response[str]) -> Response[str]:
    page.headers.update(_FRAMED)
    return page


def _alone(page: Response[str]) -> Response[str]:
    page.headers.update(_ALONE)
    return page
