"""The count of all dice of the house: every match once, whoever is killed, and anybody can add it up again."""

from __future__ import annotations

from copy import deepcopy
from itertools import count

import msgspec
import pytest

from domain.log import canonical
from domain.statistics.tallies import DiceTally, tally_of_match, total_of
from domain.statistics.uniformity import statistics
from infra.store import SHARDS, Card, EventStore
from infra.store.memory import MemoryStore
from projections.sheets import Sheet, Sums, sums_of, tally_of
from services.matches.reads.queries import MatchQueries
from services.relay import statistics_projector
from services.relay.statistics_projector import StatisticsProjector
from tests.relay.conftest import STRIDE
from tests.relay.killing import Fate, Killed
from tests.relay.playing import Played

PAGE = 70
"""Lines a page: so few that a match spans several."""


async def at_work(store: EventStore, work: StatisticsProjector | None = None) -> None:
    """Let an actuary do all there is to do, as a follower would."""
    work = work or StatisticsProjector(store)
    for shard in range(SHARDS):
        position = await work.start(shard)
        while page := await store.follow(shard, position, PAGE):
            position = await work.take(shard, page)


async def from_the_log(store: EventStore, matches: list[Played]) -> DiceTally:
    return total_of([tally_of_match(await store.read(match.stream)) for match in matches])


async def sheets_of(store: EventStore) -> list[Sheet]:
    return [msgspec.json.decode(row.doc, type=Sheet) for row in await MatchQueries(store, None).sheets(100)]


async def check(store: EventStore, matches: list[Played]) -> None:
    """Check that the totals, the sheets and the log say the same."""
    whole = await from_the_log(store, matches)
    found = await sheets_of(store)
    assert await MatchQueries(store, None).statistics() == statistics(whole)
    assert total_of(tally_of(sheet.sums) for sheet in found) == whole
    for match in matches:
        lines = await store.read(match.stream)
        sheet = next(sheet for sheet in found if sheet.match == str(match.id))
        assert (sheet.version, sheet.head) == (len(lines), canonical.head(lines[-1]))
        assert sheet.sums == sums_of(tally_of_match(lines))
        assert sheet.players == {str(seat): who.player for seat, who in match.match.seated.items()}


@pytest.fixture
async def matches(store: MemoryStore) -> list[Played]:
    """Return two matches that are over, one in play, and one in whose lobby somebody waits."""
    played = [Played(store, number) for number in range(4)]
    for match in played:
        await match.seat("Ada", "Bob")
    for match in played[:3]:
        await match.deal()
    for match in played[:2]:
        await match.finish()
    for _ in range(4):
        await played[2].step()
    return played[:3]


async def test_every_match_that_rolled_dice_has_its_sheet_and_is_in_the_total(
    store: MemoryStore, matches: list[Played]
) -> None:
    await at_work(store)
    await check(store, matches)
    found = await MatchQueries(store, None).statistics()
    assert (found.matches, found.deals, found.waiting > 0, found.dice > 0) == (2, 2, True, True)


async def test_dice_of_a_private_table_are_counted_nowhere(store: MemoryStore, matches: list[Played]) -> None:
    private = Played(store, 7)
    await store.keep_card(private.stream, Card(listed=False))
    await private.seat("Ada", "Bob")
    await private.deal()
    await private.finish()
    await at_work(store)
    await check(store, matches)


async def test_dice_of_a_match_in_play_wait_until_it_is_over(store: MemoryStore, matches: list[Played]) -> None:
    work = StatisticsProjector(store)
    await at_work(store, work)
    before = await MatchQueries(store, None).statistics()
    await matches[2].finish()
    await at_work(store, work)
    after = await MatchQueries(store, None).statistics()
    assert (before.matches, after.matches, after.waiting) == (2, 3, 0)
    assert after.dice >= before.dice + before.waiting
    await check(store, matches)


@pytest.mark.parametrize("after", [False, True], ids=["before it", "after it"])
async def test_an_actuary_killed_at_any_step_counts_every_match_once(
    store: MemoryStore, matches: list[Played], *, after: bool
) -> None:
    for step in count(STRIDE // 2 * after, STRIDE):
        copy, fate = deepcopy(store), Fate(step, after=after)
        try:
            await at_work(fate.over(copy))
        except Killed:
            await at_work(copy)
        await check(copy, matches)
        if not fate.struck:
            break
    assert step > SHARDS, "these are all its steps"


async def test_two_actuaries_at_once_count_every_match_once(store: MemoryStore, matches: list[Played]) -> None:
    works = {StatisticsProjector(store): 20, StatisticsProjector(store): 33}
    for shard in range(SHARDS):
        positions = {work: await work.start(shard) for work in works}
        while set(positions.values()) != {(await store.positions())[shard]}:
            for work, size in works.items():
                page = await store.follow(shard, positions[work], size)
                positions[work] = await work.take(shard, page) if page else positions[work]
    await check(store, matches)


async def test_who_comes_late_replaces_no_total_of_who_is_ahead(store: MemoryStore, matches: list[Played]) -> None:
    shard = matches[0].shard
    late = StatisticsProjector(store)
    position = await late.start(shard)
    await at_work(store)
    await late.take(shard, await store.follow(shard, position, PAGE))
    await check(store, matches)


async def test_statistics_can_be_made_again_from_the_log(store: MemoryStore, matches: list[Played]) -> None:
    without_rows = deepcopy(store)
    await at_work(store)
    assert (await MatchQueries(without_rows, None).statistics()).dice == 0
    await at_work(without_rows)
    await check(without_rows, matches)
    assert await MatchQueries(without_rows, None).statistics() == await MatchQueries(store, None).statistics()


async def test_a_match_out_of_memory_is_counted_on_from_the_log(
    store: MemoryStore, matches: list[Played], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(statistics_projector, "MATCHES_MAX", 0)
    work = StatisticsProjector(store)
    await at_work(store, work)
    await matches[2].step()
    await at_work(store, work)
    await check(store, matches)


async def test_what_is_written_down_is_read_as_it_was(store: MemoryStore, matches: list[Played]) -> None:
    tally = await from_the_log(store, matches)
    told = msgspec.json.decode(msgspec.json.encode(sums_of(tally)), type=Sums)
    assert tally_of(told) == tally
    assert msgspec.json.encode(sums_of(tally)) == msgspec.json.encode(told)
