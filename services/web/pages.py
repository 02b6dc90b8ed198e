"""The pages: what is written on the server, and with which care it is handed out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol
from uuid import UUID

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from litestar import Request, Response, Router, get
from litestar.di import Provide
from litestar.params import FromPath
from litestar.types import ControllerRouterHandler

from projections.view import View
from services.api.given import Given
from services.api.problems import PROBLEMS
from services.web import telling
from services.web.assets import Assets, static
from services.web.options import groups, spelled_out

Json = dict[str, Any]
AnyRequest = Request[Any, Any, Any]

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types lit-html"
)
"""Pages load nothing but files of this house and run nothing that stands in a page; Lit makes its templates under the
one trusted type that is let through."""
_HEADERS: Final = {
    "Content-Security-Policy": _POLICY,
    "Cache-Control": "no-cache",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


class Site(Protocol):
    """What the pages need to know."""

    async def lobby(self) -> Sequence[Json]:
        """Return the rows of the lobby, those that moved last first."""

    async def view(self, match_id: UUID) -> View | None:
        """Return the match as a spectator sees it; None if there is none."""

    async def report(self, match_id: UUID) -> Mapping[str, Any]:
        """Return what an audit of the record finds."""

    async def games(self) -> Sequence[Json]:
        """Return the cards of the games, as the JSON interface does."""


class Paper:
    """Writes pages."""

    def __init__(self, assets: Assets) -> None:
        """Let pages load these files."""
        loader = FileSystemLoader(Path(__file__).with_name("templates"))
        self._templates = Environment(
            loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        self._templates.globals["asset"] = assets.url
        self._templates.filters["faces"] = _faces

    def page(self, template: str, status: int = 200, **context: object) -> Response[str]:
        """Return the page of this template."""
        text = self._templates.get_template(template).render(**context)
        return Response(text, status_code=status, media_type="text/html", headers=_HEADERS)

    def problem(self, code: str) -> Response[str]:
        """Return the page of a problem that a page itself has met."""
        kind = PROBLEMS[code]
        return self.page("problem.html", kind.status, code=code, kind=kind)


def web_handlers(site: Site) -> list[ControllerRouterHandler]:
    """Return the handlers of all pages and of the files they load."""
    assets = Assets()
    paper = Paper(assets)
    dependencies = {
        "site": Provide(lambda: site, sync_to_thread=False),
        "paper": Provide(lambda: paper, sync_to_thread=False),
        "assets": Provide(lambda: assets, sync_to_thread=False),
    }
    handlers = [lobby, table, replay, audit, problem, static]
    return [Router("/", route_handlers=handlers, dependencies=dependencies, include_in_schema=False)]


@get("/")
async def lobby(site: Given[Site], paper: Given[Paper]) -> Response[str]:
    """Return the lobby."""
    rows = await site.lobby()
    cards = [{**card, "groups": groups(card)} for card in await site.games()]
    return paper.page("lobby.html", tables=_by_state(rows), cards=cards)


@get("/m/{match_id:uuid}")
async def table(match_id: FromPath[UUID], site: Given[Site], paper: Given[Paper]) -> Response[str]:
    """Return the page to watch a match and to play in it."""
    view = await site.view(match_id)
    if view is None:
        return paper.problem("unknown_match")
    return paper.page("table.html", view=view, rules=spelled_out(view.rules))


@get("/m/{match_id:uuid}/replay")
async def replay(match_id: FromPath[UUID], site: Given[Site], paper: Given[Paper]) -> Response[str]:
    """Return the page to look back on a match."""
    view = await site.view(match_id)
    return paper.problem("unknown_match") if view is None else paper.page("replay.html", view=view)


@get("/m/{match_id:uuid}/audit")
async def audit(request: AnyRequest, match_id: FromPath[UUID], site: Given[Site], paper: Given[Paper]) -> Response[str]:
    """Return what an audit of the match finds, and how to make one without us."""
    view = await site.view(match_id)
    if view is None:
        return paper.problem("unknown_match")
    report = await site.report(match_id)
    return paper.page("audit.html", view=view, report=report, telling=telling, origin=_origin(request))


@get("/problems/{code:str}")
async def problem(code: FromPath[str], paper: Given[Paper]) -> Response[str]:
    """Return what a code means, for those who followed the `type` of a problem document."""
    kind = PROBLEMS.get(code)
    return paper.problem("not_found") if kind is None else paper.page("problem.html", code=code, kind=kind)


def _by_state(rows: Sequence[Json]) -> dict[str, list[Json]]:
    found: dict[str, list[Json]] = {"open": [], "live": [], "ended": []}
    for row in rows:
        found[{"lobby": "open", "finished": "ended"}.get(row["phase"], "live")].append(row)
    return found


def _origin(request: AnyRequest) -> str:
    return str(request.base_url).rstrip("/")


def _faces(quantity: int, face: int) -> str:
    """Return a count of faces as people write it."""
    return f"{quantity} \N{MULTIPLICATION SIGN} {face}"
