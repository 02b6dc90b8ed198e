"""Board as its stream leaves it: who draws, where its deal stands, which rounds are over. It holds no rules."""

from __future__ import annotations

from uuid import UUID

from msgspec import Struct
from msgspec.structs import replace

from domain import events as of_deals
from domain.errors import Refused
from domain.fairness.deal import Cup, context, rules_hash
from domain.ids import RoundNumber, Seat, UnixMs, Version
from domain.match import ceremony as ceremonies
from domain.match.ceremony import Ceremony
from domain.seats import Player
from domain.tournaments.boards.events import BoardClosed, BoardCreated, BoardEvent, BoardRoundClosed
from domain.tournaments.boards.rules import BoardRules, board_rules_from


class Board(Struct, frozen=True):
    """All that deciding needs to know of a board.

    Attributes:
        drawers: Who gives seeds, by drawer's seat.
        ceremony: The current or the last deal; the one that became ready is that of the board.
        deals: How many deals there have been.
        sealed_seq: The place of the last `deal.sealed` in the stream, which the transparency log anchors.
        opened_seq: The place of the last `seed.opened`, which it anchors once all are open.
        ready_seq: The place of `deal.ready`, which matches name.
        round: The last round that is over at all tables.
        round_seq: The place of the line that says so.
        ended: Whether nothing follows.
        version: How many lines there have been.
        at: The time of the last one.
    """

    id: UUID
    rules: BoardRules
    rules_hash: bytes
    drawers: dict[Seat, Player] = {}
    ceremony: Ceremony | None = None
    deals: int = 0
    sealed_seq: int | None = None
    opened_seq: int | None = None
    ready_seq: int | None = None
    round: RoundNumber = 0
    round_seq: int | None = None
    ended: bool = False
    version: Version = 1
    at: UnixMs = 0

    @property
    def seq(self) -> int:
        """The place of the last line in the stream, from 0."""
        return self.version - 1


def new_board(event: BoardCreated, at: UnixMs) -> Board:
    """Return the board that its first line describes.

    Raises:
        Refused: `bad_options`: its rules are none, or its id does not follow from its place.
    """
    rules = board_rules_from(event.rules)
    if rules.id != event.board:
        raise Refused("bad_options", option="board", why="the id of a board follows from its place")
    return Board(UUID(event.board), rules, rules_hash(event.rules), at=at)


def evolve(board: Board, event: BoardEvent, at: UnixMs) -> Board:
    """Return the board after an event. Total over every event but the first."""
    after = replace(board, version=board.version + 1, at=at)
    match event:
        case of_deals.SeatJoined():
            return replace(after, drawers={**after.drawers, event.seat: Player(event.player)})
        case of_deals.SeatLeft():
            left = {seat: who for seat, who in after.drawers.items() if seat != event.seat}
            return replace(after, drawers=left)
        case of_deals.SeedCustody():
            who = replace(after.drawers[event.seat], custody=event.by == "server")
            return replace(after, drawers={**after.drawers, event.seat: who})
        case of_deals.DealCommitted():
            return _dealt(after, event, at)
        case BoardRoundClosed():
            return replace(after, round=event.round, round_seq=after.seq)
        case BoardClosed() | BoardCreated():
            return replace(after, ended=isinstance(event, BoardClosed))
        case _:
            return _after_step(after, event, at)


def _dealt(board: Board, event: of_deals.DealCommitted, at: UnixMs) -> Board:
    cups = tuple(Cup(*row) for row in event.cups)
    ctx = context(board.id.bytes, event.deal, board.rules_hash, "all", cups)
    ceremony = Ceremony(event.deal, ctx, bytes.fromhex(event.root), cups, tuple(sorted(board.drawers)), at)
    return replace(board, ceremony=ceremony, deals=board.deals + 1)


def _after_step(board: Board, event: of_deals.CeremonyEvent, at: UnixMs) -> Board:
    assert board.ceremony is not None, "layer 2 has seen to it"
    after = replace(board, ceremony=ceremonies.evolve(board.ceremony, event, at))
    match event:
        case of_deals.DealSealed():
            return replace(after, sealed_seq=after.seq)
        case of_deals.SeedOpened():
            return replace(after, opened_seq=after.seq)
        case of_deals.DealReady():
            return replace(after, ready_seq=after.seq)
        case _:
            return after
