"""Messages of frames: how what people see is written on the bus."""

from __future__ import annotations

from typing import Final

from nats.aio.msg import Msg

from infra.feed import Placed

FrameMessage = tuple[str, bytes, dict[str, str] | None]
"""Subject, body and headers."""
VERSION: Final = "ce-id"
"""The header in which a frame has its version."""
_EXPECTED_LAST: Final = "Nats-Expected-Last-Sequence"


def stream_of(shard: int) -> str:
    """Return what the stream of a shard is called."""
    return f"truecup-frames-{shard}"


def message_of(shard: int, frame: Placed) -> FrameMessage:
    """Return subject, body and headers of a spectator frame: it is kept right behind the one before it, or not."""
    headers = headers_of(frame.match, frame.version, frame.kind) | {_EXPECTED_LAST: str(frame.position - 1)}
    return f"truecup.frames.{shard}.{frame.match}", frame.body, headers


def headers_of(match: str, version: int, kind: str = "matches") -> dict[str, str]:
    """Return the headers of a frame: a CloudEvent in binary mode."""
    return {
        "ce-specversion": "1.0",
        "ce-type": "truecup.frame",
        "ce-source": f"/{kind}/{match}",
        VERSION: str(version),
        "content-type": "application/json",
    }


def last_of(message: Msg) -> str:
    """Return the last part of the subject of a message."""
    return message.subject.rpartition(".")[2]
