"""The world of one schedule: its chance, its clocks, its trace, what went wrong in it, and what is put in place for it.

All that happens is drawn from the seed. Whatever reads a clock or draws chance through `infra` gets that of the world
while it is in place; each node has a clock of its own, which people may set.
"""

from __future__ import annotations

import asyncio
import hashlib
from array import array
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from math import inf
from random import Random
from typing import Any, Final
from unittest.mock import patch

import structlog

from infra import clock, entropy
from infra.clock import MS, Clock
from services.work import worker
from tests.simulation.loop import OWNER, VirtualLoop

BEGAN_NS: Final = 1_700_000_000_000 * MS
"""When every schedule begins, as the clock on the wall has it."""
VIOLATIONS_MAX: Final = 20


class NodeClock:
    """The clock of a node: that of the world, set by so much; Unix time as the node says it.

    Attributes:
        set_ms: By how much it is ahead of that of the world, in milliseconds.
    """

    def __init__(self, loop: VirtualLoop, set_ms: int = 0) -> None:
        self._loop = loop
        self.set_ms = set_ms

    def house(self) -> Clock:
        """Return what a program that begins now stamps and compares by."""
        return Clock(self._wall_ns, self._ticks_ns)

    def _wall_ns(self) -> int:
        return BEGAN_NS + self._ticks_ns() + self.set_ms * MS

    def _ticks_ns(self) -> int:
        return round(self._loop.now * 1e9)


class Life:
    """One life of a node, from its start until it is killed.

    Attributes:
        node: The name of the node.
        alive: Whether it goes on.
        clock: What it stamps and compares by.
        tasks: What it does, none of which is collected while it is frozen.
        began_s: When its program was there; None before.
        ended_s: When it was killed.
        ends: Those who are to hear of that at once.
    """

    def __init__(self, node: str, house: Clock) -> None:
        self.node = node
        self.alive = True
        self.clock = house
        self.tasks: set[Any] = set()
        self.began_s: float | None = None
        self.ended_s = inf
        self.ends: dict[asyncio.Future[None], None] = {}

    def end(self, at_s: float) -> None:
        """End it, and tell those who wait for something of it."""
        self.alive, self.ended_s = False, at_s
        for waiting in self.ends:
            if not waiting.done():
                waiting.set_result(None)


class World:
    """One schedule.

    Attributes:
        seed: What it is drawn from.
        loop: Its loop.
        chance: What faults and the network are drawn from.
        people: What those do who play and watch.
        over: Whether it has ended, and everything is to go.
        violations: What ought not to have happened.
        faults: Which faults happened how often.
        logged: What nodes have logged, as text.
        skips: When the time of a node went on at once, in seconds of the loop, and by how much, in milliseconds.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.chance, self.people = Random(f"{seed} faults"), Random(f"{seed} people")
        self._drawn = Random(f"{seed} entropy")
        self.loop = VirtualLoop(Random(f"{seed} order"))
        self.clock = NodeClock(self.loop).house()
        self.over = False
        self.violations: list[str] = []
        self.faults: Counter[str] = Counter()
        self.logged: list[str] = []
        self.skips: list[tuple[float, int]] = []
        self._lines: list[str] = []
        self._at_s = array("d")

    def tell(self, line: str) -> None:
        """Write a line into the trace."""
        self._lines.append(line)
        self._at_s.append(self.loop.now)

    @property
    def trace(self) -> str:
        """What two runs of one schedule have in common."""
        said = "\n".join(self._lines).encode()
        return hashlib.blake2b(said + self._at_s.tobytes(), digest_size=16).hexdigest()

    @property
    def told(self) -> list[str]:
        """The trace, line by line, with the time of each, as people read it."""
        return [f"{at_s:10.4f} {line}" for at_s, line in zip(self._at_s, self._lines, strict=True)]

    def clear(self) -> None:
        """Forget the trace so far."""
        self._lines.clear()
        del self._at_s[:]

    def violate(self, what: str) -> None:
        """Note what ought not to have happened."""
        self.tell(f"VIOLATION {what}")
        if len(self.violations) < VIOLATIONS_MAX:
            self.violations.append(what)

    def hold(self, holds: bool, what: str) -> None:  # noqa: FBT001 - it reads as a sentence
        """Note that something does not hold, if it does not."""
        if not holds:
            self.violate(what)

    def fault(self, kind: str, likely: float) -> bool:
        """Report whether a fault of this kind happens now, and count it."""
        happens = likely > 0 and self.chance.random() < likely
        if happens:
            self.faults[kind] += 1
        return happens

    @contextmanager
    def setting(self, house: Clock) -> Iterator[None]:
        """Let the time of a node be another, and note by how much it goes on at once."""
        before_ms = house.now_ms()
        yield
        skipped_ms = house.now_ms() - before_ms
        if skipped_ms > 0:
            self.skips.append((self.loop.now, skipped_ms))

    def unix_s(self, at_s: float) -> float:
        """Return a time of the loop in Unix seconds, as a clock has it that nobody sets."""
        return BEGAN_NS / 1e9 + at_s

    def token_bytes(self, length: int) -> bytes:
        """Return this many bytes, the same in every run."""
        return self._drawn.randbytes(length)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Let everything in this process stand in this world."""
        logged = structlog.get_config()
        with ExitStack() as stack:
            stack.callback(structlog.configure, **logged)
            structlog.configure(processors=[self._hear_log], cache_logger_on_first_use=False)
            stack.enter_context(patch.object(clock, "HOUSE", _Houses(self)))
            stack.enter_context(patch.object(entropy, "secrets", self))
            stack.enter_context(patch.object(worker, "ProcessPoolExecutor", _NoProcess))
            yield

    def _hear_log(self, _logger: object, level: str, line: structlog.typing.EventDict) -> str:
        said = f"{level} {line['event']}"
        self.tell(f"log {said}")
        self.logged.append(" ".join(f"{name}={value}" for name, value in line.items()))
        if level in {"error", "critical"} and not self.over:
            fault = line.get("exc_info")
            self.violate(f"a line of level {said} {line.get('work', '')} {fault!r}")
        raise structlog.DropEvent


class _Houses:
    """The clock of whoever asks: that of the node whose task it is."""

    def __init__(self, world: World) -> None:
        self._world = world

    def _own(self) -> Clock:
        owner = OWNER.get()
        return owner.clock if isinstance(owner, Life) else self._world.clock

    def now_ms(self) -> int:
        return self._own().now_ms()

    def advance_to(self, at_ms: int) -> None:
        own = self._own()
        with self._world.setting(own):
            own.advance_to(at_ms)

    def ahead_ms(self) -> int:
        return self._own().ahead_ms()


class _NoProcess:
    """A pool whose work the loop does itself."""

    def __init__(self, *_given: object) -> None:
        """Start nothing."""

    def shutdown(self, **_how: object) -> None:
        """End nothing."""
