"""A tournament as it happens, `/tournaments/{id}/stream`: a snapshot, then a line a version, as SSE or NDJSON."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import ExitStack
from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get
from litestar.params import FromPath
from msgspec import Struct

from projections.tournaments.overview import TournamentView
from services.api.answers import ByeItem, EndedItem
from services.api.dependencies import Dependencies, first_of
from services.api.looking_on import browser_of, look
from services.api.routes.streaming import NDJSON, SSE, Version, chunks, last_event_id, media_type_of, written_as
from services.http.front.addresses import network_of
from services.http.front.bounded_streams import BoundedStream, Heading
from services.http.heads import wants_head
from services.http.injected import Injected
from services.http.problems import HttpProblem


class TournamentSnapshot(Struct, frozen=True):
    """What a stream begins with: the tournament as it is."""

    snapshot: TournamentView


class TournamentFrame(Struct, frozen=True):
    """What happened at a version: the type of the line and its members."""

    version: int
    at: int
    event: dict[str, Any]


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
    """Stream a snapshot, then what follows version `after`, or else Last-Event-ID, or else the snapshot."""
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
