"""The record file: every line of a match's stream, and the proofs that the log vouches for them.

    {"at":...,"type":"match.created","v":1}     all event lines, verbatim
    #tlog-proof <base64>                        that the last line is in the log
    #tlog-consistency <base64>                  for each earlier checkpoint: the log only grew since

Source: CUP/1 section 4.10.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.fairness import shapes
from domain.fairness.faults import Fault
from domain.ids import UnixMs
from domain.log import proofs

PROOF: Final = b"#tlog-proof "
CONSISTENCY: Final = b"#tlog-consistency "


class RecordParts(Struct, frozen=True):
    """A record taken apart.

    Attributes:
        lines: The event lines, without newlines; at least one.
        proof: The final proof in base64, if there is one.
        consistencies: The consistency proofs in base64.
    """

    lines: tuple[bytes, ...]
    proof: bytes | None
    consistencies: tuple[bytes, ...]


class RecordLine(Struct, frozen=True):
    """An event line: its number in the record from 1, its type and members, its time, who signed it.

    The time is in Unix milliseconds.
    """

    number: int
    kind: str
    data: dict[str, Any]
    at: UnixMs
    signed: shapes.Signed | None = None


def split(record: bytes) -> RecordParts:
    """Return the parts of a record file.

    Raises:
        Fault: `E_FORMAT`: it is not UTF-8, a line is not ended, or something other than proofs follows the event lines.
    """
    try:
        record.decode()
    except UnicodeDecodeError as error:
        raise Fault("E_FORMAT", "the file is not UTF-8") from error
    lines = record.split(b"\n")
    if lines.pop() != b"":
        raise Fault("E_FORMAT", "the last line does not end")
    first = next((number for number, line in enumerate(lines) if line.startswith(b"#")), len(lines))
    if first == 0:
        raise Fault("E_FORMAT", "the file has no event line")
    return _parts(tuple(lines[:first]), lines[first:])


def assemble(
    lines: Iterable[bytes], proof: proofs.Inclusion | None, consistencies: Iterable[proofs.Consistency] = ()
) -> bytes:
    """Return the record file of a stream.

    Args:
        lines: Its event lines, without newlines.
        proof: That the last of them is in the log, as `final`; None while the match goes on.
        consistencies: For each checkpoint that stands in an event line, that the log of the proof continues it.
    """
    ends = [] if proof is None else [PROOF + b64encode(proofs.encode_inclusion(proof).encode())]
    ends += [CONSISTENCY + b64encode(proofs.encode_consistency(each).encode()) for each in consistencies]
    return b"".join(line + b"\n" for line in (*lines, *ends))


def events_of(record: bytes) -> list[RecordLine]:
    """Return the event lines of a record that has passed layer 1."""
    return [_line(number, line) for number, line in enumerate(split(record).lines, start=1)]


def _parts(lines: tuple[bytes, ...], attachments: Sequence[bytes]) -> RecordParts:
    found = [line.removeprefix(PROOF) for line in attachments if line.startswith(PROOF)]
    more = [line.removeprefix(CONSISTENCY) for line in attachments if line.startswith(CONSISTENCY)]
    if len(found) > 1 or len(found) + len(more) < len(attachments):
        raise Fault("E_FORMAT", "only one final proof and consistency proofs may follow the event lines")
    return RecordParts(lines, found[0] if found else None, tuple(more))


def _line(number: int, line: bytes) -> RecordLine:
    # Layer 1 has seen to it that every reader of JSON reads the same in it.
    document = msgspec.json.decode(line)
    signed = msgspec.convert(document["signed"], shapes.Signed) if "signed" in document else None
    return RecordLine(number, document["type"], document["data"], document["at"], signed)
