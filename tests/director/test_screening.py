"""The screener: after each round, beside the director, the same however often it is killed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest

from domain.statistics.screening.screening import CaseFile, Measured, Screening
from domain.tournaments.record import stream_of
from infra.store import shard_of
from infra.store.memory import MemoryStore
from infra.store.people import StoredScreening
from services.matches.secrets.tokens import TokenIssuer
from services.relay.tournament_projector import TournamentProjector
from services.tournaments.handler import TournamentHandler
from services.tournaments.screening.cases import KeptScreening, kept_after, kept_from
from services.tournaments.screening.screener import Screener
from services.work import failures
from services.work.worker import Worker, WorkerLost
from tests.bots.test_player import working
from tests.director.house import EventHouse, Nap
from tests.director.test_tables import PATIENCE_S
from tests.failing import Failing

THREE = [{"format": "swiss", "rounds": 3, "sizes": {"preferred": 4, "min": 3, "max": 4}}]


def screener(store: MemoryStore, tournaments: TournamentHandler, worker: Worker | None = None) -> Screener:
    return Screener(store, store, tournaments, TokenIssuer(bytes(32)), Nap(), worker)


async def kept(store: MemoryStore, tournament: UUID) -> StoredScreening | None:
    return await store.screening(stream_of(tournament))


async def test_a_tournament_is_screened_after_each_round_and_again_to_the_same() -> None:
    store = MemoryStore()
    house = EventHouse(store)
    await house.announce(stages=THREE, entry={"bots": "only"})
    await house.enter_bots(4)
    await house.check_in()
    watching = EventHouse(store)
    async with working(*house.works(), house.director().run(), screener(store, watching.tournaments).run()):
        async with asyncio.timeout(PATIENCE_S):
            while (found := await kept(store, house.id)) is None or kept_from(found.body).round < 3:
                await asyncio.sleep(0.01)
    screened = kept_from(found.body)
    assert (screened.stage, screened.round, screened.pairs, screened.judged) == (1, 3, 12, True)
    # Whoever knows nothing but the log finds the same, and does not follow what is kept.
    other = EventHouse(store)
    await screener(store, other.tournaments).screen(house.id)
    assert await kept(store, house.id) == found
    store._screenings.clear()  # noqa: SLF001 - as an operator may delete the rows
    worker = Worker()
    await screener(store, EventHouse(store).tournaments, worker).screen(house.id)
    worker.close()
    assert await kept(store, house.id) == found


async def work_here(work: Callable[[Any], Any], given: Any) -> Any:
    return work(given)


@pytest.mark.parametrize("times_lost", [0, 1], ids=["at once", "once its process is not lost over it"])
async def test_a_tournament_that_ended_while_nobody_screened_is_screened_when_somebody_does(
    monkeypatch: pytest.MonkeyPatch, times_lost: int
) -> None:
    monkeypatch.setattr(failures, "AGAIN_MS", 50)
    worker, failing = Worker(), Failing(times_lost, WorkerLost("the process that does this has ended"))
    monkeypatch.setattr(worker, "do", failing.instead_of(work_here))
    store = MemoryStore()
    house = EventHouse(store)
    await house.announce(stages=THREE, entry={"bots": "only"})
    await house.enter_bots(4)
    await house.check_in()
    async with working(*house.works(), house.director().run()), asyncio.timeout(PATIENCE_S):
        while not (await house.tournament()).ended:
            await asyncio.sleep(0.01)
    shard, projector = shard_of(stream_of(house.id)), TournamentProjector(store)
    await projector.take(shard, await store.follow(shard, await projector.start(shard), 10_000))
    assert await kept(store, house.id) is None
    async with working(screener(store, EventHouse(store).tournaments, worker).run()), asyncio.timeout(PATIENCE_S):
        while (found := await kept(store, house.id)) is None or kept_from(found.body).round < 3:
            await asyncio.sleep(0.01)


def a_file(numbers: tuple[int, int], round_: int) -> CaseFile:
    return CaseFile(
        numbers, 1, round_, 3, None, Measured("1", "0", "1/9999", 9_999, stands_out=True), (), same_club=True,
        few=True, apart="0",
    )  # fmt: skip


@pytest.mark.parametrize("later", [(), ((1, 2),)], ids=["borne out no more", "borne out"])
def test_a_case_keeps_its_name_and_stays(later: tuple[tuple[int, int], ...]) -> None:
    first = kept_after(None, Screening((1, 3), 6, 12, True, (a_file((1, 2), 3),)), lambda _pair: "one")  # noqa: FBT003
    files = tuple(a_file(pair, 4) for pair in (*later, (0, 9)))
    after = kept_after(first, Screening((1, 4), 6, 12, True, files), lambda _pair: "another")  # noqa: FBT003
    assert [each.case for each in after.cases] == ["another", "one"]
    assert isinstance(after, KeptScreening)
    assert after.case("one") == a_file((1, 2), 4 if later else 3)
    assert after.case("nobody") is None
