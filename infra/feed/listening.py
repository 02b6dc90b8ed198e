"""A subscription on NATS, which may be gone already when nobody wants it any more."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import nats.errors
from nats.aio.subscription import Subscription


class NatsListening:
    """A subscription."""

    def __init__(self, subscription: Subscription, leave: Callable[[], None] = lambda: None) -> None:
        """Stop by ending this subscription, and first by calling this."""
        self._subscription = subscription
        self._leave = leave

    async def stop(self) -> None:
        """Hear no more. A bus that has gone, or been left, has forgotten the subscription already."""
        self._leave()
        with suppress(nats.errors.Error):
            await self._subscription.unsubscribe()
