"""Lines of a commentary. None of them holds a word of anybody: words lie beside the stream, under their hash."""

from __future__ import annotations

from typing import Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta

from domain.events.base import BaseEvent

Id = Annotated[str, Meta(pattern=r"\A[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z")]
"""A UUID, as it is written."""
TextHash = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
"""The hash of 16 random bytes and of the words behind them, so that it says nothing of words that are erased."""
Person = Annotated[str, Meta(min_length=1, max_length=64)]
Authority = Literal["author", "host", "law"]
"""By whose right a comment is withdrawn."""
WithdrawalReason = Literal["mistake", "spoils", "rude", "personal", "off_topic", "unlawful", "other"]
"""Why a comment is withdrawn; a word of a list, since what people write cannot stand in a line."""


class CommentaryOpened(BaseEvent, frozen=True, tag="commentary.opened"):
    """Somebody is about to say something about a match."""

    match: Id


class CommentMade(BaseEvent, frozen=True, tag="comment.made"):
    """Somebody said something about a version of a match, or about all from there until another.

    Attributes:
        comment: The comment, a UUID of version 7.
        version: Which version of the match it is about.
        until: Up to which later version; None if it is about the one.
        seat: Whose viewpoint it takes, if it takes one.
        author: The opaque id of whoever said it.
        lang: The language, by its tag of BCP 47.
        text: The hash of the words.
    """

    comment: Id
    version: Annotated[int, Meta(ge=1)]
    until: Annotated[int, Meta(ge=2)] | None
    seat: Annotated[int, Meta(ge=1, le=254)] | None
    author: Person
    lang: Annotated[str, Meta(min_length=1, max_length=35)]
    text: TextHash


class CommentReplaced(BaseEvent, frozen=True, tag="comment.replaced"):
    """Its author says something else instead."""

    comment: Id
    text: TextHash


class CommentWithdrawn(BaseEvent, frozen=True, tag="comment.withdrawn"):
    """A comment is taken back, for good."""

    comment: Id
    by: Authority
    reason: WithdrawalReason


CommentaryEvent = CommentaryOpened | CommentMade | CommentReplaced | CommentWithdrawn
"""Whatever stands in the log of a commentary."""

_KINDS = {str(kind.__struct_config__.tag): kind for kind in get_args(CommentaryEvent)}


def commentary_event_of(kind: str, data: dict[str, Any]) -> CommentaryEvent:
    """Return the event that a line says.

    Raises:
        ValueError: There is no such type, or it has other members.
    """
    if kind not in _KINDS:
        raise ValueError(f"there is no event of the type {kind}")
    event: CommentaryEvent = msgspec.convert(data, _KINDS[kind])
    return event
