"""Messages about tournaments between a node without the dealer's role and a dealer; their law is that of `messages`."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta

from domain.ids import Seat
from domain.tournaments import commands
from domain.tournaments.boards.decide import OfDrawer
from infra.store import NotedText
from services.dealer.handoff.envelopes import Asked, Question, Reply, Token
from services.matches.tables.event_tables import SeatAtTable, SitsAtTable
from services.tournaments.requests import BoardAnswer, TournamentAnswer, TournamentBearer

Name = Annotated[str, Meta(min_length=1, max_length=40)]


class AskEventBearer(Question, frozen=True, tag="event_bearer"):
    """Ask whom a token speaks for in a tournament."""

    token: Token


class AskAnnounce(Question, frozen=True, tag="announce"):
    """Ask for a new tournament; with the token of a season's host it may be held for that one."""

    asked: Asked
    rules: dict[str, Any]
    title: Name | None = None
    private: bool = False
    season: Token | None = None


class AskEntry(Question, frozen=True, tag="entry"):
    """Ask for somebody to be entered, by themselves or with the token of an official; a player by the own token.

    A guest has a name, and a player (`person`) none but the one that is kept.
    """

    tournament: UUID
    asked: Asked
    name: Name | None
    token: Token | None = None
    club: str | None = None
    custody: Literal["client", "server"] = "server"
    person: Token | None = None
    seed: int | None = None


class AskBotEntry(Question, frozen=True, tag="bot_entry"):
    """Ask for a bot of the house to be entered, with an official's token."""

    token: Token
    tournament: UUID
    asked: Asked
    manner: str
    name: Name


class AskAppointment(Question, frozen=True, tag="appointment"):
    """Ask for powers for somebody, with the host's token."""

    token: Token
    tournament: UUID
    asked: Asked
    role: Literal["host", "arbiter"]


class AskEvent(Question, frozen=True, tag="event_command"):
    """Ask for a command to be decided, with the token of whom it names; `text` is what its note is made of."""

    token: Token
    tournament: UUID
    asked: Asked
    command: commands.AnyCommand
    text: str | None = None
    restricted: bool = False


class AskNotes(Question, frozen=True, tag="notes"):
    """Ask for the texts that lines name: all of them with the token of an official."""

    tournament: UUID
    token: Token | None = None


class AskErasure(Question, frozen=True, tag="erase_note"):
    """Ask for a text to be erased that lines name by this hash, with the token of an official."""

    token: Token
    tournament: UUID
    note: str


class AskCases(Question, frozen=True, tag="cases"):
    """Ask what a screening has found, with the token of an official."""

    token: Token
    tournament: UUID


class AskSeatAt(Question, frozen=True, tag="seat_at"):
    """Ask what an entrant, by the token of the tournament, plays with at a table; with `sits`, take the seat first."""

    token: Token
    match: UUID
    seat: Seat
    sits: SitsAtTable | None = None


class AskDrawer(Question, frozen=True, tag="drawer"):
    """Ask whom a token speaks for, of an entrant or of a seat, who may draw for boards."""

    token: Token


class AskBoardSeed(Question, frozen=True, tag="board_seed"):
    """Ask for a seed to be taken for a board, with a token of whoever has the drawer's seat that it names."""

    token: Token
    board: UUID
    asked: Asked
    command: OfDrawer


AnyEventQuestion = (
    AskEventBearer
    | AskAnnounce
    | AskEntry
    | AskBotEntry
    | AskAppointment
    | AskEvent
    | AskNotes
    | AskErasure
    | AskCases
    | AskSeatAt
    | AskDrawer
    | AskBoardSeed
)


class EventAccepted(Reply, frozen=True, tag="event_accepted"):
    """The command was accepted, now or before."""

    answer: TournamentAnswer


class EventSpeaksFor(Reply, frozen=True, tag="event_bearer"):
    """Whom the token speaks for, if anybody."""

    bearer: TournamentBearer | None


class NotesRead(Reply, frozen=True, tag="notes"):
    """The texts."""

    notes: list[NotedText]


class NoteErased(Reply, frozen=True, tag="note_erased"):
    """It is gone; whether there was one."""

    erased: bool


class CasesRead(Reply, frozen=True, tag="cases"):
    """What the screening came to, as it is kept; None before there was one."""

    body: bytes | None


class SeatTold(Reply, frozen=True, tag="seat_at"):
    """What is played with there, if the match is open and the seat is whose token was shown."""

    found: SeatAtTable | None


class DrawerTold(Reply, frozen=True, tag="drawer"):
    """The id of whom the token speaks for, if it is one."""

    player: str | None


class BoardAccepted(Reply, frozen=True, tag="board_accepted"):
    """The seed was taken, now or before."""

    answer: BoardAnswer


class NoTournament(Reply, frozen=True, tag="unknown_tournament"):
    """There is no such tournament."""

    tournament: str


AnyEventReply = (
    EventAccepted
    | EventSpeaksFor
    | NotesRead
    | NoteErased
    | CasesRead
    | SeatTold
    | DrawerTold
    | BoardAccepted
    | NoTournament
)
