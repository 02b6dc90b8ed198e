"""A tournament as it happens, as SSE or NDJSON.

`/tournaments/{id}/stream` is a snapshot, then a line a version, for everybody; `/tournaments/{id}/me/stream` the card
of an entrant whenever it is another.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack, aclosing
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Request, Response, get
from litestar.params import FromPath
from msgspec import Struct

from domain.tournaments.tournament import Entrant
from infra.clock import ticks_s
from infra.store import Unavailable
from projections.tournaments.overview import TournamentView
from projections.tournaments.people import touches_card
from projections.tournaments.watching.moved import Moved
from services.api.answers import ByeItem, EndedItem
from services.api.dependencies import Dependencies, first_of
from services.api.looking_on import browser_of, look
from services.api.routes.streaming import NDJSON, SSE, Version, chunks, last_event_id, media_type_of, written_as
from services.api.tournaments.following import OwnCard, entrant_asking, own_card_of, with_seat
from services.http.front.addresses import network_of
from services.http.front.bounded_streams import BoundedStream, Heading
from services.http.heads import wants_head
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.watching.presence import own_card
from services.tournaments.requests import TournamentBearer
from services.tournaments.streams import StreamedLine


class TournamentSnapshot(Struct, frozen=True):
    """What a stream begins with: the tournament as it is."""

    snapshot: TournamentView


class TournamentFrame(Struct, frozen=True):
    """What happened at a version: the type of the line and its members.

    Attributes:
        changed: The tables and rows that moved; null on the bus, and for a line of before that is told late: then
            tables and standings are to be read anew.
    """

    version: int
    at: int
    event: dict[str, Any]
    changed: Moved | None = None


class CardItem(Struct, frozen=True):
    """The card of an entrant as of a version.

    Attributes:
        own: The card, with what nobody else is told.
    """

    version: int
    own: OwnCard


_FRAMES: Final = msgspec.json.Decoder(TournamentFrame)
TOLD_ENTRANTS: Final = (CardItem, EndedItem, ByeItem)
LATE_S: Final = 30.0
"""How long standings around may be behind: what happens at other tables is no reason to make every card anew."""
TOLD: Final = (TournamentSnapshot, TournamentFrame, EndedItem, ByeItem)
_PROBLEMS: Final = ("not_acceptable", "version_in_the_future", "too_many_streams", "closing", "malformed")


@get(
    "/tournaments/{tournament_id:uuid}/stream",
    operation_id="stream_tournament",
    summary="The tournament live",
    opt={"media_types": (SSE, NDJSON), "items": TOLD, "problems": ("unknown_tournament", *_PROBLEMS)},
)
async def stream_tournament(
    request: Request[Any, Any, Any], tournament_id: FromPath[UUID], parts: Injected[Dependencies], after: Version = None
) -> Response[Any]:
    """Stream a snapshot, then what follows version `after`, or else Last-Event-ID, or else the snapshot.

    `changed` says which tables and which rows of the standings of the newest round a line moved, as of now, so that
    whoever shows them need not read them anew: a row that is not in it has the place that `shifts` says. It is null for
    lines of before that nobody followed.
    """
    seen, media_type = (last_event_id(request) if after is None else after), media_type_of(request)
    if wants_head(request.scope):
        version = (await parts.tournaments.load(tournament_id)).tournament.version
        if seen is not None and seen > version:
            raise HttpProblem("version_in_the_future", version=version)
        return Heading(media_type)
    network, bounds = network_of(request.scope), parts.bounds
    place = parts.doors.enter(network, None, bounds.streams_max, bounds.streams_of_network_max)
    with ExitStack() as undo:
        undo.callback(place.leave)
        items: AsyncGenerator[Any, None] = parts.tournament_streams.stream(
            tournament_id, seen, place.over, bounds.beat_s
        )
        first = await first_of(items, seen)
        undo.pop_all()
    looked = look(parts, str(tournament_id), network, browser_of(request))
    return BoundedStream(chunks(first, items, written_as(media_type)), place, looked, bounds.write_s, media_type)


@get(
    "/tournaments/{tournament_id:uuid}/me/stream",
    operation_id="stream_own_card",
    summary="What an entrant has to know, live",
    security=[{"bearer": []}],
    opt={
        "media_types": (SSE, NDJSON),
        "items": TOLD_ENTRANTS,
        "problems": ("unknown_tournament", "no_token", "bad_token", "foreign_token", "not_an_entrant", *_PROBLEMS),
    },
)
async def stream_own_card(
    request: Request[Any, Any, Any],
    tournament_id: FromPath[UUID],
    parts: Injected[Dependencies],
    tournament_viewer: Injected[TournamentBearer | None],
    after: Version = None,
) -> Response[Any]:
    """Stream the card of whoever shows the token: as it is now, then whenever it is another.

    Each item is a whole card, so whoever comes back has missed nothing; `after` and Last-Event-ID only say how far a
    reader has come. What happens at other tables is told within half a minute, everything else at once.
    """
    seen, media_type = (last_event_id(request) if after is None else after), media_type_of(request)
    number = entrant_asking(tournament_viewer)
    if wants_head(request.scope):
        return Heading(media_type)
    network, bounds = network_of(request.scope), parts.bounds
    place = parts.doors.enter(network, (tournament_id, number), bounds.streams_max, bounds.streams_of_network_max)
    with ExitStack() as undo:
        undo.callback(place.leave)
        items = _cards(parts, tournament_id, number, place.over)
        first = await first_of(items, seen)
        undo.pop_all()
    looked = look(parts, own_card(tournament_id, number), network, None)
    return BoundedStream(chunks(first, items, written_as(media_type)), place, looked, bounds.write_s, media_type)


async def _cards(
    parts: Dependencies, tournament_id: UUID, number: int, over: asyncio.Future[None]
) -> AsyncGenerator[StreamedLine, None]:
    """Yield a card, then another whenever it differs, beats in a silence, and how the tournament's own stream ended."""
    reader = _CardReader(parts, tournament_id, number)
    lines = parts.tournament_streams.stream(tournament_id, None, over, parts.bounds.beat_s, plain=True)
    async with aclosing(lines):
        async for line in lines:
            found = await reader.take(line)
            if found is not None:
                yield found


class _CardReader:
    """The reader of a card: what it was told last, and what has happened since."""

    def __init__(self, parts: Dependencies, tournament_id: UUID, number: int) -> None:
        self._parts, self._id, self._number = parts, tournament_id, number
        self._own: OwnCard | None = None
        self._entrant: Entrant | None = None
        self._told, self._made_at, self._is_late = b"", 0.0, False

    async def take(self, line: StreamedLine) -> StreamedLine | None:
        """Return what is told when the tournament's stream says this; None for nothing."""
        if line.kind in {"ended", "bye"}:
            return line
        try:
            own = await self._card_after(line)
        except Unavailable:
            if self._own is None:
                raise
            # A stream outlives the database's absence, and that of dealers: the card comes with the next beat.
            self._made_at, self._is_late = -LATE_S, True
            return line if line.kind == "beat" else None
        body = msgspec.json.encode(CardItem(own.card.version, own))
        if body == self._told:
            return line if line.kind == "beat" else None
        self._told = body
        return StreamedLine("frame", own.card.version, body)

    async def _card_after(self, line: StreamedLine) -> OwnCard:
        own, entrant = self._own, self._entrant
        if own is None or entrant is None:
            return await self._made(line)
        if line.kind == "frame" and line.version is not None and line.version > own.card.version:
            frame = _FRAMES.decode(line.body)
            if touches_card(frame.event, entrant, draws=own.drawer is not None):
                return await self._made(line)
            self._is_late = True
        if self._is_late and ticks_s() >= self._made_at + LATE_S:
            return await self._made(line)
        if line.kind == "beat":
            # A seat that says it is there tells its match so, and not the tournament.
            self._own = own = await with_seat(self._parts, own, entrant.player)
        return own

    async def _made(self, line: StreamedLine) -> OwnCard:
        tournament = (await self._parts.tournaments.load(self._id, line.version)).tournament
        own = self._own = await own_card_of(self._parts, tournament, self._number)
        self._entrant = tournament.entrants[self._number]
        self._made_at, self._is_late = ticks_s(), False
        return own
