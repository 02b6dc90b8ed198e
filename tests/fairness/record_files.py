"""The record file of a match played by our own rules: every line chained, logged and signed, whatever it says."""

from __future__ import annotations

from itertools import pairwise
from typing import Any
from uuid import UUID

from domain.audit import access
from domain.fairness.beacons import Beacons
from domain.fairness.records import assemble, split
from domain.log import canonical
from domain.log.proofs import anchor_entry
from domain.match.record import fold
from services.audit.verdict import Evidence, Verdict, verdict_of
from tests.domain.truth_oracle import Record
from tests.fairness.scripted_server import POLICY, Log


def bundled(record: Record) -> bytes:
    """Return the record file of these events, as a server would hand it out that means to say just this."""
    stream, log = f"match/{record[0]['data']['match']}", Log()
    lines: list[bytes] = []
    sizes: list[int] = []
    sealed = opened = 0
    for seq, one in enumerate(record):
        data = one["data"]
        if one["type"] == "deal.logged":
            data = {**data, **_logged(log, anchor_entry(stream, sealed, canonical.head(lines[sealed]), "sealed"))}
            sizes.append(len(log.hashes))
        if one["type"] == "deal.fixed":
            entry = anchor_entry(stream, opened, canonical.head(lines[opened]), "opened")
            data = {**data, **_logged(log, entry, one["at"] // 1000)}
            sizes.append(len(log.hashes))
        head = canonical.head(lines[-1]) if lines else "0" * 64
        lines.append(canonical.line(stream, seq, head, one["at"], one["type"], data))
        sealed = seq if one["type"] == "deal.sealed" else sealed
        opened = seq if one["type"] == "seed.opened" else opened
    kind = "final" if record[-1]["type"] == "match.ended" else "live"
    index = log.add(anchor_entry(stream, len(lines) - 1, canonical.head(lines[-1]), kind))
    checkpoint = log.checkpoint()
    return assemble(lines, log.inclusion(index, checkpoint), [log.consistency(old, checkpoint) for old in sizes])


def _logged(log: Log, entry: bytes, at: int = 0) -> dict[str, Any]:
    index = log.add(entry)
    checkpoint = log.checkpoint(at)
    path = [item.hex() for item in log.inclusion(index, checkpoint).path]
    return {"index": index, "path": path, "checkpoint": checkpoint}


def access_beside(record: bytes) -> bytes:
    """Return the access record that an honest server hands out with the record file of a fair match."""
    course = list(fold(split(record).lines))
    first = course[0][0].match
    lines, book = access.new_access_stream(UUID(str(first.id)), first.at)
    for (before, _), (after, event) in pairwise(course):
        more, book = access.lines_of_events(book, before.match, [event], after.match.at)
        lines += more
    if not book.closed:
        return assemble(lines, None)
    log = Log()
    index = log.add(anchor_entry(access.stream_of(first.id), len(lines) - 1, book.head, "final"))
    return assemble(lines, log.inclusion(index, log.checkpoint()))


def audited(record: Record, known: Beacons | None = None) -> Verdict:
    """Return what an audit with all three layers finds in the record file of these events, knowing these beacons.

    Beside a record without fault lies the access record of an honest server.
    """
    file = bundled(record)
    found = verdict_of(file, POLICY, known=known)
    return (
        found
        if found.status == "FAULT"
        else verdict_of(file, POLICY, known=known, beside=Evidence(access_beside(file)))
    )


def fault(record: Record) -> tuple[object, object]:
    """Return the code and the line of what is wrong with a record."""
    found = audited(record)
    assert found.status == "FAULT", found
    return found.code, found.line
