"""Whoever follows the log goes on with what lives at one database while another is away, and then with all of it.

The other one refuses whoever comes, or is silent: then it is waited for once. Here a match at home needs its board,
which lies there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from typing import Any, Final

import msgspec
import pytest
import pytest_asyncio

from infra.feed.memory import MemoryFeed
from infra.sealing import Sealing
from infra.store import Unavailable, shard_of
from infra.store.postgres import PostgresStore
from infra.store.primaries.opening import open_house
from projections.lobby import LobbyRow
from projections.sheets import ROWS, TOTALS
from services.dealer.archivist import Archivist
from services.dealer.notary import Notary
from services.matches.secrets.vault import Vault
from services.relay.follower import FollowingWork
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import Publisher
from services.relay.statistics_projector import StatisticsProjector, Total
from services.relay.tail import LogTail
from services.work.changes import ChangeCursor
from services.work.failures import Stuck
from tests.adversity.proxy import Proxy, proxied
from tests.attack.test_embargo import SIGNER, SPOKEN, Kept, _finish_elsewhere, spoken
from tests.bots.test_player import working
from tests.relay.playing import Played, lobby_of
from tests.relay.test_tried_again import Hours, hours
from tests.store.lines import append, chain, stream
from tests.store.test_archive import ended
from tests.store.test_primaries import AT_HOME, ELSEWHERE, address_of, begin
from tests.tournaments.boards_by_hand import PlayedBoard, board_rules

__all__ = ["hours"]
BOUND_S: Final = 60
WAYS: Final = ("refuses", "is silent")


class Line:
    """The line to the second database, which goes away in one of two ways."""

    def __init__(self, proxy: Proxy, way: str) -> None:
        self._proxy, self._is_silent = proxy, way == "is silent"

    def go(self) -> None:
        """Let nobody reach it any more."""
        if self._is_silent:
            self._proxy.shut()
        else:
            self._proxy.refuses = True
            self._proxy.cut()

    def come_back(self) -> None:
        """Let everybody reach it."""
        self._proxy.refuses = False
        self._proxy.break_off()


@pytest_asyncio.fixture
async def proxy(second: str, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Proxy]:
    async with proxied(address_of(second), below=tmp_path_factory.mktemp("w")) as standing:
        yield standing


@pytest.fixture(params=WAYS)
def line(request: pytest.FixtureRequest, proxy: Proxy) -> Line:
    return Line(proxy, request.param)


@pytest_asyncio.fixture
async def beyond(database: str, proxy: Proxy) -> AsyncIterator[PostgresStore]:
    """Return a house that reaches its second database over that line."""
    store = await open_house(database, f"second {proxy.url}", "truecup_dealer")
    yield store
    await store.close()


def is_apart(board: PlayedBoard) -> bool:
    """Report whether a board lies elsewhere, and the match at its first table at home."""
    match = shard_of(f"match/{board.rules.match_at(1)}")
    return shard_of(f"board/{board.rules.id}") % 2 == 1 and match % 2 == 0


APART: Final = next(number for number in count(1) if is_apart(PlayedBoard(board_rules(number=number))))
"""The first round of an event whose board is as wanted."""


class KeptApart(Kept):
    """The streams of such a board, with the secrets of its deal."""

    def __init__(self, board: PlayedBoard, store: PostgresStore) -> None:
        super().__init__(board, store)
        self.stream = f"match/{self.match}"
        self.shard = shard_of(self.stream)

    async def tell_secrets(self, vault: Vault) -> None:
        """Store what the dice of the board follow from."""
        keeper, name = self.board.keeper, f"board/{self.board.rules.id}"
        assert keeper is not None
        seeds = {f"seed/{keeper.number}/{seat}": seed for seat, seed in keeper.seeds.items()}
        secrets = vault.wrap(name, {f"deal/{keeper.number}": keeper.secret, **seeds})
        await self.store.append(append(name, [], expected=len(self.board.lines), secrets=secrets))


async def follow(work: FollowingWork, store: PostgresStore, shard: int) -> int:
    """Let a work come to the end of a shard, and return where that is."""
    async with asyncio.timeout(BOUND_S):
        position = await work.start(shard)
        await work.try_again(shard, position)
        while page := await store.follow(shard, position, work.page):
            position = await work.take(shard, page)
    assert position == (await store.positions())[shard]
    return position


async def until(true: Callable[[], Awaitable[bool]]) -> None:
    """Wait for something; a database that has just come back answers soon."""
    async with asyncio.timeout(BOUND_S):
        while not await true():
            await asyncio.sleep(0.02)


@pytest.mark.long
async def test_the_row_of_a_match_waits_for_a_board_that_is_away_and_no_other_does(
    two: PostgresStore, beyond: PostgresStore, line: Line, hours: Hours
) -> None:
    board, stuck = spoken(SPOKEN[0], "left", APART), Stuck()
    kept = KeptApart(board, two)
    await kept.tell()
    lobby = LobbyProjector(beyond, None, stuck)
    line.go()
    position = await follow(lobby, beyond, kept.shard)
    assert await two.cursor("lobby", kept.shard) == position
    line.come_back()
    _finish_elsewhere(board)
    await kept.tell()

    async def is_shown() -> bool:
        hours.pass_by()
        await lobby.try_again(kept.shard, position)
        docs = [msgspec.json.decode(row.doc, type=LobbyRow) for row in await lobby_of(two)]
        return [doc.phase for doc in docs if doc.match == str(kept.match)] == ["finished"]

    await until(is_shown)
    assert await stuck.notice() is None


@pytest.mark.long
async def test_frames_of_a_shard_go_on_where_the_dice_of_a_match_lie_with_a_board_that_is_away(
    two: PostgresStore, beyond: PostgresStore, line: Line, hours: Hours
) -> None:
    kept, stuck, feed = KeptApart(spoken(SPOKEN[0], number=APART), two), Stuck(), MemoryFeed()
    vault = Vault(beyond, Sealing(bytes(32)))
    await kept.tell()
    await kept.tell_secrets(vault)
    frames = Publisher(beyond, feed, vault, None, stuck)
    line.go()
    position = await follow(frames, beyond, kept.shard)
    assert await feed.last_position(kept.shard) == position
    told = frames.told
    line.come_back()

    async def is_told() -> bool:
        hours.pass_by()
        await frames.try_again(kept.shard, position)
        return frames.told == told + 2

    await until(is_told)
    assert await stuck.notice() is None


@pytest.mark.long
async def test_the_log_grows_by_all_but_the_end_of_a_match_whose_board_is_away(
    two: PostgresStore, beyond: PostgresStore, line: Line
) -> None:
    board = spoken(SPOKEN[0], "left", APART)
    kept = KeptApart(board, two)
    await kept.tell()
    await two.append(begin(AT_HOME, anchors=((1, "a" * 64, "sealed"),)))
    notary = Notary(beyond, "example.org/truecup", (SIGNER,))

    async def entered() -> list[tuple[str, str]]:
        await notary.work()
        entries = [entry.decode().split("\n") for entry in await two.log_entries(0, 1_000)]
        return [(name, kind) for _, name, _, _, kind, _ in entries]

    line.go()
    async with asyncio.timeout(BOUND_S):
        assert (AT_HOME, "sealed") in await entered()
    assert (kept.stream, "final") not in await entered()
    assert await notary.trouble() is None
    line.come_back()
    _finish_elsewhere(board)
    await kept.tell()

    async def is_entered() -> bool:
        return (kept.stream, "final") in await entered()

    await until(is_entered)
    assert len(await entered()) == len(set(await two.log_entries(0, 1_000)))


@pytest.mark.long
async def test_what_has_ended_is_archived_where_a_database_answers_and_elsewhere_once_it_does(
    two: PostgresStore, beyond: PostgresStore, line: Line
) -> None:
    names = {shard: next(name for name in map(stream, count(1)) if shard_of(name) == shard) for shard in (1, 2)}
    for name in names.values():
        await ended(two, name)
    archivist = Archivist(beyond, 0)
    line.go()
    async with working(archivist.run()):
        await until(lambda: equals(archivist, 1))
        line.come_back()
        await until(lambda: equals(archivist, 2))
    assert [len(await two.read(name)) for name in names.values()] == [5, 5]


async def equals(archivist: Archivist, moved: int) -> bool:
    return archivist.moved == moved


@pytest.mark.long
async def test_dice_are_counted_where_a_database_answers_and_elsewhere_once_it_does(
    two: PostgresStore, beyond: PostgresStore, line: Line
) -> None:
    for shard in (2, 3):
        match = next(one for one in (Played(two, number) for number in count(1)) if one.shard == shard)
        await match.seat("Ada", "Bob")
        await match.deal()
        await match.finish()
    dice = {shard: StatisticsProjector(beyond) for shard in (2, 3)}
    line.go()
    await follow(dice[2], beyond, 2)
    with pytest.raises(Unavailable):
        await follow(dice[3], beyond, 3)
    assert await counted(two) == {"2": 1}
    line.come_back()

    async def is_counted() -> bool:
        try:
            await follow(dice[3], beyond, 3)
        except Unavailable:
            return False
        return await counted(two) == {"2": 1, "3": 1}

    await until(is_counted)


async def counted(store: PostgresStore) -> dict[str, int]:
    """Return how many matches the total of each shard has."""
    rows = await store.projection(ROWS, TOTALS, 9)
    return {row.key: msgspec.json.decode(row.doc, type=Total).matches for row in rows}


@pytest.mark.long
async def test_who_hears_of_lines_at_a_database_that_is_away_from_here_finds_all_others_and_then_those(
    two: PostgresStore, beyond: PostgresStore, line: Line
) -> None:
    """Another program reaches it, and tells of each line."""
    feed = MemoryFeed()
    tail = LogTail(beyond, feed)
    cursor, found = ChangeCursor(tail), dict[str, Any]()
    for name in (AT_HOME, ELSEWHERE):
        await two.append(begin(name))

    async def is_found(*names: str) -> bool:
        found.update(await cursor.look())
        return found.keys() == {*names}

    async with working(tail.run()):
        await cursor.begin()
        line.go()
        for name in (ELSEWHERE, AT_HOME):
            await two.append(append(name, chain(name, 1, chain(name, 2)), expected=2))
        await feed.poke(shard_of(ELSEWHERE), 3)
        await until(lambda: is_found(AT_HOME))
        line.come_back()
        await until(lambda: is_found(AT_HOME, ELSEWHERE))
    assert found == {AT_HOME: 3, ELSEWHERE: 3}
