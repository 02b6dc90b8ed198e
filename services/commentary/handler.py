"""The command handler of commentaries: load, decide, append at the expected version, answer; as that of seasons.

Words are kept before the line that names them is appended, and erased with what is refused. A crash in between leaves
words that no line names: nobody is shown them, and a repeat of the request keeps its own. A crash behind the append
leaves a stored answer for a repeat, which erases again what the command was to erase.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.commentary.commentary import Commentary, comment_id
from domain.commentary.deciding import CommentCommand, MakeComment, ReplaceComment, WithdrawComment, decide_comment
from domain.commentary.events import Authority, WithdrawalReason
from domain.commentary.record import CommentaryAtHead, commentary_lines, stream_of_commentary
from domain.commentary.texts import comment_text, text_hash
from domain.errors import Refused
from domain.ids import Version
from domain.match.record import GENESIS
from infra.clock import now_ms
from infra.entropy import draw
from infra.measures.slow import SlowCommands
from infra.measures.watches import Timed
from infra.store import Append, Conflict, EventStore
from infra.store.comments import SaidWords, Writers
from services.commentary.reads import CommentQueries
from services.commentary.requests import NOBODY, CommentAnswer, CommentWriter, SaidComment
from services.commentary.writers import ReadMatches, WriterLookup
from services.matches import optimistic
from services.matches.requests import CommandMetadata, KeyUsed, Signs, VersionPassed
from services.seasons.requests import UnknownPerson

CommandFor = Callable[[Commentary | None], Awaitable[CommentCommand]]
"""Returns what is asked of a commentary as it stands; None where nobody has said anything."""


class CommentaryInMemory(Struct, frozen=True):
    """A commentary as of its last line, for the loop of all handlers."""

    written: CommentaryAtHead | None

    @property
    def version(self) -> Version:
        """How many lines it has."""
        return 0 if self.written is None else self.written.commentary.version


class StoredComments(CommentQueries):
    """What is said about every match of the house, and what becomes of it by the law, which asks for no token."""

    def __init__(
        self, store: EventStore, matches: ReadMatches, signs: Signs | None = None, slow: SlowCommands | None = None
    ) -> None:
        """Keep it in this store, and tell `slow` of commands; without `signs` there are no receipts."""
        super().__init__(store, matches)
        self._signs = signs
        self._slow = slow or SlowCommands()

    async def withdraw_by_law(
        self, match_id: UUID, comment: UUID, reason: WithdrawalReason, ask: CommandMetadata
    ) -> CommentAnswer:
        """Take a comment back because the law says so, as whoever runs the house; its words are erased.

        Raises:
            Refused: `unknown_comment`, `comment_erased`.
        """

        async def command_for(_: Commentary | None) -> CommentCommand:
            return WithdrawComment(str(comment), None, "law", reason)

        return await self._submit(match_id, "WithdrawComment", command_for, ask)

    async def _submit(
        self, match_id: UUID, what: str, command_for: CommandFor, ask: CommandMetadata, words: SaidWords | None = None
    ) -> CommentAnswer:
        """Decide a command of a kind and store what it leads to, with its words before it."""
        stream = stream_of_commentary(match_id)

        async def load() -> CommentaryInMemory:
            return CommentaryInMemory(await self.load(match_id))

        async def attempt(held: CommentaryInMemory) -> CommentAnswer | None:
            return await self._attempt(match_id, held.written, await command_for(_commentary(held)), ask, words)

        try:
            with self._slow.timed(what, stream):
                answer = await optimistic.decide_with_retries(load, load, attempt)
        except (Refused, VersionPassed, KeyUsed):
            if words is not None:
                await self._store.erase_words(stream, words.hash)
            stored = await optimistic.stored_answer(self._store, stream, ask, CommentAnswer)
            if stored is None:
                raise
            answer = stored
        await self._erase_left(match_id, answer.comment, words)
        return answer

    async def _attempt(
        self,
        match_id: UUID,
        written: CommentaryAtHead | None,
        command: CommentCommand,
        ask: CommandMetadata,
        words: SaidWords | None,
    ) -> CommentAnswer | None:
        """Decide and append once; return None if somebody else was first."""
        stream, before = stream_of_commentary(match_id), None if written is None else written.commentary
        version, head = (0, GENESIS) if written is None else (written.commentary.version, written.head)
        optimistic.check_version(version, ask)
        at = max(now_ms(), 0 if before is None else before.at + 1)
        with Timed("decide"):
            made = decide_comment(before, match_id, command, at)
        lines, head = commentary_lines(match_id, version, head, at, made.events)
        version_after = version + len(lines)
        receipt = None if self._signs is None else self._signs(stream, version_after - 1, head)
        answer = CommentAnswer(command.comment, version_after, head, receipt)
        if words is not None:
            # A crash behind this leaves words that no line names.
            await self._store.keep_words(stream, words)
        encoded = msgspec.json.encode(answer)
        append = Append(stream, version, lines, ask.command, ask.fingerprint, encoded)
        outcome = await optimistic.append(self._store, append, CommentAnswer)
        if isinstance(outcome, Conflict):
            return None
        return outcome if isinstance(outcome, CommentAnswer) else answer

    async def _erase_left(self, match_id: UUID, comment: str, words: SaidWords | None) -> None:
        """Erase what a comment does not say any more, and words that a repeat has brought once more."""
        stream, written = stream_of_commentary(match_id), await self.load(match_id)
        assert written is not None, "it was said"
        known = written.commentary.comments[comment]
        standing = known.withdrawn is None
        gone = {*known.before, *(() if standing else (known.text,)), *(() if words is None else (words.hash,))}
        for each in sorted(gone - ({known.text} if standing else set())):
            await self._store.erase_words(stream, each)


class CommentHandler(StoredComments):
    """What is said about every match of the house, and the commands that change it."""

    def __init__(
        self,
        store: EventStore,
        matches: ReadMatches,
        lookup: WriterLookup,
        signs: Signs | None = None,
        slow: SlowCommands | None = None,
    ) -> None:
        """Handle commands against this store, of whom `lookup` finds, and tell `slow` of them.

        Without `signs` there are no receipts.
        """
        super().__init__(store, matches, signs, slow)
        self._lookup = lookup

    async def writer_of(self, match_id: UUID, token: str) -> CommentWriter | None:
        """Return who shows a token; None if it is nobody's.

        Raises:
            UnknownMatch: There is no such match.
        """
        return await self._lookup.of(await self._matches.view(match_id, None), token)

    async def make(self, match_id: UUID, token: str, said: SaidComment, ask: CommandMetadata) -> CommentAnswer:
        """Say something about a match.

        Raises:
            Refused: `may_not_comment`, `bad_comment`, `ahead_of_match`, `too_many_comments`.
        """
        view = await self._matches.view(match_id, None)
        writer = await self._lookup.of(view, token)
        if writer is None or not writer.writes:
            return await self._said_before(match_id, ask)
        words = _salted(said.text)
        about = (said.version, said.until, said.seat)
        seats = frozenset(each.seat for each in view.seats)
        command = MakeComment(
            comment_id(now_ms(), draw(10)), *about, writer.author, said.lang, words.hash, view.version, seats
        )

        async def command_for(_: Commentary | None) -> CommentCommand:
            return command

        return await self._submit(match_id, "MakeComment", command_for, ask, words)

    async def replace(
        self, match_id: UUID, token: str, comment: UUID, text: str, ask: CommandMetadata
    ) -> CommentAnswer:
        """Say something else instead; the words of before are erased.

        Raises:
            Refused: `may_not_comment`, `unknown_comment`, `comment_erased`, `not_the_author`, `bad_comment`,
                `too_many_comments`.
        """
        writer = await self._writer(match_id, token)
        words = _salted(text)

        async def command_for(commentary: Commentary | None) -> CommentCommand:
            known = None if commentary is None else commentary.comments.get(str(comment))
            there = known is not None and bool(await self._words(match_id, [known.text]))
            return ReplaceComment(str(comment), writer.author, words.hash, erased=not there)

        if not writer.writes:
            return await self._said_before(match_id, ask)
        return await self._submit(match_id, "ReplaceComment", command_for, ask, words)

    async def withdraw(
        self, match_id: UUID, token: str, comment: UUID, reason: WithdrawalReason, ask: CommandMetadata
    ) -> CommentAnswer:
        """Take a comment back, as its author or as a host; its words are erased.

        Raises:
            Refused: `unknown_comment`, `comment_erased`, `not_the_author`.
        """
        writer = await self._writer(match_id, token)

        async def command_for(commentary: Commentary | None) -> CommentCommand:
            known = None if commentary is None else commentary.comments.get(str(comment))
            own = known is not None and known.author == writer.author
            by: Authority = "host" if writer.hosts and not own else "author"
            return WithdrawComment(str(comment), writer.author, by, reason)

        return await self._submit(match_id, "WithdrawComment", command_for, ask)

    async def let_write(self, match_id: UUID, token: str, writers: Writers) -> None:
        """Let these write about a match besides its hosts, and nobody else.

        Raises:
            Refused: `not_the_host`.
            UnknownPerson: One of the casters is no player of the house.
        """
        if not (await self._writer(match_id, token)).hosts:
            raise Refused("not_the_host")
        for caster in writers.casters:
            if not await self._store.is_player(caster):
                raise UnknownPerson(caster)
        await self._store.keep_writers(stream_of_commentary(match_id), writers)

    async def _said_before(self, match_id: UUID, ask: CommandMetadata) -> CommentAnswer:
        """Return what somebody who may not write any more was answered who could.

        Raises:
            Refused: `may_not_comment`: nothing was.
        """
        stored = await optimistic.stored_answer(self._store, stream_of_commentary(match_id), ask, CommentAnswer)
        if stored is None:
            raise Refused("may_not_comment")
        return stored

    async def _writer(self, match_id: UUID, token: str) -> CommentWriter:
        return await self.writer_of(match_id, token) or NOBODY


def _commentary(held: CommentaryInMemory) -> Commentary | None:
    return None if held.written is None else held.written.commentary


def _salted(text: str) -> SaidWords:
    """Return words in their normal form under their hash.

    Raises:
        Refused: `bad_comment`.
    """
    words, salt = comment_text(text), draw(16)
    return SaidWords(text_hash(salt, words), salt, words)
