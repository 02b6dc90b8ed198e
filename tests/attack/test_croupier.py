"""Trouble for whoever keeps what is due: a store that fails, a clock that is behind, one match that cannot go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from domain import commands
from domain.match.evolve import Match
from domain.match.record import fold
from infra.clock import now_ms
from infra.keys import Ed25519Signer
from infra.sealing import Sealing
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from services.dealer.notary import Notary
from services.dealer.scheduler import MatchScheduler
from services.matches import handler
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.work.failures import Stuck, Unreadable, take_due
from tests.relay.poison import POISONS, later_version, poison, waved

PATIENCE_S = 60
RULES = {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, "pause_ms": 0}


class Nap:
    """Wakes its sleeper soon."""

    async def wait(self, timeout_s: float) -> None:
        await asyncio.sleep(min(timeout_s, 0.001))


class Failing(MemoryStore):
    """Another program's way to a store: its reads fail, from the one with this number on, so many times."""

    left: int
    times: int

    def __init__(self, store: MemoryStore, number: int, times: int = 1) -> None:
        self.__dict__ = store.__dict__ | {"left": number, "times": times}

    async def _may_fail(self) -> None:
        self.left -= 1
        if self.left < 0 and self.times > 0:
            self.times -= 1
            raise Unavailable("for a moment")

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        await self._may_fail()
        return await super().read(stream, after, limit)

    async def follow(self, shard: int, after: int, limit: int) -> list[Any]:
        await self._may_fail()
        return await super().follow(shard, after, limit)


class Blind(Vault):
    """A vault that loses the secrets of one match."""

    lost: UUID | None = None

    async def keeper(self, match: Match) -> Any:
        if match.id == self.lost:
            raise RuntimeError("no secret here")
        return await super().keeper(match)


def house(store: MemoryStore) -> CommandHandler:
    return CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))


@asynccontextmanager
async def croupier(store: MemoryStore, matches: CommandHandler, stuck: Stuck | None = None) -> AsyncIterator[None]:
    notary = Notary(store, "croupier.example/log", (Ed25519Signer(bytes(32)),))
    task = asyncio.create_task(MatchScheduler(store, Heart(store), matches, notary, Nap(), stuck=stuck).run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def begun(matches: CommandHandler, name: str = "table") -> UUID:
    match_id = UUID((await matches.open(RULES, CommandMetadata("test", f"open-{name}", b""))).match)
    await matches.seat_bots(match_id, 2, CommandMetadata("test", f"bots-{name}", b""))
    await matches.start(match_id, CommandMetadata("test", f"start-{name}", b""))
    return match_id


async def until(store: MemoryStore, match_id: UUID, true: Callable[[Match], bool]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            (*_, (written, _)) = fold(await MemoryStore.read(store, f"match/{match_id}"))
            if true(written.match):
                return
            await asyncio.sleep(0.005)


def is_past(number: int, match: Match) -> bool:
    return match.table is not None and match.table.round_number > number


def is_dealt(match: Match) -> bool:
    return match.table is not None and match.table.turn is not None


@pytest.mark.parametrize("number", range(8))
async def test_a_store_that_fails_once_at_any_moment_leaves_no_match_waiting(number: int) -> None:
    store = MemoryStore()
    failing = Failing(store, number)
    async with croupier(failing, house(failing)):
        await asyncio.sleep(0.02)
        await until(store, await begun(house(store)), is_dealt)


async def test_a_store_that_fails_at_the_start_is_waited_for() -> None:
    store = MemoryStore()
    match_id = await begun(house(store))
    failing = Failing(store, 0, times=2)
    async with croupier(failing, house(failing)):
        await until(store, match_id, is_dealt)


class Slow(MemoryStore):
    """Another program's way to a store: each read takes a moment, and is noted."""

    looked_at: set[str]

    def __init__(self, store: MemoryStore) -> None:
        self.__dict__ = store.__dict__ | {"looked_at": set[str]()}

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        self.looked_at.add(stream)
        await asyncio.sleep(0.02)
        return await super().read(stream, after, limit)


async def test_a_table_is_dealt_before_all_those_of_before_the_start_were_read() -> None:
    store = MemoryStore()
    old = {f"match/{await begun(house(store), f'old-{number}')}" for number in range(120)}
    slow = Slow(store)
    async with croupier(slow, house(slow)):
        await asyncio.sleep(0.03)
        await until(store, await begun(house(store), "new"), is_dealt)
        assert 0 < len(slow.looked_at & old) < len(old)


async def test_a_deciding_clock_that_is_behind_delays_a_match_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    store, real, behind_ms = MemoryStore(), now_ms, 400
    begun_at = real()
    monkeypatch.setattr(handler, "now_ms", lambda: max(begun_at, real() - behind_ms))
    rules = {**RULES, "options": {"elimination": "none"}, "pause_ms": 200}
    matches = house(store)
    match_id = UUID((await matches.open(rules, CommandMetadata("test", "open", b""))).match)
    await matches.seat_bots(match_id, 2, CommandMetadata("test", "bots", b""))
    async with croupier(store, house(store)):
        await matches.start(match_id, CommandMetadata("test", "start", b""))
        await until(store, match_id, is_dealt)
        for round_number in (1, 2):
            await play_a_round(matches, match_id, round_number)
            await until(store, match_id, partial(is_past, round_number))


async def play_a_round(matches: CommandHandler, match_id: UUID, number: int) -> None:
    table = (await matches.load_match(match_id)).match.table
    assert table is not None
    assert table.turn is not None
    first = table.turn
    await matches.submit(match_id, commands.Bid(first, 1, 2), CommandMetadata("test", f"bid-{number}", b""))
    await matches.submit(match_id, commands.Challenge(3 - first), CommandMetadata("test", f"doubt-{number}", b""))


async def test_a_match_that_cannot_go_on_stops_no_other() -> None:
    store = MemoryStore()
    vault = Blind(store, Sealing(bytes(32)))
    lost = await begun(house(store), "lost")
    vault.lost = lost
    async with croupier(store, CommandHandler(store, vault, TokenIssuer(bytes(32)))):
        await until(store, await begun(house(store), "other"), is_dealt)
    (*_, (written, _)) = fold(await store.read(f"match/{lost}"))
    assert not is_dealt(written.match)


@pytest.mark.parametrize("kind", POISONS)
@pytest.mark.parametrize("at_start", [False, True])
async def test_a_match_that_cannot_be_read_stops_no_other(kind: str, *, at_start: bool) -> None:
    store, stuck = MemoryStore(), Stuck()
    broken = await begun(house(store), "broken")
    if at_start:
        await poison(store, f"match/{broken}", POISONS[kind])
    async with croupier(store, house(store), stuck):
        await until(store, await begun(house(store), "first"), is_dealt)
        if not at_start:
            await poison(store, f"match/{broken}", POISONS[kind])
        await until(store, await begun(house(store), "second"), is_dealt)
    assert stuck.is_stuck("croupier", f"match/{broken}")


def test_work_that_may_not_have_read_a_match_does_not_show_that_it_can_be_read() -> None:
    stuck = Stuck()
    with stuck.contain_failures("croupier", "match/1"):
        raise ValueError
    with stuck.contain_failures("croupier", "match/1", reads=False):
        pass
    assert stuck.is_stuck("croupier", "match/1")
    with stuck.contain_failures("croupier", "match/1"):
        pass
    assert not stuck.is_stuck("croupier", "match/1")


def caused(fault: Exception, cause: Exception) -> Exception:
    fault.__cause__ = cause
    return fault


FAULTS: dict[str, tuple[Exception, bool]] = {
    "no room": (MemoryError(), True),
    "no thread": (RuntimeError("can't start new thread"), True),
    "a match that is not read": (Unreadable("match/1"), True),
    "no room to read a line": (caused(Unreadable("match/1", b"{}"), MemoryError()), True),
    "a line that is not read": (caused(Unreadable("match/1", b"{}"), ValueError()), False),
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_failed_is_put_back_unless_it_is_a_line_that_can_never_be_read(name: str) -> None:
    fault, is_tried_again = FAULTS[name]
    later, sooner = dict[str, int](), {"match/1": 1}
    with Stuck().contain_failures("croupier", "match/1") as contained:
        raise fault
    contained.put_back(later, "match/1")
    contained.put_back(sooner, "match/1")
    assert contained.failed
    assert bool(later) == is_tried_again
    assert sooner == {"match/1": 1}
    assert take_due(later) == []
    assert take_due(sooner) == ["match/1"]


async def test_a_later_version_of_the_program_deals_where_the_earlier_one_could_not() -> None:
    store, stuck = MemoryStore(), Stuck()
    match_id = await begun(house(store))
    await poison(store, f"match/{match_id}", waved)
    async with croupier(store, house(store), stuck):
        await until(store, await begun(house(store), "other"), is_dealt)
    with later_version():
        async with croupier(store, house(store)):
            await until(store, match_id, is_dealt)


async def test_a_stored_answer_is_given_again_whatever_became_of_the_match() -> None:
    store = MemoryStore()
    match_id = await begun(house(store))
    ask = CommandMetadata("test", "start-table", b"")
    answer = await house(store).start(match_id, ask)
    await poison(store, f"match/{match_id}")
    assert await house(store).start(match_id, ask) == answer
    with pytest.raises(Unreadable):
        await house(store).start(match_id, CommandMetadata("test", "start-again", b""))
