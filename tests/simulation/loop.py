"""A virtual event loop: time leaps to the next timer, and whatever is ready runs in an order that the seed draws.

The law of the file: nothing outside is touched. There is no selector, no socket and no thread; what is given to an
executor runs here, as one step that ends a little later. Steps of tasks change places with each other at will, as they
do in a program whose sockets answer in any order; plain callbacks keep their order, which asyncio promises.
"""

from __future__ import annotations

import asyncio
from asyncio import Task
from collections.abc import Callable, Coroutine, MutableSequence
from contextvars import Context, ContextVar, copy_context
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, Final, Protocol, TypeVar

STEP_S: Final = 1e-5
"""What a pass of the loop takes, so that whoever asks again and again without a pause does not stop time."""
PASSES_MAX: Final = 100_000
"""Passes of one schedule; one of usual size has some thousand."""


class Lasting(Protocol):
    """What tasks belong to, and end with."""

    alive: bool
    tasks: set[Any]


Found = TypeVar("Found")
OWNER: ContextVar[Lasting | None] = ContextVar("owner", default=None)
"""Whose task it is: a life of a node, or nobody's, as of clients."""


class Stalled(Exception):  # noqa: N818 - named for what happened
    """Nothing is ready and nothing is due, or there is no end of it."""


class Due:
    """What is to run, now or at its time: as much of a handle as `asyncio` asks for, for there are many.

    One that is cancelled stands in line, and is passed over when its time comes.
    """

    __slots__ = ("call", "cancelled", "context", "given")

    def __init__(self, call: Callable[..., Any], given: tuple[Any, ...], context: Context | None) -> None:
        self.call, self.given = call, given
        self.context = copy_context() if context is None else context
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True
        self.call, self.given = _nothing, ()


def _nothing() -> None:
    """Do what is left of a call that was cancelled."""


class _Numbered(Task[Any]):
    """A task whose place in a set comes from its number, and not from where it lies in memory.

    Groups keep theirs in one, and cancel them as they come out of it.
    """

    def __init__(self, number: int, work: Any, **how: Any) -> None:
        self.number = number  # it is put into sets as it begins
        super().__init__(work, **how)

    def __hash__(self) -> int:
        return self.number


class VirtualLoop(asyncio.BaseEventLoop):
    """The loop of one schedule.

    Attributes:
        passes: How often it has looked at what is ready.
        tasks_begun: The numbers of its tasks.
    """

    get_debug = bool  # asked for each future there is, and no quicker way to say no

    def __init__(self, drawn: Random) -> None:
        super().__init__()
        self.passes = 0
        self.now = 0.0
        self._drawn = drawn
        self._next: list[Due] = []
        self._timers: list[tuple[float, int, Due]] = []
        self._numbers = count()
        self.tasks_begun = count(1)
        self._frozen: list[Due] = []
        self._is_cold = False
        self.set_task_factory(_begin_task)

    def time(self) -> float:
        return self.now

    def freeze(self) -> None:
        """Keep back, from now on, whatever belongs to those that are not alive."""
        self._is_cold = True

    def thaw(self) -> None:
        """Let go on what was kept back: only for the end, where all of it is cancelled."""
        self._is_cold = False
        self._next += self._frozen
        self._frozen.clear()

    def call_at(  # type: ignore[override]  # whatever is called
        self, when: float, callback: Callable[..., Any], *given: Any, context: Context | None = None
    ) -> Due:
        timer = Due(callback, given, context)
        heappush(self._timers, (when, next(self._numbers), timer))
        return timer

    def call_later(  # type: ignore[override]  # whatever is called
        self, delay: float, callback: Callable[..., Any], *given: Any, context: Context | None = None
    ) -> Due:
        timer = Due(callback, given, context)
        heappush(self._timers, (self.now + delay, next(self._numbers), timer))
        return timer

    def call_soon(  # type: ignore[override]  # whatever is called
        self, callback: Callable[..., Any], *given: Any, context: Context | None = None
    ) -> Due:
        handle = Due(callback, given, context)
        self._next.append(handle)
        return handle

    call_soon_threadsafe = call_soon  # type: ignore[assignment]  # there is no other thread

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
        batch = self._due()
        for handle in batch if len(batch) == 1 else self._in_any_order(batch):
            if handle.cancelled:
                continue
            if self._is_cold and not _is_alive(handle.context):
                self._frozen.append(handle)
                continue
            try:
                handle.context.run(handle.call, *handle.given)
            except Exception as trouble:  # noqa: BLE001 - a loop goes on, whatever a callback meets
                self.call_exception_handler({"message": f"{handle.call!r} failed", "exception": trouble})

    def _due(self) -> list[Due]:
        """Return whatever is ready, and let time pass: a step, or until the next timer where nothing is."""
        timers, due = self._timers, self._next
        now = self.now + STEP_S
        if not due:
            while timers and timers[0][2].cancelled:
                heappop(timers)
            if not timers:
                raise Stalled("nobody waits for anything that will come")
            now = max(now, timers[0][0])
        self.now, self._next = now, []
        while timers and timers[0][0] <= now:
            timer = heappop(timers)[2]
            if not timer.cancelled:
                due.append(timer)
        return due

    def _in_any_order(self, batch: list[Due]) -> list[Due]:
        """Return steps of tasks at random places, and between them the plain callbacks in their own order."""
        steps, rest, places = list[Due](), list[Due](), list[bool]()
        for handle in batch:
            is_step = isinstance(getattr(handle.call, "__self__", None), Task)
            (steps if is_step else rest).append(handle)
            places.append(is_step)
        self._drawn.shuffle(steps)
        if not rest:
            return steps
        self._drawn.shuffle(places)
        each, other = iter(steps), iter(rest)
        return [next(each) if is_step else next(other) for is_step in places]


class _AsItIs(Random):
    """Draws no order but that which there is."""

    def shuffle(self, x: MutableSequence[Any]) -> None:
        """Leave it."""


def in_made_up_time(work: Coroutine[Any, Any, Found]) -> Found:
    """Return what this comes to where time passes only while nothing is ready, and steps keep their order."""
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(_AsItIs(0))) as runner:
        return runner.run(work)


def _begin_task(loop: Any, work: Any, context: Context | None = None, name: str | None = None, **_: Any) -> Task[Any]:
    """Begin a task, and keep it with its owner: nobody else may know of it while it is frozen.

    None begins eagerly, which a factory may be asked for from 3.14 on.
    """
    task = _Numbered(next(loop.tasks_begun), work, loop=loop, name=name, context=context)
    owner = OWNER.get() if context is None else context.get(OWNER)
    if owner is not None:
        owner.tasks.add(task)
    return task


def _is_alive(context: Context) -> bool:
    owner = context.get(OWNER)
    return owner is None or owner.alive
