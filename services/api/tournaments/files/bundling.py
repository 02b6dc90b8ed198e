"""All records of a tournament in one file, `/tournaments/{id}/bundle`, as `truecup audit` reads them once unpacked.

It is written while it is sent, a record at a time, so that no more than one lies in memory; the same records make the
same bytes, for nothing in the file says when it was made.
"""

from __future__ import annotations

import asyncio
import io
import zipfile
from collections.abc import AsyncGenerator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any, Final
from uuid import UUID

from litestar import Request, Response, get
from litestar.params import FromPath

from services.api.dependencies import Dependencies
from services.api.looking_on import look
from services.http.front.addresses import network_of
from services.http.front.bounded_streams import BoundedStream, Heading
from services.http.heads import wants_head
from services.http.injected import Injected
from services.matches.reads.queries import UnknownMatch
from services.tournaments.requests import UnknownBoard
from services.tournaments.tables import boards_ever, matches_ever

ZIP: Final = "application/zip"
NO_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""The first moment a zip file can write: that of every file in it."""
LEVEL: Final = 6
PAGE: Final = 1_024
READ_BY_ALL: Final = 0o644 << 16
UNIX: Final = 3


@get(
    "/tournaments/{tournament_id:uuid}/bundle",
    operation_id="bundle_tournament",
    summary="All records of a tournament, with the policy to audit them by",
    opt={
        "dear": True,
        "media_types": (ZIP,),
        "problems": ("unknown_tournament", "too_many_streams", "closing"),
    },
)
async def bundle_tournament(
    request: Request[Any, Any, Any], tournament_id: FromPath[UUID], parts: Injected[Dependencies]
) -> Response[Any]:
    """Return a zip file: `tournament.cup`, `matches/ID.cup` and `matches/ID.access` for each match, and `policy.txt`.

    Boards are in it as `matches/ID.cup`, beside the matches that share their dice. Unpacked into a folder it is what
    `truecup audit FOLDER --policy FOLDER/policy.txt` reads. Matches are in it as far as they have come, those of tables
    that were taken back as well.
    """
    cached = await parts.tournaments.load(tournament_id)
    file = f"{tournament_id}.zip"
    if wants_head(request.scope):
        return Heading(ZIP, file)
    network, bounds = network_of(request.scope), parts.bounds
    place = parts.doors.enter(network, None, bounds.streams_max, bounds.streams_of_network_max)
    with ExitStack() as undo:
        undo.callback(place.leave)
        matches = matches_ever(cached.tournament, await _lines_of(parts, tournament_id))
        boards = [*boards_ever(cached.tournament)]
        undo.pop_all()
    looked = look(parts, str(tournament_id), network, None)
    return BoundedStream(_chunks(parts, tournament_id, matches, boards), place, looked, bounds.write_s, ZIP, file)


async def _lines_of(parts: Dependencies, tournament_id: UUID) -> list[bytes]:
    found: list[bytes] = []
    while page := await parts.tournaments.lines(tournament_id, len(found), PAGE):
        found += page
    return found


async def _chunks(
    parts: Dependencies, tournament_id: UUID, matches: list[UUID], boards: list[UUID]
) -> AsyncGenerator[bytes, None]:
    """Yield the bytes of the file, as they are written."""
    sink = _Sink()
    written = zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED, compresslevel=LEVEL)
    record = await parts.tournaments.record(tournament_id)
    policy = await parts.log.policy_for(record)
    yield await _add(written, sink, "tournament.cup", record)
    for match in matches:
        try:
            record, access = await parts.matches.record(match), await parts.matches.access(match)
        except UnknownMatch:
            continue  # it was paired, and taken back before anybody opened it
        yield await _add(written, sink, f"matches/{match}.cup", record)
        yield await _add(written, sink, f"matches/{match}.access", access)
    for board in boards:
        with suppress(UnknownBoard):  # its round may have been taken back before it was opened
            yield await _add(written, sink, f"matches/{board}.cup", await parts.tournaments.board_record(board))
    yield await _add(written, sink, "policy.txt", policy.encode())
    written.close()
    yield sink.take()


async def _add(written: zipfile.ZipFile, sink: _Sink, name: str, content: bytes) -> bytes:
    """Pack a file, in a thread, and return what is to be sent of it."""
    await asyncio.to_thread(partial(written.writestr, _named(name), content))
    return sink.take()


def _named(name: str) -> zipfile.ZipInfo:
    """Return what is said of a file: the same whenever, and on whatever machine, it is packed."""
    found = zipfile.ZipInfo(name, NO_TIME)
    found.compress_type, found.create_system, found.external_attr = zipfile.ZIP_DEFLATED, UNIX, READ_BY_ALL
    return found


class _Sink(io.RawIOBase):
    """Takes what is written until it is sent; nobody can go back in it."""

    def __init__(self) -> None:
        self._came = bytearray()

    def writable(self) -> bool:
        """Be written to."""
        return True

    def write(self, data: Any) -> int:  # noqa: ANN401 - whatever has bytes
        """Take some more."""
        self._came += data
        return len(data)

    def take(self) -> bytes:
        """Return what came since the last time."""
        came = bytes(self._came)
        self._came.clear()
        return came
