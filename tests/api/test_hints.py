"""Hints over HTTP: for whoever practises, and for nobody else."""

from __future__ import annotations

import asyncio
from fractions import Fraction
from itertools import pairwise
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain import commands
from domain.analysis.figures import exact
from domain.analysis.hints import Hint, StandingHint
from domain.analysis.report import Stands
from domain.ids import RoundNumber, Seat, Version
from infra.clock import ticks_s
from infra.sealing import Sealing
from infra.store import Choices, Unavailable
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.live import untold
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
from services.live.untold import left_of_step
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.work.worker import Worker
from tests.api.conftest import RULES, Service, bearer, served
from tests.api.rooms import first_view
from tests.api.test_problems import check
from tests.api.test_real_match import Prompt
from tests.simulation.loop import in_made_up_time


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


class Slow(Worker):
    """A process that takes as long as it is told, and notes when it is given something."""

    def __init__(self, *takes_s: float) -> None:
        super().__init__()
        self.takes_s, self.began = list(takes_s), list[float]()

    async def do(self, _work: Any, _given: Any) -> Any:
        self.began.append(asyncio.get_running_loop().time())
        await asyncio.sleep(self.takes_s.pop(0))


def test_who_waits_behind_a_seat_does_so_for_whole_steps_even_if_that_has_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untold, "STEP_S", 0.3)
    in_made_up_time(_some_wait_behind_seats())


async def _some_wait_behind_seats() -> None:
    frames, worker = Frames(), Slow(0.01, 0.06, 0.0)
    frames.may.set()
    desk, loop = HintDesk(worker), asyncio.get_running_loop()
    first, gone, last = (asyncio.create_task(desk.ask(UUID(int=match), 1, frames.none)) for match in range(3))
    await first
    # Whoever asked is told at once.
    assert loop.time() - worker.began[0] < 0.3
    while len(worker.began) < 2:
        await asyncio.sleep(0.01)
    gone.cancel()
    await last
    waited = [later - earlier for earlier, later in pairwise(worker.began)]
    assert [each >= 0.3 for each in waited] == [True, True]
    # A place is taken as long as the turn is: when it is free says no more.
    waiting = [asyncio.create_task(desk.ask(UUID(int=match), 1, Frames().none)) for match in range(WAITING_MAX - 1)]
    await asyncio.sleep(0)
    with pytest.raises(HintsBusy):
        await desk.ask(UUID(int=99), 1, frames.none)
    await asyncio.sleep(0.3)
    worker.takes_s.append(0.0)
    assert await desk.ask(UUID(int=99), 1, frames.none) is None
    for each in waiting:
        each.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


@given(halves=st.integers(0, 100))
def test_what_is_left_of_a_step_ends_it(halves: int) -> None:
    gone = halves * untold.STEP_S / 2
    assert (left_of_step(gone), gone + left_of_step(gone)) == (
        (untold.STEP_S, gone + untold.STEP_S) if halves % 2 == 0 else (untold.STEP_S / 2, gone + untold.STEP_S / 2)
    )


class AtOnce:
    """A desk that has a hint for everybody."""

    async def ask(self, match_id: UUID, seat: Seat, _frames: Any) -> Hint | None:
        """Return one of no moves."""
        claim = StandingHint(seat, {}, exact(Fraction(1)))
        return Hint(Version(1), RoundNumber(1), seat, "level1", str(match_id), Stands("match"), (), standing=claim)


def test_others_of_a_network_wait_for_a_hint_for_whole_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(untold, "STEP_S", 3.0)
    with served(Bounds(writes_per_s=100, dear_at_once=1), handler(), hints=AtOnce()) as service:
        table = PracticeTable(service)
        began = ticks_s()
        assert table.hint(**table.seats[0]).status_code == 200
        told = ticks_s()
        assert service.client.get(table.path).status_code == 200
        assert service.client.get("/api/v1/statistics").status_code == 200
        assert told - began < 3.0 <= ticks_s() - began
        lines = table.client.get("/metrics").text.splitlines()
        (noted,) = [line for line in lines if line.startswith("truecup_request_seconds_sum") and "/hint" in line]
        assert noted.endswith(" 3.0")
