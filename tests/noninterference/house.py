"""A house on a virtual clock that is looked at from all sides: what it answers, sends, logs, counts, traces and stores.

It is the program itself, as `services.program.app.program_of` joins it, behind its own gate; the store, the bus and the
clocks are those of the simulation. Nothing in it draws chance or reads a clock but through its world: two houses of one
seed do the same to the last step of the loop, unless something that differs between them makes them differ.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from types import SimpleNamespace
from typing import Any, Final
from unittest.mock import patch

import structlog
from jinja2 import Environment
from msgspec import Struct, structs
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor
from prometheus_client import CollectorRegistry, metrics
from structlog.typing import EventDict, Processor

from infra import clock
from infra.feed import ListenedSeat, Placed
from infra.feed import Told as Kind
from infra.feed.messages import FrameMessage
from infra.feed.nats import NatsFeed
from infra.measures.otel import OtelTraces
from infra.measures.tracing import tracing
from infra.telemetry import place_of_fault
from services.api.application import create_app
from services.http.front.gate import Gate
from services.http.front.proxies import Proxies
from services.http.front.sockets import Terms
from services.program import app
from services.web.writing import renderer
from tests.attack.watched_house import Ask, Told
from tests.noninterference.dice import Dice
from tests.noninterference.holdings import held_by
from tests.noninterference.templates import KeptTemplates
from tests.noninterference.wire import Server
from tests.simulation.bus import SharedFeed
from tests.simulation.faults import CALM
from tests.simulation.link import Weather
from tests.simulation.nodes import Node, Shared
from tests.simulation.schedule import QUICK_MS
from tests.simulation.world import BEGAN_NS, World

LOOK_S: Final = 0.01
ROLES: Final = "api,relay,dealer,bots"
SLOW_MS: Final = 1
"""From which time on a command is slow, by the clock of the world: as good as all are."""
SLOW_LINE: Final = "command.slow"
DETAILS: Final = "details"
SLOW: Final = "slow commands"
"""Lines of the log that are looked at by themselves: those at debug level, and those about slow commands."""
Line = tuple[str, str]
"""A line of the log: what it is looked at with, and its text."""
SPECTATORS: Final = "api"
"""The roles of a node that shows matches, and has no key."""
BEFORE: Final[tuple[Processor, ...]] = (
    *(structlog.contextvars.merge_contextvars, structlog.processors.add_log_level, place_of_fault),
)
"""What a line passes through in the program (`infra.telemetry.set_up`), but for the time."""


class NoClient(NatsFeed):
    """What NATS would be sent: subjects, headers and bodies, as the feed of a house makes them."""

    def __init__(self, sent: list[FrameMessage]) -> None:
        super().__init__()
        self._sent = sent

    async def _send_each(self, messages: Sequence[FrameMessage]) -> None:
        self._sent += messages

    async def pass_on(self, shard: int, frames: Sequence[Placed]) -> None:
        """Send what spectators see."""
        await self._pass_on(shard, frames)


class TappedFeed(SharedFeed):
    """The bus, and whoever listens at its wire."""

    def __init__(self, sent: list[FrameMessage]) -> None:
        super().__init__()
        self._tap = NoClient(sent)

    async def publish(self, shard: int, frames: Sequence[Placed]) -> int:
        await self._tap.pass_on(shard, frames)
        return await super().publish(shard, frames)

    async def tell(self, match: str, seat: int, version: int, body: bytes, kind: Kind = "seat") -> None:
        await self._tap.tell(match, seat, version, body, kind)
        await super().tell(match, seat, version, body, kind)

    async def say(self, match: str, body: bytes) -> None:
        await self._tap.say(match, body)
        await super().say(match, body)

    async def poke(self, shard: int, position: int) -> None:
        await self._tap.poke(shard, position)
        await super().poke(shard, position)

    async def look(self, what: str, told: bytes = b"") -> None:
        await self._tap.look(what, told)
        await super().look(what, told)

    async def attend(self, seats: Sequence[ListenedSeat]) -> None:
        await self._tap.attend(seats)
        await super().attend(seats)


class TappedPoster:
    """Addresses of others, which take whatever is posted to them."""

    def __init__(self, posted: list[tuple[object, ...]]) -> None:
        self.anywhere = False
        self._posted = posted

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Take this."""
        self._posted.append((url, body, tuple(headers.items())))
        await asyncio.sleep(LOOK_S)
        return 204

    async def close(self) -> None:
        """Let go of nothing."""


class Spans(SpanProcessor):
    """Spans as they end: their names, attributes and states; their ids are drawn."""

    def __init__(self) -> None:
        self.ended: list[str] = []

    def on_end(self, span: ReadableSpan) -> None:
        held = "part" if span.parent else "whole"
        told = sorted((span.attributes or {}).items())
        self.ended.append(f"{span.name} {held} {told} {[each.name for each in span.events]} {span.status.status_code}")


class Lines(logging.Handler):
    """Lines of libraries, as the program writes them."""

    def __init__(self, lines: list[Line]) -> None:
        super().__init__()
        self._lines = lines
        self.setFormatter(
            structlog.stdlib.ProcessorFormatter(
                foreign_pre_chain=[structlog.stdlib.add_logger_name, structlog.stdlib.ExtraAdder(), *BEFORE],
                processors=[
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    structlog.processors.JSONRenderer(sort_keys=True),
                ],
            )
        )

    def emit(self, record: logging.LogRecord) -> None:
        self._lines.append(("log" if record.levelno > logging.DEBUG else DETAILS, self.format(record)))


class Door(Struct, frozen=True):
    """One node, as whoever asks has it.

    Attributes:
        gate: Its application, behind its gate.
        server: What takes connections to it.
        registry: Its meters.
    """

    gate: Any
    server: Server
    registry: CollectorRegistry


class ObservedHouse:
    """One house.

    Attributes:
        world: Where it stands.
        shared: Its store and its bus.
        dice: What lies under the cups.
        sent: What was sent over the bus.
        doors: How each of its nodes is asked, once all are there: first the one that deals, then one for spectators,
            which has no key, if there is one.
    """

    def __init__(self, seed: int, dice: Dice | None = None, *, spectators: bool = False) -> None:
        self.world = World(seed)
        self.dice = dice or Dice()
        self.shared = Shared(Weather(self.world, CALM), 0)
        self.sent: list[FrameMessage] = []
        self.shared.feed = TappedFeed(self.sent)
        self.doors: list[Door] = []
        self.nodes = [Node("n0", ROLES, self.shared, QUICK_MS, SLOW_MS)]
        if spectators:
            self.nodes.append(Node("n1", SPECTATORS, self.shared, QUICK_MS, SLOW_MS))
        self._lines: list[Line] = []
        self._spans = Spans()
        self._posted: list[tuple[object, ...]] = []
        self._appended = 0

    # ---- its life -------------------------------------------------------------------------------

    async def begin(self) -> None:
        """Let it be there."""
        for node in self.nodes:
            node.start()
            while node.program is None:
                await asyncio.sleep(LOOK_S)
            parts = node.program._parts()  # noqa: SLF001 - as `run` does, with a server's sockets
            planted: Any = self.planted(create_app(parts))
            gate = Gate(planted, parts.doors, Terms(), Proxies())
            self.doors.append(Door(gate, Server(planted, parts.doors), node.program.registry))

    @property
    def registry(self) -> CollectorRegistry:
        """The meters of the node that deals."""
        return self.doors[0].registry

    def planted(self, app: Any) -> Any:
        """Return the application; whoever plants a leak in answers has another one."""
        return app

    def run(self, work: Callable[[], Any]) -> None:
        """Run something in it, and let go of all that is left then."""
        world, loop = self.world, self.world.loop
        with self._in_place():
            try:
                loop.run_until_complete(work())
            finally:
                world.over, loop.passes = True, 0
                left = [task for task in asyncio.all_tasks(loop) if not task.done()]
                for task in left:
                    task.cancel()
                if left:
                    loop.run_until_complete(asyncio.wait(left, timeout=60))
                loop.run_until_complete(loop.shutdown_asyncgens())
                self.shared.witnesses.close()
                loop.close()

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        world, loop = self.world, self.world.loop
        ticks = SimpleNamespace(
            time=lambda: BEGAN_NS / 1e9 + loop.time(),
            time_ns=lambda: BEGAN_NS + round(loop.time() * 1e9),
            monotonic_ns=lambda: round(loop.time() * 1e9),
            monotonic=loop.time,
            thread_time=loop.time,
        )
        heard, root = Lines(self._lines), logging.getLogger()
        with ExitStack() as stack:
            stack.enter_context(world.in_place())
            stack.enter_context(patch.object(clock, "time", ticks))
            stack.enter_context(patch.object(metrics, "time", ticks))
            stack.enter_context(self.dice.in_place())
            stack.enter_context(
                patch.object(renderer, "Environment", partial(Environment, bytecode_cache=KeptTemplates()))
            )
            stack.enter_context(patch.object(app, "PinnedPoster", lambda **_how: TappedPoster(self._posted)))
            structlog.configure(processors=[*BEFORE, self._hear_log], cache_logger_on_first_use=False)
            stack.callback(root.setLevel, root.level)
            root.setLevel(logging.DEBUG)
            root.addHandler(heard)
            stack.callback(root.removeHandler, heard)
            traces = OtelTraces(self._spans, "n0", "0")
            stack.enter_context(tracing(traces))
            yield

    def _hear_log(self, _logger: object, level: str, line: EventDict) -> str:
        text = json.dumps(line, sort_keys=True, default=repr)
        self._lines.append((DETAILS if level == "debug" else SLOW if line["event"] == SLOW_LINE else "log", text))
        if level in {"error", "critical"} and not self.world.over:
            self.world.violate(text)
        raise structlog.DropEvent

    # ---- what is asked of it --------------------------------------------------------------------

    def open(
        self, method: str, path: str, body: Any = None, token: str | None = None, door: int = 0, **headers: str
    ) -> Ask:
        """Begin to ask for this, at one of its doors."""
        given = {"Host": "localhost", "Content-Type": "application/json", "Accept-Encoding": "identity", **headers}
        given |= {"Authorization": f"Bearer {token}"} if token else {}
        fields = [(name.lower().encode(), value.encode()) for name, value in given.items()]
        return Ask(self.doors[door].gate, method, path, fields, b"" if body is None else json.dumps(body).encode())

    async def ask(
        self, method: str, path: str, body: Any = None, token: str | None = None, door: int = 0, **headers: str
    ) -> Told:
        """Return the answer to this."""
        return await self.open(method, path, body, token, door, **headers).answered()

    def lines_of(self, of: str, kind: str = "match") -> list[bytes]:
        """Return the lines of a match, or of what else it is by its kind."""
        return self.shared.store.streams().get(f"{kind}/{of}", [])

    def held_by_spectators(self) -> frozenset[object]:
        """Return what the node for spectators holds."""
        return held_by(self.nodes[-1])

    # ---- what is seen of it ---------------------------------------------------------------------

    def seen(self) -> dict[str, object]:
        """Return what an operator and whoever taps the wire have seen of it since this was asked last."""
        world, stored = self.world, self.shared.store.appended
        found: dict[str, object] = {
            **{kind: tuple(text for each, text in self._lines if each == kind) for kind in ("log", DETAILS, SLOW)},
            "lines": tuple((kind, len(text)) for kind, text in self._lines),
            "spans": tuple(self._spans.ended),
            "bus": tuple(map(on_the_wire, self.sent)),
            "posts": tuple(self._posted),
            "calls": tuple(world.told),
            "passes": world.loop.passes,
            "time": world.loop.time(),
            "stored": tuple(sizes(each) for each in stored[self._appended :]),
        }
        self._appended = len(stored)
        for each in (self._lines, self._spans.ended, self._posted, self.sent, world):
            each.clear()
        world.loop.passes = 0
        return found


def on_the_wire(message: FrameMessage) -> tuple[object, ...]:
    """Return what whoever taps the wire may know of a message: of what a seat is sent how long it is, else all."""
    subject, body, headers = message
    return subject, headers, len(body) if subject.startswith("truecup.seat.") else body


def sizes(value: Any) -> Any:
    """Return how long every part of something stored is."""
    if hasattr(value, "__struct_fields__"):
        return {name: sizes(each) for name, each in structs.asdict(value).items()}
    if isinstance(value, bytes | str):
        return len(value)
    return [sizes(each) for each in value] if isinstance(value, list | tuple) else value
