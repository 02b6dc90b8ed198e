"""The dealer's desk for comments: decided for the tokens that nodes show, which are looked up here each time."""

from __future__ import annotations

from infra.store.comments import Writers
from services.commentary.handler import CommentHandler
from services.dealer.handoff.commentary import comment_messages as messages
from services.dealer.handoff.envelopes import Reply
from services.matches.requests import scope_of
from services.seasons.requests import UnknownPerson


class CommentDesk:
    """Answers with what these comments say."""

    def __init__(self, comments: CommentHandler) -> None:
        """Ask these."""
        self._comments = comments

    async def reply(self, question: messages.AnyCommentQuestion) -> Reply:
        """Return the answer.

        Raises:
            Refused, VersionPassed, KeyUsed, UnknownMatch, Unreadable, Unavailable.
        """
        match question:
            case messages.AskWriter(token, match_id):
                return messages.WriterTold(await self._comments.writer_of(match_id, token))
            case messages.AskComment(token, match_id, asked, said):
                ask = asked.ask(scope_of(token))
                return messages.CommentAccepted(await self._comments.make(match_id, token, said, ask))
            case messages.AskReplacement(token, match_id, asked, comment, text):
                ask = asked.ask(scope_of(token))
                return messages.CommentAccepted(await self._comments.replace(match_id, token, comment, text, ask))
            case messages.AskWithdrawal(token, match_id, asked, comment, reason):
                ask = asked.ask(scope_of(token))
                return messages.CommentAccepted(await self._comments.withdraw(match_id, token, comment, reason, ask))
            case messages.AskWriters(token, match_id, casters, everybody):
                try:
                    await self._comments.let_write(match_id, token, Writers(casters, everybody))
                except UnknownPerson as unknown:
                    return messages.WritersLet(str(unknown))
                return messages.WritersLet()
