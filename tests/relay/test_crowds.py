"""Crowds: who watches a match counts once, on whatever node, and nobody who plays does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count

import pytest

from infra.feed.memory import MemoryFeed
from services.matches.watching.crowds import EACH_MAX, NAME_BYTES, CrowdPace, Crowds
from tests.relay.playing import until

QUICK = CrowdPace(change_s=0.0, tell_s=0.05, lapse_s=60)
MATCH = "0d9a1b5e-6f2c-4c1d-9f0e-1a2b3c4d5e6f"


def named() -> Callable[[int], bytes]:
    """Return what gives each program a name of its own."""
    numbers = count(1)
    return lambda length: next(numbers).to_bytes(length)


@asynccontextmanager
async def running(*programs: Crowds) -> AsyncIterator[None]:
    tasks = [asyncio.create_task(one.run()) for one in programs]
    await asyncio.sleep(0)
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_who_comes_back_counts_once_and_until_all_of_it_is_gone() -> None:
    crowds = Crowds()
    first, again = crowds.begin(MATCH, "net", "Firefox"), crowds.begin(MATCH, "net", "Firefox")
    other = crowds.begin(MATCH, "net", "Chromium")
    assert (crowds.count(MATCH), crowds.count("another")) == (2, 0)
    first()
    assert crowds.count(MATCH) == 2, "what hung is gone, and the browser is there"
    again()
    other()
    assert crowds.count(MATCH) == 0
    assert crowds._here == {}  # noqa: SLF001 - nothing is remembered of it
    assert crowds._of_network == {}  # noqa: SLF001


async def test_one_network_is_no_more_than_a_school() -> None:
    crowds = Crowds()
    ends = [crowds.begin(MATCH, "net", f"made up {number}") for number in range(EACH_MAX + 20)]
    crowds.begin(MATCH, "elsewhere", "Firefox")
    assert crowds.count(MATCH) == EACH_MAX + 1
    for end in ends:
        end()
    assert crowds.count(MATCH) == 1


async def test_two_who_share_a_hash_leave_no_network_with_more_or_less_than_it_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    crowds = Crowds()
    with monkeypatch.context() as falling_together:
        falling_together.setattr("services.matches.watching.crowds._hash", len)
        for _ in range(EACH_MAX):
            first, second = crowds.begin("m", "10.0.0.1", "a"), crowds.begin("m", "10.0.0.2", "b")
            first()
            second()
    assert crowds.count("m") == 0

    for network in ("10.0.0.1", "10.0.0.2"):
        before = crowds.count("m")
        for number in range(EACH_MAX + 3):
            crowds.begin("m", network, f"browser {number}")
        assert crowds.count("m") == before + EACH_MAX


async def test_whoever_watches_on_two_nodes_counts_once_and_each_node_says_the_same() -> None:
    feed, draw = MemoryFeed(), named()
    one, two = Crowds(feed, QUICK, draw), Crowds(feed, QUICK, draw)
    async with running(one, two):
        hangs, _ = one.begin(MATCH, "net", "Firefox"), two.begin(MATCH, "net", "Firefox")
        two.begin(MATCH, "other", "Firefox")
        await until(lambda: (one.count(MATCH), two.count(MATCH)) == (2, 2))
        hangs()
        await until(lambda: not two._elsewhere[MATCH])  # noqa: SLF001 - and it is known that one has nobody any more
        assert (one.count(MATCH), two.count(MATCH)) == (2, 2)


async def test_a_node_that_dies_is_forgotten_and_a_message_that_is_none_is_not_counted() -> None:
    feed, draw = MemoryFeed(), named()
    one = Crowds(feed, CrowdPace(change_s=0.0, tell_s=0.05, lapse_s=0.2), draw)
    async with running(one):
        await feed.look(MATCH, b"x" * NAME_BYTES + b"abcd" + b"efgh")
        assert one.count(MATCH) == 2
        await feed.look(MATCH, b"y" * NAME_BYTES + b"abc")
        assert one.count(MATCH) == 2
        await until(lambda: one.count(MATCH) == 0)


async def test_an_address_is_not_told_to_the_bus() -> None:
    feed, heard = MemoryFeed(), []
    await feed.crowds(lambda _match, told: heard.append(told))
    crowds = Crowds(feed, QUICK, named())
    async with running(crowds):
        crowds.begin(MATCH, "203.0.113.7", "Firefox")
        await until(lambda: bool(heard))
    assert {len(told) for told in heard} == {NAME_BYTES + 4}
    assert not [told for told in heard if b"203" in told or b"Firefox" in told]
