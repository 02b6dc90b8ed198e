"""The dealer's desk for tournaments: what nodes ask that take no commands, decided for the tokens they show.

The law of the file is that of `desk`. A command that reaches it names whoever bears the token, and nothing is taken of
it that only the house knows: no chance, no hash of a text, no id of a person. Names are held to
their law here as well: who asks may have looked at none.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final
from uuid import UUID

from domain import commands as of_lots
from domain.tournaments import commands
from domain.tournaments.tournament import Tournament
from infra.store import Card
from services.dealer.handoff import event_messages as messages
from services.dealer.handoff.envelopes import Reply
from services.dealer.handoff.season_desk import SeasonDesk
from services.matches.chance import NO_CHANCE
from services.matches.naming.lawful import check_bot, lawful
from services.matches.requests import ANONYMOUS, CommandMetadata, scope_of
from services.matches.tables.event_tables import SeatAtTable, SitsAtTable
from services.tournaments.handler import TournamentHandler
from services.tournaments.requests import Beside, BoardAnswer, TournamentAnswer, TournamentBearer, UnknownBoard
from services.tournaments.seasons import host_by_season
from services.tournaments.tables import check_sits

OF_THE_HOUSE: Final = (commands.Register, commands.Appoint, commands.Record, commands.StartRound)
"""Commands with ids that only the house makes, or with what only the director knows."""

ShowsToken = messages.AskBotEntry | messages.AskAppointment | messages.AskEvent
SeatsOfEvents = Callable[[UUID, int, str, SitsAtTable | None], Awaitable[SeatAtTable | None]]


class NotOfBearer(Exception):  # noqa: N818 - named for what happened
    """The token does not speak for whom the question is about: the node that asked has not looked, or lies."""


class EventDesk:
    """Answers with what these tournaments say, and with what the matches of their tables are played with."""

    def __init__(self, tournaments: TournamentHandler, seat_at: SeatsOfEvents, beyond: SeasonDesk) -> None:
        """Ask these; whose tokens of seasons and players are, `beyond` knows."""
        self._tournaments, self._beyond = tournaments, beyond
        self._seat_at = seat_at

    async def reply(self, question: messages.AnyEventQuestion) -> Reply:
        """Return the answer.

        Raises:
            BadName, NotOfBearer, NotOfPerson, Refused, VersionPassed, KeyUsed, UnknownTournament, UnknownSeason,
                Unreadable, Unavailable.
        """
        match question:
            case messages.AskEventBearer(token):
                return messages.EventSpeaksFor(await self._tournaments.bearer(token))
            case messages.AskNotes(tournament_id, token):
                by = None if token is None else (await self._bearer(token, tournament_id)).by
                return messages.NotesRead(await self._tournaments.notes(tournament_id, by))
            case messages.AskErasure(token, tournament_id, note):
                by = (await self._bearer(token, tournament_id)).by
                return messages.NoteErased(await self._tournaments.erase_note(tournament_id, note, by))
            case messages.AskCases(token, tournament_id):
                by = (await self._bearer(token, tournament_id)).by
                return messages.CasesRead(await self._tournaments.kept_screening(tournament_id, by))
            case messages.AskSeatAt():
                return messages.SeatTold(await self._seat(question))
            case messages.AskDrawer(token):
                return messages.DrawerTold(await self._tournaments.drawer_by(token))
            case messages.AskBoardSeed():
                return messages.BoardAccepted(await self._give_seed(question))
            case _:
                return messages.EventAccepted(await self._do(question))

    async def _seat(self, question: messages.AskSeatAt) -> SeatAtTable | None:
        bearer = await self._tournaments.bearer(question.token)
        if bearer is None:
            return None
        if question.sits is not None:
            tournament = (await self._tournaments.load(bearer.tournament)).tournament
            check_sits(tournament, question.match, question.seat, bearer.by, question.sits.key)
        return await self._seat_at(question.match, question.seat, bearer.by, question.sits)

    async def _do(self, question: messages.AskAnnounce | messages.AskEntry | ShowsToken) -> TournamentAnswer:
        if isinstance(question, messages.AskAnnounce):
            card = Card(None if question.title is None else lawful(question.title), not question.private)
            season = await self._beyond.host_of(question.season)
            return await self._tournaments.create(question.rules, question.asked.ask(ANONYMOUS), card, season)
        if isinstance(question, messages.AskEntry):
            return await self._enter(question)
        of = self._appointer if isinstance(question, messages.AskAppointment) else self._bearer
        bearer = await of(question.token, question.tournament)
        ask = question.asked.ask(scope_of(question.token))
        match question:
            case messages.AskBotEntry(manner=manner, name=name):
                check_bot(manner, name)
                return await self._tournaments.register_bot(question.tournament, bearer.by, manner, name, ask)
            case messages.AskAppointment(role=role):
                return await self._tournaments.appoint(question.tournament, bearer.by, role, ask)
            case messages.AskEvent():
                return await self._submit(question, bearer, ask)

    async def _enter(self, question: messages.AskEntry) -> TournamentAnswer:
        by, scope = None, ANONYMOUS
        if question.token is not None:
            by, scope = (await self._bearer(question.token, question.tournament)).by, scope_of(question.token)
        ask = question.asked.ask(scope)
        person, called = await self._beyond.person_of(question.person)
        if (question.name is None) is (person is None):
            raise NotOfBearer
        name = called if question.name is None else lawful(question.name)
        return await self._tournaments.register(
            question.tournament, by, name, ask, question.club, question.custody, person, question.seed
        )

    async def _submit(
        self, question: messages.AskEvent, bearer: TournamentBearer, ask: CommandMetadata
    ) -> TournamentAnswer:
        command, tournament = question.command, (await self._tournaments.load(question.tournament, 0)).tournament
        if not may_ask_of_tournament(bearer, command, tournament):
            raise NotOfBearer
        if isinstance(command, commands.Proceed):
            command = type(command)(by=bearer.by, chance=NO_CHANCE)
        beside = Beside(note=question.text, restricted=question.restricted)
        return await self._tournaments.submit(question.tournament, command, ask, beside)

    async def _give_seed(self, question: messages.AskBoardSeed) -> BoardAnswer:
        player = await self._tournaments.drawer_by(question.token)
        try:
            drawer = (await self._tournaments.board(question.board)).drawers.get(question.command.seat)
        except UnknownBoard:
            raise NotOfBearer from None
        if drawer is None or drawer.player != player:
            raise NotOfBearer
        ask = question.asked.ask(scope_of(question.token))
        return await self._tournaments.give_seed(question.board, question.command, ask)

    async def _appointer(self, token: str, tournament_id: UUID) -> TournamentBearer:
        season = await self._beyond.host_of(token)
        if season is None:
            return await self._bearer(token, tournament_id)
        host = host_by_season(season, (await self._tournaments.load(tournament_id)).tournament)
        if host is None:
            raise NotOfBearer
        return host

    async def _bearer(self, token: str, tournament_id: UUID) -> TournamentBearer:
        bearer = await self._tournaments.bearer(token)
        if bearer is None or bearer.tournament != tournament_id:
            raise NotOfBearer
        return bearer


def may_ask_of_tournament(bearer: TournamentBearer, command: commands.AnyCommand, tournament: Tournament) -> bool:
    """Report whether this is a command of whom the token speaks for, as nodes may ask for it."""
    if isinstance(command, of_lots.CommitSeed | of_lots.OpenSeed):
        drawer = tournament.drawers.get(command.seat)
        return drawer is not None and drawer.player == bearer.by
    if not isinstance(command, commands.TournamentCommand) or isinstance(command, OF_THE_HOUSE):
        return False
    return command.by == bearer.by and getattr(command, "note", None) is None
