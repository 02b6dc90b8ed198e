"""The handoff over core NATS: requests to a queue group, and answers in one part or several."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from itertools import count
from typing import Final

import nats.errors
import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from infra.bus import INBOX, flush, name_failures
from infra.feed import Listening
from infra.handoff import (
    ANSWER_BYTES_MAX,
    ANSWER_S,
    ASKED_MAX,
    FINISH_S,
    QUESTION_BYTES_MAX,
    TAKEN_MAX,
    Answers,
)
from infra.measures.tracing import continued, span, trace_headers
from infra.store import Unavailable

SUBJECT: Final = "truecup.handoff"
DEALERS: Final = "dealers"
PART_BYTES: Final = 256 * 1_024
"""A quarter of what NATS carries at most, if nobody has changed that."""
HEADERS_BYTES: Final = 1_024
"""What headers may take of a message."""
WAITING_MAX: Final = 4_096
"""Messages that the library keeps until they are looked at, which is at once."""

_PART: Final = "Truecup-Part"
_BUSY: Final = "Truecup-Busy"
_STATUS: Final = "Status"
_NO_RESPONDERS: Final = "503"

log = structlog.get_logger(__name__)


class _Coming:
    """An answer that is awaited, as far as it has come."""

    def __init__(self) -> None:
        self.whole: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._parts: list[bytes] = []
        self._bytes = 0

    def add(self, message: Msg) -> None:
        """Take what has come: a part, all of it, or that there will be none."""
        headers = message.headers or {}
        self._parts.append(message.data)
        self._bytes += len(message.data)
        if self.whole.done():
            return
        if headers.get(_STATUS) == _NO_RESPONDERS:
            self.whole.set_exception(Unavailable("no dealer answers"))
        elif _BUSY in headers:
            self.whole.set_exception(Unavailable("the dealer has its hands full"))
        elif self._bytes > ANSWER_BYTES_MAX:
            self.whole.set_exception(Unavailable("the answer does not end"))
        elif headers.get(_PART, "1/1") == f"{len(self._parts)}/{len(self._parts)}":
            self.whole.set_result(b"".join(self._parts))


class NatsHandoff:
    """The handoff over one connection, which others use, too."""

    def __init__(self, client: Client) -> None:
        """Ask and answer over this connection."""
        self._client = client
        self._numbers = count(1)
        self._asked: dict[str, _Coming] = {}
        self._inbox = client.new_inbox()
        self._opening = asyncio.Lock()
        self._listening: Subscription | None = None

    async def ask(self, question: bytes, wait_s: float = ANSWER_S) -> bytes:
        """Return the answer of one of those who answer."""
        assert len(question) <= QUESTION_BYTES_MAX
        if len(self._asked) >= ASKED_MAX:
            raise Unavailable("too many requests wait for a dealer")
        number, coming = str(next(self._numbers)), _Coming()
        self._asked[number] = coming
        try:
            with span("handoff.ask"):
                with name_failures():
                    await self._listen()
                    reply = f"{self._inbox}.{number}"
                    await self._client.publish(SUBJECT, question, reply=reply, headers=trace_headers())
                async with asyncio.timeout(wait_s):
                    return await coming.whole
        except TimeoutError as trouble:
            # It may have been done, and only nobody said so: the question has to be asked again as the same one.
            raise Unavailable("no dealer answered in time") from trouble
        finally:
            del self._asked[number]
            coming.whole.cancel()

    async def _listen(self) -> None:
        """Hear answers, from before the first question on."""
        async with self._opening:
            if self._listening is None:
                self._listening = await self._client.subscribe(
                    f"{self._inbox}.*",
                    cb=self._hear,
                    pending_msgs_limit=WAITING_MAX,
                    pending_bytes_limit=4 * ANSWER_BYTES_MAX,
                )

    async def _hear(self, message: Msg) -> None:
        coming = self._asked.get(message.subject.rpartition(".")[2])
        if coming is not None:
            coming.add(message)

    async def take(self, answers: Answers) -> Listening:
        """Answer a share of the questions from now on."""
        taking = _Taking(self._client, answers)
        await taking.start()
        return taking


class _Taking:
    """Questions that are answered here."""

    def __init__(self, client: Client, answers: Answers) -> None:
        self._client = client
        self._answers = answers
        self._taken: set[asyncio.Task[None]] = set()
        self._subscription: Subscription | None = None

    async def start(self) -> None:
        """Take questions from now on."""
        with name_failures():
            self._subscription = await self._client.subscribe(
                SUBJECT, queue=DEALERS, cb=self._take, pending_msgs_limit=WAITING_MAX
            )
        if self._client.is_connected:
            # Without an answer the server gets the subscription on reconnecting.
            with suppress(nats.errors.Error):
                await flush(self._client)

    async def _take(self, message: Msg) -> None:
        if not message.reply.startswith(f"{INBOX}."):
            # Whoever asks says where the answer goes: nowhere but where answers are awaited.
            return
        if len(self._taken) >= TAKEN_MAX:
            await self._send(message.reply, b"", {_BUSY: "1"})
            return
        task = asyncio.create_task(self._answer(message))
        self._taken.add(task)
        task.add_done_callback(self._taken.discard)

    async def _answer(self, message: Msg) -> None:
        """Answer a question. A crash before the answer has gone leaves the asker without one."""
        with continued(message.headers), span("handoff.answer"):
            answer = await self._answers(message.data)
        size = min(PART_BYTES, self._client.max_payload - HEADERS_BYTES)
        parts = [answer[start : start + size] for start in range(0, len(answer), size)] or [b""]
        for number, part in enumerate(parts, start=1):
            await self._send(message.reply, part, {_PART: f"{number}/{len(parts)}"})

    async def _send(self, to: str, body: bytes, headers: dict[str, str]) -> None:
        try:
            with name_failures():
                await self._client.publish(to, body, headers=headers)
        except Unavailable as trouble:
            log.warning("handoff.unsent", why=str(trouble))

    async def stop(self) -> None:
        """Take no more, and return when those in hand are answered, or have had their time."""
        assert self._subscription is not None, "it was started"
        with suppress(nats.errors.Error):
            await self._subscription.unsubscribe()
        if self._taken:
            await asyncio.wait(self._taken, timeout=FINISH_S)
        for task in self._taken:
            task.cancel()
