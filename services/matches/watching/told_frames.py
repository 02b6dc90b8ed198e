"""Told frames: what is said of matches while they are played, made once for all who follow.

A frame is a function of the lines of a match up to its version (`projections.casting.caster`), so it is good for ever,
whoever reads it and in whatever language.
"""

from __future__ import annotations

from functools import partial
from typing import Final
from uuid import UUID

from cachetools import LRUCache
from msgspec import UNSET

from domain.ids import RoundNumber, Version
from domain.match.evolve import Match
from domain.match.record import stream_of
from projections.casting.caster import CLOSING, CasterFrame, Step, caster_frame, closed_by, read_with, readings
from projections.casting.reads import PublicReading, moment_of
from services.live.worths import Overtaken, Worths
from services.matches.watching.delays import Steps
from services.matches.watching.telling import Telling, written
from services.work.single_flight import Once
from services.work.slices import Pace

PAGE: Final = 64
"""Lines read at once on the way back to where a round opened."""
READINGS_MAX: Final = 1_024
"""Versions at which it is known what was read of a match; one shares nearly all with the one before it."""
FRAMES_MAX: Final = 4_096
"""Frames kept, of all matches, some 2 kB each."""


class ToldFrames:
    """What is said of the matches that somebody follows."""

    def __init__(self, history: Steps, pace: Pace, worths: Worths, frames_max: int = FRAMES_MAX) -> None:
        """Make frames of matches as they were in this history, at this pace, and keep so many of them at most.

        Args:
            history: The matches.
            pace: At which moves are read.
            worths: What works out what a match is worth.
            frames_max: How many frames are kept.
        """
        self._history = history
        self._pace = pace
        self._worths = worths
        self._readings: LRUCache[tuple[UUID, Version], tuple[PublicReading, Match]] = LRUCache(READINGS_MAX)
        self._once = Once()
        self._kept: LRUCache[tuple[UUID, Version], CasterFrame] = LRUCache(frames_max)
        self._written: LRUCache[tuple[UUID, Version, Telling], bytes] = LRUCache(frames_max)

    async def frames(self, match_id: UUID, after: Version, upto: Version, telling: Telling) -> list[bytes]:
        """Return the frames above a version up to another, which the match has.

        Cost: those that are not kept; with the channel `late`, for one that closes a round the steps of that round.
        """
        return [await self._frame(match_id, version, telling) for version in range(after + 1, upto + 1)]

    async def _frame(self, match_id: UUID, version: Version, telling: Telling) -> bytes:
        body = self._written.get((match_id, version, telling))
        if body is not None:
            return body
        frame = self._kept.get((match_id, version))
        if frame is None:
            frame = await self._once.get((match_id, version), partial(self._make, match_id, version))
        is_final = True
        if "reads" in telling.channels:
            read = await self._once.get((match_id, "reads", version), partial(self._read, match_id, frame))
            frame, is_final = read
        body = written(frame, telling)
        if is_final:
            self._written[match_id, version, telling] = body
        return body

    async def _read(self, match_id: UUID, frame: CasterFrame) -> tuple[CasterFrame, bool]:
        """Return a frame with what moves say, and whether it is told so to everybody from now on.

        Cost: the moves behind the last version at which somebody asked.
        """
        at = next((at for at in range(frame.version, 0, -1) if (match_id, at) in self._readings), 0)
        reading, match = self._readings[match_id, at] if at else (PublicReading(), None)
        while at < frame.version:
            steps = await self._history.steps(stream_of(match_id), at, min(PAGE, frame.version - at))
            found = await self._pace.collect(readings(steps, match, reading))
            reading, match, at = found[-1], steps[-1][0].match, at + len(steps)
            self._readings[match_id, at] = reading, match
        assert match is not None, "a frame has a version"
        moment = moment_of(reading, match)
        try:
            equity = None if moment is None else await self._worths(match_id, moment)
        except Overtaken:
            # Whoever asks for it later, when nobody else does, is told what the match was worth.
            return read_with(frame, reading, match, UNSET), False
        return read_with(frame, reading, match, UNSET if equity is None else equity), True

    async def _make(self, match_id: UUID, version: Version) -> CasterFrame:
        stream = stream_of(match_id)
        ((written_then, event),) = await self._history.steps(stream, version - 1, 1)
        frame = caster_frame(written_then, event)
        if isinstance(event, CLOSING) and written_then.match.table is not None:
            frame = closed_by(frame, await self._round(stream, version, written_then.match.table.round_number))
        self._kept[match_id, version] = frame
        return frame

    async def _round(self, stream: str, version: Version, number: RoundNumber) -> list[Step]:
        """Return the lines up to a version, from before the one that opened its round."""
        found: list[Step] = []
        while (after := version - len(found)) and not _is_before(found, number):
            count = min(PAGE, after)
            found = [*await self._history.steps(stream, after - count, count), *found]
        return found


def _is_before(found: list[Step], number: RoundNumber) -> bool:
    """Report whether the first of some lines stands before a round."""
    return bool(found) and ((table := found[0][0].match.table) is None or table.round_number < number)
