"""Group commit: whatever waits while a commit is in flight goes into the next one.

Latency at rest is one commit; under load a batch shares it. The queue is bounded, and full means no. A lost connection
leaves a batch in doubt: it is sent again, and since every command is remembered with its answer in the transaction that
stored it, the second time says what the first one did. The shard's row lock makes it wait for the first to be over. One
that the database has undone, since it and another waited for each other, is sent again as well.

Waiting has an end. A database that hangs takes a batch and says nothing: then its callers are told to repeat, and the
commit goes on without them, since nobody knows whether it will be. What was not sent by then is never sent.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence

import asyncpg

from infra.clock import ticks_s
from infra.measures.watches import note
from infra.measures.writes import WriteTally
from infra.store import Append, Outcome, Unavailable, check_chain, check_set
from infra.store.batches import is_closed

BATCH_MAX = 256
QUEUE_MAX = 4_096
ANSWER_S = 6.0
"""How long a caller waits for its commit: as long as a batch is tried, and a moment for the try under way."""
PATIENCE_S = 5.0
"""How long a batch is tried while connections break."""
RETRY_S = 0.1
STUCK_S = 2.0
"""The age of a commit from which on the database is said to take no writes; it takes a few milliseconds at rest."""
REFUSED_S = 5.0
"""How long a refusal counts as the state of the database, if no other write says more."""

LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.OperatorInterventionError,
)
"""What a connection that went away looks like."""
REFUSED = (
    asyncpg.InsufficientResourcesError,
    asyncpg.PostgresSystemError,
    asyncpg.ObjectInUseError,
    asyncpg.ReadOnlySQLTransactionError,
)
"""What a database that takes no write looks like: the disk is full, connections are used up, it is set to be read only,
as hosts of databases do before a disk is full, or it is a standby."""

UNDONE = (asyncpg.TransactionRollbackError, asyncpg.LockNotAvailableError)
"""What a transaction looks like that the database has undone for the sake of others: they waited for each other, or
nobody can tell who was first (class 40 of SQLSTATE), or it waited longer for a lock than the database is set to."""

TROUBLE = (*LOST, *REFUSED, *UNDONE, TimeoutError)
"""Whatever a caller can only wait out."""

Send = Callable[[int, list[Append]], Awaitable[list[Outcome]]]


class _Waiting:
    """What is in the queue, and who waits for what comes of it.

    Attributes:
        appends: A command, or several of one stream that are stored together.
        done: What its caller waits for: cancelled with a caller that goes, which takes nothing back.
        sent_at: When it was sent; None while it waits.
        taken_back: Whether it is not to be sent any more: its caller was told that it may not be stored.
    """

    __slots__ = ("appends", "done", "sent_at", "taken_back")

    def __init__(self, appends: Sequence[Append]) -> None:
        self.appends = appends
        self.done: asyncio.Future[Sequence[Outcome]] = asyncio.get_running_loop().create_future()
        self.sent_at: float | None = None
        self.taken_back = False

    def tell(self, outcomes: Sequence[Outcome]) -> None:
        if not self.done.done():
            self.done.set_result(outcomes)

    def fail(self, trouble: BaseException) -> None:
        if not self.done.done():
            self.done.set_exception(trouble)
            self.done.exception()

    def take_back(self) -> None:
        """Let its caller wait no longer: what has not been sent stays here, and is repeated by whoever wants it."""
        self.taken_back = True
        self.fail(Unavailable("the database does not answer"))


class ShardWriter:
    """Commits the commands of one shard, in the order they come."""

    def __init__(self, shard: int, send: Send, send_chain: Send | None = None, tally: WriteTally | None = None) -> None:
        """Commit through `send`, which is one transaction, and chains through `send_chain`, which takes all or none.

        What comes of it is counted in a `tally`.
        """
        self._shard = shard
        self._tally = tally or WriteTally()
        self._send = send
        self._send_chain = send_chain or send
        self._waiting: deque[_Waiting] = deque()
        self._flying = 0
        self._sent_at: float | None = None
        self._refusal: tuple[float, str] | None = None
        self._running: asyncio.Task[None] | None = None
        self._closed = False

    async def append(self, append: Append) -> Outcome:
        """Wait for a place in the next batch, and for its commit. Once queued, a caller that goes takes nothing back.

        Raises:
            Unavailable: The queue is full, or the database did not answer in time. Then it may be stored nevertheless,
                if it had been sent, and sending it again says so.
        """
        return (await self._queue((append,)))[0]

    async def append_chain(self, chain: Sequence[Append]) -> list[Outcome]:
        """Wait for the own turn, and for the commit of all of them; otherwise as `append`.

        Raises:
            Unavailable: As there.
        """
        check_chain(chain)
        return list(await self._queue(chain))

    async def append_all(self, appends: Sequence[Append]) -> list[Outcome]:
        """Wait for the own turn, and for the commit of all of them; otherwise as `append`.

        Raises:
            Unavailable: As there.
        """
        check_set(appends)
        return list(await self._queue(appends))

    async def _queue(self, appends: Sequence[Append]) -> Sequence[Outcome]:
        if len(self._waiting) >= QUEUE_MAX:
            self._waiting = deque(one for one in self._waiting if not one.taken_back)
        if self._closed or len(self._waiting) >= QUEUE_MAX:
            self._tally.troubles["full"] += 1
            raise Unavailable("the queue of writes is full")
        waiting = _Waiting(appends)
        self._waiting.append(waiting)
        if self._running is None or self._running.done():
            self._running = asyncio.create_task(self._run())
        timer = asyncio.get_running_loop().call_later(ANSWER_S, self._give_up, waiting)
        came_at = ticks_s()
        try:
            return await waiting.done
        finally:
            timer.cancel()
            _note_wait(waiting, came_at)

    def _give_up(self, waiting: _Waiting) -> None:
        self._tally.troubles["unanswered"] += 1
        waiting.take_back()

    @property
    def pending(self) -> int:
        """How many commands wait or are in flight, those included that nobody waits for any more."""
        return len(self._waiting) + self._flying

    @property
    def trouble(self) -> str | None:
        """Why a write would wait or be refused just now; None if none of late was."""
        now = asyncio.get_running_loop().time()
        if self._sent_at is not None and now - self._sent_at >= STUCK_S:
            return f"no write is taken: one waits for {now - self._sent_at:.0f} s"
        if self._refusal is not None and now - self._refusal[0] < REFUSED_S:
            return f"writes are refused: {self._refusal[1]}"
        return None

    @property
    def refusal(self) -> str | None:
        """Why the last write was refused; None if it was taken."""
        return None if self._refusal is None else self._refusal[1]

    async def drain(self) -> None:
        """Return when nothing is in flight."""
        if self._running is not None:
            await asyncio.shield(self._running)

    def close(self) -> None:
        """Send nothing more: whoever waits is told so, and of what is in flight nobody knows."""
        self._closed = True
        for one in self._waiting:
            one.fail(Unavailable("the program ends"))
        self._waiting.clear()

    async def _run(self) -> None:
        while self._waiting:
            batch = [one for one in self._take() if not one.taken_back]
            self._flying = len(batch)
            if batch:
                await self._settle(batch)
            self._flying = 0

    def _take(self) -> list[_Waiting]:
        """Return what goes into the next commit: a chain goes alone."""
        taken = [self._waiting.popleft()]
        if len(taken[0].appends) == 1:
            while self._waiting and len(taken) < BATCH_MAX and len(self._waiting[0].appends) == 1:
                taken.append(self._waiting.popleft())
        return taken

    async def _settle(self, batch: list[_Waiting]) -> None:
        """Send a batch and tell everybody in it what came of it; what the database refuses spoils no other command."""
        began = ticks_s()
        for one in batch:
            one.sent_at = one.sent_at or began
        try:
            found = await self._send_batch(batch)
        except Exception as trouble:  # noqa: BLE001 - whatever it was, those who wait are told, and the next batch goes on
            self._sent_at = None
            await self._part(batch, trouble)
        else:
            self._sent_at = self._refusal = None
            self._count(found, ticks_s() - began)
            outcomes = iter(found)
            for one in batch:
                one.tell([next(outcomes) for _ in one.appends])

    def _count(self, outcomes: Sequence[Outcome], seconds: float) -> None:
        self._tally.sizes.add(len(outcomes))
        self._tally.seconds.add(seconds)
        for outcome in outcomes:
            self._tally.outcomes[type(outcome).__name__] += 1

    async def _part(self, batch: list[_Waiting], trouble: Exception) -> None:
        """Try each command of a batch alone that the database refuses; otherwise tell all of them of the trouble."""
        if isinstance(trouble, asyncpg.PostgresError) and len(batch) > 1:
            for one in batch:
                await self._settle([one])
        else:
            if isinstance(trouble, asyncpg.PostgresError) and not is_closed(trouble):
                self._tally.troubles["rejected"] += 1
            for one in batch:
                one.fail(trouble)

    async def _send_batch(self, batch: list[_Waiting]) -> list[Outcome]:
        appends = [append for one in batch for append in one.appends]
        send = self._send if len(appends) == len(batch) else self._send_chain
        self._sent_at = asyncio.get_running_loop().time()
        deadline = self._sent_at + PATIENCE_S
        while True:
            try:
                return await send(self._shard, appends)
            except REFUSED as trouble:
                self._tally.troubles["refused"] += 1
                self._refusal = (asyncio.get_running_loop().time(), type(trouble).__name__)
                raise Unavailable(str(trouble)) from trouble
            except LOST as trouble:
                self._tally.troubles["lost"] += 1
                # What was sent may have been committed. Sending it again asks under the same row lock.
                self._check_patience(deadline, trouble)
            except UNDONE as trouble:
                self._tally.troubles["undone"] += 1
                # Nothing of it is stored, and whoever was in the way is through: it is sent again.
                self._check_patience(deadline, trouble)
            await asyncio.sleep(RETRY_S)

    def _check_patience(self, deadline: float, trouble: Exception) -> None:
        if self._closed or asyncio.get_running_loop().time() > deadline:
            raise Unavailable("the database does not answer") from trouble


def _note_wait(waiting: _Waiting, came_at: float) -> None:
    """Note how long its command has waited to be sent, and then for its commit."""
    now = ticks_s()
    sent_at = waiting.sent_at or now
    note("queue", came_at, sent_at)
    note("commit", sent_at, now)
