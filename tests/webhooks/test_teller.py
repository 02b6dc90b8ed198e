"""Hooks of a tournament are told of it: nothing is lost, whoever is killed; what is not taken comes again, and ends."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import count
from typing import Any, Final

import pytest
import pytest_asyncio

from domain.tournaments import commands
from infra.abroad.addresses import BadUrl
from infra.abroad.pinned import PinnedPoster, Unreached
from infra.store import EventStore
from infra.store.hooks import HookNote
from infra.store.memory import MemoryStore
from services.matches.requests import KeyUsed
from services.matches.secrets.tokens import TokenIssuer
from services.webhooks.hooks import (
    HOOKS_MAX,
    TRIALS_AT_ONCE,
    HookMade,
    HookOrder,
    Hooks,
    TooManyHooks,
    TooManyTrials,
    UnknownHook,
)
from services.webhooks.teller import PAUSE_MS, RETRIES_S, Teller
from tests.bots.test_player import working
from tests.director.conftest import wait
from tests.director.house import EventHouse, Nap
from tests.webhooks.listening import Ear, listening

__all__ = ["wait"]
OLD, NEW = b"o" * 32, b"n" * 32
HOUR_MS: Final = 3_600_000


class HookHouse(EventHouse):
    """A house whose tournaments have hooks; its ids begin where it is said, so that some may share a store."""

    def __init__(self, store: EventStore, begins: int = 0) -> None:
        super().__init__(store)
        self._numbers = count(begins)

    def hooks(self, *keys: bytes) -> Hooks:
        return Hooks(self.store, TokenIssuer(*(keys or (OLD,))), PinnedPoster(anywhere=True))

    def teller(self, *keys: bytes) -> Teller:
        return Teller(self.store, TokenIssuer(*(keys or (OLD,))), PinnedPoster(anywhere=True), Nap())

    async def hook(self, url: str, **members: Any) -> HookMade:
        version = (await self.tournament()).version
        return await self.hooks().make(self.id, HookOrder(url, **members), self.ask(), version)

    async def state(self) -> tuple[str, int | None, str | None, int]:
        (view,) = await self.hooks().all_of(self.id)
        return view.state, view.status, view.why, view.waiting


@pytest_asyncio.fixture
async def house() -> HookHouse:
    found = HookHouse(MemoryStore())
    await found.announce()
    return found


@pytest_asyncio.fixture
async def ear() -> AsyncIterator[Ear]:
    async with listening(Ear(204)) as found:
        yield found


async def test_a_hook_is_told_of_what_follows_in_order_and_once(house: HookHouse, ear: Ear) -> None:
    await house.hook(ear.url)
    assert await house.teller().work() == 0, "nothing has happened yet"
    await house.enter("Ana", "Bob")
    teller = house.teller()
    assert [await teller.work(), await teller.work()] == [1, 0]
    assert ear.types == ["tournament.opened", "player.registered", "player.registered"]
    assert ear.ids == [f"{house.id}.{seq}" for seq in (2, 3, 4)]
    assert await house.state() == ("on", 204, None, 0)


async def test_a_hook_is_told_only_of_what_it_asked_for(house: HookHouse, ear: Ear) -> None:
    await house.hook(ear.url, events=("player.withdrawn",))
    await house.enter("Ana", "Bob")
    await house.do(commands.Withdraw(by=house.host, number=2, reason="request"))
    await house.teller().work()
    assert [(one.message["type"], one.message["data"]["number"]) for one in ear.heard] == [("player.withdrawn", 2)]


async def test_whoever_is_killed_before_a_note_leaves_the_message_to_be_sent_again(house: HookHouse, ear: Ear) -> None:
    await house.hook(ear.url)
    await house.enter("Ana")
    noted, kept = 0, house.store.note_told

    async def killed(hook: Any, told: HookNote) -> bool:
        nonlocal noted
        noted += 1
        if noted % 2:
            raise ConnectionAbortedError("killed between the post and the note")
        return await kept(hook, told)

    house.store.note_told = killed  # type: ignore[method-assign]
    for _ in range(4):
        (hook,) = await house.store.hooks(f"tournament/{house.id}")
        try:
            await house.teller().tell(hook)
        except ConnectionAbortedError:
            continue
    house.store.note_told = kept  # type: ignore[method-assign]
    assert list(dict.fromkeys(ear.ids)) == [f"{house.id}.2", f"{house.id}.3"], "in order, none left out"
    assert len(ear.ids) > 2


async def test_two_tellers_at_once_tell_it_once(house: HookHouse, ear: Ear) -> None:
    await house.hook(ear.url)
    await house.enter("Ana", "Bob", "Cyd")
    await asyncio.gather(*(house.teller().work() for _ in range(4)))
    assert sorted(ear.ids) == sorted(set(ear.ids))
    assert len(ear.ids) == 4


async def test_what_is_not_taken_comes_again_and_holds_up_nothing(
    house: HookHouse, wait: Callable[[int], None]
) -> None:
    async with listening(Ear(500, 204)) as ear:
        await house.hook(ear.url)
        await house.enter("Ana")
        teller = house.teller()
        await teller.work()
        assert ear.types == ["tournament.opened"]
        assert await house.state() == ("on", 500, "refused", 1)
        assert await teller.work() == 0, "it is left alone for a moment"
        wait(PAUSE_MS)
        await teller.work()
        wait(PAUSE_MS)
        await teller.work()
        assert sorted(ear.types[1:]) == ["player.registered", "tournament.opened"]
        assert ear.ids.count(f"{house.id}.2") == 2
        assert await house.state() == ("on", 204, None, 0)


async def test_after_the_last_time_a_hook_is_off_and_says_why(house: HookHouse, wait: Callable[[int], None]) -> None:
    async with listening(Ear(503)) as ear:
        await house.hook(ear.url)
        await house.do(commands.OpenEntry(by=house.host))
        teller, waits = house.teller(), []
        await teller.work()
        for seconds in RETRIES_S:
            (hook,) = await house.store.hooks(f"tournament/{house.id}")
            (retry,) = await house.store.retries(hook.id)
            assert hook.told_at is not None
            waits.append((retry.due_at - hook.told_at) / 1_000 / seconds)
            wait(seconds * 1_000 - 1_000)
            await teller.work()
            wait(seconds * 100 + 1_100)
            await teller.work()
        assert len(ear.heard) == 1 + len(RETRIES_S)
        assert set(ear.ids) == {f"{house.id}.2"}
        assert all(0.999 <= each < 1.101 for each in waits), waits
        assert len(set(waits)) > 1, "not all come back at the same time"
        assert await house.state() == ("off", 503, "gave_up", 1)
        wait(24 * HOUR_MS)
        await house.do(commands.CloseEntry(by=house.host))
        assert await teller.work() == 0


async def test_an_address_that_says_it_is_gone_is_told_no_more(house: HookHouse) -> None:
    async with listening(Ear(410)) as ear:
        await house.hook(ear.url)
        await house.enter("Ana", "Bob")
        await house.teller().work()
        assert len(ear.heard) == 1
        assert await house.state() == ("off", 410, "gone", 0)


async def test_a_hook_is_over_with_its_tournament(house: HookHouse, ear: Ear) -> None:
    await house.hook(ear.url)
    await house.do(commands.Cancel(by=house.host, reason="other", note="ab" * 32))
    async with working(house.director().run()), asyncio.timeout(60):
        while (await house.tournament()).phase != "closed":
            await asyncio.sleep(0.005)
    teller = house.teller()
    await teller.work()
    assert ear.types == ["tournament.cancelled"]
    assert (await house.state())[0] == "over"
    assert await teller.work() == 0


async def test_a_running_teller_tells_as_it_happens(house: HookHouse, ear: Ear) -> None:
    await house.hook(ear.url)
    async with working(house.teller().run()), asyncio.timeout(60):
        await house.enter("Ana")
        while len(ear.heard) < 2:
            await asyncio.sleep(0.005)


async def test_a_log_that_grows_all_the_time_is_looked_at_some_times_a_second(house: HookHouse) -> None:
    asked, lease = 0, house.store.lease_hooks

    async def counted(now: int, until: int, limit: int) -> Any:
        nonlocal asked
        asked += 1
        return await lease(now, until, limit)

    house.store.lease_hooks = counted  # type: ignore[method-assign]
    async with working(house.teller().run()):
        await asyncio.sleep(0.5)
    assert 1 <= asked <= 3, "its waker wakes it a thousand times a second"


async def test_a_repeat_makes_one_hook_and_gets_the_same_secret(house: HookHouse, ear: Ear) -> None:
    ask = house.ask()
    first = await house.hooks().make(house.id, HookOrder(ear.url), ask, 2)
    assert first.secret is not None
    assert first.secret.startswith("whsec_")
    assert await house.hooks().make(house.id, HookOrder(ear.url), ask, 2) == first
    other = type(ask)(ask.scope, ask.key, b"another request")
    with pytest.raises(KeyUsed):
        await house.hooks().make(house.id, HookOrder(ear.url), other, 2)
    assert [view.url for view in await house.hooks().all_of(house.id)] == [ear.url.replace("/told", "/…told")]


async def test_a_hook_keeps_its_secret_under_another_key_of_the_house_and_is_off_without_its_own(
    house: HookHouse, ear: Ear
) -> None:
    ask = house.ask()
    first = await house.hooks(OLD).make(house.id, HookOrder(ear.url), ask, 2)
    assert await house.hooks(NEW, OLD).make(house.id, HookOrder(ear.url), ask, 2) == first
    await house.enter("Ana")
    await house.teller(NEW, OLD).work()
    assert len(ear.heard) == 2
    await house.do(commands.CloseEntry(by=house.host))
    await house.teller(NEW).work()
    assert await house.state() == ("off", None, "no_secret", 0)
    assert len(ear.heard) == 2


async def test_there_are_so_many_hooks_and_no_more_and_none_that_leads_nowhere(house: HookHouse, ear: Ear) -> None:
    for _ in range(HOOKS_MAX):
        await house.hook(ear.url, kind="slack")
    with pytest.raises(TooManyHooks):
        await house.hook(ear.url)
    with pytest.raises(BadUrl):
        await Hooks(house.store, TokenIssuer(OLD), PinnedPoster()).make(house.id, HookOrder(ear.url), house.ask(), 1)


async def test_a_hook_is_tried_without_anything_happening(house: HookHouse, ear: Ear) -> None:
    made = await house.hook(ear.url, kind="discord", language="en")
    assert made.secret is None, "a chat checks no signature"
    (hook,) = await house.store.hooks(f"tournament/{house.id}")
    found = await house.hooks().trial(house.id, hook.id, 1)
    assert (found.taken, found.status, found.why) == (True, 204, None)
    assert ear.heard[0].message["content"] == "A tournament: this is a test, and nothing has happened."
    ear.statuses = [404]
    found = await house.hooks().trial(house.id, hook.id, 1)
    assert (found.taken, found.status, found.why) == (False, 404, "refused")
    await house.hooks().drop(house.id, hook.id)
    with pytest.raises(UnknownHook):
        await house.hooks().drop(house.id, hook.id)
    with pytest.raises(UnknownHook):
        await house.hooks().trial(house.id, hook.id, 1)


async def test_few_hooks_are_tried_at_once(house: HookHouse, ear: Ear) -> None:
    await house.hook(ear.url)
    (hook,) = await house.store.hooks(f"tournament/{house.id}")
    hooks = house.hooks()
    tries = [hooks.trial(house.id, hook.id, 1) for _ in range(TRIALS_AT_ONCE + 2)]
    found = await asyncio.gather(*tries, return_exceptions=True)
    assert [isinstance(one, TooManyTrials) for one in found] == [*[False] * TRIALS_AT_ONCE, True, True]
    assert (await hooks.trial(house.id, hook.id, 1)).taken, "they are over"


async def test_what_a_house_may_not_reach_is_not_tried(house: HookHouse, ear: Ear) -> None:
    await house.hook(ear.url)
    await house.enter("Ana")
    await Teller(house.store, TokenIssuer(OLD), PinnedPoster(), Nap()).work()
    assert ear.heard == []
    assert await house.state() == ("on", None, "bad_url", 1)
    with pytest.raises(Unreached):
        await PinnedPoster().post(ear.url, b"", {})
