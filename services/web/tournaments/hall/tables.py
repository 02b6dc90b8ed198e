"""The page of all tables that play: the standing claim, who is to act, and what everybody has left.

It shows what spectators of each match are shown, and so no die that is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Final

from litestar import Response, get
from litestar.params import FromPath, QueryParameter
from msgspec import Struct

from domain.tournaments.tournament import Place
from projections.tournaments.rounds import TableSeat, TableView, round_view
from projections.view import ClaimView, SeatView, View
from services.http.injected import Injected
from services.web.invitations import AnyRequest
from services.web.sites import Json
from services.web.tournaments.entry import PUBLIC
from services.web.tournaments.folder import Folder
from services.web.tournaments.sites import ShownTournament, TournamentSite, shown_at
from services.web.writing.renderer import PageRenderer
from services.words.catalogue import amount_words

TABLES_AT_ONCE: Final = 48
"""Tables on one page: each is a look at a match of its own."""
_DIE: Final = "die"

Part = Annotated[int | None, QueryParameter(ge=1, le=4_096)]


class LiveSeat(Struct, frozen=True):
    """Somebody at a table that plays.

    Attributes:
        turn: Whether it is theirs to act.
        out: Whether they are out of the match.
        left: What they have left, in words: dice, or what the game counts besides.
    """

    seat: TableSeat
    turn: bool
    out: bool
    left: str


class LiveTable(Struct, frozen=True):
    """A table that plays; of a match that nobody has begun, only who sits there is known.

    Attributes:
        played: The round of play in the match, 0 before the first.
        claim: The standing claim, and `claimant`, who made it.
        own: How many who sit there draw the seeds of their own seats; None where the dice are those of a board.
    """

    place: Place
    table: TableView
    played: int
    claim: ClaimView | None
    claimant: TableSeat | None
    seats: tuple[LiveSeat, ...]
    own: int | None = None


@get("/t/{tournament:str}/tables", opt=PUBLIC)
async def live_tables(
    request: AnyRequest,
    tournament: FromPath[str],
    events: Injected[TournamentSite],
    paper: Injected[PageRenderer],
    folder: Injected[Folder],
    part: Part = None,
) -> Response[str]:
    """Return all tables that play now, some at a time."""
    shown = await shown_at(events, tournament)
    tables = list(_playing(shown))
    parts = max(1, -(-len(tables) // TABLES_AT_ONCE))
    at = min(part or 1, parts)
    chosen = tables[(at - 1) * TABLES_AT_ONCE : at * TABLES_AT_ONCE]
    matches = tuple(table.match for _, table in chosen)

    async def look() -> Mapping[str, View]:
        return await events.seen(matches)

    views = await folder.glance(("tables", matches), look)

    def make() -> Json:
        live = [_live(place, table, views.get(table.match)) for place, table in chosen]
        own = [one.own for one in live if one.own is not None]
        seeded = {"own": sum(map(bool, own)), "of": len(own)}
        return {"live": live, "tables": len(tables), "seeded": seeded, "part": at, "parts": parts}

    of = (at, tuple((match, view.version) for match, view in views.items()))
    return await folder.page(request, paper, "tournament_tables.html", shown, of, make)


def _playing(shown: ShownTournament) -> Iterator[tuple[Place, TableView]]:
    """Yield the tables whose match is open, with their rounds."""
    stage = shown.tournament.stage
    if stage is None or shown.tournament.phase != "running":
        return
    for held in stage.open_rounds:
        for table in round_view(shown.tournament, shown.names, stage.number, held.number).tables:
            if table.state == "started":
                yield (stage.number, held.number), table


def _live(place: Place, table: TableView, view: View | None) -> LiveTable:
    if view is None:
        return LiveTable(place, table, 0, None, None, tuple(LiveSeat(seat, False, False, "") for seat in table.seats))  # noqa: FBT003 - nobody acts, nobody is out
    seen, claim = {seat.seat: seat for seat in view.seats}, view.standing
    return LiveTable(
        place=place,
        table=table,
        played=view.round,
        claim=claim,
        claimant=next((seat for seat in table.seats if claim is not None and seat.seat == claim.seat), None),
        seats=tuple(_seat(seat, seen.get(seat.seat), view) for seat in table.seats),
        own=None if "board" in view.rules else sum(seat.custody == "client" for seat in view.seats),
    )


def _seat(seat: TableSeat, seen: SeatView | None, view: View) -> LiveSeat:
    """Return a seat as it stands; whoever did not come has none in the match."""
    if seen is None:
        return LiveSeat(seat, turn=False, out=True, left="")
    return LiveSeat(seat, turn=view.turn == seat.seat, out=seen.out, left="" if seen.out else _left(seen))


def _left(seen: SeatView) -> str:
    held = {unit: amount for unit, amount in seen.balances.items() if unit != _DIE}
    dice = seen.balances.get(_DIE, len(seen.dice))
    counts = [amount_words(dice, _DIE)] if dice else []
    return ", ".join([*counts, *(amount_words(amount, unit) for unit, amount in held.items() if amount)])
