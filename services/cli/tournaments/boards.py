"""Boards of a rehearsal: one deal for all tables of a round, which play in step until the last of them has ended."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from domain import commands
from domain.fairness.openings import DealSecrets
from domain.ids import UnixMs
from domain.log import canonical
from domain.match.record import GENESIS, MatchAtHead
from domain.tournaments.boards.board import Board
from domain.tournaments.boards.decide import (
    BoardCommand,
    BoardDecision,
    CloseBoard,
    CloseBoardRound,
    Drawer,
    decide,
    open_board,
)
from domain.tournaments.boards.due import AtBoard, DueOnBoard, due_on_board, table_of_board
from domain.tournaments.boards.record import board_stream_of, lines_of_board
from domain.tournaments.boards.rules import BoardRules
from services.cli.ledger import Ledger
from services.cli.tournaments.tables import Draw, PlayedOut


class PlayedBoard:
    """A board of bots, with its lines and how it ended.

    Attributes:
        board: How it stands.
        record: The file of it, once it is over.
    """

    def __init__(self, rules: BoardRules, drawers: list[Drawer], ledger: Ledger, draw: Draw, at: UnixMs) -> None:
        """Open it for these drawers, in the order of their seats, at this time in Unix milliseconds."""
        self._ledger, self._at = ledger, at
        self._lines: list[bytes] = []
        self._sizes: list[int] = []
        self._head = GENESIS
        self._keeper: DealSecrets | None = None
        self.record = b""
        self.board: Board
        chance = commands.Chance(draw(32), {seat: draw(32) for seat in range(1, len(drawers) + 1)})
        self._take(open_board(rules, at, drawers, chance))

    @property
    def id(self) -> UUID:
        """The board."""
        return self.board.id

    def play(self, tables: Mapping[int, PlayedOut]) -> None:
        """Play all tables, by number, to their ends, and close the board."""
        self._log()
        for table in tables.values():
            table.play()
        while not self.board.ended:
            seen = [table_of_board(number, MatchAtHead(each.match, each.head)) for number, each in tables.items()]
            step = due_on_board(self.board, seen)
            assert step is not None, "every table waits or is over"
            self._at = max(self._at, *(each.match.at for each in tables.values()))
            self._proceed(step, seen, [tables[number] for number in step.tables])
        self.record = self._ledger.record(board_stream_of(self.id), self._lines, self._sizes)

    def _proceed(self, step: DueOnBoard, seen: list[AtBoard], told: list[PlayedOut]) -> None:
        if step.step == "close_round":
            self._do(CloseBoardRound(self.board.round + 1, tuple(each.row for each in seen)))
        elif step.step == "close":
            self._do(CloseBoard())
        for table in told:
            if step.step == "share":
                table.share(self._keeper, self._share(), self._at)
            else:
                table.release(self._release(), self._at)
            table.go_on()

    def _log(self) -> None:
        ceremony, seq = self.board.ceremony, self.board.sealed_seq
        assert ceremony is not None, "it was opened with a deal"
        assert seq is not None, "all who draw are bots, so it was sealed at once"
        proof = self._ledger.enter(board_stream_of(self.id), seq, self._lines[seq], "sealed")
        self._sizes.append(self._ledger.size)
        self._do(commands.LogDeal(ceremony.deal, proof.index, tuple(i.hex() for i in proof.path), proof.checkpoint))

    def _share(self) -> commands.ShareDeal:
        ceremony = self.board.ceremony
        assert ceremony is not None, "it was opened with a deal"
        assert ceremony.mix is not None, "the deal is ready"
        head = self._head_at(self.board.ready_seq)
        return commands.ShareDeal(ceremony.deal, str(self.id), ceremony.root.hex(), ceremony.mix.hex(), head)

    def _release(self) -> commands.ReleaseRound:
        seq = self.board.round_seq
        assert seq is not None, "a round is over"
        return commands.ReleaseRound(str(self.id), seq, self._head_at(seq))

    def _head_at(self, seq: int | None) -> str:
        assert seq is not None, "there is such a line"
        return canonical.head(self._lines[seq])

    def _do(self, command: BoardCommand) -> None:
        self._take(decide(self.board, command, self._at, self._keeper))

    def _take(self, made: BoardDecision) -> None:
        lines, self._head = lines_of_board(made.board.id, len(self._lines), self._head, made.board.at, made.events)
        self._lines += lines
        self.board, self._keeper = made.board, made.keeper
