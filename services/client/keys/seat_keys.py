"""The key with which a seat signs what it asks for, in a file that only its owner can read.

The key is made before the seat is asked for, from what the seeds of the seat are made from too: whichever device has
the link to a seat signs for it. Where it is another one, since a key was brought or given, the file says so.

Source: CUP/1 sections 4.14.1 and 4.14.8.
"""

from __future__ import annotations

import hmac
import re
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.fairness.signing.messages import NOTHING_BEFORE, name_commitment
from infra.entropy import draw
from infra.files.whole import FOR_ITS_OWNER, write_whole
from infra.keys import Ed25519Signer
from services.client.house import CannotDo, kept_here

Json = dict[str, Any]
SECRET_BYTES: Final = 32
SALT_BYTES: Final = 32
GROUP: Final = 8
"""How many digits of a key stand together where people write them down."""
_SPACES: Final = re.compile(r"[\s:-]+")
_KEY: Final = re.compile(r"[0-9a-f]{64}")
_LABEL: Final = b"SEAT.sig"


class SignedLast(Struct, frozen=True):
    """The command that a seat signed last, whether it was accepted or not.

    Attributes:
        n: Which of the seat's commands it is.
        version: How many lines its player had seen.
        command: The command in its public form.
        message: What was signed, as hex.
        sig: The signature, as hex.
        more: What went with it: the salt of a handling of dice.
    """

    n: int
    version: int
    command: Json
    message: str
    sig: str
    more: dict[str, str] = {}


class KeptKey(Struct, frozen=True, omit_defaults=True):
    """The key of a seat, and what was signed with it.

    Attributes:
        secret: The private key, 32 bytes as hex.
        name: What the player is called, in the form that was committed to.
        salt: What hides the name in the record, 32 bytes as hex.
        joined: The public key with which the seat was taken here, as hex; None if it was taken elsewhere.
        n: The last command whose line was seen; -1 before the join.
        before: The hash of its message, as hex.
        last: The command that was signed last.
    """

    secret: str
    name: str | None = None
    salt: str | None = None
    joined: str | None = None
    n: int = -1
    before: str = NOTHING_BEFORE.hex()
    last: SignedLast | None = None

    @property
    def public(self) -> str:
        """The public key, as hex."""
        return self.signer().public_key.hex()

    @property
    def committed_name(self) -> str | None:
        """What fixes the name in the record; None where nothing does."""
        if self.salt is None or self.name is None:
            return None
        return name_commitment(bytes.fromhex(self.salt), self.name)

    def signer(self) -> Ed25519Signer:
        """Return what signs with this key."""
        return Ed25519Signer(bytes.fromhex(self.secret))


class KeyFile:
    """The file of one key, written as a whole each time."""

    def __init__(self, file: Path) -> None:
        """Keep a key in this file."""
        self.file = file

    def read(self) -> KeptKey | None:
        """Return the key; None if there is none.

        Raises:
            CannotDo: The file holds something else.
        """
        if not self.file.exists():
            return None
        try:
            return msgspec.json.decode(self.file.read_bytes(), type=KeptKey)
        except msgspec.MsgspecError as trouble:
            raise CannotDo(f"{self.file} holds no key of a seat") from trouble

    def keep(self, key: KeptKey, *, durably: bool = False) -> None:
        """Write a key down in the place of what was there.

        Args:
            key: The key.
            durably: Whether it has to be there after the machine has failed, as a new key has. What was signed last
                need not: the record says it again.

        Raises:
            CannotDo: It cannot be written; what was there stays.
        """
        with kept_here():
            write_whole(self.file, msgspec.json.encode(key), FOR_ITS_OWNER, durably=durably)


def new_key(secret: bytes) -> KeptKey:
    """Return the key of a seat whose seeds are made from this secret, with a fresh salt for the name."""
    return KeptKey(signing_secret(secret).hex(), salt=draw(SALT_BYTES).hex())


def signing_secret(secret: bytes) -> bytes:
    """Return the private key of the seat whose seeds are made from this secret, alike on every device that has it."""
    return hmac.digest(secret, _LABEL, "sha256")


def with_secret(key: KeptKey | None, secret: str) -> KeptKey:
    """Return what is kept of a seat, with another private key."""
    return KeptKey(secret) if key is None else replace(key, secret=secret)


def in_groups(secret: str) -> str:
    """Return a key as people write it down."""
    return " ".join(secret[place : place + GROUP] for place in range(0, len(secret), GROUP))


def key_in(text: str) -> str:
    """Return the key that somebody has written down: 64 hex digits, in groups or not.

    Raises:
        CannotDo: It is none.
    """
    plain = _SPACES.sub("", text).lower()
    if not _KEY.fullmatch(plain):
        raise CannotDo("a key has 64 digits, each 0 to 9 or a to f; spaces between them do not matter")
    return plain
