"""Commands and answers of commentaries: what is asked for, what an accepted command came to, who asks."""

from __future__ import annotations

from msgspec import Struct

from domain.ids import Seat, Version


class SaidComment(Struct, frozen=True, forbid_unknown_fields=True):
    """A comment as its author sends it.

    Attributes:
        version: Which version of the match it is about.
        text: The words, as they were typed.
        lang: The language, as a tag of BCP 47.
        until: Up to which later version; None if it is about the one.
        seat: Whose viewpoint it takes; None for nobody's.
    """

    version: int
    text: str
    lang: str
    until: int | None = None
    seat: Seat | None = None


class CommentAnswer(Struct, frozen=True, omit_defaults=True):
    """What an accepted command of a commentary came to; programs keep receipts by `match`, and this is none of one.

    Attributes:
        comment: The comment.
        version: The version of the commentary it led to.
        head: The hash of the last line it wrote.
        receipt: The log's signed note of that line, as matches have it.
    """

    comment: str
    version: Version
    head: str
    receipt: str | None = None


class CommentWriter(Struct, frozen=True):
    """Whoever shows a token, as far as comments on a match are concerned.

    Attributes:
        author: Under which id they write; empty for who never does.
        writes: Whether they may write now.
        hosts: Whether they may withdraw what others wrote, and say who may write.
    """

    author: str = ""
    writes: bool = False
    hosts: bool = False


NOBODY = CommentWriter()
"""Whoever has a token of the house that lets nobody write."""
