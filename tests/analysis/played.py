"""Matches of every game, played by whatever was done least so far, as an analysis reads them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

from domain.errors import Refused
from domain.log import canonical
from tests.domain.truth_oracle import Course, played_out
from tests.playthroughs.test_playthroughs import MATCHES

LINES = 50
SHORT = 30
EVERY: dict[str, tuple[str, int, dict[str, Any]]] = {
    **{name: told for name, told in MATCHES.items() if name not in {"bought_back", "shown_cocked"}},
    "mucked": ("boss_liars", 3, {"loser_may_muck": True}),
    "spot": ("common_hand", 2, {"dice_per_player": 2, "spot_on": True}),
}
"""A match of each game, and of options that change what there is to analyse."""


@cache
def lines_of(name: str, seed: int = 1) -> tuple[bytes, ...]:
    """Return the lines of a whole match, whose deal publishes all its dice."""
    game, seats, options = EVERY[name]
    course = Course(options, seats, f"{name}{seed}", game, pause_ms=0, deal_per="match")
    course.start()
    return tuple(played_out(course, seed, LINES).lines)


def short_lines_of(name: str, seed: int) -> tuple[bytes, ...]:
    """Return the lines of a whole match of a game, of as few seats and dice as it lets be played with."""
    game, seats, options = EVERY[name]
    few = {**options, "dice_per_player": 2}
    for fewer, told in ((2, few), (2, options), (seats, few)):
        try:
            course = Course(told, fewer, f"short{name}{seed}", game, pause_ms=0, deal_per="match")
            course.start()
        except Refused:
            continue
        return tuple(played_out(course, seed, SHORT).lines)
    return lines_of(name, seed)


def secretless(lines: Iterable[bytes]) -> tuple[bytes, ...]:
    """Return lines without the secrets of deals, as if these published only the dice that were shown."""
    found = []
    for line in lines:
        said = canonical.decode(line)
        if said["type"] == "deal.closed":
            said["data"]["secret"] = None
        found.append(canonical.encode(said))
    return tuple(found)


@cache
def lines_with_clocks(seed: int = 1) -> tuple[bytes, ...]:
    """Return the lines of a match of two in which nobody acts in time."""
    course = Course({"dice_per_player": 2}, 2, f"late{seed}", pause_ms=0, clock={"bank_ms": 1_000})
    course.start()
    return tuple(played_out(course, seed, LINES).lines)
