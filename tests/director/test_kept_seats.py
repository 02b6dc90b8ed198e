"""Seats kept for who takes them with a key: who comes late, who never does, and what nobody else gets there."""

from __future__ import annotations

from functools import partial
from typing import Any
from uuid import UUID

import pytest

from domain import events as of_happened
from domain.errors import Refused
from domain.fairness.signing.entrants import KeySignature, key_message
from domain.log import canonical
from domain.match.record import event_of
from domain.tournaments import commands
from infra.keys import Ed25519Signer
from infra.store.memory import MemoryStore
from services.matches.tables.event_tables import SeatAtTable, SitsAtTable
from services.tournaments.tables import check_sits
from tests.bots.test_player import working
from tests.director.house import EventHouse
from tests.director.test_tables import NO_SHOW_MS, PAIRS, TIME, Evening, Wait

KEEPS = SeatAtTable(None, waits=True, custody="server")


def signer_of(number: int) -> Ed25519Signer:
    return Ed25519Signer(bytes([number]) * 32)


async def keyed(house: EventHouse, *names: str, keys: tuple[int, ...], **members: Any) -> Evening:
    """Announce an event, and let these people in, of whom some register keys."""
    await house.announce(**{**PAIRS, "time": TIME, **members})
    await house.enter(*names)
    await register_keys(house, *keys)
    await house.check_in()
    return Evening(house)


async def register_keys(house: EventHouse, *numbers: int) -> None:
    for number in numbers:
        tournament = await house.tournament()
        line = (await house.store.read(f"tournament/{house.id}"))[-1]
        key, head = signer_of(number).public_key.hex(), bytes.fromhex(canonical.head(line))
        message = key_message(house.id, number, key, 0, tournament.version, head)
        signed = KeySignature(key, 0, tournament.version, signer_of(number).sign(message).hex())
        await house.do(commands.TakeKey(tournament.entrants[number].player, number, key, signed))


async def three(house: EventHouse) -> tuple[Evening, UUID, tuple[int, ...]]:
    """Start an event of one table of three, of whom the first has a key; return its match and who sits where."""
    stages = [{"format": "swiss", "rounds": 1, "sizes": {"preferred": 3, "min": 3, "max": 3}}]
    evening = await keyed(house, "Ana", "Bob", "Cyd", keys=(1,), stages=stages)
    seats = (await evening.started()).tables[1].seats
    return evening, (await evening.match_ids())[1], seats


async def told_at(evening: Evening, match: UUID) -> dict[int, tuple[SeatAtTable | None, str]]:
    """Return of each entrant at a table what it plays with there, and its id."""
    tournament = await evening.house.tournament()
    held = (await evening.round()).tables[1]
    players = {number: tournament.entrants[number].player for number in held.seats}
    seat_at = evening.house.matches.seat_at
    return {n: (await seat_at(match, held.seats.index(n) + 1, player), player) for n, player in players.items()}


async def test_a_table_waits_for_who_has_a_key_and_begins_when_all_have_come(house: EventHouse) -> None:
    async with working(*house.works(), house.director().run()):
        evening, match, seats = await three(house)
        told = await told_at(evening, match)
        assert (told[1][0], {told[2][0] == KEEPS, told[3][0] == KEEPS}) == (KEEPS, {False})
        own = seats.index(1) + 1
        await evening.ready(match, *({1, 2, 3} - {own}))
        assert (await evening.match(match)).table is None, "two could play, and the third is waited for"
        with pytest.raises(Refused) as refused:
            check_sits(await house.tournament(), match, own, told[2][1], None)
        assert refused.value.code == "not_yours"
        with pytest.raises(Refused) as refused:
            check_sits(await house.tournament(), match, own, told[1][1], signer_of(2).public_key.hex())
        assert refused.value.code == "bad_signature"
        first = await house.matches.seat_at(match, own, told[1][1], SitsAtTable())
        assert first == await house.matches.seat_at(match, own, told[1][1], SitsAtTable())
        assert first is not None
        assert (first.waits, first.token is None) == (True, False)
        await evening.ready(match, own)
        await evening.until(partial(_has_begun, evening, match))


async def _has_begun(evening: Evening, match: UUID) -> bool:
    return (await evening.match(match)).table is not None


async def test_who_never_takes_a_kept_seat_is_absent_as_anybody(house: EventHouse, wait: Wait) -> None:
    async with working(*house.works(), house.director().run()):
        evening, match, seats = await three(house)
        own = seats.index(1) + 1
        await evening.ready(match, *({1, 2, 3} - {own}))
        wait(NO_SHOW_MS + 1_000)
        await evening.until(partial(_has_begun, evening, match))
        assert sorted((await evening.match(match)).seated) == sorted({1, 2, 3} - {own})
        happened = [event_of(line)[0] for line in await house.store.read(f"match/{match}")]
        joined = [event.player for event in happened if isinstance(event, of_happened.SeatJoined)]
        left = [(event.seat, event.reason) for event in happened if isinstance(event, of_happened.SeatLeft)]
        assert (joined[-1], left) == ((await house.tournament()).entrants[1].player, [(own, "no_show")])


async def test_where_nobody_takes_a_kept_seat_the_table_is_unplayed(house: EventHouse, wait: Wait) -> None:
    async with working(*house.works(), house.director().run()):
        evening = await keyed(house, "Ana", "Bob", keys=(1, 2))
        await evening.started()
        wait(NO_SHOW_MS + 1_000)
        await evening.phase("finished")
        assert [(one.how, sorted(one.absent)) for one in (await evening.results()).values()] == [("nobody", [1, 2])]


async def test_a_director_that_is_killed_finds_the_seat_that_is_kept(wait: Wait) -> None:
    house = EventHouse(MemoryStore())
    async with working(*house.works(), house.director().run()):
        evening = await keyed(house, "Ana", "Bob", keys=(1,))
        held = await evening.started()
        match = (await evening.match_ids())[1]
    house.forget()
    own = held.tables[1].seats.index(1) + 1
    async with working(*house.works(), house.director().run()):
        await evening.ready(match, 3 - own)
        wait(NO_SHOW_MS + 1_000)
        await evening.phase("finished")
        assert [(one.how, one.absent) for one in (await evening.results()).values()] == [("walkover", (1,))]
