"""Walls: what hangs beside the tables, a big screen that goes round by itself and lists to print."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final, TypeVar

from litestar import Response, get
from litestar.params import FromPath

from domain.tournaments.tournament import Place
from projections.tournaments.entrants import final_place
from projections.tournaments.exports.lists import by_name, by_table
from projections.tournaments.overview import tournament_view
from projections.tournaments.rounds import held_round, round_view
from projections.tournaments.standings import StandingsView, rows_of_groups
from projections.tournaments.watching.still_in import survivors
from services.http.injected import Injected
from services.web.invitations import AnyRequest, Reach, address_for_others
from services.web.sites import Json
from services.web.tournaments.entry import PUBLIC
from services.web.tournaments.folder import Folder
from services.web.tournaments.rounds import RoundAsked, StageAsked, paired_rounds, round_asked
from services.web.tournaments.sites import ShownTournament, TournamentSite, shown_at
from services.web.tournaments.wording import due_text
from services.web.writing.renderer import PageRenderer
from services.words.catalogue import amount_words, spoken

NAMES_AT_ONCE: Final = 20
"""Names with their tables that a screen shows at once, in two columns that can be read from across a hall."""
ROWS_AT_ONCE: Final = 10
"""Rows of the standings that it shows at once."""

T = TypeVar("T")


def slides_of(lines: Sequence[T], many: int) -> list[Sequence[T]]:
    """Return lines in parts of at most so many, as even as can be: no part of one or two at the end."""
    parts = -(-len(lines) // many)
    bounds = [len(lines) * at // parts for at in range(parts + 1)] if parts else []
    return [lines[low:high] for low, high in pairwise(bounds)]


@get("/t/{tournament:str}/screen", opt=PUBLIC)
async def screen(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    reach: Injected[Reach],
) -> Response[str]:
    """Return the page for a big screen: pairings by name and the standings, one part after the other."""
    shown = await shown_at(events, tournament)
    address = address_for_others(request, f"/t/{shown.tournament.id}", reach)
    begun = bool(shown.tournament.stages)
    table = await events.standings(shown, None, None, None, explained=False) if begun else None

    def make() -> Json:
        return _screen(shown, table, address)

    return await folder.page(request, paper, "tournament_screen.html", shown, address, make)


def _screen(shown: ShownTournament, table: StandingsView | None, address: str) -> Json:
    tournament, place = shown.tournament, round_asked(shown.tournament, None, None)
    held = None if place is None else round_view(tournament, shown.names, *place)
    view = tournament_view(tournament, shown.names, shown.title)
    still = None if view.ranking else survivors(tournament, shown.names)
    lines, matches = ((), ()) if still is None else (still.lines, still.matches)
    scored = table is not None and table.by_score
    placed = [(final_place(tournament, one.number), one) for level in view.ranking for one in level]
    return {
        "view": view,
        "placed": slides_of(placed, ROWS_AT_ONCE),
        "prizes": {each.who.number: each.prize for each in view.prizes},
        "due": due_text(view.due),
        "address": address,
        "round": held,
        "names": slides_of(() if held is None else by_name(held, spoken()), NAMES_AT_ONCE),
        "standings": table,
        "rows": [(None, part) for part in slides_of(table.rows if table is not None and scored else (), ROWS_AT_ONCE)]
        + [
            (group, part)
            for group, rows in rows_of_groups(tournament, shown.names)
            for part in slides_of(rows, ROWS_AT_ONCE)
        ],
        "survivors": still,
        "still": slides_of(lines, NAMES_AT_ONCE),
        "matches": slides_of(matches, ROWS_AT_ONCE),
        "amount": amount_words,
    }


@get("/t/{tournament:str}/print", opt=PUBLIC)
async def lists_to_print(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    stage: StageAsked = None,
    number: RoundAsked = None,
) -> Response[str]:
    """Return lists of a round to print and hang up: by name, by table, and the standings."""
    shown = await shown_at(events, tournament)
    place = round_asked(shown.tournament, stage, number)
    table = None if place is None else await _hung_up(events, shown, place)

    def make() -> Json:
        return _lists(shown, place, table)

    return await folder.page(request, paper, "tournament_print.html", shown, place, make)


async def _hung_up(events: TournamentSite, shown: ShownTournament, place: Place) -> StandingsView:
    """Return what is hung up with new tables: the standings before them; once all is in, those after."""
    closed = held_round(shown.tournament, *place).closed_at is not None
    return await events.standings(shown, place[0], place[1] - (not closed), None, explained=False)


def _lists(shown: ShownTournament, place: Place | None, table: StandingsView | None) -> Json:
    tournament = shown.tournament
    told: Json = {"place": place, "rounds": paired_rounds(tournament), "round": None, "standings": table}
    if place is not None:
        held = round_view(tournament, shown.names, *place)
        told |= {"round": held, "names": by_name(held, spoken()), "tables": by_table(held)}
    return told
