"""The record of a match as a client holds it, line by line: whatever does not follow, or is not signed, is found.

The law of the file: a head is computed from lines that are held, never taken from what the server says it is. A line
that a frame tells whole is made again from it; for all others the record is asked for.

Source: CUP/1 sections 4.14.6 and 4.14.8.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from domain.errors import Refused
from domain.fairness import records, shapes
from domain.fairness.chain import GENESIS, ChainedEvent, follow
from domain.fairness.faults import Fault
from domain.fairness.signing.keyed_seats import KeyedSeats
from domain.log import canonical
from domain.log.receipts import AnotherHistory
from domain.match import record as matches
from domain.match.record import MatchAtHead
from domain.match.signing import NO_SIGNATURES, Signing, after
from infra.files.whole import FOR_ITS_OWNER, write_whole
from infra.keys import ed25519_verify
from services.client.house import CannotDo
from services.client.records import Untrue

Json = dict[str, Any]
RECORD: Final = "the record"
"""What proves something, where no file does."""


class HeldRecord:
    """The lines of one match.

    Attributes:
        signing: What the signatures of its seats hang on after them.
        joined: Of each seat, the members of the line with which somebody last sat down there.
    """

    def __init__(self, match: str, evidence: Path | None = None) -> None:
        """Hold no line yet, and put those that prove the server wrong into a file, if one is named."""
        self.signing: Signing = NO_SIGNATURES
        self.joined: dict[int, Json] = {}
        self._stream = matches.stream_of(UUID(match))
        self._match = UUID(match).bytes
        self._evidence = evidence
        self._lines: list[bytes] = []
        self._last: ChainedEvent | None = None
        self._seats = KeyedSeats(ed25519_verify)
        self._written: MatchAtHead | None = None
        self._folded = 0

    @property
    def version(self) -> int:
        """How many lines are held."""
        return len(self._lines)

    @property
    def record(self) -> bytes:
        """The lines that are held, as a record has them."""
        return b"".join(line + b"\n" for line in self._lines)

    @property
    def before_last(self) -> int:
        """The version behind which to ask on: the last line comes again, another one if any before it was."""
        return max(0, self.version - 1)

    def take(self, told: bytes, after: int = 0) -> None:
        """Take those lines that are new.

        Args:
            told: The record, or what of it the server gives behind a version, as it has it now; nothing, where it does
                not come so far.
            after: That version, at most the one that is held.

        Raises:
            Untrue: A line does not follow, or somebody with a key has not signed what has to be signed.
            AnotherHistory: A line that is held was another one.

        Cost: layers 1 and 2 of the audit but for deals, for the new lines; a verification for each key.
        """
        if after and not told:
            return
        try:
            lines = records.split(told).lines
        except Fault as fault:
            raise Untrue("record", code=fault.code, why=fault.why, line=str(after + 1)) from fault
        known = self.version - after
        if self._last is not None and 0 < known <= len(lines) and canonical.head(lines[known - 1]) != self._last.head:
            file = self._keep([*self._lines[:after], *lines])
            raise AnotherHistory(f"line {self.version} of the match was another one before; {file}")
        if len(lines) > known:
            for line in lines[known:]:
                self._step(line)
            self._check_signatures()

    def hear(self, frame: Json, signed: Iterable[Json | None]) -> bool:
        """Take the line that a frame tells, where the frame tells it whole; report whether it did.

        Args:
            frame: What a viewer sees of a version.
            signed: Who may have signed the command that it came of, each as the line would have it.

        Raises:
            Untrue: Somebody with a key has not signed what has to be signed.
        """
        if frame["version"] != self.version + 1:
            return False
        kind, data = frame["event"]["type"], {name: said for name, said in frame["event"].items() if name != "type"}
        before = GENESIS if self._last is None else self._last.head
        for one in signed:
            try:
                line = canonical.line(self._stream, self.version, before, frame["at"], kind, data, one)
            except canonical.NotCanonical:
                return False
            if canonical.head(line) == frame["head"]:
                self._step(line)
                self._check_signatures()
                return True
        return False

    def match(self) -> MatchAtHead | None:
        """Return the match after all lines that are held; None before the first.

        Raises:
            CannotDo: There is a line that this program does not know.

        Cost: a step for each line since it was asked last.
        """
        try:
            for line in self._lines[self._folded :]:
                self._written, _ = matches.step(self._written, line)
                self._folded += 1
        except (Refused, LookupError, ValueError) as unknown:
            raise CannotDo(f"this program does not know line {self._folded + 1} of the match") from unknown
        return self._written

    def _step(self, line: bytes) -> None:
        try:
            event = follow(line, self._last)
            if event.stream != self._stream:
                raise Fault("E_FORMAT", "the line is of another stream")  # noqa: TRY301 - told as any other
        except Fault as fault:
            raise self._untrue(fault, [*self._lines, line]) from fault
        link = event.link
        assert link is not None, "it was a line"
        try:
            self._seats.step(event)
        except Fault as fault:
            # What no signature bears out stands before it, and is what went wrong first.
            self._check_signatures()
            raise self._untrue(fault, [*self._lines, line], _seat_of(link.data, link.signed)) from fault
        if link.kind == "seat.joined":
            self.joined[link.data["seat"]] = link.data
        self.signing = after(self.signing, self._match, link)
        self._lines.append(line)
        self._last = event

    def _check_signatures(self) -> None:
        place = self._seats.first_not_borne_out()
        if place is None:
            return
        signed = matches.signed_of(self._lines[place])
        assert signed is not None, "nothing else is borne out by a signature"
        fault = Fault("E_SIGNED", "the signature is not that of its seat's key")
        raise self._untrue(fault, self._lines[: place + 1], signed.seat)

    def _untrue(self, fault: Fault, lines: list[bytes], seat: int | None = None) -> Untrue:
        """Return what is said of the last of these lines, which are kept as they came."""
        file, line = self._keep(lines), len(lines)
        if seat is None or fault.code not in {"E_SIGNED", "E_UNSIGNED"}:
            return Untrue("record", code=fault.code, why=fault.why, line=str(line))
        return Untrue("unsigned", code=fault.code, why=fault.why, line=str(line), seat=str(seat), file=file)

    def _keep(self, lines: Iterable[bytes]) -> str:
        """Keep lines as evidence, and return where."""
        if self._evidence is None:
            return RECORD
        try:
            write_whole(self._evidence, b"".join(line + b"\n" for line in lines), FOR_ITS_OWNER)
        except OSError:
            # What is untrue is told, be there room for it here or not.
            return RECORD
        return str(self._evidence)


def _seat_of(data: Json, signed: shapes.Signed | None) -> int | None:
    """Return of whose seat a line says something."""
    if signed is not None:
        return signed.seat
    seat = data.get("seat")
    return seat if type(seat) is int else None
