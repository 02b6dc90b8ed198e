"""Bodies of requests on comments.

A body has the shape of a comment; whether a match has its version and its seat, and what its words may be, is the law
of comments (`bad_comment`, with the field).
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from services.api.bodies import Body

Number = Annotated[int, Meta(ge=-(2**53), le=2**53)]
Words = Annotated[str, Meta(examples=["Seat 2 has to doubt this."])]
PlayerId = Annotated[str, Meta(pattern=r"\Au[0-9a-f]{24}\Z", examples=["u0f3a5c7e9b1d2f4a6c8e0b2d"])]


class SayComment(Body, frozen=True):
    """Say something about a match.

    Attributes:
        version: Which version of the match it is about, as whoever holds no seat is shown it.
        text: The words, from 1 to 1,000 characters: they are kept in the normal form NFC, beside the log, and may hold
            new lines, but nothing that cannot be seen or that turns text round.
        lang: Their language, as a tag of BCP 47.
        until: Up to which later version it is about the match; null if it is about the one.
        seat: Whose viewpoint it takes; null for nobody's.
    """

    version: Annotated[Number, Meta(examples=[42])]
    text: Words
    lang: Annotated[str, Meta(examples=["en"])]
    until: Number | None = None
    seat: Number | None = None


class SayInstead(Body, frozen=True):
    """Say something else instead.

    Attributes:
        text: The words, as of a new comment; those of before are erased.
    """

    text: Words


class LetWrite(Body, frozen=True):
    """Let these write about a match besides its hosts, and nobody else.

    Attributes:
        casters: Players of the house by their ids, who may write at any time.
        everybody: Whether every player of the house may, once the match is over.
    """

    casters: Annotated[tuple[PlayerId, ...], Meta(max_length=20)] = ()
    everybody: bool = False
