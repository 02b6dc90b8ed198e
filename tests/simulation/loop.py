"""A virtual event loop: time leaps to the next timer, and whatever is ready runs in an order that the seed draws.

The law of the file: nothing outside is touched. There is no selector, no socket and no thread; what is given to an
executor runs here, as one step that ends a little later. Steps of tasks change places with each other at will, as they
do in a program whose sockets answer in any order; plain callbacks keep their order, which asyncio promises.
"""

from __future__ import annotations

import asyncio
import heapq
from asyncio import Task
from collections import deque
from collections.abc import Callable
from contextvars import Context, ContextVar, copy_context
from itertools import count
from random import Random
from typing import Any, Final, Protocol

STEP_S: Final = 1e-5
"""What a pass of the loop takes, so that whoever asks again and again without a pause does not stop time."""
PASSES_MAX: Final = 100_000
"""Passes of one schedule; one of usual size has some thousand."""


class Lasting(Protocol):
    """What tasks belong to, and end with."""

    alive: bool
    tasks: set[Any]


OWNER: ContextVar[Lasting | None] = ContextVar("owner", default=None)
"""Whose task it is: a life of a node, or nobody's, as of clients."""


class Stalled(Exception):  # noqa: N818 - named for what happened
    """Nothing is ready and nothing is due, or there is no end of it."""


class Due(asyncio.TimerHandle):
    """What is to run, now or at its time: a handle that does not ask whether its loop is debugged, for there are many.

    One that is cancelled stands in line, and is passed over when its time comes.
    """

    __slots__ = ()

    def __init__(
        self, when: float, callback: Callable[..., Any], given: tuple[Any, ...], loop: Any, context: Context | None
    ) -> None:
        self._when = when
        self._callback, self._args = callback, given
        self._loop = loop
        self._context = copy_context() if context is None else context
        self._cancelled = self._scheduled = False
        self._repr = self._source_traceback = None

    def cancel(self) -> None:
        self._cancelled = True
        self._callback = self._args = None  # type: ignore[assignment]  # as `Handle` does


class VirtualLoop(asyncio.BaseEventLoop):
    """The loop of one schedule.

    Attributes:
        passes: How often it has looked at what is ready.
    """

    _ready: deque[Any]

    def __init__(self, drawn: Random) -> None:
        super().__init__()
        self.passes = 0
        self._drawn = drawn
        self._now = 0.0
        self._timers: list[tuple[float, int, asyncio.TimerHandle]] = []
        self._numbers = count()
        self._frozen: list[Any] = []
        self._is_cold = False
        self.set_task_factory(_begin_task)

    def time(self) -> float:
        return self._now

    def freeze(self) -> None:
        """Keep back, from now on, whatever belongs to those that are not alive."""
        self._is_cold = True

    def thaw(self) -> None:
        """Let go on what was kept back: only for the end, where all of it is cancelled."""
        self._is_cold = False
        self._ready.extend(self._frozen)
        self._frozen.clear()

    def call_at(  # type: ignore[override]  # whatever is called
        self, when: float, callback: Callable[..., Any], *given: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        timer = Due(when, callback, given, self, context)
        heapq.heappush(self._timers, (when, next(self._numbers), timer))
        return timer

    def call_later(  # type: ignore[override]  # whatever is called
        self, delay: float, callback: Callable[..., Any], *given: Any, context: Context | None = None
    ) -> asyncio.TimerHandle:
        return self.call_at(self._now + delay, callback, *given, context=context)

    def call_soon(  # type: ignore[override]  # whatever is called
        self, callback: Callable[..., Any], *given: Any, context: Context | None = None
    ) -> asyncio.Handle:
        self._check_closed()  # type: ignore[attr-defined]  # the stubs name no inner part
        handle = Due(self._now, callback, given, self, context)
        self._ready.append(handle)
        return handle

    def _write_to_self(self) -> None:
        """Wake nobody: there is no other thread."""

    def run_in_executor(  # type: ignore[override]  # what a thread does is a step here
        self, _executor: object, work: Callable[..., Any], *given: Any
    ) -> asyncio.Future[Any]:
        done = self.create_future()
        self.call_later(self._drawn.uniform(0.0, 0.002), self._run_inline, done, work, given)
        return done

    def _run_inline(self, done: asyncio.Future[Any], work: Callable[..., Any], given: tuple[Any, ...]) -> None:
        if done.done():
            return
        try:
            made = work(*given)
        except Exception as trouble:  # noqa: BLE001 - whoever waits meets it
            done.set_exception(trouble)
        else:
            done.set_result(made)

    def _run_once(self) -> None:
        self.passes += 1
        if self.passes > PASSES_MAX:
            raise Stalled("there is no end of it")
        self._let_time_pass()
        batch = list(self._ready)
        self._ready.clear()
        for handle in batch if len(batch) == 1 else self._in_any_order(batch):
            if handle._cancelled:  # noqa: SLF001 - a loop runs its own handles
                continue
            if self._is_cold and not _is_alive(handle._context):  # noqa: SLF001 - the same
                self._frozen.append(handle)
            else:
                handle._run()  # noqa: SLF001 - the same

    def _let_time_pass(self) -> None:
        timers = self._timers
        self._now += STEP_S
        if not self._ready:
            while timers and timers[0][2]._cancelled:  # noqa: SLF001 - the same
                heapq.heappop(timers)
            if not timers:
                raise Stalled("nobody waits for anything that will come")
            self._now = max(self._now, timers[0][0])
        while timers and timers[0][0] <= self._now:
            _, _, timer = heapq.heappop(timers)
            if not timer._cancelled:  # noqa: SLF001 - the same
                self._ready.append(timer)

    def _in_any_order(self, batch: list[Any]) -> list[Any]:
        """Return steps of tasks at random places, and between them the plain callbacks in their own order."""
        places = [isinstance(getattr(handle._callback, "__self__", None), Task) for handle in batch]  # noqa: SLF001
        steps = [handle for handle, is_step in zip(batch, places, strict=True) if is_step]
        rest = iter([handle for handle, is_step in zip(batch, places, strict=True) if not is_step])
        self._drawn.shuffle(steps)
        if len(steps) < len(batch):
            self._drawn.shuffle(places)
        each = iter(steps)
        return [next(each) if is_step else next(rest) for is_step in places]


def _begin_task(loop: Any, work: Any, context: Context | None = None) -> Task[Any]:
    """Begin a task, and keep it with its owner: nobody else may know of it while it is frozen."""
    task = Task(work, loop=loop, context=context)
    owner = OWNER.get() if context is None else context.get(OWNER)
    if owner is not None:
        owner.tasks.add(task)
    return task


def _is_alive(context: Context) -> bool:
    owner = context.get(OWNER)
    return owner is None or owner.alive
