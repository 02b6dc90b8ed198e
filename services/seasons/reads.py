"""Queries of seasons: folds in memory, kept up with the log, the record, names of members, and who is the host."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from cachetools import LRUCache

from domain.seasons.members import is_player, member_of
from domain.seasons.record import SeasonAtHead, is_season, season_of, step_season, stream_of_season
from domain.seasons.season import Season
from domain.tournaments.record import stream_of
from infra.store import EventStore
from services.matches.reads.cards import CardCache
from services.matches.reads.records import Records
from services.matches.secrets.tokens import digest
from services.seasons.requests import UnknownSeason
from services.work.failures import Unreadable

SEASONS_MAX: Final = 64
"""Folds kept in memory, one of a thousand players some megabytes; the rest are read again from the log."""
PAGE: Final = 256
TITLES_MAX: Final = 50
"""Tournaments of a season that are told by their titles: each may be a query."""


class SeasonQueries:
    """Every season, by id."""

    def __init__(self, store: EventStore) -> None:
        """Read from this store."""
        self._store = store
        self._records = Records(store)
        self._cards = CardCache(store)
        self._cached: LRUCache[UUID, SeasonAtHead] = LRUCache(SEASONS_MAX)

    async def load(self, season_id: UUID) -> SeasonAtHead:
        """Return a season as of the last line in the store. Cost: a query, and a step for each new line.

        Raises:
            UnknownSeason: There is no such season.
            Unreadable: This program cannot read it.
        """
        stream, written = stream_of_season(season_id), self._cached.get(season_id)
        while True:
            version = 0 if written is None else written.season.version
            lines = await self._store.read(stream, version, PAGE)
            for line in lines:
                written = _step(stream, written, line)
            if len(lines) < PAGE:
                break
        if written is None:
            raise UnknownSeason(str(season_id))
        self._cached[season_id] = written
        return written

    async def title(self, season_id: UUID) -> str | None:
        """Return what its host calls a season; None where nobody said. Cost: nothing, or a query."""
        return (await self._cards.of_stream(stream_of_season(season_id))).name

    async def titles(self, season: Season) -> dict[str, str]:
        """Return what hosts call the tournaments of a season that were announced last and stand in a list, by id.

        Cost: nothing, or a query each.
        """
        cards = {each: await self._cards.of_stream(stream_of(UUID(each))) for each in season.admitted[-TITLES_MAX:]}
        return {each: card.name for each, card in cards.items() if card.name is not None and card.listed}

    async def names(self, season: Season) -> dict[str, str]:
        """Return what members are called who are players; whose name was erased is not among them. Cost: a query."""
        return await self._store.names(filter(is_player, season.members))

    async def rating(self, season_id: str | None, player: str) -> tuple[int, int] | None:
        """Return (mu, sigma) of an entrant in a season, in millionths; None for who has none, or without a season."""
        member = member_of(player)
        if season_id is None or member is None:
            return None
        rated = (await self.load(UUID(season_id))).season.ratings.get(member)
        return None if rated is None else rated[:2]

    async def record(self, season_id: UUID) -> bytes:
        """Return the record file (CUP/1 section 4.10).

        Raises:
            UnknownSeason: There is no such season.
        """
        found = await self._records.record(stream_of_season(season_id))
        if found is None:
            raise UnknownSeason(str(season_id))
        return found

    async def open_seasons(self) -> list[UUID]:
        """Return the seasons that have begun and not ended."""
        return [season_of(stream) for stream in await self._store.streams_open("season")]

    async def host_of(self, token: str) -> UUID | None:
        """Return the season whose host has this token; None if there is none. Cost: a query."""
        found = await self._store.token(digest(token))
        return season_of(found.stream) if found is not None and is_season(found.stream) else None


def _step(stream: str, written: SeasonAtHead | None, line: bytes) -> SeasonAtHead:
    try:
        found = step_season(written, line)
        assert stream_of_season(found.season.id) == stream, "it says that it is another"
    except Exception as fault:
        raise Unreadable(stream, line) from fault
    return found
