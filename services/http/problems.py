"""Every no of the interface, as an RFC 9457 problem document.

There is one map from code to status. A refusal of a rule is 409, whoever is at the wrong door gets 401, 403 or 404,
whoever sends what nobody can read gets 400 or 422, and what the world refuses is 503. Options that do not fit the game
(`bad_options`) are 422: the request was well formed, its content was not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from domain.errors import CODES, COMMENT_CODES, SEASON_CODES, TOURNAMENT_CODES
from services.words.details import detail_of

MEDIA_TYPE: Final = "application/problem+json"
RETRY_S: Final = 1
"""What `Retry-After` says when the world said no and nobody knows for how long."""
ROOM_S: Final = 60
"""What it says where too many tables are played by bots, or wait: by then one of them has ended, as a rule."""


class ProblemKind(Struct, frozen=True):
    """One code: its status and its one line for people."""

    status: int
    title: str


_OF_THE_INTERFACE: Final[dict[str, ProblemKind]] = {
    "malformed": ProblemKind(400, "the request is not what this address takes"),
    "unknown_method": ProblemKind(400, "no method has this name"),
    "bad_idempotency_key": ProblemKind(400, "an idempotency key is 16 to 128 visible ASCII characters"),
    "weak_idempotency_key": ProblemKind(422, "this idempotency key can be guessed"),
    "bad_host": ProblemKind(400, "the request does not say which host it is for"),
    "bad_if_match": ProblemKind(400, 'an If-Match header holds entity tags, such as "v12", or an asterisk'),
    "not_understood": ProblemKind(400, "nobody can tell what this text asks for"),
    "bad_token": ProblemKind(401, "this is not a token of this house"),
    "no_token": ProblemKind(401, "this needs the token of a seat or of the host"),
    "foreign_token": ProblemKind(403, "this token belongs to another match"),
    "not_a_seat": ProblemKind(403, "this needs the token of a seat"),
    "not_a_drawer": ProblemKind(403, "whoever asks does not draw lots"),
    "not_an_entrant": ProblemKind(403, "this needs the token of an entrant"),
    "no_hints": ProblemKind(403, "hints are for tables of practice"),
    "no_phrases": ProblemKind(403, "the host wants no phrases at this table"),
    "spectators_only": ProblemKind(403, "in the page of another site a match is shown as spectators see it"),
    "cross_site": ProblemKind(403, "a page of another site may not do this"),
    "not_found": ProblemKind(404, "nothing is at this address"),
    "unknown_match": ProblemKind(404, "no match has this id"),
    "unknown_tournament": ProblemKind(404, "no tournament has this id"),
    "unknown_board": ProblemKind(404, "no board has this id"),
    "unknown_season": ProblemKind(404, "no season has this id"),
    "unknown_person": ProblemKind(404, "nobody is a player of this id"),
    "unknown_webhook": ProblemKind(404, "the tournament has no webhook of this id"),
    "unknown_seat": ProblemKind(404, "nobody has this seat at the match"),
    "unknown_question": ProblemKind(404, "no question about odds has this name"),
    "unknown_policy": ProblemKind(404, "no policy that is shipped has this hash"),
    "analysis_waits": ProblemKind(404, "there is no analysis of the match before it is over"),
    "unknown_analysis": ProblemKind(404, "no analysis that is kept has this name"),
    "no_checkpoint": ProblemKind(404, "nothing has been logged yet"),
    "no_tile": ProblemKind(404, "the log has no tile at this address, or has not grown so far yet"),
    "bad_method": ProblemKind(405, "this address does not take this method"),
    "not_acceptable": ProblemKind(406, "this address has none of the media types asked for"),
    "too_slow": ProblemKind(408, "the request did not come to its end in time"),
    "nothing_to_decide": ProblemKind(409, "the seat has nothing to decide now"),
    "too_many_webhooks": ProblemKind(409, "the tournament has as many webhooks as it may"),
    "version_in_the_future": ProblemKind(409, "the match has not come to this version"),
    "version_passed": ProblemKind(412, "the match is at another version than the one named"),
    "too_large": ProblemKind(413, "a request body is at most 16 KiB"),
    "address_too_long": ProblemKind(414, "the address is longer than the head of a request may be"),
    "bad_media_type": ProblemKind(415, "a request body is JSON"),
    "misdirected": ProblemKind(
        421, "the house is not known by this name; its operator lists its names in TRUECUP_HOSTS"
    ),
    "bad_name": ProblemKind(422, "nobody can be called this at a table"),
    "bad_list": ProblemKind(422, "the list cannot be taken as it is"),
    "bad_url": ProblemKind(422, "webhooks do not go to this address"),
    "bad_question": ProblemKind(422, "nobody can ask this about odds"),
    "record_faulty": ProblemKind(422, "the record is at fault, and is not analysed"),
    "cannot_analyse": ProblemKind(422, "there is nothing here that can be analysed"),
    "upgrade_required": ProblemKind(426, "this address takes a WebSocket, version 13"),
    "key_reused": ProblemKind(422, "this idempotency key came with another request before"),
    "too_many_requests": ProblemKind(429, "too many requests in too short a time"),
    "head_too_large": ProblemKind(431, "the request line and the headers together are at most 16 KiB"),
    "broken": ProblemKind(500, "the service is wrong"),
    "unavailable": ProblemKind(503, "the service cannot do this now"),
    "unreadable": ProblemKind(
        503, "this program cannot read the match; another version of it may, and all others are as ever"
    ),
    "too_many_connections": ProblemKind(503, "no connection is free now"),
    "too_many_streams": ProblemKind(503, "no stream is free now"),
    "closing": ProblemKind(503, "the service is going down; ask again in a moment"),
}

_REFUSALS_APART: Final[dict[str, int]] = {
    "bad_options": 422,
    "needs_signature": 403,
    "bad_key": 422,
    "bad_signature": 422,
    "needs_invite": 403,
    "not_the_host": 403,
    "too_many_bot_tables": 429,
    "too_many_tables": 429,
    "not_an_official": 403,
    "not_yours": 403,
    "unknown_number": 404,
    "unknown_table": 404,
    "unknown_case": 404,
    "may_not_comment": 403,
    "unknown_comment": 404,
    "comment_erased": 410,
    "not_the_author": 403,
    "bad_comment": 422,
    "too_many_comments": 429,
}
"""Refusals of the domain that are not 409."""

PROBLEMS: Final[dict[str, ProblemKind]] = {
    **{
        code: ProblemKind(_REFUSALS_APART.get(code, 409), title)
        for code, title in (CODES | TOURNAMENT_CODES | SEASON_CODES | COMMENT_CODES).items()
    },
    **_OF_THE_INTERFACE,
}
"""Every code that a response of this program can carry."""


class Problem(Struct, frozen=True):
    """A problem document, RFC 9457. Further members hold the facts of the case.

    Attributes:
        type: Where a page about this code is.
        title: The code in words, always the same for a code.
        status: The HTTP status.
        detail: One sentence more: what this request met, or what to do next.
        code: Stable for ever; decide by it.
    """

    type: str
    title: str
    status: Annotated[int, Meta(ge=400, le=599)]
    detail: str
    code: str


class HttpProblem(Exception):  # noqa: N818 - named for what happened
    """The interface says no."""

    def __init__(self, code: str, detail: str = "", **facts: object) -> None:
        """Say no with a code of `PROBLEMS`, and what helps to do better."""
        assert code in PROBLEMS, code
        super().__init__(detail or PROBLEMS[code].title)
        self.code = code
        self.detail = detail
        self.facts = facts
        self.headers: dict[str, str] = {}

    def with_headers(self, headers: Mapping[str, str]) -> HttpProblem:
        """Return this trouble, with headers for the response."""
        self.headers.update(headers)
        return self


def document_of(code: str, detail: str = "", facts: Mapping[str, Any] | None = None) -> bytes:
    """Return the problem document of a code as JSON; facts never displace the five members every problem has.

    Where nobody has said what to put into the detail, it is made of the facts.
    """
    kind = PROBLEMS[code]
    told = facts or {}
    problem = Problem(f"/problems/{code}", kind.title, kind.status, detail or detail_of(code, told), code)
    return msgspec.json.encode({**told, **msgspec.to_builtins(problem)})


def headers_of(code: str) -> dict[str, str]:
    """Return the headers that every response with this code carries."""
    if code in {"too_many_bot_tables", "too_many_tables"}:
        return {"Retry-After": str(ROOM_S)}
    match PROBLEMS[code].status:
        case HTTPStatus.UNAUTHORIZED:
            return {"WWW-Authenticate": 'Bearer realm="truecup"'}
        case HTTPStatus.UPGRADE_REQUIRED:
            return {"Upgrade": "websocket", "Connection": "Upgrade"}  # RFC 9110 sections 15.5.22 and 7.8
        case HTTPStatus.SERVICE_UNAVAILABLE:
            return {"Retry-After": str(RETRY_S)}
        case _:
            return {}


def last_answer(code: str, detail: str, defaults: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a problem as a whole answer of HTTP/1.1, with these headers besides, behind which the connection ends."""
    status, body = HTTPStatus(PROBLEMS[code].status), document_of(code, detail)
    fields = {
        **{name.decode(): value.decode() for name, value in defaults},
        "content-type": MEDIA_TYPE,
        "content-length": str(len(body)),
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "connection": "close",
        **headers_of(code),
    }
    head = [f"HTTP/1.1 {status.value} {status.phrase}", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join((*head, "", "")).encode("latin-1") + body
