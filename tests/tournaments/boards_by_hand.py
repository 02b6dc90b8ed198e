"""A board played by hand: its deal, its tables, each seat claiming the least and doubting the claim before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final
from uuid import UUID

from domain import commands, events
from domain.fairness.deal import seed_commitment
from domain.fairness.openings import DealSecrets
from domain.ids import UnixMs
from domain.log import canonical
from domain.match.decide import Decision, Newcomer, decide, open_seated
from domain.match.evolve import Match, open_match
from domain.match.record import GENESIS, MatchAtHead, lines_of
from domain.match.settings import rules_object, settings_of
from domain.table import decide as table
from domain.tournaments.boards import decide as boards
from domain.tournaments.boards.board import Board
from domain.tournaments.boards.due import AtBoard, DueOnBoard, due_on_board, table_of_board
from domain.tournaments.boards.record import lines_of_board
from domain.tournaments.boards.rules import BoardPlace, BoardRules

TOURNAMENT: Final = "3b1f7c52-9d0e-4a68-8c11-5f2e7a90d3b4"
AT: Final[UnixMs] = 1_790_000_000_000
CLOCK: Final = {"bank_ms": 60_000}
STEP_MS: Final = 1_000


def board_rules(tables: int = 2, seats: int = 2, number: int = 1, **changes: Any) -> BoardRules:
    """Return the rules of the board of a round, with so many tables."""
    said = {"game": "common_hand", "options": {"dice_per_player": 2}, "clock": CLOCK, "seats": seats, **changes}
    return BoardRules(BoardPlace(TOURNAMENT, 1, number, 1), tables, rules_object(settings_of(said)))


def match_rules(rules: BoardRules, number: int) -> dict[str, Any]:
    """Return the rules object of the match at a table."""
    place = rules.event
    event = {"tournament": TOURNAMENT, "stage": place.stage, "round": place.round, "table": number, "attempt": 1}
    positions = {str(seat): seat for seat in range(1, rules.match["seats"] + 1)}
    return {**rules.match, "event": event, "starter": 1, "board": {"id": rules.id, "positions": positions}}


def chance(number: int) -> commands.Chance:
    """Return chance that follows from a number."""
    return commands.Chance(bytes([number]) * 32, {seat: bytes([number, seat]) * 16 for seat in range(1, 20)})


class Table:
    """A match at a board."""

    def __init__(self, rules: BoardRules, number: int) -> None:
        """Open it with everybody seated."""
        self.number, self.keeper, self.at = number, None, AT
        created = open_match(UUID(rules.match_at(number)), match_rules(rules, number))
        players: list[Newcomer] = [
            (f"bot/plain/{number}{seat}", "server") for seat in range(1, rules.match["seats"] + 1)
        ]
        self.lines: list[bytes] = []
        self.head = GENESIS
        self.match: Match
        self.take(open_seated(created, AT, players))
        self.do(commands.Start(chance(9)))

    def take(self, made: Decision) -> None:
        """Write down what was decided."""
        version = len(self.lines)
        lines, self.head = lines_of(made.match.id, version, self.head, made.match.at, made.events)
        self.lines += lines
        self.match = made.match

    def do(self, command: commands.MatchCommand, keeper: DealSecrets | None = None) -> tuple[events.Event, ...]:
        """Decide a command, and return what it led to."""
        self.at += STEP_MS
        made = decide(self.match, command, self.at, keeper)
        self.take(made)
        return made.events

    def play(self, keeper: DealSecrets | None) -> None:
        """Play until the round waits for the board, or the match is over."""
        while not self.match.ended and self.seen().waits is None:
            state = self.match.table
            assert state is not None, "it has started"
            if state.turn is None:
                self.at = max(self.at, self.match.resumes_at or 0)
                self.do(commands.Advance(chance(8)), keeper)
            else:
                self.do(table.timeout_command(state), keeper)

    def seen(self) -> AtBoard:
        """Return what the board knows of it."""
        return table_of_board(self.number, MatchAtHead(self.match, self.head))


class PlayedBoard:
    """A board with its tables."""

    def __init__(self, rules: BoardRules, custody: boards.Custody = "server") -> None:
        """Open it, and its tables."""
        self.rules, self.at = rules, AT
        drawers = [(f"e{number}", custody) for number in range(1, rules.tables * rules.match["seats"] + 1)]
        made = boards.open_board(rules, AT, drawers, chance(1))
        self.lines: list[bytes] = []
        self.head = GENESIS
        self.board: Board
        self.keeper: DealSecrets | None = None
        self.take(made)
        self.tables = {number: Table(rules, number) for number in range(1, rules.tables + 1)}

    def take(self, made: boards.BoardDecision) -> None:
        """Write down what was decided."""
        version = len(self.lines)
        lines, self.head = lines_of_board(made.board.id, version, self.head, made.board.at, made.events)
        self.lines += lines
        self.board, self.keeper = made.board, made.keeper

    def do(self, command: boards.BoardCommand) -> boards.BoardDecision:
        """Decide a command, and return what it led to."""
        self.at = max(self.at, *(each.at for each in self.tables.values())) + STEP_MS
        made = boards.decide(self.board, command, self.at, self.keeper)
        self.take(made)
        return made

    def log(self) -> None:
        """Let the log have the seal."""
        ceremony = self.board.ceremony
        assert ceremony is not None, "it was opened with a deal"
        self.do(commands.LogDeal(ceremony.deal, 0, (), ""))

    def head_at(self, seq: int | None) -> str:
        """Return the hash of a line."""
        assert seq is not None, "there is such a line"
        return canonical.head(self.lines[seq])

    def due(self) -> DueOnBoard | None:
        """Return what is due."""
        return due_on_board(self.board, [each.seen() for each in self.tables.values()])

    def proceed(self) -> str:
        """Do what is due, and return what that was."""
        step = self.due()
        assert step is not None, "something is due"
        told = [self.tables[number] for number in step.tables]
        for each in told:
            each.at = max(each.at, self.at)
            each.do(self.share() if step.step == "share" else self.release(), self.keeper)
        if step.step == "close_round":
            rows = tuple(each.seen().row for each in self.tables.values())
            self.do(boards.CloseBoardRound(self.board.round + 1, rows))
        elif step.step == "close":
            self.do(boards.CloseBoard())
        elif step.step == "proceed":
            self.at = max(self.at, step.at)
            self.do(boards.ProceedWithDeal(chance(2)))
        return step.step

    def share(self) -> commands.ShareDeal:
        """Return what tells a match whose dice it has."""
        ceremony = self.board.ceremony
        assert ceremony is not None, "it was opened with a deal"
        assert ceremony.mix is not None, "the deal is ready"
        head = self.head_at(self.board.ready_seq)
        return commands.ShareDeal(ceremony.deal, self.rules.id, ceremony.root.hex(), ceremony.mix.hex(), head)

    def release(self) -> commands.ReleaseRound:
        """Return what tells a match that a round is over."""
        seq = self.board.round_seq
        assert seq is not None, "a round is over"
        return commands.ReleaseRound(self.rules.id, seq, self.head_at(seq))

    def steps(self) -> Iterator[str]:
        """Play to the end, and yield what the director does."""
        while not self.board.ended:
            if self.due() is None:
                for each in self.tables.values():
                    each.play(self.keeper)
            yield self.proceed()


def fix_seed(board: PlayedBoard, seat: int) -> None:
    """Let a drawer fix a seed that follows from the seat."""
    ceremony = board.board.ceremony
    assert ceremony is not None, "it was opened with a deal"
    fixed = seed_commitment(bytes([seat]) * 32, ceremony.ctx, ceremony.root, seat).hex()
    board.do(commands.CommitSeed(seat, ceremony.deal, fixed))
