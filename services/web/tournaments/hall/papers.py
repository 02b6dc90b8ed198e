"""Papers: what lies on the tables of an event, and what its entrants take home.

A card for each table leads by its code to what is played there, in every round; a slip takes down what came of a table
where somebody plays with dice of wood; a certificate says which place somebody came to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Final

from litestar import Response, get
from litestar.params import FromPath, QueryParameter
from markupsafe import Markup

from domain.errors import Refused
from domain.tournaments.rules import preferred_size
from domain.tournaments.tournament import Tournament
from projections.tournaments.entrants import entrant_view
from projections.tournaments.overview import tournament_view
from projections.tournaments.rounds import round_view
from services.http.injected import Injected
from services.web.invitations import AnyRequest, Reach, address_for_others, drawing_of
from services.web.sites import Json
from services.web.tournaments.entry import PUBLIC
from services.web.tournaments.folder import Folder
from services.web.tournaments.rounds import RoundAsked, StageAsked, paired_rounds, round_asked
from services.web.tournaments.sites import ShownTournament, TournamentSite, shown_at
from services.web.writing.renderer import PageRenderer

CARDS_AT_ONCE: Final = 48
"""Cards of tables in one page: each has a code of some kilobytes, which takes ten milliseconds to draw."""

Part = Annotated[int | None, QueryParameter(ge=1, le=4_096)]


@get("/t/{tournament:str}/print/tables", opt=PUBLIC)
async def cards_to_print(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    reach: Injected[Reach],
    part: Part = None,
) -> Response[str]:
    """Return a card for each table, with the code that leads to what is played there."""
    shown = await shown_at(events, tournament)
    address = address_for_others(request, f"/t/{shown.tournament.id}/pairings", reach)
    tables = _table_numbers(shown.tournament)
    parts = -(-len(tables) // CARDS_AT_ONCE)
    at = min(part or 1, parts)

    def make() -> Json:
        chosen = tables[(at - 1) * CARDS_AT_ONCE : at * CARDS_AT_ONCE]
        return {"cards": [(table, _code(address, table)) for table in chosen], "part": at, "parts": parts}

    return await folder.page(request, paper, "tournament_table_cards.html", shown, (address, at), make)


def _table_numbers(tournament: Tournament) -> Sequence[int]:
    """Return the tables of the round with the most; before the first, as many as it may have."""
    paired = [max(held.tables, default=0) for stage in tournament.stages for held in stage.rounds.values()]
    there = sum(each.is_in and each.gone is None for each in tournament.entrants.values())
    ahead = -(-there // preferred_size(tournament.rules.stages[0]))
    return range(1, max(1, *paired, 0 if any(paired) else ahead) + 1)


def _code(address: str, table: int) -> Markup:
    return Markup(drawing_of(f"{address}#t{table}"))  # noqa: S704 - a drawing of this house


@get("/t/{tournament:str}/print/slips", opt=PUBLIC)
async def slips_to_print(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    stage: StageAsked = None,
    number: RoundAsked = None,
) -> Response[str]:
    """Return a slip for each table of a round, to write down by hand what came of it."""
    shown = await shown_at(events, tournament)
    place = round_asked(shown.tournament, stage, number)

    def make() -> Json:
        held = None if place is None else round_view(shown.tournament, shown.names, *place)
        return {"round": held, "place": place, "rounds": paired_rounds(shown.tournament)}

    return await folder.page(request, paper, "tournament_slips.html", shown, place, make)


@get("/t/{tournament:str}/entrants/{number:str}/certificate", opt=PUBLIC)
async def certificate(
    request: AnyRequest,
    tournament: FromPath[str],
    number: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    reach: Injected[Reach],
) -> Response[str]:
    """Return the certificate of a place, once places are said; who has none has no certificate."""
    shown = await shown_at(events, tournament)
    placed = (each for level in shown.tournament.ranking for each in level)
    found = next((each for each in placed if str(each) == number), None)
    if found is None:
        raise Refused("unknown_number", number=number)
    address = address_for_others(request, f"/t/{shown.tournament.id}/entrants/{found}", reach)

    def make() -> Json:
        return _certificate(shown, found, address)

    return await folder.page(request, paper, "tournament_place.html", shown, (found, address), make)


def _certificate(shown: ShownTournament, number: int, address: str) -> Json:
    view = entrant_view(shown.tournament, shown.names, number)
    event = tournament_view(shown.tournament, shown.names, shown.title)
    shared = next(len(level) for level in shown.tournament.ranking if number in level) > 1
    code = Markup(drawing_of(address))  # noqa: S704 - a drawing of this house
    places = sum(len(level) for level in shown.tournament.ranking)
    return {"view": view, "event": event, "shared": shared, "code": code, "address": address, "places": places}
