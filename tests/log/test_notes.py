"""Signed notes and verifier keys (C2SP signed-note)."""

from __future__ import annotations

import pytest

from domain.log import notes
from domain.log.notes import COSIGNATURE, ED25519, Key, Malformed, Note, Signature
from infra.keys import Ed25519Signer, ed25519_verify
from tests.log.log_keys import LOG, ORIGIN, SIGNER, WITNESSES

EXAMPLE_KEY = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
EXAMPLE = """This is an example message.

\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
"""
"""Source: C2SP signed-note, section Example."""


def test_the_example_of_the_standard_verifies() -> None:
    key, note = notes.key_of(EXAMPLE_KEY), notes.parse(EXAMPLE)
    signature = note.by(key)
    assert signature is not None
    assert ed25519_verify(key.public_key, note.text.encode(), signature.value)
    assert not ed25519_verify(key.public_key, b"Another message.\n", signature.value)
    assert (str(key), str(note)) == (EXAMPLE_KEY, EXAMPLE)


def test_keys_of_the_log_and_its_witnesses_are_spelled_as_published() -> None:
    assert str(Key(ORIGIN, ED25519, SIGNER.public_key)) == LOG["log_vkey"]
    for vkey in LOG["witness_vkeys"]:
        key = notes.key_of(vkey)
        assert key == Key(key.name, COSIGNATURE, WITNESSES[key.name].public_key)
        assert str(key) == vkey


def test_a_line_by_another_key_is_not_by_this_one() -> None:
    note = notes.parse(EXAMPLE)
    key = notes.key_of(EXAMPLE_KEY)
    assert note.by(Key("example.com/bar", ED25519, key.public_key)) is None
    assert note.by(Key("example.com/foo", ED25519, bytes(32))) is None
    assert Note("text\n", (Signature("example.com/bar", key.id, b""),)).by(key) is None


def test_the_text_is_what_stands_before_the_last_empty_line() -> None:
    signature = Signature("a", b"\x00" * 4, b"\x01")
    note = Note("one\n\ntwo\n", (signature, signature))
    assert notes.parse(str(note)) == note


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text\n",
        "text\n\n",
        EXAMPLE.removesuffix("\n"),
        EXAMPLE + "\n",
        EXAMPLE + "\u2014 x AAAAAAA=",
        EXAMPLE.replace("\u2014 ", "-- "),
        EXAMPLE.replace("\u2014 ", ""),
        EXAMPLE.replace("message", "mess\tage"),
        EXAMPLE.replace("message", "mess\x00age"),
        EXAMPLE.replace("message", "mess\x0bage"),
        EXAMPLE.replace("message", "mess\x1fage"),
        EXAMPLE.replace("example.com/foo", "example.com+foo"),
        EXAMPLE.replace("example.com/foo", "example.com\u2003foo"),
        EXAMPLE.replace("example.com/foo ", ""),
        EXAMPLE.replace("aQM=", "aQN="),
        EXAMPLE.replace("aQM=", "aQM"),
        EXAMPLE.replace("aQM=", "aQ\u00e9="),
        "\u2014 a AAAAAAA=\n",
        "text\n\n\u2014 a \n",
        "text\n\n\u2014 a AAAAAA==\n",
        "text\n\n" + "\u2014 a AAAAAAA=\n" * (notes.SIGNATURES_MAX + 1),
    ],
)
def test_anything_else_is_no_note(text: str) -> None:
    with pytest.raises(Malformed):
        notes.parse(text)


def test_sixteen_signatures_are_not_too_many() -> None:
    assert len(notes.parse("text\n\n" + "\u2014 a AAAAAAA=\n" * 16).signatures) == 16


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com/foo",
        EXAMPLE_KEY.replace("530d903a", "530d903b"),
        EXAMPLE_KEY.replace("530d903a", "530D903A"),
        EXAMPLE_KEY.replace("example.com/foo", ""),
        EXAMPLE_KEY.replace("example.com/foo", "example.com foo"),
        EXAMPLE_KEY.replace("+Aeky", "+Bgky"),
        EXAMPLE_KEY[:-4],
        EXAMPLE_KEY + "+",
        str(Key("a", 6, bytes(32))),
        str(Key("", ED25519, bytes(32))),
        str(Key("a b", ED25519, bytes(32))),
    ],
)
def test_anything_else_is_no_key(text: str) -> None:
    with pytest.raises(Malformed):
        notes.key_of(text)


RFC_8032 = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        (
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"
        ),
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        (
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
        ),
    ),
]
"""Source: RFC 8032 section 7.1, tests 1 and 2."""


@pytest.mark.parametrize(("seed", "public_key", "message", "signature"), RFC_8032)
def test_signatures_are_those_of_rfc_8032(seed: str, public_key: str, message: str, signature: str) -> None:
    signer = Ed25519Signer(bytes.fromhex(seed))
    assert signer.public_key.hex() == public_key
    assert signer.sign(bytes.fromhex(message)).hex() == signature
    assert ed25519_verify(signer.public_key, bytes.fromhex(message), bytes.fromhex(signature))
    assert not ed25519_verify(signer.public_key, b"another", bytes.fromhex(signature))
    assert not ed25519_verify(signer.public_key, bytes.fromhex(message), b"short")
    assert not ed25519_verify(b"short", bytes.fromhex(message), bytes.fromhex(signature))
