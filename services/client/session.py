"""A seat at work: its match followed, its commands sent, its seeds given, and what it is shown checked.

The law of the file: whatever is shown is held against what was shown before and against what the server has signed, and
the first thing that cannot be so ends the session. Nothing is asked for any more then.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, Self

import httpx
import msgspec

from domain.log.receipts import AnotherHistory
from infra.abroad.outgoing import OutgoingClient
from services.client.following import Broke, follow
from services.client.house import ANSWER_S, CONNECT_S, CannotDo, SeatLost, answer_or_fail, kept_here, read_reply
from services.client.proving import Proof, Proving
from services.client.records import Untrue
from services.client.seating import Sitting
from services.client.seeds import BoardSeeds, SeedKeeper, board_asking
from services.client.sending import Sender
from services.client.signing import SeatSigner, Shield
from services.client.socket import MatchSocket

Json = dict[str, Any]
AGAIN_S: Final = 1.0
LOOKS_MAX: Final = 600
"""How often the deal of a board is looked at: it waits for seeds, for the log, for openings, and may begin anew."""
TRIES: Final = 5
"""How often something is asked for that is for no player to ask, and how long to wait in between."""
NOT_FOUND: Final = "not_found"
"""What a house of before says of an address that it does not have."""


class SeatSession:
    """A seat, from the moment at which it is taken up to the end of the match.

    Attributes:
        sitting: The seat.
        view: What it sees now; None before the first item.
    """

    def __init__(self, sitting: Sitting, broke: Broke, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """Take up a seat.

        Args:
            sitting: The seat.
            broke: Told of every break of the connection.
            transport: What carries requests, where it is not the usual one.
        """
        self.sitting = sitting
        self.view: Json | None = None
        timeout = httpx.Timeout(ANSWER_S, connect=CONNECT_S)
        self._client = OutgoingClient(base_url=f"{sitting.base}/api/v1", timeout=timeout, transport=transport)
        self._broke = broke
        self._socket = MatchSocket(sitting.base, sitting.match)
        self._sender = Sender(self._client, self._socket, sitting.match)
        # What seeds ask for is no player's command: the two never take the place of each other.
        self._giver = Sender(self._client, self._socket, sitting.match)
        self._seeds = SeedKeeper(sitting, self._record, self._give)
        self._boards = BoardSeeds(sitting, self._record, self._draw, self._give_board)
        self._board: str | None = None
        self._proving = Proving(sitting, self._record, self._openings)
        self._signer = SeatSigner(sitting, self._lines, self._openings)
        self._seat: int | None = None
        self._kicked: str | None = None
        self._items: asyncio.Queue[Json | Exception | None] = asyncio.Queue()
        self._seen = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._check: asyncio.Task[None] | None = None
        self.alarm: Exception | None = None

    @property
    def shield(self) -> Shield:
        """Whether what is asked for is signed with the key of the seat."""
        shield = self._signer.shield
        return "refused" if shield == "none" and self.sitting.keyless else shield

    @property
    def key(self) -> str | None:
        """The public key that is here for the seat, as hex."""
        return self._signer.public

    @property
    def proof(self) -> Proof:
        """What is known of one's own dice as they lie there now."""
        return self._proving.proof

    async def __aenter__(self) -> Self:
        """Begin to follow the match."""
        self._begin(self._follow())
        self._begin(self._give_seeds())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the match; the seat stays."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._client.aclose()
        # Whose disk is full still was told so when it came to that.
        with suppress(OSError):
            self.sitting.kept.write_rest()

    async def items(self) -> AsyncGenerator[Json, None]:
        """Yield what is said of the match, item by item, until it ends.

        Raises:
            Untrue: The server says something that cannot be so.
            AnotherHistory: It shows another history than before.
            SeatLost: The seat was given up, or the host has taken it out, before the match began.
            CannotDo: Nobody answers, or what is answered is no stream of a match.
        """
        while (item := await self._items.get()) is not None:
            if isinstance(item, Exception):
                raise item
            yield item

    async def ask(self, command: Json, *, host: bool = False) -> int:
        """Ask for something, as the seat or as the host of the table; return the version it led to.

        Raises:
            AnotherHistory: The receipt is not what it should be.
            CannotDo: The server says no, or nobody answers, or nothing is asked of this server any more.
        """
        if self.alarm is not None:
            raise CannotDo(str(self.alarm))
        if host:
            return self._take(await self._sender.send(command, self._host_token()))
        try:
            async with self._signer.signed(command, self.view) as asked:
                return self._take(await self._sender.send(asked, self.sitting.token))
        except (Untrue, AnotherHistory) as trouble:
            self.alarm = trouble
            raise

    def _take(self, answer: Json) -> int:
        """Take what an accepted command is answered with, and return the version it led to.

        Raises:
            CannotDo: What was asked for is done, but its receipt cannot be kept.
        """
        with read_reply():
            self._signer.answered(int(answer["version"]))
            with kept_here(after="it is done, but "):
                self.sitting.kept.take(answer)
            return int(answer["version"])

    def _host_token(self) -> str:
        """Return what the host asks with: whoever opened the table has a token for it, until it is handed to a seat."""
        is_handed_over = self.view is not None and self.view.get("host") is not None
        return self.sitting.token if is_handed_over else self.sitting.host or self.sitting.token

    # ---- what goes on meanwhile -------------------------------------------------------------------

    def _begin(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(self._work(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        # Of a task that is cancelled before it begins, nobody would await the work.
        task.add_done_callback(lambda _: work.close())
        return task

    async def _work(self, work: Coroutine[None, None, None]) -> None:
        """Work; whatever comes of it that cannot be so is told to whoever looks."""
        try:
            await work
        except (Untrue, AnotherHistory) as trouble:
            self.alarm = trouble
            self._items.put_nowait(trouble)
        except CannotDo as trouble:
            self._items.put_nowait(trouble)

    async def _follow(self) -> None:
        sitting = self.sitting
        async for item in follow(sitting.base, sitting.match, sitting.token, self._socket, broke=self._broke):
            with read_reply():
                self._see(item)
                lost = self._loss(item)
            self._items.put_nowait(item)
            if lost is not None:
                raise lost
        # What was done in the name of the seat up to the end is looked at before the end is told.
        await self._attempt(lambda: self._signer.reach(0 if self.view is None else self.view["version"]))
        self._items.put_nowait(None)

    def _see(self, item: Json) -> None:
        shown = item.get("snapshot", item)
        if "head" not in shown:
            return
        self.sitting.kept.see(shown["version"], shown["head"])
        self._sender.seen = shown["version"]
        view = item["snapshot"] if "snapshot" in item else item["view"]
        self.view = view
        if self._signer.hear(item):
            self._begin(self._attempt(lambda: self._signer.reach(shown["version"])))
        self._seen.set()
        if self._proving.hear(view, item["event"]["type"] if "event" in item else ""):
            if self._check is not None:
                self._check.cancel()
            self._check = self._begin(self._attempt(lambda: self._proving.check(view)))

    def _loss(self, item: Json) -> SeatLost | None:
        """Return what is to be said where an item takes the seat away; the stream goes on, as for whoever watches."""
        view, event = item.get("snapshot") or item.get("view") or {}, item.get("event") or {}
        if not view:
            return None
        is_open = view["phase"] == "lobby" and not view.get("locked")
        if "snapshot" in item and view["viewer"] is None:
            # It was lost before it was looked through: what happened to it lies behind.
            return SeatLost(None, is_open=is_open)
        ours = self._seat is not None and event.get("seat") == self._seat
        if ours and event["type"] == "game.kicked":
            self._kicked = event["reason"]
        if ours and event["type"] == "seat.left" and all(seat["seat"] != self._seat for seat in view["seats"]):
            return SeatLost(self._kicked, is_open=is_open)
        self._seat = self._seat if view["viewer"] is None else view["viewer"]
        return None

    async def _give_seeds(self) -> None:
        while True:
            await self._seen.wait()
            self._seen.clear()
            await self._attempt(self._see_seeds)

    async def _see_seeds(self) -> None:
        assert self.view is not None, "it was seen"
        with read_reply():
            await self._seeds.see(self.view)
            board = board_asking(self.view)
        if board is not None and self._board is None:
            self._board = board
            self._begin(self._draw_for(board))

    async def _draw_for(self, board: str) -> None:
        """Look after the seed for a board until its dice are there. It waits a while, and nobody tells of it."""
        for _ in range(LOOKS_MAX):
            try:
                with read_reply():
                    if await self._boards.look(board):
                        return
            except CannotDo:
                pass
            await asyncio.sleep(AGAIN_S)

    async def _attempt(self, work: Callable[[], Awaitable[None]]) -> None:
        """Do this, again and again where the server cannot be asked, and give up: no player has to hear of it."""
        for _ in range(TRIES):
            try:
                await work()
            except CannotDo:
                await asyncio.sleep(AGAIN_S)
            else:
                return

    async def _give(self, command: Json) -> None:
        async with self._signer.signed(command, self.view, newest=True) as asked:
            self._take(await self._giver.send(asked, self.sitting.token))

    async def _record(self, stream: str) -> bytes:
        """Return what is known of a stream: of the match the lines as far as it is seen, of a board what it has now."""
        kind, _, name = stream.partition("/")
        if kind == "board":
            return (await self._asked("GET", f"/boards/{name}/record")).content
        return await self._signer.record(0 if self.view is None else self.view["version"])

    async def _lines(self, after: int) -> bytes:
        """Return the lines of the match behind a version, as many as come at once."""
        path = f"/matches/{self.sitting.match}/lines"
        try:
            return (await self._asked("GET", f"{path}?after={after}" if after else path, self._bearer())).content
        except CannotDo as no:
            if no.code != NOT_FOUND:
                raise
        # A house of before gives whole records alone.
        record = (await self._asked("GET", f"/matches/{self.sitting.match}/record")).content
        return b"\n".join(record.split(b"\n")[after:])

    async def _openings(self) -> list[Json]:
        answer = await self._asked("GET", f"/matches/{self.sitting.match}/openings", self._bearer())
        with read_reply():
            return msgspec.json.decode(answer.content, type=list[Json])

    async def _draw(self, board: str) -> Json:
        answer = await self._asked("GET", f"/boards/{board}/me", self._bearer())
        with read_reply():
            return msgspec.json.decode(answer.content, type=Json)

    async def _give_board(self, board: str, command: Json) -> None:
        await self._asked("POST", f"/boards/{board}/commands", self._bearer(), command)

    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.sitting.token}"}

    async def _asked(
        self, method: str, path: str, headers: dict[str, str] | None = None, body: Json | None = None
    ) -> httpx.Response:
        try:
            answer = await self._client.request(method, path, headers=headers, json=body)
        except httpx.TransportError as trouble:
            raise CannotDo(f"nobody answers at {self.sitting.base}") from trouble
        return answer_or_fail(answer)
