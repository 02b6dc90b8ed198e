"""Boards of the house: opened once for a round, moved on by its director, and read by anybody.

The law of the file: the id of a board follows from its place, and every step is one append at the version it was found
at. So whoever is second finds it done, and a crash leaves it due. The secrets of its deal are stored, wrapped, in the
append that commits to them, once for all tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final
from uuid import UUID

import msgspec
from cachetools import LRUCache
from msgspec import Struct

from domain.commands import Chance
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.ids import Version
from domain.log import canonical
from domain.match.record import GENESIS
from domain.tournaments.boards.board import Board
from domain.tournaments.boards.decide import (
    BoardCommand,
    BoardDecision,
    Drawer,
    OfDrawer,
    ProceedWithDeal,
    decide,
    open_board,
)
from domain.tournaments.boards.record import BoardAtHead, board_stream_of, lines_of_board, step
from domain.tournaments.boards.rules import BoardRules
from infra.clock import now_ms
from infra.entropy import draw
from infra.measures.slow import SlowCommands
from infra.store import Append, Appended, Conflict, EventStore
from services.matches import optimistic
from services.matches.anchors import anchors_of
from services.matches.reads.records import Records
from services.matches.requests import CommandMetadata
from services.matches.secrets.vault import Vault
from services.tournaments.requests import BoardAnswer, UnknownBoard
from services.work.failures import reading

BOARDS_MAX: Final = 256
"""Boards kept in memory; the rest are read again from the log."""
PAGE: Final = 1_024
SCOPE: Final = "board"
"""The scope of what a director does to a board: no token has it."""


class CachedBoard(Struct, frozen=True):
    """A board in memory, with the secrets of its current deal where they may be had."""

    written: BoardAtHead
    keeper: DealSecrets | None = None

    @property
    def board(self) -> Board:
        """The board as of its last line."""
        return self.written.board

    @property
    def version(self) -> Version:
        """How many lines its stream has."""
        return self.board.version


class Boards:
    """Every board, by id. Without a vault it knows no dice, and decides nothing."""

    def __init__(self, store: EventStore, vault: Vault | None, slow: SlowCommands | None = None) -> None:
        """Read from this store, with the secrets of this vault; how long steps take is told to `slow`."""
        self._slow = slow or SlowCommands()
        self._store = store
        self._vault = vault
        self._records = Records(store)
        self._cached: LRUCache[UUID, CachedBoard] = LRUCache(BOARDS_MAX)

    async def load(self, board_id: UUID) -> CachedBoard:
        """Return a board as of the last line in the store. Cost: a query, and a step for each new line.

        Raises:
            UnknownBoard: There is no such board.
            Unreadable: This program cannot read it.
        """
        known, stream = self._cached.get(board_id), board_stream_of(board_id)
        written = None if known is None else known.written
        while lines := await self._store.read(stream, 0 if written is None else written.board.version, PAGE):
            with reading(stream):
                for line in lines:
                    written, _ = step(written, line)
        if written is None:
            raise UnknownBoard(str(board_id))
        if known is not None and written is known.written:
            return known
        return self._keep(written, await self._keeper(written.board))

    async def _keeper(self, board: Board) -> DealSecrets | None:
        if self._vault is None:
            return None
        return await self._vault.keeper_of(board_stream_of(board.id), board.ceremony, board.drawers)

    def _keep(self, written: BoardAtHead, keeper: DealSecrets | None) -> CachedBoard:
        found = CachedBoard(written, keeper)
        known = self._cached.get(written.board.id)
        if known is None or known.version < found.version:
            self._cached[written.board.id] = found
        return found

    async def head_at(self, board_id: UUID, seq: int) -> str:
        """Return the hash of a line, which there is. Cost: a query."""
        (line,) = await self._store.read(board_stream_of(board_id), seq, 1)
        return canonical.head(line)

    async def record(self, board_id: UUID) -> bytes:
        """Return the record file of CUP/1 section 4.10, the same bytes every time once it is closed and logged.

        Raises:
            UnknownBoard: There is no such board.
        """
        found = await self._records.record(board_stream_of(board_id))
        if found is None:
            raise UnknownBoard(str(board_id))
        return found

    # ---- steps ----------------------------------------------------------------------------------

    async def open(self, rules: BoardRules, drawers: Sequence[Drawer]) -> None:
        """Open a board with all who draw, and begin its deal; where it is open, nothing is done.

        A crash behind the append leaves it open, and whoever opens it next finds it so.
        """
        at = now_ms()
        made = open_board(rules, at, drawers, _chance(len(drawers)))
        lines, head = lines_of_board(made.board.id, 0, GENESIS, at, made.events)
        ask = CommandMetadata(SCOPE, f"open/{made.board.id}", b"")
        await self._append(0, lines, head, made, ask)

    async def submit(self, board_id: UUID, command: BoardCommand, key: str) -> BoardAnswer:
        """Decide a step on the board as it is, and store what it leads to.

        Raises:
            Refused: The laws say no; nothing is recorded.
            UnknownBoard: There is no such board.
            Unavailable: The store cannot say yes now.
        """
        return await self._decide(board_id, command, CommandMetadata(SCOPE, f"{key}/{board_id}", b""))

    async def give(self, board_id: UUID, command: OfDrawer, ask: CommandMetadata) -> BoardAnswer:
        """Take what somebody who draws gives to the deal; a repeat is answered as the first was.

        Raises:
            Refused: The laws say no; nothing is recorded.
            UnknownBoard: There is no such board.
            KeyUsed: The idempotency key belongs to another request.
            Unavailable: The store cannot say yes now.
        """
        try:
            return await self._decide(board_id, command, ask)
        except Refused:
            stored = await optimistic.stored_answer(self._store, board_stream_of(board_id), ask, BoardAnswer)
            if stored is None:
                raise
            return stored

    async def _decide(self, board_id: UUID, command: BoardCommand, ask: CommandMetadata) -> BoardAnswer:
        load = partial(self.load, board_id)
        with self._slow.timed(type(command).__name__, board_stream_of(board_id)):
            return await optimistic.decide_with_retries(load, load, partial(self._attempt, command, ask))

    async def _attempt(self, command: BoardCommand, ask: CommandMetadata, held: CachedBoard) -> BoardAnswer | None:
        """Decide and append once; return None if somebody else was first. A crash before the append leaves nothing."""
        board, at = held.board, max(now_ms(), held.board.at + 1)
        if isinstance(command, ProceedWithDeal):
            command = ProceedWithDeal(_chance(len(board.drawers)))
        made = decide(board, command, at, held.keeper)
        lines, head = lines_of_board(board.id, board.version, held.written.head, at, made.events)
        return await self._append(board.version, lines, head, made, ask)

    async def _append(
        self, version: Version, lines: tuple[bytes, ...], head: str, made: BoardDecision, ask: CommandMetadata
    ) -> BoardAnswer | None:
        assert self._vault is not None, "only programs with the dealer role decide"
        stream = board_stream_of(made.board.id)
        answer = BoardAnswer(str(made.board.id), made.board.version, head)
        append = Append(
            stream=stream,
            expected=version,
            lines=lines,
            command=ask.command,
            fingerprint=ask.fingerprint,
            answer=msgspec.json.encode(answer),
            secrets=self._vault.wrap(stream, made.secrets),
            anchors=anchors_of(made.board.ceremony, made.events, lines, version),
        )
        outcome = await optimistic.append(self._store, append, BoardAnswer)
        if isinstance(outcome, Conflict):
            return None
        if isinstance(outcome, Appended):
            self._vault.keep(stream, made.keeper)
            self._keep(BoardAtHead(made.board, head), made.keeper)
            return answer
        return outcome


def _chance(drawers: int) -> Chance:
    return Chance(draw(32), {seat: draw(32) for seat in range(1, drawers + 1)})
