"""Event lines: canonical JSON, and the hash that chains them.

RFC 8785 on a narrow profile (CUP/1 section 4.3): object keys are ASCII, integers lie within 2**53 - 1, there are no
floats and no lone surrogates, and a line has at most 65,535 bytes. In that profile a value has exactly one line.
The law of the file: bytes are hashed as they came, then taken apart, and refused unless the value gives them back.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any, Final

import msgspec

INTEGER_MAX: Final = 2**53 - 1
"""What a double holds exactly, and so what every JSON reader agrees on."""
LINE_BYTES_MAX: Final = 65_535
DEPTH_MAX: Final = 64
"""How deep arrays and objects may nest. Deeper ones stop at different places in different readers, so they are refused
while all readers still agree."""

_ARRAYS: Final = (list, tuple)


class NotCanonical(ValueError):  # noqa: N818 - says what the bytes are not
    """These bytes are no canonical line, or this value has none."""


def encode(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return the one line that stands for a JSON value.

    Tuples count as arrays.

    Raises:
        NotCanonical: The value lies outside the profile.

    Source:
        RFC 8785, narrowed by CUP/1 section 4.3.
    """
    line = encode_document(value)
    if len(line) > LINE_BYTES_MAX:
        raise NotCanonical("the line has more than 65,535 bytes")
    return line


def encode_document(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return the bytes that stand for a JSON value which is no event line, and may be as long as it likes.

    Raises:
        NotCanonical: The value lies outside the profile.
    """
    _check((value,), 0)
    try:
        return _ENCODER.encode(value)
    except UnicodeEncodeError as error:
        raise NotCanonical("a text holds a lone surrogate") from error


def decode(line: bytes) -> dict[str, Any]:
    """Return the object that a canonical line stands for.

    Raises:
        NotCanonical: The line is not what `encode` returns for some object.
    """
    # A stranger's line may have any length: it is refused before anything is built of it.
    if len(line) > LINE_BYTES_MAX:
        raise NotCanonical("the line has more than 65,535 bytes")
    try:
        value = _DECODER.decode(line)
    except (ValueError, RecursionError) as error:
        raise NotCanonical("the line is not JSON of the narrow profile") from error
    if type(value) is not dict:
        raise NotCanonical("the line is not an object")
    if encode(value) != line:
        raise NotCanonical("the line is not in canonical form")
    return value


def head(line: bytes) -> str:
    """Return the hash of a line, which is the `prev` of the line after it, as hex."""
    return hashlib.sha256(line).hexdigest()


def line(
    stream: str, seq: int, prev: str, at: int, kind: str, data: dict[str, Any], signed: dict[str, Any] | None = None
) -> bytes:
    """Return an event line.

    Args:
        stream: The stream's name.
        seq: How many lines stand before it.
        prev: The head of the line before it; 64 zeros for the first.
        at: The time, in Unix milliseconds.
        kind: The event's type.
        data: The event's members.
        signed: Who signed the command that it came of, and what; None where nobody did.

    Raises:
        NotCanonical: A member lies outside the profile, or the line is too long.

    Source:
        CUP/1 sections 4.4 and 4.14.1.
    """
    members = {"at": at, "data": data, "prev": prev, "seq": seq, "stream": stream, "type": kind, "v": 1}
    return encode(members if signed is None else {**members, "signed": signed})


def _check(items: Collection[Any], depth: int) -> None:
    """Refuse values outside the profile, `depth` arrays and objects deep."""
    if depth > DEPTH_MAX:
        raise NotCanonical("arrays and objects nest too deeply")
    for item in items:
        # Types are compared exactly: True is an int to isinstance, and 1 is not true to any other reader.
        kind = type(item)
        if kind is str or kind is bool or item is None:
            continue
        if kind is int:
            if not -INTEGER_MAX <= item <= INTEGER_MAX:
                raise NotCanonical("an integer lies beyond 2**53 - 1")
        elif isinstance(item, _ARRAYS):
            _check(item, depth + 1)
        elif isinstance(item, dict):
            _check_keys(item)
            _check(item.values(), depth + 1)
        else:
            raise NotCanonical(f"{kind.__name__} is not in the profile")


def _check_keys(members: dict[Any, Any]) -> None:
    for key in members:
        if type(key) is not str or not key.isascii():
            raise NotCanonical("a key is not an ASCII text")


# Within the profile these two write and read what RFC 8785 says: names sorted, no space, no escape that is not needed.
_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_DECODER: Final = msgspec.json.Decoder()
