"""Public beacons: when a round is due, and what counts as its answer.

A beacon's signature is checked against the beacon's key by whoever can: pairings are an extra. What needs no key is
always checked: the round is the one that was announced, it was announced in time, and the randomness is the hash of the
signature.

Source: CUP/1 section 4.5; constants of the quicknet chain from the drand project.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from msgspec import Struct

from domain.fairness.faults import Fault
from domain.fairness.records import RecordLine
from domain.fairness.shapes import BeaconRound, BeaconValue
from domain.ids import UnixMs

MARGIN_S: Final = 6
"""How long before a round is due everything has to be fixed: two rounds of the beacon, more than clocks disagree."""


class Chain(Struct, frozen=True):
    """A beacon: when its round 1 was, in Unix seconds, the seconds between rounds, and its key.

    The key is a compressed point of G2 of BLS12-381, as hex; signatures are points of G1 (bls-unchained-g1-rfc9380).
    """

    genesis: int
    period: int
    public_key: str = ""


Chains = Mapping[str, Chain]
"""Beacons by their chain hash."""
VerifyBeacon = Callable[[Chain, int, bytes], bool]
"""Reports whether a chain's key made this signature of a round."""
QUICKNET: Final = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
CHAINS: Final[Chains] = {
    QUICKNET: Chain(
        1_692_803_367,
        3,
        "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc2"
        "2b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
    ),
}
"""The beacons known here: drand's quicknet."""


class Beacons(Struct, frozen=True):
    """What an auditor knows of beacons: which there are, and how to check their signatures, if it can."""

    chains: Chains
    verify: VerifyBeacon | None = None


KNOWN: Final = Beacons(CHAINS)
"""What is known of beacons without any means to check a signature."""


def round_due_at(chain: Chain, number: int) -> int:
    """Return when a round of the beacon is due, in Unix seconds."""
    return chain.genesis + (number - 1) * chain.period


def first_round_after(chain: Chain, at: UnixMs) -> int:
    """Return the first round that is due at this time, in Unix seconds, or after it."""
    return max(0, -((chain.genesis - at) // chain.period)) + 1


def deadline_of(beacon: BeaconRound, chains: Chains = CHAINS) -> int:
    """Return the last moment, in Unix seconds, at which everything may be fixed that this round is to decide.

    Raises:
        Fault: `E_BEACON`: nobody here knows the beacon.
    """
    chain = chains.get(beacon.chain)
    if chain is None:
        raise Fault("E_BEACON", "this beacon is not known, so nobody can say when it speaks")
    return round_due_at(chain, beacon.round) - MARGIN_S


def check_answer(announced: BeaconRound | None, answer: BeaconValue | None) -> None:
    """Check that the answer is that of the round that was announced.

    Raises:
        Fault: `E_BEACON`.
    """
    if announced is None and answer is None:
        return
    if announced is None or answer is None:
        raise Fault("E_BEACON", "a beacon was announced or answered, and not both")
    if (announced.chain, announced.round) != (answer.chain, answer.round):
        raise Fault("E_BEACON", "this is the answer of another round")
    if randomness(bytes.fromhex(answer.signature)) != answer.randomness:
        raise Fault("E_BEACON", "the randomness is not the hash of the signature")


class SignatureCheck(Struct, frozen=True):
    """What became of the signatures of a record's beacons.

    Attributes:
        checked: Whether all of them could be.
        line: The first line whose signature the beacon's key did not make, from 1.
    """

    checked: bool
    line: int | None = None


def check_signatures(lines: Iterable[RecordLine], known: Beacons) -> SignatureCheck | None:
    """Return what becomes of the signatures in a record that has passed layers 1 and 2; None where no deal waited.

    Cost: two pairings each, about 2 ms.
    """
    answers = [line for line in lines if line.kind == "deal.ready" and line.data["beacon"] is not None]
    checked = True
    for line in answers:
        answer = line.data["beacon"]
        chain = known.chains.get(answer["chain"])
        if known.verify is None or chain is None:
            checked = False
        elif not known.verify(chain, answer["round"], bytes.fromhex(answer["signature"])):
            return SignatureCheck(checked=True, line=line.number)
    return SignatureCheck(checked) if answers else None


def randomness(signature: bytes) -> str:
    """Return what a signature of a beacon comes to, as hex."""
    return hashlib.sha256(signature).hexdigest()
