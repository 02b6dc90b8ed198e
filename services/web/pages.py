"""The pages: what is written on the server, and with which care it is handed out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Final, cast, get_args
from uuid import UUID

import msgspec
from litestar import HttpMethod, Litestar, Response, Router, get, route
from litestar.di import Provide
from litestar.exceptions import NotFoundException, ValidationException
from litestar.params import FromPath, QueryParameter
from litestar.types import ControllerRouterHandler, ExceptionHandlersMap

from domain.commentary.events import WithdrawalReason
from domain.errors import Refused
from domain.match.settings import HOUSE_IDLE
from infra.store import DELAY_MS_MAX, TOP, Card, Unavailable
from projections.lobby import State, row_of
from projections.view import View
from services.audit import statistics_text
from services.audit.findings import powers
from services.engines.level_names import LEVELS, USUAL
from services.gauntlet.ladder import ladder
from services.http.bounds import Bounds
from services.http.front.addresses import network_of
from services.http.front.rates import Rates
from services.http.injected import Injected
from services.http.paging import LIMIT, Before, mark_of, place_of
from services.http.problems import MEDIA_TYPE, PROBLEMS, HttpProblem
from services.web.assets import Assets, static
from services.web.front import by_state, most_watched, on_front, title_of, waiting_in
from services.web.invitations import AnyRequest, Reach, address_for_others, code, spectator_view
from services.web.manifest import manifest
from services.web.options import families_of, forms_of, rules_in_words
from services.web.reference import marked, quoted, reference_of
from services.web.seasons.pages import pages_of_seasons
from services.web.seasons.sites import EmptySeasonSite, SeasonSite
from services.web.sites import CommentSite, Json, SilentSite, Site
from services.web.strengths import rungs_of, strengths_of
from services.web.teaching.lesson import lesson
from services.web.teaching.rulebook import rulebook_of
from services.web.telling import audit_text
from services.web.tournaments.folder import Folder
from services.web.tournaments.routes import codes_of_events, pages_of_events
from services.web.tournaments.sites import EmptyTournamentSite, TournamentSite
from services.web.watching.cards import Easel, card, painted_card
from services.web.watching.stages import embed, overlay, television
from services.web.writing.languages import in_language
from services.web.writing.renderer import PageRenderer
from services.words.catalogue import (
    CATALOGUE,
)
from services.work.failures import Unreadable

AUDITS_PER_S: Final = Bounds().audits_per_s
"""Audits a second for one address, on pages as over the interface."""
PAGE: Final = 60
"""Tables on one page of older ones."""

OfGame = Annotated[str | None, QueryParameter(name="game")]
"""The game whose tables are wanted; of one that there is not, all are."""
_PUBLIC: Final = {"public": True}
"""Pages are written for whoever comes: none knows of a seat, which its scripts ask for."""

_MEDIA_TYPES: Final = [MEDIA_TYPE, "text/html"]
_METHODS: Final = [method for method in HttpMethod if method != HttpMethod.OPTIONS]
_BENEATH: Final = [
    *("/m", "/m/{match:str}/{rest:path}", "/matches", "/matches/{match:str}", "/matches/{match:str}/{rest:path}"),
    *("/problems", "/problems/{code:str}/{rest:path}", "/rules/{game:str}/{rest:path}"),
    *("/tables", "/tables/{which:str}/{rest:path}"),
    *("/seasons", "/seasons/{season:str}/{rest:path}", "/players", "/players/{player:str}/{rest:path}"),
    *("/t", "/t/{tournament:str}/{rest:path}", "/tournaments/{rest:path}"),
    *("/t/{tournament:str}/entrants", "/t/{tournament:str}/entrants/{number:str}/{rest:path}"),
    *(f"/{stage}{rest}" for stage in ("embed", "overlay") for rest in ("", "/{rest:path}")),
    *(f"/{stage}/matches{rest}" for stage in ("embed", "overlay") for rest in ("", "/{match:str}/{rest:path}")),
]
"""Where something is further down: what is nowhere there has to be asked for by itself."""


COMMENTS_MAX: Final = 200
"""Comments on a page, at most 800 kB of words; the file that it leads to has them all."""
Interface = Callable[[Litestar], Json] | None
"""What describes the interface of an application, if anything does."""


def web_handlers(
    site: Site,
    reach: Reach = tuple,
    interface: Interface = None,
    events: TournamentSite | None = None,
    beyond: SeasonSite | None = None,
    said: CommentSite | None = None,
) -> list[ControllerRouterHandler]:
    """Return the handlers of all pages and of the files they load.

    Args:
        site: What the pages show.
        reach: Says at which names and addresses others reach the house; at none if nothing is said.
        interface: Describes the interface, as `/openapi.json` does; without it there is no page of it.
        events: The tournaments that pages show; none if nothing is said.
        beyond: The seasons and the players; none if nothing is said.
        said: What people say about matches; nothing if it is left out.
    """
    assets = Assets()
    paper = PageRenderer(assets)
    parts: Json = {"site": site, "paper": paper, "assets": assets, "reach": reach, "interface": interface}
    parts |= {"easel": Easel(), "rates": Rates(), "events": events or EmptyTournamentSite(), "folder": Folder()}
    parts |= {"beyond": beyond or EmptySeasonSite(), "said": said or SilentSite()}
    dependencies = {name: Provide(_always(part), sync_to_thread=False) for name, part in parts.items()}
    router = Router(
        "/",
        route_handlers=_pages(),
        dependencies=dependencies,
        exception_handlers=_catches(paper),
        middleware=[in_language],
        include_in_schema=False,
    )
    # What is no page answers with problem documents.
    others = Router(
        "/", route_handlers=[code, *codes_of_events(), static], dependencies=dependencies, include_in_schema=False
    )
    install = Router(
        "/", route_handlers=[manifest, card, painted_card], dependencies=dependencies, middleware=[in_language]
    )
    return [router, others, install]


def _always(part: object) -> Callable[[], object]:
    """Return what gives a part of the pages to whoever asks for it."""
    return lambda: part


def _catches(paper: PageRenderer) -> ExceptionHandlersMap:
    """Return what becomes of trouble that a page meets: a page that says so."""
    return {
        Unavailable: lambda _request, _trouble: paper.problem("unavailable"),
        HttpProblem: lambda _request, trouble: paper.problem(trouble.code, trouble.headers),
        Unreadable: lambda _request, _trouble: paper.problem("unreadable"),
        ValidationException: lambda _request, _trouble: paper.problem("malformed"),
        Refused: lambda _request, _trouble: paper.problem("not_found"),
    }


def _pages() -> list[ControllerRouterHandler]:
    rulebook, stages = [learn, rules, rules_of_game, rules_of_table], [embed, overlay, television]
    told = [audit, examine, statistics, docs, first_bot, problem, elsewhere]
    return [lobby, tables, table, replay, *stages, *rulebook, *pages_of_events(), *pages_of_seasons(), *told]


@get("/", opt=_PUBLIC)
async def lobby(site: Injected[Site], paper: Injected[PageRenderer], game: OfGame = None) -> Response[str]:
    """Return the lobby, with the tables of one game if it is named."""
    cards, beacon = await site.games(), await site.beacon()
    titles = {card["name"]: card["title"] for card in cards}
    game = game if game in titles else None
    rows = await site.lobby(None, LIMIT, TOP, game)
    front = on_front(rows)
    shown: Json = {"titles": titles, "limit": LIMIT, "game": game, "all": by_state(rows), "tables": front}
    tables = paper.part("lobby_tables.html", (rows, titles, game), lambda: shown)
    more: dict[str, Any] = {"beacon": beacon, "idle": HOUSE_IDLE, "delay_max": DELAY_MS_MAX // 1_000}
    more |= {"levels": LEVELS, "offered": ladder().offered, "usual_level": USUAL, "measured_at": ladder().measured_at}
    more |= {"strengths": strengths_of(ladder())}
    create = paper.part("create.html", (cards, beacon), lambda: {**forms_of(cards), **more})
    doors: Json = {"titles": titles, "game": game, "waiting": waiting_in(front["open"])}
    doors["live"] = most_watched(front["live"])
    return paper.page("lobby.html", games=len(cards), tables=tables, create=create, **doors)


@get("/tables/{which:str}", opt=_PUBLIC)
async def tables(
    which: FromPath[str],
    site: Injected[Site],
    paper: Injected[PageRenderer],
    before: Before = None,
    game: OfGame = None,
) -> Response[str]:
    """Return all tables in this state, or those of one game, a page at a time."""
    if which not in get_args(State):
        return paper.problem("not_found")
    titles = {card["name"]: card["title"] for card in await site.games()}
    game = game if game in titles else None
    rows = await site.lobby(cast("State", which), PAGE, place_of(before), game)
    shown: Json = {"older": mark_of(rows[-1]) if len(rows) == PAGE else None, "game": game, "titles": titles}
    return paper.page("tables.html", state=which, tables=by_state(rows), **shown)


@get("/m/{match:str}", opt=_PUBLIC)
async def table(
    request: AnyRequest,
    match: FromPath[str],
    site: Injected[Site],
    paper: Injected[PageRenderer],
    reach: Injected[Reach],
) -> Response[str]:
    """Return the page to watch a match and to play in it."""
    view = await spectator_view(site, match)
    if view is None:
        return paper.problem("unknown_match")
    game = next(card for card in await site.games() if card["name"] == view.game)
    rules, card = rules_in_words(game, view.rules, view.policy), await site.card(UUID(view.match))
    title, address = _title(view, card), address_for_others(request, f"/m/{view.match}", reach)
    picture = _picture(request, view, reach)
    return paper.page(
        "table.html",
        levels=ladder().offered,
        view=view,
        title=title,
        picture=picture,
        table=card,
        card=game,
        rules=rules,
        address=address,
    )


@get("/m/{match:str}/rules", opt=_PUBLIC)
async def rules_of_table(
    request: AnyRequest,
    match: FromPath[str],
    site: Injected[Site],
    paper: Injected[PageRenderer],
    reach: Injected[Reach],
) -> Response[str]:
    """Return the rules that are in force at a table; of the match itself it says no more than every page of it does."""
    view = await spectator_view(site, match)
    if view is None:
        return paper.problem("unknown_match")
    card = next(card for card in await site.games() if card["name"] == view.game)
    book, title = rulebook_of(card, view.rules, view.policy), _title(view, await site.card(UUID(view.match)))
    picture, words = _picture(request, view, reach), CATALOGUE["rulebook"]
    return paper.page("table_rules.html", view=view, title=title, picture=picture, book=book, words=words)


@get("/m/{match:str}/replay", opt=_PUBLIC)
async def replay(
    request: AnyRequest,
    match: FromPath[str],
    site: Injected[Site],
    paper: Injected[PageRenderer],
    reach: Injected[Reach],
    said: Injected[CommentSite],
) -> Response[str]:
    """Return the page to look back on a match, with what people say about it."""
    view = await spectator_view(site, match)
    if view is None:
        return paper.problem("unknown_match")
    title = _title(view, await site.card(UUID(view.match)))
    comments = await said.comments(UUID(view.match), limit=COMMENTS_MAX)
    # What is said stands in the order of what it is about.
    ordered = sorted(comments, key=lambda each: (each.version, each.comment))
    told: Json = {"comments": ordered, "reasons": get_args(WithdrawalReason)}
    # A replay opens without saying how the match ended, and so does whatever leads to it.
    told["spoils"] = view.phase != "finished"
    picture = _picture(request, view, reach, "" if told["spoils"] else "&spoilers=no")
    return paper.page("replay.html", view=view, title=title, picture=picture, **told)


@get("/m/{match:str}/audit", opt={**_PUBLIC, "dear": True})
async def audit(
    request: AnyRequest,
    match: FromPath[str],
    site: Injected[Site],
    paper: Injected[PageRenderer],
    rates: Injected[Rates],
    reach: Injected[Reach],
) -> Response[str]:
    """Return what an audit of the match finds, and how to make one without us."""
    await rates.take("audits", AUDITS_PER_S, network_of(request.scope))
    view = await spectator_view(site, match)
    if view is None:
        return paper.problem("unknown_match")
    report, origin = await site.report(UUID(view.match)), _origin(request)
    told, title = audit_text(report, view), _title(view, await site.card(UUID(view.match)))
    words = CATALOGUE["audit"]
    picture = _picture(request, view, reach)
    # What the log says of the last line comes behind it, and the page looks for it.
    awaited = view.phase == "finished" and report["status"] == "INCOMPLETE"
    shown = {"states": words["states"], "sections": words["sections"], "picture": picture, "awaited": awaited}
    return paper.page("audit.html", view=view, title=title, told=told, origin=origin, **shown)


@get("/statistics", opt={**_PUBLIC, "dear": True})
async def statistics(request: AnyRequest, site: Injected[Site], paper: Injected[PageRenderer]) -> Response[str]:
    """Return what all dice of the house came to, and how to add it up again without us."""
    found = await site.statistics()
    told = paper.part("found.html", (found,), lambda: {"found": found, "figures": statistics_text})
    strong = paper.part("levels.html", (), lambda: {"rungs": rungs_of(ladder()), "measured_at": ladder().measured_at})
    return paper.page("statistics.html", told=told, origin=_origin(request), strong=strong)


@get("/audit", opt=_PUBLIC)
async def examine(paper: Injected[PageRenderer]) -> Response[str]:
    """Return the page that audits any record in the browser, and sends nothing of it."""
    return paper.page("examine.html", powers=powers())


@get("/docs", opt=_PUBLIC)
async def docs(request: AnyRequest, paper: Injected[PageRenderer], interface: Injected[Interface]) -> Response[str]:
    """Return the reference of the interface."""
    if interface is None:
        return paper.problem("not_found")
    app = request.app
    ways = {"marked": marked, "quoted": quoted}
    return paper.written(
        paper.part("reference.html", (app,), lambda: {"reference": reference_of(interface(app)), **ways})
    )


@get("/docs/first-bot", opt=_PUBLIC)
async def first_bot(request: AnyRequest, paper: Injected[PageRenderer], assets: Injected[Assets]) -> Response[str]:
    """Return the guide to a first program, with the program."""
    return paper.page("first_bot.html", program=assets.text("first_bot.py"), origin=_origin(request))


@get("/learn", opt=_PUBLIC)
async def learn(request: AnyRequest, site: Injected[Site], paper: Injected[PageRenderer]) -> Response[str]:
    """Return the first lesson: one round with fixed dice, played in the browser alone."""
    first, *_ = await site.games()
    told = msgspec.json.encode(lesson()).decode()
    return paper.page("learn.html", game=first["name"], lesson=told, origin=_origin(request))


@get("/rules", opt=_PUBLIC)
async def rules(request: AnyRequest, site: Injected[Site], paper: Injected[PageRenderer]) -> Response[str]:
    """Return the list of all games, each with the page of its rules."""
    return _all_rules(request, await site.games(), paper)


@get("/rules/{game:str}", opt=_PUBLIC)
async def rules_of_game(
    request: AnyRequest, game: FromPath[str], site: Injected[Site], paper: Injected[PageRenderer]
) -> Response[str]:
    """Return how a game is played; of a name that no game has, the list of those there are."""
    cards = await site.games()
    card = next((card for card in cards if card["name"] == game), None)
    if card is None:
        return _all_rules(request, cards, paper, status=404)
    book, words = rulebook_of(card), CATALOGUE["rulebook"]
    return paper.page("rules.html", book=book, words=words, games=len(cards), origin=_origin(request))


@get("/problems/{code:str}", opt=_PUBLIC)
async def problem(code: FromPath[str], paper: Injected[PageRenderer]) -> Response[str]:
    """Return what a code means, for those who followed the `type` of a problem document."""
    return paper.meaning(code) if code in PROBLEMS else paper.problem("not_found")


@route(["/{rest:path}", *_BENEATH], http_method=_METHODS)
async def elsewhere(request: AnyRequest, paper: Injected[PageRenderer]) -> Response[str]:
    """Return a page that says so where nothing is, to those who read pages.

    Raises:
        NotFoundException: The request is no reader's, so its answer is a problem document.
    """
    if request.method != HttpMethod.GET or request.accept.best_match(_MEDIA_TYPES) != "text/html":
        raise NotFoundException
    return paper.problem("not_found")


def _all_rules(request: AnyRequest, cards: Sequence[Json], paper: PageRenderer, *, status: int = 200) -> Response[str]:
    shown = {"families": families_of(cards), "games": len(cards), "words": CATALOGUE["rulebook"]}
    return paper.page("rules_all.html", status, **shown, missing=status != 200, origin=_origin(request))  # noqa: PLR2004


def _title(view: View, card: Card) -> str:
    """Return what the table is called, or whose it is, in the words of the lobby."""
    return title_of(msgspec.to_builtins(row_of(view, card.name)))


def _picture(request: AnyRequest, view: View, reach: Reach, more: str = "") -> str:
    """Return where others find the picture of what a page of a match shows."""
    return address_for_others(request, f"/matches/{view.match}/card.png?version={view.version}{more}", reach)


def _origin(request: AnyRequest) -> str:
    return str(request.base_url).rstrip("/")
