"""Streams of tournaments in the store: when one has ended, whom its tokens are for, and texts that can be erased."""

from __future__ import annotations

from hashlib import sha256
from typing import Any
from uuid import UUID

import msgspec
import pytest

from infra.store import EventStore, NotedText, StoredToken
from infra.store.people import StoredBotTurn, StoredScreening
from tests.store.lines import ZEROS, append, chain, line, stream

STREAM = f"tournament/{UUID(int=1)}"


def lines_of(*members: tuple[str, dict[str, Any]], before: int = 0, head: str = ZEROS) -> list[bytes]:
    """Return lines of these types with these members."""
    found: list[bytes] = []
    for kind, data in members:
        prev = sha256(found[-1]).hexdigest() if found else head
        found.append(line(STREAM, before + len(found), prev, kind, **data))
    return found


def closing(before: list[bytes], kind: str) -> list[bytes]:
    return lines_of((kind, {}), before=len(before), head=sha256(before[-1]).hexdigest())


@pytest.mark.parametrize("members", [{}, {"people": (("p", "Ana"),)}], ids=["plain", "with more"])
@pytest.mark.parametrize("kind", ["tournament.closed", "board.closed", "season.closed", "match.ended"])
async def test_a_stream_is_open_until_the_last_line_of_its_kind(
    store: EventStore, kind: str, members: dict[str, Any]
) -> None:
    lines = lines_of(("tournament.created", {"type": "tournament.closed"}))
    assert await store.streams_open("tournament") == []
    await store.append(append(STREAM, lines, **members))
    await store.append(append(stream(), chain(stream(), 1)))
    assert await store.streams_open("tournament") == [STREAM]
    assert await store.streams_live() == [], "nothing is drawn there yet"
    drawn = lines_of(("deal.committed", {}), before=1, head=sha256(lines[0]).hexdigest())
    await store.append(append(STREAM, drawn, expected=1, secrets=(("deal/0", b"wrapped"),)))
    assert await store.streams_live() == [STREAM]
    await store.append(append(STREAM, closing([*lines, *drawn], kind), expected=2, **members))
    assert await store.streams_open("tournament") == []
    assert await store.streams_live() == []
    assert await store.streams_open("match") == [stream()]


async def test_the_tokens_of_officials_and_entrants_are_for_whom_the_same_command_names(store: EventStore) -> None:
    lines = lines_of(
        ("tournament.created", {}),
        ("official.appointed", {"official": "o1", "role": "host", "by": "o1"}),
        ("player.registered", {"number": 1, "player": "e1"}),
        ("player.registered", {"number": 2, "player": "e2"}),
    )
    tokens = ((b"h" * 32, "host", None), (b"2" * 32, "entrant", 2), (b"1" * 32, "entrant", 1))
    await store.append(append(STREAM, lines, tokens=tokens))
    assert await store.token(b"h" * 32) == StoredToken(STREAM, "host", None, "o1")
    assert await store.token(b"1" * 32) == StoredToken(STREAM, "entrant", 1, "e1")
    assert await store.token(b"2" * 32) == StoredToken(STREAM, "entrant", 2, "e2")


async def test_a_text_stays_as_it_was_first_kept_in_its_stream(store: EventStore) -> None:
    first, other = (
        NotedText("ab" * 32, b"s" * 16, "came late"),
        NotedText("aa" * 32, b"t" * 16, "between us", restricted=True),
    )
    await store.keep_note(STREAM, first)
    await store.keep_note(STREAM, other)
    await store.keep_note(STREAM, NotedText("ab" * 32, b"u" * 16, "another"))
    assert await store.notes(STREAM) == [other, first]
    assert await store.notes(stream()) == []


async def test_a_text_is_erased_and_no_line_with_it(store: EventStore) -> None:
    lines = lines_of(("tournament.created", {}))
    await store.append(append(STREAM, lines))
    stays = NotedText("aa" * 32, b"t" * 16, "between us")
    for note in (NotedText("ab" * 32, b"s" * 16, "came late"), stays):
        await store.keep_note(STREAM, note)
    assert not await store.erase_note(stream(), "ab" * 32), "a text is of its stream"
    assert await store.erase_note(STREAM, "ab" * 32)
    assert await store.notes(STREAM) == [stays]
    assert await store.read(STREAM) == lines
    assert not await store.erase_note(STREAM, "ab" * 32)


async def test_who_draws_the_own_seeds_is_known_by_tournament(store: EventStore) -> None:
    assert await store.own_seeds(STREAM) == frozenset()
    for player in ("e1", "e2", "e1"):
        await store.keep_own_seeds(STREAM, player)
    assert await store.own_seeds(STREAM) == {"e1", "e2"}
    assert await store.own_seeds(stream()) == frozenset()


async def test_what_a_screening_found_is_followed_by_what_a_later_one_does(store: EventStore) -> None:
    assert await store.screening(STREAM) is None
    for found in (StoredScreening(9, b"first"), StoredScreening(12, b"later"), StoredScreening(9, b"again")):
        await store.keep_screening(STREAM, found)
    assert await store.screening(STREAM) == StoredScreening(12, b"later")
    assert await store.screening(stream()) is None


async def test_how_turns_of_bots_were_taken_is_known_by_match_and_kept_once(store: EventStore) -> None:
    first, second, third = (StoredBotTurn(version, "L2.bold", "1") for version in (7, 7, 3))
    for turn in (first, msgspec.structs.replace(second, level="L1.bold"), third):
        assert await store.keep_bot_turn(STREAM, turn) == (third if turn is third else first)
    assert await store.bot_turns(STREAM) == [third, first]
    assert await store.bot_turns(stream()) == []
