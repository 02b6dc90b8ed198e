"""Rows of lists and counts are made again from their lines, and a member that differs is named."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Final

import asyncpg
import pytest
import pytest_asyncio

from infra.store import SHARDS, Card
from infra.store.backups import clearing
from infra.store.people import Choices
from infra.store.postgres import PostgresStore, open_store
from projections.sheets import ROWS as DICE
from projections.sheets import TOTALS
from services.cli.exits import INCOMPLETE, REBUILDABLE
from services.cli.operating.backups import restore
from services.cli.operating.backups.rebuilding import LOBBY
from services.client.house import CannotDo
from services.relay.follower import FollowingWork
from services.relay.lobby_projector import LobbyProjector
from services.relay.statistics_projector import StatisticsProjector
from services.relay.tournament_projector import TournamentProjector
from services.tournaments.reads import ROWS as LIST
from services.tournaments.reads import ROWS_OF_GAMES
from tests.backups.houses import found_after, found_in
from tests.director.house import EventHouse
from tests.failing import Failing
from tests.relay.playing import Played, match_id

OPEN, OVER, PRIVATE, LIVE = 1, 2, 3, 4
"""Matches, by their numbers."""


async def follow(store: PostgresStore) -> None:
    """Bring all rows to the end of the log."""
    works: tuple[FollowingWork, ...] = (LobbyProjector(store), StatisticsProjector(store), TournamentProjector(store))
    for work in works:
        for shard in range(SHARDS):
            position = await work.start(shard)
            while page := await store.follow(shard, position, work.page):
                position = await work.take(shard, page)


async def played(store: PostgresStore) -> dict[int, Played]:
    """Let there be a table that waits, one where nobody plays any more, a private one, and one in the middle."""
    matches = {number: Played(store, number) for number in (OPEN, OVER, PRIVATE, LIVE)}
    await store.keep_card(matches[PRIVATE].stream, Card("Ours", listed=False))
    await store.keep_card(matches[LIVE].stream, Card("Late", choices=Choices(delay_ms=5_000)))
    for match in matches.values():
        await match.seat("Ada", "Bob")
    for number in (OVER, PRIVATE, LIVE):
        await matches[number].deal()
    for number in (OVER, PRIVATE):
        await matches[number].finish()
    return matches


@pytest_asyncio.fixture
async def house(database: str) -> str:
    """Return a database whose rows have come to its end but for a match that went on."""
    store = await open_store(database, "truecup_dealer")
    matches = await played(store)
    events = EventHouse(store)
    await events.announce()
    await events.enter("Cyd", "Dan")
    await follow(store)
    await matches[LIVE].finish()
    await store.close()
    return database


def change(where: str, member: str, value: str) -> str:
    """Return the change of a member of rows."""
    changed = f"jsonb_set(convert_from(doc, 'UTF8')::jsonb, '{{{member}}}', '{value}')"
    return f"update projection set doc = convert_to({changed}::text, 'UTF8') where {where}"


def of(name: str, number: int) -> str:
    """Return which row of a projection is that of a match."""
    return f"name = '{name}' and key = '{match_id(number)}'"


LISTED: Final = f"name = '{LIST}'"
FORGERIES: Final = {
    "another has won": (change(of(LOBBY, OVER), "winner", "9"), "the lobby has another row of .*: winner$"),
    "somebody else sits there": (
        change(of(LOBBY, OPEN), "seats,0,seat", "5"),
        "the lobby has another row of .*: seats$",
    ),
    "a bot sits there": (change(of(LOBBY, OPEN), "seats,1,bot", "true"), "the lobby has another row of .*: seats$"),
    "there is more in a row": (change(of(LOBBY, OPEN), "dice", "[1]"), "the lobby has another row of .*: dice$"),
    "a row is on another shelf": (
        f"update projection set shelf = 'ended' where {of(LOBBY, PRIVATE)}",
        "the lobby has another row of .*: shelf$",
    ),
    "a row is of another time": (f"update projection set at = 9 where {of(LOBBY, OVER)}", ": at$"),
    "a row is none": (f"update projection set doc = 'x' where {of(LOBBY, OVER)}", "that is none"),
    "a row is not there": (f"delete from projection where {of(LOBBY, OVER)}", "the lobby has no row of match/"),
    "a row was left behind": (
        f"update projection_cursor set position = position + 3 where name = '{LOBBY}'",
        "the lobby shows .* lines of match/.*, and has seen",
    ),
    "a row shows what is not there": (
        f"update projection set version = 9999 where {of(LOBBY, OVER)}",
        "the lobby shows 9999 lines of match/.*, which has",
    ),
    "a row is of nobody": (
        "insert into projection (name, key, version, doc) values ('lobby', 'x', 1, '{}')",
        "1 rows of lists and counts of no stream",
    ),
    "a sheet has other counts": (
        change(of(DICE, OVER), "sums,deals", "7"),
        "the count of dice has another row of .*: sums$",
    ),
    "a sheet is not there": (f"delete from projection where {of(DICE, OVER)}", "the count of dice has no sheet of"),
    "a sheet of a private table is there": (
        # With a line alone: which of both tables has more lines is no matter here.
        f"update projection set key = '{match_id(PRIVATE)}', version = 1 where {of(DICE, OVER)}",
        "has no sheet of|another row of .*: match",
    ),
    "a total is another": (
        change(f"name = '{DICE}' and shelf = '{TOTALS}'", "deals", "99"),
        "the total of the dice of shard . has other deals",
    ),
    "a tournament is over": (change(LISTED, "state", '"over"'), "the list of tournaments has another row .*: state$"),
    "more have entered": (change(LISTED, "entrants", "99"), "the list of tournaments has another row .*: entrants$"),
    "a tournament is of another game": (
        f"update projection set shelf = 'entry/finska' where name = '{ROWS_OF_GAMES}'",
        "the list of tournaments has another row .*: shelf$",
    ),
    "a tournament is not listed": (f"delete from projection where {LISTED}", "list of tournaments has no row of"),
}


LOST: Final = {"a row was left behind", "a row shows what is not there", "a row is of nobody"}
"""What may be all that is left of lines that are gone, and is no row to be made again."""


async def test_rows_that_come_of_their_lines_hold(house: str) -> None:
    found = await found_in(house)
    assert found.faults == []
    # Four matches in the lobby, two of them with a sheet, for one is private and one waits; a tournament in two lists.
    assert (found.rows, found.unread) == (8, 0)
    store = await open_store(house, "truecup_dealer")
    assert await store.erase_name("p0")
    await store.close()
    assert (await found_in(house)).faults == [], "a name that was erased is no fault of its rows"


async def test_a_tournament_that_could_not_be_listed_yet_is_no_fault(
    house: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TournamentProjector, "_rows_of", Failing(1).instead_of(TournamentProjector._rows_of))  # noqa: SLF001
    store = await open_store(house, "truecup_dealer")
    await EventHouse(store).announce()
    await follow(store)
    await store.close()
    found = await found_in(house)
    assert (found.faults, found.rows) == ([], 8)


async def test_whatever_is_changed_in_a_row_is_found_by_name(house: str) -> None:
    missed, broken = {}, set()
    for how, (done, said) in FORGERIES.items():
        found = await found_after(house, done)
        if not any(re.search(said, fault) for fault in found.faults):
            missed[how] = found.faults
        broken |= {how} if found.is_broken else set()
    assert missed == {}
    assert broken == LOST


async def test_rows_alone_that_are_wrong_are_thrown_away_and_made_again(
    house: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def verified(*, rebuild: bool) -> tuple[int, str]:
        code = restore.verify(json=True, rebuild=rebuild)
        return code, json.loads(capsys.readouterr().out)["state"]

    monkeypatch.setenv("TRUECUP_DATABASE_URL", house)
    before = await rows_in(house)
    owner = await asyncpg.connect(house)
    await owner.execute(FORGERIES["another has won"][0])
    await owner.execute(FORGERIES["a sheet is not there"][0])
    assert await asyncio.to_thread(verified, rebuild=False) == (REBUILDABLE, "rebuild")
    monkeypatch.setattr(clearing, "LEAVE_S", 0.0)
    with pytest.raises(CannotDo, match="stop every program of the house first"):
        await asyncio.to_thread(verified, rebuild=True)
    monkeypatch.undo()
    monkeypatch.setenv("TRUECUP_DATABASE_URL", house)
    await owner.close()
    assert await asyncio.to_thread(verified, rebuild=True) == (INCOMPLETE, "unknown"), "there is no witness to ask"
    store = await open_store(house, "truecup_dealer")
    await follow(store)
    await store.close()
    found = await found_in(house)
    assert (found.faults, found.rows) == ([], 8)
    assert await rows_in(house) == before


async def rows_in(house: str) -> list[asyncpg.Record]:
    """Return which rows there are."""
    owner = await asyncpg.connect(house)
    rows: list[asyncpg.Record] = await owner.fetch("select name, key from projection order by name, key")
    await owner.close()
    return rows


async def test_rows_that_are_not_made_yet_are_no_fault(database: str) -> None:
    store = await open_store(database, "truecup_dealer")
    await Played(store, OPEN).seat("Ada", "Bob")
    await store.close()
    found = await found_in(database)
    assert (found.faults, found.rows) == ([], 0)


async def test_a_match_that_cannot_be_read_here_is_passed_over_with_its_rows(house: str) -> None:
    unreadable = (
        f"update event set body = replace(body, '\"v\":1}}', '\"v\":9}}') where stream = 'match/{match_id(OVER)}'"
    )
    found = await found_after(house, f"{unreadable}; {change(of(LOBBY, OVER), 'winner', '9')}")
    assert found.unread == 1
    assert not [fault for fault in found.faults if "the lobby" in fault or "the count" in fault]
