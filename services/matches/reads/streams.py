"""The streams of live matches: a snapshot, then every frame after it, to any number of readers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from math import inf
from typing import Final, Literal
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.ids import Version
from infra.feed import Feed
from services.matches.audience import Audience
from services.matches.reads.frame_buffer import FrameBuffer, FrameSource, StreamItem, Wait, WaitPolicy
from services.matches.reads.queries import Viewer
from services.work.failures import Unreadable


class Beat(Struct, frozen=True):
    """That there is nothing to say."""

    kind: Literal["beat"] = "beat"
    version: None = None
    body: bytes = b""


BEAT: Final = Beat()
WaitOf = Callable[[UUID], Awaitable[Wait | None]]
"""Returns the wait of a match whose spectators see it late; None for any other."""


class Spoken(Struct, frozen=True):
    """What a seat says, for whoever wants to hear it."""

    body: bytes
    kind: Literal["phrase"] = "phrase"
    version: None = None


Told = StreamItem | Beat | Spoken
"""What a stream says."""


class StreamHub:
    """Every stream of this process.

    Attributes:
        begun: How many readers have come who had seen nothing.
        resumed: How many have come and named what they had seen.
    """

    def __init__(
        self,
        source: FrameSource,
        feed: Feed,
        patience: WaitPolicy | None = None,
        audience: Audience | None = None,
        wait_of: WaitOf | None = None,
    ) -> None:
        """Stream what this feed brings, and make again from the source what it does not.

        The `audience` is told for which seats there are readers; `wait_of` says which matches spectators see late.
        """
        self._wait_of = wait_of
        self._audience = audience
        self._source = source
        self._feed = feed
        self._patience = patience or WaitPolicy()
        self._by_viewer: dict[tuple[UUID, Viewer], FrameBuffer] = {}
        self._closed = False
        self.begun = self.resumed = 0

    async def stream(
        self,
        match_id: UUID,
        viewer: Viewer,
        after: int | None,
        source: FrameSource | None = None,
        over: asyncio.Future[None] | None = None,
        beat_s: float = inf,
        phrases: bool = False,  # noqa: FBT001, FBT002 - as the port of whoever asks has it
    ) -> AsyncGenerator[Told, None]:
        """Yield a snapshot, then every frame after version `after`, or after the snapshot, then how it ended.

        What the feed does not bring is read from `source`, where the house's own may not show what this viewer may
        see; readers of one buffer share that of the first.

        The caller compares `after` with the snapshot's version: one from the future will never be followed by anything
        sensible. However old it is, nothing is left out. What comes last is `ended` with the match, or `bye` with the
        process, or with the seat: whoever has left it and comes again sees what spectators do. So it is where the match
        cannot be read further here, but by another program, or when the reader is asked to leave (`over`). In a silence
        there is a `beat` every so many seconds. `phrases` are what seats say from now on, between frames.

        Raises:
            UnknownMatch, Unavailable, Unreadable: There is no such match, the log cannot be read now, or this program
                cannot read the match; before anything is yielded.
        """
        source = source or self._source
        key = match_id, await source.holding(match_id, viewer)
        buffer = self._borrow(key, source, await self._wait(*key))
        try:
            await buffer.open()
            snapshot = await buffer.snapshot(after or 0)
            self._count(after)
            yield snapshot
            version = snapshot.version if after is None else after
            del snapshot  # what many are shown is not to be kept by each of them
            async with aclosing(self._behind(version, buffer, over, beat_s, phrases)) as items:
                async for item in items:
                    yield item
        finally:
            await self._give_back(key)

    def _count(self, after: int | None) -> None:
        if after is None:
            self.begun += 1
        else:
            self.resumed += 1

    async def _wait(self, match_id: UUID, seat: Viewer) -> Wait | None:
        """Return what a viewer waits for: who holds a seat, for nothing."""
        return None if self._wait_of is None or seat is not None else await self._wait_of(match_id)

    async def say(self, match_id: UUID, body: bytes) -> None:
        """Tell all who read a match, in every process, what a seat says. It is kept nowhere."""
        await self._feed.say(str(match_id), body)

    async def _behind(
        self,
        version: Version,
        buffer: FrameBuffer,
        over: asyncio.Future[None] | None,
        beat_s: float,
        phrases: bool,  # noqa: FBT001 - handed on
    ) -> AsyncGenerator[Told, None]:
        """Yield what follows a version, and how it ended."""
        heard = buffer.said
        # Where it cannot be read on here, another program may be able to: whoever comes back is told, or served.
        with suppress(Unreadable):
            now = asyncio.get_running_loop().time
            spoke_at = now()
            while not (self._closed or (over is not None and over.done())):
                bodies = await buffer.after(version)
                for version, body in enumerate(bodies, start=version + 1):  # noqa: B020, PLR1704 - from where it is
                    yield StreamItem("frame", version, body)
                if buffer.ended is not None and version >= buffer.ended:
                    yield StreamItem("ended", version, msgspec.json.encode({"ended": version}))
                    return
                if buffer.left is not None and version >= buffer.left:
                    break
                said, heard = (buffer.said_after(heard) if phrases else []), buffer.said
                for body in said:
                    yield Spoken(body)
                if bodies or said:
                    spoke_at = now()
                    continue
                await buffer.wait(over, spoke_at + beat_s - now())
                if now() >= spoke_at + beat_s:
                    spoke_at = now()
                    yield BEAT
        yield StreamItem("bye", version, msgspec.json.encode({"bye": version}))

    def close(self) -> None:
        """Let every stream say bye and end at once."""
        self._closed = True
        for buffer in self._by_viewer.values():
            buffer.wake()

    @property
    def buffers(self) -> int:
        """How many tapes there are: one for each match and pair of eyes that is read now."""
        return len(self._by_viewer)

    def _borrow(self, key: tuple[UUID, Viewer], source: FrameSource, wait: Wait | None) -> FrameBuffer:
        """Return the buffer of a viewer, which lives as long as it has readers."""
        buffer = self._by_viewer.get(key)
        if buffer is None:
            buffer = FrameBuffer(*key, source, self._feed, self._patience, self._audience, wait)
            self._by_viewer[key] = buffer
        buffer.readers += 1
        return buffer

    async def _give_back(self, key: tuple[UUID, Viewer]) -> None:
        buffer = self._by_viewer[key]
        buffer.readers -= 1
        if buffer.readers == 0:
            del self._by_viewer[key]
            await buffer.close()
