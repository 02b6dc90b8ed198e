"""A process of its own for what takes seconds of a core: here it would hold up everybody, be it in a thread.

It is started when there is something to do for the first time, anew and not as a copy of this one, and knows what it is
given and nothing else: no store, no key, no clock, and of the environment and the open files nothing of this program's.
It ends with this program, however that ends.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import active_children
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Final, TypeVar

from infra.store import Unavailable

ENVIRONMENT: Final = re.compile("PATH|HOME|TMPDIR|TZ|LANG|LC_[A-Z]+|LD_LIBRARY_PATH|VIRTUAL_ENV|PYTHON[A-Z]*")
"""What of the environment a process of Python needs. Settings of this program are in it as well, keys among them."""
Given = TypeVar("Given")
Found = TypeVar("Found")
Begins = Callable[[int], None]
"""Sees to it that the process ends with that of this id, and hears no Ctrl-C of a terminal."""


class WorkerLost(Unavailable):
    """The process that does one thing was ended over it, or cannot be started for it: all else goes on."""


class Worker:
    """One such process, which does one thing after the other."""

    def __init__(self, begin: Begins | None = None) -> None:
        """Start nothing yet; `begin` is called in the process first, with the id of this one."""
        self._begin = begin
        self._pool: ProcessPoolExecutor | None = None
        self._processes: set[BaseProcess] = set()

    async def do(self, work: Callable[[Given], Found], given: Given) -> Found:
        """Return what a function of the top of a module makes of its only argument.

        Raises:
            MemoryError: It had no room left. What it has remembered would fill it for ever, so it is given up as well.
            WorkerLost: The process was ended meanwhile, or cannot be started; another is started for who asks again.
            Unavailable: It had ended with nothing to do, likewise.
        """
        pool, others = self._pool, None
        if pool is None:
            others = set(active_children())
            pool = self._pool = self._new_pool()
        try:
            with _bare_environment():
                doing = asyncio.get_running_loop().run_in_executor(pool, work, given)
        except BrokenProcessPool as broken:
            self._give_up(pool)
            raise Unavailable("the process that was to do this has ended") from broken
        except OSError as trouble:
            # What was given stays in line in a pool that has no process, and would be done for nobody.
            self._give_up(pool)
            raise WorkerLost("the process that does this cannot be started") from trouble
        if others is not None:
            self._processes = set(active_children()) - others
        try:
            return await doing
        except MemoryError:
            # Whoever waits for the same process is still served by it; those who ask from now on by the next one.
            self._give_up(pool)
            pool.shutdown(wait=False)
            raise
        except BrokenProcessPool as broken:
            self._give_up(pool)
            raise WorkerLost("the process that does this has ended") from broken

    def _new_pool(self) -> ProcessPoolExecutor:
        begin = None if self._begin is None else partial(self._begin, os.getpid())
        try:
            return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), begin)
        except OSError as trouble:
            raise WorkerLost("the process that does this cannot be started") from trouble

    def _give_up(self, pool: ProcessPoolExecutor) -> None:
        if self._pool is pool:
            self._pool = None

    def close(self) -> None:
        """End it; what it does just now comes to nothing."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(wait=False, cancel_futures=True)

    def kill(self) -> None:
        """End it at once, in the middle of what it does, which this program waits for at its own end otherwise.

        Only for what comes to little, which is written in one piece: half an outcome would be waited for for ever.
        """
        self.close()
        for process in self._processes:
            process.kill()


@contextmanager
def _bare_environment() -> Iterator[None]:
    """Let a process that is started meanwhile inherit nothing of the environment that it does not need.

    Nor does it load what this program began with, as multiprocessing does for work that is defined there: a command
    that knows every other one has 60 MB more than what is worked out here needs.

    It is started in the call that first gives it something to do, and nothing else runs on this thread until then.
    """
    hidden = {name: text for name, text in os.environ.items() if ENVIRONMENT.fullmatch(name) is None}
    for name in hidden:
        del os.environ[name]
    main, sys.modules["__main__"] = sys.modules["__main__"], ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main
        os.environ.update(hidden)
