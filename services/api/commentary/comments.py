"""Comments over HTTP: read, made, replaced, withdrawn, and exported; `/matches/{id}/comments`."""

from __future__ import annotations

from typing import Annotated, Final
from uuid import UUID

import msgspec
from litestar import Response, delete, get, patch, post, route
from litestar.params import FromPath, QueryParameter

from domain.commentary.events import WithdrawalReason
from projections.commentary.comments import CommentView
from services.api.answers import json_of
from services.api.commentary.bodies import SayComment, SayInstead
from services.api.dependencies import Dependencies
from services.api.requests import AnyRequest, house_of, identity_of, token_of
from services.commentary.requests import CommentAnswer, CommentWriter, SaidComment
from services.http import bodies
from services.http.front.addresses import network_of
from services.http.front.rates import Rate
from services.http.injected import Injected
from services.http.problems import HttpProblem
from services.matches.requests import scope_of

PAGE_MAX: Final = 200
_SAYS: Final = msgspec.json.Decoder(SayComment)
_SAYS_INSTEAD: Final = msgspec.json.Decoder(SayInstead)
_HEADERS: Final = ("bad_idempotency_key", "bad_if_match", "key_reused", "version_passed")
_TOKENS: Final = ("unknown_match", "no_token", "bad_token")
_SAID: Final = ("may_not_comment", "bad_comment", "too_many_comments")
_STANDS: Final = ("unknown_comment", "comment_erased", "not_the_author")
_HERS: Final = {"Cache-Control": "no-store"}


@get(
    "/matches/{match_id:uuid}/comments",
    operation_id="list_comments",
    summary="What people say about a match",
    security=[{}, {"bearer": []}],
    opt={"answers": list[CommentView], "problems": ("unknown_match", "bad_token")},
)
async def list_comments(
    match_id: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    limit: Annotated[int, QueryParameter(ge=1, le=PAGE_MAX)] = 50,
    after: Annotated[UUID | None, QueryParameter()] = None,
) -> Response[bytes]:
    """Return comments in the order they were made; a full page has a `Link` to the next.

    What is said about a round that is not over yet, for whoever holds no seat, is told to its author alone. Of what was
    withdrawn or erased the words are null.
    """
    token = token_of(request)
    reader = None if token is None else (await shown_by(request, parts, match_id, token)).author
    begins = "" if after is None else str(after)
    found = await parts.comments.comments(match_id, reader, begins, limit)
    headers = {"Vary": "Authorization", "Cache-Control": "no-cache" if token is None else "no-store"}
    if len(found) == limit:
        path = f"/api/v1/matches/{match_id}/comments"
        headers["Link"] = f'<{path}?limit={limit}&after={found[-1].comment}>; rel="next"'
    return json_of(found, headers=headers)


@post(
    "/matches/{match_id:uuid}/comments",
    operation_id="say_comment",
    summary="Say something about a match",
    security=[{"bearer": []}],
    opt={"answers": CommentAnswer, "problems": (*_HEADERS, *_TOKENS, *_SAID, "ahead_of_match")},
)
async def say_comment(match_id: FromPath[UUID], request: AnyRequest, parts: Injected[Dependencies]) -> Response[bytes]:
    """Say something about a version of a match, with the token of its host, of an official, or of a player.

    Players may where the host names them as casters, and once the match is over if the host lets everybody. The line in
    the log has no word of it but a hash, and the words can be erased.
    """
    token = await writing(request, parts, match_id)
    ask, body = await identity_of(request, scope_of(token))
    asked = bodies.read(request, body, _SAYS)
    said = SaidComment(asked.version, asked.text, asked.lang, asked.until, asked.seat)
    answer = await parts.comments.make(match_id, token, said, ask)
    location = f"/api/v1/matches/{match_id}/comments/{answer.comment}"
    return json_of(answer, 201, {**_HERS, "Location": location})


@patch(
    "/matches/{match_id:uuid}/comments/{comment:uuid}",
    operation_id="replace_comment",
    summary="Say something else instead",
    security=[{"bearer": []}],
    opt={"answers": CommentAnswer, "problems": (*_HEADERS, *_TOKENS, *_SAID, *_STANDS)},
)
async def replace_comment(
    match_id: FromPath[UUID], comment: FromPath[UUID], request: AnyRequest, parts: Injected[Dependencies]
) -> Response[bytes]:
    """Put other words into a comment, as its author; those of before are erased."""
    token = await writing(request, parts, match_id)
    ask, body = await identity_of(request, scope_of(token))
    asked = bodies.read(request, body, _SAYS_INSTEAD)
    return json_of(await parts.comments.replace(match_id, token, comment, asked.text, ask), headers=_HERS)


@delete(
    "/matches/{match_id:uuid}/comments/{comment:uuid}",
    operation_id="withdraw_comment",
    summary="Withdraw a comment",
    status_code=200,
    security=[{"bearer": []}],
    opt={"answers": CommentAnswer, "problems": (*_HEADERS, *_TOKENS, *_STANDS)},
)
async def withdraw_comment(
    match_id: FromPath[UUID],
    comment: FromPath[UUID],
    request: AnyRequest,
    parts: Injected[Dependencies],
    reason: Annotated[WithdrawalReason, QueryParameter()] = "other",
) -> Response[bytes]:
    """Withdraw a comment for good, as its author or as a host, and erase its words.

    The line stays, with who withdrew it and why, and so does every proof.
    """
    token = await writing(request, parts, match_id)
    ask, _ = await identity_of(request, scope_of(token))
    return json_of(await parts.comments.withdraw(match_id, token, comment, reason, ask), headers=_HERS)


@get(
    "/matches/{match_id:uuid}/comments/export",
    operation_id="export_comments",
    summary="The record of what people say about a match",
    opt={"public": True, "dear": True, "media_types": ("application/x-ndjson",), "problems": ("unknown_match",)},
)
async def export_comments(match_id: FromPath[UUID], parts: Injected[Dependencies]) -> Response[bytes]:
    """Return the lines of the commentary, each with the words that it names, as lines of JSON.

    A line is as it stands in the log, chained as those of matches are (CUP/1 section 4.4); the SHA-256 of `salt` and
    `text` is the hash that it names. They end before the first that is about a round that is not over yet.
    """
    lines = await parts.comments.export(match_id)
    body = b"".join(msgspec.json.encode(line) + b"\n" for line in lines)
    headers = {
        "Content-Disposition": f'attachment; filename="{match_id}.comments.ndjson"',
        "Cache-Control": "no-cache",
    }
    return Response(body, media_type="application/x-ndjson", headers=headers)


@route("/matches/{match_id:uuid}/comments", http_method="OPTIONS", status_code=204, include_in_schema=False)
async def methods() -> Response[None]:
    """Return both methods of the address; the framework's own answer knows only the first that was registered."""
    return Response(None, status_code=204, headers={"Allow": "GET, OPTIONS, POST"})


@route(
    "/matches/{match_id:uuid}/comments/{comment:uuid}",
    http_method="OPTIONS",
    status_code=204,
    include_in_schema=False,
)
async def methods_of_one() -> Response[None]:
    """Return both methods of the address of a comment, for the same reason."""
    return Response(None, status_code=204, headers={"Allow": "DELETE, OPTIONS, PATCH"})


async def writing(request: AnyRequest, parts: Dependencies, match_id: UUID) -> str:
    """Return the token that a request shows, which is one of this house and whose writes are counted.

    Raises:
        HttpProblem: `no_token`, `bad_token`, `too_many_requests`.
        UnknownMatch: There is no such match.
    """
    token = token_of(request)
    if token is None:
        raise HttpProblem("no_token")
    _, rates = house_of(request)
    rates.check("writes", Rate(parts.bounds.writes_per_s), scope_of(token))
    await shown_by(request, parts, match_id, token)
    return token


async def shown_by(request: AnyRequest, parts: Dependencies, match_id: UUID, token: str) -> CommentWriter:
    """Return who shows a token; guesses are counted by network.

    Raises:
        HttpProblem: `bad_token`, `too_many_requests`.
        UnknownMatch: There is no such match.
    """
    writer = await parts.comments.writer_of(match_id, token)
    if writer is None:
        _, rates = house_of(request)
        rates.check("guesses", Rate(parts.bounds.writes_per_s), network_of(request.scope))
        raise HttpProblem("bad_token")
    return writer
