"""A name that a player has had erased is in nothing any program says of a match, and in no row that it keeps."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from domain import commands
from domain.commands import Join
from infra.feed.memory import MemoryFeed
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from services.matches.reads.names import ERASABLE_MS, NameCache
from services.matches.reads.queries import MatchQueries
from services.matches.reads.shared import SharedReads, shared_reads
from services.relay.lobby_projector import LobbyProjector
from services.relay.publisher import Publisher
from tests.relay.playing import Played, lobby_of

ADA, CYD = "u" + "a" * 24, "u" + "c" * 24


class Programs:
    """Two programs over one store, and a match of two players of whom one is not there, and of guests.

    One guest is called what another's id is.
    """

    def __init__(self) -> None:
        self.store, self.now = MemoryStore(), 0
        self.shared = [shared_reads(self.store, now=lambda: self.now) for _ in range(2)]
        self.match = Played(self.store, 1)

    async def play(self) -> None:
        for player, name in ((ADA, "Ada"), (CYD, "Cyd")):
            await self.store.keep_player(player, b"f" * 32, name, player.encode())
        await self.match.open()
        await self.match.ask(Join(ADA, "server"))
        await self.match.ask(Join(CYD, "server"))
        await self.match.join(ADA)
        await self.match.ask(commands.Leave(2))
        await self.match.join("Bob")
        await self.match.deal()
        projector = LobbyProjector(self.store, self.shared[0])
        await projector.take(self.match.shard, await self.store.follow(self.match.shard, 0, 1_000))

    async def said(self, shared: SharedReads) -> dict[str, bytes]:
        """Return what a program says of the match, in every way it has."""
        house, match = MatchQueries(self.store, None, shared), self.match.match
        feed = MemoryFeed()
        publisher = Publisher(self.store, feed, None, shared)
        await publisher.start(self.match.shard)
        await publisher.take(self.match.shard, await self.store.follow(self.match.shard, 0, 1_000))
        return {
            "view": msgspec.json.encode(await house.view(match.id, None)),
            "lobby": msgspec.json.encode(await house.lobby(None, 9)),
            "frames": b"".join(await house.frames(match.id, None, 0, match.version)),
            "late": b"".join(await house.frames_late(match.id, 0, match.version, match.version)),
            "published": b"".join(placed.body for placed in feed.kept[self.match.shard]),
        }


async def test_an_erased_name_is_forgotten_in_a_moment_by_every_program() -> None:
    programs = Programs()
    await programs.play()
    for shared in programs.shared:
        for way, said in (await programs.said(shared)).items():
            assert b'"Ada"' in said, way
            assert (b'"Cyd"' in said) is (way in {"frames", "late", "published"}), way
    for player in (ADA, CYD):
        await programs.store.erase_player(player)
    programs.now += ERASABLE_MS
    for shared in programs.shared:
        for way, said in (await programs.said(shared)).items():
            assert b"Ada" not in said, way
            assert b"Cyd" not in said, way
            assert b'"Bob"' in said, way


async def test_a_guest_is_forgotten_as_a_player_is() -> None:
    programs = Programs()
    await programs.play()
    (bob,) = [who for who, name in programs.match.names.items() if name == "Bob"]
    for shared in programs.shared:
        assert all(b'"Bob"' in said for said in (await programs.said(shared)).values())
    assert await programs.store.erase_name(bob)
    programs.now += ERASABLE_MS
    for shared in programs.shared:
        for way, said in (await programs.said(shared)).items():
            assert b"Bob" not in said, way
            assert b'"Ada"' in said, way
    for kept in await lobby_of(programs.store):
        assert b"Bob" not in kept.doc


async def test_what_is_read_while_a_name_is_erased_is_not_remembered() -> None:
    class Slow(MemoryStore):
        """A store in which a name is erased between its being read and its being told."""

        async def names(self, players: Iterable[str]) -> dict[str, str]:
            found = await super().names(players)
            await self.erase_name(ADA)
            now[0] += ERASABLE_MS
            await cache.of_all([])
            return found

    now, store = [0], Slow()
    await store.keep_player(ADA, b"f" * 32, "Ada", b"1" * 32)
    cache = NameCache(store, lambda: now[0])
    assert await cache.of_all([ADA]) == {ADA: "Ada"}
    assert await cache.of_all([ADA]) == {}


async def test_names_are_told_while_the_store_is_away() -> None:
    class Away(MemoryStore):
        """A store that answers once."""

        async def erasures(self) -> int:
            if now[0] > 0:
                raise Unavailable("away")
            return await super().erasures()

    now, store = [0], Away()
    await store.keep_player(ADA, b"f" * 32, "Ada", b"1" * 32)
    cache = NameCache(store, lambda: now[0])
    for _ in range(2):
        assert await cache.of_all([ADA]) == {ADA: "Ada"}
        now[0] += ERASABLE_MS


async def test_pages_are_kept_while_names_are_what_they_were() -> None:
    programs = Programs()
    await programs.play()
    house, match = MatchQueries(programs.store, None, programs.shared[0]), programs.match.match
    first, late = [
        (await house.frames(match.id, None, 0, 99), await house.frames_late(match.id, 0, 99, match.version))
        for _ in range(2)
    ]
    assert [id(frame) for each in first for frame in each] == [id(frame) for each in late for frame in each]


async def test_rows_of_the_lobby_hold_ids_and_are_shown_with_names() -> None:
    programs = Programs()
    await programs.play()
    (kept,) = await lobby_of(programs.store)
    assert b"Ada" not in kept.doc
    house = MatchQueries(programs.store, None, programs.shared[1])
    (row,) = await house.lobby(None, 9)
    assert "players" not in row
    assert [seat["name"] for seat in row["seats"]] == ["Ada", "Bob", ADA]
    assert row["title"] == "Ada\N{RIGHT SINGLE QUOTATION MARK}s table"
    await programs.store.erase_player(ADA)
    programs.now += ERASABLE_MS
    (row,) = await house.lobby(None, 9)
    assert row["title"] == f"{ADA}\N{RIGHT SINGLE QUOTATION MARK}s table"
