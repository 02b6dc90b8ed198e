"""Analyses: `/matches/{id}/analysis` of what was played here, `/analyses` of any record.

They are made one after the other beside the program, and kept under a name that is a hash of all they follow from.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from litestar import Request, Response, get, post
from litestar.params import FromPath, QueryParameter
from msgspec import Struct

from domain.analysis.grades.moments import Moment
from domain.analysis.means import SAMPLES, SAMPLES_MIN
from domain.analysis.report import Analysis
from domain.fairness.faults import Fault
from domain.fairness.records import split
from domain.log import canonical
from projections.commentary.comments import CommentView
from services.analysis.desk import BROKEN_HERE, DIED, TAKES_TOO_MUCH, AskedTooMuch, DeskFull, Failed, Job, Underway
from services.analysis.jobs import name_of
from services.analysis.making import CannotAnalyse, check_is_match
from services.api.answers import json_of
from services.api.dependencies import Dependencies
from services.audit.tables import board_named_in
from services.audit.verdict import NOTHING_BESIDE
from services.http import bodies
from services.http.etags import has
from services.http.front.addresses import network_of
from services.http.injected import Injected
from services.http.problems import HttpProblem

RECORD_MAX: Final = 4 * 2**20
"""The longest record that anybody may send, in bytes; those of usual matches have 100 kB."""
SAMPLES_ASKED_MAX: Final = 4_096
"""More is for whoever has a core of their own: `truecup analyse --samples`."""
AGAIN_S: Final = 2
"""When to ask again for an analysis that is being made."""
LATER_S: Final = 60
"""When to ask again where too many wait."""
MENDED_S: Final = 3_600
"""When to ask again where a fault of ours is in the way: it is until another version of this program starts."""
TAKES: Final = ("text/plain", "application/x-cup")
_OVER: Final = b'"type":"match.ended","v":1}\n'
"""How the line ends after which a match is over; a canonical line ends in its type, so no text in it looks like it."""
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_AN_HOUR: Final = "public, max-age=3600"
"""Nothing follows the end of a match, but another version of this program may ship other policies."""
DIGEST_HEX: Final = 32
_FAILURES: Final = ("record_faulty", "cannot_analyse")
Samples = Annotated[
    int,
    QueryParameter(
        ge=SAMPLES_MIN, le=SAMPLES_ASKED_MAX, description="How many profiles an estimate is made from; 512 is usual."
    ),
]


class MomentTick(Struct, frozen=True):
    """That there is a key moment at a version, and nothing of what it is."""

    version: int
    kind: Literal["moment"] = "moment"


@get(
    "/matches/{match_id:uuid}/analysis",
    operation_id="analysis_of_match",
    summary="What an analysis of a match says",
    opt={
        "public": True,
        "dear": True,
        "answers": Analysis,
        "otherwise": {202: Underway},
        "unchanged": True,
        "problems": ("unknown_match", "analysis_waits", *_FAILURES),
    },
)
async def analysis_of_match(
    request: Request[Any, Any, Any], match_id: FromPath[UUID], parts: Injected[Dependencies], samples: Samples = SAMPLES
) -> Response[bytes]:
    """Return the document that `truecup analyse --json` prints of the record, once the match is over.

    The first to ask is answered 202, with how many rounds are done, until it is made; it is then kept for whoever asks.
    Its entity tag names all it follows from: format, record, policies and samples.
    """
    name, found = await _of_match(request, match_id, parts, samples)
    return _unchanged(name) if found is None else _answered(name, found, _AN_HOUR)


@get(
    "/matches/{match_id:uuid}/analysis/moments",
    operation_id="moments_of_match",
    summary="The key moments of a match",
    opt={
        "public": True,
        "dear": True,
        "answers": (list[MomentTick], list[Moment]),
        "otherwise": {202: Underway},
        "unchanged": True,
        "problems": ("unknown_match", "analysis_waits", *_FAILURES),
    },
)
async def moments_of_match(
    request: Request[Any, Any, Any],
    match_id: FromPath[UUID],
    parts: Injected[Dependencies],
    samples: Samples = SAMPLES,
    spoilers: Annotated[
        Literal["yes", "no"], QueryParameter(description="`no`: where they are, and nothing of what happened there.")
    ] = "no",
) -> Response[bytes]:
    """Return the moments of the analysis, by version. Without spoilers they say neither why nor whose they are."""
    name, found = await _of_match(request, match_id, parts, samples, f".{spoilers}")
    if isinstance(found, bytes):
        found = await asyncio.to_thread(_moments_in, found, spoilers == "yes")
    name = f"{name}.{spoilers}"
    return _unchanged(name) if found is None else _answered(name, found, _AN_HOUR)


@get(
    "/matches/{match_id:uuid}/analysis/page",
    operation_id="page_of_match",
    summary="A match as one page that needs no network",
    opt={
        "public": True,
        "dear": True,
        "media_types": ("text/html",),
        "otherwise": {202: Underway},
        "unchanged": True,
        "problems": ("unknown_match", "analysis_waits", *_FAILURES),
    },
)
async def page_of_match(
    request: Request[Any, Any, Any],
    match_id: FromPath[UUID],
    parts: Injected[Dependencies],
    samples: Samples = SAMPLES,
    lang: Annotated[Literal["en", "de", "es"], QueryParameter(description="The language of the page.")] = "en",
) -> Response[bytes]:
    """Return the page that `truecup analyse --html` writes, at most 1.5 MB, with what people say of the match by now.

    It has the replay in it, the analysis, the record, and the auditor that checks it. Until there is an analysis the
    answer is that of `/analysis`. Its entity tag names what is said by now as well, and the release that wrote it.
    """
    said = await parts.comments.comments(match_id)
    variant = f".page.{lang}.{await parts.pages.edition()}.{_digest_of(said)}"
    name, found = await _of_match(request, match_id, parts, samples, variant)
    tag = f"{name}{variant}"
    if not isinstance(found, bytes):
        return _unchanged(tag) if found is None else _answered(name, found, "no-store")
    record, _ = await parts.matches.evidence(match_id)
    try:
        page = await parts.pages.page(record, found, said, lang)
    except CannotAnalyse as trouble:
        raise HttpProblem("cannot_analyse", why=str(trouble)) from trouble
    headers = {"ETag": f'"{tag}"', "Cache-Control": "no-cache"}
    headers["Content-Disposition"] = f'attachment; filename="{match_id}.html"'
    return Response(page, status_code=200, media_type="text/html", headers=headers)


@post(
    "/analyses",
    operation_id="analyse_record",
    summary="Have a record analysed",
    status_code=202,
    opt={
        "dear": True,
        "takes": TAKES[1:],  # makers of clients know texts as answers only
        "keyless": True,
        "answers": Underway,
        "otherwise": {200: Analysis},
        "problems": _FAILURES,
    },
)
async def analyse_record(
    request: Request[Any, Any, Any], parts: Injected[Dependencies], samples: Samples = SAMPLES
) -> Response[bytes]:
    """Have any record analysed, of this house or another, as text of at most 4 MiB.

    It is audited first. `Location` is where the analysis will be; a record that was sent before is answered as that
    address would be. Only the analysis is kept, not the record.
    """
    if bodies.media_type_of_body(request) not in TAKES:
        raise HttpProblem("bad_media_type", f"a record is {TAKES[0]} or {TAKES[1]}")
    record = await bodies.receive(request, RECORD_MAX)
    try:
        name = await asyncio.to_thread(_name_of_sent, record, samples)
    except CannotAnalyse as trouble:
        raise HttpProblem("cannot_analyse", why=str(trouble)) from trouble
    found = await _asked(request, parts, Job(name, record, NOTHING_BESIDE, samples))
    answer = _answered(name, found, "no-store")
    answer.headers["Location"] = f"/api/v1/analyses/{name}"
    return answer


@get(
    "/analyses/{name:str}",
    operation_id="analysis_by_name",
    summary="An analysis that somebody has asked for",
    opt={
        "public": True,
        "answers": Analysis,
        "otherwise": {202: Underway},
        "unchanged": True,
        "problems": ("unknown_analysis", *_FAILURES),
    },
)
async def analysis_by_name(
    request: Request[Any, Any, Any], name: FromPath[str], parts: Injected[Dependencies]
) -> Response[bytes]:
    """Return an analysis by its name, which is never another one; it is forgotten if nobody asks for it for long."""
    if not _is_name(name):
        raise HttpProblem("unknown_analysis")
    held = request.headers.get("if-none-match")
    # Whoever names it has it, though it was thrown away here; `*` is whatever there is (RFC 9110 section 13.1.2).
    if held != "*" and has(held, f'"{name}"'):
        return _unchanged(name)
    found = await parts.analyses.look(name)
    if found is None:
        raise HttpProblem("unknown_analysis")
    return _unchanged(name) if held == "*" and isinstance(found, bytes) else _answered(name, found, _FOR_EVER)


def _is_name(text: str) -> bool:
    return len(text) == 2 * hashlib.sha256().digest_size and text.isascii() and text.isalnum()


async def _of_match(
    request: Request[Any, Any, Any], match_id: UUID, parts: Dependencies, samples: int, variant: str = ""
) -> tuple[str, bytes | Underway | None]:
    """Return the name of the analysis of a match, and what there is of it; None if whoever asks has it.

    Everybody is shown as much of a match as its record has that is served now.

    Raises:
        HttpProblem: `analysis_waits`; `record_faulty`, `cannot_analyse`; `unavailable`, `too_many_requests`.
    """
    record, beside = await parts.matches.evidence(match_id)
    _check_over(record)
    name = await asyncio.to_thread(_name_of_match, record, samples)
    if has(request.headers.get("if-none-match"), f'"{name}{variant}"'):
        return name, None
    return name, await _asked(request, parts, Job(name, record, beside, samples))


def _check_over(record: bytes) -> None:
    if _OVER in record:
        return
    if board_named_in(record) is None:
        raise HttpProblem("analysis_waits", waits_for="match")
    # Whether a board's match is over here is kept back until it is over at every table.
    raise HttpProblem("analysis_waits", waits_for="board")


async def _asked(request: Request[Any, Any, Any], parts: Dependencies, job: Job) -> bytes | Underway:
    """Return an analysis, or how far it is.

    Raises:
        HttpProblem: `record_faulty`, `cannot_analyse`; `unavailable` where the desk is full; `too_many_requests`.
    """
    try:
        return _found(await parts.analyses.ask(job, network_of(request.scope)))
    except DeskFull as full:
        trouble = HttpProblem("unavailable", "as many analyses wait as may")
        raise trouble.with_headers({"Retry-After": str(LATER_S)}) from full
    except AskedTooMuch as much:
        facts = {"key": "analyses", "seconds": LATER_S}
        trouble = HttpProblem("too_many_requests", "as many analyses wait for this network as may", ratelimit=facts)
        raise trouble.with_headers({"Retry-After": str(LATER_S)}) from much


def _found(found: bytes | Failed | Underway) -> bytes | Underway:
    """Return what was found.

    Raises:
        HttpProblem: `record_faulty`, `cannot_analyse`, `unavailable`.
    """
    if not isinstance(found, Failed):
        return found
    if found.code == DIED:
        raise HttpProblem("unavailable", found.why)
    if found.code == BROKEN_HERE:
        raise HttpProblem("unavailable", found.why).with_headers({"Retry-After": str(MENDED_S)})
    if found.code in {TAKES_TOO_MUCH, "cannot_analyse"}:
        raise HttpProblem("cannot_analyse", why=found.why)
    raise HttpProblem("record_faulty", found.why, fault=found.code, line=found.line)


def _name_of_match(record: bytes, samples: int) -> str:
    # What lies beside the lines changes no figure, and grows as the log does.
    try:
        return name_of(canonical.head(split(record).lines[-1]), samples)
    except Fault as fault:
        raise HttpProblem("record_faulty", str(fault), fault=fault.code, line=0) from fault


def _name_of_sent(record: bytes, samples: int) -> str:
    check_is_match(record)
    # Its head is only what it says of itself: a forged record may say the head of another.
    return name_of(f"sent {hashlib.sha256(record).hexdigest()}", samples)


def _digest_of(said: Sequence[CommentView]) -> str:
    """Return what names these comments: another word, name or comment more is another digest, and so is one less."""
    return hashlib.sha256(msgspec.json.encode(said)).hexdigest()[:DIGEST_HEX]


def _moments_in(analysis: bytes, spoilers: bool) -> bytes:  # noqa: FBT001 - as it was asked
    moments = msgspec.json.decode(analysis)["moments"]
    return msgspec.json.encode(moments if spoilers else [MomentTick(each["version"]) for each in moments])


def _answered(name: str, found: bytes | Failed | Underway, caching: str) -> Response[bytes]:
    known = _found(found)
    if isinstance(known, Underway):
        return json_of(known, 202, {"Retry-After": str(AGAIN_S), "Cache-Control": "no-store"})
    headers = {"ETag": f'"{name}"', "Cache-Control": caching}
    return Response(known, status_code=200, media_type="application/json", headers=headers)


def _unchanged(name: str) -> Response[bytes]:
    return Response(b"", status_code=304, headers={"ETag": f'"{name}"', "Cache-Control": "no-cache"})
