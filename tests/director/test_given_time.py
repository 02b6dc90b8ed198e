"""Time that officials give somebody at a table: the seat's clock has it once, whoever is killed."""

from __future__ import annotations

import asyncio
from typing import Final, cast
from uuid import UUID

from domain import commands as of_matches
from domain.events import ClockSet
from domain.match.record import event_of
from domain.tournaments import commands
from infra.store import EventStore
from infra.store.memory import MemoryStore
from tests.bots.test_player import working
from tests.director.house import EventHouse
from tests.director.killing import KilledHere, KillingMemory
from tests.director.test_tables import Evening, people

CLOCKS: Final = {
    "game": "common_hand",
    "options": {"dice_per_player": 1},
    "pause_ms": 0,
    "clock": {"bank_ms": 600_000, "increment_ms": 0},
}
MINUTE_MS: Final = 60_000


async def in_turn(evening: Evening, match_id: UUID, seat: int | None = None) -> int:
    """Wait until the clock of a seat runs, of any if none is named, and return which."""

    async def runs() -> bool:
        clocks = (await evening.match(match_id)).clocks
        return clocks is not None and clocks.running is not None and seat in {None, clocks.running}

    await evening.until(runs)
    running = (await evening.match(match_id)).clocks
    assert running is not None
    assert running.running is not None
    return running.running


async def given(house: EventHouse, match_id: UUID) -> list[tuple[int, int]]:
    """Return which seats a deadline was moved for while their clock ran, and by how much."""
    found: list[tuple[int, int]] = []
    running: ClockSet | None = None
    for line in await house.store.read(f"match/{match_id}"):
        event, _ = event_of(line)
        if not isinstance(event, ClockSet):
            continue
        if running is not None and event.due_at is not None and event.seat == running.seat:
            assert running.due_at is not None
            found.append((event.seat, event.due_at - running.due_at))
        running = event if event.due_at is not None else None
    return found


async def started(house: EventHouse) -> tuple[Evening, UUID, list[int]]:
    """Play up to the first turn of a table of two with clocks; return who sits there."""
    evening = await people(house, "Ana", "Bob", match=CLOCKS)
    held = await evening.started()
    (match_id,) = (await evening.match_ids()).values()
    await evening.ready(match_id, 1, 2)
    return evening, match_id, list(held.tables[1].seats)


def gift(house: EventHouse, number: int, ms: int = MINUTE_MS) -> commands.GiveTableTime:
    return commands.GiveTableTime(by=house.host, table=1, number=number, ms=ms, reason="technical")


async def test_time_given_to_who_is_in_turn_moves_the_deadline_at_once(house: EventHouse) -> None:
    async with working(*house.works(), house.director().run()):
        evening, match_id, seats = await started(house)
        seat = await in_turn(evening, match_id)
        await house.do(gift(house, seats[seat - 1]))

        async def is_given() -> bool:
            return await given(house, match_id) == [(seat, MINUTE_MS)]

        await evening.until(is_given)
        await house.do(gift(house, seats[seat - 1], 2 * MINUTE_MS))

        async def is_given_again() -> bool:
            return await given(house, match_id) == [(seat, MINUTE_MS), (seat, 2 * MINUTE_MS)]

        await evening.until(is_given_again)


async def test_time_given_to_somebody_else_waits_for_the_turn(house: EventHouse) -> None:
    async with working(*house.works(), house.director().run()):
        evening, match_id, seats = await started(house)
        seat = await in_turn(evening, match_id)
        other = 3 - seat
        await house.do(gift(house, seats[other - 1]))
        await asyncio.sleep(0.1)
        assert await given(house, match_id) == []
        await house.matches.submit(match_id, of_matches.Bid(seat, 1, 2), house.ask())
        await in_turn(evening, match_id, other)

        async def is_given() -> bool:
            return await given(house, match_id) == [(other, MINUTE_MS)]

        await evening.until(is_given)


async def test_time_is_given_once_by_directors_who_are_killed_and_by_several() -> None:
    store = MemoryStore()
    house = EventHouse(store)
    killing = KillingMemory(store)
    async with working(*house.works()):
        async with working(house.director().run()):
            evening, match_id, seats = await started(house)
            seat = await in_turn(evening, match_id)
        await house.do(gift(house, seats[seat - 1]))
        deaths = 0
        for _ in range(8):
            director = house.director(cast("EventStore", killing))
            try:
                await director.begin()
                await director.round()
            except KilledHere:
                deaths += 1
        assert deaths == 2, "before the time was given, and behind it"
        for _ in range(2):
            again = house.director()
            await again.begin()
            await again.round()
        assert await given(house, match_id) == [(seat, MINUTE_MS)]
