"""RFC 6962 Merkle trees, kept as the hashes of their complete subtrees.

A tree is named by its complete subtrees: `(level, index)` covers the leaves `index * 2**level` up to
`(index + 1) * 2**level`, and is a leaf hash at level 0. They never change as the tree grows, so a log in a database
stores them once and answers every question about every size it ever had:

    size 7:        root                   root_at(7)        reads (2,0) (1,2) (0,6)
                  /    \\                  inclusion(7, 4)   reads (0,5) (0,6) (2,0)
              (2,0)     .                 consistency(6, 7) reads (1,2) (0,6) (2,0)
             /    \\    / \\
         (1,0) (1,1) (1,2) (0,6)

Which hashes a question needs is a function of the sizes alone (`needed_for_...`); the answer is then a function of those
hashes. So a caller may fetch them however it likes, all at once.

Source: RFC 6962 section 2.1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

Node = tuple[int, int]
"""A complete subtree: its level and its index in that level."""
Span = tuple[int, int]
"""Leaves from the first up to, and without, the second."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of an entry as a leaf."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees side by side."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(hashes: Sequence[bytes]) -> bytes:
    """Return the root of the tree over these leaf hashes.

    Cost: one hash for each leaf.
    """
    return root_at(len(hashes), stored(hashes))


def stored(hashes: Sequence[bytes]) -> dict[Node, bytes]:
    """Return every complete subtree of the tree over these leaf hashes: all that a log stores.

    Cost: one hash for each leaf, and fewer than two stored.
    """
    nodes = {(0, index): leaf for index, leaf in enumerate(hashes)}
    level, row = 0, list(hashes)
    while len(row) > 1:
        level += 1
        row = [node_hash(row[i], row[i + 1]) for i in range(0, len(row) - 1, 2)]
        nodes.update(((level, index), node) for index, node in enumerate(row))
    return nodes


def hashes_to_store(index: int, leaf: bytes, known: Mapping[Node, bytes]) -> dict[Node, bytes]:
    """Return the complete subtrees that the leaf at this index completes, itself among them.

    Args:
        index: The leaf's place, which is the size of the tree before it.
        leaf: Its leaf hash.
        known: At least the nodes of `needed_for_root(index)`.

    Cost: at most log2 of the size, and 1 on average.
    """
    added = {(0, index): leaf}
    level, node = 0, leaf
    while index & 1:
        node = node_hash(known[level, index - 1], node)
        level, index = level + 1, index >> 1
        added[level, index] = node
    return added


# ---- what a question needs ----------------------------------------------------------------------


def needed_for_root(size: int) -> list[Node]:
    """Return the nodes that `root_at` reads: one for each one in the size as a binary number."""
    return _cover((0, size))


def needed_for_inclusion(size: int, index: int) -> list[Node]:
    """Return the nodes that `inclusion` reads: at most 2 log2 of the size."""
    return [node for span in _beside(size, index) for node in _cover(span)]


def needed_for_consistency(old: int, new: int) -> list[Node]:
    """Return the nodes that `consistency` reads: at most 2 log2 of the new size."""
    return [node for span in _between(old, new) for node in _cover(span)]


# ---- answers ------------------------------------------------------------------------------------


def root_at(size: int, known: Mapping[Node, bytes]) -> bytes:
    """Return the root of the tree of this size.

    Args:
        size: How many leaves it has; the empty tree has a root too.
        known: At least the nodes of `needed_for_root`.
    """
    return _root_of((0, size), known) if size else hashlib.sha256(b"").digest()


def inclusion(size: int, index: int, known: Mapping[Node, bytes]) -> list[bytes]:
    """Return the inclusion path of a leaf, from its sibling up to a child of the root.

    Args:
        size: How many leaves the tree has.
        index: The leaf's place, less than the size.
        known: At least the nodes of `needed_for_inclusion`.
    """
    return [_root_of(span, known) for span in _beside(size, index)]


def consistency(old: int, new: int, known: Mapping[Node, bytes]) -> list[bytes]:
    """Return the proof that the tree of the old size is the beginning of the tree of the new size.

    Args:
        old: At least 1: nothing is to be proved of the empty tree.
        new: At least the old size.
        known: At least the nodes of `needed_for_consistency`.
    """
    return [_root_of(span, known) for span in _between(old, new)]


# ---- verification -------------------------------------------------------------------------------


def includes(tree_root: bytes, size: int, index: int, leaf: bytes, path: Sequence[bytes]) -> bool:
    """Report whether the path leads from this leaf hash, at this index, to the root of a tree of this size.

    Size and index come from strangers and may be anything; the path's items have 32 bytes.
    """
    if not 0 <= index < size:
        return False
    beside = _beside(size, index)
    if len(path) != len(beside):
        return False
    node = leaf
    for (first, _), sibling in zip(beside, path, strict=True):
        node = node_hash(node, sibling) if first > index else node_hash(sibling, node)
    return node == tree_root


def extends(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Report whether the proof shows that the tree of the new size begins with the tree of the old size.

    Sizes come from strangers and may be anything; the proof's items have 32 bytes. The empty tree is refused.
    """
    if not 1 <= old <= new:
        return False
    if old == new:
        return not proof and old_root == new_root
    spans = _between(old, new)
    if len(proof) != len(spans):
        return False
    # Where the old tree is itself a node of the new one, its root begins the proof and is left out of it.
    if spans[0][0] < old:
        before = after = proof[0]
        spans, proof = spans[1:], proof[1:]
    else:
        before = after = old_root
    for (first, _), node in zip(spans, proof, strict=True):
        if first >= old:
            after = node_hash(after, node)
        else:
            before, after = node_hash(node, before), node_hash(node, after)
    return before == old_root and after == new_root


# ---- the shape of trees -------------------------------------------------------------------------


def _split(size: int) -> int:
    """Return the largest power of two less than the size, which is where RFC 6962 cuts a tree in two."""
    return 1 << ((size - 1).bit_length() - 1)


def _beside(size: int, index: int) -> list[Span]:
    """Return the leaves under each sibling on the way from a leaf up to the root."""
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


def _between(old: int, new: int) -> list[Span]:
    """Return the leaves under each item of a consistency proof, in its order."""
    spans: list[Span] = []
    first, end = 0, new
    while end != old:
        middle = first + _split(end - first)
        if old <= middle:
            spans.append((middle, end))
            end = middle
        else:
            spans.append((first, middle))
            first = middle
    if first:
        spans.append((first, end))
    return spans[::-1]


def _cover(span: Span) -> list[Node]:
    """Return the complete subtrees that make up a span that RFC 6962 can cut out, from left to right."""
    nodes: list[Node] = []
    first, end = span
    while first < end:
        level = (end - first).bit_length() - 1
        nodes.append((level, first >> level))
        first += 1 << level
    return nodes


def _root_of(span: Span, known: Mapping[Node, bytes]) -> bytes:
    nodes = _cover(span)
    found = known[nodes.pop()]
    while nodes:
        found = node_hash(known[nodes.pop()], found)
    return found
