"""The rota of those who answer: who is there just now, and which of them is asked about what.

Whoever is asked about one thing is asked about it again while he is there, so that what he keeps in memory is of use.
When one comes or goes, only the things move that were his (rendezvous hashing). A wrong guess costs a question: any of
them can answer, and what they decide is decided in the store.

Source: D. Thaler and C. Ravishankar, "Using name-based mappings to increase hit rates", IEEE/ACM Transactions on
Networking 6 (1998), section III.
"""

from __future__ import annotations

from collections.abc import Collection
from hashlib import blake2b
from typing import Final

from msgspec import Struct

BEAT_S: Final = 0.25
"""How often who answers says so."""
LEFT_OUT_S: Final = 1.0
"""How long ago one may have said so who is asked."""
GIVEN_UP_S: Final = 2.0
"""How long ago one may have said so whose answer is waited for: he may be slow, and what he was asked is done twice."""

MEMBERS_MAX: Final = 256
"""So many are remembered: several times as many as a house has. Whoever comes then is asked with all others."""


class DealerBeat(Struct, frozen=True):
    """Word that somebody answers.

    Attributes:
        name: What he is called, new with each start.
        era: How often he has lost the bus: what he was asked, or has answered, in another era may be lost.
        at: When he was heard, in seconds of any clock.
    """

    name: str
    era: int
    at: float


def chosen(names: Collection[str], about: str) -> str | None:
    """Return who of these is asked about this; None if there is nobody."""
    return max(names, key=lambda name: (_weight(name, about), name), default=None)


def _weight(name: str, about: str) -> bytes:
    return blake2b(f"{name} {about}".encode(), digest_size=8).digest()


class Rota:
    """Who has been heard."""

    def __init__(self) -> None:
        """Begin with nobody."""
        self._heard: dict[str, DealerBeat] = {}
        self._forgot_at = 0.0

    def hear(self, beat: DealerBeat) -> None:
        """Take word that somebody is there, and forget those who have not been for long.

        Whoever may beat could do so under any number of names: no more are kept than a house may have, those known
        stay known, and however many come, who has gone is looked for no more often than one beats.
        """
        if beat.at - self._forgot_at >= BEAT_S:
            self._forgot_at = beat.at
            for name in [name for name, each in self._heard.items() if each.at < beat.at - GIVEN_UP_S]:
                del self._heard[name]
        if beat.name in self._heard or len(self._heard) < MEMBERS_MAX:
            self._heard[beat.name] = beat

    def chosen(self, about: str, now: float) -> DealerBeat | None:
        """Return who is asked about this, as he was heard last; None if nobody is there."""
        there = [name for name, each in self._heard.items() if each.at >= now - LEFT_OUT_S]
        name = chosen(there, about)
        return None if name is None else self._heard[name]

    def is_lost(self, asked: DealerBeat, now: float) -> bool:
        """Report whether what somebody was asked when he was heard so has no answer to wait for."""
        last = self._heard.get(asked.name)
        return last is None or last.era != asked.era or last.at < now - GIVEN_UP_S
