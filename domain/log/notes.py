"""Signed notes: a text, and signatures of it by keys that are known by name.

    example.com/log                the text, which ends in a newline
    3
    1rc42JGaBqzsZwUCYVkUOW...
                                   an empty line
    — example.com/log Az3grl...    one line a signature: dash, key name, base64 of key id and signature

The law of the file: a note has exactly one spelling, and nothing in it counts until a known key has signed it. Checking
a signature is a port, because the domain imports no cryptography.

Source: C2SP signed-note, https://c2sp.org/signed-note.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Protocol

from msgspec import Struct

ED25519: Final = 1
"""The type of a key that signs a note's text."""
COSIGNATURE: Final = 4
"""The type of a witness's Ed25519 key, which signs the text together with the time (C2SP tlog-cosignature)."""
SIGNATURES_MAX: Final = 64
"""How many signatures a note may have. The standard asks for at least 16; each may cost a verification."""
KEY_BYTES: Final = 32
ID_BYTES: Final = 4
DASH: Final = "\u2014 "
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")
"""A control character other than a newline; looked for character by character it is more than half of a note."""


class Malformed(ValueError):  # noqa: N818 - says what the text is
    """A text is not what its format asks for."""


class Verify(Protocol):
    """Whatever can check an Ed25519 signature."""

    def __call__(self, public_key: bytes, message: bytes, signature: bytes, /) -> bool:
        """Report whether the signature fits; False for anything malformed."""


class Signer(Protocol):
    """Whatever holds an Ed25519 key."""

    @property
    def public_key(self) -> bytes:
        """The public key, 32 bytes."""

    def sign(self, message: bytes, /) -> bytes:
        """Return the signature, 64 bytes."""


class Key(Struct, frozen=True):
    """A key that signatures are checked with.

    Attributes:
        name: Whose it is, such as `example.com/log`.
        kind: `ED25519` or `COSIGNATURE`.
        public_key: 32 bytes.
    """

    name: str
    kind: int
    public_key: bytes

    @property
    def id(self) -> bytes:
        """The four bytes by which a signature line names the key."""
        return hashlib.sha256(self.name.encode() + b"\n" + self._typed_bytes()).digest()[:ID_BYTES]

    def __str__(self) -> str:
        """Return the key as policies spell it."""
        return f"{self.name}+{self.id.hex()}+{b64encode(self._typed_bytes()).decode()}"

    def _typed_bytes(self) -> bytes:
        return bytes([self.kind]) + self.public_key


class Signature(Struct, frozen=True):
    """A line of a note: `value` is what the key with this name and id signed."""

    name: str
    key_id: bytes
    value: bytes

    def __str__(self) -> str:
        """Return the line, with its newline."""
        return f"{DASH}{self.name} {b64encode(self.key_id + self.value).decode()}\n"


class Note(Struct, frozen=True):
    """A text, which ends in a newline, and its signatures in their order."""

    text: str
    signatures: tuple[Signature, ...]

    def by(self, key: Key) -> Signature | None:
        """Return the first signature that says it is by this key."""
        wanted = key.id
        return next((each for each in self.signatures if each.name == key.name and each.key_id == wanted), None)

    def __str__(self) -> str:
        """Return the note as it is sent and stored."""
        return self.text + "\n" + "".join(map(str, self.signatures))


def parse(text: str) -> Note:
    """Return the note that a text spells.

    Raises:
        Malformed: It is no note, or spelled differently from how `str` would.
    """
    body, gap, tail = text.rpartition("\n\n")
    lines = tail.split("\n")
    if not gap or lines.pop() != "" or not 1 <= len(lines) <= SIGNATURES_MAX:
        raise Malformed("a note is a text, an empty line and signature lines")
    if _CONTROL.search(text):
        raise Malformed("a note has no control characters but newlines")
    return Note(body + "\n", tuple(_signature(line) for line in lines))


def sign(origin: str, text: str, signers: Sequence[Signer]) -> str:
    """Return the note of a text, signed by these keys of one name, in their order.

    Cost: one Ed25519 signature for each key.
    """
    signatures = (Signature(origin, _id_of(origin, each.public_key), each.sign(text.encode())) for each in signers)
    return str(Note(text, tuple(signatures)))


@lru_cache(maxsize=16)
def _id_of(name: str, public_key: bytes) -> bytes:
    return Key(name, ED25519, public_key).id


def key_of(text: str) -> Key:
    """Return the key that a verifier key, as policies spell it, stands for.

    Raises:
        Malformed: It is none, or of a type that is not checked here.
    """
    name, _, rest = text.partition("+")
    key_id, _, typed = rest.partition("+")
    material = unbase64(typed)
    if not _is_name(name) or len(material) != 1 + KEY_BYTES or material[0] not in {ED25519, COSIGNATURE}:
        raise Malformed("a verifier key is a name, an id and an Ed25519 key, joined by +")
    key = Key(name, material[0], material[1:])
    if key_id != key.id.hex():
        raise Malformed("the id of a verifier key does not belong to the key")
    return key


def unbase64(text: str) -> bytes:
    """Return the bytes that a base64 text stands for; the one text that stands for them is accepted, no other.

    Raises:
        Malformed: It is not standard base64 with its padding, or has stray bits at its end.
    """
    try:
        found = b64decode(text, validate=True)
    except ValueError as error:
        raise Malformed("this is not base64") from error
    if b64encode(found) != text.encode():
        raise Malformed("this is not the one base64 text of its bytes")
    return found


def _signature(line: str) -> Signature:
    name, _, encoded = line.removeprefix(DASH).partition(" ")
    value = unbase64(encoded)
    if not line.startswith(DASH) or not _is_name(name) or len(value) <= ID_BYTES:
        raise Malformed("a signature line is a dash, a key name, and a key id and more in base64")
    return Signature(name, value[:ID_BYTES], value[ID_BYTES:])


def _is_name(text: str) -> bool:
    return text != "" and "+" not in text and not any(character.isspace() for character in text)
