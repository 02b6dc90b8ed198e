"""Bugs of what people are shown: whose eyes, in which order, and whether all of it."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from typing import Any, Final
from unittest.mock import patch

from infra.store import Recorded
from services.dealer.handoff import messages
from services.dealer.handoff.desk import Desk, NotTheirs
from services.matches.reads.frame_buffer import FrameBuffer, StreamItem
from services.matches.reads.streams import StreamHub
from services.relay.publisher import Publisher
from tests.simulation.faults import ALL, CALM, GOSSIP
from tests.simulation.planted.bug import ALONE, Planted
from tests.simulation.schedule import Shape

_make_frame = Publisher._make_frame
_tell_seats = Publisher._tell_seats
_borrow = StreamHub._borrow
_stream = StreamHub.stream
_behind = StreamHub._behind
APART: Final = Shape(layout=("api,relay,dealer", "api"))
"""A dealer, and a node that hands it what people ask."""


async def _seat_frame_to_spectators(publisher: Publisher, line: Recorded, *, more: bool) -> bytes:
    """Send spectators what the first seat sees."""
    told: list[bytes] = []
    feed = publisher._feed
    tell = feed.tell

    async def overheard(match: str, seat: int, version: int, body: bytes) -> None:
        told.append(body)
        await tell(match, seat, version, body)

    with patch.object(feed, "tell", overheard):
        body = await _make_frame(publisher, line, more=more)
    return told[0] if told else body


async def _seat_frame_to_another(publisher: Publisher, *given: Any, more: bool) -> None:
    """Send every seat what the seat before it sees."""
    feed = publisher._feed
    tell = feed.tell

    async def misled(match: str, seat: int, version: int, body: bytes) -> None:
        await tell(match, 2 if seat == 1 else 1, version, body)

    with patch.object(feed, "tell", misled):
        await _tell_seats(publisher, *given, more=more)


def _any_frame_taken(buffer: FrameBuffer, version: int, body: bytes) -> None:
    """Take any frame that is new for the next one."""
    if body and version > buffer.version:
        buffer._add(body)


async def _read_for_the_first_seat(desk: Desk, question: Any) -> Any:
    """Show every node that asks for a seat what the first seat sees."""
    bearer = await desk._bearer(question.token, question.match)
    if bearer.holder is None:
        raise NotTheirs
    if isinstance(question, messages.AskFrames):
        return messages.Framed(await desk._matches.frames(question.match, 1, question.after, question.limit))
    return messages.travelling_view(await desk._matches.view(question.match, 1))


async def _snapshot_kept(buffer: FrameBuffer, _after: int) -> StreamItem:
    """Show whoever comes what was shown to the one before."""
    return buffer._snapshot or await buffer._snapshot_now()


async def _what_is_there(buffer: FrameBuffer, version: int) -> list[bytes]:
    """Return frames from memory alone, whatever it has dropped."""
    missing = buffer.version - version
    return list(buffer._frames)[-missing:] if missing > 0 else []


def _one_buffer_for_all(hub: StreamHub, key: Any, source: Any, wait: Any) -> FrameBuffer:
    """Share a buffer between all who look at a match."""
    first = next((known for known in hub._by_viewer if known[0] == key[0]), key)
    buffer = _borrow(hub, first, source, wait)
    hub._by_viewer[key] = buffer
    return buffer


async def _from_now_on(
    hub: StreamHub, match_id: Any, viewer: Any, _after: int | None, *given: Any
) -> AsyncGenerator[Any, None]:
    """Tell whoever comes back what is new from then on."""
    async for item in _stream(hub, match_id, viewer, None, *given):
        yield item


async def _end_first(hub: StreamHub, version: int, buffer: FrameBuffer, *given: Any) -> AsyncGenerator[Any, None]:
    """Tell whoever comes back that the match is over, and nothing of what led to it."""
    if buffer.ended is not None and version < buffer.ended:
        yield StreamItem("ended", buffer.ended, b"{}")
        return
    async for item in _behind(hub, version, buffer, *given):
        yield item


BUGS: Final = (
    Planted(
        "frame of a seat to spectators",
        "/None is shown what",
        ALL,
        ((Publisher, "_make_frame", _seat_frame_to_spectators),),
    ),
    Planted(
        "frame of a seat to another",
        "/1 is shown what 2 sees",
        CALM,
        ((Publisher, "_tell_seats", _seat_frame_to_another),),
    ),
    Planted(
        "frames taken in any order", "was shown another frame", GOSSIP, ((FrameBuffer, "on_frame", _any_frame_taken),)
    ),
    Planted(
        "dealer that shows any node the first seat",
        "/2 is shown what 1 sees",
        CALM,
        ((Desk, "_read_for_seat", _read_for_the_first_seat),),
        APART,
    ),
    Planted(
        "snapshot that was shown before",
        "is shown an older match than before",
        GOSSIP,
        ((FrameBuffer, "snapshot", _snapshot_kept),),
        ALONE,
    ),
    Planted("frames from memory alone", "was shown another frame", GOSSIP, ((FrameBuffer, "after", _what_is_there),)),
    Planted("one buffer for all eyes", "is shown what", CALM, ((StreamHub, "_borrow", _one_buffer_for_all),)),
    Planted("nothing of what was missed", "has not seen every frame", GOSSIP, ((StreamHub, "stream", _from_now_on),)),
    Planted(
        "the end before the last frames", "has not seen every frame", GOSSIP, ((StreamHub, "_behind", _end_first),)
    ),
)
