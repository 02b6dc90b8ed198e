"""Boards as records tell of them: whose dice a match shares, and what a board says to its tournament."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from domain.audit.boards import replay_board
from domain.fairness.audit import audit_lines
from domain.fairness.beacons import Chains
from domain.fairness.records import RecordLine
from domain.fairness.shared import BOARD, SharedDeal, shared_deal
from domain.log import canonical
from domain.log.policies import Policy
from domain.tournaments.matches import rules_digest
from infra.keys import ed25519_verify

FAULT = "FAULT"


class BoardRecord(Struct, frozen=True):
    """What the record of a board says of it.

    Attributes:
        id: The board.
        rules: A hash of its rules object (`domain.tournaments.matches.rules_digest`).
        players: Who has drawn, in the order of their seats.
    """

    id: str
    rules: str
    players: tuple[str, ...]


def board_record(lines: Sequence[RecordLine]) -> BoardRecord:
    """Return what a record says of its board, in which no layer has found a fault."""
    players = tuple(line.data["player"] for line in lines if line.kind == "seat.joined")
    return BoardRecord(lines[0].data["board"], rules_digest(lines[0].data["rules"]), players)


def board_named_in(record: bytes) -> str | None:
    """Return the board whose dice a match shares, by its first line, which nobody has judged yet; None if it has own.

    The name is that of a UUID, so that it may be looked for as a file.
    """
    try:
        rules = canonical.decode(record.partition(b"\n")[0])["data"]["rules"]
        board = rules["board"]["id"]
    except (canonical.NotCanonical, KeyError, TypeError):
        return None
    return board if isinstance(board, str) and set(board) <= set("0123456789abcdef-") else None


def shares_dice(lines: Sequence[RecordLine]) -> bool:
    """Report whether the rules of a match name a board."""
    return isinstance(lines[0].data["rules"].get("board"), dict)


def shared_of(record: bytes, board: bytes | None, policy: Policy | None, chains: Chains) -> SharedDeal | None:
    """Return what the record of its board says to a match; None where it has none, or where that record is at fault."""
    named = board_named_in(record)
    if named is None or board is None:
        return None
    audited = audit_lines(board, policy, ed25519_verify, chains=chains)
    if audited.report.status == FAULT or audited.lines[0].kind != BOARD or audited.lines[0].data["board"] != named:
        return None
    return None if replay_board(audited.lines).line is not None else shared_deal(audited)
