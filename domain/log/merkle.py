r"""RFC 6962 Merkle trees, kept as the hashes of their complete subtrees.

A place `(level, index)` is a complete subtree: it covers the leaves `index * 2**level` up to `(index + 1) * 2**level`,
and is a leaf hash at level 0. Complete subtrees never change as the tree grows, so a log in a database stores them once
and answers every question about every size it ever had. Any question is about spans of leaves:

    size 7:        root                    the root        is the hash of (0, 7), made of (2,0) (1,2) (0,6)
                  /    \                   inclusion of 4  is those of (5, 6) (6, 7) (0, 4)
              (2,0)     .                  consistency     of 6 and 7 is those of (4, 6) (6, 7) (0, 4)
             /    \    / \
         (1,0) (1,1) (1,2) (0,6)

Which places a span is made of follows from the span alone (`nodes_of`), so a caller may fetch their hashes however it
likes, all at once; the hash of the span is then a pure function of them (`hash_of`).

Source: RFC 6962 section 2.1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

HASH_BYTES: Final = 32
Place = tuple[int, int]
"""A complete subtree: its level and its index in that level."""
Span = tuple[int, int]
"""Leaves from the first up to, and without, the second, such as RFC 6962 cuts out of a tree."""


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of an entry as a leaf."""
    return hashlib.sha256(b"\x00" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of two subtrees side by side."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root(hashes: Sequence[bytes]) -> bytes:
    """Return the root of the tree over these leaf hashes. Cost: one hash for each leaf."""
    return hash_of((0, len(hashes)), subtrees(hashes))


def subtrees(hashes: Sequence[bytes]) -> dict[Place, bytes]:
    """Return every complete subtree of the tree over these leaf hashes. Cost: one hash for each leaf, two kept."""
    found = {(0, index): leaf for index, leaf in enumerate(hashes)}
    level, row = 0, list(hashes)
    while len(row) > 1:
        level += 1
        row = [node_hash(row[i], row[i + 1]) for i in range(0, len(row) - 1, 2)]
        found.update(((level, index), node) for index, node in enumerate(row))
    return found


def new_subtrees(index: int, leaf: bytes, known: Mapping[Place, bytes]) -> dict[Place, bytes]:
    """Return the complete subtrees that the leaf at this index completes, itself among them: what a log has to store.

    Args:
        index: The leaf's index, which is the size of the tree before it.
        leaf: Its leaf hash.
        known: At least the hashes of `nodes_of([(0, index)])`.

    Cost: at most log2 of the size in hashes, and 1 on average.
    """
    added = {(0, index): leaf}
    level, node = 0, leaf
    while index & 1:
        node = node_hash(known[level, index - 1], node)
        level, index = level + 1, index >> 1
        added[level, index] = node
    return added


# ---- spans --------------------------------------------------------------------------------------


def nodes_of(spans: Iterable[Span]) -> list[Place]:
    """Return the complete subtrees that these spans are made of, left to right: at most log2 of the size for each."""
    return [place for span in spans for place in _nodes_of(span)]


def hash_of(span: Span, known: Mapping[Place, bytes]) -> bytes:
    """Return the hash of a span of leaves; that of all leaves is the root of the tree, which an empty tree has too.

    Args:
        span: The leaves.
        known: At least the hashes of `nodes_of([span])`.
    """
    nodes = _nodes_of(span)
    if not nodes:
        return hashlib.sha256(b"").digest()
    found = known[nodes.pop()]
    while nodes:
        found = node_hash(known[nodes.pop()], found)
    return found


def inclusion_spans(size: int, index: int) -> list[Span]:
    """Return the spans whose hashes are the inclusion path of a leaf, from its sibling up to a child of the root.

    Args:
        size: How many leaves the tree has.
        index: The leaf's index, less than the size.

    Cost: at most log2 of the size in spans, and 2 log2 of it in places.

    Source:
        RFC 6962 section 2.1.1.
    """
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
    """Return the spans whose hashes prove that the tree of the old size is the beginning of the tree of this size.

    Args:
        old: At least 1: nothing is to be proved of the empty tree.
        size: At least the old size.

    Cost: at most 1 + log2 of the size in spans, and 2 log2 of it in places.

    Source:
        RFC 6962 section 2.1.2.
    """
    spans: list[Span] = []
    first, end = 0, size
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


# ---- verification -------------------------------------------------------------------------------


def includes(tree_root: bytes, size: int, index: int, leaf: bytes, path: Sequence[bytes]) -> bool:
    """Report whether the path leads from this leaf hash, at this index, to the root of a tree of this size.

    Size, index and leaf come from strangers and may be anything; the path's items have 32 bytes.
    """
    if not 0 <= index < size or len(leaf) != HASH_BYTES:
        return False
    beside = inclusion_spans(size, index)
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
    spans = consistency_spans(old, new)
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


def _split(size: int) -> int:
    """Return the largest power of two less than the size, which is where RFC 6962 cuts a tree in two."""
    return 1 << ((size - 1).bit_length() - 1)


def _nodes_of(span: Span) -> list[Place]:
    nodes: list[Place] = []
    first, end = span
    while first < end:
        level = (end - first).bit_length() - 1
        nodes.append((level, first >> level))
        first += 1 << level
    return nodes
