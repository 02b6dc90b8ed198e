"""Following a tournament: rounds and their tables, standings, brackets, the record, reasons in words, own cards.

With a thousand entrants some of it takes a second: it is made in a thread, and nobody else waits for it.
"""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal
from uuid import UUID

from litestar import Request, Response, get
from litestar.params import FromPath, QueryParameter
from msgspec import Struct
from msgspec.structs import replace

from domain.fairness.signing.entrants import EntrantKey
from domain.fairness.signing.keyed_seats import RECOVERY_MS
from domain.ids import UnixMs
from domain.tournaments.tournament import Tournament
from projections.tournaments.brackets import BracketView, bracket_view
from projections.tournaments.cards import EntrantCard, card_of
from projections.tournaments.exports.csv_files import standings_csv
from projections.tournaments.rounds import RoundView, TableView, round_view, table_view
from projections.tournaments.standings import StandingsView
from projections.tournaments.watching.luck import LuckView
from services.api.answers import json_of, record_response
from services.api.dependencies import Dependencies
from services.api.lists.reading import CSV
from services.api.routes.match import Version
from services.http.etags import etag
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.reads.records import LINES_MAX
from services.matches.watching.presence import own_card as card_looked_at
from services.tournaments.requests import TournamentBearer

StageAsked = Annotated[int | None, QueryParameter(ge=1, le=4)]
RoundAsked = Annotated[int | None, QueryParameter(ge=1, le=1_000_000)]


class OwnKeySigning(Struct, frozen=True):
    """What the next word of an entrant on the own key hangs on (CUP/1 section 4.25).

    Attributes:
        n: Which of its words comes next.
        loud: The place of the last line, from 0, that it has to have seen: its version is above that.
        named: The key that a host has named instead, as hex; null where none waits.
        holds_at: From when on that one may sign, if the one that holds says nothing, Unix ms.
    """

    n: int
    loud: int
    named: str | None
    holds_at: UnixMs | None


class OwnCard(Struct, frozen=True):
    """What an entrant has to know now, and what nobody else is told.

    Attributes:
        card: What to do, the table, how one stands, what comes next.
        token: The token of the seat at the table, with which the match is played; null while none is open, and while
            the seat is kept for its player to take.
        ready: Whether the match knows that this seat is there; null while none is open.
        drawer: The drawer's seat of whoever gives a seed to the lots.
        deal: The deal of lots that waits for a seed, by its number.
        awaits: What of the seed it waits for.
        key: The key that was registered for all seats of this entrant, as hex.
        custody: Who is to draw the seeds of the seat while it is kept, as was said on entering.
        signing: What changes that key; null where none was registered.
    """

    card: EntrantCard
    token: str | None = None
    ready: bool | None = None
    drawer: int | None = None
    deal: int | None = None
    awaits: Literal["commit", "open"] | None = None
    key: str | None = None
    custody: Literal["client", "server"] | None = None
    signing: OwnKeySigning | None = None


class TournamentNote(Struct, frozen=True):
    """A text that a line names: `note` is the hash of `salt`, as bytes, followed by the text in UTF-8."""

    note: str
    salt: str
    text: str


@get(
    "/tournaments/{tournament_id:uuid}/rounds/{stage:int}/{round:int}",
    operation_id="view_round",
    summary="Who sits with whom in a round",
    opt={"public": True, "answers": RoundView, "problems": ("unknown_tournament", "not_paired")},
)
async def view_round(
    tournament_id: FromPath[UUID],
    stage: FromPath[int],
    round: FromPath[int],  # noqa: A002 - what the address calls it
    parts: Injected[Dependencies],
) -> Response[bytes]:
    """Return the tables of a round, with their matches and what they came to."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    names = await parts.tournaments.names(tournament)
    return answer_of(tournament, await asyncio.to_thread(round_view, tournament, names, stage, round))


@get(
    "/tournaments/{tournament_id:uuid}/rounds/{stage:int}/{round:int}/tables/{table:int}",
    operation_id="view_table",
    summary="A table of a round",
    opt={"public": True, "answers": TableView, "problems": ("unknown_tournament", "not_paired", "unknown_table")},
)
async def view_table(
    tournament_id: FromPath[UUID],
    stage: FromPath[int],
    round: FromPath[int],  # noqa: A002 - what the address calls it
    table: FromPath[int],
    parts: Injected[Dependencies],
) -> Response[bytes]:
    """Return who sits there, which match counts, and what it came to."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    names = await parts.tournaments.names(tournament)
    return answer_of(tournament, await asyncio.to_thread(table_view, tournament, names, stage, round, table))


@get(
    "/tournaments/{tournament_id:uuid}/standings",
    operation_id="view_standings",
    summary="The standings",
    opt={
        "public": True,
        "answers": StandingsView,
        "texts": (CSV,),
        "problems": ("unknown_tournament", "not_paired"),
    },
)
async def view_standings(
    request: Request[Any, Any, Any],
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    stage: StageAsked = None,
    round: RoundAsked = None,  # noqa: A002 - what the address calls it
    group: Annotated[int | None, QueryParameter(ge=1, le=4_096)] = None,
    explained: Annotated[bool, QueryParameter()] = False,  # noqa: FBT002 - a parameter of the address
) -> Response[bytes]:
    """Return the standings of a stage after a round; the newest stage, and its last closed round, if none is named.

    Of a stage in groups they are those of all, or of one `group`. With `explained` each tie-break says what it is made
    of. With `Accept: text/csv` it is a spreadsheet.
    """
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    names = await parts.tournaments.names(tournament)
    found = await parts.tournaments.standings(tournament, names, stage, round, group, explained=explained)
    if request.accept.best_match(["application/json", CSV], "application/json") == CSV:
        response = csv_response(standings_csv(found), f"standings-{found.stage}-{found.round}.csv")
    else:
        response = answer_of(tournament, found)
    response.headers["Vary"] = "Accept"
    return response


@get(
    "/tournaments/{tournament_id:uuid}/luck",
    operation_id="view_luck",
    summary="How everybody's dice fell out",
    opt={"public": True, "dear": True, "answers": LuckView, "problems": ("unknown_tournament",)},
)
async def view_luck(tournament_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return how far everybody's hands were above or below their mean in the rounds that are closed.

    It is told from dice that were shown anyway, and ranks nobody. Games without cups of one's own have no such hands.
    """
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    return answer_of(tournament, await parts.tournaments.luck(tournament, await parts.tournaments.names(tournament)))


@get(
    "/tournaments/{tournament_id:uuid}/bracket",
    operation_id="view_bracket",
    summary="A stage of eliminations, as a bracket",
    opt={"public": True, "answers": BracketView, "problems": ("unknown_tournament", "not_paired")},
)
async def view_bracket(
    tournament_id: FromPath[UUID], parts: Injected[Dependencies], stage: StageAsked = None
) -> Response[bytes]:
    """Return who meets whom, what came of it, and where winners and losers go; the newest stage, if none is named."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    names, number = await parts.tournaments.names(tournament), stage or len(tournament.stages)
    return answer_of(tournament, await asyncio.to_thread(bracket_view, tournament, names, number))


@get(
    "/tournaments/{tournament_id:uuid}/export",
    operation_id="export_tournament",
    summary="The record of a tournament, for anybody to audit",
    opt={
        "public": True,
        "dear": True,
        "media_types": ("text/plain", "application/x-cup"),
        "problems": ("unknown_tournament",),
    },
)
async def export_tournament(
    request: Request[Any, Any, Any], tournament_id: FromPath[UUID], parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return the record file: every line, with what the transparency log says of them (CUP/1 section 4.10)."""
    return record_response(request, await parts.tournaments.record(tournament_id), f"{tournament_id}.cup")


@get(
    "/tournaments/{tournament_id:uuid}/lines",
    operation_id="lines_of_tournament",
    summary="Lines of the record of a tournament, for whoever knows how many there were",
    opt={"public": True, "media_types": ("application/x-ndjson",), "problems": ("unknown_tournament",)},
)
async def lines_of_tournament(
    tournament_id: FromPath[UUID], parts: Injected[Dependencies], after: Version = None
) -> Response[bytes]:
    """Return the lines of a tournament behind version `after`, without proofs; all, if none is named.

    At most 512 come at once; the `Link` of such a page leads to the next. Whoever says which key is the own one signs
    over the hash of a line (CUP/1 section 4.25): with `after` one less than the version of the card, that line comes,
    and whatever there is behind it.
    """
    held = after or 0
    found = await parts.tournaments.lines(tournament_id, held, LINES_MAX)
    if not found:
        await parts.tournaments.load(tournament_id)  # there is one, or nobody knows it
    headers = {"Cache-Control": "no-store"}
    if len(found) == LINES_MAX:
        path = f"/api/v1/tournaments/{tournament_id}/lines"
        headers["Link"] = f'<{path}?after={held + len(found)}>; rel="next"'
    return Response(b"".join(line + b"\n" for line in found), media_type="application/x-ndjson", headers=headers)


@get(
    "/tournaments/{tournament_id:uuid}/notes",
    operation_id="notes_of_tournament",
    summary="The reasons in words",
    security=[{}, {"bearer": []}],
    opt={"answers": list[TournamentNote], "problems": ("unknown_tournament", "bad_token", "foreign_token")},
)
async def notes_of_tournament(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_viewer: Injected[TournamentBearer | None],
    limit: Annotated[int | None, QueryParameter(ge=1, le=1_000)] = None,
    # Where a pattern ends in Python, a line may end behind it.
    before: Annotated[str | None, QueryParameter(pattern=r"^[0-9a-f]{64}(?!\n)$")] = None,
) -> Response[bytes]:
    """Return the texts that lines name by their hash and that were not erased; some are for officials only.

    Of appeals whoever filed them reads the own ones, with what was decided, and nobody else but officials. They come in
    the order of their hashes: all, or so many as `limit` says; then a full page has a `Link` to the next.
    """
    by = None if tournament_viewer is None else tournament_viewer.by
    texts = [each for each in await parts.tournaments.notes(tournament_id, by) if each.note > (before or "")][:limit]
    headers = {"Vary": "Authorization", "Cache-Control": "no-store"}
    if len(texts) == limit:
        path = f"/api/v1/tournaments/{tournament_id}/notes"
        headers["Link"] = f'<{path}?limit={limit}&before={texts[-1].note}>; rel="next"'
    return json_of([TournamentNote(each.note, each.salt.hex(), each.body) for each in texts], headers=headers)


@get(
    "/tournaments/{tournament_id:uuid}/me",
    operation_id="own_card",
    summary="What an entrant has to know now",
    security=[{"bearer": []}],
    opt={
        "answers": OwnCard,
        "problems": ("unknown_tournament", "no_token", "bad_token", "foreign_token", "not_an_entrant"),
    },
)
async def own_card(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_viewer: Injected[TournamentBearer | None],
) -> Response[bytes]:
    """Return the card of whoever shows the token: the next table with its seat token, and what to do now.

    Whoever waits in an arena and asks no more for half a minute, having asked before, is taken not to wait.
    """
    number = entrant_asking(tournament_viewer)
    parts.looks.look(card_looked_at(tournament_id, number))
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    found = await own_card_of(parts, tournament, number)
    return json_of(found, headers={"ETag": etag(tournament.version), "Cache-Control": "no-store"})


def entrant_asking(bearer: TournamentBearer | None) -> int:
    """Return the number of the entrant who asks.

    Raises:
        HttpProblem: `no_token`, `not_an_entrant`.
    """
    if bearer is None:
        raise HttpProblem("no_token")
    if bearer.number is None:
        raise HttpProblem("not_an_entrant")
    return bearer.number


async def own_card_of(parts: Dependencies, tournament: Tournament, number: int) -> OwnCard:
    """Return the card of an entrant with what only its own reader is told."""
    card = await asyncio.to_thread(card_of, tournament, await parts.tournaments.names(tournament), number)
    player, deal, keyed = tournament.entrants[number].player, tournament.ceremony, tournament.entrants[number].keyed
    known = OwnCard(card) if keyed is None else OwnCard(card, key=keyed.key, signing=_signing_of(keyed))
    drawer = next((seat for seat, who in tournament.drawers.items() if who.player == player), None)
    if drawer is not None and deal is not None and drawer in deal.waiting_for:
        awaits: Literal["commit", "open"] = "commit" if deal.stage == "committed" else "open"
        return replace(known, drawer=drawer, deal=deal.deal, awaits=awaits)
    return await with_seat(parts, replace(known, drawer=drawer), player)


def _signing_of(keyed: EntrantKey) -> OwnKeySigning:
    named, holds_at = (None, None) if keyed.named is None else (keyed.named[0], keyed.named[1] + RECOVERY_MS)
    return OwnKeySigning(keyed.n + 1, keyed.line, named, holds_at)


async def with_seat(parts: Dependencies, known: OwnCard, player: str) -> OwnCard:
    """Return a card with the seat at a match that is open, as it is now."""
    table = known.card.table
    if table is None or table.state != "started":
        return known
    found = await parts.seats.seat_at(UUID(table.match), table.seat, player)
    return known if found is None else replace(known, token=found.token, ready=not found.waits, custody=found.custody)


def answer_of(tournament: Tournament, found: object) -> Response[bytes]:
    """Return what can be seen of a tournament, whose version is its entity tag."""
    return json_of(found, headers={"ETag": etag(tournament.version), "Cache-Control": "no-cache"})


def csv_response(text: str, name: str) -> Response[bytes]:
    """Return a spreadsheet under a name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
    return Response(text.encode(), media_type=CSV, headers=headers)
