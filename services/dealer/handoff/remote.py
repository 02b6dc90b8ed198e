"""The house as a node without the dealer's role has it: what is public from the log, all else from a dealer.

It holds no key and, with a login of its own, cannot reach one: tokens are shown to a dealer as they came, and what a
dealer says is passed on as it was said. So a client cannot tell which node it has asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Literal, NoReturn, TypeVar
from uuid import UUID

from msgspec import MsgspecError
from prometheus_client import CollectorRegistry, Counter

from domain import commands, events
from domain.errors import Refused
from domain.fairness.deal import Policy
from infra.handoff import ANSWER_S, Handoff
from infra.store import Card, EventStore, Unavailable
from projections.view import View
from services.dealer.handoff import messages
from services.engines.level_names import USUAL, Level
from services.matches.chance import NO_CHANCE
from services.matches.reads.cards import PLAIN
from services.matches.reads.queries import MatchQueries, UnknownMatch, Viewer
from services.matches.reads.shared import SharedReads
from services.matches.requests import AS_BEFORE, NO_MARK, Answer, CommandMetadata, SeatMark, SitsAgain, TakesKey
from services.matches.secrets.tokens import Bearer, Holder
from services.matches.tables.bulk import BulkTable
from services.matches.tables.rematches import NextTable
from services.work.failures import Stuck

PULSE_S: Final = 1.0
"""How long a dealer may take to say that it is there, before this node is not ready."""

R = TypeVar("R", bound=messages.Reply)


class Dealers:
    """Whoever answers."""

    def __init__(self, handoff: Handoff, registry: CollectorRegistry | None = None) -> None:
        """Ask over this handoff, and count what came of it."""
        self._handoff = handoff
        self._asked = Counter(
            "truecup_handoffs", "Questions handed to a dealer.", ("question", "answer"), registry=registry
        )

    async def ask(self, question: messages.Question, kind: type[R], wait_s: float = ANSWER_S) -> R:
        """Return the answer, which is of this kind.

        Raises:
            Refused: A rule says no.
            VersionPassed: The asker named a version that has passed.
            KeyUsed: The idempotency key belongs to another request.
            UnknownMatch: There is no such match.
            Unreadable: The dealer cannot read it.
            Unavailable: No dealer can say now; whether it was done is not known.
            BrokenThere: The dealer met a fault.
        """
        said = "none"
        try:
            asked = messages.encode(question)
        except OverflowError as trouble:
            # Only a rules object holds numbers that nobody has looked at yet.
            why = "a number in it is larger than any that rules have"
            raise Refused("bad_options", option="rules", why=why) from trouble
        try:
            reply = messages.decode_reply(await self._handoff.ask(asked, wait_s, _about(question)))
            said = _tag(reply)
        except (MsgspecError, UnicodeDecodeError, RecursionError) as trouble:
            raise Unavailable("the dealer's answer is not understood: is it of another version?") from trouble
        finally:
            self._asked.labels(_tag(question), said).inc()
        if isinstance(reply, messages.No | messages.Broken):
            raise messages.trouble_of(reply)
        if not isinstance(reply, kind):
            raise Unavailable("the dealer's answer is to another question")
        return reply

    async def trouble(self) -> str | None:
        """Return why no dealer can be asked; None if one answers."""
        await self.ask(messages.AskPulse(), messages.Done, PULSE_S)
        return None


def _about(question: messages.Question) -> str:
    """Return what a question is about, which one dealer may have in memory: a match, a tournament, or nothing."""
    about = getattr(question, "match", None) or getattr(question, "tournament", None)
    return "" if about is None else str(about)


class RemoteMatches(MatchQueries):
    """Every match, read only, and a way to those who decide."""

    def __init__(
        self, store: EventStore, dealers: Dealers, shared: SharedReads | None = None, stuck: Stuck | None = None
    ) -> None:
        """Read from this store into `shared` memory, without secrets, and ask these dealers.

        `stuck` is told what cannot be read here.
        """
        super().__init__(store, None, shared, stuck)
        self._dealers = dealers

    async def bearer(self, token: str) -> Bearer | None:
        """Return who this token speaks for, if anybody. Cost: a question; a dealer looks at the token at each one."""
        return (await self._dealers.ask(messages.AskBearer(token), messages.SpeaksFor)).bearer

    async def open(
        self, rules: dict[str, Any], ask: CommandMetadata, policy: Policy = "all", card: Card = PLAIN
    ) -> Answer:
        """Open a match under these rules, and return its host's token."""
        asked = messages.identity_of(ask)
        question = messages.AskOpen(asked, rules, policy, card.name, not card.listed, card.choices)
        return (await self._dealers.ask(question, messages.AcceptedReply)).answer

    async def opened_all(self, ask: CommandMetadata) -> NoReturn:  # noqa: ARG002 - as the port has it
        """Open no list of tables, which is longer than a question to a dealer may be.

        Raises:
            Unavailable: Nodes that decide may.
        """
        raise Unavailable("lists of tables go to nodes of this house that decide: send it to one of them")

    async def open_all(self, tables: Sequence[BulkTable], ask: CommandMetadata) -> NoReturn:  # noqa: ARG002 - the same
        """Open no table.

        Raises:
            Unavailable: As `opened_all`.
        """
        await self.opened_all(ask)

    async def join(
        self,
        match_id: UUID,
        name: str,
        custody: Literal["client", "server"],
        ask: CommandMetadata,
        invite: str | None = None,
        mark: SeatMark = NO_MARK,
    ) -> Answer:
        """Seat a person under this name and return the seat's token."""
        asked = messages.identity_of(ask)
        question = messages.AskSeat(match_id, asked, name, custody, invite, mark.key, mark.salt)
        return (await self._dealers.ask(question, messages.AcceptedReply)).answer

    async def hand_in(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        """Decide a command by its signature alone, whoever brings it: the dealer asks who has signed it."""
        question = messages.AskHandedIn(match_id, messages.identity_of(ask), command)
        return (await self._dealers.ask(question, messages.AcceptedReply)).answer

    async def next_table(self, match_id: UUID) -> NextTable:
        """Return whether there is a next table of this match, and who of its people sits there."""
        return (await self._dealers.ask(messages.AskNext(match_id), messages.Followed)).table

    async def access(self, match_id: UUID) -> bytes:
        """Return the access record; a match that is older than those is given its own by a dealer."""
        try:
            return await super().access(match_id)
        except UnknownMatch:
            await self._dealers.ask(messages.AskAccess(match_id), messages.Done)
        return await super().access(match_id)

    def for_token(self, token: str) -> RemoteSeat:
        """Return the house as it is for whoever shows this token."""
        return RemoteSeat(self, self._dealers, token)


class RemoteSeat:
    """What is done with one token: each question shows it, and the dealer looks whom it speaks for."""

    def __init__(self, library: MatchQueries, dealers: Dealers, token: str) -> None:
        """Show this token; what is public comes from the library."""
        self._library = library
        self._dealers = dealers
        self._token = token

    async def holding(self, match_id: UUID, viewer: Viewer) -> Viewer:
        """Return who looks; None, a spectator, for whoever has left the seat: who sits where is public."""
        return await self._library.holding(match_id, viewer)

    async def view(self, match_id: UUID, viewer: Viewer) -> View:
        """Return the match as this viewer sees it now."""
        if viewer is None:
            return await self._library.view(match_id, None)
        return messages.view_of(await self._dealers.ask(messages.AskView(self._token, match_id), messages.Seen))

    async def frames(self, match_id: UUID, viewer: Viewer, after: int, limit: int) -> list[bytes]:
        """Return at most `limit` encoded frames of this viewer with versions above `after`, ascending."""
        if viewer is None:
            return await self._library.frames(match_id, None, after, limit)
        question = messages.AskFrames(self._token, match_id, after, limit)
        return (await self._dealers.ask(question, messages.Framed)).frames

    async def opened(self, match_id: UUID, viewer: Holder) -> bytes:  # noqa: ARG002 - the token says it
        """Return the openings of the hidden dice this viewer may know now, and the choices behind them, as JSON."""
        return (await self._dealers.ask(messages.AskOpenings(self._token, match_id), messages.Opened)).body

    async def folded(self, match_id: UUID, viewer: Holder) -> list[events.Revealed]:  # noqa: ARG002 - the token says it
        """Return the openings of this viewer's dice that deals now over have kept secret."""
        found = (await self._dealers.ask(messages.AskFolded(self._token, match_id), messages.Proved)).openings
        return [opening for opening in found if isinstance(opening, events.Revealed)]

    async def submit(self, match_id: UUID, command: commands.MatchCommand, ask: CommandMetadata) -> Answer:
        """Decide a command and store what it leads to."""
        question = messages.AskCommand(self._token, match_id, messages.identity_of(ask), command)
        return (await self._dealers.ask(question, messages.AcceptedReply)).answer

    async def start(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        """Close the lobby and begin the first deal; the dealer draws what chance it takes."""
        return await self.submit(match_id, commands.Start(NO_CHANCE), ask)

    async def seat_bots(self, match_id: UUID, count: int, ask: CommandMetadata, level: Level = USUAL) -> Answer:
        """Seat this many house bots of a level."""
        question = messages.AskBots(self._token, match_id, messages.identity_of(ask), count, level)
        return (await self._dealers.ask(question, messages.AcceptedReply)).answer

    async def rematch(self, match_id: UUID, ask: CommandMetadata, again: SitsAgain = AS_BEFORE) -> Answer:
        """Sit down at the next table of a match that is over, or have it opened."""
        asked, mark = messages.identity_of(ask), again.mark
        question = messages.AskRematch(self._token, match_id, asked, again.sits, again.custody, mark.key, mark.salt)
        return (await self._dealers.ask(question, messages.AcceptedReply)).answer

    async def take_key(self, match_id: UUID, asked: TakesKey, ask: CommandMetadata) -> Answer:
        """Have whoever holds a seat without a key take it again with one."""
        identity, mark = messages.identity_of(ask), asked.mark
        assert mark.key is not None, "it is asked for with one"
        question = messages.AskTakeKey(
            self._token, match_id, identity, asked.left_at, asked.custody, mark.key, mark.salt
        )
        return (await self._dealers.ask(question, messages.AcceptedReply)).answer

    async def erase_name(self, match_id: UUID, holder: Holder) -> bool:  # noqa: ARG002 - the token says it
        """Erase what the holder of a seat is called, and report whether there was a name."""
        question = messages.AskSeatNameErasure(self._token, match_id)
        return (await self._dealers.ask(question, messages.SeatNameErased)).erased


def _tag(said: messages.Question | messages.Reply) -> str:
    return str(type(said).__struct_config__.tag)
