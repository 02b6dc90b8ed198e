"""Messages between a node without the dealer's role and a dealer: msgpack of tagged structs, questions and answers.

The law of the file: whoever asks shows the token it was shown, never whom it speaks for; the dealer looks that up. No
question holds a secret or a draw of chance, and no answer a die but for the seat whose token came with the question.
What a dealer says no with travels as a value, and comes out as the exception it went in as.

Tags and members change only by addition, and dealers are upgraded first: one that does not understand a question says
so, and the client is told to come again.
"""

from __future__ import annotations

import functools
import operator
from typing import Annotated, Any, Final, Literal, get_args
from uuid import UUID

import msgspec
from msgspec import Meta

from domain import commands, events
from domain.errors import Refused
from domain.fairness.deal import Policy
from domain.ids import UnixMs, Version
from domain.table.interludes import COMMANDS
from domain.table.offers import Move
from infra.store import Choices, Unavailable
from projections.view import View
from services.dealer.handoff.commentary.comment_messages import AnyCommentQuestion, AnyCommentReply
from services.dealer.handoff.envelopes import Asked, Question, Reply, Token, identity_of
from services.dealer.handoff.event_messages import AnyEventQuestion, AnyEventReply, NoTournament
from services.dealer.handoff.season_messages import AnySeasonQuestion, AnySeasonReply, NoSeason
from services.engines.level_names import USUAL, Level
from services.matches.reads.queries import UnknownMatch
from services.matches.requests import Answer, KeyUsed, VersionPassed
from services.matches.secrets.tokens import Bearer
from services.matches.tables.rematches import NextTable
from services.seasons.requests import UnknownSeason
from services.tournaments.requests import UnknownTournament
from services.work.failures import Unreadable

__all__ = ["Asked", "Question", "Reply", "identity_of"]


# ---- questions ----------------------------------------------------------------------------------


_CORE: Final = tuple(kind for kind in get_args(commands.MatchCommand) if kind is not commands.AnyInterludeCommand)
_AnyCommand: Final = functools.reduce(operator.or_, (*_CORE, *COMMANDS))
"""What can be asked of a match: msgspec cannot know what interludes add."""


class AskPulse(Question, frozen=True, tag="pulse"):
    """Ask whether anybody is there."""


class AskBearer(Question, frozen=True, tag="bearer"):
    """Ask whom a token speaks for."""

    token: Token


class AskOpen(Question, frozen=True, tag="open"):
    """Ask for a new match."""

    asked: Asked
    rules: dict[str, Any]
    policy: Policy
    name: Annotated[str, Meta(min_length=1, max_length=40)] | None = None
    private: bool = False
    choices: Choices = Choices()


class AskSeat(Question, frozen=True, tag="seat"):
    """Ask for a seat for a person."""

    match: UUID
    asked: Asked
    name: Annotated[str, Meta(min_length=1, max_length=40)]
    custody: Literal["client", "server"]
    invite: Annotated[str, Meta(max_length=64)] | None = None
    key: commands.Hash | None = None
    salt: commands.Hash | None = None


class AskBots(Question, frozen=True, tag="bots"):
    """Ask for house bots, with the host's token."""

    token: Token
    match: UUID
    asked: Asked
    count: Annotated[int, Meta(ge=1, le=253)]
    level: Level = USUAL


class AskCommand(Question, frozen=True, tag="command"):
    """Ask for a command to be decided, with the token of the seat that it names, or of the host."""

    token: Token
    match: UUID
    asked: Asked
    command: _AnyCommand  # type: ignore[valid-type]


class AskHandedIn(Question, frozen=True, tag="handed_in"):
    """Ask for a command to be decided by the signature of the seat that it names, whoever has it."""

    match: UUID
    asked: Asked
    command: _AnyCommand  # type: ignore[valid-type]


class AskRematch(Question, frozen=True, tag="rematch"):
    """Ask for the next table of a match that is over, with the token of a seat or of the host."""

    token: Token
    match: UUID
    asked: Asked
    sits: bool = True
    custody: Literal["client", "server"] | None = None
    key: commands.Hash | None = None
    salt: commands.Hash | None = None


class AskTakeKey(Question, frozen=True, tag="take_key"):
    """Ask for the token's seat, which has no key, to be taken again with one."""

    token: Token
    match: UUID
    asked: Asked
    left_at: UnixMs
    custody: Literal["client", "server"]
    key: commands.Hash
    salt: commands.Hash | None = None


class AskSeatNameErasure(Question, frozen=True, tag="erase_seat_name"):
    """Ask for the name of the token's seat to be erased."""

    token: Token
    match: UUID


class AskNext(Question, frozen=True, tag="next"):
    """Ask what has become of a match that is over."""

    match: UUID


class AskView(Question, frozen=True, tag="view"):
    """Ask for the match as the token's seat sees it now."""

    token: Token
    match: UUID


class AskFrames(Question, frozen=True, tag="frames"):
    """Ask for frames of the token's seat."""

    token: Token
    match: UUID
    after: Annotated[int, Meta(ge=0)]
    limit: Annotated[int, Meta(ge=0, le=256)]


class AskOpenings(Question, frozen=True, tag="openings"):
    """Ask for the proofs of the hidden dice that the token's seat may know."""

    token: Token
    match: UUID


class AskFolded(Question, frozen=True, tag="folded"):
    """Ask for the proofs of the dice of the token's seat that were never shown."""

    token: Token
    match: UUID


class AskAccess(Question, frozen=True, tag="access"):
    """Ask for an access stream to be there, for a match that is older than those."""

    match: UUID


AnyMatchQuestion = (
    AskPulse
    | AskBearer
    | AskOpen
    | AskSeat
    | AskBots
    | AskCommand
    | AskHandedIn
    | AskRematch
    | AskTakeKey
    | AskSeatNameErasure
    | AskNext
    | AskView
    | AskFrames
    | AskOpenings
    | AskFolded
    | AskAccess
)
AnyQuestion = AnyMatchQuestion | AnyEventQuestion | AnySeasonQuestion | AnyCommentQuestion


# ---- answers ------------------------------------------------------------------------------------


class Done(Reply, frozen=True, tag="done"):
    """It is done, or there, or somebody is."""


class AcceptedReply(Reply, frozen=True, tag="accepted"):
    """The command was accepted, now or before."""

    answer: Answer


class SeatNameErased(Reply, frozen=True, tag="seat_name_erased"):
    """The seat has no name any more; whether it had one."""

    erased: bool


class Followed(Reply, frozen=True, tag="next"):
    """What has become of the match."""

    table: NextTable


class SpeaksFor(Reply, frozen=True, tag="bearer"):
    """Whom the token speaks for, if anybody."""

    bearer: Bearer | None


class Seen(Reply, frozen=True, tag="view"):
    """The match as the seat sees it."""

    view: dict[str, Any]


class Framed(Reply, frozen=True, tag="frames"):
    """Encoded frames, one a version, ascending."""

    frames: list[bytes]


class Proved(Reply, frozen=True, tag="openings"):
    """Openings of the seat's dice, and of the choices that led to them."""

    openings: list[events.Revealed | events.ChoicesRevealed]


class Opened(Reply, frozen=True, tag="opened"):
    """Openings of the seat's hidden dice and of the choices behind them, as JSON of a length that tells nothing."""

    body: bytes


class NotAllowed(Reply, frozen=True, tag="refused"):
    """A rule says no."""

    code: str
    facts: dict[str, Any]


class PassedReply(Reply, frozen=True, tag="version_passed"):
    """The match has moved on; `refusal` is what the house has signed of that."""

    version: Version
    refusal: str | None = None


class KeyTaken(Reply, frozen=True, tag="key_reused"):
    """The idempotency key came with another request before."""


class NoMatch(Reply, frozen=True, tag="unknown_match"):
    """There is no such match."""

    match: str


class NotReadable(Reply, frozen=True, tag="unreadable"):
    """The dealer cannot read the match: a line of it is of a later version, or broken."""

    stream: str


class NotNow(Reply, frozen=True, tag="unavailable"):
    """The world says no."""

    why: str


class Broken(Reply, frozen=True, tag="broken"):
    """A fault of the dealer's, which it has logged."""


AnyReply = (
    Done
    | AcceptedReply
    | SeatNameErased
    | Followed
    | SpeaksFor
    | Seen
    | Framed
    | Proved
    | Opened
    | NotAllowed
    | PassedReply
    | KeyTaken
    | NoMatch
    | NotReadable
    | NotNow
    | Broken
    | AnyEventReply
    | AnySeasonReply
    | AnyCommentReply
)
No = NotAllowed | PassedReply | KeyTaken | NoMatch | NoTournament | NoSeason | NotReadable | NotNow


Unknown = UnknownMatch | UnknownTournament | UnknownSeason


class BrokenThere(Exception):  # noqa: N818 - named for what happened
    """The dealer met a fault of ours; its log says where."""


def no_of(trouble: Refused | VersionPassed | KeyUsed | Unknown | Unreadable | Unavailable) -> No:
    """Return what is said in the place of an exception."""
    match trouble:
        case Refused():
            return NotAllowed(trouble.code, trouble.facts)
        case VersionPassed():
            note = trouble.facts.get("refusal")
            return PassedReply(trouble.version, None if note is None else str(note))
        case KeyUsed():
            return KeyTaken()
        case UnknownMatch():
            return NoMatch(str(trouble))
        case UnknownTournament():
            return NoTournament(str(trouble))
        case UnknownSeason():
            return NoSeason(str(trouble))
        case Unreadable():
            return NotReadable(trouble.stream)
        case Unavailable():
            return NotNow(str(trouble))


def trouble_of(said: No | Broken) -> Exception:
    """Return the exception in whose place this is said."""
    match said:
        case NotAllowed():
            return Refused(said.code, **said.facts)
        case PassedReply():
            return VersionPassed(said.version, said.refusal)
        case KeyTaken():
            return KeyUsed()
        case NoMatch():
            return UnknownMatch(said.match)
        case NoTournament():
            return UnknownTournament(said.tournament)
        case NoSeason():
            return UnknownSeason(said.season)
        case NotReadable():
            return Unreadable(said.stream)
        case NotNow():
            return Unavailable(said.why)
        case Broken():
            return BrokenThere("the dealer's log says where")


# ---- how they are written -----------------------------------------------------------------------

encode: Final = msgspec.msgpack.Encoder().encode
decode_question: Final = msgspec.msgpack.Decoder(AnyQuestion).decode
decode_reply: Final = msgspec.msgpack.Decoder(AnyReply).decode
_AnyMove: Final = functools.reduce(operator.or_, Move.__subclasses__())
"""What a `Move` in a view can be: msgspec cannot know who inherits from it."""


def travelling_view(view: View) -> Seen:
    """Return a view as it travels."""
    return Seen(msgspec.structs.asdict(view))


def view_of(said: Seen) -> View:
    """Return the view that was seen, as it was: encoded again it has the same bytes."""
    moves = msgspec.convert(said.view["moves"], tuple[_AnyMove, ...])  # type: ignore[valid-type]
    return msgspec.structs.replace(msgspec.convert({**said.view, "moves": ()}, View), moves=moves)
