"""Sums of decisions: what a seat lost by all of them, and how near to the best they were."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from domain.analysis.figures import MILLION, Figure, model, ppm_of, sampled
from domain.analysis.grades.accuracy import LossOfStake, accuracy, error_rate
from domain.analysis.grades.decisions import Tag
from domain.analysis.judges.telling import JudgedDecision
from domain.analysis.worths.estimates import Estimate, ppm_up, sum_of


class Decisions:
    """The decisions of a seat that were any: neither forced, nor done by the table.

    Attributes:
        tags: What each is called; None where nothing was at stake.
    """

    def __init__(self, judged: Sequence[JudgedDecision]) -> None:
        """Take all that was judged, and keep what counts."""
        self._all = [each for each in judged if each.counts]
        # Where nothing was at stake nothing can have been lost of it.
        self._staked = [each for each in self._all if each.stake]
        self.tags: list[Tag | None] = [each.told.tag for each in self._all]

    def loss(self) -> Figure:
        """Return what they lost in all, of the match or the unit."""
        return sum_of([each.worth.loss for each in self._all]).printed(
            sum([_ppm(each.told.loss) for each in self._all])
        )

    def rate(self) -> Figure | None:
        """Return the mean of what they lost of their stakes; None without any."""
        found = error_rate(self._losses(0))
        half: Fraction | None = sum_of([Estimate(Fraction(0), _half(each)) for each in self._staked]).half
        return (
            None if found is None else _figure(found, None if half is None else half * Fraction(1, len(self._staked)))
        )

    def accuracy(self) -> Figure | None:
        """Return the mean of their accuracy, weighted by stakes; None without any.

        Where losses are estimated, it lies between what it is with all of them at one end and at the other.
        """
        found = accuracy(self._losses(0))
        if found is None:
            return None
        if all(_half(each) is None for each in self._staked):
            return model(found)
        worst, best = accuracy(self._losses(1)), accuracy(self._losses(-1))
        assert worst is not None
        assert best is not None
        return _figure(found, Fraction(max(best - found, found - worst), MILLION))

    def _losses(self, side: int) -> list[LossOfStake]:
        """Return what was lost, as estimated (0), or at the upper (1) or lower (-1) end of each interval."""
        return [
            LossOfStake(max(0, _ppm(each.told.points) + side * ppm_up(_half(each) or Fraction(0))), ppm_of(each.stake))
            for each in self._staked
        ]


def _half(each: JudgedDecision) -> Fraction | None:
    """Return half the interval of what a decision lost of its stake."""
    half = each.worth.loss.half
    return None if half is None else half / each.stake


def _ppm(figure: object) -> int:
    assert isinstance(figure, Figure), "what was judged has a figure"
    return figure.ppm


def _figure(ppm: int, half: Fraction | None) -> Figure:
    return model(ppm) if half is None else sampled(ppm, ppm_up(half))
