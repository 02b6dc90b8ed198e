"""Losses by rollouts beside those of rounds that fold, where they are known exactly: fair, and no move loses by chance.

The best of several estimates is too good; what a move lost beside it would be too much, of every move.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Final

from msgspec import Struct

from domain.analysis.figures import ppm_of
from domain.analysis.grades.decisions import BLUNDERED, POINT, Tag, Weighed, judge
from domain.analysis.worths.equity import DecisionWorth, decide, stake_of
from domain.analysis.worths.estimates import Estimate, Valued, ppm_up
from domain.analysis.worths.rolled import SHARE_BITS
from domain.analysis.worths.rolled_decisions import RolledDecision
from domain.analysis.worths.scenes import Scene
from domain.strategy.level_one.count_table import Answer
from tests.analysis.test_equity import scene_of
from tests.analysis.test_fold_back import Dice, small
from tests.analysis.test_rolled_intervals import rolled_beside
from tests.sizes import cases

SEAT: Final = 2
"""Whose decision it is, once the first seat has claimed."""
SAMPLES: Final = 512
FACES: Final = 3
PLAIN: Final = 40 * POINT
"""A loss so large that so few deals show it."""
WHOLE: Final = (0, 1 << SHARE_BITS)
ERRORS: Final = frozenset({"inaccuracy", "mistake", "blunder"})


class Tried(Struct, frozen=True):
    """A decision weighed in both ways: deal by deal, and by rollouts."""

    exact: DecisionWorth
    rolled: RolledDecision
    stake: Fraction

    @property
    def loss(self) -> Fraction:
        """What the move that was made did lose."""
        return self.exact.loss.value

    @property
    def points(self) -> int:
        """The same in ppm of the stake."""
        return ppm_of(self.loss / self.stake)

    @property
    def lead(self) -> Fraction:
        """How far the move that rollouts chose is before the one that was made."""
        worths = self.exact.worths
        return worths[self.rolled.chosen].value - worths[self.rolled.played].value

    @property
    def tag(self) -> Tag | None:
        """What the decision is called by rollouts."""
        loss, options = self.rolled.loss, [Weighed(ppm_of(each.value)) for each in self.rolled.worths]
        margin = 0 if loss.half is None else ppm_up(loss.half)
        return judge(options, self.rolled.played, ppm_of(self.stake), margin=margin).tag


def tried(scene: Scene, dice: Dice, made: Answer, head: str, samples: int = SAMPLES) -> Tried:
    """Weigh what a seat did by all deals there may be, and by rollouts."""
    exact, rolled = rolled_beside(scene, dice, made, head, samples)
    return Tried(exact, rolled, stake_of(scene.stakes, SEAT))


def some_scene(chance: random.Random) -> tuple[Scene, Dice]:
    dice = {seat: tuple(sorted(chance.choices(range(1, FACES + 1), k=2))) for seat in (1, SEAT)}
    claim = (chance.randint(1, 2), chance.randint(1, FACES))
    return scene_of(small("common_hand", {"wild": "never"}, FACES), dice, claim), dice


@cache
def every() -> tuple[Tried, ...]:
    """Return decisions of which half are the best there is, and the others any that is thought of."""
    chance, found = random.Random(20261126), []
    for number in range(cases(80, 2_000)):
        scene, dice = some_scene(chance)
        ways = decide(scene, SEAT, dice[SEAT], "challenge")
        made = ways.ways[ways.best if number % 2 else chance.randrange(len(ways.ways))].answer
        assert made is not None
        found.append(tried(scene, dice, made, f"head {number}"))
    return tuple(found)


def share(found: list[bool]) -> Fraction:
    return Fraction(sum(found), len(found))


def test_what_a_move_lost_is_measured_fairly() -> None:
    measured = [each for each in every() if each.rolled.measured is not None]
    off = [(each.rolled.lead.value - each.lead) / each.stake for each in measured]
    halves = [(each.rolled.lead.half or 0) / each.stake for each in measured]
    mean = sum(off, Fraction(0)) / len(off)
    # The mean of so many is off by two of its own intervals at most, which are the narrower the more there are.
    assert mean**2 <= 4 * sum((half**2 for half in halves), Fraction(0)) / len(halves) ** 2
    covered = share([abs(each) <= half for each, half in zip(off, halves, strict=True)])
    say(f"{len(measured)} measured, {float(covered):.3f} covered")
    assert covered >= Fraction(90, 100)


def test_what_a_move_lost_is_told_only_where_chance_did_not_make_it() -> None:
    for each in every():
        lead, loss = each.rolled.lead, each.rolled.loss
        assert lead.half is not None
        assert loss.half is not None
        if lead.value > lead.half:
            assert loss == lead
        else:
            assert loss.value == 0
            assert loss.half >= lead.value + lead.half
    told, beside_best = (mean_of_all(loss_by) for loss_by in (told_loss, loss_beside_best))
    # Seen with `-s`: what is told too much on average, and what would be beside the best of all estimates.
    say(f"{len(every())} decisions, told {told * 100:.2f} points too much, beside the best {beside_best * 100:.2f}")
    assert abs(told) < Fraction(2, 100)
    assert abs(told) < beside_best


def told_loss(each: Tried) -> Fraction:
    return each.rolled.loss.value


def loss_beside_best(each: Tried) -> Fraction:
    """Return the loss by the deals that choose, which is that of the highest of some estimates."""
    chosen, played = (each.rolled.parts[way].mean().value for way in (each.rolled.chosen, each.rolled.played))
    return (chosen - played) * Fraction(1, 1 << SHARE_BITS)


def mean_of_all(loss_by: Callable[[Tried], Fraction]) -> float:
    """Return by how much of the stake a loss is too large on average."""
    return float(sum([(loss_by(each) - each.loss) / each.stake for each in every()], Fraction(0)) / len(every()))


def say(text: str) -> None:
    sys.stdout.write(text + "\n")


def test_the_best_move_is_hardly_ever_called_an_error() -> None:
    best = [each for each in every() if each.loss == 0]
    assert len(best) >= len(every()) // 2
    wrong = [each.tag in ERRORS for each in best]
    say(f"{len(best)} best moves, {sum(wrong)} called errors")
    assert share(wrong) <= Fraction(5, 100)


def test_plain_mistakes_are_called_by_their_name() -> None:
    plain = [each for each in every() if each.points >= PLAIN]
    assert plain
    found = [each.tag == "blunder" for each in plain]
    say(f"{len(plain)} moves lost 40 points or more, {sum(found)} called blunders")
    assert share(found) >= Fraction(90, 100)
    wrong = [each for each in every() if each.tag == "blunder" and each.points < BLUNDERED]
    assert len(wrong) <= len(every()) // 50


def test_more_samples_tell_more() -> None:
    scene, dice = some_scene(random.Random(4))
    ways = decide(scene, SEAT, dice[SEAT], "challenge")
    worst = min(range(len(ways.ways)), key=lambda way: ways.worths[way].value)
    made = ways.ways[worst].answer
    assert made is not None
    few, many = (tried(scene, dice, made, "more", samples).rolled.loss for samples in (64, 2_048))
    assert few.half is not None
    assert many.half is not None
    assert many.half < few.half
    assert abs(many.value - ways.worths[ways.best].value + ways.worths[worst].value) <= 2 * many.half


# ---- what is behind the best ----------------------------------------------------------------------


def parts_of(*rows: tuple[int, ...]) -> tuple[Valued, ...]:
    return tuple([Valued([value << SHARE_BITS for value in row]) for row in rows])


def test_a_move_that_overtakes_the_one_that_was_chosen_is_the_best() -> None:
    chosen, made, other = (1, 1, 1, 1), (0, 1, 0, 1), (0, 0, 0, 1)
    measured = parts_of((0, 0, 1, 0), (1, 1, 1, 1))
    found = RolledDecision(parts_of(chosen, made, other), 1, WHOLE, parts_of(made)[0], (measured[0], measured[1]))
    assert (found.chosen, found.best) == (0, 1)
    assert found.lead.value == Fraction(-3, 4)
    # Three deals of four, where it is a whole one that may be either way: hardly any loss is left open.
    assert found.lead.half is not None
    assert found.loss == Estimate(Fraction(0), max(Fraction(0), found.lead.half - Fraction(3, 4)))
    assert [each.value for each in found.worths] == [Fraction(1, 4), Fraction(1), Fraction(-1, 2)]
    assert [each.value for each in found.behind] == [Fraction(3, 4), 0, Fraction(3, 2)]
    assert found.skill.value == 0


def test_a_move_that_is_chosen_is_as_good_as_any_unless_another_may_be_ahead() -> None:
    found = RolledDecision(parts_of((1, 1, 1, 1), (0, 1, 0, 1)), 0, WHOLE, parts_of((1, 0, 1, 0))[0])
    assert found.best == 0
    assert found.lead == Estimate(Fraction(0), Fraction(0))
    assert [each.value for each in found.behind] == [0, Fraction(1, 2)]
    assert found.skill.value == Fraction(1, 2)
    half = found.behind[1].half
    assert half is not None
    assert found.loss == Estimate(Fraction(0), half - Fraction(1, 2))


def test_who_has_no_choice_loses_nothing_and_nothing_is_left_open() -> None:
    found = RolledDecision(parts_of((1, 0, 1, 1)), 0, WHOLE)
    assert found.loss == found.skill == Estimate(Fraction(0), Fraction(0))
    assert (found.best, found.worths[0].value) == (0, Fraction(3, 4))
