"""Profiles of faults: what goes wrong in a schedule, how often and until when."""

from __future__ import annotations

from random import Random
from typing import Final

from msgspec import Struct


class Profile(Struct, frozen=True):
    """How likely each fault is, for each call or message; all of them end with the storm.

    Attributes:
        name: What it is called in the ledger.
        storm_s: For how long faults happen.
        slow: That a call of the store is slow, by some seconds.
        refused: That it is refused before it has done anything.
        lied: That it is done, and said not to be.
        late: That it is said not to be done, and is done afterwards.
        cut: That a reader of the tail is given less than there is.
        dropped: That a message of the bus is lost.
        doubled: That it comes twice.
        held: That it is held up, so that others overtake it.
        wiped: How often, in a second, the bus forgets everything.
        parted: How often, in a second, a node is cut off from the bus or the store for a while.
        killed: How often, in a second, a node is killed, to start again a little later.
        leaps: How often, in a second, somebody sets the clock of a node.
        hung_up: That a client loses an answer.
        silent: That a witness does not answer, or its answer is lost.
        deaf: That an address of others does not take what it is told, or says so, or is slow.
    """

    name: str
    storm_s: float = 6.0
    slow: float = 0.0
    refused: float = 0.0
    lied: float = 0.0
    late: float = 0.0
    cut: float = 0.0
    dropped: float = 0.0
    doubled: float = 0.0
    held: float = 0.0
    wiped: float = 0.0
    parted: float = 0.0
    killed: float = 0.0
    leaps: float = 0.0
    hung_up: float = 0.0
    silent: float = 0.0
    deaf: float = 0.0


CALM: Final = Profile("calm", storm_s=0.0)
LIAR: Final = Profile("liar", refused=0.01, lied=0.05, late=0.02, slow=0.003, hung_up=0.1, deaf=0.5)
GOSSIP: Final = Profile("gossip", dropped=0.15, doubled=0.1, held=0.15, wiped=0.5, cut=0.3, hung_up=0.02, deaf=0.2)
KILLER: Final = Profile("killer", killed=1.2, lied=0.01, late=0.01, dropped=0.02, hung_up=0.05, deaf=0.3)
PARTED: Final = Profile("parted", parted=0.8, cut=0.1, dropped=0.02, deaf=0.2)
CLOCKS: Final = Profile("clocks", leaps=1.0, killed=0.3, slow=0.002, deaf=0.3)
ALL: Final = Profile(
    "all", refused=0.005, lied=0.02, late=0.01, slow=0.002, cut=0.1, dropped=0.05, doubled=0.05, held=0.05, wiped=0.2,
    parted=0.3, killed=0.5, leaps=0.3, hung_up=0.05, silent=0.1, deaf=0.35,
)  # fmt: skip
PROFILES: Final = (LIAR, GOSSIP, KILLER, PARTED, CLOCKS, ALL, CALM)


def profile_of(drawn: Random) -> Profile:
    """Return the profile of a schedule."""
    return drawn.choices(PROFILES, weights=(4, 3, 4, 2, 2, 5, 1))[0]
