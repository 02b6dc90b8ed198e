"""Shared deals: the dice of a duplicate board, which an auditor knows from its record and holds matches against.

Source: CUP/1 section 4.23.
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from domain.fairness.audit import Audited
from domain.fairness.deal import Cup, Deal
from domain.fairness.dealing import SharedDice
from domain.fairness.openings import DealSecrets
from domain.log import canonical

BOARD: Final = "board.created"
"""The first line of the record of a board."""


class ClosedRound(Struct, frozen=True):
    """A round that was over at all tables: the line of the board that says so, and the last one known of each match.

    Attributes:
        seq: The place of the line, from 0.
        head: Its hash, as hex.
        lines: By match, the place of its line and the hash of that.
    """

    seq: int
    head: str
    lines: dict[str, tuple[int, str]]


class SharedDeal(Struct, frozen=True):
    """What the record of a board says of its dice and rounds.

    Attributes:
        dice: Its deal; None if none became ready.
        secret: What all of them follow from, once it is published.
        rounds: The rounds that are closed, by number.
        closed: Whether nothing follows.
    """

    board: str
    dice: SharedDice | None
    secret: bytes | None
    rounds: dict[int, ClosedRound]
    closed: bool

    def keeper(self) -> DealSecrets | None:
        """Return who knows all dice of the board; None as long as they are not published."""
        if self.dice is None or self.secret is None:
            return None
        return DealSecrets(self.dice.number, self.secret, {}, Deal(self.secret, self.dice.ctx, self.dice.cups))


def shared_deal(audited: Audited) -> SharedDeal:
    """Return what the record of a board says, in which no layer has found a fault."""
    cups: dict[int, tuple[Cup, ...]] = {}
    dice: SharedDice | None = None
    secret: bytes | None = None
    rounds: dict[int, ClosedRound] = {}
    deals = audited.report.deals or {}
    for line, raw in zip(audited.lines, audited.raw, strict=True):
        data = line.data
        match line.kind:
            case "deal.committed":
                cups[data["deal"]] = tuple(Cup(*row) for row in data["cups"])
            case "deal.ready":
                known = deals[str(data["deal"])]
                dice = SharedDice(
                    audited.lines[0].data["board"], data["deal"], cups[data["deal"]], bytes.fromhex(known.ctx),
                    bytes.fromhex(known.root), bytes.fromhex(data["mix"]), canonical.head(raw),
                )  # fmt: skip
            case "deal.closed" if dice is not None:
                secret = bytes.fromhex(data["secret"])
            case "board.round_closed":
                lines = {match: (seq, head) for _table, match, seq, head in data["tables"]}
                rounds[data["round"]] = ClosedRound(line.number - 1, canonical.head(raw), lines)
            case _:
                pass
    closed = audited.lines[-1].kind == "board.closed"
    return SharedDeal(audited.lines[0].data["board"], dice, secret, rounds, closed)
