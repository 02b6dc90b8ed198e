"""Frame buffers: the last frames of a match for one pair of eyes, from the feed, and from the log where it lacks them.

Readers with the same eyes share a buffer. A reader holds only its version, so a slow one costs nothing but its place:
what the buffer has dropped, or the feed never brought, is made again from the log. However many come back at once after
their connections were lost, they are shown the match once, and each page of what they missed is made once.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from itertools import islice
from math import inf
from typing import Final, Literal, Protocol
from uuid import UUID

import msgspec
import structlog
from cachetools import LRUCache
from msgspec import Struct

from domain.ids import Seat, Version
from infra.feed import Feed
from infra.store import Unavailable
from projections.lengths import blanks_of
from projections.view import View
from services.matches.audience import Audience
from services.matches.reads.queries import Viewer
from services.matches.secrets.tokens import Holder
from services.work.single_flight import Once
from services.work.wakeups import Broadcast

FRAMES_MAX: Final = 128
BYTES_MAX: Final = 512 * 1_024
"""What a buffer keeps at most; a frame of a six-seat match has about 3 kB."""
PAGE: Final = 32
"""Frames made again from the log at once, and the most that a reader holds."""
SAYINGS_MAX: Final = 16
"""What was said that a buffer keeps for readers who are behind; the older is of no use to anybody."""
PAGES_MAX: Final = 4
"""Pages made again that a buffer keeps: enough for readers who come back together and missed about the same."""

Wait = Callable[[], float]
"""Returns for how many seconds nothing more is shown of a match that is shown late."""

log = structlog.get_logger(__name__)


class StreamItem(Struct, frozen=True):
    """One thing a stream says; `body` is one JSON document on one line."""

    kind: Literal["snapshot", "frame", "ended", "bye"]
    version: Version
    body: bytes


class FrameSource(Protocol):
    """The matches as the log has them."""

    async def holding(self, match_id: UUID, viewer: Viewer) -> Viewer:
        """Return who looks; None, a spectator, for whoever has left the seat."""

    async def view(self, match_id: UUID, viewer: Viewer) -> View:
        """Return the match as this viewer sees it now."""

    async def frames(self, match_id: UUID, viewer: Viewer, after: int, limit: int) -> list[bytes]:
        """Return at most `limit` frames with versions above `after`, one a version, ascending."""


class WaitPolicy(Struct, frozen=True):
    """How long readers wait for the feed before they look at the log, in seconds.

    Attributes:
        quiet_s: When nothing says that there is more.
        away_s: While the bus cannot be reached.
        late_s: When there is more, and only the feed has not brought it.
    """

    quiet_s: float = 5.0
    away_s: float = 0.5
    late_s: float = 0.05


class FrameBuffer:
    """The last frames of one match for one viewer.

    Attributes:
        version: The version of the newest frame on it.
        ended: The version at which the match has ended.
        left: The version at which its holder has left the seat: what that seat is told later is for others.
        readers: How many read it.
        said: How much has been said at the match since it was opened.
    """

    def __init__(
        self,
        match_id: UUID,
        viewer: Viewer,
        source: FrameSource,
        feed: Feed,
        patience: WaitPolicy,
        audience: Audience | None = None,
        wait: Wait | None = None,
    ) -> None:
        """Be empty until it is opened; then the `audience` is told of it, if a seat looks.

        With a `wait` the match is shown late: the source has each frame when its time has come, and what the feed
        brings only tells that there will be more; what seats say is not told at all.
        """
        self._wait = wait
        self._audience = audience
        self.version = 0
        self.ended: int | None = None
        self.left: int | None = None
        self.readers = 0
        self.said = 0
        self._sayings: deque[bytes] = deque(maxlen=SAYINGS_MAX)
        self._match_id = match_id
        self._viewer = viewer
        self._seat = viewer.seat if isinstance(viewer, Holder) else viewer
        self._source = source
        self._feed = feed
        self._patience = patience
        self._frames: deque[bytes] = deque()
        self._bytes = 0
        self._pages: LRUCache[int, list[bytes]] = LRUCache(PAGES_MAX)
        self._once = Once()
        self._told = 0
        self._snapshot: StreamItem | None = None
        self._grown = Broadcast()
        self._opening = asyncio.Lock()
        self._listening: AsyncExitStack | None = None
        self._looking = asyncio.Lock()
        self._looked_at = -inf

    async def open(self) -> None:
        """Begin at the present version and listen from there; once, whoever comes first.

        The log is looked at once more when the feed is listened to, for what happened in between.
        """
        async with self._opening:
            if self._listening is not None:
                return
            self._empty()  # of what came while somebody opened it who has gone away half-way
            self.version = (await self.snapshot(0)).version
            self._listening = await self._listen()
            if self._audience is not None and self._seat is not None:
                self._audience.begin(str(self._match_id), self._seat)
            await self._look()

    async def _listen(self) -> AsyncExitStack:
        """Hear what comes from now on, until this is closed; whoever goes away meanwhile leaves nobody listening."""
        match, seat = str(self._match_id), self._seat
        async with AsyncExitStack() as begun:
            hear = self.on_frame if self._wait is None else self._on_news
            begun.push_async_callback((await self._feed.listen(match, seat, hear)).stop)
            if self._wait is None:
                # What is said now is about what is shown later, and would tell of it.
                begun.push_async_callback((await self._feed.sayings(match, self.on_said)).stop)
            if seat is not None:
                # Nobody may be there to make frames for seats; those for spectators tell that there is more.
                more = await self._feed.listen(match, None, lambda version, _: self.on_version(version))
                begun.push_async_callback(more.stop)
            return begun.pop_all()

    async def close(self) -> None:
        """Listen no more."""
        if self._listening is None:
            return
        if self._audience is not None and self._seat is not None:
            self._audience.end(str(self._match_id), self._seat)
        await self._listening.aclose()

    def on_frame(self, version: Version, body: bytes) -> None:
        """Take a frame if it is the next; one that came before is dropped, one that comes too early is looked up.

        So is one without a body: whoever published it could not read the match, and perhaps it can be read here.

        Frames for a seat come by its number. While the holder has the seat, the next one is the holder's; behind the
        one that says that the holder has left, none is taken.
        """
        if self.left is not None and self.version >= self.left:
            return
        if body and version == self.version + 1:
            self._add(body)
        else:
            self.on_version(version)

    def on_version(self, version: Version) -> None:
        """Note that the match has this version, whether or not its frame is here."""
        if version > max(self.version, self._told):
            self._told = version
            self.wake()

    def on_said(self, body: bytes) -> None:
        """Take what a seat says: it is no frame, has no version, and is not looked for where it does not come."""
        self._sayings.append(body)
        self.said += 1
        self.wake()

    def said_after(self, count: int) -> list[bytes]:
        """Return what was said behind so much of it, but for what is too old."""
        fresh = min(self.said - count, len(self._sayings))
        return list(islice(self._sayings, len(self._sayings) - fresh, None))

    def _on_news(self, version: Version, _body: bytes) -> None:
        """Take nothing of a frame that comes before its time but that it is there."""
        self.on_version(version)

    def wake(self) -> None:
        """Let every reader look at the buffer."""
        self._grown.ring()

    async def snapshot(self, after: int) -> StreamItem:
        """Return what the viewer sees now: from memory, unless that may be older than the log or `after`."""
        kept = self._snapshot
        if kept is not None and kept.version == self.version and max(after, self._told) <= self.version:
            return kept
        shown = await self._once.get("snapshot", self._snapshot_now)
        # What others began to look at may be older than what this reader has seen elsewhere: then it looks again.
        return shown if shown.version >= after else await self._once.get("snapshot", self._snapshot_now)

    async def _snapshot_now(self) -> StreamItem:
        view = await self._source.view(self._match_id, self._viewer)
        if view.phase == "finished":
            # A command is stored as a whole, and the match ends with the command that finishes the game.
            self.ended = view.version
        if isinstance(self._viewer, Holder) and view.viewer is None:
            self._leave(view.version)
        self._snapshot = StreamItem("snapshot", view.version, msgspec.json.encode({"snapshot": view}) + blanks_of(view))
        return self._snapshot

    async def after(self, version: Version) -> list[bytes]:
        """Return some of the frames after this version, the next first; none if there are none yet."""
        missing = self.version - version
        if missing > len(self._frames):
            return await self._again(version)
        start = len(self._frames) - max(missing, 0)
        return list(islice(self._frames, start, start + PAGE))

    async def wait(self, over: asyncio.Future[None] | None = None, at_most_s: float = inf) -> None:
        """Return when there may be more: the buffer has grown, or patience ran out and the log has been looked at.

        Return as well when the reader is asked to leave, or has waited for as long as it may.
        """
        patient_s = self._patient_s()
        rung = await self._grown.wait(over, min(patient_s, at_most_s))
        # Whoever may wait for less than patience lasts looks all the same, once nobody has for as long.
        due = patient_s <= at_most_s or _now() - self._looked_at >= patient_s - self._patience.late_s
        if not rung and due and not (over is not None and over.done()):
            await self._look()

    def _patient_s(self) -> float:
        if self._told > self.version:
            return self._patience.late_s
        if self._wait is not None:
            return min(self._patience.quiet_s, max(self._patience.late_s, self._wait()))
        return self._patience.quiet_s if self._feed.connected else self._patience.away_s

    async def _look(self) -> None:
        """Bring the buffer up to the log, once for all readers whose patience ran out together."""
        version = self.version
        async with self._looking:
            now = _now()
            if self.version != version or now - self._looked_at < self._patience.late_s:
                return
            self._told = 0
            try:
                await self._catch_up(version)
            finally:
                # Who has waited for this look needs none of its own, however long it took.
                self._looked_at = _now()

    async def _catch_up(self, version: Version) -> None:
        frames = await self._refold_page(version, PAGE)
        while frames:
            for version, body in enumerate(frames, start=version + 1):  # noqa: B020, PLR1704 - behind the last page
                self.on_frame(version, body)
            frames = await self._refold_page(version, PAGE) if len(frames) == PAGE else []

    async def _again(self, version: Version) -> list[bytes]:
        """Return the frames after this version that stand on one page with the next, once for all who ask for them.

        Pages begin at the same versions for everybody, whatever a reader has seen last.
        """
        start = version - version % PAGE
        page = self._pages.get(start, [])
        if start + len(page) <= version:
            page = await self._once.get(start, partial(self._page, start, page))
        return page[version - start :]

    async def _page(self, start: int, page: list[bytes]) -> list[bytes]:
        """Return a page with what the log has of its rest, and keep it."""
        page = page + await self._refold_page(start + len(page), PAGE - len(page))
        self._pages[start] = page
        return page

    async def _refold_page(self, version: Version, limit: int) -> list[bytes]:
        try:
            return await self._source.frames(self._match_id, self._viewer, version, limit)
        except Unavailable as trouble:
            # A stream outlives the database's absence; its reader is told nothing new until it is back.
            log.warning("streams.wait", why=str(trouble))
            await asyncio.sleep(self._patience.away_s)
            return []

    def _empty(self) -> None:
        self._frames.clear()
        self._bytes = 0

    def _add(self, body: bytes) -> None:
        self._frames.append(body)
        self._bytes += len(body)
        self.version += 1
        while len(self._frames) > FRAMES_MAX or self._bytes > BYTES_MAX:
            self._bytes -= len(self._frames.popleft())
        event = _headings.decode(body).event
        if event.type == "match.ended":
            self.ended = self.version
        if isinstance(self._viewer, Holder) and event.gives_up(self._viewer.seat):
            self._leave(self.version)
        self.wake()

    def _leave(self, version: Version) -> None:
        self.left = version if self.left is None else min(version, self.left)


def _now() -> float:
    return asyncio.get_running_loop().time()


class _Event(Struct):
    type: str
    seat: Seat | None = None
    reason: str | None = None

    def gives_up(self, seat: Seat) -> bool:
        """Report whether the seat may be another player's from now on, whoever has given it up.

        In play it keeps its place: there it is left only for a seed that was withheld (CUP/1 section 4.8). Whoever
        takes it again with a key keeps it as well.
        """
        return self.type == "seat.left" and self.seat == seat and self.reason not in {"withheld", "rejoins"}


class _Heading(Struct):
    event: _Event


_headings: Final = msgspec.json.Decoder(_Heading)
