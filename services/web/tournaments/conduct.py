"""The console of a host: what is due and why, who is waited for, and what a host may do about it now."""

from __future__ import annotations

import json
from collections.abc import Iterator

from litestar import Response, get
from litestar.params import FromPath
from msgspec import Struct

from projections.tournaments.overview import TournamentView, tournament_view
from projections.tournaments.rounds import TableView, round_view
from services.http.injected import Injected
from services.web.invitations import AnyRequest
from services.web.sites import Json
from services.web.tournaments.entry import PUBLIC
from services.web.tournaments.folder import Folder
from services.web.tournaments.sites import ShownTournament, TournamentSite, shown_at
from services.web.tournaments.wording import due_text
from services.web.writing.renderer import PageRenderer


class Act(Struct, frozen=True):
    """Something that a host may ask for: the key of its words, and the body of the command."""

    key: str
    body: str


@get("/t/{tournament:str}/host", opt=PUBLIC)
async def console(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
) -> Response[str]:
    """Return the console of a host: it says what all may see, and what it asks for takes the token its script keeps."""
    shown = await shown_at(events, tournament)
    if shown is None:
        return paper.problem("not_found")

    def make() -> Json:
        return _console(shown)

    return await folder.page(request, paper, "tournament_host.html", shown, None, make)


def _console(shown: ShownTournament) -> Json:
    tournament = shown.tournament
    view = tournament_view(tournament, shown.names, shown.title)
    open_tables: list[tuple[TableView, list[tuple[str, str]]]] = []
    if view.round is not None and view.round.state != "closed" and view.phase == "running":
        held = round_view(tournament, shown.names, view.round.stage, view.round.round)
        open_tables = [(table, list(_rulings(view, table))) for table in held.tables if table.table in held.missing]
    return {"view": view, "due": due_text(view.due), "acts": list(_acts(view)), "open_tables": open_tables}


def _acts(view: TournamentView) -> Iterator[Act]:
    """Yield what brings the tournament on from where it stands."""
    steps = {"announced": "open_entry", "entry": "open_check_in"}
    if view.phase in steps:
        yield _act(steps[view.phase])
    if view.phase == "check_in" or (view.due.why in {"host", "pair"} and not view.paused and view.phase == "running"):
        yield _act("proceed")
    if view.phase == "running":
        yield _act("resume") if view.paused else _act("pause", reason="technical")


def _rulings(view: TournamentView, table: TableView) -> Iterator[tuple[str, str]]:
    """Yield who may be said to be first at a table, the others level behind, with the command that says it."""
    assert view.round is not None, "it has a table"
    numbers = [seat.number for seat in table.seats]
    place = {"stage": view.round.stage, "round": view.round.round, "table": table.table}
    for seat in table.seats:
        ranking = [[seat.number], [number for number in numbers if number != seat.number]]
        yield seat.name, json.dumps({"type": "rule", **place, "ranking": ranking, "reason": "agreement"})


def _act(kind: str, **members: str) -> Act:
    return Act(kind, json.dumps({"type": kind, **members}))
