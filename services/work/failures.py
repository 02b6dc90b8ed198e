"""One broken match: what cannot be read or cannot go on harms that match only, and is told.

A line may come from a later version of this program, as in a rolling upgrade, or be broken. Events are for ever, so
whoever falls over one falls over it again at each start: every follower of the log contains it, says so once in the
log and for as long as it lasts in health and metrics, and goes on with all others. The match is looked at again when
something happens in it, and whenever the program starts. What failed for another reason, such as want of memory, is
tried again after a while: it may go well then, and nobody else would ever do it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, TypeVar

import structlog
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from domain import events
from domain.ids import Milliseconds, UnixMs
from domain.log.receipts import AnotherHistory
from domain.match.record import MatchAtHead, step, stream_of, tag_of
from infra.clock import now_ms
from infra.store import Away, Unavailable, shard_of
from services.work.worker import WorkerLost

AGAIN_MS: Final[Milliseconds] = 30_000
"""After how long what failed is tried again: soon enough for people who wait at a table, and so seldom that what always
fails, be it after seconds of a core, costs little."""
Name = TypeVar("Name")

log = structlog.get_logger(__name__)


class Unreadable(Exception):  # noqa: N818 - named for what happened
    """This program cannot read a match: a line of it is of a later version or broken, or what it leads to is."""

    def __init__(self, stream: str, line: bytes | None = None) -> None:
        """Say of which stream; `line` is the one that cannot be read, where it is one."""
        super().__init__(f"this program cannot read {stream}")
        self.stream = stream
        self.is_of_line = line is not None
        tag = None if line is None else tag_of(line)
        self.tag = None if tag is None else "{} v{}".format(*tag)


@contextmanager
def reading(stream: str, line: bytes | None = None) -> Iterator[None]:
    """Name what keeps this program from reading a match; only for pure code over stored lines, and what waits for it.

    Where it is pure code over one `line` alone, what cannot be read cannot be read later either.

    Raises:
        Unreadable: Something does.
    """
    try:
        yield
    except (Unavailable, AnotherHistory, Unreadable):
        raise
    except Exception as fault:
        raise Unreadable(stream, line) from fault


def fold(
    stream: str, lines: Iterable[bytes], written: MatchAtHead | None = None
) -> Iterator[tuple[MatchAtHead, events.Event]]:
    """Yield the match after each line of its stream, with the event it holds.

    Raises:
        Unreadable: The next line is not known here, or does not follow from those before it.
    """
    for line in lines:
        try:
            first, (written, event) = written is None, step(written, line)
            assert not first or stream_of(written.match.id) == stream, "it says that it is another match"
        except Exception as fault:
            raise Unreadable(stream, line) from fault
        yield written, event


class Contained:
    """What came of work whose failures are contained.

    Attributes:
        failed: Whether it failed.
        again_at: When to try it again, in Unix milliseconds; None where it did not fail, or would for ever.
    """

    def __init__(self) -> None:
        """Begin with nothing that failed."""
        self.failed = False
        self.again_at: UnixMs | None = None

    def note(self, fault: Exception) -> None:
        """Note what failed. A line that cannot be read cannot be read later, unless there was no room to read it in."""
        self.failed = True
        is_lasting = isinstance(fault, Unreadable) and fault.is_of_line and not isinstance(fault.__cause__, MemoryError)
        self.again_at = None if is_lasting else now_ms() + AGAIN_MS

    def put_back(self, times: dict[Name, UnixMs], name: Name) -> None:
        """Put what is to be tried again among what is to be done at these times, where it is not to be sooner."""
        if self.again_at is not None:
            times[name] = min(self.again_at, times.get(name, self.again_at))


def due_in(times: Mapping[Name, UnixMs]) -> list[Name]:
    """Return what is to be done by now; for whoever takes it out once it is done. Cost: nothing, if there is none."""
    if not times:
        return []
    now = now_ms()
    return [name for name, at in times.items() if at <= now]


def take_due(times: dict[Name, UnixMs]) -> list[Name]:
    """Take out what is to be done by now."""
    due = due_in(times)
    for name in due:
        del times[name]
    return due


class Stuck(Collector):
    """The streams that works of this program cannot go on with, by work, until they can again."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        """Know of none. They are counted in this registry."""
        self._found: dict[str, dict[str, None]] = {}
        if registry is not None:
            registry.register(self)

    @contextmanager
    def contain_failures(self, work: str, stream: str, *, reads: bool = True) -> Iterator[Contained]:
        """Keep a fault in one match from whoever looks after all, and say so; where there is none, the match goes on.

        What may not come to read the match (`reads`) does not show that it can be read.

        That the store is not there is nobody's fault and everybody's trouble, and goes through. So does a history that
        was rewritten: a store that changes one match is not to be trusted with any. But a process of its own that does
        one thing and is lost over it may be lost over it each time, and keeps nobody else.
        """
        contained = Contained()
        try:
            yield contained
        except Exception as fault:
            if isinstance(fault, Unavailable | AnotherHistory) and not isinstance(fault, WorkerLost):
                raise
            contained.note(fault)
            self.note(work, stream, fault)
        else:
            if reads:
                self.clear(work, stream)

    @contextmanager
    def contain_elsewhere(self, work: str, stream: str, shard: int) -> Iterator[Contained]:
        """Do the same for who follows a shard, and let what needs another shard, which is away, be tried again later.

        A match may need its board, which lies elsewhere, or a board its matches: all others of the shard go on. That
        the shard itself is away goes through.
        """
        contained = Contained()
        try:
            with self.contain_failures(work, stream) as contained:
                yield contained
        except Away as away:
            if shard == (shard_of(stream) if away.shard is None else away.shard):
                raise
            contained.note(away)

    def note(self, work: str, stream: str, fault: Exception) -> None:
        """Note that a work cannot go on with a stream: told once, by the place of the fault and the type of the line.

        What a line holds is never told.
        """
        found = self._found.setdefault(work, {})
        if stream in found:
            return
        found[stream] = None
        tag = fault.tag if isinstance(fault, Unreadable) else None
        log.error("match.stuck", work=work, stream=stream, line=tag, exc_info=fault.__cause__ or fault)

    def clear(self, work: str, stream: str) -> None:
        """Note that a work goes on with a stream. Cost: two look-ups, if it always has."""
        if stream in self._found.get(work, ()):
            del self._found[work][stream]
            log.info("match.goes_on", work=work, stream=stream)

    def is_stuck(self, work: str, stream: str) -> bool:
        """Report whether a work cannot go on with a stream."""
        return stream in self._found.get(work, ())

    async def notice(self) -> str | None:
        """Return how many matches this program cannot go on with, for whoever asks whether it is ready; None if none.

        They keep nobody from sending requests: all others are as ever.
        """
        streams = {stream for found in self._found.values() for stream in found}
        if not streams:
            return None
        return f"{len(streams)} matches cannot be read or cannot go on here; the log says which, and why"

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """Yield how many there are, for the meters."""
        told = "Matches that a work of this program cannot read, or cannot go on with."
        gauge = GaugeMetricFamily("truecup_matches_unreadable", told, labels=["work"])
        for work, found in self._found.items():
            gauge.add_metric([work], len(found))
        yield gauge
