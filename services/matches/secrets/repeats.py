"""Signed commands that are not taken: those that come again, and those that are refused.

The same bytes under another idempotency key, or none, are one command. Their signature stands in the record, so it is
found there, whoever stored it and however long ago. Source: CUP/1 section 4.14.2.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Final, NamedTuple, Protocol

from domain import commands
from domain.fairness.openings import DealSecrets
from domain.fairness.shapes import Signed
from domain.fairness.signing.keyed_seats import QUIET
from domain.ids import Seat, UnixMs, Version
from domain.log import canonical
from domain.match.record import MatchAtHead, goes_on, signed_of, stream_of, tag_of
from domain.match.signed_commands import SeatSignature, is_repeat, seat_of
from services.matches.secrets.signatures import NotTaken, RefusalNotes, Refuses, StoredLines

PAGE: Final = 64
"""Lines that are read at once."""
LINES_MAX: Final = 1_024
"""Lines that are looked through. A seat changes its key so often without a loud line only to make others look."""


class Stood(NamedTuple):
    """What a command came to that stands in the record: the version it led to, the head there, the seat of a join."""

    version: Version
    head: str
    seat: Seat | None


class MatchNow(Protocol):
    """A match in memory, and the secrets of its deal."""

    @property
    def written(self) -> MatchAtHead:
        """Return it as it is."""

    @property
    def keeper(self) -> DealSecrets | None:
        """Return the secrets of its current deal, where they may be had."""


class SignedCommands:
    """Signed commands of seats that a match has not taken, as it is now."""

    def __init__(self, lines: StoredLines, refuses: Refuses | None) -> None:
        """Look for them in these lines, and sign what is refused with this; without it there are no notes."""
        self._lines = lines
        self._notes = RefusalNotes(lines, refuses)

    async def find_or_note(
        self, no: NotTaken, match: MatchNow, command: commands.MatchCommand, signature: SeatSignature, now: UnixMs
    ) -> Stood | None:
        """Return what a command came to that stands in the record, or put a note beside the no to another."""
        stood = await self.find(match.written, command, signature)
        if stood is None:
            await self._notes.note(no, match.written, match.keeper, command, signature, now)
        return stood

    async def is_good(
        self, written: MatchAtHead, command: commands.MatchCommand, signature: SeatSignature, now: UnixMs
    ) -> bool:
        """Report whether a seat has signed this as its next command, however long ago.

        Cost: as `RefusalNotes.message`.
        """
        return await self._notes.message(written, command, signature, now) is not None

    async def find(
        self, written: MatchAtHead, command: commands.MatchCommand, signature: SeatSignature
    ) -> Stood | None:
        """Return what a signed command came to that stands in the record already; None if it stands nowhere.

        A command stands behind the last line that its player had seen, with none but quiet lines in between.

        Cost: a query for each 64 of those; none for a command whose turn has not come.
        """
        known = written.signing.seats.get(seat_of(command))
        if known is not None and signature.n > known.n:
            return None
        version, last, signed = signature.version, b"", None
        async for line in self._behind(stream_of(written.match.id), version):
            if signed is None:
                signed = _signed_as(line, command, signature)
                if signed is None and not _is_quiet(line):
                    return None
            elif not goes_on(last, line):
                break
            version, last = version + 1, line
        if signed is None:
            return None
        joined = signed.seat if isinstance(command, commands.Join) else None
        return Stood(version, canonical.head(last), joined)

    async def _behind(self, stream: str, version: Version) -> AsyncIterator[bytes]:
        for after in range(version, version + LINES_MAX, PAGE):
            lines = await self._lines.read(stream, after, PAGE)
            for line in lines:
                yield line
            if len(lines) < PAGE:
                return


def _is_quiet(line: bytes) -> bool:
    tag = tag_of(line)
    return tag is not None and tag[0] in QUIET


def _signed_as(line: bytes, command: commands.MatchCommand, signature: SeatSignature) -> Signed | None:
    """Return who signed a line, if that is this very command."""
    if signature.sig.encode() not in line:
        return None
    signed = signed_of(line)
    return signed if signed is not None and is_repeat(signed, command, signature) else None
