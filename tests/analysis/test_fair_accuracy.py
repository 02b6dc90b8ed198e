"""Fair accuracy: what is added up of estimates is right on average, for who errs as for who does not."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Final

from domain.analysis.figures import BackedFigure, Figure, model, ppm_of
from domain.analysis.grades.accuracy import accuracy_of
from domain.analysis.judges.fair_accuracy import EstimatedLoss, accuracy_of_estimate, fair_accuracy
from domain.analysis.judges.sums import Decisions
from domain.analysis.judges.telling import DecisionSum, JudgedDecision
from domain.analysis.report import ToldDecision
from domain.analysis.worths.estimates import Estimate
from tests.analysis.test_rolled_losses import Tried, every

LEAN: Final = Fraction(25, 1_000)
"""By so much of the stake a mean of losses may be too small: the move that some deals choose is not always the best."""
MILLION: Final = 1_000_000


def judged(each: Tried) -> JudgedDecision:
    """Return a decision by rollouts as it is added up."""
    none = model(0)
    told = ToldDecision(False, False, (), 0, 0, none, none, none, none, "good", ())  # noqa: FBT003 - as it is written
    return JudgedDecision(told, DecisionSum(each.rolled.lead, each.rolled.skill), each.stake, None)


@cache
def planted(*, best: bool) -> tuple[Tried, ...]:
    """Return decisions of who always makes the best move there is, or any that is thought of."""
    return every()[1 if best else 0 :: 2]


def summed(found: tuple[Tried, ...]) -> Decisions:
    return Decisions([judged(each) for each in found])


def near(figure: object, exact: Fraction, lean: Fraction) -> None:
    """Hold a figure against what is so: within its interval, but for how much it may lean."""
    assert isinstance(figure, BackedFigure)
    assert isinstance(figure.more, int), "it is sampled"
    assert abs(Fraction(figure.ppm, MILLION) - exact) <= Fraction(figure.more, MILLION) + lean


def test_what_seats_lose_in_all_is_what_was_planted() -> None:
    for best in (True, False):
        found = planted(best=best)
        points = [each.loss / each.stake for each in found]
        near(summed(found).rate(), sum(points, Fraction(0)) / len(points), LEAN)
        near(summed(found).loss(), sum([each.loss for each in found], Fraction(0)), LEAN * len(found))


def test_accuracy_is_that_of_what_was_planted() -> None:
    for best in (True, False):
        found = planted(best=best)
        whole = sum([each.stake for each in found], Fraction(0))
        exact = sum([accuracy_of(each.points) * each.stake for each in found], Fraction(0)) / whole / MILLION
        near(summed(found).accuracy(), exact, LEAN)


def test_losses_that_chance_alone_made_do_not_add_up() -> None:
    # Each is one deviation off, to both sides alike: cut off below nothing they would come to a loss.
    either = [EstimatedLoss(Estimate(Fraction(sign, 10), Fraction(196, 1_000)), Fraction(1)) for sign in (1, -1)]
    found = fair_accuracy(either * 50)
    assert abs(found.value - 1) <= Fraction(1, 100)
    more = fair_accuracy(either * 200).half
    assert found.half is not None
    assert more is not None
    # Four times as many are twice as sure.
    assert abs(2 * more - found.half) < Fraction(1, 10**9)


def test_the_curve_is_bent_and_what_that_brings_is_taken_away() -> None:
    spread, middle = Fraction(5, 100), Fraction(20, 100)
    # Of a bell, three points stand for all up to its fifth moment.
    ends = [(Fraction(1, 6), middle - spread * Fraction(1_732, 1_000)), (Fraction(2, 3), middle)]
    ends.append((Fraction(1, 6), middle + spread * Fraction(1_732, 1_000)))
    half = spread * Fraction(196, 100)
    mean = sum([weight * accuracy_of_estimate(Estimate(at, half)).value for weight, at in ends], Fraction(0))
    exact = Fraction(accuracy_of(ppm_of(middle)), MILLION)
    plain = sum([weight * Fraction(accuracy_of(ppm_of(at)), MILLION) for weight, at in ends], Fraction(0))
    assert abs(mean - exact) < Fraction(1, 1_000)
    assert plain - exact > Fraction(8, 1_000)


def test_what_is_certain_is_as_accurate_as_the_curve_says() -> None:
    found = accuracy_of_estimate(Estimate(Fraction(1, 10)))
    assert found == Estimate(Fraction(accuracy_of(100_000), MILLION))
    assert fair_accuracy([EstimatedLoss(Estimate(Fraction(-1), Fraction(0)), Fraction(1))]).value == 1
    assert fair_accuracy([EstimatedLoss(Estimate(Fraction(1), Fraction(3)), Fraction(1))]).value == 0


def test_nobody_who_decided_nothing_is_accurate() -> None:
    nobody = Decisions([])
    assert (nobody.rate(), nobody.accuracy()) == (None, None)
    assert nobody.loss() == Figure(0, "model")
