"""Measuring: how a player scores beside a fair share, over blocks that are independent of each other.

One block is one observation: the mean of what a player scored in it, less what everybody at its tables scored on
average. The interval is Student's, of 95 %.

Source: the laws of analysis, section on the gauntlet; the quantile after Abramowitz and Stegun, 26.7.5.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist, fmean, stdev
from typing import Final

from msgspec import Struct

from domain.ids import Seat
from services.gauntlet.duels import TurnsTaken

CONFIDENCE: Final = 0.975
"""Half of what an interval of 95 % leaves out lies above it."""
BLOCKS_MIN: Final = 2
"""Blocks without which nothing is said of a spread."""


class Result(Struct, frozen=True):
    """What a player came to.

    Attributes:
        player: Who.
        blocks: How many observations.
        share: What it scored on average: the share of a match, or units of a session.
        fair: What everybody at its tables scored on average.
        difference: The one less the other.
        half_width: Of the interval of 95 % around that; None of fewer than two blocks.
        decisions: How many turns it had.
        fouls: In how many of them it was refused twice.
        late: In how many of them it gave no move in time.
        ms_p50: How long half of its turns took at most, in milliseconds.
        ms_p99: How long all but one of a hundred took at most.
    """

    player: str
    blocks: int
    share: float
    fair: float
    difference: float
    half_width: float | None
    decisions: int
    fouls: int
    late: int
    ms_p50: float
    ms_p99: float

    @property
    def beats(self) -> bool:
        """Whether the whole interval lies above a fair share."""
        return self.half_width is not None and self.difference > self.half_width


class Score(Struct):
    """What a player has scored so far, block by block."""

    player: str
    turns: TurnsTaken
    shares: list[Fraction] = []
    fairs: list[Fraction] = []

    def add(self, scored: Sequence[tuple[dict[Seat, Fraction], Seat]]) -> None:
        """Add a block: for each match in which the player sat alone the scores of all seats, and its own seat."""
        own = [scores[seat] for scores, seat in scored]
        fair = [sum(scores.values(), Fraction(0)) / len(scores) for scores, _ in scored]
        self.shares.append(sum(own, Fraction(0)) / len(own))
        self.fairs.append(sum(fair, Fraction(0)) / len(fair))

    def result(self) -> Result:
        """Return what it came to so far; there has been a block."""
        observed = [float(share - fair) for share, fair in zip(self.shares, self.fairs, strict=True)]
        spent = sorted(self.turns.spent_ms)
        return Result(
            player=self.player,
            blocks=len(observed),
            share=fmean(map(float, self.shares)),
            fair=fmean(map(float, self.fairs)),
            difference=fmean(observed),
            half_width=half_width_of(observed),
            decisions=self.turns.decisions,
            fouls=self.turns.fouls,
            late=self.turns.late,
            ms_p50=spent[len(spent) // 2] if spent else 0.0,
            ms_p99=spent[len(spent) * 99 // 100] if spent else 0.0,
        )


def half_width_of(observed: Sequence[float]) -> float | None:
    """Return half the width of the interval of 95 % of a mean; None where there is no spread to go by."""
    if len(observed) < BLOCKS_MIN:
        return None
    return student_quantile(len(observed) - 1) * stdev(observed) / math.sqrt(len(observed))


def student_quantile(freedom: int, level: float = CONFIDENCE) -> float:
    """Return the quantile of Student's distribution with so many degrees of freedom.

    With one or two it is exact, from three on right to three digits.
    """
    if freedom == 1:
        return math.tan(math.pi * (level - 0.5))
    if freedom == 2:  # noqa: PLR2004 - which has a closed form, too
        alpha = 4 * level * (1 - level)
        return 2 * (level - 0.5) * math.sqrt(2 / alpha)
    z = NormalDist().inv_cdf(level)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92_160,
    )
    return math.fsum(term / freedom**power for power, term in enumerate(terms))
