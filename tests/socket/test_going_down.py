"""The service goes down: what was taken is answered, matches say bye, and the socket closes within a moment."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from services.http.bounds import Bounds
from tests.api.conftest import Table, served
from tests.socket.speaking import key, last_words, speaking, token_of


def test_a_socket_hears_bye_and_that_the_service_goes() -> None:
    with served(Bounds()) as service, speaking(service) as watching, speaking(service) as resting:
        table = Table(service)
        watching.watch(table, id=1)
        watching.hear()
        service.server.should_exit = True
        assert last_words(watching) == ([{"watch": 1, "match": table.id, "bye": 1}], 1001)
        assert last_words(resting) == ([], 1001)


def test_a_command_under_way_is_answered_first(monkeypatch: pytest.MonkeyPatch) -> None:
    with served(Bounds()) as service:
        table = Table(service)
        seat = table.join("Ada")
        table.join("Bob")
        table.start()
        begun, real = threading.Event(), service.house.submit

        async def slow(*asked: Any) -> Any:
            begun.set()
            while service.parts.doors.are_open:
                await asyncio.sleep(0.01)
            return await real(*asked)

        monkeypatch.setattr(service.house, "submit", slow)
        with speaking(service) as speaker:
            about = {"match": table.id, "token": token_of(seat), "key": key()}
            speaker.say({"id": 1, "do": "command", **about, "command": {"type": "bid", "quantity": 1, "face": 3}})
            assert begun.wait(60)
            service.server.should_exit = True
            said, code = last_words(speaker)
        assert [(one["id"], one["status"]) for one in said] == [(1, 200)]
        assert code == 1001


def test_what_is_not_answered_in_the_end_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.http.front.server.HURRY_S", 0.2)
    with served(Bounds()) as service:
        table = Table(service)
        seat = table.join("Ada")
        begun, over = threading.Event(), threading.Event()

        async def never(*_: Any) -> Any:
            begun.set()
            while not over.is_set():
                await asyncio.sleep(0.01)

        monkeypatch.setattr(service.house, "submit", never)
        with speaking(service) as speaker:
            about = {"match": table.id, "token": token_of(seat), "key": key(), "command": {"type": "challenge"}}
            speaker.say({"id": 1, "do": "command", **about})
            speaker.say({"id": 2, "do": "command", **about})
            assert begun.wait(60)
            service.server.should_exit = True
            said, code = last_words(speaker)
            over.set()
        assert [(one["id"], one["status"], one["code"]) for one in said] == [(1, 503, "closing"), (2, 503, "closing")]
        assert code == 1001
