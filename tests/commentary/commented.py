"""A house with a match that is played by hand, over HTTP, and people who write about it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Any
from uuid import UUID

import httpx

from domain import commands
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.chance import NO_CHANCE
from services.matches.handler import CommandHandler
from services.matches.requests import Answer, CommandMetadata
from tests.api.conftest import bearer, served
from tests.director.house import EventHouse
from tests.handoff.remote_house import RemoteHouse

NUMBERS = count()
RULES = {"game": "common_hand", "pause_ms": 0}


class Prompt(CommandHandler):
    """Matches whose sealed deals count as logged at once: the log is not what is looked at here."""

    async def start(self, match_id: UUID, ask: CommandMetadata) -> Answer:
        """Start, and take the first deal past the log."""
        answer = await super().start(match_id, ask)
        logged = CommandMetadata("table", f"log-{match_id}", b"")
        await self.submit(match_id, commands.LogDeal(0, 0, (), "checkpoint"), logged)
        return answer


class Here(EventHouse):
    """A house that decides by itself."""

    handles = Prompt


class Elsewhere(RemoteHouse):
    """A house whose interface hands over what it is asked."""

    handles = Prompt


class Table:
    """A match of two seats, and what is asked about it."""

    def __init__(self, front: Front, **members: Any) -> None:
        self.front = front
        opened = front.ask("POST", "/matches", {"rules": RULES, **members}).json()
        self.id, self.host = opened["match"], opened["token"]
        self.path = f"/matches/{self.id}"
        invite = {"invite": opened["invite"]} if "invite" in opened else {}
        self.seats = {
            seat: front.ask("POST", f"{self.path}/seats", {"name": name, **invite}).json()["token"]
            for seat, name in ((1, "Ada"), (2, "Bob"))
        }
        assert front.ask("POST", f"{self.path}/start", token=self.host).status_code == 200

    @property
    def version(self) -> int:
        """How far it is shown to everybody."""
        version: int = self.front.ask("GET", self.path).json()["version"]
        return version

    def act(self, kind: str, **members: Any) -> None:
        """Let the seat act whose turn it is."""
        turn = self.front.ask("GET", self.path, token=self.seats[1]).json()["turn"]
        done = self.front.ask("POST", f"{self.path}/commands", {"type": kind, **members}, self.seats[turn])
        assert done.status_code == 200, done.text

    def next_round(self) -> None:
        """Doubt the standing claim, and open the next round."""
        self.act("challenge")
        ask = CommandMetadata("table", f"advance-{next(NUMBERS)}", b"")
        asyncio.run(self.front.house.matches.submit(UUID(self.id), commands.Advance(NO_CHANCE), ask))

    def end(self) -> None:
        """End the match."""
        gone = self.front.ask("POST", f"{self.path}/commands", {"type": "resign"}, self.seats[1])
        assert gone.status_code == 200, gone.text

    def say(self, token: str | None, text: str = "well bid", key: str | None = None, **members: Any) -> httpx.Response:
        """Say something about it."""
        body = {"version": 1, "lang": "en", "text": text, **members}
        return self.front.ask("POST", f"{self.path}/comments", body, token, key)

    def said(self, token: str | None, text: str = "well bid", **members: Any) -> str:
        """Say something about it, and return the id of that."""
        answer = self.say(token, text, **members)
        assert answer.status_code == 201, answer.text
        comment: str = answer.json()["comment"]
        return comment

    def read(self, token: str | None = None) -> list[dict[str, Any]]:
        """Return what may be read."""
        found = self.front.ask("GET", f"{self.path}/comments", token=token)
        assert found.status_code == 200, found.text
        comments: list[dict[str, Any]] = found.json()
        return comments

    def let(self, *casters: str, everybody: bool = False, token: str | None = None) -> httpx.Response:
        """Say who may write."""
        body = {"casters": casters, "everybody": everybody}
        return self.front.ask("PUT", f"{self.path}/comments/writers", body, token or self.host)


class Front:
    """The interface of a house, as people use it."""

    def __init__(self, house: EventHouse, client: httpx.Client) -> None:
        self.house, self.client = house, client

    def ask(
        self, method: str, path: str, body: object = None, token: str | None = None, key: str | None = None
    ) -> httpx.Response:
        """Ask for something under a key of its own, unless one is given."""
        headers = {} if token is None else bearer(token)
        headers["Idempotency-Key"] = key or f"a-key-of-its-own-{next(NUMBERS):08}"
        return self.client.request(method, f"/api/v1{path}", json=body, headers=headers)

    def player(self, name: str) -> tuple[str, str]:
        """Make a player known, and return id and token."""
        answer = self.ask("POST", "/players", {"name": name})
        assert answer.status_code == 201, answer.text
        return answer.json()["player"], answer.json()["token"]


@contextmanager
def commented(kind: type[EventHouse] = Here) -> Iterator[Front]:
    """Serve a house of this kind."""
    house = kind(MemoryStore())
    with served(Bounds(writes_per_s=100_000), house.matches, events=house, comments=house.comments) as service:
        yield Front(house, service.client)


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check a no, and return its facts."""
    assert (answer.status_code, answer.json()["code"]) == (status, code), answer.text
    facts: dict[str, Any] = answer.json()
    return facts
