"""Layer 3 of a board's record: its commands, decided anew.

The same is done as for matches and tournaments. What its lines say of its matches is held against these where their
records are there (`domain.audit.board_order`), and its rules and drawers against the record of the tournament.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from msgspec import Struct

from domain import commands as of_deals
from domain import events as of_deal
from domain.audit.asked import late_for_beacon
from domain.audit.published import NOTHING, PublishedChance, PublishedDeal, published_of
from domain.errors import Refused
from domain.fairness.openings import DealSecrets
from domain.fairness.records import RecordLine
from domain.tournaments.boards.board import Board
from domain.tournaments.boards.decide import (
    BoardCommand,
    BoardDecision,
    CloseBoard,
    CloseBoardRound,
    Drawer,
    ProceedWithDeal,
    decide,
    open_board,
)
from domain.tournaments.boards.events import (
    BoardClosed,
    BoardCreated,
    BoardEvent,
    BoardRoundClosed,
    board_event_of,
)
from domain.tournaments.boards.rules import board_rules, board_rules_from, drawers_of, object_of_board
from domain.tournaments.matches import rules_digest
from domain.tournaments.tournament import Place, Tournament

_OfDeals = of_deal.DealCommitted | of_deal.SeedCommitted | of_deal.SeedOpened | of_deal.DealClosed
_SEATS: Final = range(1, 256)


class BoardOfRound(Struct, frozen=True):
    """What the record of a board has to say: its id, a hash of its rules object, and who draws, in seat order."""

    id: str
    rules: str
    players: tuple[str, ...]


def board_of_round(tournament: Tournament, place: Place) -> BoardOfRound:
    """Return what the record of the board of a round has to say, once its tables are paired."""
    stage, number = place
    held = tournament.stages[stage - 1].rounds[number]
    rules = board_rules(tournament, stage, held)
    players = tuple(tournament.entrants[each].player for each in drawers_of(tournament, stage, held))
    return BoardOfRound(rules.id, rules_digest(object_of_board(rules)), players)


class BoardRuling(Struct, frozen=True):
    """What layer 3 found: the first line that does not follow, from 1, or how far it was judged, and why.

    Attributes:
        line: Where something is wrong; None if nothing is.
        upto: The last line that could be judged.
        why: What is wrong, or what was found, in a sentence.
        board: How it stands after the last line that was judged.
    """

    line: int | None = None
    upto: int = 0
    why: str = ""
    board: Board | None = None


class _Foul(Exception):  # noqa: N818 - never leaves this file
    def __init__(self, line: int, why: str) -> None:
        super().__init__(why)
        self.line, self.why = line, why


class _Unsettled(Exception):  # noqa: N818 - never leaves this file
    """What decides about the lines after this one is not in the record, or not yet."""


def replay_board(lines: Sequence[RecordLine]) -> BoardRuling:
    """Return what the laws say to the record of a board that has passed layers 1 and 2."""
    record = _BoardRecord(lines)
    try:
        record.replay()
    except _Foul as foul:
        return BoardRuling(foul.line, foul.line, foul.why)
    except _Unsettled as unsettled:
        return BoardRuling(upto=record.next, why=str(unsettled), board=record.board)
    return BoardRuling(upto=record.next, why="every line follows from the rules", board=record.board)


class _BoardRecord:
    """A record on its way through the referee."""

    def __init__(self, lines: Sequence[RecordLine]) -> None:
        self.lines = lines
        self.next = 0
        self.board: Board | None = None
        self.events: list[BoardEvent] = []
        self.told: dict[int, PublishedDeal] = {}
        self.seeds: dict[int, dict[int, bytes]] = {}

    def replay(self) -> None:
        """Decide everything anew.

        Raises:
            _Foul: Something does not follow.
            _Unsettled: The record ends before it can be told.
        """
        self.events = [_decoded(line) for line in self.lines]
        self.told = published_of(event for event in self.events if isinstance(event, _OfDeals))
        for event in self.events:
            if isinstance(event, of_deal.SeedOpened):
                self.seeds.setdefault(event.deal, {})[event.seat] = bytes.fromhex(event.seed)
        made = self._open()
        self._compare(made)
        while self.next < len(self.lines):
            made = self._decide_next(made.board, made.keeper)
            self._compare(made)

    def _open(self) -> BoardDecision:
        first = self.events[0]
        assert isinstance(first, BoardCreated), "layer 2 has seen to it"
        drawers: list[Drawer] = []
        for event in self.events[1:]:
            if isinstance(event, of_deal.SeatJoined):
                drawers.append((event.player, "client"))
            elif isinstance(event, of_deal.SeedCustody) and drawers:
                drawers[-1] = (drawers[-1][0], "server")
            else:
                break
        try:
            return open_board(board_rules_from(first.rules), self.lines[0].at, drawers, self._chance(0))
        except Refused as refused:
            raise _Foul(1, f"these are no rules of a board: {refused}") from refused

    def _decide_next(self, board: Board, keeper: DealSecrets | None) -> BoardDecision:
        line, event = self.lines[self.next], self.events[self.next]
        if line.at < board.at:
            raise _Foul(line.number, "time runs backwards")
        try:
            return decide(board, self._command_behind(board, event), line.at, keeper)
        except Refused as refused:
            raise _Foul(line.number, f"{line.kind} is refused: {refused}") from refused

    def _compare(self, made: BoardDecision) -> None:
        for expected, after in zip(made.events, made.steps, strict=True):
            if self.next == len(self.lines):
                raise _Unsettled(f"the record ends in the middle of what line {self.next} led to")
            line = self.lines[self.next]
            if self.events[self.next] != expected:
                wanted = type(expected).__struct_config__.tag
                raise _Foul(line.number, f"the laws call for another line here: {wanted}")
            if line.at != made.board.at:
                raise _Foul(line.number, f"{line.kind} follows of itself, and so at the same time as what it follows")
            self.board = after
            self.next += 1

    def _chance(self, deal: int) -> of_deals.Chance:
        """Return what the server drew for a deal, as far as it is published.

        Raises:
            _Unsettled: Its secret is not.
        """
        told = self.told.get(deal)
        if told is None or told.secret is None:
            raise _Unsettled("the dice of the board are not published yet")
        seeds = dict.fromkeys(_SEATS, NOTHING) | self.seeds.get(deal, {})
        return PublishedChance(told.secret, seeds, told)

    def _command_behind(self, board: Board, event: BoardEvent) -> BoardCommand:
        asked = _step_behind(event)
        if asked is not None:
            return asked
        match event:
            case BoardRoundClosed():
                return CloseBoardRound(event.round, event.tables)
            case of_deal.SeedCustody():
                return ProceedWithDeal(self._chance(board.deals - 1))
            case of_deal.DealCommitted():
                return ProceedWithDeal(self._chance(event.deal))
            case of_deal.DealVoided():
                return self._void(board, event)
            case of_deal.DealClosed() | BoardClosed():
                return CloseBoard()
            case _:
                kind = self.lines[self.next].kind
                raise _Foul(self.lines[self.next].number, f"nobody asked for {kind}")

    def _void(self, board: Board, event: of_deal.DealVoided) -> BoardCommand:
        """Return what led to a void: a seed that was withheld, the end of the board, or a beacon that is too near."""
        if event.reason == "withheld":
            follows = any(isinstance(each, of_deal.DealCommitted) for each in self.events[self.next :])
            return ProceedWithDeal(self._chance(board.deals) if follows else of_deals.Chance(NOTHING, {}))
        behind = self.next + 2
        if behind >= len(self.lines):
            raise _Unsettled(f"the record ends in the middle of what line {self.next} led to")
        at_once = self.lines[behind].at == self.lines[self.next].at
        ends = at_once and isinstance(self.events[behind], BoardClosed)
        return (None if ends else late_for_beacon(board.ceremony, event)) or CloseBoard()


def _step_behind(event: BoardEvent) -> BoardCommand | None:
    """Return the step of the ceremony that somebody asked for; None for any other line."""
    match event:
        case of_deal.SeedCommitted():
            return of_deals.CommitSeed(event.seat, event.deal, event.commit)
        case of_deal.DealLogged():
            return of_deals.LogDeal(event.deal, event.index, event.path, event.checkpoint)
        case of_deal.SeedOpened():
            return of_deals.OpenSeed(event.seat, event.deal, event.seed)
        case of_deal.DealFixed():
            return of_deals.FixDeal(event.deal, event.index, event.path, event.checkpoint)
        case of_deal.DealReady() if event.beacon is not None:
            return of_deals.HearBeacon(event.deal, event.beacon.round, event.beacon.signature)
        case _:
            return None


def _decoded(line: RecordLine) -> BoardEvent:
    if "type" in line.data:
        raise _Foul(line.number, f"{line.kind} has no member of this name: type")
    try:
        return board_event_of(line.kind, line.data)
    except (msgspec.ValidationError, ValueError) as error:
        raise _Foul(line.number, f"{line.kind} is no line of a board") from error
