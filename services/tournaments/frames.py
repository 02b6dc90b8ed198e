"""Frames of tournaments: what a line says, and what it moved, made once for all who follow the tournament here.

What a line moved is known where the tournament is followed as the line comes. Whoever asks for lines of before gets
them as they are in the log, and is to read standings anew.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, Final, Protocol
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.ids import Version
from domain.log import canonical
from domain.tournaments.field import StageField
from domain.tournaments.record import TournamentAtHead, step
from projections.tournaments.watching.moved import Moved, moved_by
from services.work.single_flight import Once

PAGE: Final = 64
"""Lines read at once."""
KEPT_MAX: Final = 256
"""Frames of a tournament that are kept for those of its readers who are slower."""


class LoggedLines(Protocol):
    """The lines of tournaments."""

    async def lines(self, tournament_id: UUID, after: int, limit: int) -> Sequence[bytes]:
        """Return at most `limit` lines of a tournament behind a version."""


class MadeFrame(Struct, frozen=True):
    """A frame; `last` where none follows."""

    version: Version
    body: bytes
    last: bool


class _Fold(Struct, frozen=True):
    """A tournament as of the last frame that was made, with its standings once a line has concerned them."""

    written: TournamentAtHead
    field: StageField | None = None


class _Followed:
    """A tournament that is followed, with as many of its frames as are kept.

    Attributes:
        readers: How many follow it.
        fold: How far it has come; None once there was a line that is not known here.
    """

    def __init__(self, written: TournamentAtHead) -> None:
        self.readers = 0
        self.version: Version = written.tournament.version
        self.fold: _Fold | None = _Fold(written)
        self.frames = deque[MadeFrame](maxlen=KEPT_MAX)

    async def take(self, lines: Sequence[bytes]) -> None:
        """Make the frames of the next lines, in a thread: standings of a thousand take as long as frames of many."""
        made, self.fold = await asyncio.to_thread(_made, self.fold, lines)
        self.frames += made
        self.version += len(made)


def _made(fold: _Fold | None, lines: Sequence[bytes]) -> tuple[list[MadeFrame], _Fold | None]:
    frames = []
    for line in lines:
        moved, fold = (None, None) if fold is None else _moved(fold, line)
        frames.append(_frame(canonical.decode(line), moved))
    return frames, fold


def _moved(fold: _Fold, line: bytes) -> tuple[Moved | None, _Fold | None]:
    """Return what a line moves, and the tournament after it."""
    try:
        written, _ = step(fold.written, line)
    except Exception:  # noqa: BLE001 - whatever does not follow from the lines before it cannot be folded
        # A program of another version has written it: from here on lines are told as they are.
        return None, None
    moved, field = moved_by(fold.written.tournament, written.tournament, fold.field)
    return moved, _Fold(written, field)


class TournamentFrames:
    """The frames of all tournaments that are followed by readers of this process."""

    def __init__(self, source: LoggedLines) -> None:
        """Read lines from this source."""
        self._source = source
        self._followed: dict[UUID, _Followed] = {}
        self._once = Once()

    @contextmanager
    def followed(self, written: TournamentAtHead, *, plain: bool) -> Iterator[None]:
        """Follow a tournament for a reader who knows it as it is here; a `plain` one has nothing kept.

        The first has it followed from there on, with the last nothing is kept any more.
        """
        tournament_id = written.tournament.id
        if plain:
            yield
            return
        followed = self._followed.setdefault(tournament_id, _Followed(written))
        followed.readers += 1
        try:
            yield
        finally:
            followed.readers -= 1
            if not followed.readers:
                del self._followed[tournament_id]

    async def behind(self, tournament_id: UUID, version: Version, *, plain: bool = False) -> Sequence[MadeFrame]:
        """Return some frames behind a version, none if there is none yet; `plain` ones do not say what moved.

        Raises:
            Unavailable: The log cannot be read.
        """
        followed = self._followed.get(tournament_id)
        if plain or followed is None or version < followed.version - len(followed.frames):
            # A reader who is behind all frames that are kept, by however much, comes nearer by a page.
            return await self._once.get((tournament_id, version), partial(self._plain, tournament_id, version))
        if version >= followed.version:
            await self._once.get(followed, partial(self._go_on, tournament_id, followed))
        return [frame for frame in followed.frames if frame.version > version]

    async def _plain(self, tournament_id: UUID, version: Version) -> Sequence[MadeFrame]:
        lines = await self._source.lines(tournament_id, version, PAGE)
        return [_frame(canonical.decode(line), None) for line in lines]

    async def _go_on(self, tournament_id: UUID, followed: _Followed) -> None:
        lines = await self._source.lines(tournament_id, followed.version, PAGE)
        if lines:
            await followed.take(lines)


def _frame(document: dict[str, Any], moved: Moved | None) -> MadeFrame:
    last = document["type"] == "tournament.closed"
    return MadeFrame(document["seq"] + 1, tournament_frame(document, moved), last)


def tournament_frame(document: dict[str, Any], moved: Moved | None = None) -> bytes:
    """Return a line as readers are told it: its version, its time, what happened, and what it moved if that is known.

    Args:
        document: The line.
        moved: What it moved.
    """
    event = {"type": document["type"], **document["data"]}
    version, at = document["seq"] + 1, document["at"]
    return msgspec.json.encode({"version": version, "at": at, "event": event, "changed": moved})
