"""RFC 6962 trees: the published ones, and the laws of all."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log import merkle

TREES = json.loads((Path(__file__).parent.parent / "fairness/vectors/merkle.json").read_text(encoding="utf-8"))

sizes = st.integers(1, 70)


def leaves(size: int) -> list[bytes]:
    return [merkle.leaf_hash(str(index).encode()) for index in range(size)]


def head_of(hashes: Sequence[bytes]) -> bytes:
    """MTH of RFC 6962 section 2.1, word for word."""
    if len(hashes) <= 1:
        return hashes[0] if hashes else hashlib.sha256(b"").digest()
    k = 1
    while 2 * k < len(hashes):
        k *= 2
    return merkle.node_hash(head_of(hashes[:k]), head_of(hashes[k:]))


def path_of(size: int, index: int, known: dict[merkle.Place, bytes]) -> list[bytes]:
    return [merkle.hash_of(span, known) for span in merkle.inclusion_spans(size, index)]


def growth_of(old: int, size: int, known: dict[merkle.Place, bytes]) -> list[bytes]:
    return [merkle.hash_of(span, known) for span in merkle.consistency_spans(old, size)]


@pytest.mark.parametrize("tree", TREES, ids=lambda tree: f"{tree['size']} leaves")
def test_a_published_tree_has_its_root_and_its_proofs(tree: dict[str, Any]) -> None:
    hashes = [merkle.leaf_hash(bytes.fromhex(leaf)) for leaf in tree["leaves"]]
    known, root = merkle.subtrees(hashes), bytes.fromhex(tree["root"])
    assert merkle.root(hashes) == root
    for each in tree["inclusion"]:
        path = [bytes.fromhex(item) for item in each["path"]]
        assert path_of(tree["size"], each["index"], known) == path
        assert merkle.includes(root, tree["size"], each["index"], hashes[each["index"]], path)
    for each in tree["consistency"]:
        proof = [bytes.fromhex(item) for item in each["proof"]]
        assert growth_of(each["old"], tree["size"], known) == proof
        assert merkle.extends(each["old"], bytes.fromhex(each["old_root"]), tree["size"], root, proof)


@given(st.integers(0, 70))
def test_the_root_is_that_of_the_definition(size: int) -> None:
    assert merkle.root(leaves(size)) == head_of(leaves(size))


@given(st.integers(0, 300))
def test_a_log_that_grows_leaf_by_leaf_stores_what_the_whole_tree_holds(size: int) -> None:
    log: dict[merkle.Place, bytes] = {}
    for index, leaf in enumerate(leaves(size)):
        needed = {place: log[place] for place in merkle.nodes_of([(0, index)])}
        log.update(merkle.new_subtrees(index, leaf, needed))
    assert log == merkle.subtrees(leaves(size))


@given(sizes, st.data())
def test_a_question_reads_no_more_than_it_says_and_at_most_two_a_level(size: int, data: st.DataObject) -> None:
    known = merkle.subtrees(leaves(size))
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    for spans in ([(0, size)], merkle.inclusion_spans(size, index), merkle.consistency_spans(old, size)):
        needed = merkle.nodes_of(spans)
        assert len(needed) <= 2 * size.bit_length()
        few = {place: known[place] for place in needed}
        assert [merkle.hash_of(span, few) for span in spans] == [merkle.hash_of(span, known) for span in spans]


@given(sizes, st.data())
def test_only_the_path_of_the_leaf_leads_to_the_root(size: int, data: st.DataObject) -> None:
    hashes = leaves(size)
    known, root = merkle.subtrees(hashes), merkle.root(hashes)
    index, other = data.draw(st.integers(0, size - 1)), data.draw(st.integers(-2, size + 2))
    path = path_of(size, index, known)
    assert merkle.includes(root, size, index, hashes[index], path)
    assert merkle.includes(root, size, other, hashes[index], path) == (other == index)
    assert not merkle.includes(root, size, index, merkle.leaf_hash(b"another"), path)
    assert not merkle.includes(root, size, index, hashes[index], [*path, root])
    for place in range(len(path)):
        assert not merkle.includes(root, size, index, hashes[index], [*path[:place], root, *path[place + 1 :]])
        assert not merkle.includes(root, size, index, hashes[index], path[:place] + path[place + 1 :])


@given(sizes, st.data())
def test_only_a_log_that_grew_is_consistent(size: int, data: st.DataObject) -> None:
    hashes = leaves(size)
    known, root = merkle.subtrees(hashes), merkle.root(hashes)
    old = data.draw(st.integers(1, size))
    old_root, proof = merkle.root(hashes[:old]), growth_of(old, size, known)
    forked = merkle.root([*hashes[: old - 1], merkle.leaf_hash(b"another")])
    assert merkle.extends(old, old_root, size, root, proof)
    assert not merkle.extends(old, forked, size, root, proof)
    assert not merkle.extends(old, old_root, size, forked, proof)
    assert not merkle.extends(old, old_root, size, root, [*proof, root])
    for place in range(len(proof)):
        assert not merkle.extends(old, old_root, size, root, [*proof[:place], old_root, *proof[place + 1 :]])
        assert not merkle.extends(old, old_root, size, root, proof[:place] + proof[place + 1 :])


def test_nothing_is_consistent_with_an_empty_log_or_with_a_longer_one() -> None:
    root = merkle.root(leaves(3))
    assert not merkle.extends(0, merkle.root([]), 3, root, [])
    assert not merkle.extends(4, root, 3, root, [])


def test_a_leaf_hash_has_32_bytes() -> None:
    assert merkle.includes(bytes(32), 1, 0, bytes(32), [])
    assert not merkle.includes(b"", 1, 0, b"", [])


def test_sizes_of_strangers_cost_no_more_than_their_length() -> None:
    assert not merkle.includes(b"", 2**63 - 1, 2**62, b"", [])
    assert not merkle.extends(2**62 + 1, b"", 2**63 - 1, b"", [])
