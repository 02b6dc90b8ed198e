"""Seeds of their own for a board: who fixes none has the house draw it, and who withholds one is barred."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final
from uuid import UUID, uuid4

import pytest

from domain import commands as of_deals
from domain.errors import Refused
from domain.fairness.deal import seed_commitment
from domain.match.ceremony import Ceremony
from domain.tournaments.boards.board import Board
from infra.handoff.memory import MemoryHandoff
from infra.store import Unavailable
from infra.store.memory import MemoryStore
from services.api.boards.drawing import OwnDraw, draw_of
from services.dealer.boards.steps import AGAIN_MS
from services.dealer.director import Director
from services.dealer.handoff.desk import FOREIGN
from services.dealer.handoff.remote import Dealers
from services.dealer.handoff.remote_tournaments import RemoteTournaments
from services.matches.requests import CommandMetadata, KeyUsed, scope_of
from services.tournaments.requests import TournamentAnswer, UnknownBoard
from services.tournaments.tables import boards_ever
from services.tournaments.ways.lists import Custody
from tests.director.house import QUICK, EventHouse
from tests.director.test_boards import MATCH
from tests.handoff.remote_house import desk_of

SEED: Final = b"\x5e" * 32
CUSTODIES: Final[tuple[Custody, ...]] = ("client", "client", "client", "server")
LATE_MS: Final = 31_000
STAGE: Final = {"format": "duplicate", "rounds": 1, "size": 2}


class Evening:
    """Four people at the two tables of a board, all of whom have said that they draw for themselves but the last."""

    def __init__(
        self, house: EventHouse, director: Director, people: list[TournamentAnswer], wait: Callable[[int], None]
    ) -> None:
        self.house, self.director, self.people, self.wait = house, director, people, wait

    async def board(self) -> Board:
        (name,) = boards_ever(await self.house.tournament())
        return await self.house.tournaments.board(name)

    async def go_on(self) -> None:
        """Let the director and the log do what is due."""
        for _ in range(6):
            await self.director.round()
            await self.house.notary().work()
            self.wait(AGAIN_MS)

    async def give(self, person: int, step: str) -> None:
        """Fix or open the seed of somebody, by their number among the people, from 0."""
        board = await self.board()
        seat = next(seat for seat, who in board.drawers.items() if who.player == self.people[person].by)
        await self.house.tournaments.give_seed(board.id, command(deal_of(board), seat, step), self.house.ask())


def deal_of(board: Board) -> Ceremony:
    assert board.ceremony is not None
    return board.ceremony


def command(deal: Ceremony, seat: int, step: str) -> of_deals.CommitSeed | of_deals.OpenSeed:
    if step == "open":
        return of_deals.OpenSeed(seat, deal.deal, SEED.hex())
    return of_deals.CommitSeed(seat, deal.deal, seed_commitment(SEED, deal.ctx, deal.root, seat).hex())


@pytest.fixture
async def evening(wait: Callable[[int], None]) -> Evening:
    house = EventHouse(MemoryStore())
    await house.announce("duplicate", match=MATCH, stages=[STAGE], time=QUICK)
    await house.enter()
    people = [
        await house.tournaments.register(house.id, None, f"Person {number}", house.ask(), custody=custody)
        for number, custody in enumerate(CUSTODIES)
    ]
    await house.check_in()
    director = house.director()
    await director.begin()
    found = Evening(house, director, people, wait)
    async with asyncio.timeout(60):
        while True:
            await found.go_on()
            with suppress(UnknownBoard, ValueError):
                await found.board()
                return found


async def test_a_board_waits_for_those_who_draw_and_the_house_draws_for_whoever_fixes_none(
    evening: Evening, wait: Callable[[int], None]
) -> None:
    board = await evening.board()
    deal = deal_of(board)
    assert (deal.stage, len(deal.waiting_for)) == ("committed", 3)
    assert draw_of(board, str(evening.people[0].by)).awaits == "commit"
    assert draw_of(board, str(evening.people[3].by)) == OwnDraw(str(board.id), "committed", 0)
    assert draw_of(board, "e" + "0" * 24).drawer is None
    for person in (0, 1):
        await evening.give(person, "commit")
    assert draw_of(await evening.board(), str(evening.people[0].by)).awaits is None
    await evening.go_on()
    assert deal_of(await evening.board()).stage == "committed"
    wait(LATE_MS)
    await evening.go_on()
    board = await evening.board()
    assert deal_of(board).stage == "logged"
    assert draw_of(board, str(evening.people[2].by)).drawer is None, "the house has drawn for this one"
    for person in (0, 1):
        assert draw_of(board, str(evening.people[person].by)).awaits == "open"
        await evening.give(person, "open")
    await evening.go_on()
    board = await evening.board()
    assert deal_of(board).stage == "ready"
    assert sum(not who.custody for who in board.drawers.values()) == 2


async def test_who_withholds_a_seed_is_barred_from_the_board_and_another_deal_begins_for_all_others(
    evening: Evening, wait: Callable[[int], None]
) -> None:
    for person in (0, 1, 2):
        await evening.give(person, "commit")
    await evening.go_on()
    for person in (0, 1):
        await evening.give(person, "open")
    wait(LATE_MS)
    await evening.go_on()
    board = await evening.board()
    assert (deal_of(board).deal, deal_of(board).stage, len(board.drawers)) == (1, "committed", 3)
    assert str(evening.people[2].by) not in {who.player for who in board.drawers.values()}
    for person in (0, 1):
        await evening.give(person, "commit")
    await evening.go_on()
    for person in (0, 1):
        await evening.give(person, "open")
    await evening.go_on()
    assert deal_of(await evening.board()).stage == "ready"
    entrant = (await evening.house.tournament()).entrants[evening.people[2].number or 0]
    assert entrant.plays, "in the tournament itself"


async def test_a_seed_that_comes_twice_is_taken_once_and_answered_alike(evening: Evening) -> None:
    board, tournaments, ask = await evening.board(), evening.house.tournaments, evening.house.ask()
    fixed = command(deal_of(board), 1 if not board.drawers[1].custody else 2, "commit")
    first = await tournaments.give_seed(board.id, fixed, ask)
    assert await tournaments.give_seed(board.id, fixed, ask) == first
    with pytest.raises(Refused) as refused:
        await tournaments.give_seed(board.id, fixed, evening.house.ask())
    assert refused.value.code == "seed_already_given"
    with pytest.raises(KeyUsed):
        await tournaments.give_seed(board.id, fixed, CommandMetadata(ask.scope, ask.key, b"another"))
    with pytest.raises(UnknownBoard):
        await tournaments.give_seed(uuid4(), fixed, evening.house.ask())


async def test_a_node_that_decides_nothing_hands_a_seed_over_for_whoever_shows_the_token(evening: Evening) -> None:
    house, handoff = evening.house, MemoryHandoff()
    await handoff.take(desk_of(house, handoff).answer)
    remote = RemoteTournaments(house.store, Dealers(handoff))
    board, token = await evening.board(), str(evening.people[0].token)
    assert await remote.drawer_by(token) == evening.people[0].by
    assert await remote.drawer_by("truecup_entrant_" + "A" * 43) is None
    own = next(seat for seat, who in board.drawers.items() if who.player == evening.people[0].by)
    for name, seat in ((board.id, next(each for each in board.drawers if each != own)), (UUID(int=7), own)):
        with pytest.raises(Unavailable, match=FOREIGN):
            await remote.give_seed(name, command(deal_of(board), seat, "commit"), asked(token, "strange"))
    given = await remote.give_seed(board.id, command(deal_of(board), own, "commit"), asked(token, "own"))
    assert (await remote.board(board.id)).version == given.version
    with pytest.raises(Unavailable, match="shown again"):
        await remote.give_seed(board.id, command(deal_of(board), own, "commit"), asked("unseen", "unseen"))


def asked(token: str, key: str) -> CommandMetadata:
    return CommandMetadata(scope_of(token), key, b"f" * 32)
