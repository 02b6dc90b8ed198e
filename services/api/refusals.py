"""Turns whatever a handler raises into a problem document."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

import structlog
from litestar import Request, Response
from litestar.exceptions import (
    ClientException,
    HTTPException,
    MethodNotAllowedException,
    NotFoundException,
    ValidationException,
)
from litestar.types import ExceptionHandlersMap

from domain.errors import Refused
from domain.faults import words_of
from infra.store import Unavailable
from services.http.etags import etag
from services.http.problems import MEDIA_TYPE, PROBLEMS, HttpProblem, document_of, headers_of
from services.matches.reads.queries import UnknownMatch, UnknownSeat
from services.matches.requests import KeyUsed, VersionPassed
from services.seasons.requests import UnknownPerson, UnknownSeason
from services.tournaments.requests import UnknownBoard, UnknownTournament
from services.work.failures import Unreadable

log = structlog.get_logger(__name__)

_BY_STATUS: Final[dict[int, str]] = {404: "not_found", 405: "bad_method", 413: "too_large", 415: "bad_media_type"}
"""What the framework itself may say no with; everything else it says is `malformed`."""

AnyRequest = Request[Any, Any, Any]


def problem(
    code: str, detail: str = "", facts: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
) -> Response[bytes]:
    """Return the response for a code."""
    return Response(
        document_of(code, detail, facts),
        status_code=PROBLEMS[code].status,
        media_type=MEDIA_TYPE,
        headers={"Cache-Control": "no-store", **headers_of(code), **(headers or {})},
    )


def _trouble(_request: AnyRequest, trouble: HttpProblem) -> Response[bytes]:
    return problem(trouble.code, trouble.detail, trouble.facts, trouble.headers)


def _problem_of_refusal(_request: AnyRequest, refused: Refused) -> Response[bytes]:
    return problem(refused.code, facts=refused.facts)


def _unknown_match(_request: AnyRequest, _unknown: UnknownMatch) -> Response[bytes]:
    return problem("unknown_match")


def _unknown_tournament(_request: AnyRequest, _unknown: UnknownTournament) -> Response[bytes]:
    return problem("unknown_tournament")


def _unknown_board(_request: AnyRequest, _unknown: UnknownBoard) -> Response[bytes]:
    return problem("unknown_board")


def _unknown_season(_request: AnyRequest, _unknown: UnknownSeason) -> Response[bytes]:
    return problem("unknown_season")


def _unknown_person(_request: AnyRequest, _unknown: UnknownPerson) -> Response[bytes]:
    return problem("unknown_person")


def _unknown_seat(_request: AnyRequest, unknown: UnknownSeat) -> Response[bytes]:
    return problem("unknown_seat", facts={"seats": list(unknown.seats)})


def _version_passed(_request: AnyRequest, passed: VersionPassed) -> Response[bytes]:
    return problem(passed.code, "", {"version": passed.version, **passed.facts}, {"ETag": etag(passed.version)})


def _key_used(_request: AnyRequest, _used: KeyUsed) -> Response[bytes]:
    return problem("key_reused")


def _unavailable(_request: AnyRequest, unavailable: Unavailable) -> Response[bytes]:
    log.warning("api.unavailable", why=str(unavailable))
    return problem("unavailable")


def _unreadable(_request: AnyRequest, _unreadable: Unreadable) -> Response[bytes]:
    return problem("unreadable")


def _invalid(_request: AnyRequest, invalid: ValidationException) -> Response[bytes]:
    given = invalid.extra if isinstance(invalid.extra, list) else []
    faults = [{"where": _called(fault), "why": words_of(fault["message"])} for fault in given]
    detail = "; ".join(f"{fault['where'] or 'the request'}: {fault['why']}" for fault in faults)
    return problem("malformed", detail, {"faults": faults})


def _called(fault: Mapping[str, str]) -> str:
    """Return what the parameter is called in the address; the framework knows it by our own name for it."""
    key = fault.get("key", fault.get("source", ""))
    return {"wanted": "state"}.get(key, key)


def _of_the_framework(_request: AnyRequest, trouble: HTTPException) -> Response[bytes]:
    theirs = trouble.status_code < HTTPStatus.INTERNAL_SERVER_ERROR
    code = _BY_STATUS.get(trouble.status_code, "malformed" if theirs else "broken")
    return problem(code, headers=trouble.headers)


def _broken(request: AnyRequest, fault: Exception) -> Response[bytes]:
    """Log a fault of ours by its place in the code; its message might hold what nobody may read."""
    log.error("api.broken", method=request.method, path=request.scope["path"], exc_info=fault)
    return problem("broken")


def problem_of(trouble: Exception) -> Response[bytes] | None:
    """Return the response for trouble that has a code of its own; None where we are wrong."""
    handler: Any = next((HANDLERS[kind] for kind in type(trouble).__mro__ if kind in HANDLERS), _broken)
    found: Response[bytes] | None = None if handler is _broken else handler(None, trouble)
    return found


HANDLERS: Final[ExceptionHandlersMap] = {
    HttpProblem: _trouble,
    Refused: _problem_of_refusal,
    UnknownMatch: _unknown_match,
    UnknownSeat: _unknown_seat,
    UnknownTournament: _unknown_tournament,
    UnknownBoard: _unknown_board,
    UnknownSeason: _unknown_season,
    UnknownPerson: _unknown_person,
    VersionPassed: _version_passed,
    KeyUsed: _key_used,
    Unavailable: _unavailable,
    Unreadable: _unreadable,
    ValidationException: _invalid,
    NotFoundException: _of_the_framework,
    MethodNotAllowedException: _of_the_framework,
    ClientException: _of_the_framework,
    HTTPException: _of_the_framework,
    Exception: _broken,
}
