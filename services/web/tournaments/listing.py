"""The list of tournaments: those to enter, those under way, those that are over."""

from __future__ import annotations

from typing import Annotated, Final, get_args

from litestar import Response, get
from litestar.params import QueryParameter

from projections.tournaments.overview import TournamentRow, TournamentState
from services.http.injected import Injected
from services.http.paging import LIMIT, Before, place_of
from services.web.sites import Json
from services.web.tournaments.sites import TournamentSite
from services.web.tournaments.wording import due_text, format_text
from services.web.writing.renderer import PageRenderer
from services.words.figures import moment_stamp, moment_text

AT_ONCE: Final = LIMIT
"""Tournaments of a state that are listed at once."""


@get("/tournaments", opt={"public": True})
async def tournaments(
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    which: Annotated[TournamentState | None, QueryParameter(name="state")] = None,
    before: Before = None,
) -> Response[str]:
    """Return the list of tournaments; of one state, a page at a time, if it is named."""
    states: tuple[TournamentState, ...] = get_args(TournamentState) if which is None else (which,)
    rows = {each: await events.tournaments(each, AT_ONCE, place_of(before if which else None)) for each in states}
    older = {each: _mark_of(found[-1]) for each, found in rows.items() if len(found) == AT_ONCE}
    told: Json = {"stamp": moment_stamp, "clock": moment_text, "due_text": due_text}
    return paper.page("tournaments.html", state=which, rows=rows, older=older, format_text=format_text, **told)


def _mark_of(row: TournamentRow) -> str:
    """Return where a row stands, for addresses."""
    return f"{row.at}.{row.tournament}"
