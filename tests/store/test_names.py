"""Names in the store: told with the salts of what lines commit to, and erased with them, once and for good."""

from __future__ import annotations

import asyncio
import hashlib
import json

import pytest

from domain.match.record import match_of
from infra.store import EventStore, ProjectionRow
from infra.store.postgres import PostgresStore
from tests.store.lines import ZEROS, append, chain, line, stream

ADA, BEA, CYD, BOT = "p" + "a" * 24, "p" + "b" * 24, "p" + "c" * 24, "bot/cautious/01234567"
PLAYER = "u" + "a" * 24
SALT, OTHER = b"s" * 32, b"t" * 32


async def seat(store: EventStore, *people: tuple[str, str]) -> str:
    """Name these as a command does that seats them, and return its stream."""
    one = stream()
    await store.append(append(one, chain(one, 1), people=people))
    return one


async def test_a_salt_is_kept_once_and_only_beside_a_name(store: EventStore) -> None:
    await store.keep_salt(ADA, SALT)
    assert await store.salts([ADA]) == {}
    await seat(store, (ADA, "Ada"), (BEA, "Bea"))
    for salt in (SALT, OTHER):
        await store.keep_salt(ADA, salt)
    assert await store.salts([ADA, BEA]) == {ADA: SALT}


async def test_whose_name_is_erased_has_neither_name_nor_salt_and_nobody_else_loses_any(store: EventStore) -> None:
    await seat(store, (ADA, "Ada"), (BEA, "Bea"))
    await store.keep_salt(ADA, SALT)
    await store.keep_salt(BEA, OTHER)
    assert await store.erase_name(ADA)
    assert await store.names([ADA, BEA]) == {BEA: "Bea"}
    assert await store.salts([ADA, BEA]) == {BEA: OTHER}


async def test_a_name_is_erased_once_and_a_repeat_of_what_brought_it_brings_nothing_back(store: EventStore) -> None:
    before = await store.erasures()
    one = stream()
    seated = append(one, chain(one, 1), people=((ADA, "Ada"),))
    await store.append(seated)
    assert [await store.erase_name(ADA) for _ in range(2)] == [True, False]
    await store.append(seated)
    await store.keep_salt(ADA, SALT)
    assert (await store.names([ADA]), await store.salts([ADA])) == ({}, {})
    assert await store.erasures() == before + 1
    assert len(await store.read(one)) == 1, "no line is touched"


@pytest.mark.parametrize("nobody", [BOT, BEA, "", "bot/"])
async def test_bots_and_whoever_was_never_named_are_nobody_to_be_erased(store: EventStore, nobody: str) -> None:
    await seat(store, (BOT, "Cato"))
    before = await store.erasures()
    assert not await store.erase_name(nobody)
    assert await store.names([BOT]) == {BOT: "Cato"}
    assert await store.erasures() == before


async def test_names_erased_at_once_are_all_counted(store: EventStore) -> None:
    before = await store.erasures()
    people = [(f"p{number:024x}", "One of many") for number in range(8)]
    await seat(store, *people)
    assert all(await asyncio.gather(*(store.erase_name(player) for player, _ in people)))
    assert await store.erasures() == before + len(people)


async def test_a_player_who_is_erased_is_counted_as_everybody_is(store: EventStore) -> None:
    before = await store.erasures()
    await store.keep_player(PLAYER, b"f" * 32, "Ada", b"1" * 32)
    await store.keep_entry(PLAYER, "tournament/1")
    for _ in range(2):
        await store.erase_player(PLAYER)
    assert await store.erasures() == before + 1
    assert (await store.names([PLAYER]), await store.entries(PLAYER)) == ({}, [])


async def test_a_row_of_the_lobby_that_held_a_name_holds_the_id(postgres: PostgresStore) -> None:
    """Rows from before names of guests could be erased hold them; that of whoever has the seat now is another's."""
    one = stream()
    joined = line(one, 0, ZEROS, "seat.joined", player=ADA, seat=3)
    left = line(one, 1, hashlib.sha256(joined).hexdigest(), "seat.joined", player=CYD, seat=2)
    tokens = ((b"d" * 32, "seat", 3), (b"e" * 32, "seat", 2))
    await postgres.append(append(one, [joined, left], people=((ADA, "Ada"), (CYD, "Cyd")), tokens=tokens))
    seats = [{"seat": 2, "name": "Bea", "bot": False}, {"seat": 3, "name": "Ada", "bot": False}]
    row = {"title": "Ada\N{RIGHT SINGLE QUOTATION MARK}s table", "seats": seats, "name": None}
    rows = [(match_of(stream(number)), each) for number, each in ((1, row), (2, row))]
    await postgres.save_projection(
        "lobby", 0, 1, [ProjectionRow(str(key), 1, json.dumps(each).encode(), "open", 1) for key, each in rows]
    )
    assert await postgres.erase_name(CYD)
    assert {json.loads(found.doc)["title"] for found in await postgres.projection("lobby", "open", 9)} == {row["title"]}
    assert await postgres.erase_name(ADA)
    kept = {found.key: json.loads(found.doc) for found in await postgres.projection("lobby", "open", 9)}
    told = [seats[0], {**seats[1], "name": ADA}]
    assert kept == {
        str(rows[0][0]): {"title": ADA, "seats": told, "name": None, "players": {"3": ADA}},
        str(rows[1][0]): row,
    }, "and that of another match is left alone"
