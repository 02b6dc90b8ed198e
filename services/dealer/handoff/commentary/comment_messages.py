"""Messages about comments between a node without the dealer's role and a dealer.

Their law is that of `services.dealer.handoff.messages`. Words travel as they were typed, and the dealer holds them to
their law.
"""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from msgspec import Meta

from domain.commentary.events import WithdrawalReason
from services.commentary.requests import CommentAnswer, CommentWriter, SaidComment
from services.dealer.handoff.envelopes import Asked, Question, Reply, Token


class AskWriter(Question, frozen=True, tag="comment_writer"):
    """Ask who shows a token, as far as comments on a match are concerned."""

    token: Token
    match: UUID


class AskComment(Question, frozen=True, tag="comment"):
    """Ask for something to be said about a match."""

    token: Token
    match: UUID
    asked: Asked
    said: SaidComment


class AskReplacement(Question, frozen=True, tag="comment_replacement"):
    """Ask for something else to be said instead."""

    token: Token
    match: UUID
    asked: Asked
    comment: UUID
    text: str


class AskWithdrawal(Question, frozen=True, tag="comment_withdrawal"):
    """Ask for a comment to be withdrawn."""

    token: Token
    match: UUID
    asked: Asked
    comment: UUID
    reason: WithdrawalReason


class AskWriters(Question, frozen=True, tag="comment_writers"):
    """Ask that these may write about a match besides its hosts, with the token of a host."""

    token: Token
    match: UUID
    casters: Annotated[tuple[Annotated[str, Meta(max_length=64)], ...], Meta(max_length=20)]
    everybody: bool


AnyCommentQuestion = AskWriter | AskComment | AskReplacement | AskWithdrawal | AskWriters


class WriterTold(Reply, frozen=True, tag="comment_writer"):
    """Who shows the token; None if it is nobody's."""

    writer: CommentWriter | None


class CommentAccepted(Reply, frozen=True, tag="comment_accepted"):
    """The command was accepted, now or before."""

    answer: CommentAnswer


class WritersLet(Reply, frozen=True, tag="comment_writers"):
    """These may write, unless one of them is no player of the house."""

    unknown: str | None = None


AnyCommentReply = WriterTold | CommentAccepted | WritersLet
