"""Tests of uniformity: evidence that may be looked at as often as one likes.

The law of the file: nothing here is spoiled by looking often, by stopping when one likes, or by asking many questions.
A test that is right once is wrong for somebody who looks every day and cries out on the worst one. What follows is
right for all days together.

**Evidence.** Suppose every die is fair: given all dice rolled before, and all that anybody did on the strength of
them, each side is equally likely. Bet one coin against that: before each die, stake the whole purse on what the dice
before it suggest, at the odds of a fair die. At fair dice no way of betting gains, so the purse E is 1 in expectation
for ever, and the chance that it *ever* reaches 20 is at most 1 in 20 (Ville's inequality). The bet here is the mixture
over all loadings of the die, each as likely as any other. After counts c_1 ... c_k of n, with fair chances p_1 ... p_k,

    E = (k-1)! c_1! ... c_k! / (n+k-1)!  /  (p_1^c_1 ... p_k^c_k)

which hangs on the counts alone. A table of pairs is bet on row by row: which row a die falls into is known before it
falls, so the product of the rows is such a purse as well, though pairs overlap. So are runs, with a row for each length
and the two cells "ends" and "goes on", whose fair chances are 1 - 1/m and 1/m.

**Many questions.** Each question has a share of one coin, fixed here once and for all (`share_of`); coins staked on
questions that nobody has met stay as they are. All bets run over the same dice in the same order, so their sum is one
purse, and its reaching 20 is one event: *if all dice of this house are fair, the chance that the page ever raises the
alarm, for whatever question and on whatever day, is at most 5 %*. A single question is called uneven when its own share
alone has grown to 20.

**Bounds** of the share of each side: those shares at which the same bet, on this side or another, has never won enough
(Beta-binomial mixture). If all dice are fair, the chance that any bound of one table *ever* leaves out the fair share
is at most 5 %, the sides of the table together.

**Dice that wait.** Long matches come in late, and length hangs on dice. So the purse is worked out for all dice that
were rolled, and those that wait are taken to be what speaks least against the house, bounds to be as wide as any of
their outcomes would make them. What is told is then never more than what will be true of the dice that were rolled.
A house that keeps deals open for ever gains nothing by it: it shows as dice that wait.

What is *not* said: that dice are fair. Much evidence speaks against; little of it only says that nothing was found.

Sources:
    J. Ville, "Etude critique de la notion de collectif", Gauthier-Villars 1939 (the inequality).
    H. Robbins, "Statistical methods related to the law of the iterated logarithm", Ann. Math. Statist. 41 (1970),
        1397-1409 (mixtures, and sequences of intervals).
    S. R. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, "Time-uniform, nonparametric, nonasymptotic confidence
        sequences", Ann. Statist. 49 (2021), 1055-1080.
    M. Lindon, A. Malek, "Anytime-valid inference for multinomial count data", NeurIPS 2022 (the mixture over loadings).
    A. Ramdas, P. Gruenwald, V. Vovk, G. Shafer, "Game-theoretic statistics and safe anytime-valid inference",
        Statist. Sci. 38 (2023), 576-601 (averages of such purses).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from math import ceil, exp, floor, fsum, lgamma, log
from typing import Final

from msgspec import Struct

from domain.fairness.sampling import MODULUS_MAX
from domain.statistics.deals import DealStatistics, deal_statistics
from domain.statistics.tallies import POOLED, RUNS, DiceTally, Of, TallyQuestion, What

ERROR: Final = 0.05
"""The chance of ever being wrong about fair dice."""
ALARM: Final = 20
"""The purse at which the alarm is raised: 1 / ERROR."""
PLACES: Final = 4
"""Decimals of what is told. Counts are exact; sums of logarithms differ in their last bits from one machine to another,
which rounding hides. Bounds are rounded outwards."""
HALVINGS: Final = 40
"""Halvings of an interval in the search for a bound: to 1 in 10**12."""

_USUAL: Final = {6: 0.5, 10: 0.25}
"""The sides that games of the house have, and what is staked on them; the rest goes to all others alike."""
_KINDS: Final = 3
_WHICH: Final[dict[Of, int]] = {"all": 1, "slot": POOLED + 1, "roll": POOLED + 1, "seat": 256, "player": _KINDS}
"""How many questions of a sort there can be: as many slots, owners of cups and kinds of players as CUP/1 knows."""
_WHATS: Final = 4


class UniformityFinding(Struct, frozen=True, omit_defaults=True):
    """What is found of one question.

    Attributes:
        m: How many sides the dice have.
        what: `faces`, `beside`, `after` or `runs`, as the tally has it.
        of: Of which dice: `all`, or those of one `slot`, `roll`, `seat` or kind of `player`.
        which: Which one of these; empty for all.
        counts: The counts, a side each; for pairs row by row of the first die; for runs (ended, went on) after one,
            two, three or more equal dice.
        waiting: How many more there will be.
        evidence: The decimal logarithm of the purse, rounded; below 0 it has lost.
        uneven: Whether this question alone raises the alarm.
        bounds: For faces, between what the share of each side lies.
    """

    m: int
    what: What
    of: Of
    which: str
    counts: list[int]
    waiting: int
    evidence: float
    uneven: bool
    bounds: list[tuple[float, float]] = []


class Statistics(Struct, frozen=True):
    """What all open dice came to, and whether they came evenly.

    Attributes:
        matches: Matches of which at least one deal is counted.
        deals: Deals that are counted.
        dice: Dice that are counted.
        waiting: Dice that were rolled in deals which have still to publish their secret.
        evidence: The decimal logarithm of the whole purse, rounded.
        alarm: From where on it speaks against the dice.
        even: Whether it does not.
        findings: What is found of each question, in order.
        shown: Sides of dice that play has shown in deals which keep their secret, by number of sides; no fair sample.
        dealt: What became of deals: how many were thrown away, and in how many the house drew a seed.
    """

    matches: int
    deals: int
    dice: int
    waiting: int
    evidence: float
    alarm: float
    even: bool
    findings: list[UniformityFinding]
    shown: dict[str, list[int]]
    dealt: DealStatistics


def statistics(tally: DiceTally) -> Statistics:
    """Return what is found of a tally. Cost: some microseconds a question, some tens more for bounds."""
    purses = {question: evidence(question, *asked) for question, asked in sorted(_counts_by_question(tally))}
    purse = combine(purses)
    faces = [question for question, _ in _counts_by_question(tally) if (question.what, question.of) == ("faces", "all")]
    return Statistics(
        matches=tally.matches,
        deals=tally.deals,
        dice=sum(sum(tally.counts.get(question, ())) for question in faces),
        waiting=sum(tally.waiting.get(question, 0) for question in faces),
        evidence=_decimal_log(purse),
        alarm=_decimal_log(log(ALARM)),
        even=purse < log(ALARM),
        findings=[
            _finding(question, *asked, purses[question]) for question, asked in sorted(_counts_by_question(tally))
        ],
        shown={str(m): cells for m, cells in sorted(tally.shown.items())},
        dealt=deal_statistics(tally.dealt),
    )


def share_of(question: TallyQuestion) -> float:
    """Return what is staked on a question; over all questions there can be, it comes to 1."""
    sides = _USUAL.get(question.m, (1 - sum(_USUAL.values())) / (MODULUS_MAX - 1 - len(_USUAL)))
    return sides / _WHATS / len(_WHICH) / _WHICH[question.of]


def evidence(question: TallyQuestion, counts: Sequence[int], waiting: int = 0) -> float:
    """Return the natural logarithm of the purse of a question, at the least that it can come to.

    Args:
        question: Which one.
        counts: Its counts.
        waiting: Dice of which it is not known yet into which cell they fall.
    """
    return fsum(
        _row_e_value(_counts_against(row, chances, waiting), chances) for row, chances in _rows(question, counts)
    )


def combine(purses: dict[TallyQuestion, float]) -> float:
    """Return the natural logarithm of what all shares together have come to."""
    idle = max(0.0, 1 - fsum(map(share_of, purses)))
    most = max(0.0, *purses.values()) if purses else 0.0
    grown = fsum(share_of(question) * exp(purse - most) for question, purse in purses.items())
    return most + log(grown + idle * exp(-most))


def bounds(counts: Sequence[int], waiting: int = 0) -> list[tuple[float, float]]:
    """Return between what the share of each side lies, rounded outwards.

    Args:
        counts: How often each side was seen.
        waiting: Dice of which it is not known yet what they show.
    """
    dice, most = sum(counts) + waiting, log(len(counts) / ERROR)
    found = (
        (_lowest_share(count, dice, most), 1 - _lowest_share(dice - count - waiting, dice, most)) for count in counts
    )
    grain = 10**PLACES
    return [(floor(low * grain) / grain, ceil(high * grain) / grain) for low, high in found]


def _lowest_share(count: int, dice: int, most: float) -> float:
    """Return the least share of a side, seen so often among so many, against which no bet has won `most`."""
    won = lgamma(count + 1) + lgamma(dice - count + 1) - lgamma(dice + 2)
    low, high = 0.0, count / dice if dice else 0.0
    for _ in range(HALVINGS if count else 0):
        share = (low + high) / 2
        if won - count * log(share) - (dice - count) * log(1 - share) > most:
            low = share
        else:
            high = share
    return low


def _rows(question: TallyQuestion, counts: Sequence[int]) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Yield each row of a table with the fair chances of its cells, as whole numbers of the same parts."""
    match question.what:
        case "faces":
            yield counts, (1,) * question.m
        case "runs":
            yield from ((counts[at : at + 2], (question.m - 1, 1)) for at in range(0, 2 * RUNS, 2))
        case _:
            m = question.m
            yield from ((counts[at : at + m], (1,) * m) for at in range(0, m * m, m))


def _row_e_value(counts: Sequence[int], chances: Sequence[int]) -> float:
    cells, dice, parts = len(counts), sum(counts), sum(chances)
    won = lgamma(cells) + fsum(lgamma(count + 1) for count in counts) - lgamma(dice + cells)
    return won - fsum(count * log(chance / parts) for count, chance in zip(counts, chances, strict=True) if count)


def _counts_against(counts: Sequence[int], chances: Sequence[int], waiting: int) -> list[int]:
    """Return the counts after so many more dice that the purse is at its least.

    A die in cell i multiplies the purse by (c_i + 1) / p_i, and by the same for all cells: it is least when each one
    goes where that is least, for the purse is a product over cells that grow ever faster. No such die ever adds to the
    purse, so of a table with many rows each row may be given all that wait: that can only be less than the truth.
    """
    if not waiting:
        return list(counts)

    def level(height: int) -> int:
        return sum(max(0, chance * height - count) for count, chance in zip(counts, chances, strict=True))

    height = bisect_right(range(sum(counts) + waiting + 1), waiting, key=level) - 1
    filled = [max(count, chance * height) for count, chance in zip(counts, chances, strict=True)]
    for _ in range(waiting - level(height)):
        least = min(range(len(filled)), key=lambda cell: (filled[cell] + 1) / chances[cell])
        filled[least] += 1
    return filled


def _counts_by_question(tally: DiceTally) -> Iterator[tuple[TallyQuestion, tuple[list[int], int]]]:
    for question in tally.counts.keys() | tally.waiting.keys():
        counts = tally.counts.get(question, [0] * question.cells)
        yield question, (counts, tally.waiting.get(question, 0))


def _finding(question: TallyQuestion, counts: list[int], waiting: int, purse: float) -> UniformityFinding:
    uneven = purse + log(share_of(question)) >= log(ALARM)
    limits = bounds(counts, waiting) if question.what == "faces" else []
    return UniformityFinding(*question, counts, waiting, _decimal_log(purse), uneven, limits)


def _decimal_log(purse: float) -> float:
    return round(purse / log(10), PLACES) + 0.0
