"""The record of a match: its lines, and the proofs that they are in the transparency log (CUP/1 section 4.10)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from domain import events
from domain.fairness import records
from domain.log import checkpoints, merkle
from domain.log.proofs import Consistency, Inclusion
from domain.match.record import event_of
from infra.store import EventStore
from services.work.single_flight import Once

PAGE: Final = 1_024
"""Lines read from the store at once."""
BEGINNING: Final = 64
"""Lines read at once where only the first checkpoint is looked for; a deal is logged soon after everybody sits."""
BYTES_MAX: Final = 8 * 1_024 * 1_024
"""What all records kept come to at most; those of usual matches have 100 kB, of a long session 2 MB."""
_CHECKPOINTS: Final = (b'"type":"deal.logged","v":1}', b'"type":"deal.fixed","v":1}')
"""How the lines end that hold a checkpoint; a canonical line ends in its type, so no text in it can look like it."""

Lines = Callable[[str], Awaitable[list[bytes]]]


class Records:
    """The record files of all matches, and their access records. Those that nothing can be added to are kept."""

    def __init__(self, store: EventStore) -> None:
        """Read from this store."""
        self._store = store
        self._once = Once()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    async def record(self, stream: str) -> bytes | None:
        """Return the record of a match; None where there is none. Cost: what it returns, or nothing once it is kept."""
        return await self._file(stream, self._lines)

    async def access(self, stream: str) -> bytes | None:
        """Return the access record of this stream; None where there is none."""
        return await self._file(stream, self._store.read_access)

    async def beginning(self, stream: str) -> bytes | None:
        """Return the record up to the line with its first checkpoint; all of it where no line has one."""
        lines: list[bytes] = []
        while True:
            page = await self._store.read(stream, len(lines), BEGINNING)
            for line in page:
                lines.append(line)
                if line.endswith(_CHECKPOINTS):
                    return records.assemble(lines, None)
            if len(page) < BEGINNING:
                return await self.record(stream)

    async def _file(self, stream: str, read: Lines) -> bytes | None:
        if stream in self._kept:
            self._kept.move_to_end(stream)
            return self._kept[stream]
        # Whoever has just played finds the line in the record, so what others began to read before will not do.
        return await self._once.after(stream, partial(self._made, stream, read))

    async def _made(self, stream: str, read: Lines) -> bytes | None:
        lines = await read(stream)
        if not lines:
            return None
        final = await included(self._store, stream, len(lines) - 1, "final")
        record = await _assembled(self._store, lines, final)
        if final is not None:
            self._keep(stream, record)
        return record

    async def _lines(self, stream: str) -> list[bytes]:
        found: list[bytes] = []
        while True:
            page = await self._store.read(stream, len(found), PAGE)
            found += page
            if len(page) < PAGE:
                return found

    def _keep(self, stream: str, record: bytes) -> None:
        self._bytes += len(record) - len(self._kept.pop(stream, b""))
        self._kept[stream] = record
        while self._bytes > BYTES_MAX:
            _, dropped = self._kept.popitem(last=False)
            self._bytes -= len(dropped)


async def _assembled(store: EventStore, lines: list[bytes], final: Inclusion | None) -> bytes:
    """Return the record file: the lines as they are, and behind the last one its proofs, once it is logged.

    The proofs lead to the first checkpoint that covers the end, so the bytes are the same for ever.
    """
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
    found = (event_of(line)[0] for line in lines if line.endswith(_CHECKPOINTS))
    return [event.checkpoint for event in found if isinstance(event, events.DealLogged | events.DealFixed)]


async def _hashes(store: EventStore, spans: list[merkle.Span]) -> tuple[bytes, ...]:
    known = await store.log_hashes(merkle.nodes_of(spans))
    return tuple(merkle.hash_of(span, known) for span in spans)
