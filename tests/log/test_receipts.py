"""Receipts: signed by the log's key, no checkpoint to anybody, and a proof against a record that says otherwise."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.log import receipts
from domain.log.canonical import head, line
from domain.log.checkpoints import NUMBER_MAX, checkpoint_of, sign_checkpoint
from domain.log.notes import Malformed
from domain.log.policies import is_signed, policy_of
from domain.log.receipts import compare, receipt_of, sign_receipt, split, without_torn_end
from infra.keys import Ed25519Signer, ed25519_verify
from tests.log.log_keys import ORIGIN, POLICY, SIGNER

STREAM = "match/09feebed-f45a-44f6-94c7-cee9cb798097"
OTHER = "match/09feebed-f45a-44f6-94c7-cee9cb798098"
BELIEVED = policy_of(POLICY)
STRANGER = Ed25519Signer(b"s" * 32)


def stream(*kinds: str, name: str = STREAM, say: str = "") -> list[bytes]:
    """Return lines of these types, chained."""
    lines: list[bytes] = []
    for seq, kind in enumerate(kinds):
        prev = head(lines[-1]) if lines else "0" * 64
        lines.append(line(name, seq, prev, 1, kind, {"say": say if seq else ""}))
    return lines


LINES = stream("match.created", "game.bid", "game.bid", "match.ended")


def receipt(seq: int, lines: list[bytes] = LINES, name: str = STREAM, signer: Ed25519Signer = SIGNER) -> str:
    return sign_receipt(ORIGIN, name, seq, head(lines[seq]), signers=(signer,))


def test_a_receipt_has_four_lines_and_the_signature_of_the_log() -> None:
    text = receipt(1)
    body, signature = text.split("\n\n")
    assert body == f"CUP1 receipt\n{STREAM}\n1\n{head(LINES[1])}"
    assert signature.startswith(f"\u2014 {ORIGIN} ")
    assert is_signed(receipt_of(text).note, BELIEVED, ed25519_verify)
    assert receipt(1) == text, "the same each time"


@given(st.integers(0, NUMBER_MAX), st.binary(max_size=8))
def test_what_was_signed_is_read_back(seq: int, seed: bytes) -> None:
    digest = hashlib.sha256(seed).hexdigest()
    found = receipt_of(sign_receipt(ORIGIN, STREAM, seq, digest, signers=(SIGNER,)))
    assert (found.stream, found.seq, found.head) == (STREAM, seq, digest)


def test_no_receipt_is_a_checkpoint_and_no_checkpoint_a_receipt() -> None:
    with pytest.raises(Malformed):
        checkpoint_of(receipt(1))
    with pytest.raises(Malformed):
        receipt_of(sign_checkpoint(ORIGIN, 7, bytes(32), SIGNER))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CUP1 receipt", "CUP1 anchor"),
        (STREAM, "match"),
        (STREAM, "20852163"),
        ("\n1\n", "\n01\n"),
        ("\n1\n", "\n-1\n"),
        (head(LINES[1]), head(LINES[1]).upper()),
        (head(LINES[1]), head(LINES[1])[:-1]),
        ("\n\n", "\nmore\n\n"),
        ("\n\n", "\n"),
    ],
)
def test_anything_else_is_refused(old: str, new: str) -> None:
    with pytest.raises(Malformed):
        receipt_of(receipt(1).replace(old, new, 1))


def test_a_receipt_counts_only_as_signed_by_a_log_of_the_policy() -> None:
    assert not is_signed(receipt_of(receipt(1, signer=STRANGER)).note, BELIEVED, ed25519_verify)
    forged = receipt(1).replace(head(LINES[1]), head(LINES[2]))
    assert not is_signed(receipt_of(forged).note, BELIEVED, ed25519_verify)


def test_while_the_key_changes_whoever_believes_either_believes_the_receipt() -> None:
    both = receipt_of(sign_receipt(ORIGIN, STREAM, 1, head(LINES[1]), signers=(STRANGER, SIGNER)))
    assert len(both.note.signatures) == 2
    assert is_signed(both.note, BELIEVED, ed25519_verify)


def test_a_record_bears_out_the_receipts_for_its_own_lines() -> None:
    found = compare(LINES, map(receipt, range(4)), BELIEVED, ed25519_verify)
    assert (found.borne_out, found.later, found.strange, found.contradicted) == (4, 0, (), ())


def test_a_record_with_another_line_is_contradicted_by_every_receipt_from_there_on() -> None:
    rewritten = stream("match.created", "game.bid", "game.bid", "match.ended", say="something else")
    found = compare(rewritten, map(receipt, (3, 0, 1)), BELIEVED, ed25519_verify)
    assert found.borne_out == 1
    assert [(each.number, each.line) for each in found.contradicted] == [(3, 2), (1, 4)]
    assert "rewritten" in found.contradicted[0].why


@pytest.mark.parametrize("of", [("match.created", "match.ended"), ("tournament.created", "tournament.closed")])
def test_a_finished_record_that_ends_before_a_receipt_is_contradicted(of: tuple[str, str]) -> None:
    short = stream(*of)
    found = compare(short, [receipt(3)], BELIEVED, ed25519_verify)
    assert [(each.number, each.line) for each in found.contradicted] == [(1, 4)]
    assert "ends before" in found.contradicted[0].why


def test_an_unfinished_record_may_still_come_to_a_receipt() -> None:
    found = compare(LINES[:2], map(receipt, (0, 3)), BELIEVED, ed25519_verify)
    assert (found.borne_out, found.later, found.contradicted) == (1, 1, ())


def test_what_nobody_believed_has_signed_proves_nothing() -> None:
    rewritten = stream("match.created", "game.bid", say="something else")
    given = ["no note", receipt(1, signer=STRANGER), receipt(1, stream("a", "b", name=OTHER), OTHER)]
    found = compare(rewritten, given, BELIEVED, ed25519_verify)
    assert (found.borne_out, found.strange, found.contradicted) == (0, (1, 2, 3), ())


def test_without_a_policy_no_signature_is_judged() -> None:
    found = compare(LINES, [receipt(1, signer=STRANGER)], None, ed25519_verify)
    assert (found.borne_out, found.strange) == (1, ())


def test_a_file_of_receipts_is_one_after_the_other() -> None:
    notes = tuple(map(receipt, range(3)))
    assert split("".join(notes)) == notes
    assert split("\n" + "\n\n".join(notes) + "\n\n") == notes
    assert split("") == ()


KEPT = f'CUP1 command\n{STREAM}\n{{"command":{{"type":"look"}},"n":1}}\n'


@given(st.lists(st.sampled_from([receipt(1), receipt(2), KEPT]), max_size=4), st.data())
def test_of_a_file_that_ends_within_a_note_all_notes_before_it_are_there(notes: list[str], data: st.DataObject) -> None:
    file = "".join(notes).encode()
    size = data.draw(st.integers(0, len(file)))
    ends = [len("".join(notes[:count]).encode()) for count in range(len(notes) + 1)]
    # Without its last newline a note says all that it says with it.
    whole = max(count for count, end in enumerate(ends) if end <= size + 1 and (end <= size or count))
    assert without_torn_end(file[:size]) == "".join(notes[:whole])


def test_a_file_may_end_within_a_character() -> None:
    file = receipt(1).encode()
    within = file.index("\N{EM DASH}".encode()) + 1
    assert without_torn_end(receipt(2).encode() + file[:within]) == receipt(2)
    assert without_torn_end(file[:within]) == ""


@pytest.mark.parametrize("note", [receipt(1), KEPT], ids=["receipt", "command"])
def test_a_note_lacks_nothing_but_its_last_newline_or_is_no_note(note: str) -> None:
    for lacks, left in ((0, note), (1, note), (2, ""), (len(note) - 5, ""), (len(note), "")):
        assert without_torn_end((receipt(2) + note[: len(note) - lacks]).encode()) == receipt(2) + left


def test_what_else_is_wrong_with_a_file_stays() -> None:
    for file in (receipt(1) + "and this\n", receipt(1).replace("receipt\nmatch", "receipt\n"), KEPT + "?\n"):
        assert without_torn_end(file.encode()) == file
    with pytest.raises(Malformed):
        without_torn_end(b"\xff" + receipt(1).encode())
    with pytest.raises(Malformed):
        without_torn_end(b"hello\n")


def test_a_file_of_anything_else_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Malformed):
        split("hello\n" + receipt(1))
    monkeypatch.setattr(receipts, "RECEIPTS_MAX", 2)
    with pytest.raises(Malformed):
        split(receipt(1) * 3)
