"""Signed notes (C2SP signed-note): text, a blank line, lines of signatures.

    dice.example/log
    5
    HBVbPFTnz/xLNMToooyAgij0h/PIKGT0CRqfu0SvYFc=

    \\u2014 dice.example/log tOuZqheyr03GmVss...

A signature line names its key and carries, in base64, the key's four-byte id and the signature. Lines of keys nobody here
knows are passed over; a line of a known key must hold.
"""

from __future__ import annotations

import binascii
import hashlib
from base64 import b64decode, b64encode
from collections.abc import Iterable
from typing import Final, Protocol

from msgspec import Struct

ED25519: Final = 0x01
COSIGNATURE: Final = 0x04
NOTE_MAX: Final = 1_000_000
SIGNATURES_MAX: Final = 100
_KEY_BYTES: Final = 32
_ID_BYTES: Final = 4
_SIGNATURE_BYTES: Final = 64


class Verify(Protocol):
    """Ed25519, as a driver gives it."""

    def __call__(self, public_key: bytes, message: bytes, signature: bytes, /) -> bool:
        """Report whether the signature of this key fits the message."""


class Signer(Protocol):
    """An Ed25519 key, as a driver gives it."""

    public_key: bytes

    def sign(self, message: bytes, /) -> bytes:
        """Return the signature, 64 bytes."""


class Malformed(ValueError):  # noqa: N818 - says what the text is
    """This is not what it should be, byte by byte."""


class Key(Struct, frozen=True):
    """A verifier key: a name, the kind of its signatures, 32 bytes."""

    name: str
    kind: int
    public_key: bytes

    @property
    def id(self) -> bytes:
        """The four bytes that signature lines carry."""
        text = self.name.encode() + b"\n" + bytes([self.kind]) + self.public_key
        return hashlib.sha256(text).digest()[:_ID_BYTES]

    def __str__(self) -> str:
        """Return the key as others write it: name, id in hex, kind and bytes in base64."""
        return f"{self.name}+{self.id.hex()}+{b64encode(bytes([self.kind]) + self.public_key).decode()}"


class Signature(Struct, frozen=True):
    """A signature line."""

    name: str
    key_id: bytes
    signature: bytes


class Note(Struct, frozen=True):
    """A text, which ends in a newline, and its signature lines; nothing is checked yet."""

    text: str
    signatures: tuple[Signature, ...]


def key_of(text: str) -> Key:
    """Return the verifier key that this text stands for.

    Raises:
        Malformed: It is none, or its id is another key's.
    """
    parts = text.split("+", 2)
    if len(parts) != 3:  # noqa: PLR2004 - name, id, key
        raise Malformed("a verifier key is name+id+key")
    raw = strict_base64(parts[2])
    if len(raw) != 1 + _KEY_BYTES or raw[0] not in {ED25519, COSIGNATURE} or not _is_name(parts[0]):
        raise Malformed("this is no Ed25519 verifier key")
    key = Key(parts[0], raw[0], raw[1:])
    if parts[1] != key.id.hex():
        raise Malformed("the key's id is another key's")
    return key


def parse(text: str) -> Note:
    """Return the note that this text is.

    Raises:
        Malformed: It is none.
    """
    if len(text) > NOTE_MAX or any(char < " " and char != "\n" for char in text) or not text.endswith("\n"):
        raise Malformed("a note is lines of text and ends in a newline")
    body, blank, lines = text.rpartition("\n\n")
    found = lines.removesuffix("\n").split("\n")
    if not blank or not lines or len(found) > SIGNATURES_MAX:
        raise Malformed("a note is text, a blank line, and signatures")
    return Note(body + "\n", tuple(_signature_of(line) for line in found))


def _signature_of(line: str) -> Signature:
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    raw = strict_base64(encoded)
    if dash != "\u2014" or not _is_name(name) or len(raw) <= _ID_BYTES:
        raise Malformed("this is no signature line")
    return Signature(name, raw[:_ID_BYTES], raw[_ID_BYTES:])


def signed_by(note: Note, keys: Iterable[Key], verify: Verify) -> set[Key]:
    """Return which of these keys have signed the note.

    Raises:
        Malformed: A signature line of one of the keys does not hold.
    """
    known = {(key.name, key.id): key for key in keys}
    found = set()
    for line in note.signatures:
        key = known.get((line.name, line.key_id))
        if key is None:
            continue
        if not verify(key.public_key, note.text.encode(), line.signature):
            raise Malformed(f"the signature of {key.name} does not hold")
        found.add(key)
    return found


def signed(text: str, name: str, signer: Signer) -> str:
    """Return the note of this text, which ends in a newline, signed by one key under this name."""
    key = Key(name, ED25519, signer.public_key)
    line = b64encode(key.id + signer.sign(text.encode())).decode()
    return f"{text}\n\u2014 {name} {line}\n"


def strict_base64(text: str) -> bytes:
    """Return the bytes of standard base64 in its one canonical spelling.

    Raises:
        Malformed: It is spelled in another way, or no base64.
    """
    try:
        raw = b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise Malformed("this is no base64") from error
    if b64encode(raw).decode() != text:
        raise Malformed("base64 has one spelling")
    return raw


def _is_name(name: str) -> bool:
    return bool(name) and "+" not in name and not any(char.isspace() for char in name)
