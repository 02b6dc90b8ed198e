"""Comments from their export: lines of a commentary, each with the words that it names."""

from __future__ import annotations

from uuid import UUID

import msgspec

from domain.commentary.record import CommentaryAtHead, step_commentary
from domain.commentary.texts import text_hash
from domain.log.canonical import NotCanonical
from domain.match.record import UnknownVersion
from projections.commentary.comments import CommentView, ExportedLine, comment_view, readable

VERSION_MAX = 2**53
_LINES = msgspec.json.Decoder(ExportedLine)


class BadComments(Exception):  # noqa: N818 - says what is the matter
    """What should be comments on a match is something else; the message is a sentence without its end."""


def comments_in(exported: bytes, match: UUID) -> list[CommentView]:
    """Return the comments of an export in their order; words that no line names are nobody's, and left out.

    Raises:
        BadComments: It is no export, or of another match.
    """
    written: CommentaryAtHead | None = None
    words = dict[str, str]()
    try:
        for line in exported.splitlines():
            one = _LINES.decode(line)
            written = step_commentary(written, one.line.encode())
            if one.text is not None and one.salt is not None:
                words[text_hash(bytes.fromhex(one.salt), one.text)] = one.text
    except (msgspec.MsgspecError, NotCanonical, UnknownVersion, ValueError, KeyError, AssertionError) as trouble:
        raise BadComments("these are no comments on a match") from trouble
    if written is None:
        return []
    if written.commentary.match != match:
        raise BadComments("the comments are on another match")
    return [comment_view(one, words, {}) for one in readable(written.commentary, VERSION_MAX, None)]
