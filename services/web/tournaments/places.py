"""Pages of places: who stands where after any round, with what each number is made of; entrants, brackets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from litestar import Response, get
from litestar.params import FromPath, QueryParameter

from domain.errors import Refused
from domain.ids import Seat
from domain.tournaments.events import Ranking
from domain.tournaments.formats.table import format_of
from domain.tournaments.rules import TournamentRules, largest_size
from domain.tournaments.tournament import Place, Tournament
from projections.tournaments.brackets import BracketSpot, bracket_view
from projections.tournaments.cards import errand
from projections.tournaments.entrants import entrant_view
from projections.tournaments.exports.alphabet import folded
from projections.tournaments.exports.csv_files import standings_csv
from projections.tournaments.rounds import match_at
from projections.tournaments.standings import StandingsView, if_it_ended_so, standings_view
from projections.tournaments.watching.moved import newest_field
from services.http.injected import Injected
from services.web.invitations import AnyRequest
from services.web.sites import Json
from services.web.tournaments.entry import PUBLIC
from services.web.tournaments.folder import Folder
from services.web.tournaments.rounds import LineAsked, RoundAsked, StageAsked, paired_rounds
from services.web.tournaments.sites import (
    ShownTournament,
    TournamentSite,
    brackets_of,
    names_of,
    newest,
    shown_at,
    texts_of,
)
from services.web.writing.renderer import PageRenderer

EXPLAINED_MAX: Final = 64
"""Entrants whose places the standings explain on the spot; of more, each on a page of its own."""
NAME_MAX: Final = 40
"""A name that is looked for is no longer than a name."""
PAIR: Final = 2
ACTS_OF_ENTRANT: Final = ("player.withdrawn", "player.returned", "player.turned_away")
"""What officials do to an entrant, besides penalties."""

GroupAsked = Annotated[int | None, QueryParameter(ge=1, le=4_096)]
Ended = tuple[tuple[int, Ranking], ...]
"""Who would be where at which table."""


@get("/t/{tournament:str}/standings", opt=PUBLIC)
async def standings(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    stage: StageAsked = None,
    number: RoundAsked = None,
    group: GroupAsked = None,
    name: Annotated[str | None, QueryParameter(max_length=NAME_MAX)] = None,
    so: Annotated[bool, QueryParameter()] = False,  # noqa: FBT002 - a parameter of the address
) -> Response[str]:
    """Return who stands where after a round, and why; of all, or of those with a part of a name.

    With `so`, it is as if the tables of the round that is played ended as they stand now.
    """
    shown = await shown_at(events, tournament)
    if not shown.tournament.stages and stage is None:
        return await folder.page(request, paper, "tournament_standings.html", shown, None, lambda: _none_yet(shown))
    chosen = _stage_of(shown.tournament, stage, number)
    ended: Ended = ()
    runs = round_that_runs(shown.tournament)
    if so and runs is not None and runs == (chosen, number or runs[1]):
        number, ended = runs[1], await _as_they_stand(shown, events, folder, runs)
    view = await _standings(events, folder, shown, (chosen, number, group), ended)

    def make() -> Json:
        return _found_in(view, shown, name or "", so=bool(ended))

    of = (chosen, number, group, name, ended)
    return await folder.page(request, paper, "tournament_standings.html", shown, of, make)


@get("/t/{tournament:str}/luck", opt={**PUBLIC, "dear": True})
async def luck(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
) -> Response[str]:
    """Return how everybody's dice fell out in the rounds that are closed, which ranks nobody."""
    shown = await shown_at(events, tournament)
    view = await events.luck(shown)
    return await folder.page(request, paper, "tournament_luck.html", shown, view, lambda: {"view": view})


@get("/t/{tournament:str}/standings.csv", opt={**PUBLIC, "dear": True}, include_in_schema=False)
async def standings_file(
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    folder: Injected[Folder],
    stage: StageAsked = None,
    number: RoundAsked = None,
    group: GroupAsked = None,
) -> Response[bytes]:
    """Return standings as a spreadsheet, for those who follow a link and name no media type.

    Raises:
        HttpProblem: `not_found`.
    """
    shown = await shown_at(events, tournament)
    chosen = _stage_of(shown.tournament, stage, number)
    view = await _standings(events, folder, shown, (chosen, number, group), ())
    name = f"standings-{view.stage}-{view.round}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
    return Response(standings_csv(view).encode(), media_type="text/csv", headers=headers)


def _stage_of(tournament: Tournament, stage: int | None, number: int | None) -> int:
    """Return the stage that is asked for; the last that has begun, if none is.

    Raises:
        Refused: `not_paired`.
    """
    chosen = len(tournament.stages) if stage is None else stage
    asked = stage is not None or number is not None
    if not tournament.stages or (asked and (chosen, number or 1) not in paired_rounds(tournament)):
        raise Refused("not_paired", stage=chosen, round=number)
    return chosen


def round_that_runs(tournament: Tournament) -> Place | None:
    """Return the round that is played, where each of its tables gives points by itself; None if there is none."""
    stage = tournament.stage
    chosen = format_of(tournament.stage_rules)
    if stage is None or stage.overlaps or chosen.boards or not chosen.by_score:
        return None
    return next(((stage.number, held.number) for held in stage.open_rounds if held.started_at is not None), None)


async def _as_they_stand(shown: ShownTournament, events: TournamentSite, folder: Folder, place: Place) -> Ended:
    """Return by table who would be where if those without a result ended as everybody sees them now."""
    held = shown.tournament.stages[place[0] - 1].rounds[place[1]]
    tables = {match_at(shown.tournament, *place, held.tables[number]): held.tables[number] for number in held.missing}

    async def look() -> Mapping[str, Sequence[Sequence[Seat]]]:
        return await events.rankings(tuple(tables))

    ranked = await folder.glance(("rankings", *tables), look)
    return tuple(
        (tables[match].number, tuple(tuple(tables[match].seats[seat - 1] for seat in level) for level in ranking))
        for match, ranking in ranked.items()
    )


def _none_yet(shown: ShownTournament) -> Json:
    return {"view": None, "rounds": paired_rounds(shown.tournament), "names": names_of(shown)}


async def _standings(
    events: TournamentSite,
    folder: Folder,
    shown: ShownTournament,
    of: tuple[int, int | None, int | None],
    ended: Ended,
) -> StandingsView:
    """Return the standings of a stage, a round and a group; as if tables had ended so, in a look that is kept apart."""
    stage, number, group = of
    explained = len(shown.tournament.entrants) <= EXPLAINED_MAX
    if not ended:
        return await events.standings(shown, stage, number, group, explained=explained)

    def make() -> StandingsView:
        tournament = if_it_ended_so(shown.tournament, (stage, number or 0), dict(ended))
        return standings_view(tournament, shown.names, stage, number, group, explained=explained)

    return await folder.view(shown, (*of, ended), make)


def _moves(shown: ShownTournament, view: StandingsView) -> bool:
    """Report whether what a line of the tournament moves is what these standings show, and nothing less."""
    newest = newest_field(shown.tournament)
    at = None if newest is None else (newest.stage.number, newest.upto)
    return not view.closed and view.group is None and at == (view.stage, view.round)


def _found_in(view: StandingsView, shown: ShownTournament, name: str, *, so: bool) -> Json:
    """Return the standings with those whose names have a part like this, whatever its accents and capitals."""
    asked = folded(" ".join(name.split()))
    return {
        **_none_yet(shown),
        "view": view,
        "place": (view.stage, view.round),
        "explained": len(shown.tournament.entrants) <= EXPLAINED_MAX,
        "asked": name,
        "found": [row for row in view.rows if asked in folded(row.name)],
        "so": so,
        "runs": round_that_runs(shown.tournament),
        "moves": not (asked or so) and _moves(shown, view),
        "trf": _fits_trf(shown.tournament.rules, view.stage),
    }


@get("/t/{tournament:str}/entrants/{number:str}", opt=PUBLIC)
async def entrant(
    request: AnyRequest,
    tournament: FromPath[str],
    number: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    before: LineAsked = None,
) -> Response[str]:
    """Return an entrant with the whole way through the event, and what officials did, the newest or `before` a line."""
    shown = await shown_at(events, tournament)
    found = next((each for each in shown.tournament.entrants if str(each) == number), None)
    if found is None:
        raise Refused("unknown_number", number=number)

    texts = await texts_of(events, shown, (act.note for act in shown.acts if found in act.numbers))

    def make() -> Json:
        return {**_entrant(shown, found, before), "texts": texts}

    of = (found, before, frozenset(texts.items()))
    return await folder.page(request, paper, "tournament_entrant.html", shown, of, make)


def _entrant(shown: ShownTournament, number: int, before: int | None) -> Json:
    tournament = shown.tournament
    view = entrant_view(tournament, shown.names, number)
    about = {act.line: act for act in shown.acts if number in act.numbers}
    acts = [act for act in about.values() if act.kind in ACTS_OF_ENTRANT]
    told, older = newest({penalty.line for penalty in view.penalties} | {act.line for act in acts}, before)
    return {
        "view": view,
        "penalties": [each for each in view.penalties if each.line in told],
        "now": errand(tournament, tournament.entrants[number]),
        "names": names_of(shown),
        "about": about,
        "acts": [act for act in acts if act.line in told],
        "older": older,
    }


def _fits_trf(rules: TournamentRules, stage: int) -> bool:
    """Report whether FIDE's form can write a stage: two at a table, and 1, a half and 0 for a game."""
    return largest_size(rules.stages[stage - 1]) == PAIR and rules.scoring.scheme == "share"


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
    there = brackets_of(shown)
    if stage is not None and stage not in there:
        raise Refused("not_paired", stage=stage)
    chosen = stage if stage is not None or not there else there[-1]

    def make() -> Json:
        view = None if chosen is None else bracket_view(shown.tournament, shown.names, chosen)
        parts = {} if view is None else _parts(view.matches)
        return {"view": view, "parts": parts, "stages": there, "names": names_of(shown)}

    return await folder.page(request, paper, "tournament_bracket.html", shown, chosen, make)
