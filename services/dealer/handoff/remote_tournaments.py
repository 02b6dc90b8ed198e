"""Tournaments as a node without the dealer's role has them: what is public from the log, all else from a dealer.

Whoever asks for something has shown a token to `bearer` first. It is remembered by what it is known as here, the scope
of a request and whom it speaks for in which tournament, and shown to the dealer as it came.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, NoReturn
from uuid import UUID

from domain.ids import Seat
from domain.tournaments import commands
from domain.tournaments.boards.decide import OfDrawer
from infra.store import Card, EventStore, NotedText, Unavailable
from services.dealer.handoff import event_messages as messages
from services.dealer.handoff.envelopes import identity_of
from services.dealer.handoff.remote import Dealers
from services.dealer.handoff.remote_seasons import HOST, PLAYER
from services.dealer.handoff.shown import ShownTokens
from services.matches.reads.cards import PLAIN
from services.matches.requests import ANONYMOUS, CommandMetadata, scope_of
from services.matches.tables.event_tables import SeatAtTable, SitsAtTable
from services.tournaments.reads import TournamentQueries
from services.tournaments.requests import NOTHING, Beside, BoardAnswer, TournamentAnswer, TournamentBearer
from services.tournaments.ways.lists import Custody, EntryRow
from services.work.failures import Stuck


class RemoteTournaments(TournamentQueries):
    """Every tournament, read only, and a way to those who decide.

    Attributes:
        shown: The tokens that were shown here lately.
    """

    def __init__(self, store: EventStore, dealers: Dealers, stuck: Stuck | None = None) -> None:
        """Read from this store, without secrets, and ask these dealers; `stuck` is told what cannot be read here."""
        super().__init__(store, None, stuck)
        self._dealers = dealers
        self.shown = ShownTokens()

    async def bearer(self, token: str) -> TournamentBearer | None:
        """Return who a token speaks for in a tournament, if anybody. Cost: a question."""
        found = (await self._dealers.ask(messages.AskEventBearer(token), messages.EventSpeaksFor)).bearer
        if found is not None:
            # A player has one id in all tournaments, and a token of each: any of them says who sits at a match.
            self.shown.keep(token, scope_of(token), (found.tournament, found.by), found.by)
        return found

    async def create(
        self,
        rules: dict[str, Any],
        ask: CommandMetadata,
        card: Card = PLAIN,
        season: UUID | None = None,
    ) -> TournamentAnswer:
        """Announce a tournament, for the season whose host asks if that is so; the answer holds its host's token."""
        token = None if season is None else self.shown.token_of((season, HOST))
        return await self._accepted(messages.AskAnnounce(identity_of(ask), rules, card.name, not card.listed, token))

    async def register(
        self,
        tournament_id: UUID,
        by: str | None,
        name: str | None,
        ask: CommandMetadata,
        club: str | None = None,
        custody: Custody = "server",
        person: str | None = None,
        seed: int | None = None,
    ) -> TournamentAnswer:
        """Enter a guest, or a player, who shows the own token; the answer holds the entrant's token."""
        own = None if person is None else self.shown.token_of((person, PLAYER))
        called = name if person is None else None
        token = None if by is None or ask.scope == ANONYMOUS else self.shown.token_of(ask.scope)
        return await self._accepted(
            messages.AskEntry(tournament_id, identity_of(ask), called, token, club, custody, own, seed)
        )

    async def answered(self, tournament_id: UUID, ask: CommandMetadata) -> NoReturn:  # noqa: ARG002 - as the port has it
        """Say nothing of lists: the longest are many times as long as a question may be.

        Raises:
            Unavailable: They are entered at nodes that decide.
        """
        raise Unavailable("lists are taken by nodes of this house that decide: ask one of them")

    async def register_all(
        self,
        tournament_id: UUID,
        by: str,  # noqa: ARG002 - as the port has it
        rows: Sequence[EntryRow],  # noqa: ARG002 - the same
        ask: CommandMetadata,
    ) -> NoReturn:
        """Enter nobody of a list.

        Raises:
            Unavailable: As `answered`.
        """
        await self.answered(tournament_id, ask)

    async def register_bot(
        self,
        tournament_id: UUID,
        by: str,  # noqa: ARG002 - the token says it
        manner: str,
        name: str,
        ask: CommandMetadata,
    ) -> TournamentAnswer:
        """Enter a bot of the house."""
        token = self.shown.token_of(ask.scope)
        return await self._accepted(messages.AskBotEntry(token, tournament_id, identity_of(ask), manner, name))

    async def appoint(
        self,
        tournament_id: UUID,
        by: str,  # noqa: ARG002 - the token says it
        role: Literal["host", "arbiter"],
        ask: CommandMetadata,
    ) -> TournamentAnswer:
        """Give somebody powers; the answer holds the token they are had with."""
        token = self.shown.token_of(ask.scope)
        return await self._accepted(messages.AskAppointment(token, tournament_id, identity_of(ask), role))

    async def submit(
        self, tournament_id: UUID, command: commands.AnyCommand, ask: CommandMetadata, beside: Beside = NOTHING
    ) -> TournamentAnswer:
        """Decide a command and store what it leads to."""
        token, text, restricted = self.shown.token_of(ask.scope), beside.note, beside.restricted
        question = messages.AskEvent(token, tournament_id, identity_of(ask), command, text, restricted)
        return await self._accepted(question)

    async def notes(self, tournament_id: UUID, by: str | None = None) -> list[NotedText]:
        """Return the texts that lines of a tournament name, as far as this person may read them."""
        token = None if by is None else self.shown.token_of((tournament_id, by))
        return (await self._dealers.ask(messages.AskNotes(tournament_id, token), messages.NotesRead)).notes

    async def erase_note(self, tournament_id: UUID, note: str, by: str) -> bool:
        """Erase a text that a line names, as an official asks, and report whether there was one."""
        question = messages.AskErasure(self.shown.token_of((tournament_id, by)), tournament_id, note)
        return (await self._dealers.ask(question, messages.NoteErased)).erased

    async def kept_screening(self, tournament_id: UUID, by: str) -> bytes | None:
        """Return what came of screening a tournament, as a dealer tells its officials; None before."""
        question = messages.AskCases(self.shown.token_of((tournament_id, by)), tournament_id)
        return (await self._dealers.ask(question, messages.CasesRead)).body

    async def seat_at(
        self, match_id: UUID, seat: Seat, player: str, sits: SitsAtTable | None = None
    ) -> SeatAtTable | None:
        """Return what the player of a seat plays with; None where the match is not open, or the seat is not theirs.

        With `sits`, a seat that was kept is taken first.
        """
        question = messages.AskSeatAt(self.shown.token_of(player), match_id, seat, sits)
        return (await self._dealers.ask(question, messages.SeatTold)).found

    async def drawer_by(self, token: str) -> str | None:
        """Return who shows a token, of an entrant or of a seat, and may draw for boards. Cost: a question."""
        found = (await self._dealers.ask(messages.AskDrawer(token), messages.DrawerTold)).player
        if found is not None:
            self.shown.keep(token, scope_of(token))
        return found

    async def give_seed(self, board_id: UUID, command: OfDrawer, ask: CommandMetadata) -> BoardAnswer:
        """Take what somebody who draws for a board gives to its deal."""
        question = messages.AskBoardSeed(self.shown.token_of(ask.scope), board_id, identity_of(ask), command)
        return (await self._dealers.ask(question, messages.BoardAccepted)).answer

    async def _accepted(self, question: messages.AnyEventQuestion) -> TournamentAnswer:
        return (await self._dealers.ask(question, messages.EventAccepted)).answer
