"""Public beacons: when a round is due, and what counts as its answer.

A beacon's signature is not checked here against the beacon's key: BLS is an extra. What is checked needs no key: the
round is the one that was announced, it was announced in time, and the randomness is the hash of the signature.

Source: CUP/1 section 4.5; constants of the quicknet chain from the drand project.
"""

from __future__ import annotations

import hashlib
from typing import Final

from msgspec import Struct

from domain.fairness.faults import Fault
from domain.fairness.shapes import BeaconRound, BeaconValue

MARGIN_S: Final = 6
"""How long before a round is due everything has to be fixed: two rounds of the beacon, more than clocks disagree."""


class Chain(Struct, frozen=True):
    """A beacon: when its round 1 was, in Unix seconds, and the seconds between rounds."""

    genesis: int
    period: int


CHAINS: Final[dict[str, Chain]] = {
    "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971": Chain(1_692_803_367, 3),
}
"""The beacons known here, by their chain hash: drand's quicknet."""


def latest(beacon: BeaconRound) -> int:
    """Return the last moment, in Unix seconds, at which everything may be fixed that this round is to decide.

    Raises:
        Fault: `E_BEACON`: nobody here knows the beacon.
    """
    chain = CHAINS.get(beacon.chain)
    if chain is None:
        raise Fault("E_BEACON", "this beacon is not known, so nobody can say when it speaks")
    return chain.genesis + (beacon.round - 1) * chain.period - MARGIN_S


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
    if hashlib.sha256(bytes.fromhex(answer.signature)).hexdigest() != answer.randomness:
        raise Fault("E_BEACON", "the randomness is not the hash of the signature")
