"""A house to be asked nonsense of: the program itself, joined as `truecup serve` joins it, on a store in memory.

What it keeps can be looked at between two questions, and what it logs is heard; its bounds on how much one asker may
ask are lifted, so that nonsense gets as far as it goes.
"""

from __future__ import annotations

import asyncio
import gc
import hashlib
import logging
import traceback
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sized
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final, cast
from unittest.mock import patch

import structlog

from infra.config import Config
from infra.feed.memory import MemoryFeed
from infra.feed.nats import NatsFeed
from infra.handoff.memory import MemoryHandoff
from infra.handoff.nats import NatsHandoff
from infra.handoff.shares import Alone
from infra.posting import Poster
from infra.store.memory import MemoryStore
from services.api.dependencies import Dependencies
from services.http.bounds import Bounds
from services.http.front.protocol import Bounded
from services.http.front.rates import Rate
from services.http.front.server import BoundedServer
from services.http.front.sockets import Terms
from services.matches.secrets.keys import keys_of
from services.program import app
from services.program.aside import AnalysesAside
from services.program.grounds import Ground
from services.program.member import Member
from tests.malformed.plain_bus import PlainBus

KEY: Final = "5e" * 32
ORIGIN: Final = "nonsense.example/log"
MANY: Final = Rate(10**9)
TERMS: Final = Terms(requests=MANY, linger_s=0.05)
BOUNDS: Final = Bounds(writes_per_s=10**9, audits_per_s=10**9, phrases=MANY, dear=MANY, beat_s=0.25)
"""With a beat that is short: whoever leaves a stream with a request behind it is missed at the next but one."""
FOLLOWING: Final = ("_rows", "_cursors", "_heartbeat", "_gaps", "_turns", "_leases", "on_commit")
"""What the program makes of the log by itself, and what says only that it is there."""
PUBLISHED: Final = ("_outbox", "_entries", "_hashes", "_checkpoints")
"""What the notary makes of it, in its own time."""
QUIET_S: Final = 0.004
QUIET_LOOKS: Final = 4
"""How often in a row nothing may have changed before a house counts as being at rest."""
LOOKS_MAX: Final = 2_000


class ReadStore(MemoryStore):
    """The double that passes the contract of Postgres, and says what is in it."""

    async def check_writes(self) -> str | None:
        return None

    async def refusal(self) -> str | None:
        return None

    def lengths(self) -> dict[str, int]:
        """Return how many lines each stream has."""
        return {stream: len(lines) for stream, lines in self._streams.items()}

    def mark(self) -> tuple[int, ...]:
        """Return numbers that move with whatever is written on somebody's behalf; costs some 10 us."""
        held: tuple[Sized, ...] = (
            self._commands,
            self._tokens,
            self._names,
            self._erased,
            self._cards,
            self._players,
            self._words,
        )
        more: tuple[Sized, ...] = (
            self._player_tokens,
            self._own_seeds,
            self._entries_of,
            self._notes,
            self._writers,
            self._hooks,
        )
        return (sum(map(len, self._streams.values())), *map(len, held), *map(len, more))

    def digest(self) -> str:
        """Return the hash of all that is kept, but for what the program makes of the log by itself."""
        told = {name: kept for name, kept in vars(self).items() if name not in {*FOLLOWING, *PUBLISHED}}
        return hashlib.blake2b(repr(sorted(told.items())).encode("utf-8", "replace"), digest_size=16).hexdigest()


class _Feed(MemoryFeed):
    """The bus in memory."""

    async def trouble(self) -> str | None:
        return None


class _Handoff(MemoryHandoff, Alone):
    """The handoff in memory."""


class Heard(logging.Handler):
    """Whatever is logged at level error.

    Attributes:
        errors: What was.
        counts: How often which line was logged, at any level.
    """

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.errors: list[str] = []
        self.counts: Counter[str] = Counter()

    def emit(self, record: logging.LogRecord) -> None:
        fault = record.exc_info[1] if record.exc_info else None
        self.errors.append(f"{record.name}: {record.getMessage()} {''.join(traceback.format_exception(fault))}")

    def take(self, _logger: object, level: str, line: structlog.typing.EventDict) -> str:
        self.counts[str(line["event"])] += 1
        if level in {"error", "critical"}:
            told = {key: value for key, value in line.items() if key not in {"event", "exc_info"}}
            self.errors.append(f"{line['event']} {told} {_fault_of(line.get('exc_info'))!r}")
        raise structlog.DropEvent

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear everything that this process logs."""
        gc.collect()  # what tests before have left complains of it when it is collected
        before, root = structlog.get_config(), logging.getLogger()
        structlog.configure(processors=[self.take], cache_logger_on_first_use=False)
        root.addHandler(self)
        try:
            yield
        finally:
            root.removeHandler(self)
            structlog.configure(**before)


def _fault_of(told: object) -> object:
    if isinstance(told, tuple):
        return told[1]
    return told


class _Inside(Member):
    """A process whose server can be reached from within.

    Attributes:
        server: What answers, once it does.
        parts: What it is made of.
    """

    server: BoundedServer
    parts: Dependencies

    def join(self, parts: Dependencies) -> None:
        self.parts = parts
        super().join(parts)

    async def serve(self, server: BoundedServer) -> None:
        self.server = server
        await super().serve(server)


class House:
    """A house that answers.

    Attributes:
        store: What it keeps.
        heard: What it logs.
        gate: What a request comes to first, as an ASGI application.
        port: Where it listens.
        parts: What its interface is made of.
        bus: A way to the bus that its nodes are at, if they are several.
    """

    def __init__(self, store: ReadStore, heard: Heard, inside: _Inside, bus: PlainBus | None = None) -> None:
        self.store = store
        self.heard = heard
        self.gate: Any = inside.server.config.app
        self.port = inside.server.port
        self.parts = inside.parts
        self.bus = bus
        self._server = inside.server

    def is_answering(self) -> bool:
        """Report whether a request that is whole is under way at the port."""
        connections = cast("set[Bounded]", self._server.server_state.connections)
        cycles = [connection.cycle for connection in connections]
        whole = (cycle for cycle in cycles if cycle and not cycle.more_body and not cycle.disconnected)
        return not all(cycle.response_complete for cycle in whole)

    async def settle(self) -> None:
        """Return once nothing is written any more."""
        quiet, before = 0, self.store.mark()
        for _ in range(LOOKS_MAX):
            await asyncio.sleep(QUIET_S)
            now = self.store.mark()
            quiet, before = quiet + 1 if now == before else 0, now
            if quiet == QUIET_LOOKS:
                return
        raise AssertionError(f"the house does not come to rest: {before}")

    def left_open(self) -> dict[str, int]:
        """Return what is open of connections, streams and sockets that have switched."""
        doors = self.parts.doors
        return {"sockets": doors.sockets, "streams": doors.streams, "guests": doors.guests}

    async def close_all(self) -> dict[str, int]:
        """Wait until whoever has gone is known to have gone, and return what stays open."""
        for _ in range(LOOKS_MAX):
            if not any(self.left_open().values()):
                break
            await asyncio.sleep(QUIET_S)
        return self.left_open()


@asynccontextmanager
async def a_house(heard: Heard, folder: Path, nats_url: str | None = None) -> AsyncIterator[House]:
    """A house of one process; over a bus, of one that deals and one that only answers, which is the one to ask."""
    store = ReadStore()
    async with AsyncExitStack() as stack:
        stack.enter_context(patch.object(app, "bounds_within", lambda _terms: BOUNDS))
        stack.enter_context(patch.object(app, "terms_within", lambda _files: TERMS))
        if nats_url is None:
            ground = Ground(store, _Feed(), _Handoff(), (), _post(stack))
            inside = await _begin(stack, folder, "api,relay,dealer", ground)
            yield House(store, heard, inside)
            return
        await _begin(stack, folder, "relay,dealer", await _on_bus(stack, store, nats_url))
        inside = await _begin(stack, folder, "api", await _on_bus(stack, store, nats_url))
        bus, hearing = await PlainBus.connect(nats_url)
        stack.callback(hearing.cancel)
        stack.callback(bus.close)
        yield House(store, heard, inside, bus)


async def _on_bus(stack: AsyncExitStack, store: ReadStore, url: str) -> Ground:
    feed = await NatsFeed.connect(url)
    stack.push_async_callback(feed.close)
    return Ground(store, feed, NatsHandoff(feed.client), (), _post(stack))


def _post(stack: AsyncExitStack) -> Poster:
    post = Poster()
    stack.push_async_callback(post.close)
    return post


async def _begin(stack: AsyncExitStack, folder: Path, roles: str, ground: Ground) -> _Inside:
    """Run a program until the stack ends."""
    config, inside = Config(key=KEY, roles=roles, origin=ORIGIN, port=0, bot_pause_ms=0, quorum="none"), _Inside()
    keys = keys_of(config, folder) if "dealer" in roles else None
    program = await app.program_of(config, inside, keys, ground, AnalysesAside(folder))
    if program.dealing is not None:
        stack.callback(program.dealing.worker.close)
    ready = asyncio.Event()
    running = asyncio.create_task(program.run(folder, lambda _address: ready.set(), []))
    stack.push_async_callback(_end, running)
    await asyncio.wait([running, waiting := asyncio.create_task(ready.wait())], return_when=asyncio.FIRST_COMPLETED)
    waiting.cancel()
    assert not running.done(), running.exception()
    return inside


async def _end(running: asyncio.Task[None]) -> None:
    running.cancel()
    await asyncio.wait([running])
    assert running.cancelled(), running.exception()
