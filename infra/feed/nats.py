"""The feed over NATS with JetStream.

JetStream syncs to disk every two minutes and a publish that timed out may still arrive: neither matters, for a message
is kept only if it has the expected sequence, and after any doubt JetStream is asked where it stands.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Final, Self

import nats.errors
import nats.js.errors
import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js.api import StreamConfig

from infra.bus import INBOX, BusClient, first_reached, flush, name_failures, replicas_at
from infra.config import servers_of
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
from infra.feed.acks import Acks
from infra.feed.ears import Ear, Ears
from infra.feed.listening import NatsListening
from infra.feed.messages import VERSION, FrameMessage, headers_of, last_of, message_of, stream_of
from infra.feed.room import Room, configs, is_about_room
from infra.store import Unavailable

ACK_S: Final = 1.0
"""How long JetStream may take to answer; it takes well under a millisecond at rest."""
KEEP_S: Final = 2.0
"""How long frames may take to be kept, all questions to JetStream included. Where a cluster has lost the server that
leads, it answers nothing for 4 to 9 s, and whoever watches does not wait for that."""
PROBE_S: Final = 0.5
"""The same of a shard of which nothing was kept of late."""
SEND_S: Final = 2.0
"""How long sending may take where nothing is answered: it waits only while the server takes nothing more."""
PING_S: Final = 1
PINGS_MAX: Final = 2
"""How often the bus is asked whether it is there, and how many answers it may owe: after 3 s it counts as gone, as one
does whose machine has lost power. With fewer a pause of this program would count as that."""
REACH_S: Final = 1
"""How long one server may take to take a connection, in whole seconds, as the library has it."""
CLOSE_S: Final = 2.0
"""How long a goodbye may take."""
AWAY_S: Final = 0.25
"""How long to wait between two tries to reach the bus again."""
HEARD_MAX: Final = 1_024
HEARD_BYTES: Final = 8 * 2**20
"""What may wait for a slow listener; more is dropped, and the listener sees the gap in the versions."""

_WRONG_LAST_SEQUENCE: Final = 10_071

log = structlog.get_logger(__name__)


class NatsFeed:
    """A connection to the bus, which it finds again by itself."""

    def __init__(self, replicas: int = 1) -> None:
        """Know no bus yet; `connect` makes a feed that does."""
        self._replicas = replicas
        self._client = BusClient()
        self._jetstream = self._client.jetstream(timeout=ACK_S)
        self._acks = Acks(self._client)
        self._begun: set[int] = set()
        self._ears = Ears()
        self._room = Room()

    @classmethod
    async def connect(
        cls, url: str, wait_s: float | None = None, inbox: str = INBOX, replicas: int | None = None
    ) -> Self:
        """Return a feed over the servers at this URL, to which answers come below this subject.

        Of several, separated by commas, whichever is there is taken; they are one cluster. `replicas` of them keep what
        this feed is the first to keep of a shard; if nothing is said, three of three or more. It takes so
        many seconds at most; if nothing is said, as many as a start may (`first_reached`).

        Raises:
            Unavailable: No server answers there.
        """
        feed = cls(replicas or replicas_at(servers_of(url)))
        with name_failures():
            try:
                async with first_reached(feed._client, wait_s):
                    await feed._connect(url, inbox)
            except TimeoutError:
                await feed.close()
                raise
        return feed

    async def _connect(self, url: str, inbox: str) -> None:
        # Nothing is buffered while the bus is away (`pending_size`): what cannot be sent now is made again later.
        await self._client.connect(
            servers_of(url),
            name="truecup",
            error_cb=_trouble,
            disconnected_cb=self._on_disconnect,
            reconnected_cb=_on_reconnect,
            max_reconnect_attempts=-1,
            reconnect_time_wait=AWAY_S,  # type: ignore[arg-type]  # it sleeps as long; any number will do
            connect_timeout=REACH_S,
            ping_interval=PING_S,
            max_outstanding_pings=PINGS_MAX,
            pending_size=-1,
            inbox_prefix=inbox,
        )

    async def _on_disconnect(self) -> None:
        # The server may come back without anything it has kept.
        self._begun.clear()
        if not self._client.is_closed:
            log.warning("feed.left")

    @property
    def connected(self) -> bool:
        """Whether the bus can be reached now."""
        return self._client.is_connected

    @property
    def client(self) -> Client:
        """The connection, for what else travels over it."""
        return self._client

    async def last_position(self, shard: int) -> int | None:
        """Return the position of the last frame kept of a shard. Cost: one round trip."""
        with name_failures():
            try:
                return (await self._jetstream.stream_info(stream_of(shard))).state.last_seq
            except nats.js.errors.APIError:
                # There is no such stream, or nobody who keeps any: nothing that could be gone on from.
                return None

    async def publish(self, shard: int, frames: Sequence[Placed]) -> int:
        """Publish frames of consecutive positions, all in one round trip.

        Listeners of this program hear them first. A crash here leaves some of the first of them kept; whoever goes on
        asks how many.
        """
        for frame in frames:
            self._ears.say((frame.match, None), frame.version, frame.body)
        if self._room.is_wanted(shard):
            with name_failures():
                try:
                    async with asyncio.timeout(PROBE_S if self._room.is_lacking(shard) else KEEP_S):
                        return await self._keep(shard, frames)
                except TimeoutError as silence:
                    # A bus that answers lacks only who keeps anything; what it will have missed is published again.
                    await flush(self._client)
                    self._room.lacks(shard, silence)
                except nats.js.errors.APIError as no:
                    if not is_about_room(no):
                        raise
                    self._room.lacks(shard, no)
        await self._pass_on(shard, frames)
        return frames[-1].position

    async def _keep(self, shard: int, frames: Sequence[Placed]) -> int:
        """Let the bus keep frames, and return where the shard stands then."""
        first, last = frames[0].position, frames[-1].position
        if shard not in self._begun:
            standing = await self._begin(shard, first)
            if standing != first - 1:
                return standing
        if await self._send_together(shard, frames):
            self._room.is_there(shard)
            return last
        standing = await self._begin(shard, first)
        if standing >= first:
            return standing
        doubts = [doubt for doubt in await self._send_all(shard, frames) if doubt is not None]
        if not doubts:
            self._room.is_there(shard)
            return last
        if is_about_room(doubts[0]):
            # What is kept is of no use once there is a gap behind it, and takes room.
            await self.forget(shard)
            raise doubts[0]
        standing = await self._begin(shard, first)
        if standing == first - 1:
            # Whoever leads has nobody who follows, and counts what was sent before as if it were kept.
            raise TimeoutError from doubts[0]
        if standing < first and not _is_about_order(doubts[0]):
            raise Unavailable(f"the bus keeps nothing: {type(doubts[0]).__name__}") from doubts[0]
        return standing

    async def _pass_on(self, shard: int, frames: Sequence[Placed]) -> None:
        """Send frames to whoever listens; a stream that is there after all keeps none but the next. No round trip."""
        await self._send_each([message_of(shard, frame) for frame in frames])

    async def trouble(self) -> str | None:
        """Return of how many shards nothing is kept, for lack of room; None if there is enough."""
        return self._room.trouble

    async def _send_together(self, shard: int, frames: Sequence[Placed]) -> bool:
        """Send all frames, and report whether they are kept: the last is only if all before it are."""
        *before, last = (message_of(shard, frame) for frame in frames)
        if before:
            await self._send_each(before)
        try:
            return await self._acks.send(*last, ACK_S) == frames[-1].position
        except nats.errors.Error:
            return False

    async def _send_all(self, shard: int, frames: Sequence[Placed]) -> list[BaseException | None]:
        """Send all frames, and return for each what makes it doubtful that it is kept, if anything.

        Not with the library's `publish_async`, which never settles for a message that was refused.
        """
        messages = (message_of(shard, frame) for frame in frames)
        sent = (self._jetstream.publish(subject, body, headers=headers) for subject, body, headers in messages)
        answers = await asyncio.gather(*sent, return_exceptions=True)
        return [answer if isinstance(answer, BaseException) else None for answer in answers]

    async def _begin(self, shard: int, position: int) -> int:
        """Return the last position kept of a shard; if nothing is kept of it, keep it from this position on.

        The library would wait in vain for a word from a stream that does not exist while anybody listens to its
        subject, so this is asked first, once a connection.
        """
        standing = await self.last_position(shard)
        if standing is None:
            standing = await self._make_stream(shard, position)
        self._begun.add(shard)
        return standing

    async def _make_stream(self, shard: int, position: int) -> int:
        """Make a shard's stream, to keep it from this position on, and return where it stands.

        It is made as large as there is room; where there is none, the last no is raised.
        """
        *better, last = configs(stream_of(shard), f"truecup.frames.{shard}.*", position, self._replicas)
        for config in better:
            with suppress(nats.js.errors.ServerError):
                return await self._add_stream(shard, config)
        return await self._add_stream(shard, last)

    async def _add_stream(self, shard: int, config: StreamConfig) -> int:
        try:
            return (await self._jetstream.add_stream(config)).state.last_seq
        except nats.js.errors.BadRequestError as no:
            if is_about_room(no):
                raise
            # Another relay has made it a moment ago, perhaps from another position on.
            return (await self._jetstream.stream_info(stream_of(shard))).state.last_seq

    async def forget(self, shard: int) -> None:
        """Keep nothing of a shard any more."""
        self._begun.discard(shard)
        with name_failures(), suppress(nats.js.errors.APIError):
            await self._jetstream.delete_stream(stream_of(shard))

    async def tell(self, match: str, seat: int, version: int, body: bytes, kind: Told = "seat") -> None:
        """Send a frame to one seat, or to an entrant. Cost: no round trip."""
        self._ears.say((match, seat), version, body)
        subject, of = ("truecup.seat", "matches") if kind == "seat" else ("truecup.entrant", "tournaments")
        await self._send(f"{subject}.{match}.{seat}", body, headers_of(match, version, of))

    async def listen(self, match: str, seat: int | None, heard: FrameHeard) -> Listening:
        """Hear the frames of a match for a seat, or for spectators."""
        ear, who = Ear(heard), (match, seat)

        def take(message: Msg) -> None:
            ear.bring(int((message.headers or {})[VERSION]), message.data)

        subject = f"truecup.frames.*.{match}" if seat is None else f"truecup.seat.{match}.{seat}"
        listening = await self._subscribe(subject, take, partial(self._ears.leave, who, ear))
        self._ears.add(who, ear)
        return listening

    async def say(self, match: str, body: bytes) -> None:
        """Tell everybody what a seat of a match says. Cost: no round trip."""
        await self._send(f"truecup.said.{match}", body)

    async def sayings(self, match: str, heard: SaidHeard) -> Listening:
        """Hear what is said at a match."""
        return await self._subscribe(f"truecup.said.{match}", lambda message: heard(message.data))

    async def poke(self, shard: int, position: int) -> None:
        """Tell everybody that a shard has reached this position. Cost: no round trip."""
        await self._send(f"truecup.committed.{shard}", str(position).encode())

    async def pokes(self, poked: Poked) -> Listening:
        """Hear the pokes of all shards."""
        return await self._subscribe("truecup.committed.*", lambda told: poked(int(last_of(told)), int(told.data)))

    async def look(self, what: str, told: bytes = b"") -> None:
        """Tell everybody that somebody looks at this, and who. Cost: no round trip."""
        await self._send(f"truecup.looked.{what}", told)

    async def looks(self, looked: LookHeard) -> Listening:
        """Hear what is looked at."""
        return await self._subscribe("truecup.looked.*", lambda message: looked(last_of(message)))

    async def crowds(self, heard: CrowdHeard) -> Listening:
        """Hear who watches which match."""

        def take(message: Msg) -> None:
            if message.data:
                heard(last_of(message), message.data)

        return await self._subscribe("truecup.looked.*", take)

    async def attend(self, seats: Sequence[ListenedSeat]) -> None:
        """Tell everybody that this program listens for these seats. Cost: no round trip."""
        await self._send("truecup.listening", "\n".join(f"{match}/{seat}" for match, seat in seats).encode())

    async def listeners(self, heard: ListenersHeard) -> Listening:
        """Hear which seats are listened for, and who asks."""

        def take(message: Msg) -> None:
            told = (line.rpartition("/") for line in message.data.decode().splitlines())
            heard([(match, int(seat)) for match, _, seat in told])

        return await self._subscribe("truecup.listening", take)

    async def check(self) -> None:
        """Do nothing, if the bus answers."""
        if not self.connected:
            raise Unavailable("the bus does not answer")
        with name_failures():
            await flush(self._client)

    async def close(self) -> None:
        """Say goodbye to the bus; one that hangs is left without."""
        with suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_S):
                await self._client.close()

    async def _send(self, subject: str, body: bytes = b"", headers: dict[str, str] | None = None) -> None:
        """Send something that nobody answers. Cost: no round trip."""
        await self._send_each([(subject, body, headers)])

    async def _send_each(self, messages: Sequence[FrameMessage]) -> None:
        """Send messages that nobody answers, one after the other, all within the time that one has."""
        with name_failures():
            async with asyncio.timeout(SEND_S):
                for subject, body, headers in messages:
                    await self._client.publish(subject, body, headers=headers)

    async def _subscribe(
        self, subject: str, take: Callable[[Msg], None], leave: Callable[[], None] = lambda: None
    ) -> Listening:
        async def hear(message: Msg) -> None:
            take(message)

        with name_failures():
            subscription = await self._client.subscribe(
                subject, cb=hear, pending_msgs_limit=HEARD_MAX, pending_bytes_limit=HEARD_BYTES
            )
        listening = NatsListening(subscription, leave)
        try:
            if self.connected:
                # Without an answer the server gets the subscription on reconnecting.
                with suppress(nats.errors.Error, OSError):
                    await flush(self._client)
        except asyncio.CancelledError:
            # Nobody is given what would end it, and it would be heard for as long as the program runs.
            await listening.stop()
            raise
        return listening


def _is_about_order(fault: BaseException) -> bool:
    """Report whether a frame was refused for its place only: somebody was first, or nothing is kept of the shard."""
    if isinstance(fault, nats.js.errors.APIError):
        return fault.err_code == _WRONG_LAST_SEQUENCE
    return isinstance(fault, nats.js.errors.NoStreamResponseError)


async def _trouble(fault: Exception) -> None:
    log.warning("feed.trouble", fault=type(fault).__name__)


async def _on_reconnect() -> None:
    log.info("feed.found")
