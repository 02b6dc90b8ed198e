"""Messages of a socket: JSON texts, each of a client's with an `id` of its own choice.

An answer carries the `id` of what it answers and a `status`; a no is a problem document with that `id`. What a match is
watched for carries the `watch` that began it. A token stands in the message that needs it, and nowhere else.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Meta, Raw, Struct

from projections.view import View
from services.api.answers import Frame
from services.api.bodies import AnyPlay, Phrase
from services.http import bodies
from services.http.problems import Problem
from services.matches.requests import Answer

VERSION_MAX: Final = 2**53
MessageId: TypeAlias = Annotated[int, Meta(ge=0, le=VERSION_MAX)] | Annotated[str, Meta(min_length=1, max_length=64)]
"""What a client calls a message of its own."""
Version: TypeAlias = Annotated[int, Meta(ge=0, le=VERSION_MAX)]
Token: TypeAlias = Annotated[str, Meta(max_length=128, examples=["truecup_seat_..."])]


class SocketMessage(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do"):
    """What a client asks for."""

    id: MessageId


class CommandMessage(SocketMessage, frozen=True, tag="command"):
    """Ask something of a running match, as `POST /api/v1/matches/{match}/commands` does.

    Attributes:
        match: The match.
        key: The idempotency key, as HTTP has it in a header. The same command under the same key over HTTP, with
            `command` byte for byte as its body, is a repeat of this one.
        token: The token of a seat or of the host.
        command: What a body says there.
        at: The version at which it is meant to be done, as `If-Match` names one; at any, if nothing is said.
    """

    match: UUID
    key: Annotated[str, Meta(max_length=1_024, examples=["7d4bd0f2-1f0c-4f6e-9a5b-3c8e21d7a690"])]
    token: Token
    command: Raw
    at: Annotated[int, Meta(ge=1, le=VERSION_MAX)] | None = None


class WatchMessage(SocketMessage, frozen=True, tag="watch"):
    """Follow a match, as `GET /api/v1/matches/{match}/stream` does: the snapshot, then every frame.

    Attributes:
        match: The match.
        after: The last version seen, behind which frames begin; behind the snapshot, if nothing is said.
        token: The token of the seat that looks; without one a spectator does.
        phrases: Whether what seats say is told as well.
    """

    match: UUID
    after: Version | None = None
    token: Token | None = None
    phrases: bool = False


class UnwatchMessage(SocketMessage, frozen=True, tag="unwatch"):
    """Follow a match no more; what is said of it last is `bye`.

    Attributes:
        watch: The `id` of the message that began it.
    """

    watch: MessageId


AnySocketMessage: TypeAlias = CommandMessage | WatchMessage | UnwatchMessage


class WatchAnswer(Struct, frozen=True):
    """The match is followed from now on.

    Attributes:
        version: The version of the snapshot that comes next.
    """

    id: MessageId
    status: int
    match: str
    version: Version


class UnwatchAnswer(Struct, frozen=True):
    """What there still is to say of the match comes, and then no more."""

    id: MessageId
    status: int


class CommandAnswer(Answer, frozen=True, omit_defaults=True, kw_only=True):
    """The command is stored: what HTTP answers, with these members before."""

    id: MessageId
    status: int


class SpokenRefusal(Struct, frozen=True):
    """A no as it is sent.

    Attributes:
        status: That of the problem document.
        message: The document, as a message.
    """

    status: int
    message: bytes


class RefusalAnswer(Problem, frozen=True, kw_only=True):
    """The problem document that HTTP answers; `id` is null where none could be read."""

    id: MessageId | None


class SnapshotMessage(Struct, frozen=True):
    """What a match is when it begins to be followed."""

    watch: MessageId
    match: str
    snapshot: View


class FrameMessage(Struct, frozen=True):
    """One version of a match, in order and without a gap."""

    watch: MessageId
    match: str
    frame: Frame


class PhraseMessage(Struct, frozen=True):
    """A seat says one of the quick phrases; for who watches with `phrases`, and kept nowhere."""

    watch: MessageId
    match: str
    phrase: Phrase
    seat: int


class EndedMessage(Struct, frozen=True):
    """The match is over, and nothing more is said of it."""

    watch: MessageId
    match: str
    ended: Version


class ByeMessage(Struct, frozen=True):
    """Nothing more is said of the match here, though there may be more: ask again, with the version seen last."""

    watch: MessageId
    match: str
    bye: Version


class BeatMessage(Struct, frozen=True):
    """Nothing has happened for a while."""

    beat: bool


class _Named(Struct):
    id: MessageId


_asked: Final[msgspec.json.Decoder[AnySocketMessage]] = msgspec.json.Decoder(AnySocketMessage)
_named: Final = msgspec.json.Decoder(_Named)
_plays: Final[msgspec.json.Decoder[Any]] = msgspec.json.Decoder(AnyPlay)
_encoder: Final = msgspec.json.Encoder()
BEAT: Final = _encoder.encode(BeatMessage(beat=True))


def decode_asked(message: bytes) -> AnySocketMessage:
    """Return what a message asks for.

    Raises:
        HttpProblem: `malformed`, with where and why.
    """
    return bodies.read_json(_asked, message)


def decode_play(command: Raw) -> AnyPlay:
    """Return what a command asks for.

    Raises:
        HttpProblem: `malformed`, with where and why.
    """
    return bodies.read_json(_plays, bytes(command))


def id_of(message: bytes) -> MessageId | None:
    """Return what a message that asks for nothing known calls itself, if that can be read."""
    try:
        return _named.decode(message).id
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def encode_answer(name: MessageId, answer: Answer) -> bytes:
    """Return an accepted command's answer as a message."""
    return b'{"id":%b,"status":200,%b' % (_encoder.encode(name), _encoder.encode(answer)[1:])


def encode_problem(name: MessageId | None, document: bytes) -> bytes:
    """Return a problem document as a message."""
    return b'{"id":%b,%b' % (_encoder.encode(name), document[1:])


def encode(message: Struct) -> bytes:
    """Return a message as it is sent."""
    return _encoder.encode(message)


def heading_of(watch: MessageId, match: UUID) -> bytes:
    """Return what every item of a match that is followed begins with."""
    return b'{"watch":%b,"match":"%b",' % (_encoder.encode(watch), str(match).encode())


def encode_item(heading: bytes, kind: str, body: bytes) -> bytes:
    """Return an item of a stream as a message; its body stays as it is, with the blanks that hide how long dice are."""
    if kind == "frame":
        return b'%b"frame":%b}' % (heading, body)
    return heading + body[1:]
