"""Steps of duplicate boards: one deal for all tables of a round, and rounds of the game that wait for each other.

The law of the file: what is due follows from the board and its matches (`domain.tournaments.boards.due`) and is
remembered nowhere but in the log. A board is opened before its matches, each of which is told of its dice, of every
round that is over at all tables, and nothing else. Killed anywhere, whoever looks next finds what is left.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final
from uuid import UUID

from domain import commands as of_deals
from domain.errors import Refused
from domain.fairness.beacons import Chain, round_due_at
from domain.ids import UnixMs
from domain.match.evolve import Match
from domain.match.record import GENESIS
from domain.match.settings import settings_of
from domain.table.phases import AWAITING_BOARD
from domain.tournaments.boards.board import Board
from domain.tournaments.boards.decide import BoardCommand, CloseBoard, CloseBoardRound, Drawer, ProceedWithDeal
from domain.tournaments.boards.due import AtBoard, DueOnBoard, due_on_board, table_of_board
from domain.tournaments.boards.rules import board_rules, drawers_of
from domain.tournaments.formats.table import format_of
from domain.tournaments.tournament import Tournament
from infra.clock import now_ms
from infra.store import Away
from services.dealer.beacon_client import BeaconClient
from services.dealer.notary import Notary
from services.dealer.scheduler import anchor_of_deal
from services.matches.chance import NO_CHANCE
from services.matches.handler import CommandHandler
from services.matches.reads.queries import UnknownMatch
from services.matches.requests import CommandMetadata
from services.matches.tables.event_tables import SCOPE
from services.matches.watching.embargo import is_kept_back, is_over_everywhere
from services.tournaments.handler import TournamentHandler
from services.tournaments.requests import UnknownBoard
from services.tournaments.tables import boards_ever
from services.work.changes import noting_away

STEPS_MAX: Final = 64
"""Steps of one board in a row, before others have their turn."""
AGAIN_MS: Final = 250
"""How long to wait before asking again whether the log has a seal, or a beacon has spoken."""


class BoardSteps:
    """What a director does of boards."""

    def __init__(
        self, tournaments: TournamentHandler, matches: CommandHandler, notary: Notary, ear: BeaconClient | None
    ) -> None:
        """Act on the boards of these tournaments, log through this notary, and hear a beacon by this ear."""
        self._tournaments = tournaments
        self._boards = tournaments.boards
        self._matches = matches
        self._notary = notary
        self._ear = ear
        self._closed: set[UUID] = set()

    async def open(self, tournament: Tournament) -> None:
        """Open the boards of rounds whose tables wait for their matches: no match is there before its dice begin."""
        stage = tournament.stage
        if stage is None or not format_of(tournament.rules.stages[stage.number - 1]).boards:
            return
        own = await self._tournaments.own_seeds(tournament.id)
        for held in stage.open_rounds:
            if held.waiting:
                drawers = drawers_of(tournament, stage.number, held)
                who = [tournament.entrants[number].player for number in drawers]
                drawn: list[Drawer] = [(player, "client" if player in own else "server") for player in who]
                await self._boards.open(board_rules(tournament, stage.number, held), drawn)

    async def look(self, tournament: Tournament) -> UnixMs | None:
        """Do whatever is due on the boards of a tournament, and return when to look again; None for when one moves.

        Raises:
            Away: A board, or a table of one, is at a database that is away; what the others wait for is done.
        """
        times, away = list[UnixMs | None](), list[Away]()
        for each in boards_ever(tournament):
            if each not in self._closed:
                with noting_away(away):
                    times.append(await self._look_at(tournament, each))
        if away:
            raise away[0]
        return min((at for at in times if at is not None), default=None)

    async def keeps_back(self, match: Match) -> bool:
        """Report whether nobody may know yet what a match came to: its last round goes on elsewhere with the same dice.

        The line of the board that ends that lets the director look again.
        """
        board, state = match.settings.board, match.table
        if board is None or state is None or not is_kept_back(match):
            return False
        return not is_over_everywhere((await self._boards.load(UUID(board.id))).board, state.round_number)

    def forget(self, tournament: Tournament) -> None:
        """Remember nothing of the boards of a tournament at which nobody looks again."""
        self._closed -= set(boards_ever(tournament))

    async def _look_at(self, tournament: Tournament, name: UUID) -> UnixMs | None:
        for _ in range(STEPS_MAX):
            try:
                held = await self._boards.load(name)
            except UnknownBoard:
                return None  # its round was taken back before it was opened, or has not begun
            if held.board.ended:
                self._closed.add(name)
                return None
            away = list[Away]()
            tables = await self._tables_of(tournament, held.board, away)
            if not await self._do_one(held.board, tables):
                if away:
                    raise away[0]
                return _next_at(held.board, tables)
        return now_ms()

    async def _do_one(self, board: Board, tables: list[AtBoard]) -> bool:
        """Do the first thing that is due; report whether there was any."""
        if await self._hear(board):
            return True
        step = due_on_board(board, tables)
        if step is None or step.at > now_ms():
            return False
        return await self._do(board, step, tables)

    async def _do(self, board: Board, step: DueOnBoard, tables: list[AtBoard]) -> bool:
        told = [each for each in tables if each.table in step.tables]
        match step.step:
            case "share":
                return await self._tell(told, await self._share(board), "share")
            case "release":
                return await self._tell(told, await self._release(board), f"release-{board.round}")
            case "close_round":
                rows = tuple(each.row for each in tables)
                return await self._submit(board, CloseBoardRound(board.round + 1, rows), f"round-{board.round + 1}")
            case "close":
                return await self._submit(board, CloseBoard(), "close")
            case "proceed":
                return await self._submit(board, ProceedWithDeal(NO_CHANCE), f"deal-{board.version}")

    # ---- the board ------------------------------------------------------------------------------

    async def _hear(self, board: Board) -> bool:
        """Bring the deal what it waits for: that the log has it, or what the beacon says."""
        deal = board.ceremony
        anchor = anchor_of_deal(deal, board.sealed_seq, board.opened_seq)
        if deal is not None and anchor is not None:
            self._notary.wake()
            proof = await self._notary.proof(f"board/{board.id}", anchor.seq, anchor.kind)
            if proof is None:
                return False
            kind = of_deals.LogDeal if anchor.kind == "sealed" else of_deals.FixDeal
            command = kind(deal.deal, proof.index, proof.path, proof.checkpoint)
            return await self._submit(board, command, f"log-{anchor.seq}")
        chosen = settings_of(board.rules.match).beacon
        if deal is None or deal.stage != "fixed" or deal.beacon is None or chosen is None or self._ear is None:
            return False
        due_at = 1000 * round_due_at(Chain(chosen.genesis, chosen.period), deal.beacon.round)
        said = self._ear.signature_of(deal.beacon.chain, deal.beacon.round, due_at)
        heard = None if said is None else of_deals.HearBeacon(deal.deal, deal.beacon.round, said)
        return heard is not None and await self._submit(board, heard, f"beacon-{deal.deal}")

    async def _submit(self, board: Board, command: BoardCommand, key: str) -> bool:
        """Ask the board for something; report whether it moved, by this or by another director."""
        with suppress(Refused):
            await self._boards.submit(board.id, command, key)
        return (await self._boards.load(board.id)).version != board.version

    # ---- its matches ----------------------------------------------------------------------------

    async def _tables_of(self, tournament: Tournament, board: Board, away: list[Away]) -> list[AtBoard]:
        """Return how its tables stand; one that was taken back before its match was opened is over.

        One that is away is told nothing, and its round goes on: so no round is over at all tables without it.
        """
        found = list[AtBoard]()
        awaited = _awaited(tournament, board)
        for number in range(1, board.rules.tables + 1):
            name = board.rules.match_at(number)
            try:
                found.append(table_of_board(number, (await self._matches.load_match(UUID(name))).written))
            except UnknownMatch:
                found.append(AtBoard(number, name, 0, GENESIS, over=number not in awaited))
            except Away as trouble:
                away.append(trouble)
                found.append(AtBoard(number, name, 0, GENESIS, shared=True))
        return found

    async def _share(self, board: Board) -> of_deals.ShareDeal:
        deal, seq = board.ceremony, board.ready_seq
        assert deal is not None and deal.mix is not None and seq is not None, "the deal is ready"  # noqa: PT018
        head = await self._boards.head_at(board.id, seq)
        return of_deals.ShareDeal(deal.deal, str(board.id), deal.root.hex(), deal.mix.hex(), head)

    async def _release(self, board: Board) -> of_deals.ReleaseRound:
        assert board.round_seq is not None, "a round is over"
        head = await self._boards.head_at(board.id, board.round_seq)
        return of_deals.ReleaseRound(str(board.id), board.round_seq, head)

    async def _tell(self, tables: list[AtBoard], command: of_deals.EventCommand, key: str) -> bool:
        """Tell matches; report whether one of them moved. A crash between leaves the rest to be told."""
        moved = False
        for each in tables:
            name, before = UUID(each.match), each.seq + 1
            with suppress(Refused, UnknownMatch):
                await self._matches.submit(name, command, CommandMetadata(SCOPE, f"{key}/{name}", b""))
                moved |= (await self._matches.load_match(name)).version != before
        return moved


def _next_at(board: Board, tables: list[AtBoard]) -> UnixMs | None:
    deal = board.ceremony
    waits = anchor_of_deal(deal, board.sealed_seq, board.opened_seq) is not None
    if waits or (deal is not None and deal.stage == "fixed"):
        return now_ms() + AGAIN_MS
    step = due_on_board(board, tables)
    return None if step is None else max(step.at, now_ms() + AGAIN_MS)


def _awaited(tournament: Tournament, board: Board) -> frozenset[int]:
    """Return the tables whose match is opened yet if it is not."""
    place = board.rules.event
    held = tournament.stages[place.stage - 1].rounds[place.round]
    waiting = (each for each in held.tables.values() if each.attempt == place.board and not each.is_over)
    return frozenset() if tournament.ended else frozenset(each.number for each in waiting)


def concerns_board(match: Match) -> bool:
    """Report whether a board may have something to do as a match has moved: it waits, knows no dice yet, or is over."""
    state = match.table
    waits = match.ceremony is None or (state is not None and state.phase == AWAITING_BOARD)
    return match.settings.board is not None and (waits or match.ended)
