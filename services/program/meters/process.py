"""The process itself: its release, how late its event loop is, and what the system says of it."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Metric, ProcessCollector
from prometheus_client.registry import Collector

from infra.clock import ticks_s
from infra.measures.buckets import Buckets
from services.program.meters.families import gauges, histogram
from services.work.startup import program_version

LOOK_S: Final = 0.5
"""How often the loop is timed."""


class LoopMeter(Collector):
    """How late the event loop comes to what is due, and which program it belongs to."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Be shown in this registry, with what the system says of the process."""
        self._late = Buckets()
        registry.register(self)
        ProcessCollector(registry=registry)

    async def run(self) -> None:
        """Time the loop until cancelled."""
        while True:
            began = ticks_s()
            await asyncio.sleep(LOOK_S)
            self._late.add(max(0.0, ticks_s() - began - LOOK_S))

    def collect(self) -> Iterator[Metric]:
        """Yield both."""
        about = {(program_version(), platform.python_version()): 1.0}
        yield gauges("truecup_build_info", "Which program this is; always 1.", "version python", about.items())
        yield histogram("truecup_loop_late_seconds", "How late the event loop came to what was due.", self._late)
