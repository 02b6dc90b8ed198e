"""The record of a board by itself: every command decided anew, and lies in their lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from domain import commands
from domain.audit.boards import replay_board
from domain.fairness.records import RecordLine
from domain.match.ceremony import AHEAD_MS, OPENED_MS
from tests.tournaments.boards_by_hand import PlayedBoard, board_rules, fix_seed

RULES = board_rules()
BEACON = {"chain": "52" * 32, "genesis": 1_692_803_367, "period": 3}


def _honest() -> list[bytes]:
    board = PlayedBoard(RULES)
    board.log()
    list(board.steps())
    return board.lines


HONEST = _honest()


def _after(kind: str, *said: tuple[str, dict[str, Any]], first: bool = False) -> Any:
    """Return what puts lines behind the first line of a type, or in its place."""

    def forge(documents: list[Any]) -> list[Any]:
        at = next(seq for seq, each in enumerate(documents) if each["type"] == kind)
        more = [{**documents[at], "type": name, "data": data} for name, data in said]
        return [*documents[: at + (not first)], *more, *documents[at + 1 :]]

    return forge


def board_ruling(forge: Any) -> tuple[int | None, str]:
    """Return what the laws say to the lines of the board with others in their place, whatever layer 2 says to them."""
    ruling = replay_board(_told(forge([json.loads(line) for line in HONEST])))
    return ruling.line, ruling.why


def test_a_board_whose_seal_came_too_late_for_its_beacon_accuses_nobody() -> None:
    board = PlayedBoard(board_rules(beacon=BEACON))
    board.at += AHEAD_MS - OPENED_MS
    board.log()
    voided = len(board.lines)
    assert board.proceed() == "proceed"
    board.log()
    board.do(commands.FixDeal(1, 0, (), ""))
    assert board.board.ceremony is not None
    assert board.board.ceremony.beacon is not None
    board.do(commands.HearBeacon(1, board.board.ceremony.beacon.round, "00"))
    list(board.steps())
    ruling = replay_board(_told([*map(json.loads, board.lines)]))
    assert (ruling.line, ruling.upto) == (None, len(board.lines)), ruling.why
    cut = replay_board(_told([*map(json.loads, board.lines[:voided])]))
    assert (cut.line, cut.upto) == (None, voided - 2), "what led to the void is seen by what comes after"


def _told(documents: list[Any]) -> list[RecordLine]:
    return [RecordLine(at, each["type"], each["data"], each["at"]) for at, each in enumerate(documents, start=1)]


def _changed(kind: str, **members: Any) -> Any:
    def forge(documents: list[Any]) -> list[Any]:
        next(each for each in documents if each["type"] == kind)["data"].update(members)
        return documents

    return forge


def _earlier(documents: list[Any]) -> list[Any]:
    documents[-3]["at"] = 5
    return documents


def _apart(documents: list[Any]) -> list[Any]:
    documents[-1]["at"] += 1
    return documents


@pytest.mark.parametrize(
    ("forge", "why"),
    [
        (_changed("board.created", rules={}), "no rules of a board"),
        (_changed("board.created", board="0" * 36), "call for another line"),
        (_changed("seat.joined", type="x"), "has no member of this name"),
        (_changed("board.round_closed", round=9), "is refused"),
        (_changed("board.round_closed", tables=[]), "is refused"),
        (_changed("deal.committed", root="0" * 64), "call for another line"),
        (_after("board.round_closed", ("seat.left", {"seat": 1, "reason": "x"})), "nobody asked for"),
        (_after("board.round_closed", ("board.burned", {})), "no line of a board"),
        (_after("deal.ready", ("deal.ready", {"deal": 0, "mix": "0" * 64, "beacon": None})), "nobody asked for"),
        (_earlier, "time runs backwards"),
        (_apart, "follows of itself"),
    ],
)
def test_a_lie_in_the_record_of_a_board_is_found_in_its_line(forge: Any, why: str) -> None:
    line, said = board_ruling(forge)
    assert line is not None
    assert why in said


def test_a_record_that_is_cut_off_accuses_nobody() -> None:
    for left in (-1, 3):
        line, _ = board_ruling(lambda documents, left=left: documents[:left])
        assert line is None


# ---- deals that go other ways ----------------------------------------------------------------------


def _withheld() -> PlayedBoard:
    """Return a board whose first drawer withholds a seed, while nobody else gives one; another deal follows."""
    board = PlayedBoard(RULES, custody="client")
    fix_seed(board, 1)
    board.proceed()
    board.log()
    board.proceed()
    board.log()
    return board


def _opened() -> PlayedBoard:
    """Return a board whose drawers all give seeds of their own."""
    board = PlayedBoard(RULES, custody="client")
    for seat in range(1, 5):
        fix_seed(board, seat)
    board.log()
    for seat in range(1, 5):
        board.do(commands.OpenSeed(seat, 0, (bytes([seat]) * 32).hex()))
    return board


def _heard() -> PlayedBoard:
    """Return a board that waits for a beacon, comes too late for it, and is in time for the next."""
    board = PlayedBoard(board_rules(beacon={"chain": "52" * 32, "genesis": 1_692_803_367, "period": 3}))
    board.log()
    for each in board.tables.values():
        each.at += 120_000
    board.do(commands.FixDeal(0, 0, (), ""))
    board.proceed()
    board.log()
    board.do(commands.FixDeal(1, 0, (), ""))
    ceremony = board.board.ceremony
    assert ceremony is not None
    assert ceremony.beacon is not None
    board.do(commands.HearBeacon(1, ceremony.beacon.round, "00"))
    return board


def _given_up() -> PlayedBoard:
    """Return a board all of whose drawers withhold their seeds."""
    board = PlayedBoard(RULES, custody="client")
    for seat in range(1, 5):
        fix_seed(board, seat)
    board.log()
    board.proceed()
    return board


def _stopped() -> PlayedBoard:
    """Return a board whose tables were all ruled on before its dice were there."""
    board = PlayedBoard(RULES)
    for each in board.tables.values():
        each.do(commands.StopMatch(3))
    return board


@pytest.mark.parametrize("made", [_withheld, _opened, _heard, _given_up, _stopped])
def test_whatever_way_a_deal_goes_its_record_follows(made: Callable[[], PlayedBoard]) -> None:
    board = made()
    list(board.steps())
    lines = [told_of(number, line) for number, line in enumerate(board.lines, start=1)]
    ruling = replay_board(lines)
    assert (ruling.line, ruling.upto, ruling.board) == (None, len(lines), board.board), ruling.why


def told_of(number: int, line: bytes) -> RecordLine:
    """Return a line as layers 1 and 2 read it."""
    document = json.loads(line)
    return RecordLine(number, document["type"], document["data"], document["at"])
