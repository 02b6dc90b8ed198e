"""Dice handled under a seal that was signed: two dealers know of it, and the deal opens it when it closes."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from uuid import UUID

import pytest
from msgspec import convert
from msgspec.structs import replace

from domain import commands
from domain.errors import Refused
from domain.games import GAMES
from domain.log.receipts import sign_receipt
from domain.match.decide import decide
from domain.match.record import stream_of
from domain.match.signed_commands import SeatSignature, public_form, seat_of
from domain.table.moves import moves
from domain.table.offers import ArrangeMove
from infra.sealing import Sealing
from infra.store.memory import MemoryStore
from services.matches.handler import CommandHandler
from services.matches.requests import Answer, CommandMetadata, SeatMark
from services.matches.secrets.tokens import TokenIssuer
from services.matches.secrets.vault import Vault
from tests.domain.playing import commands_for
from tests.fairness.scripted_server import ORIGIN, SIGNERS
from tests.signed.hands import PLACEMENTS, Hand

SALT = "5a" * 32


class House:
    """Two dealers over one store, asked in turn, and two who sign."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        tokens, sealing = TokenIssuer(bytes(range(32))), Sealing(bytes(32))
        signs = partial(sign_receipt, ORIGIN, signers=(SIGNERS[ORIGIN],))
        self.dealers = [CommandHandler(self.store, Vault(self.store, sealing), tokens, signs) for _ in range(2)]
        self.asked = 0
        self.hands: dict[int, Hand] = {}
        self.sent: list[tuple[commands.MatchCommand, SeatSignature, Answer]] = []

    def ask(self, signature: SeatSignature | None = None) -> CommandMetadata:
        self.asked += 1
        return CommandMetadata("test", f"ask-{self.asked}", b"", signature=signature)

    async def open(self, game: str) -> None:
        seats = GAMES[game].rules(GAMES[game].options()).seats[0]
        rules = {"game": game, "options": {}, "pause_ms": 0, "seats": seats}
        self.id = UUID((await self.dealers[0].open(rules, self.ask())).match)
        for number in range(1, seats + 1):
            hand = self.hands[number] = Hand(self.id, number)
            signing = (await self.dealers[0].load_match(self.id)).written.signing
            signature = convert(hand.sign_join(signing, "server"), SeatSignature)
            await self.dealers[0].join(self.id, f"Ada{number}", "server", self.ask(signature), None, SeatMark(hand.key))
            hand.seat = number
        await self.dealers[0].start(self.id, self.ask())
        await self.dealers[0].submit(self.id, commands.LogDeal(0, 0, (), "checkpoint"), self.ask())

    async def act(self, dealer: int, command: commands.MatchCommand) -> None:
        hosted = await self.dealers[dealer].load_match(self.id)
        salt = SALT if isinstance(command, commands.Arrange) else None
        first = decide(hosted.match, command, hosted.match.at + 1, hosted.keeper).events[0]
        public = public_form(command, SeatSignature(0, 1, "", salt), first)
        assert public is not None
        signed = self.hands[seat_of(command)].sign(hosted.written.signing, public)
        signature = convert({**signed, "salt": salt}, SeatSignature)
        self.sent.append((command, signature, await self.send(dealer, command, signature)))

    async def send(self, dealer: int, command: commands.MatchCommand, signature: SeatSignature) -> Answer:
        return await self.dealers[dealer].submit(self.id, command, self.ask(signature))

    async def handle_dice(self) -> commands.Arrange:
        """Act until dice can be handled, and handle the first that are hidden with the first dealer."""
        while True:
            state = (await self.dealers[0].load_match(self.id)).match.table
            assert state is not None
            assert state.turn is not None
            offered = moves(state)[state.turn]
            for move in offered:
                if isinstance(move, ArrangeMove):
                    command = commands_for(state.turn, move)[0]
                    assert isinstance(command, commands.Arrange)
                    await self.act(0, command)
                    return command
            await self.act(0, commands_for(state.turn, offered[0])[0])

    async def lines(self) -> list[dict[str, object]]:
        return [json.loads(line) for line in await self.store.read(stream_of(self.id), 0, 1_000)]


def test_another_dealer_opens_what_was_handled_when_the_deal_closes() -> None:
    asyncio.run(_handled_by_one_and_opened_by_another())


async def _handled_by_one_and_opened_by_another() -> None:
    house = House()
    await house.open("stanford")
    await house.dealers[1].load_match(house.id)
    handled = await house.handle_dice()

    secrets = await house.store.secrets(stream_of(house.id))
    (name,) = [name for name in secrets if name.startswith("handled/")]
    seq = int(name.rpartition("/")[2])
    assert SALT.encode() not in secrets[name]
    assert SALT not in json.dumps(await house.lines())

    await house.act(1, commands.Forfeit(handled.seat))
    lines = await house.lines()
    assert lines[seq]["type"] == "game.arranged"
    closed = next(line["data"] for line in lines if line["type"] == "deal.closed")
    positions = {name: list(getattr(handled, name)) for name in PLACEMENTS}
    assert isinstance(closed, dict)
    assert closed["handled"] == [[seq, SALT, positions]]


def test_the_same_signed_bytes_under_another_key_are_one_command_at_every_dealer() -> None:
    asyncio.run(_sent_twice())


async def _sent_twice() -> None:
    house = House()
    await house.open("stanford")
    handled = await house.handle_dice()
    await house.act(1, commands.Forfeit(handled.seat))
    before = await house.lines()
    for command, signature, answer in house.sent:
        for dealer in range(2):
            assert await house.send(dealer, command, signature) == answer
            assert answer.receipt is not None
    command, signature, _ = next(sent for sent in house.sent if sent[0] == handled)
    strange: list[tuple[commands.MatchCommand, SeatSignature]] = [
        (replace(handled, roll_inside=(), inside=(0,)), signature),
        (handled, replace(signature, salt="5b" * 32)),
        (handled, replace(signature, salt=None)),
        (handled, replace(signature, version=signature.version - 1)),
        (replace(handled, seat=3 - handled.seat), signature),
        (commands.Challenge(handled.seat), signature),
    ]
    for another, by in strange:
        with pytest.raises(Refused):
            await house.send(0, another, by)
    assert await house.lines() == before
