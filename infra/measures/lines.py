"""Lines of the log that may be very many: so many a second are written, and the next one says how many were not."""

from __future__ import annotations


class LinesEachSecond:
    """What of such lines is written."""

    def __init__(self) -> None:
        """Begin with none."""
        self._second = self._written = self._left_out = 0

    def take(self, now_s: float, most: int, *, always: bool = False) -> dict[str, int] | None:
        """Return what a line has to say besides, None if it is left out.

        Args:
            now_s: When it would be written, in seconds of any clock.
            most: How many are written in a second.
            always: Whether it is written in any case.
        """
        second = int(now_s)
        if second != self._second:
            self._second, self._written = second, 0
        if self._written >= most and not always:
            self._left_out += 1
            return None
        self._written += 1
        left_out, self._left_out = self._left_out, 0
        return {"left_out": left_out} if left_out else {}
