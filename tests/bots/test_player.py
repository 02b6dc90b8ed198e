"""House bots at work, over the memory store: matches are played, however often those who play them start anew."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from msgspec.structs import replace

from domain import events
from domain.log.receipts import AnotherHistory, sign_receipt
from domain.match.decide import decide
from domain.match.evolve import is_dealing
from domain.match.record import fold
from infra.keys import Ed25519Signer
from infra.sealing import Sealing
from infra.store import Card, Choices
from infra.store.memory import MemoryStore
from services.bots.demo import RULES, first_not_over, keep_demo, table_id
from services.bots.player import Bots, Chooses, turn_of
from services.bots.playing import chooser_of, level_of
from services.dealer.notary import Notary
from services.dealer.scheduler import MatchScheduler
from services.engines.level_names import USUAL, Level
from services.matches.handler import CommandHandler
from services.matches.heart import Heart
from services.matches.requests import CommandMetadata
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from services.work import failures
from services.work.failures import Stuck
from tests.bots.tables import BotTable
from tests.failing import Failing
from tests.relay.poison import poison

QUICK = (
    {**RULES, "options": {**RULES["options"], "dice_per_player": 2}, "pause_ms": 0},
    {"game": "two_dice_pass", "options": {"lives": 1}, "seats": 3, "pause_ms": 0},
)
PATIENCE_S = 60
ORIGIN = "bots.example/log"


class Nap:
    """Wakes its sleeper soon."""

    async def wait(self, timeout_s: float) -> None:
        await asyncio.sleep(min(timeout_s, 0.001))


class Rig:
    """A store and the programs over it, each with a memory of its own."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.matches = self.house()

    def house(self) -> CommandHandler:
        """Return a house that knows nothing but the log."""
        signs = partial(sign_receipt, ORIGIN, signers=(Ed25519Signer(bytes(32)),))
        return CommandHandler(self.store, Vault(self.store, Sealing(bytes(32))), TokenIssuer(bytes(32)), signs)

    def croupier(self, stuck: Stuck | None = None) -> Coroutine[Any, Any, None]:
        notary = Notary(self.store, ORIGIN, (Ed25519Signer(bytes(32)),))
        return MatchScheduler(self.store, Heart(self.store), self.house(), notary, Nap(), stuck=stuck).run()

    def bots(self, chooses: Chooses | None = None, stuck: Stuck | None = None) -> Coroutine[Any, Any, None]:
        given: dict[str, Any] = {} if chooses is None else {"chooses": chooses}
        return Bots(self.store, self.house(), Nap(), 0, stuck=stuck, **given).run()

    async def opened(self, rules: dict[str, Any], choices: Choices | None = None, level: Level = USUAL) -> UUID:
        """Return another match, of bots alone, begun."""
        ask, card = CommandMetadata("test", f"open {choices} {level}", b""), Card(choices=choices or Choices())
        match = UUID((await self.matches.open(rules, ask, card=card)).match)
        await self.matches.seat_bots(match, rules["seats"], CommandMetadata("test", "seat", b""), level)
        await self.matches.start(match, CommandMetadata("test", "start", b""))
        return match

    def demo(self, is_alone: Callable[[], bool] | None = None) -> Coroutine[Any, Any, None]:
        return keep_demo(self.house(), is_alone or (lambda: False), pause_s=0.01, look_s=0.01, shown=QUICK)

    async def until(self, match_id: UUID, true: Callable[[Any], bool]) -> None:
        """Return when this is true of a match, of which each line is taken apart once however often it looks."""
        history: list[Any] = []
        async with asyncio.timeout(PATIENCE_S):
            while True:
                lines = await self.store.read(f"match/{match_id}", after=len(history))
                history += fold(lines, history[-1][0] if history else None)
                if lines and true(history):
                    return
                await asyncio.sleep(0.01)


@asynccontextmanager
async def working(*works: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Let these work, and cut them off in the middle of whatever they do."""
    tasks = [asyncio.create_task(work) for work in works]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(how, asyncio.CancelledError) for how in ended), ended


def _over(history: list[Any]) -> bool:
    return bool(history[-1][0].match.ended)


def _in_play(history: list[Any]) -> bool:
    table = history[-1][0].match.table
    return table is not None and table.turn is not None


def _is_over_or_bid(bids: int, history: list[Any]) -> bool:
    return _over(history) or _bids(bids)(history)


def _bids(count: int) -> Callable[[list[Any]], bool]:
    return lambda history: sum(isinstance(event, events.Bid) for _, event in history) >= count


async def test_the_demo_table_is_played_to_its_end_and_the_next_one_is_of_another_game():
    rig = Rig()
    async with working(rig.croupier(), rig.bots(), rig.demo()):
        await rig.until(await table_id(rig.matches, 0), _over)
        await rig.until(await table_id(rig.matches, 1), _over)
    games = [
        (await rig.matches.load_match(await table_id(rig.matches, number))).match.settings.game for number in (0, 1)
    ]
    assert games == ["common_hand", "two_dice_pass"]


@pytest.mark.long
async def test_bots_and_keepers_that_are_cut_off_are_followed_by_others_who_go_on():
    rig = Rig()
    for bids in (1, 3, 5):
        async with working(rig.croupier(), rig.bots(), rig.demo()):
            table = await table_id(rig.matches, 0)
            await rig.until(table, partial(_is_over_or_bid, bids))
    async with working(rig.croupier(), rig.bots(), rig.demo()):
        await rig.until(await table_id(rig.matches, 0), _over)


@pytest.mark.long
async def test_two_programs_with_bots_take_no_turn_twice():
    rig = Rig()
    async with working(rig.croupier(), rig.bots(), rig.bots(), rig.demo(), rig.demo()):
        await rig.until(await table_id(rig.matches, 0), _over)
    history = fold(await rig.store.read(f"match/{await table_id(rig.matches, 0)}"))
    assert sum(isinstance(event, events.SeatJoined) for _, event in history) == 3


@pytest.mark.long
async def test_the_first_table_that_is_not_over_is_found_again():
    rig = Rig()
    assert await first_not_over(rig.matches) == 0
    async with working(rig.croupier(), rig.bots(), rig.demo()):
        await rig.until(await table_id(rig.matches, 2), _over)
    assert await first_not_over(rig.house()) >= 3


async def test_a_demo_table_that_cannot_be_read_is_followed_by_the_next_and_spoils_no_other():
    rig = Rig()
    first = await table_id(rig.matches, 0)
    async with working(rig.croupier(), rig.bots(), rig.demo()):
        await rig.until(first, _in_play)
    await poison(rig.store, f"match/{first}")
    assert await first_not_over(rig.house()) == 1
    async with working(rig.croupier(), rig.bots(), rig.demo()):
        await rig.until(await table_id(rig.matches, 1), _over)


async def test_people_and_empty_tables_give_bots_no_turn():
    rig = Rig()
    opened = await rig.matches.open({"game": "common_hand", "options": {}}, CommandMetadata("test", "open", b""))
    match_id = UUID(opened.match)
    for name in ("Ada", "Blaise"):
        await rig.matches.join(match_id, name, "server", CommandMetadata("test", name, b""))
    assert turn_of((await rig.matches.load_match(match_id)).match, 0) is None
    await rig.matches.start(match_id, CommandMetadata("test", "start", b""))
    async with working(rig.croupier(), rig.bots()):
        await rig.until(match_id, _in_play)
        await asyncio.sleep(0.05)
    match = (await rig.house().load_match(match_id)).match
    assert turn_of(match, 0) is None
    assert match.table is not None
    assert match.table.round.standing is None


async def test_bots_are_quick_where_the_host_wants_to_practise_and_take_their_time_elsewhere():
    rig, hour = Rig(), 3_600_000
    rules = {"game": "common_hand", "options": {"dice_per_player": 1}, "seats": 2, "pause_ms": 0}
    usual = await rig.opened(rules)
    instant = await rig.opened(rules, Choices(bots="instant"))
    async with working(rig.croupier(), Bots(rig.store, rig.house(), Nap(), hour).run()):
        await rig.until(usual, _in_play)
        await rig.until(instant, _over)
    table = (await rig.house().load_match(usual)).match.table
    assert table is not None
    assert table.round.standing is None


def test_nobody_has_a_turn_while_the_dice_of_the_next_round_come_about():
    table = BotTable({"lives": 2}, 2, 1, "round", "two_dice_pass")
    seen = set()
    for _, command in table.turns(60):
        dealt = table.match
        assert command is not None
        bots = {seat: replace(who, player=f"bot/steady/{seat}") for seat, who in dealt.seated.items()}
        assert turn_of(replace(dealt, seated=bots), 0) is not None
        after = decide(dealt, command, table.at + 10, table.keeper).match
        if is_dealing(after):
            assert after.table is not None
            seen.add(after.table.turn)
            assert turn_of(replace(after, seated=bots), 0) is None
    assert seen - {None}


async def test_a_demo_table_is_the_one_that_the_house_opens():
    rig = Rig()
    opened = await rig.matches.open(RULES, CommandMetadata("demo", "demo-7-open", b""))
    assert UUID(opened.match) == await table_id(rig.matches, 7)


async def test_a_bot_that_fails_at_one_table_goes_on_at_the_others():
    rig = Rig()
    fails = await table_id(rig.matches, 0)

    def chooses(level, seen, chance):
        assert seen.match.id != fails, "a fault of the bot's"
        return chooser_of(level).choose(seen, chance)

    async with working(rig.croupier(), rig.bots(chooses), rig.demo()):
        await rig.until(fails, _in_play)
        await rig.until(await rig.opened(QUICK[1]), _over)


@pytest.mark.parametrize("step", ["load_match", "frames", "keep_bot_turn", "submit", "think"])
async def test_a_bot_that_could_not_once_for_want_of_room_does_so_later(monkeypatch: pytest.MonkeyPatch, step: str):
    monkeypatch.setattr(failures, "AGAIN_MS", 50)
    rig, stuck, failing = Rig(), Stuck(), Failing(1)
    match_id, house = await rig.opened(QUICK[0]), rig.house()
    if step != "think":
        monkeypatch.setattr(house, step, failing.instead_of(getattr(house, step)))
    choose = failing.instead_of(rig_choice) if step == "think" else rig_choice
    async with working(rig.croupier()):
        await rig.until(match_id, _in_play)
        async with working(Bots(rig.store, house, Nap(), 0, choose, stuck=stuck).run()):
            await rig.until(match_id, _bids(1))
    assert failing.tried > 1
    assert await stuck.notice() is None


def rig_choice(level, seen, chance):
    return chooser_of(level).choose(seen, chance)


async def test_bots_stop_all_play_when_the_log_no_longer_says_what_was_signed():
    rig = Rig()
    rewriting = Rewriting(rig.store)
    bots = Bots(rewriting, rig.house(), Nap(), 0)
    async with working(rig.croupier(), rig.demo()):
        playing = asyncio.create_task(bots.run())
        await rig.until(await table_id(rig.matches, 0), _bids(3))
        rewriting.lies = True
        async with asyncio.timeout(PATIENCE_S):
            with pytest.raises(AnotherHistory, match="CUP1 receipt"):
                await playing


class Rewriting:
    """A store whose lines are other ones once it lies, in every match at once."""

    def __init__(self, store: MemoryStore) -> None:
        self.store = store
        self.lies = False

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        lines = await self.store.read(stream, after, limit)
        return [line.replace(b'"at":', b'"at":1') for line in lines] if self.lies else lines

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)


async def test_bots_are_seated_by_a_level_which_their_ids_say_and_which_they_are_played_by():
    rig, played = Rig(), set()
    usual = await rig.opened(QUICK[1])
    match = await rig.opened(QUICK[1], level="L1")

    def chooses(level, seen, chance):
        played.add((seen.match.id, level.partition(".")[0]))
        return chooser_of(level).choose(seen, chance)

    async with working(rig.croupier(), rig.bots(chooses)):
        await rig.until(match, _over)
        await rig.until(usual, _over)
    assert played == {(match, "L1"), (usual, USUAL)}
    seated = (await rig.matches.load_match(match)).match.seated.values()
    assert {level_of(who).partition(".")[0] for who in seated} == {"L1"}


async def test_no_other_demo_table_opens_while_nobody_looks():
    rig = Rig()
    alone = True
    async with working(rig.croupier(), rig.bots(), rig.demo(lambda: alone)):
        await asyncio.sleep(0.1)
        assert await rig.store.read(f"match/{await table_id(rig.matches, 0)}") == []
        alone = False
        await rig.until(await table_id(rig.matches, 0), _in_play)
        alone = True
        await rig.until(await table_id(rig.matches, 0), _over)
        await asyncio.sleep(0.1)
        assert await rig.store.read(f"match/{await table_id(rig.matches, 1)}") == []
