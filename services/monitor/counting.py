"""The house's own statistics, held against what its log knows to be over.

The law of the file: a house could leave out the matches whose dice or voids speak against it. The log cannot: whatever
has an end there was played. So of each such match the record is counted anew, and the statistics have to have the same
sheet of it; and all sheets together have to come to what the house says of itself.

A private table is in no statistics, and that is the word of the house: `private` in what its host chose. It is so from
its beginning or never, so a match that was counted once may not become one.
"""

from __future__ import annotations

import hashlib
from math import log10
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct, field

from domain.fairness.audit import audit
from domain.log import canonical
from domain.log.monitoring import Alarm
from domain.statistics.deals import ALARM, USUAL, DealStatistics, deal_statistics
from domain.statistics.tallies import DiceTally, tally_of_match, total_of
from domain.statistics.uniformity import Statistics, statistics
from infra.keys import ed25519_verify
from projections.sheets import Sheet, Sums, sums_of, tally_of
from services.monitor.reading import LogHouse

STATISTICS: Final = "/api/v1/statistics"
SHEETS: Final = "/api/v1/statistics/matches"
SHEETS_BYTES_MAX: Final = 1 << 32
LAYERS: Final = (1, 2)


class _Choices(Struct):
    """What is read of what a host chose."""

    private: bool = False


class SheetDigest(Struct, frozen=True):
    """A sheet, as far as it has to be compared: up to which line, the hash of that, and the hash of its counts."""

    version: int
    head: str
    counts: bytes


class CountedHouse(Struct):
    """What the statistics of a house came to at a look.

    Attributes:
        sheets: Matches that have a sheet.
        held: Matches that are over and whose sheet is what their record comes to.
        private: Matches that are over and private, by the word of the house.
        dealt: What became of all deals of all sheets.
    """

    sheets: int = 0
    held: int = 0
    private: int = 0
    dealt: DealStatistics = field(default_factory=lambda: deal_statistics({}))


class Wrong(Exception):  # noqa: N818 - named for what it is
    """The statistics say something else than the record of a match; the message is a sentence."""


class HouseSheets:
    """The sheets of a house at a look.

    Attributes:
        counted: What they came to.
        moved: Whether the house counted on while they were read, so that its sums were not added up again.
        wrong: What is wrong with its sums; empty if nothing is.
    """

    def __init__(self, house: LogHouse) -> None:
        """Read from this house."""
        self.counted = CountedHouse()
        self.moved = False
        self.wrong = ""
        self._house = house
        self._sheets: dict[str, SheetDigest] = {}
        self._total = DiceTally()

    async def read(self) -> None:
        """Read all sheets, and add them up.

        Raises:
            LogSilent: The house does not answer.
            Alarm: `NONSENSE`: it answers something else.
        """
        before = await self._statistics()
        await self._house.lines(SHEETS, self._take, SHEETS_BYTES_MAX)
        after = await self._statistics()
        self.counted.sheets = len(self._sheets)
        self.counted.dealt = deal_statistics(self._total.dealt)
        self.moved = before != after
        if not self.moved and statistics(self._total) != after:
            self.wrong = "the sheets of all matches do not add up to the statistics of the house"

    async def _statistics(self) -> Statistics:
        try:
            return msgspec.json.decode(await self._house.document(STATISTICS), type=Statistics)
        except msgspec.DecodeError as error:
            raise Alarm("NONSENSE", f"{STATISTICS}: these are no statistics") from error

    def _take(self, line: bytes) -> bool:
        try:
            sheet = msgspec.json.decode(line, type=Sheet)
            self._total = total_of((self._total, tally_of(sheet.sums)))
        except (msgspec.DecodeError, ValueError) as error:
            raise Alarm("NONSENSE", f"{SHEETS}: a line is no sheet") from error
        if sheet.match in self._sheets:
            raise Alarm("STATISTICS", f"match/{sheet.match} is in the statistics twice")
        self._sheets[sheet.match] = SheetDigest(sheet.version, sheet.head, _digest(sheet.sums))
        return True

    def has(self, stream: str) -> bool:
        """Report whether a match has a sheet."""
        return stream.removeprefix("match/") in self._sheets

    async def hold(self, stream: str, lines: list[bytes], *, counted: bool) -> bool:
        """Hold the statistics against the record of a match that is over; report whether they have come so far.

        Args:
            stream: The match.
            lines: All its lines, which follow each other.
            counted: Whether it was in the statistics before.

        Raises:
            Wrong: They leave it out, or say something else.
        """
        fault = audit(b"".join(line + b"\n" for line in lines), None, ed25519_verify, LAYERS)
        if fault.status == "FAULT":
            raise Wrong(f"{stream} is at fault: {fault.code} in line {fault.line}")
        tally, sheet = tally_of_match(lines), self._sheets.get(stream.removeprefix("match/"))
        if sheet is None:
            return await self._excuse(stream, tally, counted=counted)
        if sheet.version < len(lines):
            return False
        expected = SheetDigest(len(lines), canonical.head(lines[-1]), _digest(sums_of(tally)))
        if sheet != expected:
            raise Wrong(f"the statistics count {stream} otherwise than its record")
        self.counted.held += 1
        return True

    async def _excuse(self, stream: str, tally: DiceTally, *, counted: bool) -> bool:
        """Report whether a match that has no sheet may have none."""
        if tally == DiceTally():
            self.counted.held += 1
            return True
        if counted:
            raise Wrong(f"{stream} was in the statistics and is no longer")
        if await self._is_private(stream):
            self.counted.private += 1
            return True
        return False

    async def _is_private(self, stream: str) -> bool:
        match = UUID(stream.removeprefix("match/"))
        try:
            return msgspec.json.decode(
                await self._house.document(f"/api/v1/matches/{match}/choices"), type=_Choices
            ).private
        except msgspec.DecodeError as error:
            raise Alarm("NONSENSE", f"{stream}: what its host chose is not said") from error


def void_alarms(dealt: DealStatistics) -> list[str]:
    """Return in sentences where deals were thrown away more often than chance explains."""
    counts = dealt.counts
    hosts = [
        f"{one.counts.voided} of {one.counts.logged} deals of {one.host} were thrown away, and {counts.voided} of"
        f" {counts.logged} of the whole house; if all came alike, so many would have a chance of {one.chance:g}"
        for one in dealt.hosts
        if one.frequent
    ]
    if dealt.evidence >= log10(ALARM):
        hosts.append(f"{counts.voided} of {counts.logged} deals were thrown away: more than one in {round(1 / USUAL)}")
    return hosts


def _digest(sums: Sums) -> bytes:
    return hashlib.sha256(msgspec.json.encode(sums)).digest()
