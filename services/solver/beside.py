"""A duel solved in a process of its own, which can be left at any time: the solver itself listens to nobody."""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pkgutil import resolve_name
from typing import Final

from domain.strategy.duels.duel import Duel

SOLVES: Final = "services.solver.solving:policy_of"
"""What is run there. It needs the extra `solve`, and so is loaded there alone."""


class Gone(Exception):  # noqa: N818 - says what became of it
    """The process ended without a policy."""


class Solving:
    """A duel that is being solved."""

    def __init__(self, answers: Connection) -> None:
        """Wait for what comes from there."""
        self._answers = answers

    def wait(self, seconds: float) -> bytes | None:
        """Return the policy, or None if it takes longer than this.

        Raises:
            Gone: There will be none; says why.
        """
        try:
            if not self._answers.poll(seconds):
                return None
            policy, why = self._answers.recv()
        except EOFError as error:
            raise Gone("it was ended, as a machine does that runs out of memory") from error
        if policy is None:
            raise Gone(why)
        assert isinstance(policy, bytes)
        return policy


@contextmanager
def solving(duel: Duel) -> Iterator[Solving]:
    """Solve a duel beside what goes on here; whoever leaves before it is done ends it."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=_solve, args=(theirs, duel), daemon=True)
    try:
        with _interrupts_held():
            process.start()
        # Held by the process alone, so that its end is seen here.
        theirs.close()
        yield Solving(ours)
    finally:
        if process.pid is not None:
            process.terminate()
            process.join()
        ours.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let a Ctrl-C wait. What is begun within never hears one: whoever waits for it says what is to become of it."""
    # A process that loses its parent while it is begun would say so with a traceback. What this thread blocks, the
    # process begun by it does too; but a signal that this one blocks may be taken by another thread of ours, and its
    # handler is run in the first one all the same.
    heard: list[int] = []
    here = threading.current_thread() is threading.main_thread()
    handler = signal.signal(signal.SIGINT, lambda number, _: heard.append(number)) if here else None
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        if here:
            signal.signal(signal.SIGINT, handler)
    for number in heard:
        signal.raise_signal(signal.Signals(number))


def _solve(answers: Connection, duel: Duel) -> None:
    try:
        answers.send((resolve_name(SOLVES)(duel), ""))
    except (ArithmeticError, MemoryError, RuntimeError) as trouble:
        answers.send((None, str(trouble) or type(trouble).__name__))
