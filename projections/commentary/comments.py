"""Comments as they may be read by now.

The law of the file: what is said about a round that is still open is told to nobody but who said it, until the round is
over for whoever holds no seat: seats could read there what others make of claims that they have still to answer, and
whoever is shown the match late, or only up to a round that goes on at other tables, could read what comes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.commentary.authors import Office, office_of
from domain.commentary.commentary import Comment, Commentary
from domain.commentary.events import Authority, WithdrawalReason
from domain.ids import Seat, UnixMs, Version

_LAST_LINE: Final = 2**53


class Withdrawal(Struct, frozen=True):
    """Why a comment is no more.

    Attributes:
        by: By whose right it was withdrawn: its `author`, a `host`, or the `law`, which whoever runs the house obeys.
        reason: Why.
    """

    by: Authority
    reason: WithdrawalReason


class CommentView(Struct, frozen=True):
    """A comment, as it is read.

    Attributes:
        comment: Its id; ids ascend in the order in which comments were made.
        version: Which version of the match it is about.
        until: Up to which later version; null if it is about the one.
        seat: Whose viewpoint it takes; null for nobody's.
        author: The opaque id of whoever said it.
        office: In what office: a `host` of the match, an `official` of its tournament, or a `player` of the house.
        name: What that player is called; null for others, and where the name was erased.
        lang: The language, as a tag of BCP 47.
        text: The words; null where it was withdrawn, or they were erased.
        at: When it was said, in Unix milliseconds.
        replaced_at: When its author last said something else instead; null if never.
        erased: Whether the words are gone, and the comment was not withdrawn.
        withdrawn: By whose right it was withdrawn and why; null while it stands.
    """

    comment: str
    version: Version
    until: Version | None
    seat: Seat | None
    author: str
    office: Office
    name: str | None
    lang: str
    text: str | None
    at: UnixMs
    replaced_at: UnixMs | None
    erased: bool
    withdrawn: Withdrawal | None


def readable(commentary: Commentary, released: Version, reader: str | None) -> list[Comment]:
    """Return the comments that may be read, in the order of their ids.

    Args:
        commentary: All comments.
        released: Up to which version the match is told to everybody, all rounds over.
        reader: The author who reads; None for whoever is none.
    """
    found = (each for each in commentary.comments.values() if each.last <= released or each.author == reader)
    return sorted(found, key=lambda each: each.id)


def comment_view(comment: Comment, words: Mapping[str, str], names: Mapping[str, str]) -> CommentView:
    """Return a comment as it is read.

    Args:
        comment: The comment.
        words: The words that were not erased, by their hashes.
        names: What players are called, by id.
    """
    text = None if comment.withdrawn is not None else words.get(comment.text)
    return CommentView(
        comment.id,
        comment.version,
        comment.until,
        comment.seat,
        comment.author,
        office_of(comment.author),
        names.get(comment.author),
        comment.lang,
        text,
        comment.at,
        comment.replaced_at,
        erased=text is None and comment.withdrawn is None,
        withdrawn=None if comment.withdrawn is None else Withdrawal(*comment.withdrawn),
    )


def lines_told(commentary: Commentary, released: Version) -> int:
    """Return how many lines may be read by everybody: none from the first that is about an open round on."""
    held = (each.line for each in commentary.comments.values() if each.last > released)
    return min(held, default=_LAST_LINE) - 1


class ExportedLine(Struct, frozen=True):
    """A line with the words that it names.

    Attributes:
        line: The line, byte for byte.
        salt: The 16 bytes that are hashed before the words, as hex.
        text: The words; null, as the salt, where the line names none, or they were replaced, withdrawn or erased.
    """

    line: str
    salt: str | None
    text: str | None


def exported(
    lines: Sequence[bytes], commentary: Commentary, words: Mapping[str, tuple[bytes, str]]
) -> Iterator[ExportedLine]:
    """Yield lines with their words, so that whoever has them can check the chain, and every hash.

    Args:
        lines: The lines of a commentary, from its first on.
        commentary: The commentary after all its lines.
        words: Salts and words that were not erased, by their hashes.
    """
    standing = {each.text for each in commentary.comments.values() if each.withdrawn is None}
    for line in lines:
        named = msgspec.json.decode(line, type=_Line).data.get("text")
        found = words.get(named) if named in standing else None
        salt, text = (None, None) if found is None else (found[0].hex(), found[1])
        yield ExportedLine(line.decode(), salt, text)


class _Line(Struct, frozen=True):
    """As much of a line as says which words it names."""

    data: dict[str, Any]
