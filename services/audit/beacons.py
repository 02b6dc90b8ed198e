"""The public beacons this program knows: drand's quicknet, and one more that a file describes.

A beacon of the file is for networks of one's own. An auditor believes a beacon only if whoever runs the audit names it:
nothing in a record can make a beacon known.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from domain.fairness.beacons import CHAINS, QUICKNET, Beacons, Chain
from domain.log.policies import NONE, policy_of
from domain.match.settings import BeaconSettings
from infra import drand

NAME: Final = "quicknet"
DESCRIPTION_MAX: Final = 65_536
"""Bytes of a beacon's description; more are not read, and what is left is none."""


class BadChain(Exception):  # noqa: N818 - named for what happened
    """A beacon cannot be asked: its file does not describe it, or something is missing here."""


class Source(Struct, frozen=True):
    """A beacon that can be asked: its name for people, the hash of its chain, when it speaks, its key."""

    name: str
    hash: str
    chain: Chain

    @property
    def setting(self) -> BeaconSettings:
        """What of it stands in the rules object of a match."""
        return BeaconSettings(self.hash, self.chain.genesis, self.chain.period)


def source_of(file: Path | None) -> Source:
    """Return the beacon that a file describes, as drand's `/info` does; quicknet for None.

    Raises:
        BadChain: It describes none.
    """
    if file is None:
        return Source(NAME, QUICKNET, CHAINS[QUICKNET])
    try:
        with file.open("rb") as opened:
            info: dict[str, Any] = json.loads(opened.read(DESCRIPTION_MAX))
        found = drand.chain_hash(info)
        name, claimed = str(info["metadata"]["beaconID"]), info.get("hash", found)
    except (OSError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise BadChain(f"{file} does not describe a beacon: {error}") from error
    if claimed != found:
        raise BadChain(f"{file} describes a beacon under the hash of another one")
    return Source(name, found, Chain(int(info["genesis_time"]), int(info["period"]), info["public_key"]))


def offered(file: Path | None, policy: str) -> Source:
    """Return the beacon that the deals of a house may wait for.

    Args:
        file: What describes it; None for quicknet.
        policy: The policy of the house's log.

    Raises:
        BadChain: The file describes none, nobody here can check its signatures, or the policy asks for no witness: then
            nobody could say that the seeds were open before the beacon spoke, and every audit would fail.
    """
    if drand.verifier() is None:
        raise BadChain("signatures of a beacon cannot be checked: install truecup with its extra, truecup[beacon]")
    if policy_of(policy).quorum == NONE:
        raise BadChain("a beacon needs witnesses of the log, and the log's policy asks for none")
    return source_of(file)


def known_beacons(source: Source | None = None) -> Beacons:
    """Return what an audit knows of beacons: those known to all, this one besides, and how to check signatures."""
    check = drand.verifier()
    chains = CHAINS if source is None else {**CHAINS, source.hash: source.chain}
    if check is None:
        return Beacons(chains)
    return Beacons(chains, lambda chain, number, signature: check(chain.public_key, number, signature))
