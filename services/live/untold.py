"""Times that nobody is told, as they hang on hidden dice: whole steps, so that all but the longest take the same."""

from __future__ import annotations

from typing import Final

STEP_S: Final = 0.5
"""How long a step is, in seconds: hints take one at most, at ten seats with serials 0.4 s, and three where five dice
were kept in secret."""


def left_of_step(gone_s: float) -> float:
    """Return how long a step still lasts that is under way so long after the first began, in seconds; never nothing."""
    return STEP_S - gone_s % STEP_S
