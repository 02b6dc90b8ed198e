"""The feed's double for tests and for trying things out: the same promises, within one process."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from infra.feed import (
    CrowdHeard,
    FrameHeard,
    ListenedSeat,
    ListenersHeard,
    Listening,
    LookHeard,
    Placed,
    Poked,
    SaidHeard,
    Told,
)


class MemoryListening:
    """Something is being listened to, until it is taken off its list."""

    def __init__(self, off: Callable[[], None]) -> None:
        """Stop by calling this, once."""
        self._off: Callable[[], None] | None = off

    async def stop(self) -> None:
        """Hear no more."""
        if self._off is not None:
            self._off()
            self._off = None


class MemoryFeed:
    """Keeps the frames of each shard, and hands them on at once.

    Attributes:
        connected: Whether it can be reached; nothing else depends on it.
        kept: The frames of each shard, in order.
    """

    def __init__(self) -> None:
        """Keep nothing yet."""
        self.connected = True
        self.kept: dict[int, list[Placed]] = {}
        self._last: dict[int, int] = {}
        self._frames: dict[tuple[str, int | None], list[FrameHeard]] = {}
        self._said: dict[str, list[SaidHeard]] = {}
        self._poked: list[Poked] = []
        self._looked: list[LookHeard] = []
        self._crowds: list[CrowdHeard] = []
        self._attended: list[ListenersHeard] = []

    async def last_position(self, shard: int) -> int | None:
        """Return the position of the last frame kept of a shard."""
        return self._last.get(shard)

    async def publish(self, shard: int, frames: Sequence[Placed]) -> int:
        """Publish frames of consecutive positions; listeners hear those that are not kept as well, as on a real bus."""
        last = self._last.setdefault(shard, frames[0].position - 1)
        for frame in frames:
            if frame.position == last + 1:
                self._last[shard] = last = frame.position
                self.kept.setdefault(shard, []).append(frame)
            self._say((frame.match, None), frame.version, frame.body)
        return last

    async def forget(self, shard: int) -> None:
        """Keep nothing of a shard any more."""
        self._last.pop(shard, None)
        self.kept.pop(shard, None)

    async def tell(
        self,
        match: str,
        seat: int,
        version: int,
        body: bytes,
        kind: Told = "seat",  # noqa: ARG002 - no id is that of a match and of a tournament
    ) -> None:
        """Send a frame to one seat, or to an entrant."""
        self._say((match, seat), version, body)

    async def listen(self, match: str, seat: int | None, heard: FrameHeard) -> Listening:
        """Hear the frames of a match for a seat, or for spectators."""
        listeners = self._frames.setdefault((match, seat), [])
        listeners.append(heard)
        return MemoryListening(lambda: listeners.remove(heard))

    async def say(self, match: str, body: bytes) -> None:
        """Tell everybody what a seat of a match says."""
        for heard in list(self._said.get(match, ())):
            heard(body)

    async def sayings(self, match: str, heard: SaidHeard) -> Listening:
        """Hear what is said at a match."""
        listeners = self._said.setdefault(match, [])
        listeners.append(heard)
        return MemoryListening(lambda: listeners.remove(heard))

    async def poke(self, shard: int, position: int) -> None:
        """Tell everybody that a shard has reached this position."""
        for poked in list(self._poked):
            poked(shard, position)

    async def pokes(self, poked: Poked) -> Listening:
        """Hear the pokes of all shards."""
        self._poked.append(poked)
        return MemoryListening(lambda: self._poked.remove(poked))

    async def look(self, what: str, told: bytes = b"") -> None:
        """Tell everybody that somebody looks at this, and who."""
        for looked in list(self._looked):
            looked(what)
        for heard in list(self._crowds) if told else ():
            heard(what, told)

    async def looks(self, looked: LookHeard) -> Listening:
        """Hear what is looked at."""
        self._looked.append(looked)
        return MemoryListening(lambda: self._looked.remove(looked))

    async def crowds(self, heard: CrowdHeard) -> Listening:
        """Hear who watches which match."""
        self._crowds.append(heard)
        return MemoryListening(lambda: self._crowds.remove(heard))

    async def attend(self, seats: Sequence[ListenedSeat]) -> None:
        """Tell everybody that somebody listens for these seats."""
        for heard in list(self._attended):
            heard(seats)

    async def listeners(self, heard: ListenersHeard) -> Listening:
        """Hear which seats are listened for, and who asks."""
        self._attended.append(heard)
        return MemoryListening(lambda: self._attended.remove(heard))

    async def check(self) -> None:
        """Do nothing: memory always answers."""

    async def close(self) -> None:
        """Do nothing: memory needs no goodbye."""

    def _say(self, who: tuple[str, int | None], version: int, body: bytes) -> None:
        for heard in list(self._frames.get(who, ())):
            heard(version, body)
