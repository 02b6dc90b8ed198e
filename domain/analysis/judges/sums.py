"""Sums of decisions: what a seat lost by all of them, and how near to the best they were."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from domain.analysis.figures import Figure, model, ppm_of, sampled
from domain.analysis.grades.accuracy import LossOfStake, accuracy, error_rate
from domain.analysis.grades.decisions import Tag
from domain.analysis.judges.fair_accuracy import EstimatedLoss, fair_accuracy
from domain.analysis.judges.telling import JudgedDecision
from domain.analysis.worths.estimates import ppm_up, sum_of


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
        """Return what they lost in all, of the match or the unit; estimates of little may sum to less than nothing."""
        lost = [each.worth.loss for each in self._all]
        return sum_of(lost).printed(sum([ppm_of(each.value) for each in lost]))

    def rate(self) -> Figure | None:
        """Return the mean of what they lost of their stakes; None without any."""
        lost = self._points()
        found, half = error_rate(_of_stakes(lost)), sum_of([each.points for each in lost]).half
        return None if found is None else _figure(found, None if half is None else half * Fraction(1, len(lost)))

    def accuracy(self) -> Figure | None:
        """Return the mean of their accuracy, weighted by stakes; None without any."""
        lost = self._points()
        if any(each.points.half is not None for each in lost):
            return fair_accuracy(lost).figure
        found = accuracy(_of_stakes(lost))
        return None if found is None else model(found)

    def _points(self) -> list[EstimatedLoss]:
        return [EstimatedLoss(each.worth.loss.times(Fraction(1) / each.stake), each.stake) for each in self._staked]


def _of_stakes(lost: Sequence[EstimatedLoss]) -> list[LossOfStake]:
    return [LossOfStake(ppm_of(each.points.value), ppm_of(each.stake)) for each in lost]


def _figure(ppm: int, half: Fraction | None) -> Figure:
    return model(ppm) if half is None else sampled(ppm, ppm_up(half))
