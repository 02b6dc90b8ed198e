"""The client for programs that await nothing, as in a notebook: each call returns when it is done.

    with sync.open_table(wanted=Wanted(bots=1, practice=True)) as seat:
        for turn in seat.turns():
            seat.play("liar")

A thread of its own does the waiting while a table is open, so that seeds are given and the match is followed between
two calls as well. A seat is for the thread that opened it.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator, Coroutine, Iterator
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, AbstractContextManager, AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from services.client import tables
from services.client.seating import Newcoming, Sitting, Wanted
from services.client.signing import Shield
from services.client.tables import HERE, Command, PlayingSeat, Turn, record_of, replay_match, verify_record

__all__ = [
    "SyncSeat",
    "join_table",
    "open_table",
    "record_of",
    "replay_match",
    "resume_seat",
    "verify_record",
    "watch_match",
]

Json = dict[str, Any]
T = TypeVar("T")
_NOTHING: Final = object()


class _Waiter:
    """A thread that waits for what others ask of it."""

    def __init__(self) -> None:
        started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = Future()
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(started),), daemon=True)
        self._thread.start()
        self._loop, self._over = started.result()

    async def _serve(self, started: Future[tuple[asyncio.AbstractEventLoop, asyncio.Event]]) -> None:
        over = asyncio.Event()
        started.set_result((asyncio.get_running_loop(), over))
        await over.wait()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what comes of this work; whoever interrupts the waiting ends the work."""
        asked = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return asked.result()
        finally:
            asked.cancel()

    def each(self, items: AsyncGenerator[T, None]) -> Iterator[T]:
        """Yield these items one by one, and let go of them in the end."""
        try:
            while (item := self.wait(_next(items))) is not _NOTHING:
                yield item  # type: ignore[misc]
        finally:
            self.wait(items.aclose())

    def stop(self) -> None:
        """Wait for nothing more."""
        self._loop.call_soon_threadsafe(self._over.set)
        self._thread.join()


async def _next(items: AsyncGenerator[T, None]) -> T | object:
    return await anext(items, _NOTHING)


class SyncSeat:
    """A seat at a table, as `PlayingSeat` is one, for who awaits nothing."""

    def __init__(self, seat: PlayingSeat, waiter: _Waiter) -> None:
        """Play this seat, with this thread to wait."""
        self._seat = seat
        self._waiter = waiter

    @property
    def sitting(self) -> Sitting:
        """The seat itself: its match, its token, and the receipts that are kept of it."""
        return self._seat.sitting

    @property
    def view(self) -> Json | None:
        """What the seat sees now; None before the first item."""
        return self._seat.view

    @property
    def shield(self) -> Shield:
        """Whether what the seat asks for is signed with its key: `signed`, if it is."""
        return self._seat.shield

    @property
    def has_won(self) -> bool:
        """Whether the match is over and the seat has won it."""
        return self._seat.has_won

    def turns(self, *, pauses: bool = False) -> Iterator[Turn]:
        """Yield each moment at which the seat may act, until the match ends; raises what `PlayingSeat.turns` does.

        Args:
            pauses: Whether pauses behind rounds are yielded as well, instead of being `ready` in them by itself.
        """
        return self._waiter.each(self._seat.turns(pauses=pauses))

    def ready(self) -> bool:
        """Ask for the next round, as `PlayingSeat.ready` does."""
        return self._waiter.wait(self._seat.ready())

    def play(self, command: Command) -> None:
        """Do something as the seat; raises what `PlayingSeat.play` does."""
        self._waiter.wait(self._seat.play(command))

    def seat_bots(self, count: int, level: str | None = None) -> None:
        """Seat bots of the house, as the host."""
        self._waiter.wait(self._seat.seat_bots(count, level))

    def start(self) -> None:
        """Start the match, as the host."""
        self._waiter.wait(self._seat.start())

    def rematch(self) -> AbstractContextManager[SyncSeat]:
        """Sit down at the next table of those who have played, as `PlayingSeat.rematch` does."""
        return _seated(self._seat.rematch())

    def compare(self) -> None:
        """Hold the record of the match against the receipts that are kept; raises what `PlayingSeat.compare` does."""
        self._waiter.wait(self._seat.compare())


def open_table(
    base: str = HERE, *, wanted: Wanted = tables.USUAL, player: Newcoming = tables.GUEST, data: Path | None = None
) -> AbstractContextManager[SyncSeat]:
    """Open a table and sit down, as `truecup.client.open_table` does."""
    return _seated(tables.open_table(base, wanted=wanted, player=player, data=data))


def join_table(
    match: str,
    base: str = HERE,
    *,
    player: Newcoming = tables.GUEST,
    invite: str | None = None,
    data: Path | None = None,
) -> AbstractContextManager[SyncSeat]:
    """Take the next seat at a table, as `truecup.client.join_table` does."""
    return _seated(tables.join_table(match, base, player=player, invite=invite, data=data))


def resume_seat(
    match: str, token: str | None = None, base: str | None = None, *, data: Path | None = None
) -> AbstractContextManager[SyncSeat]:
    """Take up a seat that was taken before, as `truecup.client.resume_seat` does."""
    return _seated(tables.resume_seat(match, token, base, data=data))


def watch_match(match: str, base: str = HERE) -> Iterator[Json]:
    """Yield what a spectator is told of a match, as `truecup.client.watch_match` does."""
    waiter = _Waiter()
    try:
        yield from waiter.each(tables.watch_match(match, base))
    finally:
        waiter.stop()


@contextmanager
def _seated(sitting: AbstractAsyncContextManager[PlayingSeat]) -> Iterator[SyncSeat]:
    waiter, stack = _Waiter(), AsyncExitStack()
    try:
        seat = waiter.wait(stack.enter_async_context(sitting))
        try:
            yield SyncSeat(seat, waiter)
        finally:
            waiter.wait(stack.aclose())
    finally:
        waiter.stop()
