"""The caster's stream: every cup, one round late.

It follows the stream of spectators and holds each frame back until its round is over for everybody, which is when the
next one opens, or the match has ended. Then the frames come with every die that lines have published by then. It asks
for no secret, so it has none to tell: a die that is never shown stays hidden here as well.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from typing import Protocol
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.ids import RoundNumber, Version
from projections.glass import released
from services.matches.watching.late_pages import PAGE


class Item(Protocol):
    """One thing a stream says, as `services.matches.reads.frame_buffer.StreamItem` and its beats do."""

    @property
    def kind(self) -> str:
        """What it is: `snapshot`, `frame`, `ended`, `bye` or `beat`."""

    @property
    def version(self) -> Version | None:
        """The version it shows."""

    @property
    def body(self) -> bytes:
        """What it says."""


class LateFrames(Protocol):
    """The matches of the house, as they may be shown late."""

    async def released(self, match_id: UUID) -> Version:
        """Return up to which version a caster is shown the match now."""

    async def frames_late(self, match_id: UUID, after: Version, limit: int, told: Version) -> list[bytes]:
        """Return at most `limit` frames up to version `told`, with every die that lines up to it publish."""


class Cast(Struct, frozen=True):
    """One thing a caster is told."""

    kind: str
    version: Version | None
    body: bytes


class _Event(Struct, frozen=True):
    """What an event is."""

    type: str


class _View(Struct, frozen=True):
    """In which round a view is."""

    round: RoundNumber


class _Held(Struct, frozen=True):
    """As much of a frame as says what it releases."""

    version: Version
    event: _Event
    view: _View


class _Shown(Struct, frozen=True):
    """The view of a frame, as it is written."""

    view: msgspec.Raw


async def cast(
    items: AsyncGenerator[Item, None],
    matches: LateFrames,
    match_id: UUID,
    after: Version | None,
    over: asyncio.Future[None] | None = None,
) -> AsyncGenerator[Item, None]:
    """Yield a snapshot, then every frame after version `after`, or after the snapshot, as they are released.

    Args:
        items: What a spectator is told of the match from now on.
        matches: Where frames with all their cups are.
        match_id: The match.
        after: The version the reader has seen; None for whoever begins.
        over: Done when the reader is asked to leave: then no further page of frames is made.

    What comes last is what the spectators' stream ends with, or `bye` where the reader has not got all that it ends
    with. A reader that stops leaves nothing behind: `items` are closed with this.
    """
    async with aclosing(items):
        await anext(items)
        shown = await matches.released(match_id)
        (frame,) = await matches.frames_late(match_id, shown - 1, 1, shown)
        view = bytes(msgspec.json.decode(frame, type=_Shown).view)
        yield Cast("snapshot", shown, b'{"snapshot":' + view + b"}")
        seen = shown if after is None else after
        async for late in _frames(matches, match_id, seen, shown, over):
            yield late
            seen += 1
        async for item in items:
            shown = max(shown, _released_by(item) or shown)
            async for late in _frames(matches, match_id, seen, shown, over):
                yield late
                seen += 1
            if item.kind == "beat":
                yield item
            elif item.kind != "frame":
                kind = item.kind if seen >= shown else "bye"
                yield Cast(kind, seen, msgspec.json.encode({kind: seen}))


def _released_by(item: Item) -> Version | None:
    """Return up to which version an item of the spectators' stream releases frames."""
    if item.kind == "ended":
        return item.version
    if item.kind != "frame":
        return None
    held = msgspec.json.decode(item.body, type=_Held)
    return released(held.event.type, held.version, held.view.round)


async def _frames(
    matches: LateFrames, match_id: UUID, after: Version, upto: Version, over: asyncio.Future[None] | None
) -> AsyncIterator[Cast]:
    while after < upto and not (over is not None and over.done()):
        for body in await matches.frames_late(match_id, after, PAGE, upto):
            after += 1
            yield Cast("frame", after, body)
