"""Bounded reads of a log and its house: their bytes, and the time they take.

Whoever answers may be hostile: too much, too slow, too short, or something else than was asked for is said so, and
nothing of it is kept.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable
from functools import partial
from types import TracebackType
from typing import Final, Self, TypeVar

import httpx

from domain.log import tiles
from domain.log.merkle import HASH_BYTES, Place
from domain.log.monitoring import ANCHOR_BYTES_MAX, Alarm
from domain.log.notes import Malformed
from domain.log.tiles import Tile
from infra.abroad.outgoing import OutgoingClient

ANSWER_S: Final = 20.0
"""How long one answer may take, from the question to its last byte."""
NOTE_BYTES_MAX: Final = 64 * 1024
BUNDLE_BYTES_MAX: Final = tiles.WIDTH * (2 + ANCHOR_BYTES_MAX)
RECORD_BYTES_MAX: Final = 64 * 1024 * 1024
DOCUMENT_BYTES_MAX: Final = 4 * 1024 * 1024
ASKS_MAX: Final = 6
"""How often a house is asked that says each time that it is asked too often."""
LATER_MAX_S: Final = 10.0
"""How long such a house is waited for each time at most, whatever it says."""
PENDING_BYTES_MAX: Final = 2 * 65_535
"""How much is held of a line that does not end: more than any line has, however the answer is cut into pieces."""
_GZIP: Final = 31
"""How zlib is told that what it is given has the frame of gzip."""


T = TypeVar("T")


class LogSilent(Exception):  # noqa: N818 - named for what happened
    """A question got no answer that could be used; whether anything is wrong with the log is not known."""


class NotServed(LogSilent):
    """The house says that what was asked for is not there."""


class _Later(Exception):  # noqa: N818 - named for what was asked for
    """The house asks to be asked later."""

    def __init__(self, answer: httpx.Response) -> None:
        said = answer.headers.get("Retry-After", "")
        super().__init__("it says that it is asked too often")
        self.wait_s = min(LATER_MAX_S, float(said) if said.isascii() and said.isdecimal() else 1.0)


class LogHouse:
    """The log of a house, and its records; use it with `async with`."""

    def __init__(self, url: str, answer_s: float = ANSWER_S) -> None:
        """Read from the house at this address."""
        self._answer_s = answer_s
        # Nothing but what is asked for is decoded: a small answer must not become a large one.
        self._client = OutgoingClient(base_url=url, timeout=answer_s, headers={"Accept-Encoding": "identity"})

    async def __aenter__(self) -> Self:
        """Begin."""
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def checkpoint(self) -> str:
        """Return the newest checkpoint of the log, not yet believed."""
        try:
            return (await self._read("/log/checkpoint", NOTE_BYTES_MAX)).decode()
        except UnicodeDecodeError as error:
            raise Alarm("NONSENSE", "the checkpoint is not UTF-8") from error

    async def hashes(self, tile: Tile) -> dict[Place, bytes]:
        """Return what a tile of hashes holds, not yet believed."""
        path = f"/log/tile/{tile}"
        try:
            return tiles.hashes_of(await self._read(path, tile.width * HASH_BYTES), tile)
        except Malformed as error:
            raise Alarm("NONSENSE", f"{path}: {error}") from error

    async def entries(self, tile: Tile) -> list[bytes]:
        """Return the entries of a bundle, not yet believed."""
        path = f"/log/tile/{tile}"
        try:
            return tiles.entries_of(await self._read(path, BUNDLE_BYTES_MAX), tile.width)
        except Malformed as error:
            raise Alarm("NONSENSE", f"{path}: {error}") from error

    async def document(self, path: str) -> bytes:
        """Return what stands at this path, not yet believed."""
        return await self._read(path, DOCUMENT_BYTES_MAX)

    async def lines(self, path: str, take: Callable[[bytes], bool], most: int = RECORD_BYTES_MAX) -> None:
        """Give the event lines of the record at this path to `take`, one after the other, until it wants no more.

        Cost: the record is read as far as it is wanted, and only a line of it is held.
        """
        await _ask_patiently(path, partial(self._lines, path, take, most))

    async def _lines(self, path: str, take: Callable[[bytes], bool], most: int) -> None:
        try:
            async with asyncio.timeout(3 * self._answer_s), self._client.stream("GET", path) as answer:
                _check_status(path, answer)
                if answer.headers.get("Content-Encoding", "identity") != "identity":
                    raise Alarm("NONSENSE", f"{path}: the answer is encoded as nobody asked")
                await _give(path, answer, take, most)
        except (httpx.HTTPError, TimeoutError, OSError) as error:
            raise LogSilent(f"{path}: {_why(error)}") from error

    async def _read(self, path: str, most: int) -> bytes:
        return await _ask_patiently(path, partial(self._read_once, path, most))

    async def _read_once(self, path: str, most: int) -> bytes:
        try:
            async with asyncio.timeout(self._answer_s), self._client.stream("GET", path) as answer:
                _check_status(path, answer)
                found = b""
                async for piece in answer.aiter_raw():
                    found += piece
                    if len(found) > most:
                        raise Alarm("NONSENSE", f"{path}: the answer has more than {most} bytes")
                return _plain(path, answer, found, most)
        except (httpx.HTTPError, TimeoutError, OSError) as error:
            raise LogSilent(f"{path}: {_why(error)}") from error


async def _ask_patiently(path: str, ask: Callable[[], Awaitable[T]]) -> T:
    """Ask, and again as often as the house says that it is too early."""
    for _ in range(ASKS_MAX):
        try:
            return await ask()
        except _Later as later:
            await asyncio.sleep(later.wait_s)
    raise LogSilent(f"{path}: whenever it is asked, the house says that it is asked too often")


async def _give(path: str, answer: httpx.Response, take: Callable[[bytes], bool], most: int) -> None:
    rest, total = b"", 0
    async for piece in answer.aiter_raw():
        total += len(piece)
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(b"#") or not take(line):
                return
        if len(rest) > PENDING_BYTES_MAX or total > most:
            raise Alarm("NONSENSE", f"{path}: the record is longer than a record can be")
    if rest:
        raise Alarm("NONSENSE", f"{path}: the last line does not end")


def _check_status(path: str, answer: httpx.Response) -> None:
    if answer.status_code == httpx.codes.TOO_MANY_REQUESTS:
        raise _Later(answer)
    if answer.status_code in {httpx.codes.NOT_FOUND, httpx.codes.GONE}:
        raise NotServed(f"{path}: answered {answer.status_code}")
    if answer.status_code != httpx.codes.OK:
        raise LogSilent(f"{path}: answered {answer.status_code}")


def _plain(path: str, answer: httpx.Response, found: bytes, most: int) -> bytes:
    """Return the answer as it was before it was compressed, if it was."""
    encoding = answer.headers.get("Content-Encoding", "identity")
    if encoding == "identity":
        return found
    if encoding != "gzip":
        raise Alarm("NONSENSE", f"{path}: the answer is encoded as nobody asked")
    unpacking = zlib.decompressobj(_GZIP)
    try:
        plain = unpacking.decompress(found, most + 1)
    except zlib.error as error:
        raise Alarm("NONSENSE", f"{path}: the answer is no gzip") from error
    if len(plain) > most or not unpacking.eof:
        raise Alarm("NONSENSE", f"{path}: the answer has more than {most} bytes, or is cut off")
    return plain


def _why(error: Exception) -> str:
    return "no answer in time" if isinstance(error, TimeoutError) else type(error).__name__
