"""Coders: gzip, and brotli where its wheel is installed (the extra `brotli`)."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Final, Protocol

GZIP_LEVEL: Final = 8
"""A replay of sixteen rounds with six full cups is 49,044 bytes (6: 52,412), for two fifths more time."""
BROTLI_QUALITY: Final = 5
"""As long as gzip takes, for two thirds of its length; 9 takes five times as long for 3 % less."""
BROTLI_WINDOW: Final = 18
"""256 KiB: some 80 frames of six seats, each much like the one before. A coder holds a megabyte while it works."""
INLINE_MAX: Final = 8 * 1_024
"""A whole body that is compressed at once, in half a millisecond at most; more than that would hold up everybody."""
_GZIP_FRAME: Final = 31
"""How zlib is told to write a frame of gzip, and to take its largest window."""


class Coder(Protocol):
    """One body on its way to be compressed."""

    def compress(self, piece: bytes) -> bytes:
        """Take the next bytes, and return what is ready of the compressed ones."""

    def finish(self) -> bytes:
        """Return the rest."""


class Gzip:
    """RFC 1952."""

    def __init__(self) -> None:
        """Begin a body."""
        self._coding = zlib.compressobj(GZIP_LEVEL, zlib.DEFLATED, _GZIP_FRAME)

    def compress(self, piece: bytes) -> bytes:
        """Take the next bytes, and return what is ready of the compressed ones."""
        return self._coding.compress(piece)

    def finish(self) -> bytes:
        """Return the rest."""
        return self._coding.flush()


class Brotli:
    """RFC 7932."""

    def __init__(self, module: ModuleType) -> None:
        """Begin a body with the coder of this module."""
        self._coding = module.Compressor(quality=BROTLI_QUALITY, lgwin=BROTLI_WINDOW)

    def compress(self, piece: bytes) -> bytes:
        """Take the next bytes, and return what is ready of the compressed ones."""
        ready: bytes = self._coding.process(piece)
        return ready

    def finish(self) -> bytes:
        """Return the rest."""
        rest: bytes = self._coding.finish()
        return rest


def coders() -> Mapping[str, Callable[[], Coder]]:
    """Return how each coding that this installation has is begun, the best first."""
    try:
        import brotli  # noqa: PLC0415 - an extra
    except ImportError:
        return {"gzip": Gzip}
    return {"br": lambda: Brotli(brotli), "gzip": Gzip}


CODERS: Final = coders()


def whole(coding: str, body: bytes) -> bytes:
    """Return a body in a coding. Cost: some 4 ms for 100 kB, on the thread it is asked for in."""
    coder = CODERS[coding]()
    return coder.compress(body) + coder.finish()


class CoderPool:
    """Where bodies are compressed without holding up others: what is long in threads, few at a time."""

    def __init__(self, at_once: int) -> None:
        """Let so many threads work at once."""
        self._room = asyncio.Semaphore(at_once)

    async def compress(self, coder: Coder, piece: bytes, *, first: bool, last: bool) -> bytes:
        """Take the next bytes of a body, and return what is ready of the compressed ones: all, if these are the last.

        Cancelled, it leaves a thread at work for as long as one piece takes; nobody uses the coder then.
        """
        # Of a longer body a coder may hold back much for its end, so no piece of one is a small matter.
        if first and last and len(piece) <= INLINE_MAX:
            return _step(coder, piece, last=last)
        async with self._room:
            return await asyncio.to_thread(_step, coder, piece, last=last)


def _step(coder: Coder, piece: bytes, *, last: bool) -> bytes:
    ready = coder.compress(piece)
    return ready + coder.finish() if last else ready
