"""Streams of tournaments: a snapshot, then every line as it comes with what it moved, to any number of readers.

The bus only says how far a tournament has come; lines are read from the log, once for all who wait for the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import Final, Literal, Protocol
from uuid import UUID

import msgspec
import structlog
from msgspec import Struct

from domain.ids import Version
from domain.tournaments.tournament import Tournament
from infra.feed import Feed
from infra.store import Unavailable
from projections.tournaments.overview import TournamentView, tournament_view
from projections.tournaments.people import Names
from services.tournaments.cached import CachedTournament
from services.tournaments.frames import MadeFrame, TournamentFrames
from services.work.wakeups import Broadcast

QUIET_S: Final = 5.0
"""How long readers wait for the bus before they look at the log."""
AWAY_S: Final = 0.5
"""The same while the bus cannot be reached, or the log cannot be read."""

log = structlog.get_logger(__name__)


class StreamedLine(Struct, frozen=True):
    """One thing a stream says; `body` is one JSON document on one line, empty for a beat."""

    kind: Literal["snapshot", "frame", "ended", "bye", "beat"]
    version: Version | None
    body: bytes


class TournamentLines(Protocol):
    """The tournaments as the log has them."""

    async def load(self, tournament_id: UUID, at_least: int | None = None) -> CachedTournament:
        """Return a tournament as of its last line."""

    async def lines(self, tournament_id: UUID, after: int, limit: int) -> Sequence[bytes]:
        """Return at most `limit` lines of a tournament behind a version."""

    async def title(self, tournament_id: UUID) -> str | None:
        """Return what its host calls a tournament."""

    async def names(self, tournament: Tournament) -> Names:
        """Return what people call the entrants, by number."""


class _Reader:
    """A reader of a tournament: up to which version it has been told, and how far that has come as the bus says."""

    def __init__(self) -> None:
        self.version = 0
        self.ended = False
        self.told = 0
        self.grown = Broadcast()

    def on_version(self, version: Version, _body: bytes) -> None:
        """Note that the tournament has this version."""
        self.told = max(self.told, version)
        self.grown.ring()


class TournamentStreams:
    """Every stream of tournaments of this process."""

    def __init__(self, source: TournamentLines, feed: Feed, quiet_s: float = QUIET_S) -> None:
        """Read lines from this source when the feed says that there are some, or after so many seconds."""
        self._source = source
        self._feed = feed
        self._quiet_s = quiet_s
        self._frames = TournamentFrames(source)
        self._readers: set[_Reader] = set()
        self._closed = False

    async def stream(
        self, tournament_id: UUID, after: int | None, over: asyncio.Future[None], beat_s: float, *, plain: bool = False
    ) -> AsyncGenerator[StreamedLine, None]:
        """Yield a snapshot, then every line behind version `after`, or behind the snapshot, then how it ended.

        What comes last is `ended` with the tournament, or `bye` with the process, or when the reader is asked to leave
        (`over`). In a silence there is a `beat` every so many seconds. With `plain` no line says what it moved.

        Raises:
            UnknownTournament, Unavailable, Unreadable: Before anything is yielded.
        """
        reader = _Reader()
        listening = await self._feed.listen(str(tournament_id), None, reader.on_version)
        self._readers.add(reader)
        try:
            found = await self._source.load(tournament_id)
            view = await self._view(found)
            with self._frames.followed(found.written, plain=plain):
                yield StreamedLine("snapshot", view.version, msgspec.json.encode({"snapshot": view}))
                reader.version = view.version if after is None else after
                reader.ended = view.phase == "closed" and reader.version >= view.version
                async with aclosing(self._follow(tournament_id, reader, over, beat_s, plain=plain)) as lines:
                    async for line in lines:
                        yield line
            kind: Literal["ended", "bye"] = "ended" if reader.ended else "bye"
            yield StreamedLine(kind, reader.version, msgspec.json.encode({kind: reader.version}))
        finally:
            self._readers.discard(reader)
            with suppress(Unavailable):
                await listening.stop()

    async def _view(self, found: CachedTournament) -> TournamentView:
        title, names = await self._source.title(found.tournament.id), await self._source.names(found.tournament)
        return tournament_view(found.tournament, names, title, found.written.head)

    async def _follow(
        self, tournament_id: UUID, reader: _Reader, over: asyncio.Future[None], beat_s: float, *, plain: bool
    ) -> AsyncGenerator[StreamedLine, None]:
        """Yield lines as they come, and beats in a silence, until it has ended or the reader is to leave."""
        clock = asyncio.get_running_loop().time
        spoke_at = clock()
        while not (reader.ended or self._closed or over.done()):
            for frame in await self._frames_behind(tournament_id, reader.version, plain=plain):
                spoke_at = clock()
                reader.version, reader.ended = frame.version, frame.last
                yield StreamedLine("frame", frame.version, frame.body)
            if reader.ended or reader.told > reader.version:
                continue
            patience = self._quiet_s if self._feed.connected else AWAY_S
            await reader.grown.wait(over, max(0.0, min(patience, spoke_at + beat_s - clock())))
            if clock() >= spoke_at + beat_s:
                spoke_at = clock()
                yield StreamedLine("beat", None, b"")

    async def _frames_behind(self, tournament_id: UUID, version: Version, *, plain: bool) -> Sequence[MadeFrame]:
        try:
            return await self._frames.behind(tournament_id, version, plain=plain)
        except Unavailable as trouble:
            # A stream outlives the database's absence; its reader is told nothing new until it is back.
            log.warning("tournament.streams_wait", why=str(trouble))
            await asyncio.sleep(AWAY_S)
            return ()

    def close(self) -> None:
        """Let every stream say bye and end at once."""
        self._closed = True
        for reader in self._readers:
            reader.grown.ring()
