"""One of two databases is away when a program starts: its tables wait, all others are played, and it comes back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import httpx
import pytest

from domain.match.record import stream_of
from infra.store import Appended, Away, Unavailable, shard_of
from infra.store.postgres import PostgresStore
from infra.store.primaries.opening import open_house
from services.work.changes import LiveStreams
from tests.crash.conftest import Lasting, lasting
from tests.crash.house import Service, Table, health_of, wait_until
from tests.store.lines import append, chain
from tests.store.test_primaries import AT_HOME, ELSEWHERE, address_of, begin, cut_off, run

__all__ = ["lasting"]
RULES = {"options": {"dice_per_player": 1}, "seats": 3}
TABLES_MAX = 60
"""Half of all tables are at either: so many at one have not been seen."""


class Way:
    """The way to a database, which can be cut off and opened again."""

    def __init__(self, second: str, folder: Path) -> None:
        self._path = folder / "s"
        self._to, self._cut = cut_off(address_of(second))
        self.settings = second.replace(self._to, str(self._path))

    def open(self) -> None:
        self._path.symlink_to(self._to)

    def cut(self, database: str) -> None:
        """Cut it off, and whoever is connected: another database of the same server is asked to."""
        self._path.unlink()
        asyncio.run(run(database, self._cut))


@pytest.fixture
def way(second: str, tmp_path_factory: pytest.TempPathFactory) -> Way:
    return Way(second, tmp_path_factory.mktemp("w"))


async def test_a_store_is_opened_while_a_primary_is_away_and_knows_it_when_it_comes(
    database: str, two: PostgresStore, way: Way
) -> None:
    for name in (AT_HOME, ELSEWHERE):
        await two.append(append(name, chain(name, 2), secrets=(("deal/0", b"k"),)))
    store = await open_house(database, way.settings, "truecup_dealer")
    live = LiveStreams(store.streams_live)
    assert await live.list_them() == [AT_HOME]
    assert live.lacks
    assert len(await store.read(AT_HOME)) == 2
    positions = await store.positions()
    assert set(positions) == {0, 2, 4, 6}
    for away in (store.read(ELSEWHERE), store.append(begin(ELSEWHERE)), store.secrets(ELSEWHERE)):
        with pytest.raises(Away):
            await away
    with pytest.raises(Away):
        positions[shard_of(ELSEWHERE)]
    assert not await live.are_back()
    assert "second" in str(await store.refusal())
    way.open()
    assert len(await store.read(ELSEWHERE)) == 2
    assert (await store.positions())[shard_of(ELSEWHERE)] == 2
    assert await live.list_them() == sorted((AT_HOME, ELSEWHERE))
    assert not live.lacks
    third = append(ELSEWHERE, chain(ELSEWHERE, 1, chain(ELSEWHERE, 2)), expected=2)
    assert isinstance(await store.append(third), Appended)
    await store.close()


async def test_a_database_that_comes_back_as_another_is_not_written_to(database: str, second: str, way: Way) -> None:
    """Its address leads to the home by then, as when two machines have changed places."""
    name, home = address_of(second), database.partition("?")[0].rpartition("/")[2]
    wrong = way.settings.replace(name.partition("?")[0].rpartition("/")[2], home)
    store = await open_house(database, wrong, "truecup_dealer")
    way.open()
    for call in (store.append(begin(ELSEWHERE)), store.read(ELSEWHERE)):
        with pytest.raises(Unavailable, match="second is the primary home of a house"):
            await call
    await store.close()


# ---- a whole program ----------------------------------------------------------------------------


@pytest.fixture
def service(lasting: Lasting, way: Way, tmp_path: Path) -> Iterator[Service]:
    (tmp_path / "service").mkdir()
    running = Service(lasting.database_url, lasting.nats_url, tmp_path / "service", shards=way.settings)
    running.start()
    yield running
    running.stop()


def open_at(service: Service, *, home: bool) -> Table | httpx.Response:
    """Return a table of the home, or what is answered to whoever opens one at the other database."""
    for _ in range(TABLES_MAX):
        try:
            table = Table(service, RULES)
        except httpx.HTTPStatusError as refused:
            if not home:
                return refused.response
        else:
            if (shard_of(stream_of(UUID(table.id))) % 2 == 0) == home:
                return table
    raise AssertionError("all tables are at one database")


def finish_one_at_home(service: Service) -> None:
    table = open_at(service, home=True)
    assert isinstance(table, Table)
    table.finish()


@pytest.mark.long
def test_a_program_starts_while_a_primary_is_away_and_plays_there_when_it_is_back(
    service: Service, way: Way, lasting: Lasting
) -> None:
    wait_until(lambda: health_of(service)[0] == httpx.codes.OK)
    assert "the primary second does not answer" in health_of(service)[1]["writes"]
    refused = open_at(service, home=False)
    assert isinstance(refused, httpx.Response)
    assert refused.status_code == httpx.codes.SERVICE_UNAVAILABLE
    assert int(refused.headers["retry-after"]) > 0
    finish_one_at_home(service)
    way.open()
    wait_until(lambda: "writes" not in health_of(service)[1])
    there, begun = open_at(service, home=False), open_at(service, home=False)
    assert isinstance(there, Table)
    assert isinstance(begun, Table)
    there.finish()
    way.cut(lasting.database_url)
    finish_one_at_home(service)
    way.open()
    begun.finish()
    assert [one for one in service.log.splitlines() if "Traceback" in one] == []
