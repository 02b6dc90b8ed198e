"""Hidden dice leave the dealer only when it is on record that they do, whatever else goes wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any
from uuid import UUID

import msgspec
import pytest
from msgspec.structs import replace

from domain import commands
from domain.audit import access
from domain.audit.access_audit import Disclosure, judge
from domain.audit.replay import replay
from domain.errors import Refused
from domain.fairness import records
from domain.fairness.records import RecordLine
from domain.log import canonical
from domain.match.evolve import Match
from infra.feed.memory import MemoryFeed
from infra.handoff.memory import MemoryHandoff
from infra.keys import ed25519_verify
from infra.sealing import Sealing
from infra.store import Access, Append, Unavailable
from infra.store.memory import MemoryStore
from projections.served_dice import dice_of_view
from projections.view import DieView, View
from services.dealer.handoff.remote import Dealers, RemoteMatches
from services.matches.handler import Ask, Matches
from services.matches.reads.access_log import Ledger
from services.matches.reads.queries import Library
from services.matches.secrets.tokens import Tokens
from services.matches.secrets.vault import Vault
from services.relay.publisher import Publisher

RULES = {"game": "common_hand", "options": {"dice_per_player": 2}, "seats": 3, "pause_ms": 0}


class House:
    """A store, and a program with the dealer's role over it."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.store = store or MemoryStore()
        self.matches = self.another()

    def another(self) -> Matches:
        """Return a program that remembers nothing."""
        return Matches(self.store, Vault(self.store, Sealing(bytes(32))), Tokens(bytes(32)))

    async def begun(self, **rules: Any) -> UUID:
        """Open a match, seat three, deal."""
        match_id = UUID((await self.matches.open({**RULES, **rules}, Ask("t", "open", b""))).match)
        for seat in range(1, 4):
            await self.matches.join(match_id, f"p{seat}", "server", Ask("t", f"join-{seat}", b""))
        await self.matches.start(match_id, Ask("t", "start", b""))
        await self.log_the_deal(match_id)
        return match_id

    async def log_the_deal(self, match_id: UUID) -> None:
        ceremony = (await self.matches.hosted(match_id)).match.ceremony
        assert ceremony is not None
        if ceremony.stage == "sealed":
            command = commands.LogDeal(ceremony.deal, 0, (), "a checkpoint")
            await self.matches.submit(match_id, command, Ask("t", f"log-{ceremony.deal}", b""))

    async def finish(self, match_id: UUID, dealers: Callable[[], Matches] | None = None) -> None:
        """Let everybody bid the least and doubt the rest, until the match is over."""
        for step in range(400):
            match = (await self.matches.hosted(match_id)).match
            if match.ended:
                return
            house = self.matches if dealers is None else dealers()
            await self.step(house, match, step)
            await self.log_the_deal(match_id)
        pytest.fail("the match does not end")

    async def step(self, house: Matches, match: Match, step: int) -> None:
        assert match.table is not None
        ask = Ask("t", f"step-{step}", b"")
        if match.table.turn is None:
            await house.advance(match.id, ask)
        elif match.table.round.standing is None:
            await house.submit(match.id, commands.Bid(match.table.turn, 1, 6), ask)
        else:
            await house.submit(match.id, commands.Challenge(match.table.turn), ask)

    async def audited(self, match_id: UUID) -> Disclosure:
        """Return what the audit of the access record comes to."""
        lines = await self.store.read(f"match/{match_id}")
        documents = [canonical.decode(line) for line in lines]
        ruling = replay([RecordLine(n, d["type"], d["data"], d["at"]) for n, d in enumerate(documents, start=1)])
        return judge(await self.matches.access(match_id), lines, ruling, None, ed25519_verify)


async def proved(house: House, match_id: UUID) -> Disclosure:
    """Return what the audit finds; without a log no record is complete, and nothing else is missing."""
    found = await house.audited(match_id)
    assert found.status == "INCOMPLETE", found
    assert records.split(await house.matches.access(match_id)).proof is None
    return found


async def test_every_seat_of_a_match_is_on_record_and_reading_adds_nothing() -> None:
    house = House()
    match_id = await house.begun()
    stream = access.stream_of(match_id)
    before = await house.store.read_access(stream)
    assert [canonical.decode(line)["data"]["viewer"] for line in before[1:]] == ["seat/1", "seat/2", "seat/3"]
    for seat in (1, 2, 3, None):
        for program in (house.matches, house.another()):
            await program.view(match_id, seat)
            await program.frames(match_id, seat, 0, 999)
            if seat is not None:
                assert len(await program.openings(match_id, seat)) == 1
    assert await house.store.read_access(stream) == before
    await house.finish(match_id)
    assert (await proved(house, match_id)).viewers.keys() == {"seat/1", "seat/2", "seat/3"}


async def test_programs_that_take_turns_write_one_access_stream() -> None:
    house = House()
    match_id = await house.begun()
    programs = [house.another(), house.another()]

    def next_one() -> Matches:
        programs.reverse()
        return programs[0]

    await house.finish(match_id, next_one)
    await proved(house, match_id)


async def test_a_server_that_shows_a_hidden_cup_to_another_seat_puts_itself_on_record() -> None:
    house = House()
    match_id = await house.begun()
    hosted = await house.matches.hosted(match_id)
    honest = await house.matches.view(match_id, 1)
    await Ledger(house.store).told(hosted.match, dice_of_view(hosted.match, leaking(honest)))
    line = len(await house.store.read_access(access.stream_of(match_id)))
    await house.finish(match_id)
    found = await house.audited(match_id)
    assert (found.status, found.code, found.line) == ("FAULT", "E_ACCESS", line - 1)
    assert "seat/1 was served roll 0 of cup 2" in found.message


def leaking(view: View) -> View:
    """Return a view in which every die lies open for its viewer alone."""
    seats = tuple(replace(seat, dice=tuple(DieView(1, shown=False) for _ in seat.dice)) for seat in view.seats)
    return replace(view, seats=seats)


async def test_a_match_that_is_older_than_access_streams_is_given_its_own() -> None:
    store = Forgetful()
    house = House(store)
    match_id = await house.begun()
    assert await store.read_access(access.stream_of(match_id)) == []
    store.forgets = False
    view = await house.another().view(match_id, 2)
    assert [die.face is None for die in view.seats[1].dice] == [False, False]
    assert len(await store.read_access(access.stream_of(match_id))) == 4
    await house.finish(match_id, house.another)
    await proved(house, match_id)


async def test_who_finds_no_access_stream_at_the_same_time_as_another_writes_it_once() -> None:
    store = Forgetful()
    house = House(store)
    match_id = await house.begun()
    store.forgets = False
    await asyncio.gather(*(house.another().view(match_id, seat) for seat in (1, 2, 3)))
    await house.finish(match_id)
    await proved(house, match_id)


async def test_dice_stay_where_they_are_while_it_cannot_be_put_on_record() -> None:
    store = Forgetful()
    house = House(store)
    match_id = await house.begun()
    store.broken = True
    fresh = house.another()
    with pytest.raises(Unavailable):
        await fresh.view(match_id, 1)
    with pytest.raises(Unavailable):
        await fresh.frames(match_id, 1, 0, 999)
    with pytest.raises(Unavailable):
        await fresh.openings(match_id, 1)
    feed = MemoryFeed()
    heard: list[bytes] = []
    await feed.listen(str(match_id), 1, lambda _version, body: heard.append(body))
    publisher = Publisher(store, feed, Vault(store, Sealing(bytes(32))))
    shard = next(shard for shard, end in (await store.positions()).items() if end)
    await publisher.start(shard)
    with pytest.raises(Unavailable):
        await publisher.take(shard, await store.follow(shard, 0, 999))
    assert heard, "a seat is told what is public"
    told = [msgspec.json.decode(body)["view"]["seats"] for body in heard]
    assert {die["face"] for seats in told for seat in seats for die in seat["dice"]} <= {None}
    assert (await fresh.view(match_id, None)).version == (await house.matches.hosted(match_id)).match.version


async def test_whoever_only_looks_on_never_asks_for_an_access_stream() -> None:
    store = Forgetful()
    house = House(store)
    match_id = await house.begun()
    store.broken = True
    for node in (RemoteMatches(store, Dealers(MemoryHandoff())), house.another()):
        await node.view(match_id, None)
        assert await node.frames(match_id, None, 0, 999)


async def test_a_node_without_the_dealers_key_serves_nothing_private_and_writes_nothing() -> None:
    house = House()
    match_id = await house.begun()
    before = await house.store.read_access(access.stream_of(match_id))
    for node in (RemoteMatches(house.store, Dealers(MemoryHandoff())), Library(house.store, None)):
        for seat in (None, 1):
            view = await node.view(match_id, seat)
            assert {die.face for each in view.seats for die in each.dice} == {None}
            assert await node.frames(match_id, seat, 0, 999)
        assert await node.openings(match_id, 1) == []
        assert await node.access(match_id) == await house.matches.access(match_id)
    assert await house.store.read_access(access.stream_of(match_id)) == before


async def test_a_command_that_is_refused_puts_nothing_on_record() -> None:
    house = House()
    match_id = await house.begun()
    before = await house.store.read_access(access.stream_of(match_id))
    with pytest.raises(Refused):
        await house.matches.submit(match_id, commands.Challenge(1), Ask("t", "too early", b""))
    assert await house.store.read_access(access.stream_of(match_id)) == before


class Forgetful(MemoryStore):
    """A store of before there were access streams, or one that cannot write them now."""

    def __init__(self) -> None:
        super().__init__()
        self.forgets = True
        self.broken = False

    async def append(self, append: Append) -> Any:
        return await super().append(replace(append, access=None) if self.forgets else append)

    async def append_access(self, stream: str, lines: Access) -> bool:
        if self.broken:
            raise Unavailable("the database does not answer")
        return self.forgets or await super().append_access(stream, lines)
