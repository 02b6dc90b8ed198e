"""Queries of tournaments: folds in memory, kept up with the log, the record, and whom a token speaks for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Final
from uuid import UUID

from cachetools import LRUCache
from msgspec.structs import replace

from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.match.record import stream_of as match_stream
from domain.tournaments.boards.board import Board
from domain.tournaments.record import is_tournament, step, stream_of, tournament_of
from domain.tournaments.tournament import Place, Tournament
from infra.measures.slow import SlowCommands
from infra.store import TOP, Card, EventStore, NotedText, ProjectionRow, RowPlace
from projections.tournaments.pairings import PastPairing, pairings_of
from projections.tournaments.people import Names
from projections.tournaments.standings import StandingsView
from projections.tournaments.watching.luck import LuckView, luck_view
from services.matches.reads.cards import CardCache
from services.matches.reads.records import Records
from services.matches.secrets.tokens import Role, digest
from services.matches.secrets.vault import Vault
from services.tournaments.boards import Boards
from services.tournaments.cached import CachedTournament, ShownStandings, fold
from services.tournaments.requests import TournamentBearer, UnknownTournament
from services.tournaments.screening.cases import KeptScreening, kept_from
from services.tournaments.shown.luck import TournamentLuck
from services.tournaments.tables import TableMatch, is_another, open_tables
from services.tournaments.ways.hindrances import Hindrance, Hindrances
from services.work.failures import Stuck, Unreadable, reading

NAME: Final = "tournaments"
"""What the reads of tournaments are called among the works that may get stuck."""
TOURNAMENTS_MAX: Final = 256
"""Folds kept in memory, one of a thousand entrants some megabytes; the rest are read again from the log."""
ROWS: Final = "tournaments"
"""What the list of tournaments is called among the projections."""
ROWS_OF_GAMES: Final = "tournaments_of_games"
"""The same for the lists of each game."""
PAGE: Final = 1_024
ROLES: Final[Mapping[str, Role]] = {"host": "host", "arbiter": "arbiter", "entrant": "entrant"}


class TournamentQueries:
    """Every tournament, by id. Without a vault it knows no lot before it is opened.

    Attributes:
        boards: The boards that their rounds are played with.
    """

    def __init__(
        self, store: EventStore, vault: Vault | None, stuck: Stuck | None = None, slow: SlowCommands | None = None
    ) -> None:
        """Read from this store; `stuck` is told what cannot be read, and `slow` how long commands take."""
        self._slow = slow or SlowCommands()
        self._store = store
        self._vault = vault
        self._stuck = stuck or Stuck()
        self._records = Records(store)
        self._cards = CardCache(store)
        self._shown = ShownStandings()
        self._hindrances = Hindrances()
        self.boards = Boards(store, vault, self._slow)
        self._luck = TournamentLuck(store)
        self._cached: LRUCache[UUID, CachedTournament] = LRUCache(TOURNAMENTS_MAX)

    async def load(self, tournament_id: UUID, at_least: int | None = None) -> CachedTournament:
        """Return a tournament as of the last line in the store. Cost: a query, and a step for each new line.

        With `at_least`, a version the caller has heard of, memory will do if it has come so far.

        Raises:
            UnknownTournament: There is no such tournament.
            Unreadable: This program cannot read it.
        """
        known, stream = self._cached.get(tournament_id), stream_of(tournament_id)
        if known is not None and at_least is not None and known.tournament.version >= at_least:
            return known
        try:
            found = await self._read_on(stream, known)
        except Unreadable as unreadable:
            self._stuck.note(NAME, stream, unreadable)
            raise
        if found is None:
            raise UnknownTournament(str(tournament_id))
        if found is not known:
            found = replace(found, keeper=await self._keeper(found.tournament))
            self._keep(found)
        self._stuck.clear(NAME, stream)
        return found

    async def _read_on(self, stream: str, known: CachedTournament | None) -> CachedTournament | None:
        while True:
            version = 0 if known is None else known.tournament.version
            lines = await self._store.read(stream, version, PAGE)
            known = fold(stream, lines, known) if lines else known
            if len(lines) < PAGE:
                return known

    async def _cached_or_loaded(self, tournament_id: UUID) -> CachedTournament:
        return self._cached.get(tournament_id) or await self.load(tournament_id)

    async def _keeper(self, tournament: Tournament) -> DealSecrets | None:
        if self._vault is None:
            return None
        return await self._vault.keeper_of(stream_of(tournament.id), tournament.ceremony, tournament.drawers)

    def _keep(self, found: CachedTournament) -> None:
        known = self._cached.get(found.tournament.id)
        if known is None or known.tournament.version < found.tournament.version:
            self._cached[found.tournament.id] = found

    async def card(self, tournament_id: UUID) -> Card:
        """Return what a tournament is called, and whether it is listed. Cost: nothing, or a query."""
        return await self._cards.of_stream(stream_of(tournament_id))

    async def title(self, tournament_id: UUID) -> str | None:
        """Return what its host calls a tournament; None where nobody said. Cost: nothing, or a query."""
        return (await self.card(tournament_id)).name

    async def names(self, tournament: Tournament) -> Names:
        """Return what people call the entrants, by number; whose name was erased is not among them. Cost: a query."""
        known = await self._store.names(entrant.player for entrant in tournament.entrants.values())
        return {each.number: known[each.player] for each in tournament.entrants.values() if each.player in known}

    async def luck(self, tournament: Tournament, names: Names) -> LuckView:
        """Return how everybody's dice fell out in the rounds that are closed.

        Cost: a query and a fold for each match that ended since it was asked last.
        """
        return luck_view(tournament, names, await self._luck.rows(tournament))

    async def pairings(self, tournament_id: UUID) -> dict[Place, tuple[PastPairing, ...]]:
        """Return every pairing that stands, with the tournament as it stood when it was made.

        Cost: the whole stream, and a step for each line, in a thread.

        Raises:
            UnknownTournament: There is no such tournament.
            Unreadable: This program cannot read it.
        """
        stream, lines = stream_of(tournament_id), list[bytes]()
        while page := await self._store.read(stream, len(lines), PAGE):
            lines += page
        if not lines:
            raise UnknownTournament(str(tournament_id))
        with reading(stream):
            return await asyncio.to_thread(_pairings_in, lines)

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
        """Return standings of a tournament; of the same version they are made once for all who ask.

        Raises:
            Refused: `not_paired`: there is no such stage, round or group yet.
        """
        return await self._shown.view(tournament, names, stage, number, group, explained=explained)

    async def lines(self, tournament_id: UUID, after: int, limit: int) -> list[bytes]:
        """Return at most `limit` lines of a tournament behind a version, in order."""
        return await self._store.read(stream_of(tournament_id), after, limit)

    async def rows(
        self, state: str, limit: int, before: RowPlace = TOP, game: str | None = None
    ) -> list[ProjectionRow]:
        """Return at most `limit` rows of the list in a state that stand before this place, the latest first.

        With a `game`, by its name, they are of that game alone.
        """
        if game is None:
            return await self._store.projection(ROWS, state, limit, before)
        return await self._store.projection(ROWS_OF_GAMES, shelf_of_game(state, game), limit, before)

    async def own_seeds(self, tournament_id: UUID) -> frozenset[str]:
        """Return the entrants, by their ids, who draw the seeds of their own seats."""
        return await self._store.own_seeds(stream_of(tournament_id))

    async def notes(self, tournament_id: UUID, by: str | None = None) -> list[NotedText]:
        """Return the texts that lines of a tournament name, as far as they were not erased and `by` may read them.

        Officials read all; who has appealed, what was said of that, which nobody else reads; all, what is not marked.

        Raises:
            UnknownTournament: There is no such tournament.
        """
        texts = await self._store.notes(stream_of(tournament_id))
        # Read behind the texts: a crash may have left some that no line names, and nobody could have those erased.
        cached = await self.load(tournament_id)
        tournament = cached.tournament
        if by in tournament.officials:
            return [each for each in texts if each.note in cached.notes]
        own = next((number for number, each in tournament.entrants.items() if each.player == by), None)

        def reads(each: NotedText) -> bool:
            concerns = cached.notes[each.note]
            return not each.restricted if concerns is None else concerns == own

        return [each for each in texts if each.note in cached.notes and reads(each)]

    async def taken_places(self, tournament_id: UUID) -> list[TableMatch]:
        """Return the tables that are not started and whose place a match of somebody else has. Cost: a query each.

        Raises:
            UnknownTournament: There is no such tournament.
        """
        tournament = (await self.load(tournament_id)).tournament
        waiting = [at for at in open_tables(tournament) if not at.table.started]
        first = [await self._store.read(match_stream(at.id), 0, 1) for at in waiting]
        return [at for at, lines in zip(waiting, first, strict=True) if lines and is_another(lines[0], tournament, at)]

    async def hindrance(self, tournament_id: UUID) -> Hindrance | None:
        """Return what keeps the next round of a tournament from being paired; None where nothing does.

        Raises:
            UnknownTournament: There is no such tournament.
        """
        return await self._hindrances.of((await self.load(tournament_id)).tournament)

    async def screening(self, tournament_id: UUID, by: str) -> KeptScreening | None:
        """Return what came of screening a tournament, for an official; None before. Cost: a query.

        Raises:
            Refused: `not_an_official`.
        """
        body = await self.kept_screening(tournament_id, by)
        return None if body is None else kept_from(body)

    async def kept_screening(self, tournament_id: UUID, by: str) -> bytes | None:
        """Return the same as it is kept.

        Raises:
            Refused: `not_an_official`.
        """
        if by not in (await self.load(tournament_id, 0)).tournament.officials:
            raise Refused("not_an_official")
        found = await self._store.screening(stream_of(tournament_id))
        return None if found is None else found.body

    async def record(self, tournament_id: UUID) -> bytes:
        """Return the record file (CUP/1 section 4.10), the same bytes every time once it is closed and logged.

        Raises:
            UnknownTournament: There is no such tournament.
        """
        found = await self._records.record(stream_of(tournament_id))
        if found is None:
            raise UnknownTournament(str(tournament_id))
        return found

    async def board(self, board_id: UUID) -> Board:
        """Return a board as of its last line. Cost: a query, and a step for each new line.

        Raises:
            UnknownBoard: There is no such board.
            Unreadable: This program cannot read it.
        """
        return (await self.boards.load(board_id)).board

    async def drawer_by(self, token: str) -> str | None:
        """Return who shows a token, of an entrant or of a seat, and may draw for boards. Cost: a query."""
        found = await self._store.token(digest(token))
        return None if found is None else found.player

    async def board_record(self, board_id: UUID) -> bytes:
        """Return the record file of a board, like that of a match.

        Raises:
            UnknownBoard: There is no such board.
        """
        return await self.boards.record(board_id)

    async def open_streams(self) -> list[str]:
        """Return the streams of the tournaments that have begun and not ended.

        Raises:
            Away: One of several databases does not answer; with the streams at the others.
        """
        return await self._store.streams_open("tournament")

    async def bearer(self, token: str) -> TournamentBearer | None:
        """Return who a token speaks for in a tournament, if anybody. Cost: a query."""
        found = await self._store.token(digest(token))
        if found is None or not is_tournament(found.stream) or found.player is None:
            return None
        return TournamentBearer(tournament_of(found.stream), ROLES[found.role], found.player, found.seat)


def shelf_of_game(state: str, game: str) -> str:
    """Return where tournaments of a game stand that are in a state."""
    return f"{state}/{game}"


def _pairings_in(lines: Sequence[bytes]) -> dict[Place, tuple[PastPairing, ...]]:
    created, _ = step(None, lines[0])
    written, happened = created, []
    for line in lines[1:]:
        written, event = step(written, line)
        happened.append((event, written.tournament.at))
    return pairings_of(created.tournament, happened)
