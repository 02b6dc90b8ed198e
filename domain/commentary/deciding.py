"""Decisions of a commentary: what may be said, by whom something else is said instead, and what is withdrawn.

Who may write at all depends on tokens and on what a host allows, so the service finds that out; how far a match has
come for whoever writes comes with the command.
"""

from __future__ import annotations

from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.commentary import events
from domain.commentary.commentary import Comment, Commentary, evolve_commentary, new_commentary
from domain.commentary.texts import comment_lang
from domain.errors import Refused
from domain.ids import Seat, UnixMs, Version

MINUTE_MS: Final = 60_000
OF_A_MINUTE_MAX: Final = 20
"""How often an author says something in a minute, new or instead."""
OF_AN_AUTHOR_MAX: Final = 500
"""How often an author says something about one match."""
LINES_MAX: Final = 5_000
"""Lines of a commentary: it is folded in memory, and a thousand comments are half a megabyte. Withdrawing is never
kept from anybody by it."""


class MakeComment(Struct, frozen=True):
    """Say something about a match.

    Attributes:
        comment: The id of the comment, a UUID of version 7.
        version: Which version it is about; `until`, up to which later one, or None.
        seat: Whose viewpoint it takes; None for nobody's.
        author: The opaque id of whoever says it.
        lang: The language, as a tag of BCP 47.
        text: The hash of the words.
        shown: The last version of the match that its author is shown.
        seats: Who has a seat there.
    """

    comment: str
    version: Version
    until: Version | None
    seat: Seat | None
    author: str
    lang: str
    text: str
    shown: Version
    seats: frozenset[Seat]


class ReplaceComment(Struct, frozen=True):
    """Say something else instead.

    Attributes:
        author: Who asks.
        text: The hash of the new words.
        erased: Whether the words that stand there were erased.
    """

    comment: str
    author: str
    text: str
    erased: bool


class WithdrawComment(Struct, frozen=True):
    """Take a comment back.

    Attributes:
        author: Who asks, if not by the right of a host or of the law.
        by: By whose right.
    """

    comment: str
    author: str | None
    by: events.Authority
    reason: events.WithdrawalReason


CommentCommand = MakeComment | ReplaceComment | WithdrawComment


class CommentaryDecision(Struct, frozen=True):
    """What a command leads to: what has happened, never nothing, and the commentary after it."""

    events: tuple[events.CommentaryEvent, ...]
    commentary: Commentary


def decide_comment(
    commentary: Commentary | None, match: UUID, command: CommentCommand, at: UnixMs
) -> CommentaryDecision:
    """Return what a command leads to; the first comment opens the commentary of a match.

    Raises:
        Refused: `bad_comment`, `ahead_of_match`, `too_many_comments`; `unknown_comment`, `comment_erased`,
            `not_the_author`.
    """
    opened = events.CommentaryOpened(str(match))
    held = new_commentary(opened, at) if commentary is None else commentary
    event = _event(held, command, at)
    happened = (opened, event) if commentary is None else (event,)
    return CommentaryDecision(happened, evolve_commentary(held, event, at))


def _event(commentary: Commentary, command: CommentCommand, at: UnixMs) -> events.CommentaryEvent:
    match command:
        case MakeComment():
            _check_place(command)
            comment_lang(command.lang)
            _check_often(commentary, command.author, at)
            place = (command.version, command.until, command.seat)
            return events.CommentMade(command.comment, *place, command.author, command.lang, command.text)
        case ReplaceComment():
            comment = _standing(commentary, command.comment)
            if comment.author != command.author:
                raise Refused("not_the_author")
            if command.erased:
                raise Refused("comment_erased")
            _check_often(commentary, command.author, at)
            return events.CommentReplaced(command.comment, command.text)
        case _:
            comment = _standing(commentary, command.comment)
            if command.by == "author" and comment.author != command.author:
                raise Refused("not_the_author")
            return events.CommentWithdrawn(command.comment, command.by, command.reason)


def _standing(commentary: Commentary, comment_id: str) -> Comment:
    comment = commentary.comments.get(comment_id)
    if comment is None:
        raise Refused("unknown_comment")
    if comment.withdrawn is not None:
        raise Refused("comment_erased")
    return comment


def _check_place(command: MakeComment) -> None:
    if command.version < 1:
        raise Refused("bad_comment", field="version", why="versions of a match count from 1")
    if command.until is not None and command.until <= command.version:
        why = "what a comment is about ends at a later version than it begins"
        raise Refused("bad_comment", field="until", why=why, version=command.version)
    if command.seat is not None and command.seat not in command.seats:
        why = "nobody has this seat at the match"
        raise Refused("bad_comment", field="seat", why=why, seats=sorted(command.seats))
    last, field = (command.version, "version") if command.until is None else (command.until, "until")
    if last > command.shown:
        raise Refused("ahead_of_match", field=field, version=command.shown)


def _check_often(commentary: Commentary, author: str, at: UnixMs) -> None:
    said = commentary.said.get(author, ())
    if commentary.version >= LINES_MAX or len(said) >= OF_AN_AUTHOR_MAX:
        raise Refused("too_many_comments", most=OF_AN_AUTHOR_MAX)
    lately = [each for each in said if each > at - MINUTE_MS]
    if len(lately) >= OF_A_MINUTE_MAX:
        raise Refused("too_many_comments", most=OF_A_MINUTE_MAX, again_at=lately[-OF_A_MINUTE_MAX] + MINUTE_MS)
