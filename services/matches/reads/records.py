"""The record of a match: its lines, and the proofs that they are in the transparency log (CUP/1 section 4.10)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from itertools import chain, takewhile
from typing import Final

from domain import events
from domain.fairness import records
from domain.ids import Version
from domain.log import canonical, checkpoints, merkle
from domain.log.proofs import Consistency, Inclusion
from domain.match.record import PREFIX as MATCH
from domain.match.record import event_of
from domain.tournaments.boards.record import PREFIX as BOARD
from infra.store import CoveredAnchor, EventStore
from services.audit.tables import board_named_in
from services.matches.watching.embargo import Embargo
from services.work.single_flight import Once

PAGE: Final = 1_024
"""Lines read from the store at once."""
BEGINNING: Final = 64
"""Lines read at once where only the first checkpoint is looked for; a deal is logged soon after everybody sits."""
LINES_MAX: Final = 512
"""Lines told at once to whoever holds those before, a hundred kilobytes or two; a round of a table has some twenty."""
BYTES_MAX: Final = 8 * 1_024 * 1_024
"""What all records kept come to at most; those of usual matches have 100 kB, of a long session 2 MB."""
_CHECKPOINTS: Final = (b'"type":"deal.logged","v":1}', b'"type":"deal.fixed","v":1}')
"""How the lines end that hold a checkpoint; a canonical line ends in its type, so no text in it can look like it."""

RecordLines = Callable[[str], Awaitable[list[bytes]]]


class Records:
    """The record files of all matches, and their access records. Those that nothing can be added to are kept."""

    def __init__(self, store: EventStore, embargo: Embargo | None = None) -> None:
        """Read from this store, but for what an embargo keeps back."""
        self._store = store
        self._embargo = embargo
        self._once = Once()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._bytes = 0

    async def record(self, stream: str) -> bytes | None:
        """Return the record of a match; None where there is none. Cost: what it returns, or nothing once it is kept."""
        found = await self._file(stream, self._lines)
        upto = None if found is None else await self._shown_upto(stream, found)
        return found if found is None or upto is None else _assembled(found.split(b"\n")[:upto])

    async def lines(self, stream: str, after: Version, *, own: bool) -> list[bytes] | None:
        """Return the lines behind a version, at most `LINES_MAX`; None where there is no such match.

        What an embargo keeps back comes to its `own` seats alone. Cost: two queries, whatever the match has by then.
        """
        found = await self._store.read(stream, after, LINES_MAX)
        first = found[:1] if after == 0 else await self._store.read(stream, 0, 1)
        if not first:
            return None
        upto = None if own else await self._shown_upto(stream, first[0])
        return found if upto is None else found[: max(0, upto - after)]

    async def access(self, stream: str) -> bytes | None:
        """Return the access record of this stream; None where there is none."""
        found = await self._file(stream, self._store.read_access)
        match = MATCH + stream.partition("/")[2]
        first = await self._store.read(match, 0, 1) if found is not None and self._embargo is not None else []
        upto = await self._shown_upto(match, first[0]) if first else None
        return found if found is None or upto is None else _access_upto(found, upto)

    async def board(self, record: bytes) -> bytes | None:
        """Return the record of the board whose dice a match shares, given that of the match; None if it has its own."""
        named = board_named_in(record)
        return None if named is None else await self._file(f"{BOARD}{named}", self._lines)

    async def _shown_upto(self, stream: str, record: bytes) -> Version | None:
        """Return up to which version everybody may see a match, given its first line; None for all of it."""
        if self._embargo is None or board_named_in(record) is None:
            return None
        return await self._embargo.version_shown(stream)

    async def beginning(self, stream: str) -> bytes | None:
        """Return the record up to the line with its first checkpoint; all of it where no line has one."""
        lines: list[bytes] = []
        while True:
            page = await self._store.read(stream, len(lines), BEGINNING)
            for line in page:
                lines.append(line)
                if self._embargo is not None and len(lines) == 1 and board_named_in(line) is not None:
                    return await self.record(stream)  # its deal is logged in another stream
                if line.endswith(_CHECKPOINTS):
                    return records.assemble(lines, None)
            if len(page) < BEGINNING:
                return await self.record(stream)

    async def _file(self, stream: str, read: RecordLines) -> bytes | None:
        if stream in self._kept:
            self._kept.move_to_end(stream)
            return self._kept[stream]
        # Whoever has just played finds the line in the record, so what others began to read before will not do.
        return await self._once.after(stream, partial(self._make_record, stream, read))

    async def _make_record(self, stream: str, read: RecordLines) -> bytes | None:
        lines = await read(stream)
        if not lines:
            return None
        end = await self._store.log_covered(stream, len(lines) - 1, "final")
        if end is None:
            return records.assemble(lines, None)
        record = records.assemble(lines, *await _proofs(self._store, end, _sizes_before(lines, end.size)))
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


def _assembled(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def _access_upto(record: bytes, version: Version) -> bytes:
    """Return the lines of an access record that say nothing of later versions of its match."""
    lines = (line for line in record.split(b"\n") if line.startswith(b"{"))
    return _assembled(takewhile(lambda line: canonical.decode(line)["data"].get("version", 0) <= version, lines))


async def inclusion_of_anchor(store: EventStore, stream: str, seq: int, kind: str, policy: int = 0) -> Inclusion | None:
    """Return the proof that an anchor is in the log, under the first checkpoint that covers it; None while it waits.

    With `policy`, the first that was published under the policy of this number or a later one. Cost: two queries.
    """
    anchor = await store.log_covered(stream, seq, kind, policy)
    return None if anchor is None else (await _proofs(store, anchor))[0]


async def _proofs(
    store: EventStore, anchor: CoveredAnchor, olds: Sequence[int] = ()
) -> tuple[Inclusion, list[Consistency]]:
    """Return the proofs that an anchor is in the log, and that its checkpoint continues those of these sizes.

    They lead to the first checkpoint that covers it, so the bytes are the same for ever. Cost: one query.
    """
    inclusion = merkle.inclusion_spans(anchor.size, anchor.index)
    consistencies = {old: merkle.consistency_spans(old, anchor.size) for old in olds}
    known = await store.log_hashes(merkle.nodes_of(chain(inclusion, *consistencies.values())))

    def path(spans: list[merkle.Span]) -> tuple[bytes, ...]:
        return tuple(merkle.hash_of(span, known) for span in spans)

    return (
        Inclusion(anchor.index, path(inclusion), anchor.note),
        [Consistency(old, path(spans), anchor.note) for old, spans in consistencies.items()],
    )


def _sizes_before(lines: list[bytes], size: int) -> list[int]:
    """Return the sizes of the checkpoints that stand in the lines, in order, without this one."""
    found = (event_of(line)[0] for line in lines if line.endswith(_CHECKPOINTS))
    told = [event.checkpoint for event in found if isinstance(event, events.DealLogged | events.DealFixed)]
    return sorted({checkpoints.checkpoint_of(text).size for text in told} - {size})
