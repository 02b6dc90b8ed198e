"""The signatures of drand's quicknet, real ones, and what a relay may answer.

Sources: round 657413 from the README of drand-verify (python), round 42 from drand's documentation of its HTTP
interface, the chains from drand-client (`lib/defaults.ts`).
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.fairness.beacons import CHAINS, QUICKNET, randomness
from domain.log.policies import parse
from infra.drand import Silent, chain_hash, fetch_signature, verifier
from services.audit.beacons import BadChain, beacon_of_house, source_of
from services.audit.verdict import verdict_of
from tests.beacon.speaking import Speaker, http, relaying
from tests.fairness.scripted_server import POLICY_TEXT

KEY = CHAINS[QUICKNET].public_key
ROUNDS = {
    42: "95a9f9f5b231b7714de1553105d8ffdf3dcda24cfdb1e689319bccf79a9c8ce430a91b811fbfaf763900bc998b5d686a",
    657_413: "b713718a38ae728dfd477991af2822e08d2f305e47718cef9f7848ce4050e7be41076862b98fad56e91a6b85b89cd97b",
}
QUICKNET_INFO: dict[str, Any] = {
    "public_key": KEY,
    "period": 3,
    "genesis_time": 1_692_803_367,
    "hash": QUICKNET,
    "groupHash": "f477d5c89f21a17c863a7f937c6a6d15859414d2be09cd448d4279af331c5d3e",
    "schemeID": "bls-unchained-g1-rfc9380",
    "metadata": {"beaconID": "quicknet"},
}
TESTNET_INFO: dict[str, Any] = {
    "public_key": "b15b65b46fb29104f6a4b5d1e11a8da6344463973d423661bb0804846a0ecd1ef93c25057f1c0baab2ac53e56c662b66072f"
    "6d84ee791a3382bfb055afab1e6a375538d8ffc451104ac971d2dc9b168e2d3246b0be2015969cbaac298f6502da",
    "period": 3,
    "genesis_time": 1_689_232_296,
    "hash": "cc9c398442737cbd141526600919edd69f1d6f9b4adb67e4d912fbc64341a9a5",
    "groupHash": "40d49d910472d4adb1d67f65db8332f11b4284eecf05c05c5eacd5eef7d40e2d",
    "schemeID": "bls-unchained-g1-rfc9380",
    "metadata": {"beaconID": "quicknet-t"},
}


@pytest.fixture(scope="module")
def verify() -> Callable[[str, int, bytes], bool]:
    found = verifier()
    assert found is not None, "the tests come with the extra"
    return found


# ---- signatures ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", ROUNDS)
def test_a_real_round_is_signed_by_the_key_of_quicknet_and_no_other_round_is(
    number: int, verify: Callable[[str, int, bytes], bool]
) -> None:
    signature = bytes.fromhex(ROUNDS[number])
    assert verify(KEY, number, signature)
    assert not verify(KEY, number + 1, signature)
    assert not verify(TESTNET_INFO["public_key"], number, signature)


def test_the_randomness_of_a_real_round_is_the_hash_of_its_signature() -> None:
    published = "fc1873a13f3545aeade8401532ef5519920652eee6b0d2b19ca12643b87b3587"
    assert randomness(bytes.fromhex(ROUNDS[657_413])) == published


@pytest.mark.parametrize("at", range(48))
def test_a_signature_with_any_byte_changed_is_none(at: int, verify: Callable[[str, int, bytes], bool]) -> None:
    signature = bytearray.fromhex(ROUNDS[42])
    signature[at] ^= 1
    assert not verify(KEY, 42, bytes(signature))


@pytest.mark.parametrize("signature", [b"", b"\x00", bytes(48), bytes([0xC0]) + bytes(47), bytes(96), b"\xff" * 48])
def test_what_is_no_point_or_the_point_at_infinity_is_no_signature(
    signature: bytes, verify: Callable[[str, int, bytes], bool]
) -> None:
    assert not verify(KEY, 42, signature)


@pytest.mark.parametrize("key", ["", "00", KEY[:-2], "ff" * 96])
def test_what_is_no_key_verifies_nothing(key: str, verify: Callable[[str, int, bytes], bool]) -> None:
    assert not verify(key, 42, bytes.fromhex(ROUNDS[42]))


# ---- chains --------------------------------------------------------------------------------------


@pytest.mark.parametrize("info", [QUICKNET_INFO, TESTNET_INFO])
def test_the_hash_of_a_chain_is_that_of_its_description(info: dict[str, Any], tmp_path: Path) -> None:
    assert chain_hash(info) == info["hash"]
    file = tmp_path / "chain.json"
    file.write_text(json.dumps(info), encoding="utf-8")
    source = source_of(file)
    assert (source.hash, source.chain.public_key) == (info["hash"], info["public_key"])


def test_without_a_file_the_beacon_is_quicknet() -> None:
    source = source_of(None)
    assert (source.name, source.hash, source.chain) == ("quicknet", QUICKNET, CHAINS[QUICKNET])


@pytest.mark.parametrize(
    "changed",
    [
        {"period": 30},
        {"genesis_time": 5},
        {"period": -1},
        {"period": 2**40},
        {"genesis_time": "noon"},
        {"public_key": "zz"},
        {"public_key": TESTNET_INFO["public_key"]},
        {"schemeID": "pedersen-bls-chained"},
        {"metadata": {}},
        {"metadata": None},
        {"metadata": {"beaconID": "quicknet-t"}},
        {"groupHash": None},
    ],
)
def test_a_file_that_does_not_describe_the_chain_it_names_is_refused(changed: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "chain.json"
    file.write_text(json.dumps({**QUICKNET_INFO, **changed}), encoding="utf-8")
    with pytest.raises(BadChain):
        source_of(file)


@pytest.mark.parametrize("text", ["", "[]", "5", "nonsense", "{}", "[" * 100_000])
def test_a_file_of_anything_else_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "chain.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(BadChain):
        source_of(file)
    with pytest.raises(BadChain):
        source_of(tmp_path / "none.json")


def test_a_house_without_witnesses_or_without_pairings_asks_no_beacon(monkeypatch: pytest.MonkeyPatch) -> None:
    assert beacon_of_house(None, POLICY_TEXT).name == "quicknet"
    with pytest.raises(BadChain, match="needs witnesses"):
        beacon_of_house(None, f"{POLICY_TEXT.splitlines()[0]}\nquorum none\n")
    monkeypatch.setitem(sys.modules, "py_arkworks_bls12381", None)
    with pytest.raises(BadChain, match="cannot be checked"):
        beacon_of_house(None, POLICY_TEXT)


def test_without_pairings_an_audit_says_that_signatures_were_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    vectors = Path(__file__).parents[1] / "fairness" / "vectors"
    record, policy = (vectors / "bundles" / "ok-beacon.cup").read_bytes(), parse((vectors / "policy.txt").read_bytes())
    assert verdict_of(record, policy, (1, 2)).beacons == "checked"
    monkeypatch.setitem(sys.modules, "py_arkworks_bls12381", None)
    assert verdict_of(record, policy, (1, 2)).beacons == "unchecked"


# ---- relays --------------------------------------------------------------------------------------


async def test_a_relay_answers_with_the_signature_of_the_round() -> None:
    speaker = Speaker(77, 1_000)
    async with relaying(speaker) as relay, httpx.AsyncClient(timeout=60) as client:
        signature = await fetch_signature(client, relay.url, speaker.hash, 9)
    assert signature.hex() == speaker.says(9)
    assert relay.asked == [f"/{speaker.hash}/public/9"]


@pytest.mark.parametrize(
    "answer",
    [
        http(b"", "404 Not Found"),
        http(b'{"round":9,"signature":"ab"}', "425 Too Early"),
        http(b'{"round":8,"signature":"ab"}'),
        http(b'{"round":9}'),
        http(b'{"round":9,"signature":5}'),
        http(b'{"round":9,"signature":"nonsense"}'),
        http(b"[9]"),
        http(b"\xff\xfe"),
        http(b"[" * 4_000),
        http(b'{"round":9,"signature":"' + b"ab" * 3_000 + b'"}'),
        b"nonsense\r\n\r\n",
        b"",
    ],
)
async def test_a_relay_that_says_anything_else_has_said_nothing(answer: bytes) -> None:
    speaker = Speaker(77, 1_000)
    async with relaying(speaker, answer) as relay, httpx.AsyncClient(timeout=60) as client:
        with pytest.raises(Silent):
            await fetch_signature(client, relay.url, speaker.hash, 9)


async def test_a_relay_that_is_not_there_has_said_nothing() -> None:
    async with httpx.AsyncClient(timeout=60) as client:
        with pytest.raises(Silent):
            await fetch_signature(client, "http://127.0.0.1:9", QUICKNET, 9)


def test_a_speaker_of_our_own_is_checked_like_any_other(verify: Callable[[str, int, bytes], bool]) -> None:
    speaker = Speaker(77, 1_000)
    made = bytes.fromhex(speaker.says(9))
    assert verify(speaker.info["public_key"], 9, made)
    assert not verify(Speaker(78, 1_000).info["public_key"], 9, made)
    assert hashlib.sha256(made).hexdigest() == randomness(made)
