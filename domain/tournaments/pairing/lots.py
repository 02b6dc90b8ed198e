"""Lots: who comes first among equals, and ids of matches and boards, which follow from their place in a tournament.

    lot(n)   = M(L, "TRN1.lot" || u16 stage || u32 round || u32 n)
    kick(k)  = M(L, "TRN1.kck" || u16 stage || u32 round || u32 k)
    id       = the first 16 bytes of SHA-256(label || tournament || u16 stage || u32 round || u16 table || u16 attempt),
               its version set to 8 and its variant to that of RFC 9562

L is the 32 values of one roll of the table's cup, as bytes; M(k, m) is HMAC-SHA-256 with key k. One roll decides all
lots of a round, of however many entrants.

Source: the laws of tournaments, lots; M as in CUP/1 section 4.1; UUIDs of version 8, RFC 9562 section 5.8.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from typing import Final
from uuid import UUID

from msgspec import Struct

LOT_BYTES: Final = 32


class Lots(Struct, frozen=True):
    """The lots of a round.

    Attributes:
        roll: The 32 values of the roll, as bytes.
        stage: The stage, from 1.
        round: The round, from 1; 0 for the lots that are drawn when a stage opens.
    """

    roll: bytes
    stage: int
    round: int

    def lot(self, number: int) -> bytes:
        """Return the lot of an entrant, 32 bytes."""
        return self._draw(b"TRN1.lot", number)

    def kick(self, count: int) -> bytes:
        """Return the chance that a kick of a search takes, 32 bytes."""
        return self._draw(b"TRN1.kck", count)

    def order(self, numbers: Iterable[int]) -> list[int]:
        """Return entrants by lot, the lowest first."""
        return sorted(numbers, key=self.lot)

    def ranks(self, numbers: Iterable[int]) -> dict[int, int]:
        """Return by entrant the place in lot order, from 0."""
        return {number: rank for rank, number in enumerate(self.order(numbers))}

    def _draw(self, label: bytes, number: int) -> bytes:
        place = self.stage.to_bytes(2, "big") + self.round.to_bytes(4, "big")
        return hmac.digest(self.roll, label + place + number.to_bytes(4, "big"), "sha256")


def match_id(tournament: str, stage: int, round_: int, table: int, attempt: int) -> str:
    """Return the id of the match that is an attempt, from 1, at a table."""
    return _id(b"TRN1.mat", tournament, stage, round_, table, attempt)


def board_id(tournament: str, stage: int, round_: int, board: int) -> str:
    """Return the id of the shared deal of a duplicate board."""
    return _id(b"TRN1.brd", tournament, stage, round_, board, 0)


def _id(label: bytes, tournament: str, stage: int, round_: int, table: int, attempt: int) -> str:
    place = stage.to_bytes(2, "big") + round_.to_bytes(4, "big") + table.to_bytes(2, "big") + attempt.to_bytes(2, "big")
    made = bytearray(hashlib.sha256(label + UUID(tournament).bytes + place).digest()[:16])
    made[6] = made[6] & 0x0F | 0x80
    made[8] = made[8] & 0x3F | 0x80
    return str(UUID(bytes=bytes(made)))
