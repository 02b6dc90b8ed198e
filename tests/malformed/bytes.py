"""Bytes that are changed in a few places, the same ones from the same chance."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

PIECES: Final = (
    *(
        b"\x00",
        b"\r\n",
        b"\n",
        b"\r",
        b"\r\n\r\n",
        b" ",
        b"\t",
        b":",
        b"\xff",
        b"\xc0\x80",
        b"\xed\xa0\x80",
        b"\xef\xbb\xbf",
    ),
    *(
        b"%00",
        b"%",
        b"..",
        b"/",
        b"?",
        b"#",
        b'"',
        b"\\",
        b"{",
        b"[",
        b"}",
        b"]",
        b",",
        b"0",
        b"-",
        b"9" * 40,
        b"1e999",
    ),
    *(b"A" * 300, b"\x80" * 64, b"\x1b[2J", b"HTTP/1.1", b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
)
"""What is put in between."""


def changed(drawn: Random, data: bytes) -> bytes:
    """Return this with one to four changes, or anything at all."""
    if drawn.random() < 0.05:
        return drawn.randbytes(drawn.choice((0, 1, 7, 64, 400, 3_000)))
    for _ in range(drawn.choice((1, 1, 1, 2, 3, 4))):
        data = drawn.choice(WAYS)(drawn, data)
    return data


def _flipped(drawn: Random, data: bytes) -> bytes:
    if not data:
        return b"\x00"
    at = drawn.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << drawn.randrange(8)]) + data[at + 1 :]


def _put_in(drawn: Random, data: bytes) -> bytes:
    at = drawn.randrange(len(data) + 1)
    return data[:at] + drawn.choice(PIECES) + data[at:]


def _taken_out(drawn: Random, data: bytes) -> bytes:
    at = drawn.randrange(len(data) + 1)
    return data[:at] + data[at + drawn.choice((1, 1, 2, 4, 16, 200)) :]


def _replaced(drawn: Random, data: bytes) -> bytes:
    at, piece = drawn.randrange(len(data) + 1), drawn.choice(PIECES)
    return data[:at] + piece + data[at + len(piece) :]


def _doubled(drawn: Random, data: bytes) -> bytes:
    at = drawn.randrange(len(data) + 1)
    end = min(len(data), at + drawn.randrange(1, 80))
    return data[:end] + data[at:end] * drawn.choice((1, 1, 2, 20)) + data[end:]


def _cut(drawn: Random, data: bytes) -> bytes:
    return data[: drawn.randrange(len(data) + 1)]


WAYS: Final[tuple[Callable[[Random, bytes], bytes], ...]] = (
    *(_flipped, _flipped, _put_in, _put_in, _taken_out, _replaced, _doubled, _cut),
)
