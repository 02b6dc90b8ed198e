"""A house with a proxy in every line: to its database, to its bus, and to the people who play and watch there."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from time import monotonic, sleep

import httpx

from infra.store.migrate import migrate
from services.local.servers import WATCH_S, LocalServers
from tests.adversity.proxy import Proxy, Streams, proxied, way_to
from tests.crash.gate import Gate, Moment
from tests.crash.house import LOOK_S, ROOT, START_S, WAIT_S, Service

PROGRAM = ROOT / "tests" / "crash" / "leaping.py"
INSISTS_S = START_S
"""Whoever is not answered for so long is not answered."""
APPENDED = Moment("something is stored, and nobody knows", "append_set", kept="answer", once="")
SERVERS, BUS = "servers", "nats"
"""Below the folder of a house: what it stands on, and what is in there."""


class Besieged:
    """A house whose lines somebody holds.

    Attributes:
        folder: Where everything is.
        servers: A Postgres and a NATS, which are started again when they die.
        database: The line to the one.
        bus: The line to the other.
        people: The line to players and spectators.
        appends: What can have an answer of the database to an append kept.
        service: The program.
        wrong: Answers that nobody may get, and lines of its log that nobody should read.
        slowest_ms: The longest that anybody has waited for an answer.
    """

    database: Proxy
    bus: Proxy
    people: Proxy
    service: Service

    def __init__(self, folder: Path, servers: LocalServers) -> None:
        """Stand on these servers; `besieged` puts in the lines and the program."""
        self.folder, self.servers = folder, servers
        self.appends = Gate(APPENDED)
        self.appends.rest()
        self.wrong: list[str] = []
        self.slowest_ms = 0.0

    @property
    def url(self) -> str:
        """Where people find it."""
        return self.people.url

    @property
    def lines(self) -> dict[str, Proxy]:
        """Return the lines by what is at their other end."""
        return {"database": self.database, "bus": self.bus, "people": self.people}

    def client(self) -> httpx.Client:
        """Return a client of its interface, who remembers what should not have been said."""
        return httpx.Client(base_url=self.url + "/api/v1", timeout=WAIT_S, event_hooks={"response": [self._hear]})

    def insisting(self) -> Insisting:
        """Return the house as whoever asks until it is answered finds it."""
        return Insisting(self)

    def _hear(self, answer: httpx.Response) -> None:
        if answer.is_server_error or not answer.request.url.path.endswith("/stream"):
            answer.read()
            self.slowest_ms = max(self.slowest_ms, answer.elapsed.total_seconds() * 1_000)
        self.note(answer)

    def note(self, answer: httpx.Response) -> None:
        """Remember an answer that nobody may get."""
        if answer.is_server_error and answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
            self.wrong.append(f"{answer.status_code} at {answer.request.url.path}: {answer.text}")

    async def reach(self) -> Streams:
        """Connect to the program, wherever it listens since it was started last."""
        try:
            url = self.service.url
        except FileNotFoundError:
            url = ""
        if not url:
            raise ConnectionRefusedError("it starts")
        return await way_to(url)()

    def restart(self) -> None:
        """Kill the program, and start it again."""
        self.service.kill()
        self.service.start()

    def set_ahead(self, ms: int) -> None:
        """Let the clock of the program be ahead of the machine's by so much."""
        new = self.service.folder / "ahead.new"
        new.write_text(str(ms))
        new.replace(self.service.folder / "ahead")

    def end(self) -> None:
        """Stop the program as a supervisor does, and hold it to that it ends well."""
        os.kill(self.service.pid, signal.SIGTERM)
        assert self.service.wait() == 0, self.service.log[-2_000:]
        self.wrong += [line for line in self.service.log.splitlines() if "Traceback" in line or "[error" in line]


class Insisting:
    """A house that answers in the end, whatever happens to it meanwhile."""

    def __init__(self, house: Besieged) -> None:
        """Ask this one."""
        self._house = house

    def client(self) -> httpx.Client:
        """Return a client that asks again until it has an answer."""
        hooks = {"response": [self._house.note]}
        return httpx.Client(base_url=self._house.url + "/api/v1", transport=Again(), timeout=WAIT_S, event_hooks=hooks)


class Again(httpx.HTTPTransport):
    """Requests that are made again while nobody answers, or only that nobody can just now."""

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, all of it; what is asked so may be asked twice."""
        deadline = monotonic() + INSISTS_S
        while True:
            try:
                answer = super().handle_request(request)
                answer.read()
            except httpx.TransportError:
                if monotonic() > deadline:
                    raise
            else:
                if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE or monotonic() > deadline:
                    return answer
            sleep(LOOK_S)


@asynccontextmanager
async def besieged(folder: Path, *, leaps: bool = False) -> AsyncIterator[Besieged]:
    """Open a house below a folder, on a clock that may be set if it is to leap; it ends where the context does."""
    async with LocalServers(folder / SERVERS, restart_max_s=WATCH_S) as servers:
        await migrate(servers.database_url)
        house = Besieged(folder, servers)
        async with AsyncExitStack() as lines:
            house.database = await lines.enter_async_context(proxied(servers.database_url, house.appends.listener))
            house.bus = await lines.enter_async_context(proxied(servers.nats_url))
            (folder / "service").mkdir()
            program = (str(PROGRAM),) if leaps else ()
            house.service = Service(house.database.url, house.bus.url, folder / "service", *program)
            house.set_ahead(0)
            await asyncio.to_thread(house.service.start)
            lines.callback(house.service.kill)
            house.people = await lines.enter_async_context(proxied(house.service.url, reach=house.reach))
            yield house
            await asyncio.to_thread(house.end)
