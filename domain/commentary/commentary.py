"""Commentary as its stream leaves it: every comment, where it stands in the match, and what became of it."""

from __future__ import annotations

from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from domain.commentary import events
from domain.ids import Seat, UnixMs, Version


class Comment(Struct, frozen=True):
    """A comment as of the last line that is about it.

    Attributes:
        id: Its UUID, as it is written.
        version: Which version of the match it is about; `until`, up to which later one, or None.
        seat: Whose viewpoint it takes; None for nobody's.
        author: The opaque id of whoever said it.
        lang: The language, as a tag of BCP 47.
        text: The hash of its words.
        line: The version of the stream with it.
        at: When it was said, in Unix milliseconds.
        before: The hashes of words that were replaced.
        replaced_at: When its words were last replaced; None if never.
        withdrawn: By whose right it was withdrawn and why; None while it stands.
    """

    id: str
    version: Version
    until: Version | None
    seat: Seat | None
    author: str
    lang: str
    text: str
    line: Version
    at: UnixMs
    before: tuple[str, ...] = ()
    replaced_at: UnixMs | None = None
    withdrawn: tuple[events.Authority, events.WithdrawalReason] | None = None

    @property
    def last(self) -> Version:
        """The last version that it is about."""
        return self.version if self.until is None else self.until


class Commentary(Struct, frozen=True):
    """All that is said about a match.

    Attributes:
        match: The match.
        comments: The comments by their ids, in the order they were made.
        said: When each author said something, new or instead, in Unix milliseconds.
        version: How many lines there are.
        at: When the last one was written.
    """

    match: UUID
    comments: dict[str, Comment] = {}
    said: dict[str, tuple[UnixMs, ...]] = {}
    version: Version = 1
    at: UnixMs = 0


def comment_id(at: UnixMs, chance: bytes) -> str:
    """Return the id of a comment that is made now: a UUID of version 7, as it is written.

    Args:
        at: The time, in Unix milliseconds.
        chance: Ten bytes that nobody can predict.

    Source:
        RFC 9562, section 5.7.
    """
    drawn = int.from_bytes(chance)
    high, low = drawn >> 68, drawn & (1 << 62) - 1
    return str(UUID(int=(at << 80) | (7 << 76) | (high << 64) | (2 << 62) | low))


def new_commentary(event: events.CommentaryOpened, at: UnixMs) -> Commentary:
    """Return a commentary as its first line leaves it."""
    return Commentary(UUID(event.match), at=at)


def evolve_commentary(commentary: Commentary, event: events.CommentaryEvent, at: UnixMs) -> Commentary:
    """Return the commentary after something has happened. Cost: that of copying what it holds."""
    after = replace(commentary, version=commentary.version + 1, at=at)
    match event:
        case events.CommentMade():
            made = (event.version, event.until, event.seat, event.author, event.lang, event.text)
            return _with(after, Comment(event.comment, *made, line=after.version, at=at), says=True)
        case events.CommentReplaced():
            known = commentary.comments[event.comment]
            before = (*known.before, known.text)
            return _with(after, replace(known, text=event.text, before=before, replaced_at=at), says=True)
        case events.CommentWithdrawn():
            comment = replace(commentary.comments[event.comment], withdrawn=(event.by, event.reason))
            return _with(after, comment, says=False)
        case _:
            raise AssertionError("a commentary is opened once")


def _with(after: Commentary, comment: Comment, *, says: bool) -> Commentary:
    comments = {**after.comments, comment.id: comment}
    if not says:
        return replace(after, comments=comments)
    said = {**after.said, comment.author: (*after.said.get(comment.author, ()), after.at)}
    return replace(after, comments=comments, said=said)
