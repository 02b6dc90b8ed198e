"""The frames of a match as they come, `/matches/{id}/stream`, or one round late, `/matches/{id}/caster`.

What may be said of it while it is played comes at `/caster` as well, where channels are asked for.

Both are SSE or NDJSON, by `Accept`. The first item is `{"snapshot": VIEW}`, then comes one frame a version, then
`{"ended": VERSION}` when the match is over or `{"bye": VERSION}` when the service goes down or has to make room. SSE
adds `id: VERSION` to each, and names those that are no frames (`event: snapshot`). When nothing happens for 5 s an SSE
comment or an empty line says that the stream is alive. Numbering is the same for every viewer.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack, aclosing
from functools import lru_cache, partial
from typing import Annotated, Any, Final
from uuid import UUID

from litestar import Request, Response, get
from litestar.params import FromPath, QueryParameter

from projections.casting.caster import CHANNELS
from services.api.answers import STREAMED, CasterItem, CasterSnapshotItem, WatchCount, json_of
from services.api.dependencies import Dependencies, StreamedItem, first_of
from services.api.looking_on import browser_of, look
from services.api.requests import ViewerOf
from services.http.front.addresses import network_of
from services.http.front.bounded_streams import BoundedStream, Heading
from services.http.front.drain import DoorPlace
from services.http.heads import wants_head
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.watching.casting import cast
from services.matches.watching.telling import Telling, tell
from services.words.catalogue import LANGUAGES

VERSION_MAX: Final = 2**53
SSE: Final = "text/event-stream"
NDJSON: Final = "application/x-ndjson"

_CHANNEL: Final = f"({'|'.join(CHANNELS)})"

Written = Callable[[str, int | None, bytes], bytes]
"""How an item is written: from its kind, its version and its body."""
Version = Annotated[int | None, QueryParameter(ge=0, le=VERSION_MAX)]
Phrases = Annotated[bool | None, QueryParameter()]
Glance = Annotated[bool, QueryParameter()]
Channels = Annotated[
    str | None,
    # Where a pattern ends in Python, a line may end behind it.
    QueryParameter(
        pattern=rf"^{_CHANNEL}(,{_CHANNEL})*(?!\n)$", description="What is said: " + ", ".join(CHANNELS) + "."
    ),
]
Language = Annotated[
    str | None,
    QueryParameter(pattern=rf"^({'|'.join(LANGUAGES)})(?!\n)$", description="Of the sentences, written out."),
]


@get(
    "/matches/{match_id:uuid}/stream",
    operation_id="stream_match",
    summary="The match live",
    security=[{}, {"bearer": []}],
    opt={
        "media_types": (SSE, NDJSON),
        "items": STREAMED,
        "problems": (
            *("unknown_match", "bad_token", "foreign_token", "not_acceptable", "version_in_the_future"),
            *("too_many_streams", "closing", "malformed"),
        ),
    },
)
async def stream(
    request: Request[Any, Any, Any],
    match_id: FromPath[UUID],
    parts: Injected[Dependencies],
    viewer: Injected[ViewerOf],
    after: Version = None,
    phrases: Phrases = None,
    glance: Glance = False,  # noqa: FBT002 - a parameter of the address
) -> Response[Any]:
    """Stream a snapshot, then what follows version `after`, or else Last-Event-ID, or else the snapshot.

    What seats say comes between frames, as `{"phrase": ID, "seat": SEAT}` without a version: as events named `phrase`
    unless `phrases=false`, and among lines only with `phrases=true`.

    Whoever only glances at a match (`glance=true`), as the front page does, is not counted among those who watch.

    When streams run out, people who watch give way to seats: they are told `bye` and may come again. Where the host
    wants spectators to wait (`choices.delay_ms`), they are told of each version when it is so old.
    """
    seen = last_event_id(request) if after is None else after
    says = media_type_of(request) == SSE if phrases is None else phrases

    def items(place: DoorPlace) -> AsyncGenerator[StreamedItem, None]:
        told = parts.streams.stream
        return told(match_id, viewer.holder, seen, viewer.matches, place.over, parts.bounds.beat_s, says)

    counted = viewer.holder is None and not glance
    return await _streamed(request, parts, match_id, viewer, seen, items, counted=counted)


@get(
    "/matches/{match_id:uuid}/caster",
    operation_id="cast_match",
    summary="The match with every cup of glass, one round late",
    opt={
        "media_types": (SSE, NDJSON),
        "items": (*STREAMED, CasterSnapshotItem, CasterItem),
        "problems": (
            *("unknown_match", "not_acceptable", "version_in_the_future", "too_many_streams", "closing", "malformed"),
        ),
    },
)
async def cast_match(
    request: Request[Any, Any, Any],
    match_id: FromPath[UUID],
    parts: Injected[Dependencies],
    after: Version = None,
    channels: Channels = None,
    words: Language = None,
) -> Response[Any]:
    """Stream what `/stream` does, with every die that is published, as soon as the next round opens.

    The frames of a round come when the next one opens, or when the match has ended, and until then nothing does but
    beats. Nobody needs a token, for nothing is told that is not public by then: dice that play never shows stay hidden,
    unless their deal closes with its secret before the next round opens.

    With `channels` come figures instead of frames, for the versions that `/stream` shows and as late as there: `odds`
    are how likely claims are as everybody sees the table, while the round is played; `reads` the same by what moves
    say, where the host has opened it (`choices.live_reads`). They are made of public lines alone. With `words` their
    sentences are written out in a language besides.
    """
    seen = last_event_id(request) if after is None else after

    def items(place: DoorPlace) -> AsyncGenerator[StreamedItem, None]:
        of_spectators = partial(parts.streams.stream, match_id, None)
        if channels is not None:
            telling = Telling(frozenset(name for name in CHANNELS if name in channels.split(",")), words)
            told = of_spectators(seen, parts.matches, place.over, parts.bounds.beat_s)
            return tell(told, parts.matches, match_id, telling)
        told = of_spectators(None, parts.matches, place.over, parts.bounds.beat_s)
        return cast(told, parts.matches, match_id, seen, place.over)

    return await _streamed(request, parts, match_id, ViewerOf(None, parts.matches), seen, items, counted=True)


@get(
    "/matches/{match_id:uuid}/watching",
    operation_id="count_watching",
    summary="How many watch the match",
    opt={"answers": WatchCount, "problems": ("unknown_match",)},
)
async def count_watching(match_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return how many people follow the match and hold no seat, on all nodes, some seconds ago.

    One browser of one network counts once, however often it comes back, and 64 of one network at most.
    """
    await parts.matches.card(match_id)
    return json_of(WatchCount(parts.crowds.count(str(match_id))), headers={"Cache-Control": "no-cache"})


async def _streamed(
    request: Request[Any, Any, Any],
    parts: Dependencies,
    match_id: UUID,
    viewer: ViewerOf,
    seen: int | None,
    items_at: Callable[[DoorPlace], AsyncGenerator[StreamedItem, None]],
    *,
    counted: bool,
) -> Response[Any]:
    """Return what streams these items, once there is a place for it and a first one."""
    media_type = media_type_of(request)
    if wants_head(request.scope):
        return await _head(viewer, match_id, seen, media_type)
    seat = None if viewer.holder is None else (match_id, viewer.holder.seat)
    network, bounds = network_of(request.scope), parts.bounds
    # Taken before anything is waited for, so that any number who come at once find as many places as there are.
    place = parts.doors.enter(network, seat, bounds.streams_max, bounds.streams_of_network_max)
    with ExitStack() as undo:
        undo.callback(place.leave)
        items = items_at(place)
        first = await first_of(items, seen)
        undo.pop_all()
    looked = look(parts, str(match_id), network, browser_of(request) if counted else None)
    told = chunks(first, items, written_as(media_type))
    return BoundedStream(told, place, looked, bounds.write_s, media_type)


def written_as(media_type: str) -> Written:
    """Return how items are written in this media type."""
    return _as_event if media_type == SSE else _as_line


async def _head(viewer: ViewerOf, match_id: UUID, seen: int | None, media_type: str) -> Response[Any]:
    """Return what the stream would begin with, without one."""
    version = (await viewer.matches.view(match_id, viewer.holder)).version
    if seen is not None and seen > version:
        raise HttpProblem("version_in_the_future", version=version)
    return Heading(media_type)


async def chunks(
    first: StreamedItem, items: AsyncGenerator[StreamedItem, None], written: Written
) -> AsyncGenerator[bytes, None]:
    """Yield what the hub says, as it is written."""
    async with aclosing(items):
        yield written(first.kind, first.version, first.body)
        del first  # what many are shown is not to be kept by each of them
        async for item in items:
            yield written(item.kind, item.version, item.body)
            del item


@lru_cache(maxsize=16)
def _as_event(kind: str, version: int | None, body: bytes) -> bytes:
    """Return an item as a server-sent event, made once for all who are told of it at about the same time.

    Source: https://html.spec.whatwg.org/multipage/server-sent-events.html
    """
    if kind == "beat":
        return b": ping\n\n"
    name = b"" if kind == "frame" else f"event: {kind}\n".encode()
    place = b"" if version is None else f"id: {version}\n".encode()
    return name + place + b"data: " + body + b"\n\n"


def _as_line(_kind: str, _version: int | None, body: bytes) -> bytes:
    return body + b"\n"


def media_type_of(request: Request[Any, Any, Any]) -> str:
    """Return which of the media types of a stream a request wants.

    Raises:
        HttpProblem: `not_acceptable`.
    """
    wanted = request.headers.get("accept", "*/*")
    found = request.accept.best_match([SSE, NDJSON]) if wanted.strip() not in {"", "*/*"} else SSE
    if found is None:
        raise HttpProblem("not_acceptable", known=[SSE, NDJSON])
    return found


def last_event_id(request: Request[Any, Any, Any]) -> int | None:
    """Return the version that a reader has seen last, as its `Last-Event-ID` says.

    Raises:
        HttpProblem: `malformed`.
    """
    given = request.headers.get("last-event-id")
    if given is None:
        return None
    if not (given.isascii() and given.isdecimal() and len(given) <= 16):  # noqa: PLR2004 - digits of VERSION_MAX
        raise HttpProblem("malformed", faults=[{"where": "Last-Event-ID", "why": "this is not a version"}])
    return int(given)
