"""Handoffs to test with: the double, and NATS."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from infra.handoff import Handoff
from infra.handoff.memory import MemoryHandoff
from infra.handoff.nats import NatsHandoff
from tests.relay.conftest import Bus, bus

__all__ = ["bus"]

Another = Callable[[], Awaitable[Handoff]]


@pytest.fixture(params=["memory", "nats"])
def another(request: pytest.FixtureRequest, bus: Bus) -> Another:
    """Return a function that returns the handoff as one more process has it."""
    shared = MemoryHandoff()

    async def made() -> Handoff:
        return shared if request.param == "memory" else NatsHandoff((await bus.feed()).client)

    return made
