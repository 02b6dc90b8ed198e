"""Decisions of a board: the lines that a command leads to, or its refusal.

The law of the file: a board has one deal that is played, by CUP/1. Whoever withholds a seed is barred, the deal is void
and another one begins; who fixes none in time has the server draw it, and the record says so. A round is closed once it
is over at every table, and the secret of the deal is published with the last line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec import Meta, Struct

from domain import commands as of_deals
from domain import events
from domain.commands.base import Command
from domain.errors import Refused
from domain.fairness.deal import context
from domain.fairness.openings import DealSecrets
from domain.ids import RoundNumber, UnixMs
from domain.match import ceremony as ceremonies
from domain.match.ceremony import CEREMONY_MS, Ceremony
from domain.match.cups import board_cups
from domain.match.settings import BeaconSettings, settings_of
from domain.tournaments.boards.board import Board, evolve, new_board
from domain.tournaments.boards.events import BoardClosed, BoardCreated, BoardEvent, BoardRoundClosed
from domain.tournaments.boards.rules import BoardRules, object_of_board

Custody = Literal["client", "server"]
Drawer = tuple[str, Custody]
"""The opaque id of somebody who draws, and who draws the seed."""


class ProceedWithDeal(Command, frozen=True, tag="proceed_with_deal"):
    """Do what is due of the deal: draw the seeds that nobody gave, or void it for those that were withheld."""

    chance: of_deals.Chance


class CloseBoardRound(Command, frozen=True, tag="close_board_round"):
    """Say that a round is over at all tables, with the last line that is known of each of their matches."""

    round: Annotated[RoundNumber, Meta(ge=1)]
    tables: tuple[tuple[int, str, int, str], ...]


class CloseBoard(Command, frozen=True, tag="close_board"):
    """Say that the last table has ended, and publish the dice."""


OfDrawer = of_deals.CommitSeed | of_deals.OpenSeed
"""What those do who draw with seeds of their own."""
OfDeal = OfDrawer | of_deals.LogDeal | of_deals.FixDeal | of_deals.HearBeacon
"""Steps of the ceremony, as in matches."""
BoardCommand = OfDeal | ProceedWithDeal | CloseBoardRound | CloseBoard
"""What can be asked of a board."""


class BoardDecision(Struct, frozen=True):
    """What a command leads to.

    Attributes:
        events: What has happened, in order; never empty.
        board: The board after them.
        keeper: The keeper of the current deal.
        secrets: What has to be stored, wrapped, in the same transaction: bytes by name.
        steps: The board after each event.
    """

    events: tuple[BoardEvent, ...]
    board: Board
    keeper: DealSecrets | None
    secrets: dict[str, bytes]
    steps: tuple[Board, ...] = ()


class _BoardCourse:
    """The events of one command as they come about, and the board they lead to."""

    def __init__(self, board: Board, at: UnixMs, keeper: DealSecrets | None) -> None:
        self.board, self.at, self.keeper = board, at, keeper
        self.events: list[BoardEvent] = []
        self.steps: list[Board] = []
        self.secrets: dict[str, bytes] = {}

    def add(self, *happened: BoardEvent) -> None:
        """Let this happen."""
        for event in happened:
            self.board = evolve(self.board, event, self.at)
            self.events.append(event)
            self.steps.append(self.board)

    @property
    def ceremony(self) -> Ceremony:
        """The current deal: a board begins with one."""
        assert self.board.ceremony is not None, "it was opened with a deal"
        return self.board.ceremony

    @property
    def deal_secrets(self) -> DealSecrets:
        """The secrets of the current deal."""
        assert self.keeper is not None, "only programs with the dealer role decide"
        return self.keeper

    def decision(self) -> BoardDecision:
        """Return what has happened, with what follows of itself."""
        while _add_following(self):
            continue
        return BoardDecision(tuple(self.events), self.board, self.keeper, self.secrets, tuple(self.steps))


def open_board(rules: BoardRules, at: UnixMs, drawers: Iterable[Drawer], chance: of_deals.Chance) -> BoardDecision:
    """Return a board that is opened with all who draw and with its deal begun, in one append.

    Args:
        rules: Its rules.
        at: The time, in Unix milliseconds.
        drawers: Who draws, in the order of their seats (`drawers_of`), and who draws the seed of each.
        chance: Fresh secrets, with a seed for each drawer's seat.
    """
    created = BoardCreated(rules.id, object_of_board(rules), "all")
    course = _BoardCourse(new_board(created, at), at, None)
    course.events.append(created)
    course.steps.append(course.board)
    for seat, (player, custody) in enumerate(drawers, start=1):
        course.add(events.SeatJoined(seat, player))
        if custody == "server":
            course.add(events.SeedCustody(seat, "server"))
    _begin_deal(course, chance)
    return course.decision()


def decide(board: Board, command: BoardCommand, at: UnixMs, keeper: DealSecrets | None) -> BoardDecision:
    """Return what the command leads to.

    Args:
        board: The board it is decided on; the append must find it at this version.
        command: What is asked, with the chance it may need.
        at: The time, in Unix milliseconds.
        keeper: The secrets of the current deal.

    Raises:
        Refused: A rule says no; nothing has happened.
    """
    if board.ended:
        raise Refused("game_over")
    course = _BoardCourse(board, at, keeper)
    match command:
        case ProceedWithDeal():
            _proceed(course, command.chance)
        case CloseBoardRound():
            _close_round(course, command)
        case CloseBoard():
            _close(course)
        case _:
            _do_step(course, command)
    return course.decision()


# ---- rounds ----------------------------------------------------------------------------------------


def _close_round(course: _BoardCourse, command: CloseBoardRound) -> None:
    board = course.board
    if course.ceremony.stage != "ready":
        raise Refused("wrong_phase", phase=course.ceremony.stage)
    if command.round != board.round + 1 or command.round > course.ceremony.cups[0].rolls:
        raise Refused("wrong_phase", round=board.round + 1)
    wanted = [(table, board.rules.match_at(table)) for table in range(1, board.rules.tables + 1)]
    if [(table, match) for table, match, _seq, _head in command.tables] != wanted:
        raise Refused("bad_tables", tables=board.rules.tables)
    course.add(BoardRoundClosed(command.round, command.tables))


def _close(course: _BoardCourse) -> None:
    stage = course.ceremony.stage
    if stage in {"logged", "fixed"}:
        raise Refused("wrong_phase", phase=stage)
    if stage in {"committed", "sealed"}:
        # No seed is open, so nobody can know what is thrown away.
        course.add(*ceremonies.void_deal(course.ceremony, course.deal_secrets.secret, "late"))
    if stage == "ready":
        course.add(ceremonies.close_deal(course.deal_secrets, "all"))
    course.add(BoardClosed())


# ---- the deal --------------------------------------------------------------------------------------


def deal_due_at(board: Board) -> UnixMs | None:
    """Return when the deal goes on without who is missing, or begins anew, in Unix milliseconds; None if neither."""
    ceremony = board.ceremony
    assert ceremony is not None, "it was opened with a deal"
    # A deal that came too late for its beacon is void, and another one takes its place.
    if ceremony.stage == "closed":
        return board.at
    return ceremony.since + CEREMONY_MS if ceremony.waiting_for else None


def _begin_deal(course: _BoardCourse, chance: of_deals.Chance) -> None:
    board = course.board
    cups = board_cups(settings_of(board.rules.match))
    ctx = context(board.id.bytes, board.deals, board.rules_hash, "all", cups)
    custody = tuple(seat for seat, who in sorted(board.drawers.items()) if who.custody)
    keeper = course.keeper = chance.deal_secrets(board.deals, ctx, cups, custody)
    course.secrets[f"deal/{keeper.number}"] = keeper.secret
    course.secrets.update({f"seed/{keeper.number}/{seat}": seed for seat, seed in keeper.seeds.items()})
    course.add(ceremonies.commit_deal(keeper))


def _proceed(course: _BoardCourse, chance: of_deals.Chance) -> None:
    due = deal_due_at(course.board)
    if due is None or course.at < due:
        raise Refused("wrong_phase", due_at=due)
    if course.ceremony.stage == "committed":
        taken = {seat: chance.seeds[seat] for seat in course.ceremony.waiting_for}
        course.secrets.update({f"seed/{course.ceremony.deal}/{seat}": seed for seat, seed in taken.items()})
        course.keeper = course.deal_secrets.secrets_with(taken)
        course.add(*(events.SeedCustody(seat, "server") for seat in taken))
        return
    if course.ceremony.stage == "logged":
        course.add(*ceremonies.void_deal(course.ceremony, course.deal_secrets.secret, "withheld"))
    if course.board.drawers:
        _begin_deal(course, chance)
    else:
        # Everybody has withheld a seed: no dice come about, and officials say what becomes of the round.
        course.add(BoardClosed())


def _do_step(course: _BoardCourse, command: OfDeal) -> None:
    custody = {seat: who.custody for seat, who in course.board.drawers.items()}
    due_at = ceremonies.round_spoken_at(_beacon(course), course.board.ceremony)
    made = ceremonies.answer(course.board.ceremony, command, course.at, due_at, custody)
    course.add(*(ceremonies.void_deal(course.ceremony, course.deal_secrets.secret, "late") if made is None else made))


def _add_following(course: _BoardCourse) -> bool:
    """Add what follows of itself in the ceremony, one step; report whether anything did."""
    if course.board.ended or course.ceremony.stage not in {"committed", "logged"}:
        return False
    before = len(course.events)
    if course.ceremony.stage == "committed":
        course.add(*ceremonies.custody_commits(course.ceremony, course.deal_secrets))
        if not course.ceremony.waiting_for:
            course.add(ceremonies.seal_deal(course.ceremony, ceremonies.round_ahead(_beacon(course), course.at)))
    else:
        course.add(*ceremonies.custody_openings(course.ceremony, course.deal_secrets))
        if not course.ceremony.waiting_for and course.ceremony.beacon is None:
            course.add(ceremonies.ready_deal(course.ceremony))
    return len(course.events) > before


def _beacon(course: _BoardCourse) -> BeaconSettings | None:
    return settings_of(course.board.rules.match).beacon
