"""A process that dies at a chosen step: every call into the world is a step, and death comes before or after it."""

from __future__ import annotations

from inspect import iscoroutinefunction
from typing import Any


class Killed(BaseException):
    """The process is no more."""


class Fate:
    """Counts steps, and kills at one of them.

    Attributes:
        struck: Whether it has.
    """

    def __init__(self, step: int, *, after: bool) -> None:
        """Kill at this step, counted from 0: before it is taken, or right after."""
        self._left = step
        self._after = after
        self.struck = False

    def check(self, *, after: bool) -> None:
        """Kill, if it is time. Who is dead stays dead: nothing the process does afterwards reaches the world."""
        if self.struck or (self._left == 0 and after == self._after):
            self.struck = True
            raise Killed
        self._left -= after

    def over(self, part: Any) -> Any:
        """Return a part of the world as a process with this fate meets it."""
        return _Mortal(part, self)


class _Mortal:
    def __init__(self, part: Any, fate: Fate) -> None:
        self._part = part
        self._fate = fate

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if not iscoroutinefunction(found):
            return found

        async def step(*args: Any, **more: Any) -> Any:
            self._fate.check(after=False)
            answer = await found(*args, **more)
            self._fate.check(after=True)
            return answer

        return step
