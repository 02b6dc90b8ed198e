"""Duplicate boards held by directors who are killed at every append: one deal for all tables, rounds that keep step."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, cast
from uuid import UUID

import pytest

from domain.errors import Refused
from domain.log import canonical
from domain.match.evolve import Match
from domain.tournaments import commands
from domain.tournaments.events import RULE
from domain.tournaments.record import stream_of
from infra.store import Away, EventStore
from infra.store.memory import MemoryStore
from services.audit.results import held_match, hold
from services.audit.verdict import verdict_of
from services.matches.reads.queries import UnknownMatch
from services.tournaments.requests import UnknownBoard
from services.tournaments.tables import boards_ever, matches_ever
from services.work.changes import live_with_boards
from tests.bots.test_player import working
from tests.director.house import QUICK, EventHouse
from tests.director.killing import KillingMemory
from tests.director.test_every_format import PATIENCE_S, Course

MATCH: Final = {
    "game": "common_hand", "options": {"dice_per_player": 2}, "pause_ms": 0, "clock": {"bank_ms": 60_000},
}  # fmt: skip
ENTRANTS: Final = 5
ROUNDS: Final = 2


async def announced(store: MemoryStore, rounds: int = ROUNDS, **members: Any) -> EventHouse:
    """Return a house that holds a duplicate evening: two tables of two, and one who rests."""
    house = EventHouse(store)
    stage = {"format": "duplicate", "rounds": rounds, "size": 2}
    told = {"entry": {"bots": "only"}, "match": MATCH, "stages": [stage], "time": QUICK}
    await house.announce("duplicate", **told | members)
    await house.enter_bots(ENTRANTS)
    await house.check_in()
    return house


async def held(store: MemoryStore, wait: Callable[[int], None], directors: int) -> tuple[EventHouse, Course]:
    """Hold it to its end."""
    house = await announced(store)
    course = Course(house, cast("EventStore", KillingMemory(store)), wait)
    await course.hold(directors)
    assert await course.stuck.notice() is None
    return house, course


async def check_records(house: EventHouse) -> None:
    """Check that every board and every match was held once, and that an audit of all of them finds nothing."""
    await house.notary().work()
    raw = await house.store.read(stream_of(house.id))
    tournament = await house.tournament()
    whole = verdict_of(await house.tournaments.record(house.id), None)
    assert whole.status == "OK", whole.message
    boards = {str(each): await house.tournaments.boards.record(each) for each in boards_ever(tournament)}
    assert len(boards) == ROUNDS
    matches = matches_ever(tournament, raw)
    assert len(matches) == 2 * ROUNDS
    audited = {}
    for match in matches:
        record, beside = await house.matches.evidence(match)
        assert beside.board in boards.values()
        verdict = verdict_of(record, None, beside=beside)
        assert (verdict.status, verdict.shared) == ("OK", "checked"), verdict.message
        audited[str(match)] = held_match(verdict)
    found = {}
    for name, record in boards.items():
        verdict = verdict_of(record, None)
        assert verdict.status == "OK", verdict.message
        found[name] = cast("Any", verdict.board)
        kinds = Counter(canonical.decode(line)["type"] for line in record.split(b"\n") if line.startswith(b"{"))
        assert (kinds["board.created"], kinds["deal.ready"], kinds["board.closed"]) == (1, 1, 1)
    told = hold(cast("Any", whole.results), cast("Any", audited), cast("Any", whole.boards), found)
    assert (told.differences, told.unchecked) == ((), ())


@pytest.mark.parametrize("directors", [1, 2])
async def test_directors_killed_at_every_append_lose_no_board_and_hold_none_twice(
    directors: int, wait: Callable[[int], None]
) -> None:
    house, course = await held(MemoryStore(), wait, directors)
    assert course.deaths >= 8
    await check_records(house)


async def test_a_board_of_an_event_that_is_cancelled_is_closed_and_its_dice_are_published() -> None:
    house = await announced(MemoryStore())
    director = house.director()
    await director.begin()
    async with working(*house.works()), asyncio.timeout(PATIENCE_S):
        while not await has_dice(house):
            await director.round()
            await asyncio.sleep(0.001)
        await house.do(commands.Cancel(by=house.host, reason="other", note="0" * 64))
        while not (await house.tournament()).ended:
            await director.round()
            await asyncio.sleep(0.001)
    (board,) = [await house.tournaments.boards.load(each) for each in boards_ever(await house.tournament())]
    assert board.board.ended
    for table in (1, 2):
        assert (await house.matches.load_match(UUID(board.board.rules.match_at(table)))).match.ended


async def test_nobody_closes_before_the_dice_of_every_board_are_published() -> None:
    house = await announced(MemoryStore(), rounds=1, time={**QUICK, "claims_ms": 3_600_000})
    director, finish = house.director(), commands.Finish(by=house.host)
    await director.begin()
    async with working(*house.works()), asyncio.timeout(PATIENCE_S):
        while not await has_dice(house):
            await director.round()
            await asyncio.sleep(0.001)
        await ruled_to_the_end(house)
        with pytest.raises(Refused, match="cannot be asked") as refused:
            await house.do(finish)
        assert refused.value.facts["why"] == "a board is not closed yet"
        while not all([(await house.tournaments.boards.load(each)).board.ended for each in await boards(house)]):
            await director.round()
            await asyncio.sleep(0.001)
        await house.do(finish)
    assert (await house.tournament()).ended


async def boards(house: EventHouse) -> list[UUID]:
    return list(boards_ever(await house.tournament()))


async def ruled_to_the_end(house: EventHouse) -> None:
    """Rule on every table, and let nobody but the tournament go on."""
    tables = (await house.tournament()).stages[0].rounds[1].tables
    for number, table in tables.items():
        ranking = tuple((each,) for each in table.seats)
        await house.do(commands.Rule(by=house.host, stage=1, round=1, table=number, ranking=ranking))
    while (await house.tournament()).phase == "running":
        await house.tournaments.proceed(house.id, RULE, house.ask())


async def has_dice(house: EventHouse) -> bool:
    """Report whether the matches of the first board know their dice."""
    for name in boards_ever(await house.tournament()):
        with suppress(UnknownBoard, UnknownMatch):
            rules = (await house.tournaments.boards.load(name)).board.rules
            matches = [(await house.matches.load_match(UUID(rules.match_at(table)))).match for table in (1, 2)]
            return all(match.ceremony is not None for match in matches)
    return False


async def test_a_board_whose_place_nobody_took_is_unknown() -> None:
    house = EventHouse(MemoryStore())
    with pytest.raises(UnknownBoard):
        await house.tournaments.board_record(UUID(int=1))


# ---- programs that begin anew -------------------------------------------------------------------


async def in_turn(house: EventHouse) -> tuple[Match, ...]:
    """Deal at both tables of a board, and return their matches once somebody is in turn there; then nobody works."""
    dealing, playing = house.works()
    playing.close()
    async with working(dealing, house.director().run()), asyncio.timeout(PATIENCE_S):
        while not (found := await matches_in_turn(house)):
            await asyncio.sleep(0.001)
    return found


async def matches_in_turn(house: EventHouse) -> tuple[Match, ...]:
    if not await has_dice(house):
        return ()
    (board,) = await boards(house)
    rules = (await house.tournaments.boards.load(board)).board.rules
    found = [(await house.matches.load_match(UUID(rules.match_at(table)))).match for table in (1, 2)]
    return tuple(found) if all(match.clocks is not None and match.clocks.running for match in found) else ()


async def moved(house: EventHouse, before: tuple[Match, ...]) -> bool:
    return all([(await house.matches.load_match(match.id)).match.version > match.version for match in before])


async def test_bots_that_begin_anew_find_their_turns_at_the_tables_of_a_board() -> None:
    house = await announced(MemoryStore(), rounds=1)
    before = await in_turn(house)
    dealing, playing = house.works()
    dealing.close()
    async with working(playing), asyncio.timeout(PATIENCE_S):
        while not await moved(house, before):
            await asyncio.sleep(0.001)


async def test_a_dealer_that_begins_anew_ends_turns_at_the_tables_of_a_board(wait: Callable[[int], None]) -> None:
    house = await announced(MemoryStore(), rounds=1)
    before = await in_turn(house)
    dealing, playing = house.works()
    playing.close()
    async with working(dealing), asyncio.timeout(PATIENCE_S):
        while not await moved(house, before):
            wait(1_000)
            for heart in house.hearts:
                heart.beat()
            await asyncio.sleep(0.005)


class Parted(MemoryStore):
    """Another program's way to a store of which a part is away."""

    away: str

    def __init__(self, store: MemoryStore, away: str) -> None:
        self.__dict__ = store.__dict__ | {"away": away}

    async def streams_live(self) -> list[str]:
        raise Away("a database is away", await super().streams_live())

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        if stream == self.away:
            raise Away("this lives there")
        return await super().read(stream, after, limit)


async def test_a_table_of_a_board_that_lives_at_a_database_that_is_away_keeps_no_other_from_being_found() -> None:
    store = MemoryStore()
    house = await announced(store, rounds=1)
    ours, other = (f"match/{match.id}" for match in await in_turn(house))
    (board,) = [f"board/{each}" for each in await boards(house)]
    both = await live_with_boards(store)
    assert {board, ours, other} < {*both}
    lacks = {}
    for away in (ours, other, board, "nothing of these"):
        with pytest.raises(Away) as told:
            await live_with_boards(Parted(store, away))
        lacks[away] = {*both} - {*told.value.found}
    assert lacks == {ours: {ours}, other: {other}, board: {ours, other}, "nothing of these": set()}
