"""The heads a witness signs (C2SP tlog-witness): only those that continue what it has signed before."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log import merkle
from domain.log.checkpoints import Checkpoint, checkpoint_of, sign_checkpoint
from domain.log.notes import ED25519, Key, Note, Signature
from domain.log.proofs import Consistency
from domain.log.witnessing import NOTHING, Head, WitnessAnswer, contradicts, judge, signatures_of
from infra.keys import Ed25519Signer, ed25519_verify
from tests.log.log_keys import ORIGIN, SIGNER

LEAVES = [merkle.leaf_hash(bytes([number])) for number in range(9)]
KNOWN = merkle.subtrees(LEAVES)
KEY = Key(ORIGIN, ED25519, SIGNER.public_key)
OTHER = Ed25519Signer(bytes(32))


def head(size: int) -> Head:
    return Head(size, merkle.hash_of((0, size), KNOWN))


def checkpoint(of: Head) -> Checkpoint:
    return checkpoint_of(sign_checkpoint(ORIGIN, of.size, of.root, SIGNER))


def proof(old: int, new: int) -> tuple[bytes, ...]:
    spans = merkle.consistency_spans(old, new) if old else []
    return tuple(merkle.hash_of(span, KNOWN) for span in spans)


def judged(newest: Head, old: int, asked: Head, path: tuple[bytes, ...], *, signed: bool = True) -> WitnessAnswer:
    return judge(newest, Consistency(old, path, ""), checkpoint(asked), signed)


@given(old=st.integers(0, 9), new=st.integers(0, 9))
def test_a_log_that_grows_is_signed(old: int, new: int) -> None:
    old, new = min(old, new), max(old, new)
    assert judged(head(old), old, head(new), proof(old, new)) is WitnessAnswer.SIGNED


@pytest.mark.parametrize(
    ("newest", "old", "asked", "path", "answer"),
    [
        (head(5), 6, head(5), (), WitnessAnswer.BACKWARDS),
        (head(5), 5, head(4), (), WitnessAnswer.BACKWARDS),
        (head(5), 3, head(5), proof(3, 5), WitnessAnswer.BEHIND),
        (head(5), 3, head(4), proof(3, 4), WitnessAnswer.BEHIND),
        (NOTHING, 3, head(5), proof(3, 5), WitnessAnswer.BEHIND),
        (head(5), 0, head(7), (), WitnessAnswer.BEHIND),
        (head(5), 5, head(7), (), WitnessAnswer.UNPROVED),
        (head(5), 5, head(7), proof(4, 7), WitnessAnswer.UNPROVED),
        (head(5), 5, head(7), (*proof(5, 7), bytes(32)), WitnessAnswer.UNPROVED),
        (head(5), 5, head(5), (bytes(32),), WitnessAnswer.UNPROVED),
        (NOTHING, 0, head(7), (bytes(32),), WitnessAnswer.UNPROVED),
        (NOTHING, 0, NOTHING, (bytes(32),), WitnessAnswer.UNPROVED),
        (head(5), 5, Head(7, bytes(32)), proof(5, 7), WitnessAnswer.UNPROVED),
        (head(5), 5, Head(5, bytes(32)), (), WitnessAnswer.FORKED),
        (NOTHING, 0, Head(0, bytes(32)), (), WitnessAnswer.FORKED),
    ],
)
def test_what_does_not_continue_it_is_not(
    newest: Head, old: int, asked: Head, path: tuple[bytes, ...], answer: WitnessAnswer
) -> None:
    assert judged(newest, old, asked, path) is answer


def test_nothing_is_told_of_a_log_that_did_not_sign() -> None:
    assert judged(head(5), 3, Head(5, bytes(32)), (), signed=False) is WitnessAnswer.UNSIGNED


def test_two_roots_of_one_size_contradict_each_other() -> None:
    assert contradicts(head(5), Head(5, bytes(32)))
    assert not contradicts(head(5), head(5))
    assert not contradicts(head(5), Head(6, bytes(32)))


# ---- signatures -------------------------------------------------------------------------------


def with_lines(*lines: Signature) -> Checkpoint:
    note = checkpoint(head(3)).note
    return checkpoint_of(str(Note(note.text, lines)))


GOOD = checkpoint(head(3)).note.signatures[0]
BAD = Signature(GOOD.name, GOOD.key_id, bytes(64))
STRANGE = Signature("stranger.example", b"1234", bytes(64))


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ((GOOD,), (GOOD,)),
        ((STRANGE, GOOD), (GOOD,)),
        ((STRANGE,), ()),
        ((BAD,), ()),
        ((GOOD, BAD), ()),
        ((BAD, GOOD), ()),
    ],
)
def test_the_lines_of_the_log_count_if_all_of_them_fit(
    lines: tuple[Signature, ...], found: tuple[Signature, ...]
) -> None:
    assert signatures_of(with_lines(*lines), [KEY], ed25519_verify) == found


def test_a_log_may_have_two_keys_while_one_follows_the_other() -> None:
    keys = [KEY, Key(ORIGIN, ED25519, OTHER.public_key)]
    by_other = checkpoint_of(sign_checkpoint(ORIGIN, 3, head(3).root, OTHER)).note.signatures[0]
    assert signatures_of(with_lines(by_other), keys, ed25519_verify) == (by_other,)
    assert signatures_of(with_lines(by_other, GOOD), keys, ed25519_verify) == (by_other, GOOD)
    assert signatures_of(with_lines(by_other, GOOD), keys[:1], ed25519_verify) == (GOOD,)
    assert signatures_of(with_lines(by_other), keys[:1], ed25519_verify) == ()
