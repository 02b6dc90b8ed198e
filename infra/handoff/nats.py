"""The handoff over core NATS: requests to a queue group, and answers in one part or several."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from itertools import count
from typing import Final

import nats.errors
import structlog
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.aio.subscription import Subscription

from infra.bus import INBOX, flush, name_failures
from infra.clock import now_ms
from infra.entropy import draw
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
from infra.handoff.rota import BEAT_S, DealerBeat, Rota
from infra.measures.tracing import continued, span, trace_headers
from infra.store import Unavailable

SUBJECT: Final = "truecup.handoff"
DEALERS: Final = "dealers"
DEALERS_THERE: Final = "truecup.dealers"
PART_BYTES: Final = 256 * 1_024
"""A quarter of what NATS carries at most, if nobody has changed that."""
HEADERS_BYTES: Final = 1_024
"""What headers may take of a message."""
WAITING_MAX: Final = 4_096
"""Messages that the library keeps until they are looked at, which is at once."""
WATCH_S: Final = 0.25
"""How often it is looked at whether those who are asked are there."""
ASKS_MAX: Final = 3
"""How many may go away, one after the other, before they have answered a question."""

CLOCK: Final = "Truecup-Clock"
"""A header of word that a dealer is there: the time by its clock, in milliseconds."""
BEAT: Final = re.compile(rb"([0-9a-f]{16}) ([0-9]{1,9})")
"""Only what a dealer calls itself becomes part of a subject."""
_PART: Final = "Truecup-Part"
_BUSY: Final = "Truecup-Busy"
_STATUS: Final = "Status"
_NO_RESPONDERS: Final = "503"

log = structlog.get_logger(__name__)


class _Lost(Exception):  # noqa: N818 - named for what happened
    """No answer to a question will come, or none that is waited for."""


class _Nobody(Unavailable):
    """The bus says that nobody listens where the question went."""


class _Coming:
    """An answer that is awaited, as far as it has come.

    Attributes:
        asked: Who was asked; None if it was any of them.
        era: How often this program had lost the bus before it asked.
    """

    def __init__(self, asked: DealerBeat | None, era: int) -> None:
        self.asked, self.era = asked, era
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
            self.whole.set_exception(_Nobody("no dealer answers"))
        elif _BUSY in headers:
            self.whole.set_exception(Unavailable("the dealer has its hands full"))
        elif self._bytes > ANSWER_BYTES_MAX:
            self.whole.set_exception(Unavailable("the answer does not end"))
        elif headers.get(_PART, "1/1") == f"{len(self._parts)}/{len(self._parts)}":
            self.whole.set_result(b"".join(self._parts))

    def lose(self) -> None:
        """Wait for no answer any more."""
        if not self.whole.done():
            self.whole.set_exception(_Lost())


class NatsHandoff:
    """The handoff over one connection, which others use, too."""

    def __init__(self, client: Client) -> None:
        """Ask and answer over this connection."""
        self._client = client
        self._numbers = count(1)
        self._asked: dict[str, _Coming] = {}
        self._inbox = client.new_inbox()
        self._opening = asyncio.Lock()
        self._listening = self._hears_dealers = False
        self._rota, self._names = Rota(), set[str]()
        self._watching: asyncio.Task[None] | None = None

    async def ask(self, question: bytes, wait_s: float = ANSWER_S, about: str = "") -> bytes:
        """Return the answer of one of those who answer."""
        assert len(question) <= QUESTION_BYTES_MAX
        if len(self._asked) >= ASKED_MAX:
            raise Unavailable("too many requests wait for a dealer")
        try:
            with span("handoff.ask"):
                async with asyncio.timeout(wait_s):
                    for _ in range(ASKS_MAX):
                        with suppress(_Lost):
                            return await self._ask_somebody(question, about)
        except TimeoutError as trouble:
            # It may have been done, and only nobody said so: the question has to be asked again as the same one.
            raise Unavailable("no dealer answered in time") from trouble
        raise Unavailable("whoever is asked goes away")

    async def _ask_somebody(self, question: bytes, about: str) -> bytes:
        """Ask whoever is there, or any of them where he has just gone, or nobody has been heard."""
        number = str(next(self._numbers))
        with name_failures():
            await self._listen()
        asked = self._rota.chosen(about or number, _now())
        if asked is not None:
            with suppress(_Nobody):
                return await self._ask(f"{SUBJECT}.{asked.name}", number, question, asked)
        return await self._ask(SUBJECT, number, question, None)

    async def _ask(self, subject: str, number: str, question: bytes, asked: DealerBeat | None) -> bytes:
        self._asked[number] = coming = _Coming(asked, self._era)
        if self._watching is None or self._watching.done():
            self._watching = asyncio.create_task(self._watch())
        try:
            with name_failures():
                reply = f"{self._inbox}.{number}"
                await self._client.publish(subject, question, reply=reply, headers=trace_headers())
            return await coming.whole
        finally:
            del self._asked[number]
            coming.whole.cancel()

    @property
    def _era(self) -> int:
        return era_of(self._client)

    async def _watch(self) -> None:
        """Find what will not be answered, while anything is waited for.

        After a pause of this program nobody is given up before what came meanwhile is heard.
        """
        while self._asked:
            looked = _now()
            await asyncio.sleep(WATCH_S)
            now = _now()
            paused = now - looked > 2 * WATCH_S
            for coming in list(self._asked.values()):
                cut = coming.era != self._era or not self._client.is_connected
                gone = coming.asked is not None and not paused and self._rota.is_lost(coming.asked, now)
                if cut or gone:
                    coming.lose()

    async def _listen(self) -> None:
        """Hear answers, and who is there, from before the first question on."""
        if self._listening:
            return
        async with self._opening:
            if self._listening:
                return
            await self._client.subscribe(
                f"{self._inbox}.*",
                cb=self._hear,
                pending_msgs_limit=WAITING_MAX,
                pending_bytes_limit=4 * ANSWER_BYTES_MAX,
            )
            await self._hear_dealers()
            self._listening = True

    async def _hear_dealers(self) -> None:
        """Hear who is there, once for all that is done here."""
        if not self._hears_dealers:
            self._hears_dealers = True
            await self._client.subscribe(DEALERS_THERE, cb=self._hear_beat, pending_msgs_limit=WAITING_MAX)

    async def _hear(self, message: Msg) -> None:
        coming = self._asked.get(message.subject.rpartition(".")[2])
        if coming is not None:
            coming.add(message)

    async def _hear_beat(self, message: Msg) -> None:
        found = BEAT.fullmatch(message.data)
        if found is not None:
            self._rota.hear(DealerBeat(found[1].decode(), int(found[2]), _now()))

    async def take(self, answers: Answers) -> Listening:
        """Answer a share of the questions from now on."""
        taking = _Taking(self._client, answers)
        self._names.add(taking.name)
        with name_failures():
            await self._hear_dealers()
        await taking.start()
        return taking

    def is_of_another(self, about: str) -> bool:
        """Report whether somebody else is there who is asked about this first."""
        asked = self._rota.chosen(about, _now())
        return asked is not None and asked.name not in self._names


class _Taking:
    """Questions that are answered here: those to any, and those to this one, by its name."""

    def __init__(self, client: Client, answers: Answers) -> None:
        self._client = client
        self._answers = answers
        self.name = draw(8).hex()
        self._taken: set[asyncio.Task[None]] = set()
        self._subscriptions: list[Subscription] = []
        self._beating: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Take questions from now on."""
        with name_failures():
            for subject, queue in ((SUBJECT, DEALERS), (f"{SUBJECT}.{self.name}", "")):
                self._subscriptions.append(
                    await self._client.subscribe(subject, queue, self._take, pending_msgs_limit=WAITING_MAX)
                )
        if self._client.is_connected:
            # Without an answer the server gets the subscription on reconnecting.
            with suppress(nats.errors.Error, OSError):
                await flush(self._client)
        self._beating = asyncio.create_task(self._beat())

    async def _beat(self) -> None:
        """Say that this one is there, for those who ask; while the bus is away nobody would hear it."""
        while True:
            with suppress(nats.errors.Error, OSError):
                beat = f"{self.name} {era_of(self._client)}".encode()
                await self._client.publish(DEALERS_THERE, beat, headers={CLOCK: str(now_ms())})
            await asyncio.sleep(BEAT_S)

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
        assert self._beating is not None, "it was started"
        self._beating.cancel()
        for subscription in self._subscriptions:
            with suppress(nats.errors.Error):
                await subscription.unsubscribe()
        if self._taken:
            await asyncio.wait(self._taken, timeout=FINISH_S)
        for task in self._taken:
            task.cancel()


def era_of(client: Client) -> int:
    """Return how often a connection has lost the bus and found it again."""
    return client.stats["reconnects"]


def _now() -> float:
    return asyncio.get_running_loop().time()
