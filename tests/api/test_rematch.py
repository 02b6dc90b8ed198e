"""Rematches: the same people at one next table, whoever asks, in whatever order, and however often."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import pytest

from domain import commands
from domain.fairness.deal import seed_commitment
from domain.match.ceremony import Ceremony
from infra.entropy import draw
from infra.sealing import Sealing
from infra.store import Card
from infra.store.memory import MemoryStore
from services.http.bounds import Bounds
from services.matches.chance import NO_CHANCE
from services.matches.handler import CommandHandler
from services.matches.requests import Answer, CommandMetadata, scope_of
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.api.conftest import Service, Table, bearer, served
from tests.api.test_problems import check
from tests.api.test_real_match import Prompt

NAMES = ("Ada", "Bob", "Cleo")


def house(store: MemoryStore) -> CommandHandler:
    return CommandHandler(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(range(32))))


class Over:
    """A match of three people and a bot that was played and is over."""

    def __init__(self, store: MemoryStore) -> None:
        self.matches = house(store)
        self.tokens: list[str] = []

    async def played(self, card: Card) -> Over:
        rules = {"game": "common_hand", "options": {}, "seats": 4, "pause_ms": 0}
        opened = await self.matches.open(rules, CommandMetadata("test", "open", b""), "all", card)
        self.id, self.host = UUID(opened.match), str(opened.token)
        for name in NAMES:
            ask = CommandMetadata("test", name, b"")
            answer = await self.matches.join(self.id, name, "server", ask, opened.invite)
            self.tokens.append(str(answer.token))
        await self.matches.seat_bots(self.id, 1, CommandMetadata("test", "bots", b""))
        await self.matches.start(self.id, CommandMetadata("test", "start", b""))
        await self.matches.submit(
            self.id, commands.LogDeal(0, 0, (), "a checkpoint"), CommandMetadata("test", "l", b"")
        )
        for seat in (1, 2, 3):
            await self.resign(seat)
        assert (await self.matches.load_match(self.id)).match.ended
        return self

    async def resign(self, seat: int) -> None:
        if not (await self.matches.load_match(self.id)).match.ended:
            await self.matches.submit(self.id, commands.Forfeit(seat), CommandMetadata("test", f"out {seat}", b""))

    async def again(self, seat: int, key: str = "again", matches: CommandHandler | None = None) -> Answer:
        """Ask for a rematch with the token of a seat, 0 for the host's."""
        return await (matches or self.matches).rematch(self.id, await self.asking(seat, key))

    async def asking(self, seat: int, key: str = "again") -> CommandMetadata:
        """Return the identity of a request with the token of a seat, 0 for the host's."""
        token = self.tokens[seat - 1] if seat else self.host
        found = await self.matches.bearer(token)
        assert found is not None
        return CommandMetadata(scope_of(token), key, b"f", holder=found.holder)


async def names_at(matches: CommandHandler, answer: Answer) -> list[str]:
    return sorted(seat.name for seat in (await matches.view(UUID(answer.match), None)).seats)


async def test_all_who_ask_sit_at_one_table_and_the_last_one_starts_it() -> None:
    over = await Over(MemoryStore()).played(Card("Friday night", listed=False))
    bot = next(one for one in (await over.matches.view(over.id, None)).seats if one.bot)
    assert [(one.name, one.sits) for one in (await over.matches.next_table(over.id)).seats] == [
        (name, False) for name in NAMES
    ]
    first = await over.again(2)
    assert (first.host is not None, first.token is not None, first.match != str(over.id)) == (True, True, True)
    second = await over.again(1)
    told = await over.matches.next_table(over.id)
    assert (told.match, told.started) == (first.match, False)
    assert [(one.name, one.sits) for one in told.seats] == [("Ada", True), ("Bob", True), ("Cleo", False)]
    third = await over.again(3)

    assert {one.match for one in (first, second, third)} == {first.match}
    assert [one.host for one in (second, third)] == [None, None]
    assert len({one.token for one in (first, second, third)}) == 3
    assert len({one.invite for one in (first, second, third)} - {None}) == 1
    assert await names_at(over.matches, first) == sorted([*NAMES, bot.name])
    assert (await over.matches.next_table(over.id)).started
    old = (await over.matches.load_match(over.id)).match
    new = (await over.matches.load_match(UUID(first.match))).match
    assert (new.settings, new.policy) == (old.settings, old.policy)
    assert await over.matches.card(new.id) == Card("Friday night", listed=False)
    for answer, name in ((second, "Ada"), (first, "Bob")):
        found = await over.matches.bearer(str(answer.token))
        assert found is not None
        assert found.holder is not None
        view = await over.matches.view(new.id, found.holder)
        assert next(seat.name for seat in view.seats if seat.seat == view.viewer) == name


async def test_who_draws_seeds_does_so_at_the_next_table_though_a_bot_stood_in_at_the_last() -> None:
    matches = house(MemoryStore())

    async def submit(command: commands.MatchCommand) -> None:
        await matches.submit(UUID(opened.match), command, CommandMetadata("test", str(draw(8)), b""))

    async def deal() -> Ceremony:
        ceremony = (await matches.load_match(UUID(opened.match))).match.ceremony
        assert ceremony is not None
        return ceremony

    rules = {"game": "common_hand", "options": {}, "seats": 2, "pause_ms": 0, "deal_per": "round"}
    opened = await matches.open(rules, CommandMetadata("test", "open", b""))
    sat = await matches.join(UUID(opened.match), "Ada", "client", CommandMetadata("test", "Ada", b""))
    await matches.join(UUID(opened.match), "Bob", "server", CommandMetadata("test", "Bob", b""))
    await matches.start(UUID(opened.match), CommandMetadata("test", "start", b""))
    first, seed = await deal(), bytes(32)
    await submit(commands.CommitSeed(1, 0, seed_commitment(seed, first.ctx, first.root, 1).hex()))
    await submit(commands.LogDeal(0, 0, (), "a checkpoint"))
    await submit(commands.OpenSeed(1, 0, seed.hex()))
    await submit(commands.StandIn(1))
    turn = (await matches.load_match(UUID(opened.match))).match.table
    assert turn is not None
    await submit(commands.Bid(turn.turn or 0, 1, 6))
    await submit(commands.Challenge(3 - (turn.turn or 0)))
    await submit(commands.Advance(NO_CHANCE))
    assert (await deal()).waiting_for == ()
    await submit(commands.LogDeal(1, 0, (), "a checkpoint"))
    await submit(commands.Forfeit(2))
    found = await matches.bearer(str(sat.token))
    assert found is not None
    again = await matches.rematch(UUID(opened.match), CommandMetadata("test", "again", b"", holder=found.holder))
    assert not (await matches.load_match(UUID(again.match))).match.seated[1].custody


async def test_who_asks_twice_is_told_the_same_wherever_and_sits_once() -> None:
    over = await Over(store := MemoryStore()).played(Card())
    first = await over.again(1)
    assert await over.again(1, "another") == first
    assert await over.again(1, "again", house(store)) == first
    assert len((await over.matches.load_match(UUID(first.match))).match.seated) == 2


async def test_who_has_got_up_from_the_next_table_is_given_no_seat_that_may_be_anothers() -> None:
    over = await Over(MemoryStore()).played(Card("Friday night", listed=False))
    first = await over.again(1)
    next_id = UUID(first.match)
    found = await over.matches.bearer(str(first.token))
    assert found is not None
    assert found.holder is not None
    leave = CommandMetadata("test", "leave", b"", holder=found.holder)
    await over.matches.submit(next_id, commands.Leave(found.holder.seat), leave)

    again = await over.again(1, "another")
    assert (again.match, again.seat, again.token, again.invite) == (first.match, None, None, first.invite)
    assert [one.name for one in (await over.matches.next_table(over.id)).seats if one.sits] == []
    back = CommandMetadata("test", "back", b"")
    assert (await over.matches.join(next_id, "Ada", "server", back, again.invite)).token is not None


async def test_everybody_at_once_comes_to_one_table_with_one_host() -> None:
    over = await Over(store := MemoryStore()).played(Card())
    there = [house(store), house(store)]
    answers = await asyncio.gather(*(over.again(seat, f"k{seat}{n}", there[n]) for seat in (1, 2, 3) for n in (0, 1)))

    assert len({one.match for one in answers}) == 1
    assert len({one.host for one in answers} - {None}) == 1
    assert len({one.token for one in answers}) == 3
    assert (await house(store).load_match(UUID(answers[0].match))).match.table is not None
    assert len((await house(store).load_match(UUID(answers[0].match))).match.seated) == 4


async def test_a_host_without_a_seat_opens_the_next_table_and_starts_it_without_who_stays_away() -> None:
    over = await Over(MemoryStore()).played(Card())
    opened = await over.again(0)
    assert (opened.token, opened.host is not None) == (None, True)
    await over.again(1)
    seats = (await over.matches.view(UUID(opened.match), None)).seats
    assert [(one.name, one.custody) for one in seats if not one.bot] == [("Ada", "server")]
    found = await over.matches.bearer(str(opened.host))
    assert found is not None
    assert (found.role, str(found.match)) == ("host", opened.match)
    await over.matches.start(UUID(opened.match), CommandMetadata("test", "go", b""))
    with pytest.raises(Exception, match="has started"):
        await over.again(2)


# ---- over HTTP ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def real() -> Any:
    """Serve real matches."""
    store = MemoryStore()
    matches = Prompt(store, Vault(store, Sealing(bytes(32))), TokenIssuer(bytes(32)))
    with served(Bounds(writes_per_s=1_000), matches) as service:
        yield service


def test_there_is_no_rematch_of_a_match_that_goes_on_or_never_began_nor_for_strangers(real: Service) -> None:
    table, other = Table(real), Table(real)
    ada, bob, eve = table.join("Ada"), table.join("Bob"), other.join("Eve")
    again = f"{table.path}/rematch"

    def asked(headers: dict[str, str] | None = None, path: str = again) -> Any:
        return real.client.post(path, headers=headers or {})

    check(asked(ada), 409, "not_over")
    table.start()
    check(asked(ada), 409, "not_over")
    check(asked(), 401, "no_token")
    check(asked(bearer("truecup_seat_" + "a" * 43)), 401, "bad_token")
    check(asked(eve), 403, "foreign_token")
    check(asked(ada, f"/api/v1/matches/{UUID(int=0)}/rematch"), 404, "unknown_match")
    assert real.client.get(again).json()["match"] is None
    assert table.play(ada, {"type": "resign"}).status_code == 200

    seen = asked(bob)
    assert seen.status_code == 201, seen.text
    assert real.client.get(again).json() == {
        "match": seen.json()["match"],
        "started": False,
        "seats": [{"seat": 1, "name": "Ada", "sits": False}, {"seat": 2, "name": "Bob", "sits": True}],
    }
    check(asked(bearer(seen.json()["token"]), f"/api/v1/matches/{seen.json()['match']}/rematch"), 409, "not_over")
    check(real.client.get(f"/api/v1/matches/{UUID(int=0)}/rematch"), 404, "unknown_match")
    other.play(other.host, {"type": "close_session"})
    check(asked(eve, f"{other.path}/rematch"), 409, "never_played")
