"""A clock that leaps between the look whether it has and the look what is due, while the store is waited for."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from domain import commands, events
from infra.clock import now_ms
from infra.keys import Ed25519Signer
from infra.store import Append, Outcome
from services.dealer import usher as usher_module
from services.dealer.notary import Notary
from services.dealer.scheduler import MatchScheduler
from services.matches.requests import CommandMetadata
from tests.idle.house import House, Nap, is_dealt, is_over, working
from tests.idle.test_clocks_that_leap import HOUR_MS


@pytest.fixture
def house(monkeypatch: pytest.MonkeyPatch) -> House:
    return House(monkeypatch)


async def test_who_is_in_turn_after_one_who_acted_in_the_last_moment_has_a_whole_turn(house: House) -> None:
    heart = house.heart()
    matches = house.program(heart)
    advance, load, leapt = matches.advance, matches.load_match, list[UUID]()

    async def leaping(match_id: UUID, at_least: int | None = None) -> Any:
        found = await load(match_id, at_least)
        if not leapt:
            leapt.append(match_id)
            house.step(HOUR_MS)
        return found

    async def passed(match_id: UUID, ask: CommandMetadata) -> Any:
        if leapt or not is_dealt(await house.match(match_id)):
            return await advance(match_id, ask)
        await house.bid(match_id)
        try:
            return await advance(match_id, ask)
        finally:
            matches.load_match = leaping  # type: ignore[method-assign]

    matches.advance = passed  # type: ignore[method-assign]
    notary = Notary(house.store, "idle.example/log", (Ed25519Signer(bytes(32)),))
    async with working(MatchScheduler(house.store, heart, matches, notary, Nap(), tables=house.tables).run()):
        await house.becomes(lambda: heart.beginnings > 0)
        match_id = await house.begun("Ada", "Bob")
        await house.until(match_id, is_dealt)
        house.wait(60_100)
        await house.becomes(lambda: bool(leapt))
        await house.becomes(lambda: heart.beginnings > 1)
        await house.stays(match_id)
    assert not [each for each in await house.events(match_id) if isinstance(each, events.Absent)]


async def test_a_leap_while_a_table_starts_takes_no_lobbys_time(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(usher_module, "LOBBIES_S", 60.0)
    lobby, starts = await house.opened(), await house.opened(starts_at=now_ms() + 30_000)
    for name in ("Ada", "Bob", "Cyd"):
        await house.matches.join(starts, name, "server", house.ask())
    await house.register()
    stores, leapt = house.store.append, list[str]()

    async def slow(append: Append) -> Outcome:
        if append.stream == f"match/{starts}" and not leapt:
            leapt.append(append.stream)
            house.step(HOUR_MS)
        return await stores(append)

    house.store.append = slow  # type: ignore[method-assign]
    async with house.usher(house.heart()):
        house.wait(30_000)
        await house.until(starts, lambda match: match.table is not None)
        await house.stays(lobby)
    assert leapt
    assert not (await house.match(lobby)).ended


async def test_a_lobby_that_moves_after_a_leap_though_nobody_comes_has_its_whole_time(house: House) -> None:
    match_id = await house.opened(host={})
    await house.matches.join(match_id, "Ada", "server", house.ask())
    await house.register()
    heart = house.heart()
    async with house.croupier(heart), house.usher(heart):
        house.step(HOUR_MS)
        await house.becomes(lambda: heart.beginnings > 1)
        house.wait(5_000)
        await house.matches.submit(match_id, commands.LockTable(), house.ask())
        await house.register()
        house.wait(2_000)
        await house.stays(match_id)
        assert not (await house.match(match_id)).ended
        house.wait(90_000)
        await house.until(match_id, is_over)
