"""Tile-based monitoring: all that is held against a log by whoever follows it.

The law of the file: nothing a log shows is believed before it hashes to the root of a checkpoint that the policy
accepts, and that root has to continue the one seen before. Then what the entries say is held against each other.

Source: C2SP tlog-tiles; CUP/1 section 4.9 for what monitors flag.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal

from msgspec import Struct

from domain.log import merkle
from domain.log.checkpoints import decimal
from domain.log.merkle import Place
from domain.log.notes import Malformed
from domain.log.proofs import anchor_entry
from domain.log.tiles import HEIGHT, WIDTH, Tile
from domain.log.witnessing import Head

Code = Literal[
    "UNTRUSTED",
    "SHRUNK",
    "FORKED",
    "NONSENSE",
    "TILES",
    "ENTRIES",
    "TWO_HEADS",
    "UNFINISHED",
    "STREAM",
    "GONE",
    "STATISTICS",
    "VOIDS",
]
"""What a monitor may find; the sentence beside it says what it is."""
KINDS: Final = frozenset({"sealed", "opened", "live", "final"})
ANCHOR_BYTES_MAX: Final = 1024
"""Longer than any anchor: a stream's name has 42 bytes."""
SIZE_MAX: Final = 1 << 40
"""More entries than any log has: what claims more is not followed."""
_LINES: Final = 6
_HEAD_DIGITS: Final = 64


class Alarm(Exception):  # noqa: N818 - named for what it is
    """The log is not what it says; nothing of what it showed is believed."""

    def __init__(self, code: Code, text: str) -> None:
        """Say which fault it is, and what was found."""
        super().__init__(text)
        self.code = code


class Anchor(Struct, frozen=True):
    """What an entry says: that the stream had this head, as hex, at this line, and why that was logged."""

    stream: str
    seq: int
    head: str
    kind: str


def anchor_of(entry: bytes) -> Anchor:
    """Return the anchor that an entry of the log is; each has one spelling.

    Raises:
        Malformed: It is none.
    """
    try:
        lines = entry.decode().split("\n")
    except UnicodeDecodeError as error:
        raise Malformed("an entry is not UTF-8") from error
    if len(entry) > ANCHOR_BYTES_MAX or len(lines) != _LINES:
        raise Malformed("an entry is no anchor")
    _, stream, seq, head, kind, _ = lines
    anchor = Anchor(stream, decimal(seq), head, kind)
    hexadecimal = len(head) == _HEAD_DIGITS and set(head) <= set("0123456789abcdef")
    named = stream != "" and stream.isprintable()
    if not named or kind not in KINDS or not hexadecimal or anchor_entry(stream, anchor.seq, head, kind) != entry:
        raise Malformed("an entry is no anchor")
    return anchor


# ---- heads --------------------------------------------------------------------------------------


def check_head(seen: Head, shown: Head) -> None:
    """Hold the head that is shown against the one seen last, as far as one can without tiles.

    Raises:
        Alarm: `SHRUNK`, `FORKED`, or `NONSENSE` for more entries than there can be.
    """
    if shown.size > SIZE_MAX:
        raise Alarm("NONSENSE", f"the log claims {shown.size} entries")
    if shown.size < seen.size:
        raise Alarm("SHRUNK", f"the log has {shown.size} entries and had {seen.size}")
    if shown.size == seen.size and shown.root != seen.root:
        raise Alarm("FORKED", f"the log has two roots for its first {seen.size} entries")


def check_growth(seen: Head, shown: Head, hashes: Mapping[Place, bytes]) -> dict[Place, bytes]:
    """Hold a log that has grown against what was seen of it, and return the subtrees that were seen.

    Args:
        seen: The head seen last.
        shown: A greater head.
        hashes: Those of the tiles that `tiles_for` names.

    Returns:
        The hashes of the complete subtrees that the entries seen so far are made of.

    Raises:
        Alarm: `TILES` if the tiles do not lead to the root that is shown; `FORKED` if they do, and not to the one seen.
    """
    spans = _spans(seen.size, shown.size)
    known = {place: subtree(place, place[0] // HEIGHT * HEIGHT, hashes) for place in merkle.nodes_of(spans)}
    before, *path = (merkle.hash_of(span, known) for span in spans)
    leads = before == shown.root if seen.size == 0 else merkle.extends(seen.size, before, shown.size, shown.root, path)
    if not leads:
        raise Alarm("TILES", f"the tiles do not lead to the root of the first {shown.size} entries")
    if seen.size and before != seen.root:
        raise Alarm("FORKED", f"the log with {shown.size} entries does not continue the one with {seen.size}")
    return {place: known[place] for place in merkle.nodes_of([(0, seen.size)])}


def tiles_for(old: int, size: int) -> list[Tile]:
    """Return the tiles of hashes that show whether the tree of this size continues the one of the old size.

    Cost: at most two for each level of tiles, and so 12.
    """
    found = {tile_with(place, size): None for place in merkle.nodes_of(_spans(old, size))}
    return list(found)


def _spans(old: int, size: int) -> list[merkle.Span]:
    """Return the span that was seen, and those that prove what it became; or all there is if nothing was seen."""
    return [(0, old), *merkle.consistency_spans(old, size)] if old else [(0, size)]


def tile_with(place: Place, size: int) -> Tile:
    """Return the tile of a tree of this size from whose hashes a complete subtree can be computed."""
    level, index = place
    row, column = level // HEIGHT, index << level % HEIGHT
    number = column // WIDTH
    return Tile(row, number, min(WIDTH, (size >> HEIGHT * row) - number * WIDTH))


def subtree(place: Place, base: int, hashes: Mapping[Place, bytes]) -> bytes:
    """Return the hash of a complete subtree from those of the subtrees at a level below it. Cost: up to 255 hashes."""
    level, index = place
    first = index << (level - base)
    return merkle.root([hashes[base, first + number] for number in range(1 << (level - base))])


# ---- entries ------------------------------------------------------------------------------------


def extend_edge(size: int, edge: Mapping[Place, bytes], leaves: Iterable[bytes]) -> dict[Place, bytes]:
    """Return every complete subtree that further leaves complete, and those the tree was made of before.

    Args:
        size: How many leaves it had.
        edge: The hashes of the subtrees it was made of.
        leaves: The leaf hashes to come.
    """
    known = dict(edge)
    for index, leaf in enumerate(leaves, start=size):
        known.update(merkle.new_subtrees(index, leaf, known))
    return known


def edge_of(size: int, known: Mapping[Place, bytes]) -> dict[Place, bytes]:
    """Return the hashes of the complete subtrees that a tree of this size is made of."""
    return {place: known[place] for place in merkle.nodes_of([(0, size)])}


def check_tile(tile: Tile, hashes: Mapping[Place, bytes], known: Mapping[Place, bytes]) -> None:
    """Hold a tile of hashes against the entries below it.

    Args:
        tile: The tile.
        hashes: What it holds.
        known: The subtrees computed from the entries, those that its own span is made of among them.

    Raises:
        Alarm: `TILES`.
    """
    assert tile.level is not None, "a bundle holds entries"
    first, base = tile.index * WIDTH, tile.level * HEIGHT
    places = [(base + level, index) for level, index in merkle.nodes_of([(first, first + tile.width)])]
    if any(subtree(place, base, hashes) != known[place] for place in places):
        raise Alarm("TILES", f"tile/{tile} is not that of the entries below it")


def tiles_ended(before: int, size: int, *, last: bool) -> list[Tile]:
    """Return the tiles of hashes to be held against the entries once the tree has this size.

    Args:
        before: The size when this was last asked, in the bundle before.
        size: The size now; at most one bundle greater.
        last: Whether nothing comes behind it: then the partial ones at the edge are among them.
    """
    found = []
    for level in range(_levels(size)):
        had, has = before >> HEIGHT * level, size >> HEIGHT * level
        if has // WIDTH > had // WIDTH:
            found.append(Tile(level, has // WIDTH - 1))
        if last and has % WIDTH:
            found.append(Tile(level, has // WIDTH, has % WIDTH))
    return found


def _levels(size: int) -> int:
    return 1 + (size.bit_length() - 1) // HEIGHT


def anchors_of(entries: Sequence[bytes], first: int) -> list[Anchor]:
    """Return what the entries say.

    Args:
        entries: The entries.
        first: The index of the first of them.

    Raises:
        Alarm: `ENTRIES` if one of them is no anchor.
    """
    found = []
    for index, entry in enumerate(entries, start=first):
        try:
            found.append(anchor_of(entry))
        except Malformed as error:
            raise Alarm("ENTRIES", f"entry {index}: {error}") from error
    return found
