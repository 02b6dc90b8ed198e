"""The record of a match: its lines, and the proofs that they are in the transparency log (CUP/1 section 4.10)."""

from __future__ import annotations

from domain import events
from domain.fairness import records
from domain.log import checkpoints, merkle
from domain.log.proofs import Consistency, Inclusion
from domain.record import event_of
from infra.events import EventStore


async def record_of(store: EventStore, stream: str, lines: list[bytes]) -> bytes:
    """Return the record file: the lines as they are, and behind the last one its proofs, once it is logged.

    The proofs lead to the first checkpoint that covers the end, so the bytes are the same for ever.
    """
    final = await included(store, stream, len(lines) - 1, "final")
    return records.assemble(lines, final, () if final is None else await _consistencies(store, lines, final))


async def included(store: EventStore, stream: str, seq: int, kind: str, policy: int = 0) -> Inclusion | None:
    """Return the proof that an anchor is in the log, under the first checkpoint that covers it; None while it waits.

    With `policy`, the first that was published under the policy of this number or a later one.
    """
    index = await store.log_index(stream, seq, kind)
    covering = None if index is None else await store.log_checkpoint(index, policy)
    if index is None or covering is None:
        return None
    size, checkpoint = covering
    spans = merkle.inclusion_spans(size, index)
    return Inclusion(index, await _hashes(store, spans), checkpoint)


async def _consistencies(store: EventStore, lines: list[bytes], final: Inclusion) -> list[Consistency]:
    size = checkpoints.checkpoint_of(final.checkpoint).size
    olds = sorted({checkpoints.checkpoint_of(text).size for text in _earlier(lines)} - {size})
    spans = [(old, merkle.consistency_spans(old, size)) for old in olds]
    return [Consistency(old, await _hashes(store, wanted), final.checkpoint) for old, wanted in spans]


def _earlier(lines: list[bytes]) -> list[str]:
    """Return the checkpoints that stand in the lines."""
    marked = (line for line in lines if b'"type":"deal.logged"' in line or b'"type":"deal.fixed"' in line)
    found = (event for event, _ in map(event_of, marked))
    return [event.checkpoint for event in found if isinstance(event, events.DealLogged | events.DealFixed)]


async def _hashes(store: EventStore, spans: list[merkle.Span]) -> tuple[bytes, ...]:
    known = await store.log_hashes(merkle.nodes_of(spans))
    return tuple(merkle.hash_of(span, known) for span in spans)
