"""Channels beside the socket: streams over HTTP, and the subjects on which the programs of a house talk over NATS.

The bus is for operators, who give each role its rights there (`.docs/roles.md`), and for whoever writes a program of a
house; players and their programs meet the streams and the socket alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from projections.tournaments.exports.card_frames import CardFrame
from services.api.answers import ByeItem, CasterItem, CasterSnapshotItem, EndedItem, Frame, Saying, SnapshotItem
from services.api.tournaments.streaming import CardItem, TournamentFrame, TournamentSnapshot

Json = dict[str, Any]
Items = Mapping[str, type[Struct]]

_ENDS: Final[Items] = {"streamEnded": EndedItem, "streamBye": ByeItem}
_OF_MATCH: Final[Items] = {
    "streamSnapshot": SnapshotItem, "streamFrame": Frame, "streamPhrase": Saying, **_ENDS
}  # fmt: skip
_OF_CASTER: Final[Items] = {**_OF_MATCH, "casterSnapshot": CasterSnapshotItem, "casterFrame": CasterItem}
_OF_TOURNAMENT: Final[Items] = {
    "tournamentSnapshot": TournamentSnapshot, "tournamentFrame": TournamentFrame, **_ENDS
}  # fmt: skip
_OF_ENTRANT: Final[Items] = {"entrantCard": CardItem, **_ENDS}
ITEMS: Final[Items] = {**_OF_CASTER, **_OF_TOURNAMENT, **_OF_ENTRANT}
"""What comes on streams, each the data of a server-sent event, or a line."""
_ID: Final = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"


def _headers_of(kind: str) -> Json:
    """Return the headers of a frame of something of this kind."""
    return {
        "type": "object",
        "description": "As CloudEvents has them in binary mode; the version of the frame is `ce-id`.",
        "properties": {
            "ce-specversion": {"const": "1.0"},
            "ce-type": {"const": "truecup.frame"},
            "ce-source": {"type": "string", "pattern": f"^/{kind}/{_ID}$"},
            "ce-id": {"type": "string", "pattern": "^[1-9][0-9]*$"},
            "content-type": {"const": "application/json"},
        },
        "required": ["ce-specversion", "ce-type", "ce-source", "ce-id", "content-type"],
    }


class Subject(Struct, frozen=True):
    """A subject on the bus.

    Attributes:
        address: The subject, with its parameters.
        about: What it is for.
        payload: What a message on it is: a struct as JSON, or a schema of something else.
        media_type: Of what kind the payload is.
        headers: Which headers it has, if any.
    """

    address: str
    about: str
    payload: type[Struct] | Json
    media_type: str = "application/json"
    headers: Json | None = None


BUS: Final[dict[str, Subject]] = {
    "frames": Subject(
        "truecup.frames.{shard}.{match_id}",
        "What spectators see of one version; a JetStream stream a shard keeps it for a while, in which the sequence of"
        " a message is the position of its event in the log. One without a body was too long: its reader makes it.",
        Frame,
        headers=_headers_of("matches"),
    ),
    "tournamentFrames": Subject(
        "truecup.frames.{shard}.{tournament_id}",
        "What the record of a tournament got at one version, among the frames of matches. What it `changed` is told on"
        " streams alone, which know the tournament: here it is null.",
        TournamentFrame,
        headers=_headers_of("tournaments"),
    ),
    "seatFrames": Subject(
        "truecup.seat.{match_id}.{seat}",
        "What one seat sees of one version, its dice among it, for whoever listens just then; kept nowhere.",
        Frame,
        headers=_headers_of("matches"),
    ),
    "entrantCards": Subject(
        "truecup.entrant.{tournament_id}.{number}",
        "What one entrant has to know as of one version, without the token of the seat: whenever it is another, and for"
        " whom `truecup.listening` has said of late that somebody listens; kept nowhere.",
        CardFrame,
        headers=_headers_of("tournaments"),
    ),
    "said": Subject("truecup.said.{match_id}", "A quick phrase that a seat says; kept nowhere.", Saying),
    "committed": Subject(
        "truecup.committed.{shard}",
        "Something was stored: the position that the shard has reached. Look at the log.",
        {"type": "string", "pattern": "^[0-9]+$"},
        "text/plain",
    ),
    "looked": Subject(
        "truecup.looked.{what}",
        "Somebody looks at a match, or at the house; there is no body.",
        {"type": "string", "maxLength": 0},
        "text/plain",
    ),
    "listening": Subject(
        "truecup.listening",
        "The seats that one program listens for, `match/seat`, and the entrants, `tournament/number`, a line each, told"
        " again a few times a minute; without a line it asks who listens.",
        {"type": "string", "pattern": f"^({_ID}/[1-9][0-9]*(\n{_ID}/[1-9][0-9]*)*)?$"},
        "text/plain",
    ),
    "handoff": Subject(
        "truecup.handoff",
        "A question to one of the queue group `dealers`, with the token that was shown; the answer comes to the reply"
        " subject, in parts if it is long. Both are msgpack of structs that only programs of one house read.",
        {"type": "string", "format": "binary"},
        "application/msgpack",
    ),
    "handoffToOne": Subject(
        "truecup.handoff.{dealer}",
        "A question to one dealer, who is asked about a match as long as he is there; otherwise as to any of them.",
        {"type": "string", "format": "binary"},
        "application/msgpack",
    ),
    "dealers": Subject(
        "truecup.dealers",
        "A dealer is there: what he is called, and how often he has lost the bus.",
        {"type": "string", "pattern": "^[0-9a-f]{16} [0-9]+$"},
        "text/plain",
        {
            "type": "object",
            "description": "The time by the clock of the dealer, in milliseconds; those of before say none.",
            "properties": {"Truecup-Clock": {"type": "string", "pattern": "^[0-9]+$"}},
        },
    ),
}
"""What is said on the bus, by the name of its channel, which is that of its message as well."""
_STREAMS: Final[dict[str, tuple[str, str, Items]]] = {
    "stream": ("/api/v1/matches/{match_id}/stream", "The match live, as a seat or spectators see it.", _OF_MATCH),
    "caster": (
        "/api/v1/matches/{match_id}/caster",
        "The match with every cup of glass, one round late; with `channels`, what may be said of it meanwhile.",
        _OF_CASTER,
    ),
    "tournament": (
        "/api/v1/tournaments/{tournament_id}/stream",
        "The tournament live: what its record gets, line by line.",
        _OF_TOURNAMENT,
    ),
    "ownCard": (
        "/api/v1/tournaments/{tournament_id}/me/stream",
        "What an entrant has to know: the card whenever it is another, for whoever shows the token.",
        _OF_ENTRANT,
    ),
}
"""By channel: the address, what it is for, and what comes there."""
_BEAT: Final = (
    " Server-sent events, or lines with `Accept: application/x-ndjson`. In a silence comes a comment, or an empty line."
)
_PARAMETERS: Final = {
    "dealer": "What the dealer is called, as `truecup.dealers` says.",
    "match_id": "The id of the match.",
    "number": "The number of the entrant, from 1.",
    "seat": "The number of the seat, from 1.",
    "shard": "The shard of the log that the match stands in.",
    "tournament_id": "The id of the tournament.",
    "what": "The id of a match, or the name of a list.",
}


def channels_of() -> Json:
    """Return the channels by name."""
    streams = {
        name: _channel("house", path, f"{about}{_BEAT}", items) for name, (path, about, items) in _STREAMS.items()
    }
    return streams | {name: _channel("bus", each.address, each.about, (name,)) for name, each in BUS.items()}


def operations_of() -> Json:
    """Return what is told on each channel."""
    summaries = {name: about for name, (_, about, _) in _STREAMS.items()}
    summaries |= {name: each.about for name, each in BUS.items()}
    told = {name: tuple(_STREAMS[name][2]) if name in _STREAMS else (name,) for name in summaries}
    return {
        f"tell{name[0].upper()}{name[1:]}": {
            "action": "send",
            "channel": {"$ref": f"#/channels/{name}"},
            "summary": summary.partition(".")[0],
            "messages": [{"$ref": f"#/channels/{name}/messages/{each}"} for each in told[name]],
        }
        for name, summary in summaries.items()
    }


def payload_of(subject: Subject, schema: Json | None) -> Json:
    """Return the message of a subject, whose payload has this schema if it is a struct."""
    payload = schema if schema is not None else subject.payload
    message: Json = {"summary": subject.about, "contentType": subject.media_type, "payload": payload}
    return message if subject.headers is None else {**message, "headers": subject.headers}


def _channel(server: str, address: str, about: str, messages: Any) -> Json:  # noqa: ANN401 - names, in any collection
    found = {name: {"description": said} for name, said in _PARAMETERS.items() if f"{{{name}}}" in address}
    channel = {
        "address": address,
        "description": about,
        "servers": [{"$ref": f"#/servers/{server}"}],
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in messages},
    }
    return {**channel, "parameters": found} if found else channel
