"""The frame feed: how what people see travels between programs.

The feed is a cache and a messenger, never the truth: all of it can be lost and is made again from the log. Subjects:

    truecup.frames.<shard>.<match>   spectator frames, kept for a while: one JetStream stream a shard, in which the
                                     sequence of a message is the position of its event in the log; the lines of
                                     tournaments by their ids among them
    truecup.seat.<match>.<seat>      what one seat sees, for whoever listens just then
    truecup.entrant.<tournament>.<number>    what one entrant has to know now, for whoever listens just then
    truecup.committed.<shard>        a position: something was stored, look at the log
    truecup.looked.<what>            nothing: somebody looks at this, as one program of the house has seen; or who
                                     watches this match at one program, as that one writes it
    truecup.said.<match>             a quick phrase that a seat says, for whoever listens just then
    truecup.listening                `match/seat`, line by line: seats one program listens for, or entrants of
                                     tournaments, by their numbers; nothing: who listens?

Frames carry their version in the header `ce-id` and are CloudEvents in binary mode.

In reading order:

    nats      over JetStream
    memory    the double that passes the same contract
    messages  how a frame is written there
    listening a subscription
    acks      whether the bus keeps what it was sent
    ears      who hears without the bus
    room      how much the server may keep
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, Protocol

from msgspec import Struct

FrameHeard = Callable[[int, bytes], None]
"""Takes the version and the bytes of a frame. It may be called twice with the same one, and never waits."""
Poked = Callable[[int, int], None]
"""Takes a shard and the position it has reached."""
LookHeard = Callable[[str], None]
"""Takes what somebody looks at."""
CrowdHeard = Callable[[str, bytes], None]
"""Takes a match and who watches it at one program, as that wrote it."""
SaidHeard = Callable[[bytes], None]
"""Takes what a seat says, as readers are told it, and never waits."""
ListenedSeat = tuple[str, int]
"""A match and one of its seats, for which somebody listens."""
Told = Literal["seat", "entrant"]
"""To whom a frame is sent."""
ListenersHeard = Callable[[Sequence[ListenedSeat]], None]
"""Takes seats for which one program listens; none where one asks for which the others do."""


class Placed(Struct, frozen=True):
    """A spectator frame and the position of the event it shows.

    Attributes:
        match: The id of its match, or of what else it is of, and `kind`, which that is.
    """

    position: int
    match: str
    version: int
    body: bytes
    kind: str = "matches"


class Listening(Protocol):
    """Something is being listened to."""

    async def stop(self) -> None:
        """Hear no more."""


class Feed(Protocol):
    """Carries frames. Every method but `stop` and `close` raises Unavailable while the bus does not answer."""

    @property
    def connected(self) -> bool:
        """Whether the bus can be reached now; while it cannot, listeners have to look at the log by themselves."""

    async def last_position(self, shard: int) -> int | None:
        """Return the position of the last frame kept of a shard; None if nothing is kept, not even where it stood."""

    async def publish(self, shard: int, frames: Sequence[Placed]) -> int:
        """Publish frames of consecutive positions, and return the last position kept of the shard afterwards.

        A frame is kept only right behind the one before it, so that no position is ever kept twice or left out. Where
        somebody else was first, or frames were lost, the answer is another position than that of the last frame:
        nothing is wrong, the caller goes on from there. A shard of which nothing is kept starts at the first of these
        frames. Where there is no room to keep any, they are sent to whoever listens, and count as kept.
        """

    async def forget(self, shard: int) -> None:
        """Keep nothing of a shard any more."""

    async def tell(self, match: str, seat: int, version: int, body: bytes, kind: Told = "seat") -> None:
        """Send a frame to one seat, or to an entrant of a tournament; nobody may be listening."""

    async def listen(self, match: str, seat: int | None, heard: FrameHeard) -> Listening:
        """Hear the frames of a match for a seat, or for spectators, from now on.

        What this program publishes or tells is heard before the bus has it, and whether or not it takes it.
        Frames can be missed while the bus is away or the listener is slow; the versions tell.
        """

    async def say(self, match: str, body: bytes) -> None:
        """Tell everybody what a seat of a match says; it is kept nowhere, and nobody may be listening."""

    async def sayings(self, match: str, heard: SaidHeard) -> Listening:
        """Hear what is said at a match from now on, each as it is said, unless the bus is away or the listener slow."""

    async def poke(self, shard: int, position: int) -> None:
        """Tell everybody that a shard has reached this position."""

    async def pokes(self, poked: Poked) -> Listening:
        """Hear the pokes of all shards from now on."""

    async def look(self, what: str, told: bytes = b"") -> None:
        """Tell everybody that somebody looks at this, letters, digits and dashes; and who watches it, if it is told."""

    async def looks(self, looked: LookHeard) -> Listening:
        """Hear what is looked at from now on, one's own word among it."""

    async def crowds(self, heard: CrowdHeard) -> Listening:
        """Hear from now on who watches which match, one's own word among it, where that is told with a look."""

    async def attend(self, seats: Sequence[ListenedSeat]) -> None:
        """Tell everybody that this program listens for these seats, some hundreds at most; for none: ask who does."""

    async def listeners(self, heard: ListenersHeard) -> Listening:
        """Hear from now on which seats are listened for, and who asks, one's own word among it."""

    async def check(self) -> None:
        """Do nothing, if the bus answers. Cost: a round trip or two.

        Raises:
            Unavailable: It does not; that it is connected may only mean that nobody has noticed.
        """

    async def close(self) -> None:
        """Say goodbye to the bus, within a time."""
