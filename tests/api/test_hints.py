"""Hints over HTTP: for whoever practises, and for nobody else."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import pytest

from domain import commands
from infra.sealing import Sealing
from infra.store import Choices, Unavailable
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.live.hint_desk import (
    FRAMES_MAX,
    PAGE,
    WAITING_MAX,
    AskedTwice,
    HintDesk,
    HintsBusy,
    PlayedTooLong,
    why_no_hints,
)
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.work.worker import Worker
from tests.api.conftest import RULES, Service, bearer, served
from tests.api.rooms import first_view
from tests.api.test_problems import check
from tests.api.test_real_match import Prompt


class PracticeTable:
    """A table of common hand with a person and what else there is."""

    def __init__(self, service: Service, *, hints: bool = True, bots: int = 2, people: int = 1) -> None:
        self.client = service.client
        given = {**RULES, "choices": {"hints": hints}}
        opened = self.client.post("/api/v1/matches", json=given).json()
        self.id, self.host = opened["match"], bearer(opened["token"])
        self.path = f"/api/v1/matches/{self.id}"
        names = ("Ada", "Bob")[:people]
        self.seats = [bearer(self._post("/seats", {"name": name}).json()["token"]) for name in names]
        if bots:
            self._post("/bots", {"count": bots})
        self._post("/start", {})

    def _post(self, path: str, body: object) -> Any:
        return self.client.post(f"{self.path}{path}", json=body, headers=self.host)

    def hint(self, **headers: str) -> Any:
        """Ask for a hint."""
        return self.client.get(f"{self.path}/hint", headers=headers)


def handler() -> Prompt:
    store = MemoryStore()
    return Prompt(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))


def test_whoever_practises_is_told_what_to_do_and_nobody_else() -> None:
    matches, worker = handler(), Worker()
    with served(Bounds(writes_per_s=100), matches, hints=HintDesk(worker)) as service:
        table = PracticeTable(service)
        (own,) = table.seats
        while (turn := table.client.get(table.path).json()["turn"]) != 1:
            check(table.hint(**own), 409, "nothing_to_decide")
            standing = table.client.get(table.path).json()["standing"]
            bid = commands.Bid(turn, 1 if standing is None else standing["quantity"] + 1, 2)
            asyncio.run(matches.submit(UUID(table.id), bid, CommandMetadata("bot", f"bot-{turn}", b"")))

        found = table.hint(**own)
        assert found.status_code == 200
        assert found.headers["cache-control"] == "no-store"
        hint = found.json()
        assert (hint["seat"], hint["by"], hint["deals"]) == (1, "worth", 256)
        worths = [option["q"][0] for option in hint["options"]]
        assert worths == sorted(worths, reverse=True)
        assert all(option["q"][1] == "sampled" for option in hint["options"])
        assert table.hint(**own).json() == hint

        check(table.hint(), 401, "no_token")
        check(table.hint(**table.host), 403, "not_a_seat")
        for other, why in ((PracticeTable(service, hints=False), "host"), (PracticeTable(service, people=2), "people")):
            refused = table.client.get(f"{other.path}/hint", headers=other.seats[0])
            check(refused, 403, "no_hints")
            assert refused.json()["why"] == why
    worker.close()


def test_where_no_hints_are_made_there_are_none() -> None:
    with served(Bounds(writes_per_s=100), handler()) as service:
        table = PracticeTable(service)
        check(table.hint(**table.seats[0]), 503, "unavailable")


def test_at_a_table_of_a_tournament_nobody_is_given_hints_whatever_its_card_says() -> None:
    rules = {"game": "common_hand", "event": {"tournament": str(UUID(int=1)), "round": 1, "table": 1}}
    view = first_view(UUID(int=2), rules, "all")
    assert why_no_hints(view, Choices(hints=True)) == "event"


# ---- the desk ------------------------------------------------------------------------------------


class Frames:
    """Frames that come when they may."""

    def __init__(self) -> None:
        self.may = asyncio.Event()

    async def none(self, _after: int, _limit: int) -> list[bytes]:
        """Return none, once they may come."""
        await self.may.wait()
        return []

    async def ever(self, _after: int, limit: int) -> list[bytes]:
        """Return more and more of them."""
        return [b"{}"] * limit


async def test_a_process_without_room_gives_no_hint() -> None:
    class Full(Worker):
        async def do(self, work: Any, given: Any) -> Any:
            raise MemoryError(work, given)

    frames = Frames()
    frames.may.set()
    with pytest.raises(Unavailable):
        await HintDesk(Full()).ask(UUID(int=0), 1, frames.none)


async def test_a_seat_waits_for_one_hint_at_a_time_and_few_wait_at_once() -> None:
    frames, worker = Frames(), Worker()
    desk = HintDesk(worker)
    waiting = [asyncio.create_task(desk.ask(UUID(int=match), 1, frames.none)) for match in range(WAITING_MAX)]
    await asyncio.sleep(0)
    with pytest.raises(AskedTwice):
        await desk.ask(UUID(int=0), 1, frames.none)
    with pytest.raises(HintsBusy):
        await desk.ask(UUID(int=0), 2, frames.none)
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    # Whoever goes away makes room.
    with pytest.raises(PlayedTooLong):
        await desk.ask(UUID(int=0), 1, frames.ever)
    assert FRAMES_MAX % PAGE == 0
    worker.close()
