"""Canonical JSON lines and their hashes (CUP/1 sections 4.3 and 4.4).

RFC 8785 on a narrow profile: object keys are ASCII, integers at most 2**53 - 1 either way, no floats, no lone
surrogates, at most 65,535 bytes. In it sorted keys and the tightest separators give the same bytes in every language.
A line that was read is hashed as it came; that rebuilding it gives the same bytes is then required, which refuses
duplicate keys, spaces, other escapes and other spellings of a number.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, Never

LINE_MAX: Final = 65_535
INTEGER_MAX: Final = 2**53 - 1


class NotCanonical(ValueError):  # noqa: N818 - says what the bytes are not
    """These bytes are not a canonical line."""


def encode(value: Any) -> bytes:  # noqa: ANN401 - any JSON value
    """Return the one line for this JSON value, which must be in the profile."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def decode(line: bytes) -> dict[str, Any]:
    """Return the object a canonical line holds.

    Raises:
        NotCanonical: It is too long, no JSON object, outside the profile, or spelled in another way.
    """
    if len(line) > LINE_MAX:
        raise NotCanonical("the line is too long")
    try:
        value = json.loads(line.decode(), parse_float=_no_number, parse_constant=_no_number)
        if not isinstance(value, dict):
            raise NotCanonical("the line is no object")
        _check(value)
        rebuilt = encode(value)
    except (ValueError, RecursionError) as error:
        raise NotCanonical(str(error)) from error
    if rebuilt != line:
        raise NotCanonical("the line is not in its canonical spelling")
    return value


def line(stream: str, seq: int, prev: str, at: int, kind: str, data: dict[str, Any]) -> bytes:  # noqa: PLR0913 - its members
    """Return an event line.

    Args:
        stream: Whose line it is, such as `match/<uuid>`.
        seq: Its place in the stream, from 0.
        prev: The hash of the line before, in hex; 64 zeros for the first.
        at: Unix milliseconds, for show.
        kind: The event's type.
        data: Its members.
    """
    members = {"at": at, "data": data, "prev": prev, "seq": seq, "stream": stream, "type": kind, "v": 1}
    made = encode(members)
    assert len(made) <= LINE_MAX
    return made


def head(line: bytes) -> str:
    """Return the SHA-256 of a line, in hex: after the last line, the head of the stream."""
    return hashlib.sha256(line).hexdigest()


def _no_number(text: str) -> Never:
    raise NotCanonical(f"{text[:20]} is no integer")


def _check(value: object) -> None:
    """Check that a decoded value is in the profile: integers in range, keys in ASCII."""
    if isinstance(value, dict):
        for key, member in value.items():
            if not key.isascii():
                raise NotCanonical("a member's name is not ASCII")
            _check(member)
    elif isinstance(value, list):
        for member in value:
            _check(member)
    elif isinstance(value, int) and abs(value) > INTEGER_MAX:
        raise NotCanonical("an integer is out of range")
