"""The interface over a house without dice, served by the real server on a free port."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, cast
from uuid import UUID

import httpx
import pytest
from litestar import Litestar

from domain.match.settings import rules_object, settings_of
from infra.store.memory import MemoryStore
from services.api.application import create_app
from services.api.dependencies import Dependencies, HintPort, NoHints
from services.api.reference.openapi import describe
from services.cli.operating.until_stopped import event_loop
from services.http.bounds import Bounds
from services.http.front.proxies import Proxies
from services.http.front.server import NOBODY, USUAL, BoundedServer
from services.http.front.sockets import Terms
from services.http.game_cards import cards
from services.program.site import HouseSite
from services.web.invitations import Reach
from services.web.pages import web_handlers
from services.web.seasons.sites import SeasonSite
from services.web.sites import CommentSite
from services.web.tournaments.sites import TournamentSite
from tests.api.analysed import AnalysedPages, AnalysedRecords
from tests.api.documented import Documented
from tests.api.house import House
from tests.director.house import EventHouse
from tests.web.event_pages import busy_site

RULES = {"rules": {"game": "common_hand"}}


class Service:
    """A running server, its house and a client."""

    def __init__(
        self, app: Litestar, house: House, parts: Dependencies, server: BoundedServer, client: httpx.Client
    ) -> None:
        self.app = app
        self.house = house
        self.parts = parts
        self.server = server
        self.client = client

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.server.port}"


class Table:
    """A match that has been opened over HTTP."""

    def __init__(self, service: Service) -> None:
        self.client = service.client
        opened = service.client.post("/api/v1/matches", json=RULES)
        assert opened.status_code == 201, opened.text
        self.id = opened.json()["match"]
        self.path = f"/api/v1/matches/{self.id}"
        self.host = bearer(opened.json()["token"])
        self._rooms = service.house.rooms

    def spell_out(self) -> Table:
        """Have its rules spelled out, as those of every match are outside tests: its pages read them."""
        self._rooms[UUID(self.id)].move(rules=rules_object(settings_of({**RULES["rules"], "options": {}})))
        return self

    def join(self, name: str) -> dict[str, str]:
        """Take a seat and return its header."""
        return bearer(self.client.post(f"{self.path}/seats", json={"name": name}).json()["token"])

    def start(self) -> None:
        """Start."""
        started = self.client.post(f"{self.path}/start", headers=self.host)
        assert started.status_code == 200, started.text

    def play(self, seat: dict[str, str], command: object, **headers: str) -> httpx.Response:
        """Send a command."""
        return self.client.post(f"{self.path}/commands", json=command, headers=seat | headers)


def bearer(token: str) -> dict[str, str]:
    """Return the header that shows a token."""
    return {"Authorization": f"Bearer {token}"}


@contextmanager
def served(
    bounds: Bounds,
    matches: Any = None,
    terms: Terms = USUAL,
    proxies: Proxies = NOBODY,
    hosts: frozenset[str] | None = None,
    reach: Reach = tuple,
    events: EventHouse | None = None,
    shown: TournamentSite | None = None,
    beyond: SeasonSite | None = None,
    comments: CommentSite | None = None,
    hints: HintPort | None = None,
) -> Iterator[Service]:
    """Serve a new house in a thread of its own, with matches and tournaments of its own unless others are given."""
    house = House()

    async def disk() -> str | None:
        return "the disk is full" if house.full else None

    async def notice() -> str | None:
        return house.notice

    site = HouseSite(matches or cast(Any, house), house.report, cards())
    pages = web_handlers(site, reach, describe, shown or busy_site(), beyond, comments)
    port: Any = matches or house
    events = events or EventHouse(MemoryStore())
    said: dict[str, Any] = {**events.parts(), "checks": {"disk": disk}, "notices": {"log": notice}}
    said |= {"handlers": pages, "analyses": AnalysedRecords(), "pages": AnalysedPages(), "hints": hints or NoHints()}
    parts = Dependencies(port, house, house, house.report, cards(), **said, bounds=bounds, hosts=hosts)
    app = create_app(parts)
    server = BoundedServer(app, parts.doors, "127.0.0.1", 0, terms, proxies)
    hooks: dict[str, list[Any]] = {"response": [Documented(app)]}
    with (
        running(server),
        httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60, event_hooks=hooks) as client,
    ):
        yield Service(app, house, parts, server, client)


@contextmanager
def running(server: BoundedServer) -> Iterator[None]:
    """Run a server in a thread of its own, on the event loop that the program has."""

    def serve() -> None:
        with asyncio.Runner(loop_factory=event_loop) as runner:
            runner.run(server.serve())

    thread = threading.Thread(target=serve)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        thread.join(0.01)
    try:
        yield
    finally:
        server.should_exit = True
        thread.join(60)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    """Return a running service whose bounds no test reaches."""
    with served(Bounds(writes_per_s=100_000, audits_per_s=100_000)) as running:
        yield running


@pytest.fixture
def table(service: Service) -> Table:
    """Return a new table in the lobby."""
    service.house.quantity = 0
    return Table(service)


@pytest.fixture
def match(table: Table) -> tuple[Table, dict[str, str], dict[str, str]]:
    """Return a table in play, with the headers of its two seats; the first is to bid."""
    first, second = table.join("Ada"), table.join("Bob")
    table.start()
    return table, first, second
