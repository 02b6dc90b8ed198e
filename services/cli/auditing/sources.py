"""Sources of records: files, folders of them, addresses, stdin."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final
from uuid import UUID

import httpx

from services.audit.tables import board_named_in
from services.client.house import CannotDo

STDIN: Final = "-"
RECORD: Final = ".cup"
ACCESS: Final = ".access"
NAMES: Final = ".names.ndjson"
BYTES_MAX: Final = 1 << 26
"""A record is refused, unread, beyond 64 MiB: a match of ten seats that goes on for a day is smaller."""
SMALL_MAX: Final = 1 << 25
"""65,536 receipts with two signatures each have room in 32 MiB."""
CHUNK: Final = 1 << 16
ANSWER_S: Final = 30.0


class Unread(Exception):  # noqa: N818 - named for what happened
    """A record could not be read; the message is the reason."""


def names_of(asked: Iterable[str]) -> list[str]:
    """Return the records meant, by name: a folder stands for all the record files below it, in their order.

    Raises:
        CannotDo: A folder has none.
    """
    return [name for each in asked for name in _file_of(each)]


def read(name: str) -> bytes:
    """Return the record of this name.

    Raises:
        Unread: It is not there, too large, or nobody answers.
    """
    if name == STDIN:
        return _read_bounded(iter(lambda: sys.stdin.buffer.read(CHUNK), b""))
    if _is_address(name):
        return _fetch(record_address(name))
    try:
        with Path(name).open("rb") as file:
            return _read_bounded(iter(lambda: file.read(CHUNK), b""))
    except OSError as trouble:
        raise Unread(str(trouble.strerror)) from trouble


def small(path: Path) -> bytes:
    """Return a file that is meant to be small: a policy, receipts, a beacon's description.

    Raises:
        Unread: It is not there, or is no such file by its size.
    """
    try:
        with path.open("rb") as file:
            return _read_bounded(iter(lambda: file.read(CHUNK), b""), SMALL_MAX)
    except OSError as trouble:
        raise Unread(str(trouble.strerror)) from trouble


def record_address(address: str) -> str:
    """Return where the record is of a match whose page, or anything else of it, has this address.

    An address in which no match is named, or which ends as a record does, is taken as it is.
    """
    url = httpx.URL(address)
    parts = url.path.rstrip("/").split("/")
    match = next((part for part in parts if _is_id(part)), None)
    if match is None or parts[-1] in {"record", "access"} or parts[-1].endswith(RECORD):
        return address
    return str(url.copy_with(path=f"/api/v1/matches/{match}/record", query=None, fragment=None))


def access_of(name: str, given: str | None) -> bytes | None:
    """Return the access record that belongs to a record; None if there is none.

    Args:
        name: The record.
        given: The access record somebody named; for None it is looked for beside the record, as `truecup export` puts
            it there, or at the house the record comes from.

    Raises:
        Unread: The one that was named cannot be read.
    """
    if given is not None:
        return read(given)
    beside = _beside(name)
    try:
        return None if beside is None else read(beside)
    except Unread:
        return None


def people_of(name: str, given: str | None) -> bytes | None:
    """Return the file of names that belongs to a record; None if there is none.

    Args:
        name: The record.
        given: The file that somebody named; for None it is looked for beside the record, as `truecup export` puts it.

    Raises:
        Unread: The one that was named cannot be read.
    """
    if given is not None:
        return read(given)
    beside = None if name == STDIN or _is_address(name) else Path(name).with_suffix(NAMES)
    return None if beside is None or not beside.is_file() else read(str(beside))


def board_of(name: str, record: bytes) -> bytes | None:
    """Return the record of the board whose dice a match shares; None without one.

    It is looked for beside the record, under the id of the board, or at the house the record comes from.
    """
    board = board_named_in(record)
    if board is None or name == STDIN:
        return None
    try:
        return read(_board_address(name, board) if _is_address(name) else str(Path(name).with_name(board + RECORD)))
    except Unread:
        return None


def _board_address(name: str, board: str) -> str:
    return str(httpx.URL(name).copy_with(path=f"/api/v1/boards/{board}/record", query=None, fragment=None))


def _beside(name: str) -> str | None:
    """Return where the access record of a record would be, if anywhere."""
    if _is_address(name):
        record = record_address(name)
        return record.removesuffix("record") + "access" if record.endswith("/record") else None
    return None if name == STDIN else str(Path(name).with_suffix(ACCESS))


def _file_of(name: str) -> Iterator[str]:
    folder = Path(name)
    if name == STDIN or _is_address(name) or not folder.is_dir():
        yield name
        return
    found = sorted(path for path in folder.rglob(f"*{RECORD}") if path.is_file())
    if not found:
        raise CannotDo(f"{name} has no record in it: their names end in {RECORD}")
    yield from map(str, found)


def _is_address(name: str) -> bool:
    return name.startswith(("http://", "https://"))


def _is_id(part: str) -> bool:
    try:
        return str(UUID(part)) == part.lower()
    except ValueError:
        return False


def _fetch(address: str) -> bytes:
    try:
        with httpx.stream("GET", address, timeout=ANSWER_S, follow_redirects=True) as answer:
            if not answer.is_success:
                raise Unread(f"the server says {answer.status_code} {answer.reason_phrase}")
            return _read_bounded(answer.iter_bytes(CHUNK))
    except (httpx.HTTPError, httpx.InvalidURL) as trouble:
        raise Unread(f"nobody answers there ({type(trouble).__name__})") from trouble


def _read_bounded(pieces: Iterable[bytes], most: int = BYTES_MAX) -> bytes:
    taken = bytearray()
    for piece in pieces:
        taken += piece
        if len(taken) > most:
            raise Unread(f"it is larger than {most >> 20} MiB, which no such file is")
    return bytes(taken)
