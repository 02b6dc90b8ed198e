"""Records of matches that share the dice of a board, as they are and with one thing wrong, and what the board says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from domain.log import canonical
from domain.match.record import GENESIS
from tests.tournaments.boards_by_hand import PlayedBoard, board_rules

ZEROS = "0" * 64
Dice = tuple[str, int, tuple[tuple[int, int, int, int], ...], str, str, str, str]
"""What the record of a board says of its deal: board, number, cups, and in hex ctx, root, mix and the line."""


@lru_cache
def _played() -> PlayedBoard:
    board = PlayedBoard(board_rules())
    board.log()
    list(board.steps())
    return board


def dice() -> Dice:
    """Return what the record of the board says."""
    board = _played()
    ceremony = board.board.ceremony
    assert ceremony is not None
    assert ceremony.mix is not None
    cups = tuple((cup.id, cup.owner, cup.rolls, cup.width) for cup in ceremony.cups)
    ready = board.head_at(board.board.ready_seq)
    return board.rules.id, 0, cups, ceremony.ctx.hex(), ceremony.root.hex(), ceremony.mix.hex(), ready


def shared_records() -> Iterator[tuple[str, bytes, Dice | None]]:
    """Yield records with their names, each with what the board says or without."""
    board, said = _played(), dice()
    match = [json.loads(line) for line in board.tables[1].lines]
    yield "a match with its board", _file(match), said
    for name, other in (
        ("another board", ("0" * 36, *said[1:])),
        ("another deal", (said[0], 1, *said[2:])),
        ("another root", (*said[:4], ZEROS, *said[5:])),
        ("another mix", (*said[:5], ZEROS, said[6])),
        ("another line", (*said[:6], ZEROS)),
        ("narrow cups", (*said[:2], tuple((*cup[:3], 1) for cup in said[2]), *said[3:])),
        ("one roll", (*said[:2], tuple((*cup[:2], 1, cup[3]) for cup in said[2]), *said[3:])),
    ):
        yield f"a match with {name}", _file(match), other
    for name, lines in _lies(match):
        yield f"{name}, with its board", _file(lines), said
        yield f"{name}, without its board", _file(lines), None
    created = json.loads(board.lines[0])
    yield "a board that begins", _file([created]), None
    yield "a board of another name", _file([{**created, "stream": "board/x"}]), None
    yield "a board without an id", _file([{**_with(created, board="x"), "stream": "board/x"}]), None
    yield "a board under another policy", _file([_with(created, policy="shown")]), None
    for kind in ("board.burned", "game.bid", "deal.shared"):
        yield f"a board with {kind}", _file([created, {**created, "type": kind, "data": {}}]), None


def _lies(match: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    at = next(seq for seq, each in enumerate(match) if each["type"] == "deal.shared")
    shared = match[at]
    yield "a match", match
    for name, kind, data in (
        ("a deal shared twice", "deal.shared", shared["data"]),
        ("a deal of its own", "deal.committed", {"deal": 1, "cups": [[1, 1, 1, 1]], "root": ZEROS}),
        ("a deal closed", "deal.closed", {"deal": 0, "secret": ZEROS}),
        ("a deal voided", "deal.voided", {"deal": 0, "reason": "late", "seats": []}),
        ("a seed", "seed.committed", {"deal": 0, "seat": 1, "commit": ZEROS}),
        ("a roll too many", "cup.rolled", {"deal": 0, "cup": 1, "roll": 1, "slots": [0], "m": [6]}),
        ("no slots", "cup.rolled", {"deal": 0, "cup": 1, "roll": 0, "slots": [], "m": []}),
        ("a slot beyond all", "cup.rolled", {"deal": 0, "cup": 1, "roll": 0, "slots": [300], "m": [6]}),
        ("a cup that is not there", "cup.rolled", {"deal": 0, "cup": 9, "roll": 0, "slots": [0], "m": [6]}),
    ):
        yield name, [*match[: at + 1], {**shared, "type": kind, "data": data}, *match[at + 1 :]]
    for member, wrong in (("deal", -1), ("board", "x"), ("root", "x"), ("mix", "x"), ("head", "x")):
        yield f"{member} that is none", [*match[:at], _with(shared, **{member: wrong})]
    yield "a board after a deal", [*match[: at - 1], {**shared, "type": "deal.committed", "data": {
        "deal": 0, "cups": [[1, 1, 1, 1]], "root": ZEROS}}, shared]  # fmt: skip
    shown = next(seq for seq, each in enumerate(match) if each["type"] == "cup.revealed")
    for name, keys in (("no die", []), ("a die twice", [[0, ZEROS], [0, ZEROS]]), ("a die not rolled", [[99, ZEROS]])):
        yield f"{name} shown", [*match[:shown], _with(match[shown], keys=keys)]
    yield "a roll shown that was none", [*match[:shown], _with(match[shown], roll=99)]


def _with(event: Any, **members: Any) -> Any:
    return {**event, "data": {**event["data"], **members}}


def _file(events: list[Any]) -> bytes:
    lines, head = [], GENESIS
    for seq, each in enumerate(events):
        line = canonical.line(each["stream"], seq, head, each["at"], each["type"], each["data"])
        head = canonical.head(line)
        lines.append(line + b"\n")
    return b"".join(lines)
