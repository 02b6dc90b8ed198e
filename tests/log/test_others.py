"""Vectors that others published for the same formats: Go's notes, certificate transparency's trees, RFC 8785, Ed25519.

They are data only, in neutral JSON that names source and licence, for any auditor in any language.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from domain.log import canonical, checkpoints, merkle, notes
from domain.log.canonical import NotCanonical
from domain.log.notes import ED25519, Malformed, Note, Signature
from infra.keys import Ed25519Signer, ed25519_verify

VECTORS = Path(__file__).parent / "vectors"
NOTE, TREES, CANONICAL, PRIMITIVES = (
    json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("note", "trees", "canonical", "primitives")
)
ORDER = 2**252 + 27742317777372353535851937790883648493
"""The order of the group of Ed25519 (RFC 8032 section 5.1)."""


@pytest.mark.parametrize("vectors", [NOTE, TREES, CANONICAL, PRIMITIVES])
def test_vectors_by_others_say_whose_they_are(vectors: dict[str, Any]) -> None:
    assert vectors["source"]
    assert vectors["licence"]


# ---- notes (golang.org/x/mod/sumdb/note) ------------------------------------------------------------


def signer_of(key: dict[str, Any]) -> Ed25519Signer:
    """Return the signer of a published private key, which ends in its type and its seed."""
    seed = bytes.fromhex(key["seed"]) if key["skey"] is None else b64decode(key["skey"].split("+", 4)[4])[1:]
    return Ed25519Signer(seed)


@pytest.mark.parametrize(("key", "line"), list(zip(NOTE["keys"], NOTE["signed"], strict=True)))
def test_a_note_is_signed_as_go_signs_it(key: dict[str, Any], line: str) -> None:
    known, signer = notes.key_of(key["vkey"]), signer_of(key)
    assert (known.kind, known.public_key, str(known)) == (ED25519, signer.public_key, key["vkey"])
    signature = Signature(known.name, known.id, signer.sign(NOTE["text"].encode()))
    assert str(signature) == line
    note = notes.parse(NOTE["text"] + "\n" + "".join(NOTE["signed"]))
    assert note.by(known) == signature
    assert ed25519_verify(known.public_key, note.text.encode(), signature.value)


def test_no_part_of_a_verifier_key_and_none_with_another_character_is_one() -> None:
    vkey = NOTE["keys"][0]["vkey"]
    parts = [vkey[i:j] for i in range(len(vkey)) for j in range(i + 1, len(vkey) + 1)]
    others = [vkey[:i] + chr(ord(vkey[i]) + 1) + vkey[i + 1 :] for i in range(len(vkey))]
    for bad in {*parts, *others, *NOTE["bad_keys"]} - {vkey}:
        with pytest.raises(Malformed):
            notes.key_of(bad)


@pytest.mark.parametrize("bad", NOTE["bad_notes"])
def test_what_go_takes_for_no_note_is_none(bad: str) -> None:
    with pytest.raises(Malformed):
        notes.parse(bad)


def test_a_hundred_and_one_signatures_are_too_many() -> None:
    with pytest.raises(Malformed):
        notes.parse(NOTE["text"] + "\n" + NOTE["signed"][0] * 101)


def test_a_signature_by_another_name_or_another_key_is_not_by_this_one() -> None:
    key, line = notes.key_of(NOTE["keys"][0]["vkey"]), NOTE["signed"][0]
    for changed in (line.replace("PeterNeumann", "CarmenSandiego"), line.replace("x08g", "xxxx")):
        assert notes.parse(NOTE["text"] + "\n" + changed).by(key) is None


def test_the_head_of_a_tree_is_read_as_go_reads_it() -> None:
    tree = NOTE["tree"]
    head = checkpoints.checkpoint_of(str(Note(tree["text"], (Signature("x", bytes(4), b"x"),))))
    assert (head.origin, head.size) == ("go.sum database tree", tree["size"])
    assert head.root == merkle.leaf_hash(tree["entry"].encode())
    for bad in (*tree["bad"], tree["text"] + "JOE\n"):
        with pytest.raises(Malformed):
            checkpoints.checkpoint_of(str(Note(bad, (Signature("x", bytes(4), b"x"),))))


# ---- trees (certificate transparency) ---------------------------------------------------------------

LEAVES = [merkle.leaf_hash(bytes.fromhex(entry)) for entry in TREES["entries"]]
ROOTS = [bytes.fromhex(root) for root in TREES["roots"]]
EMPTY = bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
"""The hash of nothing, which is the root of a tree without entries (RFC 6962 section 2.1)."""


def hashes(texts: list[str]) -> list[bytes]:
    return [bytes.fromhex(text) for text in texts]


def spoilt(proof: list[bytes], root: bytes) -> Iterator[list[bytes]]:
    """Yield everything that is done to a good proof there: garbage before it, after it, in it, and a part of it."""
    yield from ([*proof, b""], [*proof, root], [b"", *proof], [root, *proof])
    if proof:
        yield from (proof[:-1], proof[1:], [proof[0], *proof])
    yield from ([*proof[:at], EMPTY, *proof[at + 1 :]] for at in range(len(proof)))


def test_the_roots_of_one_to_eight_entries_are_the_published_ones() -> None:
    assert merkle.root([]) == EMPTY
    assert [merkle.root(LEAVES[:size]) for size in range(1, 9)] == ROOTS


@pytest.mark.parametrize("vector", TREES["inclusion"])
def test_a_published_entry_is_included_there_and_nowhere_else(vector: dict[str, Any]) -> None:
    index, size, path = vector["index"], vector["size"], hashes(vector["path"])
    root, leaf = ROOTS[size - 1], LEAVES[index]
    assert merkle.includes(root, size, index, leaf, path)
    known = merkle.subtrees(LEAVES[:size])
    assert [merkle.hash_of(span, known) for span in merkle.inclusion_spans(size, index)] == path
    for other in (index - 1, index + 1, index ^ 2):
        assert not merkle.includes(root, size, other, leaf, path)
    for other in (size * 2, size // 2, 0, -1):
        assert not merkle.includes(root, other, index, leaf, path)
    assert not merkle.includes(EMPTY, size, index, leaf, path)
    assert not merkle.includes(root, size, index, merkle.leaf_hash(b"WrongLeaf"), path)
    for bad in spoilt(path, root):
        assert not merkle.includes(root, size, index, leaf, bad)


@pytest.mark.parametrize("vector", TREES["consistency"])
def test_a_published_tree_continues_another_and_no_other(vector: dict[str, Any]) -> None:
    old, size, proof = vector["old"], vector["size"], hashes(vector["proof"])
    before, after = ROOTS[old - 1], ROOTS[size - 1]
    assert merkle.extends(old, before, size, after, proof)
    known = merkle.subtrees(LEAVES[:size])
    assert [merkle.hash_of(span, known) for span in merkle.consistency_spans(old, size)] == proof
    for other, root in ((0, EMPTY), (0, before), (-1, before), (size + 1, before)):
        assert not merkle.extends(other, root, size, after, proof)
    for bad in spoilt(proof, before):
        assert not merkle.extends(old, before, size, after, bad)
    if proof:
        for other in (old - 1, old + 1, old ^ 2):
            assert not merkle.extends(other, before, size, after, proof)
        assert not merkle.extends(old, before, size * 2, after, proof)
        assert not merkle.extends(old, after, size, before, proof)
        assert not merkle.extends(old, before, size, after, [])


# ---- canonical JSON (cyberphone/json-canonicalization) ------------------------------------------------


def is_in_profile(value: Any) -> bool:
    """Report whether a JSON value has no floats, and object keys of ASCII only."""
    if isinstance(value, dict):
        return all(key.isascii() and is_in_profile(member) for key, member in value.items())
    return all(map(is_in_profile, value)) if isinstance(value, list) else not isinstance(value, float)


@pytest.mark.parametrize("case", CANONICAL["cases"], ids=lambda case: case["name"])
def test_canonical_json_is_that_of_rfc_8785_or_refused(case: dict[str, str]) -> None:
    line = case["output"].encode()
    value = json.loads(line)
    if not is_in_profile(value):
        with pytest.raises(NotCanonical):
            canonical.encode(value)
    else:
        assert canonical.encode(value) == line
    if is_in_profile(value) and isinstance(value, dict):
        assert canonical.decode(line) == value
    else:
        with pytest.raises(NotCanonical):
            canonical.decode(line)
    with pytest.raises(NotCanonical):
        canonical.decode(case["input"].encode())


def test_some_of_them_are_in_the_profile_and_some_are_not() -> None:
    inside = {case["name"] for case in CANONICAL["cases"] if is_in_profile(json.loads(case["output"]))}
    assert inside == {"arrays", "structures", "unicode"}


# ---- primitives -------------------------------------------------------------------------------------


@pytest.mark.parametrize("vector", PRIMITIVES["ed25519"], ids=lambda vector: vector["public_key"][:8])
def test_ed25519_signs_and_verifies_as_published(vector: dict[str, str]) -> None:
    seed, public_key, message, signature = (
        bytes.fromhex(vector[name]) for name in ("seed", "public_key", "message", "signature")
    )
    signer = Ed25519Signer(seed)
    assert (signer.public_key, signer.sign(message)) == (public_key, signature)
    assert ed25519_verify(public_key, message, signature)
    assert not ed25519_verify(public_key, message + b"\0", signature)
    for bad in malformed(signature):
        assert not ed25519_verify(public_key, message, bad)
    for key in (b"", public_key[:-1], public_key + b"\0", bytes(32), b"\xff" * 32):
        assert not ed25519_verify(key, message, signature)


def malformed(signature: bytes) -> Iterator[bytes]:
    """Yield what is no signature though it was one: cut, longer, halves swapped, the number spelled otherwise."""
    point, scalar = signature[:32], signature[32:]
    yield from (b"", point, scalar, signature[:-1], signature + b"\0", b"\0" + signature, scalar + point)
    yield from (bytes(32) + scalar, b"\xff" * 32 + scalar, point + bytes(32), point + b"\xff" * 32)
    number = int.from_bytes(scalar, "little")
    # Whoever reads the scalar modulo the order would take each of these for the signature itself (RFC 8032 5.1.7).
    for times in (1, 2, 8, 15):
        if number + times * ORDER < 2**256:
            yield point + (number + times * ORDER).to_bytes(32, "little")


@pytest.mark.parametrize("vector", PRIMITIVES["hmac_sha256"])
def test_hmac_is_that_of_rfc_4231(vector: dict[str, str]) -> None:
    key, message = bytes.fromhex(vector["key"]), bytes.fromhex(vector["message"])
    assert hmac.digest(key, message, "sha256").hex() == vector["mac"]


@pytest.mark.parametrize("vector", [each for each in PRIMITIVES["hmac_sha256"] if len(each["key"]) < 128])
def test_a_short_key_and_the_same_with_zeros_authenticate_alike(vector: dict[str, str]) -> None:
    """This is why a key of a die has exactly 32 bytes: HMAC alone does not tell them apart (CUP/1 section 4)."""
    key, message = bytes.fromhex(vector["key"]), bytes.fromhex(vector["message"])
    assert hmac.digest(key + b"\0", message, "sha256").hex() == vector["mac"]
