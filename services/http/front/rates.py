"""Token buckets: so many requests at once of one asker, and as many again in each window.

The generic cell rate algorithm (ITU-T I.371, annex A) keeps one time for each asker: when its quota would be whole
again if it asked no more. A request moves that time on by one share of the window, and is refused if it would then lie
further ahead than the window is long. A rejected request costs nothing. The clock is the loop's, which never jumps.

It is our own, of a dozen lines: windows that the usual library keeps in memory are pruned by a task that requests start
and that walks all keys, a thread for each, and nothing bounds them. Askers choose their keys, and whoever sends made-up
tokens chooses many. Here a request costs the same however many ask, and what is remembered is bounded.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from math import ceil
from typing import Final

from msgspec import Struct

from services.http.problems import HttpProblem
from services.work.caches import LastUsed

ASKERS_MAX: Final = 20_000
"""Askers remembered by one process, about 4 MB. The one that has not asked for longest is forgotten, which gives it its
quota back: whoever has twenty thousand networks is not held by a bound for each."""


class Rate(Struct, frozen=True):
    """A quota: so many in a burst, and as many again in so many seconds."""

    burst: int
    window_s: int = 1


class Rates:
    """The quotas of one process."""

    def __init__(self, refused: Counter[str] | None = None) -> None:
        """Start with nobody having asked, and count refusals here, by policy."""
        self._whole_at: LastUsed[tuple[str, str], float] = LastUsed(ASKERS_MAX)
        self._refused = Counter[str]() if refused is None else refused

    async def take(self, policy: str, per_s: int, asker: str) -> None:
        """Count one request of this asker under this policy.

        Raises:
            HttpProblem: `too_many_requests`.
        """
        self.check(policy, Rate(per_s), asker)

    def check(self, policy: str, rate: Rate, asker: str) -> None:
        """Count one request of this asker under this policy.

        Raises:
            HttpProblem: `too_many_requests`, with when to come back.
        """
        wait_s = self._wait_s((policy, asker), rate)
        if wait_s > 0:
            self._refused[policy] += 1
            raise too_many(policy, rate, ceil(wait_s))

    def give_back(self, policy: str, rate: Rate, asker: str) -> None:
        """Count a request of this asker no more that `check` has counted: it has come to nothing, and costs nothing."""
        whole_at = self._whole_at.get((policy, asker))
        if whole_at is not None:
            self._whole_at[policy, asker] = whole_at - rate.window_s / rate.burst

    def _wait_s(self, key: tuple[str, str], rate: Rate) -> float:
        """Return after how many seconds this request would be within its quota, and count it if that is now."""
        now = asyncio.get_running_loop().time()
        whole_at = max(now, self._whole_at.get(key) or now) + rate.window_s / rate.burst
        wait_s = whole_at - now - rate.window_s
        if wait_s <= _ROUNDING_S:
            self._whole_at[key] = whole_at
            return 0.0
        return wait_s


_ROUNDING_S: Final = 1e-9
"""What adding up shares of a window may be off by: the last of a quota is still within it."""


def too_many(policy: str, rate: Rate, wait_s: int) -> HttpProblem:
    """Return the refusal of a request that comes too soon: `too_many_requests`."""
    trouble = HttpProblem("too_many_requests", ratelimit={"key": policy, "seconds": wait_s})
    return trouble.with_headers(
        {
            "Retry-After": str(wait_s),
            "RateLimit-Policy": f'"{policy}";q={rate.burst};w={rate.window_s}',
            "RateLimit": f'"{policy}";r=0;t={wait_s}',
        }
    )
