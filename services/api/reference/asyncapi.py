"""The AsyncAPI 3.0 document at `/asyncapi.json`: what is said on the socket, both ways, on streams, and on the bus.

The schemas are those that msgspec makes of the structs by which messages are read and written.

Source: https://www.asyncapi.com/docs/reference/specification/v3.0.0
"""

from __future__ import annotations

from typing import Any, Final

from litestar import Request, Response, get
from litestar.handlers import HTTPRouteHandler

from services.api.bodies import AnyPlay
from services.api.reference import channels
from services.api.reference.openapi import AnyMove
from services.api.reference.schemas import as_draft_7, schemas_of
from services.api.routes.commands import play
from services.api.routes.streaming import stream
from services.api.socket import messages
from services.http.documents import Documents
from services.http.front.upgrades import MESSAGE_MAX
from services.http.injected import Injected
from services.http.problems import PROBLEMS

Json = dict[str, Any]

_CHANNEL: Final = "#/channels/socket"
_MESSAGES: Final[dict[str, Any]] = {
    "command": messages.CommandMessage,
    "watch": messages.WatchMessage,
    "unwatch": messages.UnwatchMessage,
    "commandAnswer": messages.CommandAnswer,
    "watchAnswer": messages.WatchAnswer,
    "unwatchAnswer": messages.UnwatchAnswer,
    "refusal": messages.RefusalAnswer,
    "snapshot": messages.SnapshotMessage,
    "frame": messages.FrameMessage,
    "phrase": messages.PhraseMessage,
    "ended": messages.EndedMessage,
    "bye": messages.ByeMessage,
    "beat": messages.BeatMessage,
}
_ITEMS: Final = ("snapshot", "frame", "phrase", "ended", "bye", "beat")
_SERVERS: Final[Json] = {
    "house": {
        "host": "{host}",
        "protocol": "https",
        "description": "A house, over TLS or not. The socket is a WebSocket at the same address.",
        "variables": {"host": {"default": "127.0.0.1:8000"}},
    },
    "bus": {
        "host": "{host}",
        "protocol": "nats",
        "description": "The NATS of a house, which only its own programs reach.",
        "variables": {"host": {"default": "127.0.0.1:4222"}},
    },
}
_EVERYWHERE: Final = ("malformed", "too_many_requests", "unavailable", "unreadable", "closing", "broken")

ABOUT: Final = f"""\
One WebSocket a client: commands are sent on it, several at once if you like, and matches are followed on it. HTTP and \
its streams stay, and say the same: a command repeated there with its key, byte for byte, gets the answer that was \
stored.

Each message is a text of JSON, at most {MESSAGE_MAX} bytes of a client's, and a client's has an `id` that it chose. \
An answer carries that `id` and a `status`; a no is a problem document (RFC 9457), whose `code` says what it is. \
Commands on one match are done in the order in which they came. A command is answered when it is stored; after a \
broken connection send it again with its key, here or over HTTP.

A token stands in the messages that need it, never in an address: addresses are written into logs. Messages are not \
compressed, so that their length says nothing of hidden dice. A page of another site is refused at the handshake \
(`cross_site`). Commands count against the rate of their token, matches that are followed against the streams of a \
network, and messages against its requests; over that, the socket is not read until there is room.

The service closes with 1001 when it goes down, 1000 when nothing is under way for a while, 1013 when others need the \
place, 1003 for bytes, 1007 or 1002 for what no protocol knows, 1008 for what asks for nothing again and again, 1009 \
for a message that is too long. Come again and go on with `after`."""


@get("/asyncapi.json", include_in_schema=False)
async def asyncapi(request: Request[Any, Any, Any], documents: Injected[Documents]) -> Response[bytes]:
    """Return the document; with If-None-Match, nothing to whoever has it."""
    return documents.answer(request, describe_socket, "no-cache")


def describe_socket() -> Json:
    """Return the AsyncAPI document."""
    names, structs = list(_MESSAGES), {**_MESSAGES, **channels.ITEMS, **_structs_of_bus()}
    schemas, components = as_draft_7(schemas_of([*structs.values(), AnyPlay, AnyMove]))
    components["Move"] = schemas[-1]
    components[messages.CommandMessage.__name__]["properties"]["command"].update(schemas[-2])
    refs = {name: {"$ref": f"{_CHANNEL}/messages/{name}"} for name in names}
    of_structs = dict(zip(structs, schemas, strict=False))
    told = {name: _message(name, structs[name], of_structs[name]) for name in (*names, *channels.ITEMS)}
    on_bus = {name: channels.payload_of(each, of_structs.get(name)) for name, each in channels.BUS.items()}
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Truecup: what is said as it happens", "version": "1", "description": ABOUT},
        "defaultContentType": "application/json",
        "servers": _SERVERS,
        "channels": {
            "socket": {
                "address": "/api/v1/socket",
                "servers": [{"$ref": "#/servers/house"}],
                "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in names},
                "bindings": {"ws": {"method": "GET"}},
            },
            **channels.channels_of(),
        },
        "operations": {**_operations(refs), **channels.operations_of()},
        "components": {"messages": {**told, **on_bus}, "schemas": dict(sorted(components.items()))},
    }


def _structs_of_bus() -> dict[str, Any]:
    return {name: each.payload for name, each in channels.BUS.items() if not isinstance(each.payload, dict)}


def _message(name: str, struct: type, schema: Json) -> Json:
    said = (struct.__doc__ or "").partition("\n")[0]
    return {"name": name, "summary": said, "contentType": "application/json", "payload": schema}


def _operations(refs: dict[str, Json]) -> Json:
    """Return what a client may ask for, each with its answers, and what it is told of the matches it follows."""
    return {
        "command": _operation(refs, "command", _problems_of(play)),
        "watch": _operation(refs, "watch", _problems_of(stream)),
        "unwatch": _operation(refs, "unwatch", ()),
        "follow": {
            "action": "send",
            "channel": {"$ref": _CHANNEL},
            "summary": "Tell of the matches that are followed",
            "messages": [refs[name] for name in _ITEMS],
        },
    }


def _operation(refs: dict[str, Json], name: str, codes: tuple[str, ...]) -> Json:
    told = "; ".join(f"`{code}` {PROBLEMS[code].title}" for code in sorted({*codes, *_EVERYWHERE}))
    return {
        "action": "receive",
        "channel": {"$ref": _CHANNEL},
        "summary": (_MESSAGES[name].__doc__ or "").partition("\n")[0],
        "description": f"Codes of refusals: {told}.",
        "messages": [refs[name]],
        "reply": {"channel": {"$ref": _CHANNEL}, "messages": [refs[f"{name}Answer"], refs["refusal"]]},
    }


def _problems_of(handler: HTTPRouteHandler) -> tuple[str, ...]:
    """Return the codes that HTTP answers to the same, but for those of headers that are not here."""
    codes: tuple[str, ...] = handler.opt["problems"]
    return tuple(code for code in codes if code not in {"bad_if_match", "not_acceptable"})
