"""A deal: every die it may need, fixed before the first seed is shown.

The law of the file: each formula is one of CUP/1 section 4.1, letter by letter; another byte is another protocol. Every
input of a hash starts with its label and has a fixed layout for it, so no two meanings share an encoding.

    ctx      H("CUP1.ctx" match deal rules_hash policy cups)    what all else is bound to
    key[a]   M(secret, "CUP1.key" ctx a)                        the key of an address: cup, roll, slot
    com[a]   M(key[a], "CUP1.com" ctx a)                        its commitment; those of a roll are a leaf of the tree
    commit   M(seed, "CUP1.sed" ctx root seat)                  what fixes a seat's seed
    mix      H("CUP1.mix" ctx root seeds beacon)                what all seeds come to
    value    M(key[a], "CUP1.die" mix a m block)                see `sampling`
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Final, Literal

from msgspec import Struct

from domain.log import canonical, merkle

SECRET_BYTES: Final = 32
SLOTS_MAX: Final = 2**18
"""Slots of a deal, all cups and rolls together (CUP/1 section 4.1): about a second of work."""
Policy = Literal["all", "shown"]

_POLICIES: Final = ("all", "shown")
_CUP: Final = struct.Struct(">BBHB")
_ADDRESS: Final = struct.Struct(">BHB")


class Cup(Struct, frozen=True):
    """A row of dice with an owner.

    Attributes:
        id: 0 to 255, its number in the deal.
        owner: 0 for the table, 1 to 254 for a seat, 255 for shared.
        rolls: 1 to 65,535, how often it may be rolled in the deal.
        width: 1 to 255, how many slots it has.
    """

    id: int
    owner: int
    rolls: int
    width: int


class BeaconAnswer(Struct, frozen=True):
    """A round of a public beacon: its chain's hash and its randomness, 32 bytes each."""

    chain: bytes
    round: int
    randomness: bytes


def address(cup: int, roll: int, slot: int) -> bytes:
    """Return the four bytes that name a slot of a roll of a cup."""
    return _ADDRESS.pack(cup, roll, slot)


def rules_hash(rules: dict[str, Any]) -> bytes:
    """Return the hash of a rules object."""
    return hashlib.sha256(canonical.encode(rules)).digest()


def context(match: bytes, deal: int, rules_hash: bytes, policy: Policy, cups: Sequence[Cup]) -> bytes:
    """Return the context that every hash of a deal is bound to.

    Args:
        match: The match id, 16 bytes.
        deal: The deal's number in the match, from 0.
        rules_hash: The hash of the rules object.
        policy: What the deal publishes in the end: `all` dice, or only those `shown`.
        cups: Ascending by id.
    """
    head = b"CUP1.ctx" + match + deal.to_bytes(2, "big") + rules_hash
    packed = b"".join(_CUP.pack(cup.id, cup.owner, cup.rolls, cup.width) for cup in cups)
    return hashlib.sha256(head + bytes([_POLICIES.index(policy), len(cups)]) + packed).digest()


def commitment(key: bytes, ctx: bytes, at: bytes) -> bytes:
    """Return what fixes the key of an address without showing it."""
    return hmac.digest(key, b"CUP1.com" + ctx + at, "sha256")


def seed_commitment(seed: bytes, ctx: bytes, root: bytes, seat: int) -> bytes:
    """Return what fixes a seat's seed without showing it.

    Args:
        seed: 32 bytes that only the seat knows.
        ctx: The deal's context.
        root: The deal's root, so that a commitment is good for one tree only.
        seat: The seat's number, so that a copied commitment opens nothing.
    """
    return hmac.digest(seed, b"CUP1.sed" + ctx + root + bytes([seat]), "sha256")


def mix(ctx: bytes, root: bytes, seeds: Mapping[int, bytes], beacon: BeaconAnswer | None = None) -> bytes:
    """Return what all seeds of a deal come to; from here on every die is determined.

    Args:
        ctx: The deal's context.
        root: The deal's root.
        seeds: Every seat's seed.
        beacon: The beacon's answer, where the deal waited for one.
    """
    given = b"".join(bytes([seat]) + seeds[seat] for seat in sorted(seeds))
    heard = b"\x00" if beacon is None else b"\x01" + beacon.chain + beacon.round.to_bytes(8, "big") + beacon.randomness
    return hashlib.sha256(b"CUP1.mix" + ctx + root + bytes([len(seeds)]) + given + heard).digest()


def leaf_of(cups: Sequence[Cup], cup: int, roll: int) -> tuple[int, int]:
    """Return the leaf of a roll in the deal's tree, and how many leaves the tree has.

    Args:
        cups: Ascending by id.
        cup: The id of one of them.
        roll: Which of its rolls, from 0.
    """
    before = sum(other.rolls for other in cups if other.id < cup)
    return before + roll, sum(other.rolls for other in cups)


class Deal(Struct, frozen=True, dict=True, eq=False):
    """The secret of a deal with all that follows from it alone.

    Attributes:
        secret: 32 bytes, known to the dealer until the deal is closed.
        ctx: The deal's context.
        cups: Ascending by id.
    """

    secret: bytes
    ctx: bytes
    cups: tuple[Cup, ...]

    def __repr__(self) -> str:
        """Name the context and keep the secret."""
        return f"Deal({self.ctx.hex()})"

    @cached_property
    def root(self) -> bytes:
        """The root of the tree over all commitments. Cost: the whole tree, about 4 microseconds a slot, once."""
        return merkle.hash_of((0, sum(cup.rolls for cup in self.cups)), self._nodes)

    def key(self, cup: int, roll: int, slot: int) -> bytes:
        """Return the key of an address. Cost: one HMAC."""
        return hmac.digest(self.secret, b"CUP1.key" + self.ctx + address(cup, roll, slot), "sha256")

    def commitments(self, cup: int, roll: int) -> list[bytes]:
        """Return the commitments of a roll, one for each slot of the cup. Cost: two HMACs a slot."""
        found = []
        for slot in range(self._widths[cup]):
            at = address(cup, roll, slot)
            key = hmac.digest(self.secret, b"CUP1.key" + self.ctx + at, "sha256")
            found.append(commitment(key, self.ctx, at))
        return found

    def path(self, cup: int, roll: int) -> list[bytes]:
        """Return the inclusion path of a roll's commitments. Cost: at most 2 log2 of the number of rolls in hashes."""
        index, size = leaf_of(self.cups, cup, roll)
        return [merkle.hash_of(span, self._nodes) for span in merkle.inclusion_spans(size, index)]

    @cached_property
    def _widths(self) -> dict[int, int]:
        return {cup.id: cup.width for cup in self.cups}

    @cached_property
    def _nodes(self) -> dict[merkle.Place, bytes]:
        # Only the tree is kept, two hashes a roll: keys and commitments are quicker to make again than dear to store.
        rolls = ((cup.id, roll) for cup in self.cups for roll in range(cup.rolls))
        return merkle.subtrees([merkle.leaf_hash(b"".join(self.commitments(*roll))) for roll in rolls])
