"""Trouble that is waited out: told when it begins and when it is over, and looked at less and less often meanwhile."""

from __future__ import annotations

import asyncio
from typing import Final

import structlog

AGAIN_S: Final = 0.25
AGAIN_MAX_S: Final = 2.0
"""How long to wait before trying again, the first time and after many: nobody notices the first, and a try costs next
to nothing where nobody is."""

log = structlog.get_logger(__name__)


class Waits:
    """One work that waits for the world."""

    def __init__(self, work: str, **facts: object) -> None:
        """Tell of this work, with these facts."""
        self._facts = {"work": work, **facts}
        self._delay_s = AGAIN_S
        self._waits = False

    async def out(self, trouble: Exception) -> None:
        """Wait, after this trouble. However often it is met, it is told once."""
        if not self._waits:
            log.warning("work.waits", why=str(trouble), **self._facts)
        self._waits = True
        await asyncio.sleep(self._delay_s)
        self._delay_s = min(AGAIN_MAX_S, 2 * self._delay_s)

    def over(self) -> None:
        """Note that the work goes on. Cost: nothing, if it always has."""
        if self._waits:
            log.info("work.goes_on", **self._facts)
            self._waits, self._delay_s = False, AGAIN_S
