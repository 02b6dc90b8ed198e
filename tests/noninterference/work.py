"""Work: how often each function of the program is called, which no clock can tell and every timing follows from."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, Final

from tests.noninterference.house import ObservedHouse

ROOT: Final = Path(__file__).parents[2]
ROOMS: Final = tuple(f"{ROOT / room}/" for room in ("domain", "projections", "services", "infra"))


class CountedHouse(ObservedHouse):
    """A house in which calls are counted."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._calls: Counter[CodeType] = Counter()
        self._is_ours: dict[CodeType, bool] = {}

    def run(self, work: Callable[[], Any]) -> None:
        before = sys.getprofile()
        sys.setprofile(self._count)
        try:
            super().run(work)
        finally:
            sys.setprofile(before)

    def _count(self, frame: FrameType, event: str, _given: object) -> None:
        if event != "call":
            return
        code = frame.f_code
        if code not in self._is_ours:
            self._is_ours[code] = code.co_filename.startswith(ROOMS)
        if self._is_ours[code]:
            self._calls[code] += 1

    def seen(self) -> dict[str, object]:
        """Return what has been seen of it, with how often each function was called since this was asked last."""
        named = Counter[str]()
        for code, calls in self._calls.items():
            named[f"{Path(code.co_filename).relative_to(ROOT)}:{code.co_firstlineno} {code.co_name}"] += calls
        self._calls.clear()
        return {**super().seen(), "work": named}
