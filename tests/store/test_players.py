"""Players in the store: known once, by one token at a time, and erased without a line being touched."""

from __future__ import annotations

import pytest

from infra.store import EventStore
from services.seasons.players import PlayerQueries
from services.seasons.requests import UnknownPerson
from tests.director.house import EventHouse
from tests.store.lines import append, chain, stream

ADA, BOB = "u" + "a" * 24, "u" + "b" * 24
ONE, TWO, THREE = (bytes([number]) * 32 for number in (1, 2, 3))
EVENTS = [f"tournament/{number}" for number in (1, 2)]


async def test_a_player_is_made_known_once_and_by_one_request(store: EventStore) -> None:
    assert not await store.is_player(ADA)
    assert await store.player_of(ONE) is None
    assert await store.keep_player(ADA, b"f" * 32, "Ada", ONE) == b"f" * 32
    assert await store.keep_player(ADA, b"g" * 32, "Eve", TWO) == b"f" * 32
    assert await store.is_player(ADA)
    assert (await store.player_of(ONE), await store.player_of(TWO)) == (ADA, None)
    assert await store.names([ADA, BOB]) == {ADA: "Ada"}


async def test_a_token_is_followed_by_one_other(store: EventStore) -> None:
    await store.keep_player(ADA, b"f" * 32, "Ada", ONE)
    assert await store.renew_player_token(TWO, THREE) is None
    assert await store.renew_player_token(ONE, TWO) == ADA
    assert await store.renew_player_token(ONE, TWO) == ADA
    assert await store.renew_player_token(ONE, THREE) is None
    assert [await store.player_of(each) for each in (ONE, TWO, THREE)] == [None, ADA, None]


async def test_what_is_erased_is_the_name_and_where_somebody_played_and_no_line(store: EventStore) -> None:
    await store.keep_player(ADA, b"f" * 32, "Ada", ONE)
    await store.append(append(stream(), chain(stream(), 1), people=((BOB, "Bob"),)))
    for event in (*EVENTS, EVENTS[0]):
        await store.keep_entry(ADA, event)
    assert await store.entries(ADA) == EVENTS
    await store.erase_player(ADA)
    await store.erase_player(BOB)
    assert await store.entries(ADA) == []
    assert await store.names([ADA, BOB]) == {BOB: "Bob"}, "who is no player keeps the name of the table"
    assert await store.is_player(ADA)
    assert await store.player_of(ONE) == ADA
    await store.keep_player(ADA, b"f" * 32, "Ada", ONE)
    assert await store.names([ADA]) == {}
    assert len(await store.read(stream())) == 1


@pytest.mark.parametrize("said", ["\0", "u\0", "", "\ufffd", "a" * 5_000, ADA + "\n"])
async def test_what_no_store_can_hold_is_nobody_and_no_text(store: EventStore, said: str) -> None:
    with pytest.raises(UnknownPerson):
        await PlayerQueries(store).name(said)
    house = EventHouse(store)
    await house.announce()
    assert not await house.tournaments.erase_note(house.id, said, house.host)
