"""Optimistic concurrency: command metadata, stored answers, and the reasons why a change comes to nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final, Literal

from msgspec import Struct

from domain.fairness.signing.messages import name_commitment
from domain.ids import Seat, UnixMs, Version
from domain.match.signed_commands import SeatSignature
from services.matches.secrets.tokens import Holder, digest

People = tuple[tuple[str, str], ...]
"""Display names of those a command seats, by player id."""
ANONYMOUS: Final = "anonymous"
"""The scope of whoever shows no token."""


def scope_of(token: str) -> str:
    """Return the scope of whoever shows this token: a key of theirs is nobody else's."""
    return digest(token).hex()


class CommandMetadata(Struct, frozen=True):
    """Which request a command came with.

    Attributes:
        scope: Who asks: that of a token, `ANONYMOUS`, or a part of the program.
        key: The idempotency key, unique in its scope.
        fingerprint: The hash of method, path and body.
        expected: The versions at which the command is meant to be done, one of them, if it depends on that.
        holder: Whose token it came with, if it was that of a seat: nothing is decided for whoever has left it.
        network: The network it came from, for caps by address; None for what the house does itself.
        opener: Whether it came with the token of whoever opened the match.
        signature: What the seat has signed it with, if it has a key.
        turn: The version with which the turn began that it is meant for, if it depends on that.
    """

    scope: str
    key: str
    fingerprint: bytes
    expected: tuple[int, ...] | None = None
    holder: Holder | None = None
    network: str | None = None
    opener: bool = False
    signature: SeatSignature | None = None
    turn: Version | None = None

    @property
    def command(self) -> bytes:
        """The 32-byte id under which the command and its answer are stored."""
        return hashlib.sha256(f"truecup command\n{self.scope}\n{self.key}".encode()).digest()


class SeatMark(Struct, frozen=True):
    """What a seat is marked with in the record, for whoever takes it.

    Attributes:
        key: What it signs with from then on, as hex; None for a seat that signs nothing.
        salt: 32 bytes as hex, with which the player's name is committed to; None where it is not.
    """

    key: str | None = None
    salt: str | None = None

    def commit_to(self, name: str | None) -> str | None:
        """Return what fixes a name without saying it; None where nothing does, or there is no name."""
        return None if self.salt is None or name is None else name_commitment(bytes.fromhex(self.salt), name)


NO_MARK: Final = SeatMark()
"""That of whoever plays without a key, under a name that is nowhere committed to."""


class SitsAgain(Struct, frozen=True):
    """How somebody of a match that is over comes to its next table.

    Attributes:
        sits: Whether they sit down now; else the table is only opened, for whoever has to know it to sign for a seat.
        custody: Who draws the seeds of their seat; None as before.
        mark: What the seat is marked with.
    """

    sits: bool = True
    custody: Literal["client", "server"] | None = None
    mark: SeatMark = NO_MARK


AS_BEFORE: Final = SitsAgain()
"""That of whoever sits down at once, without a key."""


class TakesKey(Struct, frozen=True):
    """How somebody takes the own seat again, which the house gave out without a key.

    Attributes:
        left_at: The time of the line with which they get up, in Unix milliseconds, since they sign over it.
        custody: Who draws the seeds of the seat from then on.
        mark: What the seat is marked with.
    """

    left_at: UnixMs
    custody: Literal["client", "server"]
    mark: SeatMark


class Answer(Struct, frozen=True, omit_defaults=True):
    """What an accepted command came to.

    Attributes:
        version: The version it led to.
        head: The hash of the last line it wrote.
        token: What the seat or the host is known by from now on, if one was earned; never stored.
        receipt: The log's signed note of that line, to be kept: to whoever believes the log's key it proves that
            history was rewritten, if it was. A repeat gets the same one, byte for byte.
        invite: What takes a seat at a private table, for those whom the host invites; it stands in the answer to its
            opening, and is never stored.
        host: The token of the host of a rematch, for whoever asked first for it; never stored.
    """

    match: str
    version: Version
    head: str
    seat: Seat | None = None
    token: str | None = None
    receipt: str | None = None
    invite: str | None = None
    host: str | None = None


Signs = Callable[[str, int, str], str]
"""How a receipt is made: of a stream, the number of its last line, and the hash of it."""


class VersionPassed(Exception):  # noqa: N818 - named for what happened
    """The match is no longer at the version the asker had seen."""

    code: Final = "version_passed"

    def __init__(self, version: Version, refusal: str | None = None) -> None:
        """Say at which version the match is now, and what the house has signed of that, if anything."""
        super().__init__("the match is at another version")
        self.version = version
        self.facts: dict[str, object] = {} if refusal is None else {"refusal": refusal}


class KeyUsed(Exception):  # noqa: N818 - named for what happened
    """The idempotency key came with another request before."""
