"""Pages of places: who stands where after any round, with what each number is made of; entrants, brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from litestar import Response, get
from litestar.params import FromPath, QueryParameter

from domain.errors import Refused
from projections.tournaments.brackets import BracketSpot, bracket_view
from projections.tournaments.cards import errand
from projections.tournaments.entrants import entrant_view
from projections.tournaments.standings import standings_view
from services.http.injected import Injected
from services.web.invitations import AnyRequest
from services.web.sites import Json
from services.web.tournaments.entry import PUBLIC
from services.web.tournaments.folder import Folder
from services.web.tournaments.rounds import RoundAsked, StageAsked, paired_rounds
from services.web.tournaments.sites import ShownTournament, TournamentSite, brackets_of, names_of, shown_at
from services.web.writing.renderer import PageRenderer

EXPLAINED_MAX: Final = 64
"""Entrants whose places the standings explain on the spot; of more, each on a page of its own."""


@get("/t/{tournament:str}/standings", opt=PUBLIC)
async def standings(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    stage: StageAsked = None,
    number: RoundAsked = None,
    group: Annotated[int | None, QueryParameter(ge=1, le=4_096)] = None,
) -> Response[str]:
    """Return who stands where after a round, and why."""
    shown = await shown_at(events, tournament)
    if shown is None:
        return paper.problem("not_found")
    if not shown.tournament.stages and stage is None:
        return await folder.page(request, paper, "tournament_standings.html", shown, None, lambda: _none_yet(shown))
    chosen = len(shown.tournament.stages) if stage is None else stage
    if (stage is not None or number is not None) and (chosen, number or 1) not in paired_rounds(shown.tournament):
        raise Refused("not_paired", stage=chosen, round=number)

    def make() -> Json:
        return _standings(shown, chosen, number, group)

    return await folder.page(request, paper, "tournament_standings.html", shown, (chosen, number, group), make)


def _none_yet(shown: ShownTournament) -> Json:
    return {"view": None, "rounds": paired_rounds(shown.tournament), "names": names_of(shown)}


def _standings(shown: ShownTournament, stage: int, number: int | None, group: int | None) -> Json:
    tournament = shown.tournament
    explained = len(tournament.entrants) <= EXPLAINED_MAX
    view = standings_view(tournament, shown.names, stage, number, group, explained=explained)
    at = {"place": (view.stage, view.round), "explained": explained}
    return {**_none_yet(shown), **at, "view": view}


@get("/t/{tournament:str}/entrants/{number:str}", opt=PUBLIC)
async def entrant(
    request: AnyRequest,
    tournament: FromPath[str],
    number: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
) -> Response[str]:
    """Return an entrant with the whole way through the event."""
    shown = await shown_at(events, tournament)
    if shown is None:
        return paper.problem("not_found")
    found = next((each for each in shown.tournament.entrants if str(each) == number), None)
    if found is None:
        raise Refused("unknown_number", number=number)

    def make() -> Json:
        return _entrant(shown, found)

    return await folder.page(request, paper, "tournament_entrant.html", shown, found, make)


def _entrant(shown: ShownTournament, number: int) -> Json:
    tournament = shown.tournament
    view = entrant_view(tournament, shown.names, number)
    return {"view": view, "now": errand(tournament, tournament.entrants[number]), "names": names_of(shown)}


def _parts(matches: Sequence[BracketSpot]) -> dict[str, dict[str, list[BracketSpot]]]:
    """Return the matches of a bracket by its parts, `W`, `L`, `G` and `P`, and in each by round.

    The grand final and the match for the third place are one column each, without a name.
    """
    found: dict[str, dict[str, list[BracketSpot]]] = {}
    for match in matches:
        column, dot, _ = match.id[1:].partition(".")
        found.setdefault(match.id[0], {}).setdefault(column if dot else "", []).append(match)
    return {part: found[part] for part in "WLGP" if part in found}


@get("/t/{tournament:str}/bracket", opt=PUBLIC)
async def bracket(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    stage: StageAsked = None,
) -> Response[str]:
    """Return a stage of eliminations: a list of its rounds, drawn as a bracket where there is room."""
    shown = await shown_at(events, tournament)
    if shown is None:
        return paper.problem("not_found")
    there = brackets_of(shown)
    if stage is not None and stage not in there:
        raise Refused("not_paired", stage=stage)
    chosen = stage if stage is not None or not there else there[-1]

    def make() -> Json:
        view = None if chosen is None else bracket_view(shown.tournament, shown.names, chosen)
        parts = {} if view is None else _parts(view.matches)
        return {"view": view, "parts": parts, "stages": there, "names": names_of(shown)}

    return await folder.page(request, paper, "tournament_bracket.html", shown, chosen, make)
