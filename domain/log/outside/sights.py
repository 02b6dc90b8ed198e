"""Sights of a log: what two who never met were shown of it, held against each other.

The law of the file: a log and its streams have one history, so whatever two people were shown of it joins. Two signed
roots for one number of entries, or two hashes for one line, prove that it has two, whoever shows which. What cannot be
joined proves nothing, and is said as well: silence would read as if it had been held against something.

Source: CUP/1 section 4.9 for what is flagged, 4.7 for the receipts that players keep.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Literal

from msgspec import Struct, field

from domain.log import merkle
from domain.log.merkle import HASH_BYTES, Place

What = Literal["log", "receipt", "record"]
"""Who says so: an entry of the log, a receipt that somebody was given, or a record."""


class SeenCheckpoint(Struct, frozen=True):
    """A checkpoint that a key of the log has signed, and where it was found."""

    origin: str
    size: int
    root: bytes
    where: str


class SeenTree(Struct, frozen=True):
    """The entries of a log, read from the first one on: how many, and the hashes of their complete subtrees."""

    origin: str
    size: int
    known: Mapping[Place, bytes]
    where: str

    def root_at(self, size: int) -> bytes:
        """Return the root of the first `size` entries, of at most all. Cost: log2 of the size in hashes."""
        return merkle.hash_of((0, size), self.known)


class SeenLine(Struct, frozen=True):
    """The hash that a line is said to have, as hex, and who says so."""

    head: str
    what: What
    where: str


class SeenRecord(Struct, frozen=True):
    """A record whose lines follow each other.

    Attributes:
        heads: The hashes of its lines, one after the other.
        ended: Whether its last line is the last of the stream.
        where: Where it was found.
    """

    heads: bytes
    ended: bool
    where: str

    @property
    def length(self) -> int:
        """How many lines it has."""
        return len(self.heads) // HASH_BYTES

    def head(self, seq: int) -> str:
        """Return the hash of a line that it has, as hex."""
        return self.heads[seq * HASH_BYTES : (seq + 1) * HASH_BYTES].hex()


class LogSight(Struct):
    """What somebody was shown.

    Attributes:
        checkpoints: Of logs, by whatever showed them.
        joins: Pairs of checkpoints that a proof joins: the log of the first is the beginning of that of the second.
        trees: The logs that were read.
        lines: What is said of single lines, by stream and number from 0.
        records: Records, by stream.
    """

    checkpoints: list[SeenCheckpoint] = field(default_factory=list)
    joins: list[tuple[SeenCheckpoint, SeenCheckpoint]] = field(default_factory=list)
    trees: list[SeenTree] = field(default_factory=list)
    lines: dict[str, dict[int, list[SeenLine]]] = field(default_factory=dict)
    records: dict[str, list[SeenRecord]] = field(default_factory=dict)

    @property
    def streams(self) -> set[str]:
        """The streams that something is said of."""
        return self.lines.keys() | self.records.keys()


class SightSource(Struct, frozen=True):
    """Who says something, and where that was found."""

    what: What
    where: str


class SightDifference(Struct, frozen=True):
    """Two histories.

    Attributes:
        of: The origin of a log, or a stream.
        kind: `roots`: there are two roots for the first `number` entries of the log. `heads`: line `number` of the
            stream, from 1, is two. `end`: it is there for one, and for the other the stream had ended before.
        number: The number of entries, or of the line.
        one: What was found in the first sight.
        other: What was found in the second.
    """

    of: str
    kind: Literal["roots", "heads", "end"]
    number: int
    one: SightSource
    other: SightSource


class Unjoined(Struct, frozen=True):
    """A log that both have seen, of which some checkpoints of one are joined with none of the other: how many."""

    origin: str
    checkpoints: int


class SightComparison(Struct, frozen=True):
    """Two sights held against each other.

    Attributes:
        differences: Where they are of two histories: of each log the lowest, and of each stream.
        unjoined: Of which logs something could not be held against anything.
        logs: How many logs both have seen.
        streams: How many streams something is said of in both.
    """

    differences: tuple[SightDifference, ...]
    unjoined: tuple[Unjoined, ...]
    logs: int
    streams: int


def compare(one: LogSight, other: LogSight) -> SightComparison:
    """Return where two sights contradict each other.

    Cost: linear in what they hold; for each checkpoint and tree of the other one, log2 of its size in hashes.
    """
    origins = sorted(_origins(one) & _origins(other))
    streams = sorted(one.streams & other.streams)
    forks = [fork for origin in origins for fork in _fork(one, other, origin)]
    forked = {fork.of for fork in forks}
    unjoined = (Unjoined(origin, _count_unjoined(one, other, origin)) for origin in origins if origin not in forked)
    breaks = [found for stream in streams for found in _break(one, other, stream)]
    return SightComparison(
        (*forks, *breaks), tuple(each for each in unjoined if each.checkpoints), len(origins), len(streams)
    )


# ---- logs ---------------------------------------------------------------------------------------


def _origins(sight: LogSight) -> set[str]:
    return {each.origin for each in sight.checkpoints} | {each.origin for each in sight.trees}


def _fork(one: LogSight, other: LogSight, origin: str) -> Iterator[SightDifference]:
    """Yield where a log has two roots, for the fewest entries for which that is known; nothing if it has not."""
    mine, yours = _checkpoints(one, origin), _checkpoints(other, origin)
    known: dict[int, list[SeenCheckpoint]] = {}
    for each in yours:
        known.setdefault(each.size, []).append(each)
    found = [
        *((each, beside) for each in mine for beside in known.get(each.size, ()) if each.root != beside.root),
        *((each, _at(tree, each.size)) for each, tree in _read_apart(mine, other)),
        *((_at(tree, each.size), each) for each, tree in _read_apart(yours, one)),
    ]
    for first, second in sorted(found, key=lambda pair: pair[0].size)[:1]:
        sources = (SightSource("log", first.where), SightSource("log", second.where))
        yield SightDifference(origin, "roots", first.size, *sources)


def _checkpoints(sight: LogSight, origin: str) -> list[SeenCheckpoint]:
    whole = (_at(tree, tree.size) for tree in sight.trees if tree.origin == origin)
    return [*(each for each in sight.checkpoints if each.origin == origin), *whole]


def _at(tree: SeenTree, size: int) -> SeenCheckpoint:
    return SeenCheckpoint(tree.origin, size, tree.root_at(size), tree.where)


def _read_apart(checkpoints: Sequence[SeenCheckpoint], sight: LogSight) -> Iterator[tuple[SeenCheckpoint, SeenTree]]:
    """Yield the checkpoints whose entries were read, and are others, with what was read."""
    for each, tree in product(checkpoints, sight.trees):
        if each.origin == tree.origin and each.size <= tree.size and each.root != tree.root_at(each.size):
            yield each, tree


def _count_unjoined(one: LogSight, other: LogSight, origin: str) -> int:
    """Count the checkpoints of a log, which does not contradict itself here, that nothing joins with the other's."""
    names: dict[tuple[int, bytes], tuple[int, bytes]] = {}

    def name(each: SeenCheckpoint) -> tuple[int, bytes]:
        """Return the name of all that is joined with a checkpoint."""
        key = (each.size, each.root)
        while names.setdefault(key, key) != key:
            key = names[key]
        return key

    mine, yours = _checkpoints(one, origin), _checkpoints(other, origin)
    for first, second in (*one.joins, *other.joins):
        if first.origin == second.origin == origin:
            names[name(first)] = name(second)
    for each, tree in product((*mine, *yours), (*one.trees, *other.trees)):
        if each.origin == tree.origin and each.size <= tree.size:
            names[name(each)] = name(_at(tree, tree.size))
    ours, theirs = [name(each) for each in mine], [name(each) for each in yours]
    joined = {*ours} & {*theirs}
    return sum(each not in joined for each in (*ours, *theirs))


# ---- streams ------------------------------------------------------------------------------------


def _break(one: LogSight, other: LogSight, stream: str) -> Iterator[SightDifference]:
    """Yield the first line of a stream that is another one for the other; nothing if there is none."""
    mine, yours = one.lines.get(stream, {}), other.lines.get(stream, {})
    records = one.records.get(stream, []), other.records.get(stream, [])
    found = [
        *_two_claims(stream, mine, yours),
        *(each for record in records[0] for each in _record_and_claims(stream, record, yours)),
        *(_turn(each) for record in records[1] for each in _record_and_claims(stream, record, mine)),
        *(each for pair in product(*records) for each in _two_records(stream, *pair)),
    ]
    yield from sorted(found, key=lambda each: each.number)[:1]


def _two_claims(
    stream: str, mine: Mapping[int, list[SeenLine]], yours: Mapping[int, list[SeenLine]]
) -> Iterator[SightDifference]:
    for seq in mine.keys() & yours.keys():
        for one, other in product(mine[seq], yours[seq]):
            if one.head != other.head:
                sources = (SightSource(one.what, one.where), SightSource(other.what, other.where))
                yield SightDifference(stream, "heads", seq + 1, *sources)


def _record_and_claims(
    stream: str, record: SeenRecord, said: Mapping[int, list[SeenLine]]
) -> Iterator[SightDifference]:
    for seq, line in ((seq, line) for seq, lines in said.items() for line in lines):
        sources = (SightSource("record", record.where), SightSource(line.what, line.where))
        if seq < record.length and record.head(seq) != line.head:
            yield SightDifference(stream, "heads", seq + 1, *sources)
        elif seq >= record.length and record.ended:
            yield SightDifference(stream, "end", seq + 1, *sources)


def _two_records(stream: str, one: SeenRecord, other: SeenRecord) -> Iterator[SightDifference]:
    sources = (SightSource("record", one.where), SightSource("record", other.where))
    both = min(one.length, other.length)
    differ = next((seq for seq in range(both) if one.head(seq) != other.head(seq)), None)
    if differ is not None:
        yield SightDifference(stream, "heads", differ + 1, *sources)
    elif one.length != other.length and (one if one.length == both else other).ended:
        yield SightDifference(stream, "end", both + 1, *sources)


def _turn(found: SightDifference) -> SightDifference:
    return SightDifference(found.of, found.kind, found.number, found.other, found.one)
