"""A program that runs until it is stopped: its event loop, the port it listens on, and the signals that end it.

A witness and a monitor end as the house does, and load nothing of it.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket
from collections.abc import Callable, Coroutine
from importlib.util import find_spec
from types import FrameType
from typing import Final

from infra.clock import ticks_s

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)
AGAIN_S: Final = 0.5
"""Signals in so short a time are one: a terminal tells a whole group of programs, and those that started us may pass
it on."""
SIGNALLED: Final = 128
"""What a shell adds to the number of the signal that ended a program."""


async def until_told_to_stop(work: Coroutine[None, None, None]) -> None:
    """Run until it ends, or until Ctrl-C or a supervisor's TERM; whoever says it again does not wait for the end."""
    running = asyncio.create_task(work)
    told: set[int] = set()

    def stop(signum: int) -> None:
        told.add(signum)
        running.cancel()
        for again in SIGNALS:
            # Not by the event loop, which may be what does not come to its end.
            asyncio.get_running_loop().remove_signal_handler(again)
            signal.signal(again, _ends_at_once(ticks_s() + AGAIN_S))

    for signum in SIGNALS:
        asyncio.get_running_loop().add_signal_handler(signum, stop, signum)
    try:
        await running
    except asyncio.CancelledError:
        if not told:
            raise


def _ends_at_once(after: float) -> Callable[[int, FrameType | None], None]:
    """Return what ends the program at once when it is told to again, after this tick.

    The servers and witnesses we have started end with us, and what they have stored is stored. Commands under way are
    stored or they are not; whoever sent them finds out with the same idempotency key.
    """

    def end(signum: int, _frame: FrameType | None) -> None:
        if ticks_s() >= after:
            os.write(2, b"truecup: ended at once; commands that were not answered may be stored\n")
            os._exit(SIGNALLED + signum)

    return end


def event_loop() -> asyncio.AbstractEventLoop:
    """Return uvloop's event loop, or the interpreter's own where there is no uvloop."""
    if find_spec("uvloop") is None:
        return asyncio.new_event_loop()
    import uvloop  # noqa: PLC0415 - it exists on some systems only

    return uvloop.new_event_loop()


def is_free(host: str, port: int) -> bool:
    """Report whether this program could listen there."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError:
        return False
    return True
