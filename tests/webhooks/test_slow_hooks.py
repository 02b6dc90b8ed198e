"""Hooks that answer slowly leave room for those that do not, at their own host and in their own tournament."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from uuid import UUID

import pytest

from domain.tournaments import commands
from infra.abroad.pinned import PinnedPoster
from infra.clock import now_ms
from infra.store.hooks import HookNote, Retry, StoredHook
from infra.store.memory import MemoryStore
from services.matches.secrets.tokens import TokenIssuer
from services.webhooks import teller as teller_module
from services.webhooks.teller import HOOKS_MAX, OF_HOST_MAX, OF_TOURNAMENT_MAX, SLOW_SHARE, Teller, has_room
from tests.bots.test_player import working
from tests.director.conftest import wait
from tests.director.house import Nap
from tests.webhooks.listening import Ear, SlowEar, listening
from tests.webhooks.test_teller import HOUR_MS, OLD, HookHouse, ear, house

__all__ = ["ear", "house", "wait"]


async def test_a_slow_hook_has_short_turns_and_stands_behind_those_that_are_not(house: HookHouse, ear: Ear) -> None:
    async with listening(SlowEar(0.8)) as slow:
        await house.hook(slow.url)
        await house.hook(ear.url)
        await house.enter("Ana", "Bob")
        teller = Teller(house.store, TokenIssuer(OLD), PinnedPoster(anywhere=True), Nap(), turn_s=0.7)
        await teller.work()
        assert (len(slow.heard), len(ear.heard)) == (1, 3)
        await house.do(commands.CloseEntry(by=house.host))
        found = await house.store.lease_hooks(now_ms(), now_ms(), 2)
        assert [hook.url for hook in found] == [ear.url, slow.url]
        for _ in range(3):
            await teller.work()
        assert slow.ids == ear.ids, "none is left out, and none comes twice"


async def hooked(store: MemoryStore, begins: int, url: str, hooks: int) -> HookHouse:
    """Return a tournament that has so many hooks at an address."""
    found = HookHouse(store, begins)
    await found.announce()
    for _ in range(hooks):
        await found.hook(url)
    return found


def to_this_machine() -> PinnedPoster:
    """Return a poster that finds every name at this machine."""

    async def resolve(*_: object) -> list[str]:
        return ["127.0.0.1"]

    return PinnedPoster(anywhere=True, resolve=resolve)


async def crowd_and_one(store: MemoryStore, crowded: str, hooks: int, ear: Ear) -> HookHouse:
    """Fill three tournaments with news for so many hooks each at one address, and return a fourth with an ear."""
    for begins in (1_000, 2_000, 3_000):
        one = await hooked(store, begins, crowded, hooks)
        await one.enter(*(f"P{number}" for number in range(20)))
    return await hooked(store, 4_000, ear.url, 1)


def every_turn_is_over(slow: SlowEar, tournaments: int, hooks: int) -> bool:
    """Report whether each hook has had a turn: all were told of its first line, and none is told now."""
    told: dict[str, Counter[int]] = {}
    for one in slow.heard:
        tournament, _, seq = one.headers["webhook-id"].partition(".")
        told.setdefault(tournament, Counter())[int(seq)] += 1
    return [lines[min(lines)] for lines in told.values()] == [hooks] * tournaments and not slow.now["all"]


async def test_slow_hooks_of_some_tournaments_leave_room_for_those_of_others() -> None:
    store, slow = MemoryStore(), SlowEar()
    async with listening(slow), listening(Ear(204)) as ear, asyncio.timeout(60):
        good = await crowd_and_one(store, slow.url.replace("127.0.0.1", "slow.club.org"), 8, ear)
        async with working(Teller(store, TokenIssuer(OLD), to_this_machine(), Nap()).run()):
            while len(slow.heard) < OF_HOST_MAX:
                await asyncio.sleep(0.005)
            await good.enter("Ana")
            while len(ear.heard) < 2:
                await asyncio.sleep(0.005)
            slow.answers.set()
    assert slow.most.pop("all") == OF_HOST_MAX
    assert max(slow.most.values()) == OF_TOURNAMENT_MAX


async def test_those_that_were_slow_have_a_part_of_what_their_host_has() -> None:
    store, slow = MemoryStore(), SlowEar()
    slow.answers.set()
    lease, turned = store.lease_hooks, set[UUID]()

    async def noted(now: int, until: int, limit: int) -> list[StoredHook]:
        found = await lease(now, until, limit)
        turned.update(hook.id for hook in found)
        return found

    store.lease_hooks = noted  # type: ignore[method-assign]
    async with listening(slow), listening(Ear(204)) as ear, asyncio.timeout(60):
        good = await crowd_and_one(store, slow.url.replace("127.0.0.1", "hooks.chat.org"), 4, ear)
        async with working(Teller(store, TokenIssuer(OLD), to_this_machine(), Nap(), turn_s=0.0).run()):
            while not every_turn_is_over(slow, 3, 4):
                await asyncio.sleep(0.005)
            slow.answers.clear()
            slow.most = Counter(slow.now)
            turned.clear()
            await good.enter("Ana")
            while len(turned) < 3 * 4 + 1 or slow.now["all"] < OF_HOST_MAX // SLOW_SHARE or len(ear.heard) < 2:
                await asyncio.sleep(0.005)
            assert slow.most["all"] == OF_HOST_MAX // SLOW_SHARE
            slow.answers.set()


def test_a_fast_hook_finds_room_beside_any_number_of_slow_ones_at_its_host() -> None:
    url = "https://hooks.chat.org/told"
    many = range(OF_HOST_MAX + 2)
    hooks = [StoredHook(UUID(int=n), f"event {n}", url, "json", "en", (), b"", b"", 0, 0) for n in many]
    slow = {hook.id for hook in hooks[:OF_HOST_MAX]}
    told: list[StoredHook] = []
    for hook in hooks:
        if has_room(hook, told, slow):
            told.append(hook)
    assert told == hooks[: OF_HOST_MAX // SLOW_SHARE] + hooks[OF_HOST_MAX:]
    assert not has_room(hooks[0], told, slow)
    assert has_room(hooks[0], told[:1], slow)
    assert has_room(hooks[0], told, ()), "one that was fast again has what all have"


# ---- hooks with as much waiting as may ----------------------------------------------------------


async def wait_in_vain(house: HookHouse, *seqs: int) -> None:
    """Have every hook of a tournament told up to these lines, of which the first is due again in an hour."""
    for hook in await house.store.hooks(f"tournament/{house.id}"):
        for number, seq in enumerate(seqs, start=1):
            again = Retry(seq, 3, now_ms() + number * HOUR_MS)
            assert await house.store.note_told(hook.id, HookNote(max(seqs) + 1, 0, again=again))


async def test_a_hook_that_is_told_nothing_new_is_left_alone_until_something_is_due(
    house: HookHouse, ear: Ear, wait: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teller_module, "WAITING_MAX", 2)
    await house.hook(ear.url)
    await house.enter("Ana", "Bob")
    await wait_in_vain(house, 2, 3)
    teller = house.teller()
    assert [await teller.work(), await teller.work()] == [1, 0]
    assert ear.heard == []
    wait(HOUR_MS)
    assert [await teller.work(), await teller.work(), await teller.work()] == [1, 1, 0]
    assert ear.ids == [f"{house.id}.{seq}" for seq in (2, 4)], "what is due, and then what is new"
    await house.do(commands.Cancel(by=house.host, reason="other", note="0" * 64))
    wait(HOUR_MS)
    while await teller.work():
        pass
    assert sorted(ear.ids)[:3] == [f"{house.id}.{seq}" for seq in (2, 3, 4)]
    assert (await house.state())[3] == 0


async def test_hooks_that_are_told_nothing_new_keep_no_other_from_being_told(
    ear: Ear, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(teller_module, "WAITING_MAX", 1)
    store = MemoryStore()
    for begins in (1_000, 2_000):
        full = await hooked(store, begins, "http://127.0.0.1:9/", HOOKS_MAX // 2)
        await full.enter("Ana")
        await wait_in_vain(full, 2)
    good = await hooked(store, 3_000, ear.url, 1)
    await good.enter("Bob")
    teller = good.teller()
    assert [await teller.work(), await teller.work()] == [HOOKS_MAX, 1]
    assert ear.types == ["tournament.opened", "player.registered"]
