"""Looking at a match: its view, its replay, the openings of one's own dice, its record and audit."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from litestar import Request, Response, get
from litestar.params import FromPath, QueryParameter
from litestar.response import Stream

from domain import events
from domain.seats import is_person
from projections.glass import ALL, Eyes
from projections.lengths import encode_unshown_openings, encode_view
from projections.view import View
from services.api.answers import Frame, Frames, HostChoices, Opening, Report, json_of, record_response
from services.api.dependencies import Dependencies
from services.api.requests import ViewerOf
from services.http.etags import etag, names
from services.http.front.addresses import network_of
from services.http.front.rates import Rates
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.reads.records import LINES_MAX

PAGE = 64
"""Frames read from the log at once: half a megabyte at most, which is what a reader who does not read holds here."""

_NOT_FOR_ALL = ("unknown_match", "bad_token", "foreign_token")
Version = Annotated[int | None, QueryParameter(ge=1, le=2**53)]
EyesAsked = Annotated[
    str | None,
    # Where a pattern ends in Python, a line may end behind it.
    QueryParameter(
        pattern=r"^(all|spectator|[1-9][0-9]?)(?!\n)$", description="`all`, `spectator`, or the number of a seat."
    ),
]


@get(
    "/matches/{match_id:uuid}",
    operation_id="view_match",
    summary="The match as the token's seat sees it, or a spectator",
    security=[{}, {"bearer": []}],
    opt={"answers": View, "problems": _NOT_FOR_ALL, "unchanged": True},
)
async def view(
    request: Request[Any, Any, Any],
    match_id: FromPath[UUID],
    viewer: Injected[ViewerOf],
) -> Response[bytes]:
    """Return the view; with If-None-Match, nothing if it has not changed.

    Without the token of a seat, the match is shown as it was as long ago as its host chose (`choices.delay_ms`).
    """
    seen = await viewer.matches.view(match_id, viewer.holder)
    nameless = sum(seat.name == seat.player and is_person(seat.player) for seat in seen.seats)
    headers = {"ETag": etag(seen.version, nameless), "Vary": "Authorization", "Cache-Control": _caching(viewer)}
    if names(request.headers.get("if-none-match"), seen.version, nameless):
        return Response(b"", status_code=304, headers=headers)
    return Response(encode_view(seen), media_type="application/json", headers=headers)


@get(
    "/matches/{match_id:uuid}/replay",
    operation_id="replay_match",
    summary="Every frame of a viewer, or the one at a version",
    security=[{}, {"bearer": []}],
    opt={
        "public": True,
        "dear": True,
        "answers": (Frames, Frame),
        "problems": (*_NOT_FOR_ALL, "unknown_seat", "version_in_the_future"),
    },
)
async def replay(
    match_id: FromPath[UUID],
    viewer: Injected[ViewerOf],
    parts: Injected[Dependencies],
    version: Version = None,
    eyes: EyesAsked = None,
) -> Response[Any]:
    """Return `{"frames": [...]}`, or that one frame if a version is named.

    With `eyes` the cups are of glass: in each view lie also the dice that were hidden then and have been published
    since, `all` of them or those that a seat might have known; `spectator` asks for what spectators saw, whoever asks.
    Dice that no line of the record tells stay hidden. Where spectators see a match late, glass is as late.
    """
    read = partial(viewer.matches.frames, match_id, viewer.holder)
    if eyes is not None:
        read = partial(parts.matches.frames_through, match_id, _eyes(eyes))
    headers = {"Vary": "Authorization", "Cache-Control": "no-store"}
    frames = await read(0 if version is None else version - 1, PAGE if version is None else 1)
    if version is None:
        return Stream(_pages(read, frames), media_type="application/json", headers=headers)
    if not frames:
        raise HttpProblem("version_in_the_future")
    return Response(frames[0], media_type="application/json", headers=headers)


def _eyes(asked: str) -> Eyes:
    """Return whose eyes these are, as the interface names them."""
    if asked == ALL:
        return ALL
    return None if asked == "spectator" else int(asked)


async def _pages(read: Callable[[int, int], Awaitable[list[bytes]]], frames: list[bytes]) -> AsyncIterator[bytes]:
    """Yield the document in pages: a long match never lies in memory as a whole."""
    after = len(frames)
    yield b'{"frames":[' + b",".join(frames)
    while len(frames) == PAGE:
        frames = await read(after, PAGE)
        after += len(frames)
        yield b"".join(b"," + frame for frame in frames)
    yield b"]}"


@get(
    "/matches/{match_id:uuid}/choices",
    operation_id="choices_of_match",
    summary="What the host chose beside the rules",
    opt={"answers": HostChoices, "problems": ("unknown_match",)},
)
async def choices_of(match_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return whether people are shown odds or reads, may say phrases, and how late spectators see the match.

    It stands beside the match and in no record, and stays as it was when the table was opened.
    """
    card = await parts.matches.card(match_id)
    choices, private = card.choices, not card.listed
    told = HostChoices(choices.delay_ms, choices.phrases, choices.hints, choices.bots, choices.live_reads, private)
    return json_of(told, headers={"Cache-Control": "no-cache"})


@get(
    "/matches/{match_id:uuid}/openings",
    operation_id="own_openings",
    summary="The proofs of one's own hidden dice",
    security=[{"bearer": []}],
    opt={
        "answers": list[events.Revealed | events.ChoicesRevealed],
        "problems": (*_NOT_FOR_ALL, "no_token", "not_a_seat"),
    },
)
async def openings(match_id: FromPath[UUID], viewer: Injected[ViewerOf]) -> Response[bytes]:
    """Return the openings of the hidden dice that the token's seat may know now.

    Where it is sealed which dice a seat rolled again, the choices follow, and the keys of their blind slots stand among
    the openings (CUP/1 section 4.12).
    """
    opened = await viewer.matches.opened(match_id, viewer.own_seat())
    return Response(opened, media_type="application/json", headers={"Cache-Control": "no-store"})


@get(
    "/matches/{match_id:uuid}/openings/folded",
    operation_id="folded_openings",
    summary="The proofs of one's own dice that were never shown",
    security=[{"bearer": []}],
    opt={"answers": list[Opening], "problems": (*_NOT_FOR_ALL, "no_token", "not_a_seat")},
)
async def folded(match_id: FromPath[UUID], viewer: Injected[ViewerOf]) -> Response[bytes]:
    """Return the openings of all dice under the cups of the token's seat that deals now over have kept secret.

    Any one of them can be shown to an auditor, who checks it against the record: it proves itself (CUP/1 section 5.4).
    """
    kept = await viewer.matches.folded(match_id, viewer.own_seat())
    return Response(encode_unshown_openings(kept), media_type="application/json", headers={"Cache-Control": "no-store"})


@get(
    "/matches/{match_id:uuid}/record",
    operation_id="record_of_match",
    summary="The record, for anybody to audit",
    opt={
        "public": True,
        "dear": True,
        "media_types": ("text/plain", "application/x-cup"),
        "problems": ("unknown_match",),
    },
)
async def record(
    request: Request[Any, Any, Any], match_id: FromPath[UUID], parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return the record file: the event lines with what the transparency log says about them (CUP/1 section 4.10)."""
    return record_response(request, await parts.matches.record(match_id), f"{match_id}.cup")


@get(
    "/matches/{match_id:uuid}/lines",
    operation_id="lines_of_match",
    summary="Lines of the record, for whoever holds those before",
    security=[{}, {"bearer": []}],
    opt={"public": True, "media_types": ("application/x-ndjson",), "problems": _NOT_FOR_ALL},
)
async def lines(
    match_id: FromPath[UUID], parts: Injected[Dependencies], viewer: Injected[ViewerOf], after: Version = None
) -> Response[bytes]:
    """Return the lines of the record behind version `after`, without proofs; all, if none is named.

    At most 512 come at once; the `Link` of such a page leads to the next. Whoever signs computes a head from lines that
    it holds (CUP/1 section 4.14.2): with `after` one less than it holds, the last of them comes again, and is another
    one if any before it was. A seat's token has the lines of its own table at once, where others wait for them.
    """
    held = after or 0
    found = await parts.matches.lines(match_id, held, viewer.holder)
    headers = {"Cache-Control": "no-store"}
    if len(found) == LINES_MAX:
        headers["Link"] = f'</api/v1/matches/{match_id}/lines?after={held + len(found)}>; rel="next"'
    body = b"".join(line + b"\n" for line in found)
    return Response(body, media_type="application/x-ndjson", headers=headers)


@get(
    "/matches/{match_id:uuid}/names",
    operation_id="names_of_match",
    summary="What people are called, with what the record commits to it by",
    opt={"public": True, "dear": True, "media_types": ("application/x-ndjson",), "problems": ("unknown_match",)},
)
async def names_of(match_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return a JSON object a line for each line of the record that seats somebody: `seat`, `player`, `name`, `salt`.

    The line commits to SHA-256 of `CUP1.nam`, salt and name, where it has a `name` (CUP/1 section 4.14.1): so whoever
    is told a name can check it, and `truecup audit --names` does. Both are null where they were erased.
    """
    told = await parts.matches.names_told(match_id)
    return Response(told, media_type="application/x-ndjson", headers={"Cache-Control": "no-store"})


@get(
    "/matches/{match_id:uuid}/policy",
    operation_id="policy_of_match",
    summary="The log's policy that the match was logged under",
    opt={"public": True, "dear": True, "media_types": ("text/plain",), "problems": ("unknown_match",)},
)
async def policy(match_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return the policy of then, by the house's word: keys are rotated, witnesses change, and lines stay as they are.

    Whoever kept a policy of their own judges by that one.
    """
    text = await parts.log.policy_for(await parts.matches.beginning(match_id))
    return Response(text.encode(), media_type="text/plain", headers={"Cache-Control": "public, max-age=300"})


@get(
    "/matches/{match_id:uuid}/access",
    operation_id="access_of_match",
    summary="Who was served which hidden dice, for anybody to audit",
    opt={
        "public": True,
        "dear": True,
        "media_types": ("text/plain", "application/x-cup"),
        "problems": ("unknown_match",),
    },
)
async def access(
    request: Request[Any, Any, Any], match_id: FromPath[UUID], parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return the access record, in the format of the record: a line for each viewer and roll, and never a value."""
    return record_response(request, await parts.matches.access(match_id), f"{match_id}.access")


@get(
    "/matches/{match_id:uuid}/audit",
    operation_id="audit_match",
    summary="What an audit of the record finds",
    opt={"public": True, "dear": True, "answers": Report, "problems": ("unknown_match",)},
)
async def audit(
    request: Request[Any, Any, Any],
    match_id: FromPath[UUID],
    parts: Injected[Dependencies],
    rates: Injected[Rates],
    auditing: Injected[asyncio.Semaphore],
) -> Response[bytes]:
    """Audit the record as `truecup audit` would. It is the house auditing itself: better run it yourself."""
    await rates.take("audits", parts.bounds.audits_per_s, network_of(request.scope))
    async with auditing:
        # Read once there is room to audit it, so that records lie in memory for no more than are audited at once.
        found = await parts.report(*await parts.matches.evidence(match_id))
    return json_of(found, headers={"Cache-Control": "no-cache"})


def _caching(viewer: ViewerOf) -> str:
    return "no-cache" if viewer.holder is None else "no-store"
