"""Comments as a node without the dealer's role has them: read from the store, and all else handed to a dealer."""

from __future__ import annotations

from uuid import UUID

from domain.commentary.events import WithdrawalReason
from infra.store import EventStore
from infra.store.comments import Writers
from services.commentary.reads import CommentQueries
from services.commentary.requests import CommentAnswer, CommentWriter, SaidComment
from services.commentary.writers import ReadMatches
from services.dealer.handoff.commentary import comment_messages as messages
from services.dealer.handoff.envelopes import identity_of
from services.dealer.handoff.remote import Dealers
from services.matches.requests import CommandMetadata
from services.seasons.requests import UnknownPerson


class RemoteComments(CommentQueries):
    """What is said about every match, read only, and a way to those who decide."""

    def __init__(self, store: EventStore, matches: ReadMatches, dealers: Dealers) -> None:
        """Read from this store, as far as these matches are shown, and ask these dealers."""
        super().__init__(store, matches)
        self._dealers = dealers

    async def writer_of(self, match_id: UUID, token: str) -> CommentWriter | None:
        """Return who shows a token; None if it is nobody's. Cost: a question."""
        return (await self._dealers.ask(messages.AskWriter(token, match_id), messages.WriterTold)).writer

    async def make(self, match_id: UUID, token: str, said: SaidComment, ask: CommandMetadata) -> CommentAnswer:
        """Say something about a match."""
        return await self._do(messages.AskComment(token, match_id, identity_of(ask), said))

    async def replace(
        self, match_id: UUID, token: str, comment: UUID, text: str, ask: CommandMetadata
    ) -> CommentAnswer:
        """Say something else instead."""
        return await self._do(messages.AskReplacement(token, match_id, identity_of(ask), comment, text))

    async def withdraw(
        self, match_id: UUID, token: str, comment: UUID, reason: WithdrawalReason, ask: CommandMetadata
    ) -> CommentAnswer:
        """Take a comment back."""
        return await self._do(messages.AskWithdrawal(token, match_id, identity_of(ask), comment, reason))

    async def let_write(self, match_id: UUID, token: str, writers: Writers) -> None:
        """Let these write about a match besides its hosts, and nobody else."""
        question = messages.AskWriters(token, match_id, writers.casters, writers.everybody)
        unknown = (await self._dealers.ask(question, messages.WritersLet)).unknown
        if unknown is not None:
            raise UnknownPerson(unknown)

    async def _do(
        self, question: messages.AskComment | messages.AskReplacement | messages.AskWithdrawal
    ) -> CommentAnswer:
        return (await self._dealers.ask(question, messages.CommentAccepted)).answer
