"""Anchors, and the proofs that they are in the log (CUP/1 sections 4.9 and 4.10, C2SP tlog-proof)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log import proofs
from domain.log.notes import Malformed
from domain.log.proofs import Consistency, Inclusion
from tests.log.log_keys import LOG

NOTE = LOG["checkpoints"][-1]
hashes = st.lists(st.binary(min_size=32, max_size=32), max_size=63).map(tuple)
numbers = st.integers(0, 2**63 - 1)


def test_an_anchor_is_spelled_as_published() -> None:
    for entry in LOG["entries"]:
        _, stream, seq, head, kind, end = entry.split("\n")
        assert end == ""
        assert proofs.anchor_entry(stream, int(seq), head, kind) == entry.encode()


@given(numbers, hashes, st.none() | st.binary())
def test_an_inclusion_proof_that_is_written_is_read(index: int, path: tuple[bytes, ...], extra: bytes | None) -> None:
    proof = Inclusion(index, path, NOTE, extra)
    assert proofs.inclusion_of(proofs.encode_inclusion(proof)) == proof


@given(numbers, hashes)
def test_a_consistency_proof_that_is_written_is_read(old: int, path: tuple[bytes, ...]) -> None:
    proof = Consistency(old, path, NOTE)
    assert proofs.consistency_of(proofs.encode_consistency(proof)) == proof


GOOD = proofs.encode_inclusion(Inclusion(3, (bytes(32),), NOTE, b"x"))
GROWN = proofs.encode_consistency(Consistency(3, (bytes(32),), NOTE))


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("@v1", "@v2"),
        ("index 3", "index 03"),
        ("index 3", "index -3"),
        ("index 3", "Index 3"),
        ("index 3\n", ""),
        ("extra eA==", "extra e"),
        ("extra eA==", "extra eA==\nextra eA=="),
        ("AAA=\n", "AAA\n"),
        ("AAA=\n", "AAAA=\n"),
        ("\n\n", "\n"),
        (GOOD, ""),
        (GOOD, "\n\n"),
        (GOOD, f"{proofs.HEADER}\nindex 3"),
        ("index 3", "3"),
        (GOOD, f"{proofs.HEADER}\n\n"),
        ("\n\n", "\n" + "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n" * 64 + "\n"),
    ],
)
def test_anything_else_is_no_inclusion_proof(what: str, instead: str) -> None:
    assert what in GOOD
    with pytest.raises(Malformed):
        proofs.inclusion_of(GOOD.replace(what, instead))


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("old 3", "old 3 "),
        ("old 3", "new 3"),
        ("old 3", "3"),
        (GROWN, "old 3"),
        ("old 3\n", ""),
        ("\n\n", "\n"),
        (GROWN, ""),
    ],
)
def test_anything_else_is_no_consistency_proof(what: str, instead: str) -> None:
    assert what in GROWN
    with pytest.raises(Malformed):
        proofs.consistency_of(GROWN.replace(what, instead))
