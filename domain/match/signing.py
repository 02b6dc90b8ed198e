"""The seats of a match that sign what they ask for: what the next signature of each has to be over.

The law of the file: it reads lines that are stored, and judges none: that is the audit's (`domain.fairness.signing`).
It keeps what a signature hangs on and no more: the heads of the lines since the last loud one, since a command that has
not seen that one is dead; and of each seat its key, its counter and the hash of the message it signed last. Whoever
plays and whoever answers him keep the same. Source: CUP/1 section 4.14.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from domain.fairness import shapes
from domain.fairness.chain import Link
from domain.fairness.signing.forms import JOIN
from domain.fairness.signing.keyed_seats import QUIET, RECOVERY_MS
from domain.fairness.signing.messages import NO_SEAT, NOTHING_BEFORE, message_of
from domain.ids import Seat, UnixMs, Version
from domain.log.notes import Verify


class SignedMessage(Struct, frozen=True):
    """What a seat signed: the bytes, and the signature of 64 bytes."""

    message: bytes
    signature: bytes


class KeyNamed(Struct, frozen=True):
    """A key that a host has named for a seat, when, and what the seat signed next, which decides of it."""

    key: str
    at: UnixMs
    decided_by: SignedMessage | None = None


class SigningSeat(Struct, frozen=True):
    """A seat with a key.

    Attributes:
        key: The key that the seat itself named last, as hex.
        n: Which of its commands it signed last; -1 before its join.
        before: The hash of the message of that, 32 bytes.
        joined: The hash of the message of its join: whoever sends that again asks for no other seat.
        named: The keys that hosts have named for it since, in order; only the last may be undecided.
    """

    key: str
    n: int = -1
    before: bytes = NOTHING_BEFORE
    joined: bytes = NOTHING_BEFORE
    named: tuple[KeyNamed, ...] = ()


class Signing(Struct, frozen=True):
    """What signatures of a match hang on.

    Attributes:
        loud: The place of the last loud line, from 0.
        heads: The hashes of the lines from that one on.
        seats: The seats with keys whose players have not left.
    """

    loud: Version = 0
    heads: tuple[str, ...] = ()
    seats: Mapping[Seat, SigningSeat] = {}

    @property
    def version(self) -> Version:
        """How many lines the match has."""
        return self.loud + len(self.heads)

    def has_seen_enough(self, version: Version) -> bool:
        """Report whether whoever has seen so many lines may still ask for something."""
        return self.loud < version <= self.version

    def head_at(self, version: Version) -> bytes:
        """Return the hash of the last line that somebody has seen, who has seen so many and enough."""
        return bytes.fromhex(self.heads[version - 1 - self.loud])


class CannotSign(Exception):  # noqa: N818 - named for what happened
    """A command cannot be signed so.

    Attributes:
        why: `n` for another command than the next, `version` for one that has not seen enough, or too much.
    """

    def __init__(self, why: Literal["n", "version"]) -> None:
        """Say why."""
        super().__init__(why)
        self.why = why


NO_SIGNATURES: Final = Signing()
JOINED: Final = "seat.joined"
KEYED: Final = "seat.keyed"
LEFT: Final = "seat.left"
OF_SEATS: Final = frozenset([JOINED, KEYED, LEFT])
"""The types of lines whose members it reads."""


def message_for(
    signing: Signing, match: bytes, seat: Seat | None, n: int, version: Version, command: Mapping[str, Any]
) -> bytes:
    """Return the bytes that a seat signs for a command in its public form.

    Args:
        signing: What the match is like now.
        match: The 16 bytes of its id.
        seat: The seat, which has a key; None for a join.
        n: Which of its commands it is.
        version: How many lines its player has seen.
        command: The command, without the seat.

    Raises:
        CannotSign: It is not the next one of this seat, or its player has not seen enough.
    """
    known = SigningSeat("") if seat is None else signing.seats[seat]
    if n != known.n + 1:
        raise CannotSign("n")
    if not signing.has_seen_enough(version):
        raise CannotSign("version")
    place, head = NO_SEAT if seat is None else seat, signing.head_at(version)
    return message_of(match, place, n, version, head, known.before, command)


def message_signed(signing: Signing, match: bytes, signed: shapes.Signed) -> bytes:
    """Return the bytes that a signature stands for, of a seat that has a key or takes one with it.

    Args:
        signing: What the match was like before.
        match: The 16 bytes of its id.
        signed: What was signed, as a line has it.

    Raises:
        CannotSign: It was not the next command of this seat, or its player had not seen enough.
    """
    seat = None if signed.command.get("type") == JOIN else signed.seat
    return message_for(signing, match, seat, signed.n, signed.version, signed.command)


def key_for(seat: SigningSeat, at: UnixMs, made: bytes, signature: bytes, verify: Verify) -> str | None:
    """Return the key that a message is lawfully signed with at this time, as hex; None if with none.

    A recovery that a host began is decided by the seat's next command: signed with the old key it is off, with the new
    one, two minutes later at least, it holds.
    """
    key = key_of(seat, verify)
    if verify(bytes.fromhex(key), made, signature):
        return key
    open_one = next((named for named in seat.named if named.decided_by is None), None)
    if open_one is None or at - open_one.at < RECOVERY_MS:
        return None
    return open_one.key if verify(bytes.fromhex(open_one.key), made, signature) else None


def key_of(seat: SigningSeat, verify: Verify) -> str:
    """Return the key of a seat, as hex, by what it has signed since hosts named others for it."""
    key = seat.key
    for named in seat.named:
        by = named.decided_by
        if by is not None and not verify(bytes.fromhex(key), by.message, by.signature):
            key = named.key
    return key


def keys_of(signing: Signing, verify: Verify) -> frozenset[str]:
    """Return the keys that seats have now, by what they have signed since hosts named others, or are next to have."""
    seats = signing.seats.values()
    named = [each.key for seat in seats for each in seat.named if each.decided_by is None]
    return frozenset([*(key_of(seat, verify) for seat in seats), *named])


def keys_held(signing: Signing) -> frozenset[str]:
    """Return the keys that seats of the match have, or may come to have: nobody else may take one of them."""
    named = [each.key for seat in signing.seats.values() for each in seat.named]
    return frozenset([*(seat.key for seat in signing.seats.values()), *named])


def after(signing: Signing, match: bytes, link: Link) -> Signing:
    """Return what signatures hang on after one more line of the match, whose id is these 16 bytes."""
    data, signed, seats = link.data, link.signed, signing.seats
    if link.kind == JOINED and "key" in data:
        seats = {**seats, data["seat"]: SigningSeat(data["key"])}
    if signed is not None:
        seats = {**seats, signed.seat: _signed(replace(signing, seats=seats), match, signed)}
    if link.kind == KEYED:
        seats = {**seats, data["seat"]: _keyed(seats[data["seat"]], data["key"], data["by"], link.at)}
    elif link.kind == LEFT:
        seats = {seat: known for seat, known in seats.items() if seat != data["seat"]}
    return behind_line(signing, link.kind, link.head, seats)


def behind_line(signing: Signing, kind: str, head: str, seats: Mapping[Seat, SigningSeat]) -> Signing:
    """Return what signatures hang on behind one more line of this type with this hash, given the seats with keys."""
    if kind in QUIET:
        return Signing(signing.loud, (*signing.heads, head), seats)
    return Signing(signing.version, (head,), seats)


def _signed(signing: Signing, match: bytes, signed: shapes.Signed) -> SigningSeat:
    seat = signing.seats[signed.seat]
    message = message_signed(signing, match, signed)
    by = SignedMessage(message, bytes.fromhex(signed.sig))
    named = tuple([each if each.decided_by else replace(each, decided_by=by) for each in seat.named])
    before = hashlib.sha256(message).digest()
    joined = before if signed.command.get("type") == JOIN else seat.joined
    return replace(seat, n=signed.n, before=before, joined=joined, named=named)


def _keyed(seat: SigningSeat, key: str, by: str, at: UnixMs) -> SigningSeat:
    if by == "seat":
        return replace(seat, key=key, named=())
    decided = tuple([each for each in seat.named if each.decided_by])
    return replace(seat, named=(*decided, KeyNamed(key, at)))
