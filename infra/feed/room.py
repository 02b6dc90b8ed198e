"""Room for frames: how much of a shard the bus keeps, by what it has, and what is done where it has none.

A stream reserves what it may take, and a bus on a small disk gives no more than it has. Frames are a cache, so less
will do, in memory if need be, and none at all: then they are sent to whoever listens just then, and kept nowhere.
Whoever misses one makes it from the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import nats.js.errors
import structlog
from msgspec import Struct
from nats.js.api import StorageType, StreamConfig

MIB: Final = 2**20
KEPT_S: Final = 24 * 3_600


class Size(Struct, frozen=True):
    """How much of a shard is kept, and where."""

    bytes: int
    storage: StorageType


SIZES: Final = (
    Size(64 * MIB, StorageType.FILE),
    Size(16 * MIB, StorageType.FILE),
    Size(4 * MIB, StorageType.FILE),
    Size(MIB, StorageType.FILE),
    Size(MIB, StorageType.MEMORY),
)
"""What is asked for, the best first; the last holds some 300 frames, what a reader misses in a minute or two, and takes
8 MiB of memory for all shards where the disk has nothing. Readers that need more ask the log."""
AGAIN_S: Final = 5.0
AGAIN_MAX_S: Final = 60.0
"""How long a shard goes without before room is asked for again, the first time and after many."""
_NO_ROOM: Final = frozenset({10_005, 10_023, 10_028, 10_047, 10_074, 10_077})
"""JetStream's error codes for: no servers that might keep a stream, insufficient resources, memory or storage, a server
that is alone and cannot keep anything at several, and a stream that takes no more bytes.

Source: nats-server, `server/errors.json`."""

log = structlog.get_logger(__name__)


def configs(name: str, subject: str, first: int, replicas: int = 1) -> Sequence[StreamConfig]:
    """Return the streams that may keep a shard from this position on, at so many servers each, the best first."""
    return [
        StreamConfig(
            name=name,
            subjects=[subject],
            first_seq=first,
            max_age=KEPT_S,
            max_bytes=size.bytes,
            storage=size.storage,
            num_replicas=replicas,
        )
        for size in SIZES
    ]


def is_about_room(fault: BaseException) -> bool:
    """Report whether JetStream has no room, or is itself not there: the bus is, and carries what nobody keeps."""
    if isinstance(fault, nats.js.errors.ServiceUnavailableError):
        return True
    return isinstance(fault, nats.js.errors.APIError) and fault.err_code in _NO_ROOM


class Without(Struct):
    """A shard of which nothing is kept, and when room is asked for again."""

    until: float
    delay_s: float = AGAIN_S


class Room:
    """Which shards go without."""

    def __init__(self) -> None:
        """Begin with room for all."""
        self._without: dict[int, Without] = {}

    def is_wanted(self, shard: int) -> bool:
        """Report whether there is room for a shard, or it is time to ask for some."""
        known = self._without.get(shard)
        return known is None or asyncio.get_running_loop().time() >= known.until

    def is_lacking(self, shard: int) -> bool:
        """Report whether nothing was kept of a shard when it was tried last."""
        return shard in self._without

    def lacks(self, shard: int, why: BaseException) -> None:
        """Note that there is none for a shard; told once, however often it is asked for."""
        now, known = asyncio.get_running_loop().time(), self._without.get(shard)
        if known is None:
            log.warning("feed.keeps_nothing", shard=shard, why=type(why).__name__)
            self._without[shard] = Without(now + AGAIN_S)
        else:
            known.delay_s = min(AGAIN_MAX_S, 2 * known.delay_s)
            known.until = now + known.delay_s

    def is_there(self, shard: int) -> None:
        """Note that frames of a shard are kept."""
        if self._without.pop(shard, None) is not None:
            log.info("feed.keeps_again", shard=shard)

    @property
    def trouble(self) -> str | None:
        """Of how many shards nothing is kept, in a sentence; None if there is room for all."""
        if not self._without:
            return None
        return f"the bus has no room for frames of {len(self._without)} shards: they are sent, and kept nowhere"
