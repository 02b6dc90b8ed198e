"""Following a tournament: rounds, standings, the record, and the card of an entrant."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from litestar import Request, Response, get
from litestar.params import FromPath, QueryParameter
from msgspec import Struct

from domain.tournaments.field import StageField
from domain.tournaments.tournament import HeldRound, PlayedStage, Tournament
from projections.tournaments.views import (
    EntrantView,
    RoundView,
    SeatedEntrant,
    StandingsView,
    name_of_entrant,
    view_of_entrant,
    view_of_round,
    view_of_standings,
)
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.http.etags import etag
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.tournaments.requests import TournamentBearer
from services.tournaments.tables import TableMatch, open_tables

Stage = Annotated[int | None, QueryParameter(ge=1, le=4)]
Round = Annotated[int | None, QueryParameter(ge=1, le=1_000_000)]
Todo = Literal["wait", "check_in", "draw", "ready", "play", "over"]


class OwnTable(Struct, frozen=True):
    """The table of an entrant in the round that is played.

    Attributes:
        token: The token of the seat, with which the match is played; null until the match is open.
        opens: Whether the own seat opens the match.
    """

    stage: int
    round: int
    table: int
    match: str
    seat: int
    opens: bool
    token: str | None
    others: tuple[SeatedEntrant, ...]


class EntrantCard(Struct, frozen=True):
    """What an entrant has to know now.

    Attributes:
        todo: What to do: say to be there (`check_in`), give a seed to the lots (`draw`), say `ready` at the table,
            `play`, or `wait`.
        drawer: The drawer's seat of whoever gives a seed to the lots.
        deal: The deal of lots that waits for a seed, by its number, and for which: `commit` or `open`.
    """

    version: int
    phase: str
    entrant: EntrantView
    todo: Todo
    table: OwnTable | None = None
    drawer: int | None = None
    deal: int | None = None
    awaits: Literal["commit", "open"] | None = None


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
    held = _round_of(tournament, stage, round)
    names = await parts.tournaments.names(tournament)
    return _answer(tournament, view_of_round(tournament, stage, held, names))


@get(
    "/tournaments/{tournament_id:uuid}/standings",
    operation_id="view_standings",
    summary="The standings",
    opt={"public": True, "answers": StandingsView, "problems": ("unknown_tournament", "not_paired")},
)
async def view_standings(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    stage: Stage = None,
    after: Annotated[Round, QueryParameter(name="round")] = None,
) -> Response[bytes]:
    """Return the standings of a stage after a round; the newest stage, and its last closed round, if none is named."""
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    number = len(tournament.stages) if stage is None else stage
    played = _stage_of(tournament, number)
    closed = [each.number for each in played.rounds.values() if each.closed_at is not None]
    if after is not None and after not in closed:
        raise HttpProblem("not_paired", stage=number, round=after)
    names = await parts.tournaments.names(tournament)
    return _answer(tournament, view_of_standings(StageField(tournament, number, after), names))


@get(
    "/tournaments/{tournament_id:uuid}/export",
    operation_id="export_tournament",
    summary="The record, for anybody to audit",
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
    plain = request.accept.best_match(["text/plain", "application/x-cup"], "text/plain") == "text/plain"
    return Response(
        await parts.tournaments.record(tournament_id),
        media_type="text/plain" if plain else "application/x-cup",
        headers={"Content-Disposition": f'attachment; filename="{tournament_id}.cup"', "Cache-Control": "no-cache"},
    )


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
) -> Response[bytes]:
    """Return the texts that lines name by their hash and that were not erased; some are for officials only."""
    await parts.tournaments.load(tournament_id, 0)
    official = tournament_viewer is not None and tournament_viewer.role != "entrant"
    found = [
        TournamentNote(each.note, each.salt.hex(), each.body)
        for each in await parts.tournaments.notes(tournament_id)
        if official or not each.restricted
    ]
    return json_of(found, headers={"Vary": "Authorization", "Cache-Control": "no-store"})


@get(
    "/tournaments/{tournament_id:uuid}/me",
    operation_id="own_card",
    summary="What an entrant has to know now",
    security=[{"bearer": []}],
    opt={
        "answers": EntrantCard,
        "problems": ("unknown_tournament", "no_token", "bad_token", "foreign_token", "not_an_entrant"),
    },
)
async def own_card(
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_viewer: Injected[TournamentBearer | None],
) -> Response[bytes]:
    """Return the card of whoever shows the token: the next table with its seat token, and what to do now."""
    if tournament_viewer is None:
        raise HttpProblem("no_token")
    if tournament_viewer.number is None:
        raise HttpProblem("not_an_entrant")
    tournament = (await parts.tournaments.load(tournament_id)).tournament
    card = await _card_of(parts, tournament, tournament_viewer.number)
    return json_of(card, headers={"ETag": etag(tournament.version), "Cache-Control": "no-store"})


async def _card_of(parts: Dependencies, tournament: Tournament, number: int) -> EntrantCard:
    entrant, names = tournament.entrants[number], await parts.tournaments.names(tournament)
    known = EntrantCard(tournament.version, tournament.phase, view_of_entrant(entrant, names), "wait")
    if tournament.phase == "check_in" and not entrant.here and entrant.gone is None:
        return _with(known, todo="check_in")
    drawer = next((seat for seat, who in tournament.drawers.items() if who.player == entrant.player), None)
    deal = tournament.ceremony
    if drawer is not None and deal is not None and drawer in deal.waiting_for:
        awaits = "commit" if deal.stage == "committed" else "open"
        return _with(known, todo="draw", drawer=drawer, deal=deal.deal, awaits=awaits)
    at = next((table for table in open_tables(tournament) if number in table.seats), None)
    if at is None:
        over = tournament.phase in {"finished", "cancelled", "closed"}
        return _with(known, todo="over" if over else "wait", drawer=drawer)
    others = tuple(
        SeatedEntrant(seat, other, name_of_entrant(tournament.entrants[other], names))
        for seat, other in enumerate(at.seats, start=1)
        if other != number
    )
    return await _with_table(parts, _with(known, drawer=drawer), at, others, number)


async def _with_table(
    parts: Dependencies, known: EntrantCard, at: TableMatch, others: tuple[SeatedEntrant, ...], number: int
) -> EntrantCard:
    seat = at.seats.index(number) + 1
    found = await parts.seats.seat_at(at.id, seat, known.entrant.player)
    todo: Todo = "wait" if found is None else ("ready" if found.waits else "play")
    token = None if found is None else found.token
    table = OwnTable(at.stage, at.held.number, at.table.number, str(at.id), seat, seat == 1, token, others)
    return _with(known, todo=todo, table=table)


def _with(card: EntrantCard, **members: Any) -> EntrantCard:  # noqa: ANN401 - members of the card
    return EntrantCard(**{name: members.get(name, getattr(card, name)) for name in EntrantCard.__struct_fields__})


def _stage_of(tournament: Tournament, number: int) -> PlayedStage:
    if not 1 <= number <= len(tournament.stages):
        raise HttpProblem("not_paired", stage=number)
    return tournament.stages[number - 1]


def _round_of(tournament: Tournament, stage: int, number: int) -> HeldRound:
    held = _stage_of(tournament, stage).rounds.get(number)
    if held is None or not held.is_paired:
        raise HttpProblem("not_paired", stage=stage, round=number)
    return held


def _answer(tournament: Tournament, found: object) -> Response[bytes]:
    return json_of(found, headers={"ETag": etag(tournament.version), "Cache-Control": "no-cache"})
