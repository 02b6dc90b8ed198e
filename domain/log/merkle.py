"""Merkle trees as in RFC 6962: leaf H(00 || leaf), node H(01 || left || right), split at the largest power of two.

Two shapes of the same tree: a whole one in memory (`Tree`, for the dice of a deal), and one of which only the complete
subtrees are kept, by (level, index), in a database (the log). In the second, every answer is a few complete subtrees,
and `nodes_of` says which, so that whoever has them can be asked first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

Place = tuple[int, int]
"""Level and index of a complete subtree: it covers the leaves index * 2**level up to the next index."""
Span = tuple[int, int]
"""Leaves from the first up to, not with, the second."""

EMPTY_ROOT: Final = hashlib.sha256(b"").digest()


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


class Tree:
    """A whole tree over leaf hashes. Cost: one hash an inner node."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        """Build it over at least one leaf hash."""
        self._rows = [list(leaves)]
        while len(self._rows[-1]) > 1:
            row = self._rows[-1]
            above = [node_hash(left, right) for left, right in zip(row[::2], row[1::2], strict=False)]
            self._rows.append(above if len(row) % 2 == 0 else [*above, row[-1]])
        self.root = self._rows[-1][0]

    def path(self, index: int) -> list[bytes]:
        """Return the inclusion path of a leaf, from the leaf up; at most 1 + log2 n hashes."""
        path = []
        for row in self._rows[:-1]:
            if index ^ 1 < len(row):
                path.append(row[index ^ 1])
            index //= 2
        return path


# ---- checking -----------------------------------------------------------------------------------


def includes(root: bytes, size: int, index: int, leaf: bytes, path: Sequence[bytes]) -> bool:
    """Report whether the path leads from this leaf hash to the root of a tree of this size. Source: RFC 9162, 2.1.3.2."""
    if not 0 <= index < size:
        return False
    at, last, found = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if at % 2 == 1 or at == last:
            found = node_hash(sibling, found)
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            found = node_hash(found, sibling)
        at, last = at // 2, last // 2
    return last == 0 and found == root


def extends(old_root: bytes, old: int, root: bytes, size: int, proof: Sequence[bytes]) -> bool:
    """Report whether the tree of `size` leaves begins with the one of `old` leaves. Source: RFC 9162, 2.1.4.2.

    Nothing is consistent with a tree of size 0.
    """
    if not 0 < old <= size:
        return False
    if old == size:
        return not proof and old_root == root
    nodes = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    at, last = old - 1, size - 1
    while at % 2 == 1:
        at, last = at // 2, last // 2
    if not nodes:
        return False
    first = second = nodes[0]
    for node in nodes[1:]:
        if last == 0:
            return False
        if at % 2 == 1 or at == last:
            first, second = node_hash(node, first), node_hash(node, second)
            while at % 2 == 0 and at != 0:
                at, last = at // 2, last // 2
        else:
            second = node_hash(second, node)
        at, last = at // 2, last // 2
    return last == 0 and first == old_root and second == root


# ---- a tree of which the complete subtrees are kept ---------------------------------------------


def nodes_of(spans: Iterable[Span]) -> list[Place]:
    """Return the complete subtrees these spans are made of, left to right. At most log2 n for each."""
    return [place for span in spans for place in _nodes_of(span)]


def _nodes_of(span: Span) -> list[Place]:
    first, end = span
    places = []
    while first < end:
        level = (end - first).bit_length() - 1
        places.append((level, first >> level))
        first += 1 << level
    return places


def hash_of(span: Span, known: Mapping[Place, bytes]) -> bytes:
    """Return the hash over a span of the tree, from its complete subtrees."""
    places = _nodes_of(span)
    if not places:
        return EMPTY_ROOT
    found = known[places[-1]]
    for place in reversed(places[:-1]):
        found = node_hash(known[place], found)
    return found


def inclusion_spans(size: int, index: int) -> list[Span]:
    """Return the spans whose hashes are the inclusion path of a leaf, from the leaf up. Source: RFC 6962, 2.1.1."""
    spans: list[Span] = []
    first, end = 0, size
    while end - first > 1:
        middle = first + _split(end - first)
        if index < middle:
            spans.append((middle, end))
            end = middle
        else:
            spans.append((first, middle))
            first = middle
    return spans[::-1]


def consistency_spans(old: int, size: int) -> list[Span]:
    """Return the spans whose hashes prove that the tree of `size` begins with that of `old`. Source: RFC 6962, 2.1.2."""
    spans: list[Span] = []
    first, end, whole = 0, size, True
    while old - first < end - first:
        middle = first + _split(end - first)
        if old <= middle:
            spans.append((middle, end))
            end = middle
        else:
            spans.append((first, middle))
            first, whole = middle, False
    return [*([] if whole else [(first, end)]), *reversed(spans)]


def grown(index: int, leaf: bytes, known: Mapping[Place, bytes]) -> dict[Place, bytes]:
    """Return the complete subtrees that a new leaf at `index` completes, the leaf included.

    `known` holds those of the tree before it: `nodes_of([(0, index)])`.
    """
    added = {(0, index): leaf}
    level, found = 0, leaf
    while index % 2 == 1:
        found = node_hash(known[level, index - 1], found)
        level, index = level + 1, index // 2
        added[level, index] = found
    return added


def _split(count: int) -> int:
    """Return the largest power of two below `count`."""
    return 1 << (count - 1).bit_length() - 1
