"""The OpenAPI 3.1 document at `/openapi.json`.

The framework describes paths and parameters. What it cannot say is added here from what each handler says of itself in
`opt`: the problem documents with their codes (`problems`), what it answers (`answers`, `media_types`), whether asking
again changes nothing (`keyless`), and the schemas of structs as msgspec itself makes them, with the discriminators of
tagged unions.
"""

from __future__ import annotations

import functools
import inspect
import json
import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

import msgspec
from litestar import Litestar, Request, Response, get
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.routes import HTTPRoute

from domain.table.offers import Move
from services.api.bodies import AnyPlay, JoinMatch, NameSeatKey, OpenMatch, SayPhrase, SeatBots, SitAgain, TakeSeatKey
from services.api.commentary.bodies import LetWrite, SayComment, SayInstead
from services.api.reference import examples
from services.api.reference.links import links_of
from services.api.reference.members import SHARED
from services.api.reference.schemas import schemas_of
from services.api.requests import VARIETY_MIN
from services.api.seasons.bodies import BeginSeason, MakePlayer
from services.api.tournaments.bodies import (
    Announce,
    AnyBoardAsk,
    AnyTournamentAsk,
    AppointOfficial,
    EnterBots,
    EnterTournament,
    MakeWebhook,
    SitAtOwnTable,
)
from services.http.documents import Documents
from services.http.injected import Injected
from services.http.problems import MEDIA_TYPE, PROBLEMS, Problem, document_of

Json = dict[str, Any]

CONFIG: Final = OpenAPIConfig(
    title="Truecup",
    version="1",
    summary="Bluffing dice that anybody can check.",
    description=(
        "Who plays or follows several matches, or sends many commands, may do so on one WebSocket at `/api/v1/socket`:"
        " commands with their idempotency keys, answered when they are stored, and the frames of matches, all with the"
        " same answers, refusals and repeats as here. `/asyncapi.json` describes what is said on it."
    ),
    components=Components(
        security_schemes={
            "bearer": SecurityScheme(
                type="http",
                scheme="bearer",
                description="The token of a seat, host, official, entrant or player, as it was handed out once.",
            )
        }
    ),
    path="/openapi",
    render_plugins=[JsonRenderPlugin()],
)

_BODIES: Final[dict[str, Any]] = {
    "open_match": OpenMatch,
    "join_match": JoinMatch,
    "seat_bots": SeatBots,
    "name_key": NameSeatKey,
    "take_key": TakeSeatKey,
    "ask_for_rematch": SitAgain,
    "say_phrase": SayPhrase,
    "play": AnyPlay,
    "announce_tournament": Announce,
    "enter_tournament": EnterTournament,
    "enter_bots": EnterBots,
    "appoint_official": AppointOfficial,
    "ask_of_tournament": AnyTournamentAsk,
    "sit_at_own_table": SitAtOwnTable,
    "make_webhook": MakeWebhook,
    "give_seed_to_board": AnyBoardAsk,
    "say_comment": SayComment,
    "replace_comment": SayInstead,
    "let_write": LetWrite,
    "begin_season": BeginSeason,
    "make_player": MakePlayer,
}
_MAY_BE_EMPTY: Final = {"ask_for_rematch"}
"""What is also asked for without a body."""
AnyMove: Final = functools.reduce(operator.or_, Move.__subclasses__())
"""What a `Move` in a view can be, for msgspec cannot know who inherits from it."""
_BEFORE: Final = ("bad_host", "too_slow", "address_too_long", "head_too_large", "too_many_connections")
"""What the door says no with before a request has come to its end."""
_EVERYWHERE: Final = (*_BEFORE, "malformed", "not_found", "misdirected", "too_many_requests", "unavailable")
_STREAMS: Final = {"stream_match", "cast_match", "stream_tournament", "stream_own_card"}
_TEXT: Final[Json] = {"type": "string"}
_FILE: Final[Json] = {"type": "string", "format": "binary"}
_WRITES: Final = ("cross_site", "too_large", "bad_media_type")

IDEMPOTENCY: Final[Json] = {
    "name": "Idempotency-Key",
    "in": "header",
    "required": False,
    "description": (
        "An accepted command answers the same for ever: repeat it with the same key and body and it is not done again,"
        " with another body it is refused (`key_reused`). A refusal records nothing: under the same key the command is"
        " decided anew. One is made up if none is given."
    ),
    "schema": {"type": "string", "minLength": 16, "maxLength": 128, "pattern": "^[!-~]{16,128}$"},
}
EARNING: Final[Json] = {
    **IDEMPOTENCY,
    "description": (
        f"{IDEMPOTENCY['description']} Here the key earns a token, and whoever sends it with the same body gets the"
        f" same token: let it be a UUID or 128 random bits. With fewer than {VARIETY_MIN} different characters it is"
        " refused (`weak_idempotency_key`)."
    ),
    "example": "7d4bd0f2-1f0c-4f6e-9a5b-3c8e21d7a690",
}
IF_MATCH: Final[Json] = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": 'Do it only at this version, an entity tag such as "v12"; 412 names the current one.',
    "schema": {"type": "string", "minLength": 4, "maxLength": 21, "pattern": '^"v[1-9][0-9]{0,17}"$'},
    "example": '"v12"',
}
LAST_EVENT_ID: Final[Json] = {
    "name": "Last-Event-ID",
    "in": "header",
    "required": False,
    "description": "The last version seen, as browsers send it by themselves; `after` goes first.",
    "schema": {"type": "string", "pattern": "^[0-9]{1,15}$"},
}


@get("/openapi.json", include_in_schema=False)
async def document(request: Request[Any, Any, Any], documents: Injected[Documents]) -> Response[bytes]:
    """Return the document; with If-None-Match, nothing to whoever has it."""
    return documents.answer(request, lambda: describe(request.app), "no-cache")


def describe(app: Litestar) -> Json:
    """Return the OpenAPI document of an application."""
    described: Json = json.loads(msgspec.json.encode(app.openapi_schema.to_schema()))
    handlers = {str(handler.operation_id): handler for handler in _handlers(app)}
    told = {name: handler.opt for name, handler in handlers.items()}
    schema_of, components = _schemas(told.values())
    for path in described["paths"].values():
        for method, operation in path.items():
            _tell(operation, method, told[operation["operationId"]], schema_of)
            operation["description"] = _docstring_of(handlers[operation["operationId"]])
    described["components"]["schemas"] = components
    return described


def _handlers(app: Litestar) -> Iterator[HTTPRouteHandler]:
    for route in app.routes:
        if isinstance(route, HTTPRoute):
            yield from (handler for handler in route.route_handlers if handler.operation_id is not None)


def _docstring_of(handler: HTTPRouteHandler) -> str:
    """Return what a handler says of itself, without what it raises."""
    return inspect.cleandoc(handler.fn.__doc__ or "").partition("\n\nRaises:")[0]


def _schemas(told: Iterable[Mapping[str, Any]]) -> tuple[dict[str, Json], Json]:
    """Return a schema by the repr of each type that is spoken of, and the components they refer to."""
    kinds = [Problem, *_BODIES.values()]
    for opt in told:
        kinds += [*_kinds(opt), *opt.get("otherwise", {}).values()]
    schemas, components = schemas_of([*kinds, AnyMove])
    components["Move"] = schemas[-1]
    return dict(zip(map(repr, kinds), schemas, strict=False)), components


def _kinds(opt: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return what an operation answers: one type, one of several, or text; of a text, of what its items are."""
    answers = opt.get("items", opt.get("answers", ()))
    return answers if isinstance(answers, tuple) else (answers,)


def _tell(operation: Json, method: str, opt: Mapping[str, Any], schema_of: Mapping[str, Json]) -> None:
    """Say of one operation what its handler says of itself."""
    writes = method != "get"
    body = _BODIES.get(operation["operationId"])
    if body is not None:
        operation["requestBody"] = {
            "required": operation["operationId"] not in _MAY_BE_EMPTY,
            "content": {"application/json": {"schema": schema_of[repr(body)], "examples": _examples(operation)}},
        }
    if "takes" in opt:
        texts = examples.LISTS[operation["operationId"]]
        content = {kind: {"schema": _FILE, "examples": {"usual": {"value": texts[kind]}}} for kind in opt["takes"]}
        operation["requestBody"] = {"required": True, "content": content}
    if writes and not opt.get("keyless"):
        key = EARNING if "weak_idempotency_key" in opt["problems"] else IDEMPOTENCY
        operation.setdefault("parameters", []).extend([key, IF_MATCH])
    if operation["operationId"] in _STREAMS:
        operation["parameters"].append(LAST_EVENT_ID)
    for parameter in operation.get("parameters", ()):
        parameter.setdefault("description", SHARED.get(parameter["name"], ""))
        parameter.update(_example_of(operation, parameter))
    problems = opt.get("problems", ())
    # Whatever asks for a match, or for a tournament, may ask for one that this program cannot read.
    of_a_match = ("unreadable",) if {"unknown_match", "unknown_tournament"} & set(problems) else ()
    codes = (*problems, *of_a_match, *_EVERYWHERE, *(_WRITES if writes else ()), *opt.get("also", ()))
    operation["responses"] = _answers(operation, opt, schema_of) | _problems(codes, schema_of[repr(Problem)])
    for status, kind in opt.get("otherwise", {}).items():
        operation["responses"][str(status)] = _response("not ready", "application/json", schema_of[repr(kind)])


def _example_of(operation: Json, parameter: Json) -> Json:
    found = examples.PARAMETERS.get(operation["operationId"], {}).get(parameter["name"])
    return {} if found is None else {"example": found}


def _examples(operation: Json) -> Json:
    return {name: {"value": body} for name, body in examples.BODIES[operation["operationId"]].items()}


def _answers(operation: Json, opt: Mapping[str, Any], schema_of: Mapping[str, Json]) -> Json:
    """Return the responses of an operation that went well."""
    good = next(status for status in operation["responses"] if status.startswith("2"))
    content = _content(_schema_of_answer(opt, schema_of), operation["operationId"])
    media_types = opt.get("media_types", ("application/json",))
    answers: Json = {good: {"description": operation["summary"], "content": dict.fromkeys(media_types, content)}}
    for media_type in opt.get("texts", ()):
        example = examples.TEXTS[operation["operationId"]][media_type]
        answers[good]["content"][media_type] = {"schema": _TEXT, "examples": {"usual": {"value": example}}}
    if links := links_of(operation["operationId"]):
        answers[good]["links"] = links
    if opt.get("unchanged"):
        answers["304"] = {"description": "it has not changed since the version named in If-None-Match"}
    return answers


def _schema_of_answer(opt: Mapping[str, Any], schema_of: Mapping[str, Json]) -> Json:
    """Return the schema of a good answer. One that comes item by item is a text, whose items are `x-itemSchema`.

    OpenAPI 3.2 has `itemSchema` for it, beside `schema`; before, there is no word.
    """
    told = [schema_of[repr(kind)] for kind in _kinds(opt)]
    schema = told[0] if len(told) == 1 else {"oneOf": told}
    if not told:
        return _TEXT
    return {**_TEXT, "x-itemSchema": schema} if "items" in opt else schema


def _content(schema: Json, operation: str) -> Json:
    """Return what a good answer is, with an example where there is one that can be shown."""
    example = examples.answers().get(operation)
    return {"schema": schema} if example is None else {"schema": schema, "examples": {"usual": {"value": example}}}


def _problems(codes: Iterable[str], schema: Json) -> Json:
    """Return the problem responses by status, each with an example a code."""
    by_status: dict[int, list[str]] = {}
    for code in dict.fromkeys(codes):
        by_status.setdefault(PROBLEMS[code].status, []).append(code)
    return {str(status): _problem(by_status[status], schema) for status in sorted(by_status)}


def _problem(codes: list[str], schema: Json) -> Json:
    response = _response("; ".join(f"`{code}`: {PROBLEMS[code].title}" for code in codes), MEDIA_TYPE, schema)
    examples = {code: {"value": json.loads(document_of(code))} for code in codes}
    response["content"][MEDIA_TYPE]["examples"] = examples
    return response


def _response(description: str, media_type: str, schema: Json) -> Json:
    return {"description": description, "content": {media_type: {"schema": schema}}}
