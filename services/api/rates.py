"""How often one asker may ask: a moving window per token, and per address for those who show none."""

from __future__ import annotations

from typing import Final

from limits import RateLimitItemPerSecond
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import MovingWindowRateLimiter

from services.api.problems import Trouble

WINDOW_S: Final = 1


class Rates:
    """The windows of one process; a rejected request costs nothing."""

    def __init__(self) -> None:
        """Start with nobody having asked."""
        self._windows = MovingWindowRateLimiter(MemoryStorage())

    async def take(self, policy: str, per_s: int, asker: str) -> None:
        """Count one request of this asker under this policy.

        Raises:
            Trouble: `too_many_requests`.
        """
        if not await self._windows.hit(RateLimitItemPerSecond(per_s), policy, asker):
            raise _too_many(policy, per_s)


def _too_many(policy: str, per_s: int) -> Trouble:
    trouble = Trouble("too_many_requests", ratelimit={"key": policy, "seconds": WINDOW_S})
    return trouble.with_headers(
        {
            "Retry-After": str(WINDOW_S),
            "RateLimit-Policy": f'"{policy}";q={per_s};w={WINDOW_S}',
            "RateLimit": f'"{policy}";r=0;t={WINDOW_S}',
        }
    )
