"""Checkpoints and cosignatures (C2SP tlog-checkpoint, tlog-cosignature)."""

from __future__ import annotations

import re

import pytest

from domain.log import checkpoints, merkle
from domain.log.checkpoints import NUMBER_MAX, checkpoint_of, cosign, cosigning_time, is_signed_by, sign_checkpoint
from domain.log.notes import COSIGNATURE, ED25519, Key, Malformed, Note, Signature
from infra.keys import Ed25519Signer, ed25519_verify
from tests.log.log_keys import LOG, ORIGIN, SIGNER, WITNESSES

LOG_KEY = Key(ORIGIN, ED25519, SIGNER.public_key)
NAME, WITNESS = next(iter(WITNESSES.items()))
WITNESS_KEY = Key(NAME, COSIGNATURE, WITNESS.public_key)
ENTRIES = [merkle.leaf_hash(entry.encode()) for entry in LOG["entries"]]
ROOT = merkle.root(ENTRIES)
PLAIN = sign_checkpoint(ORIGIN, len(ENTRIES), ROOT, SIGNER)


@pytest.mark.parametrize("text", LOG["checkpoints"], ids=lambda text: text.split("\n")[1])
def test_a_published_checkpoint_is_made_again_byte_for_byte(text: str) -> None:
    checkpoint = checkpoint_of(text)
    made = sign_checkpoint(ORIGIN, checkpoint.size, merkle.root(ENTRIES[: checkpoint.size]), SIGNER)
    assert is_signed_by(checkpoint, LOG_KEY, ed25519_verify)
    for name, signer in WITNESSES.items():
        at = cosigning_time(checkpoint, Key(name, COSIGNATURE, signer.public_key), ed25519_verify)
        made = made if at is None else cosign(made, name, at, signer)
    assert made == text
    assert (checkpoint.origin, str(checkpoint.note)) == (ORIGIN, text)


def test_while_keys_change_both_sign_one_checkpoint() -> None:
    other = Ed25519Signer(bytes(32))
    both = checkpoint_of(sign_checkpoint(ORIGIN, len(ENTRIES), ROOT, other, SIGNER))
    assert [is_signed_by(both, Key(ORIGIN, ED25519, each.public_key), ed25519_verify) for each in (other, SIGNER)] == [
        True,
        True,
    ]
    assert str(Note(both.note.text, both.note.signatures[1:])) == PLAIN


def test_without_a_line_by_a_key_nothing_is_said_of_it() -> None:
    checkpoint = checkpoint_of(PLAIN)
    assert is_signed_by(checkpoint, Key("another", ED25519, SIGNER.public_key), ed25519_verify) is None
    assert cosigning_time(checkpoint, WITNESS_KEY, ed25519_verify) is None


def test_a_signature_of_another_tree_does_not_fit() -> None:
    other = sign_checkpoint(ORIGIN, 1, bytes(32), SIGNER)
    forged = re.sub("\u2014.*\n", "\u2014" + other.split("\u2014")[1], PLAIN)
    assert is_signed_by(checkpoint_of(forged), LOG_KEY, ed25519_verify) is False


def test_a_cosignature_covers_the_time() -> None:
    seen = checkpoint_of(cosign(PLAIN, NAME, 1_700_000_000, WITNESS))
    assert cosigning_time(seen, WITNESS_KEY, ed25519_verify) == 1_700_000_000
    line = seen.note.signatures[1]
    earlier = Signature(line.name, line.key_id, (1_600_000_000).to_bytes(8, "big") + line.value[8:])
    with pytest.raises(Malformed, match="does not fit"):
        cosigning_time(
            checkpoint_of(str(Note(seen.note.text, (seen.note.signatures[0], earlier)))), WITNESS_KEY, ed25519_verify
        )


def test_a_time_is_below_two_to_the_63() -> None:
    with pytest.raises(Malformed, match="does not fit"):
        cosigning_time(checkpoint_of(cosign(PLAIN, NAME, NUMBER_MAX + 1, WITNESS)), WITNESS_KEY, ed25519_verify)


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        (f"{ORIGIN}\n40\n", "\n40\n"),
        (f"{ORIGIN}\n40\n", f"{ORIGIN}\n"),
        ("\n40\n", "\n040\n"),
        ("\n40\n", "\n-1\n"),
        ("\n40\n", "\n4_0\n"),
        ("\n40\n", "\n\u0664\n"),
        ("\n40\n", "\n\u00b2\n"),
        ("\n40\n", "\n\n"),
        ("\n40\n", f"\n{2**63}\n"),
        ("\n40\n", "\n" + "9" * 5_000 + "\n"),
        ("=\n\n", "=\nextension\n\n"),
        ("=\n\n", "\n\n"),
        ("\n40\n", "\n40\nAAAA\n"),
    ],
)
def test_anything_else_is_no_checkpoint(what: str, instead: str) -> None:
    assert what in PLAIN
    with pytest.raises(Malformed):
        checkpoint_of(PLAIN.replace(what, instead))


def test_a_root_has_32_bytes() -> None:
    with pytest.raises(Malformed, match="32 bytes"):
        checkpoint_of(sign_checkpoint(ORIGIN, 1, bytes(31), SIGNER))


def test_the_greatest_number_is_a_number() -> None:
    assert checkpoints.decimal(str(NUMBER_MAX)) == NUMBER_MAX
