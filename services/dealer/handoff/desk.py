"""The dealer's desk: it answers the questions of nodes that deal nothing themselves.

The law of the file: whom a question is for follows from its token alone, looked up here each time. A node that was
taken over can do what the tokens it is shown can do, and no more.
"""

from __future__ import annotations

import asyncio
import typing
from typing import Final
from uuid import UUID

import msgspec
import structlog

from domain import commands
from domain.errors import Refused
from domain.table.interlude import InterludeCommand
from infra.handoff import Handoff
from infra.store import Card, Unavailable
from services.dealer.handoff import messages
from services.dealer.handoff.commentary.comment_desk import CommentDesk
from services.dealer.handoff.commentary.comment_messages import AnyCommentQuestion
from services.dealer.handoff.event_desk import EventDesk, NotOfBearer
from services.dealer.handoff.event_messages import AnyEventQuestion
from services.dealer.handoff.season_desk import NotOfPerson, SeasonDesk
from services.dealer.handoff.season_messages import AnySeasonQuestion
from services.matches.handler import CommandHandler
from services.matches.naming.law import BadName
from services.matches.naming.lawful import lawful
from services.matches.reads.queries import UnknownMatch
from services.matches.requests import ANONYMOUS, Answer, KeyUsed, SeatMark, SitsAgain, TakesKey, VersionPassed, scope_of
from services.matches.seating import OF_THE_HOST
from services.matches.secrets.tokens import Bearer, Holder
from services.seasons.requests import UnknownSeason
from services.tournaments.requests import UnknownTournament
from services.work.failures import Unreadable

OF_A_SEAT: Final = (
    *typing.get_args(commands.Play),
    commands.CommitSeed,
    commands.OpenSeed,
    commands.Leave,
    commands.Rekey,
    commands.Forfeit,
    commands.StandIn,
    commands.TakeBack,
    commands.Continue,
    commands.SayReady,
)
"""Commands that a seat's token earns, each naming that seat. The table's own come from no node."""
NAYS: Final = (
    *(Refused, VersionPassed, KeyUsed, UnknownMatch, UnknownTournament, UnknownSeason, Unreadable, Unavailable),
)
"""What a question is answered no with, as it was raised."""
FOREIGN: Final = "the dealer takes this token for something else"
UNLAWFUL: Final = "the dealer takes this name for nobody's"

log = structlog.get_logger(__name__)


class NotTheirs(Exception):  # noqa: N818 - named for what happened
    """The token does not speak for whom the question is about: the node that asked has not looked, or lies."""


class Desk:
    """Answers with what these matches say."""

    def __init__(
        self,
        handoff: Handoff,
        matches: CommandHandler,
        events: EventDesk,
        beyond: SeasonDesk,
        comments: CommentDesk,
    ) -> None:
        """Take questions of this handoff; those about tournaments are for `events`, about seasons for `beyond`."""
        self._handoff = handoff
        self._matches = matches
        self._events = events
        self._beyond = beyond
        self._comments = comments

    async def run(self) -> None:
        """Answer until cancelled; then what is in hand is answered, and no more."""
        taking = await self._handoff.take(self.answer)
        try:
            await asyncio.Event().wait()
        finally:
            await taking.stop()

    async def answer(self, question: bytes) -> bytes:
        """Return the answer to a question as it came. It never raises."""
        try:
            asked = messages.decode_question(question)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as trouble:
            log.warning("handoff.not_understood", fault=type(trouble).__name__)
            said = messages.NotNow("the dealer does not understand this node: is it of a later version?")
            return messages.encode(said)
        return messages.encode(await self._answer(asked))

    async def _answer(self, question: messages.AnyQuestion) -> messages.Reply:
        """Answer, and keep a fault from all other questions: whoever asked this one is told that there was one."""
        try:
            if isinstance(question, AnyEventQuestion):
                return await self._events.reply(question)
            if isinstance(question, AnySeasonQuestion):
                return await self._beyond.reply(question)
            if isinstance(question, AnyCommentQuestion):
                return await self._comments.reply(question)
            return await self._reply(question)
        except NAYS as no:
            return messages.no_of(no)
        except (NotTheirs, NotOfBearer, NotOfPerson):
            log.warning("handoff.not_theirs", question=type(question).__name__)
            return messages.NotNow(FOREIGN)
        except BadName:
            log.warning("handoff.unlawful", question=type(question).__name__)
            return messages.NotNow(UNLAWFUL)
        except Exception:
            log.exception("handoff.broken", question=type(question).__name__)
            return messages.Broken()

    async def _reply(self, question: messages.AnyMatchQuestion) -> messages.Reply:
        match question:
            case messages.AskPulse():
                return messages.Done()
            case messages.AskBearer(token):
                return messages.SpeaksFor(await self._matches.bearer(token))
            case messages.AskOpen(asked, rules, policy, name, private, choices):
                card = Card(None if name is None else lawful(name), not private, choices)
                return messages.AcceptedReply(await self._matches.open(rules, asked.ask(ANONYMOUS), policy, card))
            case messages.AskSeat(match_id, asked, name, custody, invite, key, salt):
                ask, mark = asked.ask(ANONYMOUS), SeatMark(key, salt)
                joined = await self._matches.join(match_id, lawful(name), custody, ask, invite, mark)
                return messages.AcceptedReply(joined)
            case messages.AskHandedIn(match_id, asked, command):
                return messages.AcceptedReply(await self._matches.hand_in(match_id, command, asked.ask(ANONYMOUS)))
            case messages.AskNext(match_id):
                return messages.Followed(await self._matches.next_table(match_id))
            case messages.AskBots() | messages.AskCommand() | messages.AskRematch() | messages.AskTakeKey():
                return messages.AcceptedReply(await self._do(question))
            case messages.AskSeatNameErasure(token, match_id):
                holder = _seat_of(await self._bearer(token, match_id))
                return messages.SeatNameErased(await self._matches.erase_name(match_id, holder))
            case messages.AskAccess(match_id):
                await self._matches.access(match_id)
                return messages.Done()
            case _:
                return await self._read_for_seat(question)

    async def _do(
        self, question: messages.AskBots | messages.AskCommand | messages.AskRematch | messages.AskTakeKey
    ) -> Answer:
        bearer = await self._bearer(question.token, question.match)
        ask = question.asked.ask(scope_of(question.token), bearer)
        match question:
            case messages.AskCommand():
                if not may_ask(bearer, question.command):
                    raise NotTheirs
                return await self._matches.submit(question.match, question.command, ask)
            case messages.AskRematch():
                mark = SeatMark(question.key, question.salt)
                return await self._matches.rematch(
                    question.match, ask, SitsAgain(question.sits, question.custody, mark)
                )
            case messages.AskTakeKey():
                _seat_of(bearer)
                mark = SeatMark(question.key, question.salt)
                return await self._matches.take_key(
                    question.match, TakesKey(question.left_at, question.custody, mark), ask
                )
            case messages.AskBots():
                return await self._matches.seat_bots(question.match, question.count, ask, question.level)

    async def _read_for_seat(
        self, question: messages.AskView | messages.AskFrames | messages.AskOpenings | messages.AskFolded
    ) -> messages.Reply:
        """Return what a seat may see: what leaves here is on record first (`services.matches.reads.access_log`)."""
        match_id, holder = question.match, _seat_of(await self._bearer(question.token, question.match))
        match question:
            case messages.AskView():
                return messages.travelling_view(await self._matches.view(match_id, holder))
            case messages.AskFrames():
                return messages.Framed(await self._matches.frames(match_id, holder, question.after, question.limit))
            case messages.AskOpenings():
                return messages.Opened(await self._matches.opened(match_id, holder))
            case messages.AskFolded():
                return messages.Proved([*await self._matches.folded(match_id, holder)])

    async def _bearer(self, token: str, match_id: UUID) -> Bearer:
        bearer = await self._matches.bearer(token)
        if bearer is None or bearer.match != match_id:
            raise NotTheirs
        return bearer


def _seat_of(bearer: Bearer) -> Holder:
    if bearer.holder is None:
        raise NotTheirs
    return bearer.holder


def may_ask(bearer: Bearer, command: commands.MatchCommand) -> bool:
    """Report whether this is a command of whom the token speaks for."""
    # The host may be whoever opened the match, or a seat: that is decided with the command.
    if isinstance(command, OF_THE_HOST):
        return True
    if not isinstance(command, OF_A_SEAT) or (isinstance(command, commands.Forfeit) and command.reason != "forfeit"):
        return False
    if isinstance(command, InterludeCommand) and command.of_table:
        return False
    return bearer.holder is not None and command.seat == bearer.holder.seat
