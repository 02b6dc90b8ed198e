"""The ports of tournaments, seasons and players: what the interface needs, for nodes that take commands, and others."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any, Literal, NoReturn, Protocol
from uuid import UUID

from domain.commentary.events import WithdrawalReason
from domain.ids import Seat, Version
from domain.seasons.record import SeasonAtHead
from domain.seasons.season import Season
from domain.tournaments import commands
from domain.tournaments.boards.board import Board
from domain.tournaments.boards.decide import OfDrawer
from domain.tournaments.tournament import Place, Tournament
from infra.store import TOP, Card, NotedText, ProjectionRow, RowPlace, Unavailable
from infra.store.comments import Writers
from projections.commentary.comments import CommentView, ExportedLine
from projections.tournaments.pairings import PastPairing
from projections.tournaments.people import Names
from projections.tournaments.standings import StandingsView
from projections.tournaments.watching.luck import LuckView
from services.commentary.requests import CommentAnswer, CommentWriter, SaidComment
from services.matches.reads.cards import PLAIN
from services.matches.requests import CommandMetadata
from services.matches.tables.event_tables import SeatAtTable, SitsAtTable
from services.seasons.requests import PlayerAnswer, SeasonAnswer
from services.tournaments.cached import CachedTournament
from services.tournaments.requests import NOTHING, Beside, BoardAnswer, TournamentAnswer, TournamentBearer
from services.tournaments.screening.cases import KeptScreening
from services.tournaments.streams import StreamedLine
from services.tournaments.tables import TableMatch
from services.tournaments.ways.hindrances import Hindrance
from services.tournaments.ways.lists import Custody, EntryRow
from services.webhooks.hooks import HookMade, HookOrder, HookTrial, HookView


class TournamentPort(Protocol):
    """The tournaments of the house."""

    async def create(
        self, rules: dict[str, Any], ask: CommandMetadata, card: Card = PLAIN, season: UUID | None = None
    ) -> TournamentAnswer:
        """Announce a tournament, perhaps for the season whose host asks; the answer holds its host's token."""

    async def appoint(
        self, tournament_id: UUID, by: str, role: Literal["host", "arbiter"], ask: CommandMetadata
    ) -> TournamentAnswer:
        """Give somebody powers; the answer holds the token they are had with."""

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
        """Enter a guest, or a player by the own id; the answer holds the entrant's token."""

    async def register_all(
        self, tournament_id: UUID, by: str, rows: Sequence[EntryRow], ask: CommandMetadata
    ) -> TournamentAnswer:
        """Enter everybody of a list, or nobody; the answer holds a token for each."""

    async def register_bot(
        self, tournament_id: UUID, by: str, manner: str, name: str, ask: CommandMetadata
    ) -> TournamentAnswer:
        """Enter a bot of the house."""

    async def submit(
        self, tournament_id: UUID, command: commands.AnyCommand, ask: CommandMetadata, beside: Beside = NOTHING
    ) -> TournamentAnswer:
        """Decide a command and store what it leads to."""

    async def answered(self, tournament_id: UUID, ask: CommandMetadata) -> TournamentAnswer | None:
        """Return what a command was answered, if it was stored."""

    async def load(self, tournament_id: UUID, at_least: int | None = None) -> CachedTournament:
        """Return a tournament as of its last line."""

    async def lines(self, tournament_id: UUID, after: int, limit: int) -> Sequence[bytes]:
        """Return at most `limit` lines of a tournament behind a version."""

    async def card(self, tournament_id: UUID) -> Card:
        """Return what a tournament is called, and whether it is listed."""

    async def title(self, tournament_id: UUID) -> str | None:
        """Return what its host calls a tournament; None where nobody said."""

    async def names(self, tournament: Tournament) -> Names:
        """Return what people call the entrants, by number."""

    async def standings(
        self,
        tournament: Tournament,
        names: Names,
        stage: int | None = None,
        number: int | None = None,
        group: int | None = None,
        *,
        explained: bool = False,
    ) -> StandingsView:
        """Return standings of a tournament."""

    async def luck(self, tournament: Tournament, names: Names) -> LuckView:
        """Return how everybody's dice fell out in the rounds that are closed."""

    async def pairings(self, tournament_id: UUID) -> dict[Place, tuple[PastPairing, ...]]:
        """Return every pairing that stands, with the tournament as it stood when it was made."""

    async def notes(self, tournament_id: UUID, by: str | None = None) -> list[NotedText]:
        """Return the texts that lines of a tournament name, as far as this person may read them."""

    async def erase_note(self, tournament_id: UUID, note: str, by: str) -> bool:
        """Erase a text that a line names, as an official asks, and report whether there was one."""

    async def hindrance(self, tournament_id: UUID) -> Hindrance | None:
        """Return what keeps the next round from being paired."""

    async def taken_places(self, tournament_id: UUID) -> list[TableMatch]:
        """Return the tables that are not started and whose place a match of somebody else has."""

    async def board(self, board_id: UUID) -> Board:
        """Return a board as of its last line."""

    async def drawer_by(self, token: str) -> str | None:
        """Return who shows a token, of an entrant or of a seat, and may draw for boards."""

    async def give_seed(self, board_id: UUID, command: OfDrawer, ask: CommandMetadata) -> BoardAnswer:
        """Take what somebody who draws for a board gives to its deal."""

    async def board_record(self, board_id: UUID) -> bytes:
        """Return the record file of a board."""

    async def screening(self, tournament_id: UUID, by: str) -> KeptScreening | None:
        """Return what came of screening a tournament, for an official; None before."""

    async def record(self, tournament_id: UUID) -> bytes:
        """Return the record file."""

    async def rows(
        self, state: str, limit: int, before: RowPlace = TOP, game: str | None = None
    ) -> list[ProjectionRow]:
        """Return rows of the list of tournaments, or of those of a game."""

    async def bearer(self, token: str) -> TournamentBearer | None:
        """Return who a token speaks for in a tournament, if anybody."""


class TournamentStreamPort(Protocol):
    """The lines of tournaments, as they come."""

    def stream(
        self, tournament_id: UUID, after: int | None, over: asyncio.Future[None], beat_s: float, *, plain: bool = False
    ) -> AsyncGenerator[StreamedLine, None]:
        """Yield a snapshot, then every line behind a version with what it moved unless `plain`, then how it ended."""


class SeatsAtTables(Protocol):
    """The matches of tables, for whoever sits there."""

    async def seat_at(
        self, match_id: UUID, seat: Seat, player: str, sits: SitsAtTable | None = None
    ) -> SeatAtTable | None:
        """Return what the player of a seat plays with; None where the match is not open, or the seat is not theirs.

        With `sits`, a seat that was kept is taken first.
        """


class WebhookPort(Protocol):
    """The webhooks of tournaments."""

    async def make(self, tournament_id: UUID, order: HookOrder, ask: CommandMetadata, version: Version) -> HookMade:
        """Make a hook that is told of what comes behind this version."""

    async def all_of(self, tournament_id: UUID) -> list[HookView]:
        """Return the hooks of a tournament."""

    async def drop(self, tournament_id: UUID, hook_id: UUID) -> None:
        """Forget a hook."""

    async def trial(self, tournament_id: UUID, hook_id: UUID, version: Version) -> HookTrial:
        """Send a message that says nothing, once."""


class SeasonPort(Protocol):
    """The seasons of the house."""

    async def create(self, game: str, rules: dict[str, Any], ask: CommandMetadata, card: Card = PLAIN) -> SeasonAnswer:
        """Begin a season; the answer holds its host's token."""

    async def close(self, season_id: UUID, ask: CommandMetadata) -> SeasonAnswer:
        """End a season."""

    async def load(self, season_id: UUID) -> SeasonAtHead:
        """Return a season as of its last line."""

    async def title(self, season_id: UUID) -> str | None:
        """Return what its host calls a season; None where nobody said."""

    async def titles(self, season: Season) -> dict[str, str]:
        """Return what hosts call tournaments of a season, by id, as far as these stand in a list."""

    async def names(self, season: Season) -> dict[str, str]:
        """Return what members are called, by id."""

    async def record(self, season_id: UUID) -> bytes:
        """Return the record file."""

    async def host_of(self, token: str) -> UUID | None:
        """Return the season whose host has this token, if there is one."""


class PlayerPort(Protocol):
    """The players of the house."""

    async def create(self, name: str, ask: CommandMetadata) -> PlayerAnswer:
        """Make a player known; the answer holds the token."""

    async def player_of(self, token: str) -> str | None:
        """Return whose token this is, if it counts."""

    async def renew(self, token: str, ask: CommandMetadata) -> PlayerAnswer | None:
        """Return another token for the player of this one, which counts no more."""

    async def erase(self, player: str) -> None:
        """Erase what a player is called, and which tournaments the player has entered."""

    async def name(self, player: str) -> str | None:
        """Return what a player is called; None if that was erased."""

    async def entries(self, player: str) -> list[UUID]:
        """Return the tournaments that a player entered, or was about to."""


class CommentPort(Protocol):
    """What people say about matches."""

    async def writer_of(self, match_id: UUID, token: str) -> CommentWriter | None:
        """Return who shows a token; None if it is nobody's."""

    async def comments(
        self, match_id: UUID, reader: str | None = None, after: str = "", limit: int | None = None
    ) -> list[CommentView]:
        """Return the comments behind an id that an author, or whoever is none, may read by now."""

    async def export(self, match_id: UUID) -> list[ExportedLine]:
        """Return the lines that may be read by everybody, with the words that they name."""

    async def writers(self, match_id: UUID) -> tuple[Writers, dict[str, str]]:
        """Return who may write besides hosts, and what these are called."""

    async def make(self, match_id: UUID, token: str, said: SaidComment, ask: CommandMetadata) -> CommentAnswer:
        """Say something about a match."""

    async def replace(
        self, match_id: UUID, token: str, comment: UUID, text: str, ask: CommandMetadata
    ) -> CommentAnswer:
        """Say something else instead."""

    async def withdraw(
        self, match_id: UUID, token: str, comment: UUID, reason: WithdrawalReason, ask: CommandMetadata
    ) -> CommentAnswer:
        """Take a comment back."""

    async def let_write(self, match_id: UUID, token: str, writers: Writers) -> None:
        """Let these write about a match besides its hosts, and nobody else."""


class NoTournaments:
    """A house that holds none here: nothing is found, and nothing is taken."""

    def __getattr__(self, name: str) -> NoReturn:
        """Have nothing."""
        raise Unavailable(f"tournaments are held by other nodes of this house: no {name} here")
