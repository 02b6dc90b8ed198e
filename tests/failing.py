"""Failures that pass: work that fails a time or two, as where no memory is left, and goes well before and after."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Failing:
    """Fails the next times that something is asked of it.

    Attributes:
        left: How often it is still to fail.
        tried: How often it was asked.
    """

    def __init__(self, times: int = 0, fault: Exception | None = None) -> None:
        """Fail so often from now on, with this fault."""
        self.left, self.tried = times, 0
        self._fault = fault or MemoryError()

    def instead_of(self, work: Callable[..., Any], when: Callable[..., bool] = lambda *_given: True) -> Any:
        """Return what does this work, unless it is to fail; what it is not to fail at does not count."""

        def may_fail(*given: Any, **more: Any) -> Any:
            if when(*given):
                self.tried += 1
                self.left -= 1
                if self.left >= 0:
                    raise self._fault
            return work(*given, **more)

        return may_fail
