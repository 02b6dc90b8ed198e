"""The table of a solved policy: how often each move of a duel is played, by what a seat holds and what was claimed.

One record for each information set that the seat's own play can reach, ascending, those of the opener first:

    u16 hand    which of the seat's hands, ascending
    u8 m        how many claims were made
    m x u8      the claims, by their numbers (`domain.strategy.duels.duel`)
    u8 n        how many moves there are, one or more
    n x         u8 move, u16 weight; moves ascending

Integers are big-endian. Records ascend as their bytes do; whose they are says m, which is even for the opener.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain import commands
from domain.ids import Face, Seat
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.sight import Sight
from domain.strategy.weighing import Option, Weighing

WEIGHT_MAX: Final = 0xFFFF
"""What a weight may be in a record."""
_HAND: Final = struct.Struct(">H")
_MOVE: Final = struct.Struct(">BH")

Moves = tuple[tuple[int, int], ...]
"""Moves by their numbers, ascending, each with its weight."""
Key = tuple[int, bytes]
"""What a seat knows: which of its hands it holds, and the claims so far."""


class SolvedTable(Struct, frozen=True):
    """How a duel is played.

    Attributes:
        duel: The round.
        records: By what the seat to move knows, the opener's first.
    """

    duel: Duel
    records: Mapping[Key, Moves]

    def moves(self, faces: tuple[Face, ...], made: bytes) -> Moves | None:
        """Return the weighted moves of a seat that holds these faces after these claims; None where it says nothing."""
        hand = self.duel.hands(len(made) % 2).places.get(tuple(sorted(faces)))
        return None if hand is None else self.records.get((hand, made))


def weigh_solved(table: SolvedTable, sight: Sight, made: bytes) -> Weighing | None:
    """Return what the table makes of a sight after these claims; None where it says nothing, and level 1 is asked.

    The worth of a move is how likely it is, since an equilibrium knows no better one among those it plays.
    """
    moves = table.moves(sight.dice[sight.seat], made)
    return None if moves is None else weighing_of(table.duel, sight.seat, made, moves)


def weighing_of(duel: Duel, seat: Seat, made: bytes, moves: Moves) -> Weighing:
    """Return the weighted moves of a seat after these claims as its commands, each worth how likely it is."""
    total = sum([weight for _, weight in moves])
    options = [Option(_command(duel, seat, move), Fraction(weight, total), weight) for move, weight in moves]
    return Weighing(tuple(options), len(duel.replies(made)))


def _command(duel: Duel, seat: Seat, move: int) -> commands.Play:
    if move == CHALLENGE:
        return commands.Challenge(seat)
    claim = duel.claim(move)
    return commands.Bid(seat, claim.quantity, claim.face)


def write_table(records: Mapping[Key, Moves]) -> bytes:
    """Return the bytes of a table."""
    written: list[bytes] = sorted([_written(record) for record in records.items()], key=_order)
    return b"".join(written)


def _written(record: tuple[Key, Moves]) -> bytes:
    (hand, made), moves = record
    written = b"".join(_MOVE.pack(*move) for move in moves)
    return _HAND.pack(hand) + bytes([len(made)]) + made + bytes([len(moves)]) + written


def _order(record: bytes) -> tuple[int, bytes]:
    return record[_HAND.size] % 2, record


def read_table(duel: Duel, body: bytes) -> SolvedTable:
    """Return the table that these bytes are.

    Raises:
        BadPolicy: They are none for this duel; says in which record, counted from 1, or at which byte.
    """
    records: dict[Key, Moves] = {}
    last = (0, b"")
    for place, (key, moves, written) in enumerate(_records(body), 1):
        where = f"record {place}"
        order = _order(written)
        if order[0] < last[0] or order <= last:
            raise BadPolicy("out_of_order", where)
        last = order
        _check_key(duel, key, where)
        check_moves(duel.replies(key[1]), moves, where)
        if not _comes_here(records, key):
            raise BadPolicy("unreachable", where)
        records[key] = moves
    return SolvedTable(duel, records)


def _records(body: bytes) -> Iterator[tuple[Key, Moves, bytes]]:
    """Yield the records, each with its bytes up to the moves."""
    at = 0
    while at < len(body):
        try:
            (hand,), made_at = _HAND.unpack_from(body, at), at + _HAND.size + 1
            moves_at = made_at + body[made_at - 1] + 1
            end = moves_at + body[moves_at - 1] * _MOVE.size
        except (IndexError, struct.error):
            raise BadPolicy("cut", f"byte {at}") from None
        if end > len(body):
            raise BadPolicy("cut", f"byte {at}")
        made = body[made_at : moves_at - 1]
        yield (hand, made), tuple(_MOVE.iter_unpack(body[moves_at:end])), body[at : moves_at - 1]
        at = end


def _check_key(duel: Duel, key: Key, where: str) -> None:
    hand, made = key
    if hand >= len(duel.hands(len(made) % 2)):
        raise BadPolicy("no_such_hand", where)
    for place, move in enumerate(made):
        if move == CHALLENGE or move not in duel.replies(made[:place]):
            raise BadPolicy("no_such_claims", where)


def check_moves(legal: bytes, moves: Moves, where: str) -> None:
    """Check that moves are legal, ascend, and have a weight.

    Raises:
        BadPolicy: They do not; says where.
    """
    last = -1
    for move, _ in moves:
        if move not in legal:
            raise BadPolicy("illegal_move", where)
        if move <= last:
            raise BadPolicy("move_twice", where)
        last = move
    if not any(weight for _, weight in moves):
        raise BadPolicy("no_weight", where)


def _comes_here(records: Mapping[Key, Moves], key: Key) -> bool:
    """Report whether the seat itself made its last claim here with some weight."""
    hand, made = key
    if len(made) < 2:  # noqa: PLR2004 - of the claims one is its own from the second on
        return True
    own = dict(records.get((hand, made[:-2]), ()))
    return bool(own.get(made[-2], 0))
