"""Records told anew: any events, chained, logged and signed as a server would that means to say just this."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from domain.fairness.records import CONSISTENCY, PROOF, split
from domain.log import canonical
from domain.log.proofs import anchor_entry, encode_consistency, encode_inclusion
from tests.fairness.scripted_server import DUE, Log
from tests.fairness.signed_stories import Pens

Event = dict[str, Any]
ANCHORS = {"deal.logged": ("deal.sealed", "sealed"), "deal.fixed": ("seed.opened", "opened")}
ENDS = ("match.ended", "tournament.closed", "season.closed", "board.closed")
GENESIS = "0" * 64


class Told(Struct):
    """A record whose parts may still be changed.

    Attributes:
        lines: Its event lines.
        log: The log with an entry for each of its anchors.
        proof: The text of the final proof.
        grown: The texts of the consistency proofs.
    """

    lines: list[bytes]
    log: Log
    proof: str
    grown: list[str]

    def record(self) -> bytes:
        ends = [PROOF + b64encode(self.proof.encode())] if self.proof else []
        ends += [CONSISTENCY + b64encode(one.encode()) for one in self.grown]
        return b"".join(line + b"\n" for line in (*self.lines, *ends))


def events_of(record: bytes) -> list[Event]:
    """Return the events of a record, to be changed."""
    return [json.loads(line) for line in split(record).lines]


def chained(events: Sequence[Event]) -> list[bytes]:
    """Return the lines of these events, each following the one before it, whatever it says, and signed anew."""
    lines: list[bytes] = []
    pens = Pens()
    for seq, event in enumerate(events):
        lines.append(written(pens.signed({**event, "prev": _head(lines), "seq": seq}, lines)))
    return lines


def retold(events: Sequence[Event], at: int = DUE - 6) -> Told:
    """Return the record of these events, chained and logged anew.

    Args:
        events: Whatever happened; the members that the log fills in are replaced.
        at: When the witness says it saw the checkpoints of beacon deals.
    """
    log, lines, sizes, pens = Log(), list[bytes](), list[int](), Pens()
    latest: dict[str, int] = {}
    for seq, event in enumerate(events):
        data, kind = event["data"], str(event["type"])
        of, anchor = ANCHORS.get(kind, ("", ""))
        if of in latest and isinstance(data, dict):
            data = {**data, **_logged(log, lines, latest[of], event["stream"], anchor, at)}
            sizes.append(len(log.hashes))
        lines.append(written(pens.signed({**event, "data": data, "prev": _head(lines), "seq": seq}, lines)))
        latest[kind] = seq
    kind = "final" if events[-1]["type"] in ENDS else "live"
    index = log.add(_entry(lines, len(lines) - 1, events[-1]["stream"], kind))
    checkpoint = log.checkpoint()
    grown = [encode_consistency(log.consistency(old, checkpoint)) for old in dict.fromkeys(sizes)]
    return Told(lines, log, encode_inclusion(log.inclusion(index, checkpoint)), grown)


def written(event: Any) -> bytes:
    """Return the line of an event, even of one that has none."""
    try:
        return canonical.encode(event)
    except canonical.NotCanonical:
        text = json.dumps(event, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")


def _logged(log: Log, lines: list[bytes], seq: int, stream: Any, kind: str, at: int) -> dict[str, Any]:
    index = log.add(_entry(lines, seq, stream, kind))
    checkpoint = log.checkpoint(at)
    path = [item.hex() for item in log.inclusion(index, checkpoint).path]
    return {"index": index, "path": path, "checkpoint": checkpoint}


def _entry(lines: list[bytes], seq: int, stream: Any, kind: str) -> bytes:
    return anchor_entry(str(stream), seq, canonical.head(lines[seq]), kind)


def _head(lines: list[bytes]) -> str:
    return canonical.head(lines[-1]) if lines else GENESIS
