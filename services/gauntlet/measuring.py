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
from services.gauntlet.adjusting import MatchLuck
from services.gauntlet.duels import TurnsTaken

CONFIDENCE: Final = 0.975
"""Half of what an interval of 95 % leaves out lies above it."""
BLOCKS_MIN: Final = 2
"""Blocks without which nothing is said of a spread."""


class Adjusted(Struct, frozen=True):
    """What a player came to with the luck of the dice taken out.

    Attributes:
        difference: What it scored less what its dice brought it, less the same of everybody at its tables, on average.
        half_width: Of the interval of 95 % around that; None of fewer than two blocks.
        rounds: How many rounds the dice were looked at of.
        untold: Of how many of them nothing can be told, and nothing was taken out.
    """

    difference: float
    half_width: float | None
    rounds: int
    untold: int


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
        adjusted: The difference with the luck of the dice taken out; None where nobody asked for it, or none can be
            told of any round.
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
    adjusted: Adjusted | None = None

    @property
    def known_to(self) -> float | None:
        """Half the width of the narrowest interval that there is of it."""
        return self.half_width if self.adjusted is None else self.adjusted.half_width

    @property
    def beats(self) -> bool:
        """Whether the whole interval lies above a fair share."""
        return self.half_width is not None and self.difference > self.half_width


class Scored(Struct, frozen=True):
    """A match in which a player sat alone.

    Attributes:
        seat: Where.
        scores: What each seat scored.
        luck: What its dice brought of that; None where nobody asked for it.
    """

    seat: Seat
    scores: dict[Seat, Fraction]
    luck: MatchLuck | None = None

    @property
    def fair(self) -> Fraction:
        """What everybody scored on average."""
        return sum(self.scores.values(), Fraction(0)) / len(self.scores)

    @property
    def adjusted(self) -> Fraction | None:
        """What the player scored less its luck, beside what everybody did less theirs."""
        if self.luck is None:
            return None
        less = {seat: score - self.luck.brought[seat] for seat, score in self.scores.items()}
        return less[self.seat] - sum(less.values(), Fraction(0)) / len(less)


class Score(Struct):
    """What a player has scored so far, block by block."""

    player: str
    turns: TurnsTaken
    shares: list[Fraction] = []
    fairs: list[Fraction] = []
    adjusted: list[Fraction] = []
    rounds: int = 0
    untold: int = 0

    def add(self, scored: Sequence[Scored]) -> None:
        """Add a block: the matches in which the player sat alone."""
        self.shares.append(_mean([one.scores[one.seat] for one in scored]))
        self.fairs.append(_mean([one.fair for one in scored]))
        adjusted = [one.adjusted for one in scored if one.adjusted is not None]
        self.adjusted += [_mean(adjusted)] if adjusted else []
        lucky = [one.luck for one in scored if one.luck is not None]
        self.rounds += sum(luck.rounds for luck in lucky)
        self.untold += sum(luck.untold for luck in lucky)

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
            adjusted=self._adjusted(),
        )

    def _adjusted(self) -> Adjusted | None:
        if self.untold == self.rounds:
            return None
        observed = [float(each) for each in self.adjusted]
        return Adjusted(fmean(observed), half_width_of(observed), self.rounds, self.untold)


def _mean(values: Sequence[Fraction]) -> Fraction:
    return sum(values, Fraction(0)) / len(values)


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
