"""The site behind the pages, put together from the parts of the program."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.ids import Seat, Version
from domain.match.dues import ready_awaited
from domain.match.ranking import ranking_of
from domain.statistics.uniformity import Statistics
from domain.tournaments.tournament import Place
from infra.store import TOP, Away, Card, RowPlace, Unavailable
from projections.glass import Eyes
from projections.lobby import State
from projections.tournaments.overview import TournamentRow, TournamentState, game_of
from projections.tournaments.pairings import PastPairing
from projections.tournaments.standings import StandingsView
from projections.tournaments.watching.luck import LuckView
from projections.view import View
from services.audit.verdict import Evidence
from services.http.game_cards import GameCard
from services.matches.reads.queries import MatchQueries, UnknownMatch
from services.tournaments.reads import TournamentQueries
from services.tournaments.requests import UnknownTournament
from services.web.tournaments.sites import ShownTournament


class SeenThen(Struct, frozen=True):
    """As much of a frame as a picture shows."""

    view: View


class HouseSite:
    """The pages' view of the house."""

    def __init__(
        self,
        library: MatchQueries,
        report: Callable[[bytes, Evidence], Awaitable[Mapping[str, Any]]],
        games: Sequence[GameCard],
        beacon: str | None = None,
        watching: Callable[[str], int] = lambda _match: 0,
    ) -> None:
        """Show this library; `report` audits a record with what lies beside it, and deals may wait for `beacon`.

        `watching` says how many people watch a match.
        """
        self._watching = watching
        self._library = library
        self._report = report
        self._games: list[dict[str, Any]] = msgspec.to_builtins(games)
        self._beacon = beacon
        self._auditing = asyncio.Semaphore(2)

    async def lobby(
        self, state: State | None, limit: int, before: RowPlace = TOP, game: str | None = None
    ) -> Sequence[dict[str, Any]]:
        """Return at most `limit` rows of the lobby in each state before this place, those that moved last first."""
        rows = await self._library.lobby(state, limit, before, game)
        return [{**row, "watching": self._watching(row["match"])} for row in rows]

    async def view(self, match_id: UUID) -> View | None:
        """Return the match as a spectator sees it; None if there is none."""
        try:
            return await self._library.view(match_id, None)
        except UnknownMatch:
            return None

    async def moment(self, match_id: UUID, version: Version, eyes: Eyes) -> View | None:
        """Return the match as these eyes see it at a version; None if it has not come so far."""
        frames = await self._library.frames_through(match_id, eyes, version - 1, 1)
        return msgspec.json.decode(frames[0], type=SeenThen).view if frames else None

    async def card(self, match_id: UUID) -> Card:
        """Return what the table is called, and whether it is listed."""
        return await self._library.card(match_id)

    async def report(self, match_id: UUID) -> Mapping[str, Any]:
        """Return what an audit of the record finds, with `seen`: who was served which hidden dice."""
        async with self._auditing:
            return await self._report(*await self._library.evidence(match_id))

    async def games(self) -> Sequence[dict[str, Any]]:
        """Return the cards of the games, as the JSON interface does."""
        return self._games

    async def statistics(self) -> Statistics:
        """Return what all dice of the house came to."""
        return await self._library.statistics()

    async def beacon(self) -> str | None:
        """Return the name of the public beacon that deals of this house may wait for."""
        return self._beacon


class HouseTournaments:
    """The pages' view of the tournaments of the house."""

    def __init__(self, queries: TournamentQueries, matches: MatchQueries) -> None:
        """Show the tournaments that these queries find, and how matches of theirs stand."""
        self._queries = queries
        self._matches = matches

    async def tournament(self, tournament_id: UUID) -> ShownTournament | None:
        """Return a tournament as of its last line; None if there is none. Cost: some queries."""
        try:
            cached = await self._queries.load(tournament_id)
        except UnknownTournament:
            return None
        found = cached.tournament
        title = await self._queries.title(tournament_id) or game_of(found)
        return ShownTournament(found, title, await self._queries.names(found), cached.acts)

    async def tournaments(self, state: TournamentState, limit: int, before: RowPlace = TOP) -> Sequence[TournamentRow]:
        """Return at most `limit` rows of the list in a state before this place, those that moved last first."""
        rows = await self._queries.rows(state, limit, before)
        return [msgspec.json.decode(row.doc, type=TournamentRow) for row in rows]

    async def standings(
        self,
        shown: ShownTournament,
        stage: int | None,
        number: int | None,
        group: int | None,
        *,
        explained: bool,
    ) -> StandingsView:
        """Return standings of a tournament as it is shown, the same as the interface gives."""
        return await self._queries.standings(shown.tournament, shown.names, stage, number, group, explained=explained)

    async def luck(self, shown: ShownTournament) -> LuckView:
        """Return how everybody's dice fell out in the rounds that are closed, the same as the interface gives."""
        return await self._queries.luck(shown.tournament, shown.names)

    async def pairings(self, tournament_id: UUID) -> Mapping[Place, tuple[PastPairing, ...]]:
        """Return the pairings of a tournament that stand. Cost: its whole stream, read and folded in a thread."""
        return await self._queries.pairings(tournament_id)

    async def texts(self, tournament_id: UUID) -> Mapping[str, str]:
        """Return by hash what everybody may read beside lines; nothing while nobody can be asked. Cost: a query."""
        try:
            return {each.note: each.body for each in await self._queries.notes(tournament_id)}
        except Unavailable:
            return {}

    async def seen(self, matches: Sequence[str]) -> Mapping[str, View]:
        """Return how matches stand as spectators see them, those that are open. Cost: some queries a match."""
        found: dict[str, View] = {}
        for match in matches:
            with suppress(UnknownMatch, Away):
                found[match] = await self._matches.view(UUID(match), None)
        return found

    async def rankings(self, matches: Sequence[str]) -> Mapping[str, Sequence[Sequence[Seat]]]:
        """Return who would be where if matches ended as they stand, those that are open. Cost: a query a match.

        Places follow from what is settled, and that is no secret.
        """
        found: dict[str, Sequence[Sequence[Seat]]] = {}
        for match in matches:
            with suppress(UnknownMatch, Away):
                found[match] = ranking_of((await self._matches.load_match(UUID(match))).match)
        return found

    async def awaited(self, matches: Sequence[str]) -> Mapping[str, Sequence[Seat]]:
        """Return the seats that have still to say that they are there, of matches that are open. Cost: a query each."""
        found: dict[str, Sequence[Seat]] = {}
        for match in matches:
            with suppress(UnknownMatch, Away):
                found[match] = ready_awaited((await self._matches.load_match(UUID(match))).match) or ()
        return found
