"""Milestones of matches: what a match was at every sixteenth version, so that none is folded from its first line twice.

The law of the file: what is asked for costs its own lines and those behind the milestone before it; what has to be
folded from the first line is folded once for all who ask at the same time, page by page, a slice of the event loop at a
time. A match is a value, and one version shares nearly all of its parts with the next, so milestones are cheap: those
of a session of 10,000 events at a table of twelve have 3 MB together.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from functools import partial
from typing import Final, Protocol

from cachetools import LRUCache

from domain.ids import Version
from domain.match.record import MatchAtHead
from infra.store import Recorded
from services.matches.reads.recent import RecentSteps, Step
from services.work.failures import Unreadable, fold
from services.work.single_flight import Once
from services.work.slices import Pace

SPACING: Final = 16
"""Versions from one milestone to the next: half a millisecond of folding."""
KEPT_MAX: Final = 4_096
"""Milestones of all matches, some 5 kB each; the match that was looked at longest ago loses its own first."""
OF_ONE_MAX: Final = 1_024
"""Milestones of one match, 16,384 events; in a longer one they stand further apart, so that others keep theirs."""
ENDS_MAX: Final = 1_024
"""Matches that cannot be read further, of which it is known where they stop, some 5 kB each."""
PAGE: Final = 256
"""Lines read and folded at once on the way to a version far behind a milestone, some ten milliseconds in slices."""


class LineSource(Protocol):
    """Where the lines of matches are."""

    async def read(self, stream: str, after: int = 0, limit: int = 100_000) -> list[bytes]:
        """Return the lines of a stream after a version, in order, at most `limit`."""


class _Row:
    """The milestones of one match."""

    def __init__(self, kept_max: int) -> None:
        self.spacing = SPACING
        self._kept_max = kept_max
        self._versions: list[int] = []
        self._kept: dict[int, MatchAtHead] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def below(self, version: Version) -> MatchAtHead | None:
        """Return the last one at this version or before it."""
        place = bisect_right(self._versions, version)
        return self._kept[self._versions[place - 1]] if place else None

    def last(self) -> MatchAtHead | None:
        """Return the last one of all."""
        return self._kept[self._versions[-1]] if self._versions else None

    def keep(self, written: MatchAtHead) -> None:
        """Keep this one, if one is due at its version."""
        version = written.match.version
        if version % self.spacing or version in self._kept:
            return
        self._kept[version] = written
        insort(self._versions, version)
        if len(self) > self._kept_max:
            self._thin_out()

    def _thin_out(self) -> None:
        self.spacing *= 2
        self._kept = {version: kept for version, kept in self._kept.items() if version % self.spacing == 0}
        self._versions = sorted(self._kept)


class Milestones:
    """The milestones of all matches that somebody has looked at lately.

    Attributes:
        pace: At which long work is done.
        recent: What the lines stored last have led to.
    """

    def __init__(
        self, store: LineSource, pace: Pace | None = None, kept_max: int = KEPT_MAX, of_one_max: int = OF_ONE_MAX
    ) -> None:
        """Fold lines of this store, at this pace, and keep so many milestones at most, of one match so many."""
        self.pace = pace or Pace()
        self.recent = RecentSteps()
        self._store = store
        self._kept_max = kept_max
        self._of_one_max = of_one_max
        self._rows: OrderedDict[str, _Row] = OrderedDict()
        self._kept = 0
        self._once = Once()
        self._ends: LRUCache[str, MatchAtHead] = LRUCache(ENDS_MAX)

    async def newest(self, stream: str, known: MatchAtHead | None = None) -> MatchAtHead | None:
        """Return the match as of the last line in the store, which is read after the call; None if there is no line.

        Args:
            stream: The match's.
            known: The match at some version, where the caller has it.

        Cost: a query, and a step for each new line.

        Raises:
            Unreadable: A line of it cannot be read here.
        """
        written = await self._on_the_way(stream, None, known)
        if written is None:
            written = await self._once.get(stream, partial(self._fold_to_head, stream, None))
        # What others began to read before the call may lack what the caller has just stored.
        return await self._fold_to_head(stream, written)

    async def at(self, stream: str, version: Version, known: MatchAtHead | None = None) -> MatchAtHead | None:
        """Return the match after this many lines, which the stream must have; None after none.

        Args:
            stream: The match's.
            version: How many lines.
            known: The match at some version before, where the caller has it.

        Cost: nothing at a milestone; otherwise a query, and a step for each line since the last one.

        Raises:
            Unreadable: One of these lines cannot be read here.
        """
        written = await self._on_the_way(stream, version, known)
        while (reached := version_of(written)) < version:
            count = _stage(reached, version)
            written = await self._once.get((stream, reached, count), partial(self._page, stream, written, count))
        return written

    async def after(self, line: Recorded) -> Step:
        """Return the match right after a stored line, with the event it holds.

        Cost: nothing for what this program has decided, and a step for the next line of a match in memory. Otherwise
        the match is read from its last milestone on, or from where memory ends, in slices of the event loop.

        Raises:
            Unreadable: It, or a line before it, cannot be read here.
        """
        step = self.recent.find(line.stream, line.seq, line.line)
        if step is None:
            known = self.recent.newest(line.stream)
            before = await self.at(line.stream, line.seq, None if version_of(known) > line.seq else known)
            step = next(fold(line.stream, [line.line], before))
        self.recent.keep(line.stream, line.line, step)
        self._keep(line.stream, (step,))
        return step

    async def steps(self, stream: str, after: int, limit: int) -> list[Step]:
        """Return the match after each of at most `limit` lines behind version `after`, which the stream must have.

        Cost: a query and a step for each line, and the same for those behind the milestone before them; but the match
        from its first line on if nobody has looked at it lately.

        Raises:
            Unreadable: One of these lines, or one before them, cannot be read here.
        """
        before = await self.at(stream, after)
        return await self._fold(stream, await self._store.read(stream, after, limit), before)

    async def walk(self, stream: str, written: MatchAtHead | None = None) -> AsyncIterator[list[Step]]:
        """Yield the match after each of its lines, or of those behind a version of it, page by page. Cost: all of them.

        Raises:
            Unreadable: A line of it cannot be read here.
        """
        while True:
            page = await self._fold(stream, await self._store.read(stream, version_of(written), PAGE), written)
            if page:
                yield page
                written = page[-1][0]
            if len(page) < PAGE:
                return

    async def _fold_to_head(self, stream: str, written: MatchAtHead | None) -> MatchAtHead | None:
        """Return the match as of the last line, given it at some version."""
        while True:
            lines = await self._store.read(stream, version_of(written), PAGE)
            if lines:
                found = await self._fold(stream, lines, written)
                # Whoever asks how far a match has come asks for its frames next.
                for line, step in zip(lines, found, strict=True):
                    self.recent.keep(stream, line, step)
                written = found[-1][0]
            if len(lines) < PAGE:
                return written

    async def _page(self, stream: str, written: MatchAtHead | None, count: int) -> MatchAtHead:
        lines = await self._store.read(stream, version_of(written), count)
        assert len(lines) == count, "the stream has the version that is asked for"
        return (await self._fold(stream, lines, written))[-1][0]

    async def _fold(self, stream: str, lines: Sequence[bytes], written: MatchAtHead | None) -> list[Step]:
        """Return the steps of some lines, and keep the milestones among them. What is short waits for no turn."""
        found: list[Step] = []
        steps = _note_steps(self._steps(stream, lines, written), found)
        try:
            if len(lines) > SPACING:
                await self.pace.collect(steps)
            else:
                deque(steps, maxlen=0)
        except Unreadable:
            self._note_end(stream, found[-1][0] if found else written)
            raise
        finally:
            self._keep(stream, found)
        return found

    async def _on_the_way(self, stream: str, version: Version | None, known: MatchAtHead | None) -> MatchAtHead | None:
        """Return the match as far as it is known on the way to this version, or to its newest.

        Where it could not be read further before, one line says whether it can be by now: as it was written it will
        not be, and there is no use in all the others.
        """
        written, end = _later(known, self._below(stream, version)), self._ends.get(stream)
        if end is None or version_of(written) > version_of(end) or (version is not None and version <= version_of(end)):
            return written
        found = await self._fold(stream, await self._store.read(stream, version_of(end), 1), end)
        self._ends.pop(stream, None)
        return found[-1][0] if found else end

    def _steps(self, stream: str, lines: Iterable[bytes], written: MatchAtHead | None) -> Iterator[Step]:
        """Yield the match after each line, folding what is not known."""
        for line in lines:
            step = self.recent.find(stream, version_of(written), line)
            if step is None:
                step = next(fold(stream, [line], written))
            written = step[0]
            yield step

    def _note_end(self, stream: str, written: MatchAtHead | None) -> None:
        """Remember from where on a match cannot be read."""
        if written is not None:
            self._ends[stream] = written

    def _below(self, stream: str, version: Version | None) -> MatchAtHead | None:
        """Return the last milestone up to this version, or of all."""
        row = self._rows.get(stream)
        if row is None:
            return None
        self._rows.move_to_end(stream)
        return row.last() if version is None else row.below(version)

    def _keep(self, stream: str, steps: Sequence[Step]) -> None:
        """Keep what is due of these; a short match has no milestones, and costs nothing here."""
        due = [written for written, _ in steps if written.match.version % SPACING == 0]
        if not due:
            return
        row = self._rows.setdefault(stream, _Row(self._of_one_max))
        self._rows.move_to_end(stream)
        before = len(row)
        for written in due:
            row.keep(written)
        self._kept += len(row) - before
        while self._kept > self._kept_max:
            _, dropped = self._rows.popitem(last=False)
            self._kept -= len(dropped)


def version_of(written: MatchAtHead | None) -> int:
    """Return how many lines a match has had; 0 before its first."""
    return 0 if written is None else written.match.version


def _note_steps(steps: Iterable[Step], found: list[Step]) -> Iterator[Step]:
    """Yield steps, and note each: so many are found when the next one cannot be taken."""
    for step in steps:
        found.append(step)
        yield step


def _stage(reached: int, version: Version) -> int:
    """Return how many lines to go on the way to a version: long stages first, and each ends where all of its length do.

    So whoever else is on the way finds the same stage in the making, be it to another version.
    """
    for length in (PAGE, 4 * SPACING, SPACING):
        end = reached - reached % length + length
        if end <= version:
            return end - reached
    return version - reached


def _later(one: MatchAtHead | None, other: MatchAtHead | None) -> MatchAtHead | None:
    return one if version_of(one) > version_of(other) else other
