"""The table of a blueprint: how often each move of a duel is played by what a seat holds and the last three claims.

One record for each context that play comes to often enough, ascending:

    u8 place    whose turn it is: 0 the opener, 1 the other one
    u16 hand    which of the seat's hands, ascending
    u8 m        how many of the last claims are known, 0 to 3
    m x u8      these claims, the last one last, by their numbers (`domain.strategy.duels.duel`)
    u8 n        how many moves there are, one or more
    n x         u8 move, u8 weight; moves ascending

Integers are big-endian. As seats take turns, `place` and `m` say who made each claim. What came before the last three
is forgotten, so nothing is guaranteed; of what is not there level 1 is asked.
"""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal

from msgspec import Struct

from domain.ids import Face
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.duels.duel import CHALLENGE, Duel
from domain.strategy.duels.solved import Moves, check_moves, weighing_of
from domain.strategy.sight import Sight
from domain.strategy.weighing import Weighing

REMEMBERED: Final = 3
"""How many of the last claims are known."""
WEIGHT_MAX: Final = 0xFF
"""What a weight may be in a record."""
_KEY: Final = struct.Struct(">BHB")
_MOVE: Final = struct.Struct(">BB")

Place = Literal[0, 1]
"""The opener, or the other one."""
Context = tuple[int, int, bytes]
"""What a seat goes by: whose turn it is, which of its hands it holds, and the last claims."""


class BlueprintTable(Struct, frozen=True):
    """How a duel is played by who remembers three claims.

    Attributes:
        duel: The round.
        records: By context, ascending.
    """

    duel: Duel
    records: Mapping[Context, Moves]

    def moves(self, faces: tuple[Face, ...], made: bytes) -> Moves | None:
        """Return the weighted moves of a seat that holds these faces after these claims; None where it says nothing."""
        place = len(made) % 2
        hand = self.duel.hands(place).places.get(tuple(sorted(faces)))
        return None if hand is None else self.records.get((place, hand, made[-REMEMBERED:]))


def blueprint_name(duel: str) -> str:
    """Return what the blueprint of a duel of this name is called: `2v2-d6-quantity_first-always-no.blueprint`."""
    return f"{duel}.blueprint"


def weigh_blueprint(table: BlueprintTable, sight: Sight, made: bytes) -> Weighing | None:
    """Return what the table makes of a sight after these claims; None where it says nothing, and level 1 is asked.

    The worth of a move is how likely it is: the table knows of none that is better.
    """
    moves = table.moves(sight.dice[sight.seat], made)
    return None if moves is None else weighing_of(table.duel, sight.seat, made, moves)


class PackedRecords(Mapping[Context, Moves]):
    """Records as they lie in a file, found by halving: a file of a megabyte takes little more than that of memory."""

    def __init__(self, body: bytes, starts: Sequence[int]) -> None:
        """Take the bytes of a table, which ascend, and where each record starts."""
        self._body = body
        self._starts = starts

    def __getitem__(self, context: Context) -> Moves:
        """Return the moves of a context.

        Raises:
            KeyError: There are none.
        """
        key = _written(context)
        place = bisect_left(self._starts, key, key=lambda start: self._body[start : start + len(key)])
        if place == len(self._starts) or not self._body.startswith(key, self._starts[place]):
            raise KeyError(context)
        at = self._starts[place] + len(key)
        return _moves_in(self._body[at + 1 : at + 1 + self._body[at] * _MOVE.size])

    def __iter__(self) -> Iterator[Context]:
        """Yield every context, ascending."""
        for start in self._starts:
            place, hand, made = _KEY.unpack_from(self._body, start)
            yield place, hand, self._body[start + _KEY.size : start + _KEY.size + made]

    def __len__(self) -> int:
        """How many records there are."""
        return len(self._starts)


def write_blueprint(records: Mapping[Context, Moves]) -> bytes:
    """Return the bytes of a table."""
    return b"".join(sorted([_written(context) + _moves_written(moves) for context, moves in records.items()]))


def _written(context: Context) -> bytes:
    place, hand, claims = context
    return _KEY.pack(place, hand, len(claims)) + claims


def _moves_written(moves: Moves) -> bytes:
    return bytes([len(moves)]) + b"".join(_MOVE.pack(*move) for move in moves)


def _moves_in(written: bytes) -> Moves:
    return tuple(_MOVE.iter_unpack(written))


def read_blueprint(duel: Duel, body: bytes) -> BlueprintTable:
    """Return the table that these bytes are. Cost: a tenth of a second for half a megabyte.

    Raises:
        BadPolicy: They are none for this duel; says in which record, counted from 1, or at which byte.
    """
    starts, last, checks = array("I"), b"", _Checks(duel)
    for number, (start, claims_at, moves_at, end) in enumerate(_spans(body), 1):
        key = body[start : moves_at - 1]
        if key <= last:
            raise BadPolicy("out_of_order", f"record {number}")
        last = key
        checks.check(key, body[claims_at : moves_at - 1], body[moves_at:end], number)
        starts.append(start)
    return BlueprintTable(duel, PackedRecords(body, starts))


def _spans(body: bytes) -> Iterator[tuple[int, int, int, int]]:
    """Yield where each record starts, its claims, its moves, and where it ends."""
    at, size = 0, len(body)
    while at < size:
        claims_at = at + _KEY.size
        moves_at = claims_at + body[claims_at - 1] + 1 if claims_at <= size else size + 1
        end = moves_at + body[moves_at - 1] * _MOVE.size if moves_at <= size else size + 1
        if end > size:
            raise BadPolicy("cut", f"byte {at}")
        yield at, claims_at, moves_at, end
        at = end


class _Checks:
    """Checks of records: what is known of claims, and of moves that are legal there, holds for every hand."""

    def __init__(self, duel: Duel) -> None:
        self._duel = duel
        self._hands = (len(duel.hands(0)), len(duel.hands(1)))
        self._legal: dict[tuple[int, bytes], bytes] = {}
        self._fine: set[tuple[bytes, bytes]] = set()

    def check(self, key: bytes, claims: bytes, moves: bytes, number: int) -> None:
        """Check a record by what it starts with, its claims in that, and its moves.

        Raises:
            BadPolicy: No seat comes here, or may do this.
        """
        place, hand, _ = _KEY.unpack_from(key)
        if place > 1 or hand >= self._hands[place]:
            raise BadPolicy("no_such_hand", f"record {number}")
        legal = self._legal.get((place, claims))
        if legal is None:
            if not _comes_about(self._duel, place, claims):
                raise BadPolicy("no_such_claims", f"record {number}")
            legal = self._legal[place, claims] = self._duel.replies(claims)
        row = (legal, moves[:: _MOVE.size])
        if row not in self._fine or not any(moves[1 :: _MOVE.size]):
            check_moves(legal, _moves_in(moves), f"record {number}")
            self._fine.add(row)


def _comes_about(duel: Duel, place: int, claims: bytes) -> bool:
    """Report whether these can be the last claims, up to three, of a round in which it is this seat's turn."""
    if not claims:
        return place == 0
    maker = (place + len(claims)) % 2
    known = len(claims) < REMEMBERED
    first = duel.replies(b"") if known and maker == 0 else b"" if known else claims_of(duel)[maker]
    # Nothing is asked of the rules about a number that is none of a claim.
    return (
        len(claims) <= REMEMBERED
        and claims[0] in first
        and all(move != CHALLENGE and move in duel.replies(claims[:at]) for at, move in enumerate(claims) if at)
    )


@lru_cache(maxsize=64)
def claims_of(duel: Duel) -> tuple[frozenset[int], frozenset[int]]:
    """Return the numbers of the claims that the opener, and the other one, may come to make. Cost: remembered."""
    found: tuple[set[int], set[int]] = (set(duel.replies(b"")), set())
    new = [(0, claim) for claim in found[0]]
    while new:
        maker, claim = new.pop()
        answers = {move for move in duel.replies(bytes([claim])) if move != CHALLENGE} - found[1 - maker]
        found[1 - maker].update(answers)
        new += [(1 - maker, move) for move in answers]
    return frozenset(found[0]), frozenset(found[1])
