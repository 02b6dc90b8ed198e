"""Group commit: whatever waits while a commit is in flight goes into the next one.

Latency at rest is one commit; under load a batch shares it. The queue is bounded, and full means no. A lost connection
leaves a batch in doubt: it is sent again, and since every command is remembered with its answer in the transaction that
stored it, the second time says what the first one did. The shard's row lock makes it wait for the first to be over.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

import asyncpg

from infra.events import Append, Outcome, Unavailable

BATCH_MAX = 256
QUEUE_MAX = 4_096
PATIENCE_S = 5.0
"""How long a batch is tried while the database does not answer."""
RETRY_S = 0.1

LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,
)
"""What a connection that went away looks like."""
REFUSED = (asyncpg.InsufficientResourcesError, asyncpg.PostgresSystemError, asyncpg.ObjectInUseError)
"""What a database that has no room looks like: the disk is full, connections are used up."""

TROUBLE = (*LOST, *REFUSED, TimeoutError)
"""Whatever a caller can only wait out."""

Waiting = tuple[Append, asyncio.Future[Outcome]]
"""A command in the queue, and who waits for what comes of it."""
Send = Callable[[int, list[Append]], Awaitable[list[Outcome]]]


class ShardWriter:
    """Commits the commands of one shard, in the order they come."""

    def __init__(self, shard: int, send: Send) -> None:
        """Commit through `send`, which is one transaction."""
        self._shard = shard
        self._send = send
        self._waiting: deque[Waiting] = deque()
        self._running: asyncio.Task[None] | None = None

    async def append(self, append: Append) -> Outcome:
        """Wait for a place in the next batch, and for its commit. Once queued, giving up waiting does not take it back.

        Raises:
            Unavailable: The queue is full, or the database did not answer in time.
        """
        if len(self._waiting) >= QUEUE_MAX:
            raise Unavailable("the queue of writes is full")
        done: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((append, done))
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        return await asyncio.shield(done)

    async def drained(self) -> None:
        """Return when nothing is in flight."""
        if self._running is not None:
            await self._running

    async def _run(self) -> None:
        while self._waiting:
            batch = [self._waiting.popleft() for _ in range(min(BATCH_MAX, len(self._waiting)))]
            await self._settle(batch)

    async def _settle(self, batch: list[Waiting]) -> None:
        """Send a batch and tell everybody in it what came of it; what the database refuses spoils no other command."""
        sending = asyncio.ensure_future(self._sent([append for append, _ in batch]))  # noqa: RUF006 - awaited next
        await asyncio.wait([sending])
        trouble = sending.exception()
        if trouble is None:
            self._tell(batch, sending.result())
        elif isinstance(trouble, asyncpg.PostgresError) and len(batch) > 1:
            for one in batch:
                await self._settle([one])
        else:
            self._fail(batch, trouble)

    def _tell(self, batch: list[Waiting], outcomes: list[Outcome]) -> None:
        for (_, done), outcome in zip(batch, outcomes, strict=True):
            if not done.done():
                done.set_result(outcome)

    def _fail(self, batch: list[Waiting], trouble: BaseException) -> None:
        """Give everybody in the batch the trouble it met, whatever it was; the next batch goes on."""
        for _, done in batch:
            if not done.done():
                done.set_exception(trouble)
                done.exception()

    async def _sent(self, batch: list[Append]) -> list[Outcome]:
        deadline = asyncio.get_running_loop().time() + PATIENCE_S
        while True:
            try:
                return await self._send(self._shard, batch)
            except REFUSED as trouble:
                raise Unavailable(str(trouble)) from trouble
            except LOST as trouble:
                # What was sent may have been committed. Sending it again asks under the same row lock.
                if asyncio.get_running_loop().time() > deadline:
                    raise Unavailable("the database does not answer") from trouble
                await asyncio.sleep(RETRY_S)
