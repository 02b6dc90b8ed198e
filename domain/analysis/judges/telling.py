"""Decisions told: what a seat could have done, what each of it was worth, and what that makes of what it did.

How moves are valued is another matter: whatever values them, by folding back or by playing on, is told in one way.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Protocol

from msgspec import UNSET, Struct, UnsetType

from domain.analysis.figures import MILLION, Figure, Printed, Reason, divide, exact, model, ppm_of
from domain.analysis.grades.decisions import HALF, Doubted, Judgement, Weighed, judge
from domain.analysis.judges.ways import Way
from domain.analysis.odds import chances
from domain.analysis.odds.labels import BLUFFS, Label, label_of
from domain.analysis.record.following import Step
from domain.analysis.report import OPTIONS_MAX, PerSeat, ToldChallenge, ToldDecision, ToldEquity, ToldOption
from domain.analysis.worths.equity import MomentWorth, printed
from domain.analysis.worths.estimates import Estimate, ppm_up
from domain.rules.rules import Counting
from domain.strategy.knowledge import NOTHING, Knowledge


class Valuation(Protocol):
    """What the moves of a decision were worth to its seat, in the order of the house's offers."""

    @property
    def worths(self) -> tuple[Estimate, ...]:
        """What each move is worth."""

    @property
    def best(self) -> int:
        """The index of the move that is worth most, the first of several."""

    @property
    def played(self) -> int:
        """The index of the move that was made."""

    @property
    def behind(self) -> tuple[Estimate, ...]:
        """How far each move is behind the best."""

    @property
    def loss(self) -> Estimate:
        """What the move that was made lost beside the best."""

    @property
    def skill(self) -> Estimate:
        """What the move was worth more than what the policy plays is on average."""


class Grounds(Struct, frozen=True):
    """What is known of a decision beside its scene.

    Attributes:
        own: What its seat knew of hidden dice before it.
        label: Of the claim that was made.
        read: The chance of the claim to beat, as the seat reads it; None where nothing stands.
        right: Whether a doubt of it turned out right.
        odds: What challenging would be worth by odds alone; None where there was nothing to challenge.
        surprise: How likely the public took the move to be.
        total: How likely the policy makes all moves it thinks of; None where all of them are weighed.
    """

    own: Knowledge = NOTHING
    label: Label | None = None
    read: Estimate | None = None
    right: bool = False
    odds: Printed | None = None
    surprise: Figure | UnsetType = UNSET
    total: int | None = None


class DecisionSum(Struct, frozen=True):
    """What is added up of a decision: all deals that it was weighed over are left behind.

    Attributes:
        loss: What the move that was made lost beside the best.
        skill: What it was worth more than what the policy plays is on average.
    """

    loss: Estimate
    skill: Estimate


class JudgedDecision(Struct, frozen=True):
    """A decision as the document has it, and as it is added up.

    Attributes:
        called: The chance of a claim that was rightly doubted though likely, as its doubter read it, ppm; else None.
    """

    told: ToldDecision
    worth: DecisionSum
    stake: Fraction
    called: int | None

    @property
    def counts(self) -> bool:
        """Whether it was a decision: neither forced, nor done by the table."""
        return not self.told.forced and not self.told.clock


def judged_decision(
    step: Step, ways: Sequence[Way], worth: Valuation, stake: Fraction, known: Grounds
) -> JudgedDecision:
    """Return what is said of what a seat did; the dice it knew are told."""
    read = ppm_of(known.read.value) if known.read is not None and ways[worth.played].doubts else None
    called = read if read is not None and known.right and read >= HALF else None
    told = _told_decision(step, ways, worth, stake, known)
    return JudgedDecision(told, DecisionSum(worth.loss, worth.skill), stake, called)


def told_moment(moment: MomentWorth, sums: Iterable[Fraction]) -> ToldEquity:
    """Return the figures of what a moment is worth, which sum up to what verdicts bring all seats, if that is one sum.

    Args:
        moment: What it is worth.
        sums: What each verdict brings all seats together; none where that is not told.
    """
    every = {*sums}
    found = printed(moment, every.pop() if len(every) == 1 else None)
    everything: PerSeat | Reason = "not_shown" if found.all is None else dict(sorted(found.all.items()))
    return ToldEquity(dict(sorted(found.public.items())), dict(sorted(found.seat.items())), everything)


def stake_figure(stake: Fraction) -> Figure:
    """Return the figure of what is at stake: that a verdict wins or loses it all is a fact."""
    return exact(stake) if stake in {0, 1} else model(ppm_of(stake))


def _told_decision(step: Step, ways: Sequence[Way], worth: Valuation, stake: Fraction, known: Grounds) -> ToldDecision:
    forced, idle = step.forced, step.forced or step.clock
    found = _judgement(step, ways, worth, stake, known)
    order = _shown(worth, found.best)
    total = sum([way.weight for way in ways]) if known.total is None else known.total
    # A difference is rounded once, and may so be one off the difference of what was rounded.
    loss = worth.loss
    share = None if not stake else loss.times(Fraction(1) / stake)
    return ToldDecision(
        forced=forced,
        clock=step.clock,
        options=tuple([_told_option(ways[way], worth.worths[way], total) for way in order]),
        best=order.index(found.best),
        played=order.index(worth.played),
        loss=loss.figure,
        stake=stake_figure(stake),
        points="no_stake" if share is None else share.figure,
        skill=worth.skill.figure,
        tag=None if idle else found.tag,
        marks=() if idle else found.marks,
        surprise=known.surprise,
        challenge=_told_challenge(ways, worth, known),
    )


def _judgement(step: Step, ways: Sequence[Way], worth: Valuation, stake: Fraction, known: Grounds) -> Judgement:
    doubts = ways[worth.played].doubts and known.read is not None
    doubted = Doubted(ppm_of(known.read.value), known.right) if doubts and known.read is not None else None
    margin = _margin(worth.loss)
    odds = chances.CountOdds(step.old) if isinstance(step.old.rules.claims, Counting) else None
    options = [
        Weighed(ppm_of(each.value), _bluffs(way, step, known.own, odds), way.doubts, _margin(behind))
        for way, each, behind in zip(ways, worth.worths, worth.behind, strict=True)
    ]
    return judge(options, worth.played, ppm_of(stake), label=known.label, doubted=doubted, margin=margin)


def _margin(estimate: Estimate) -> int:
    """Return half the interval of an estimate, in millionths."""
    return 0 if estimate.half is None else ppm_up(estimate.half)


def _bluffs(way: Way, step: Step, own: Knowledge, odds: chances.CountOdds | None) -> bool | None:
    """Report whether a claim would have been a bluff or a semi-bluff; None of what is no claim."""
    if way.claim is None or step.seat is None:
        return None
    state, seat = step.old, step.seat
    chance, public = (chances.chance_of_claim(state, way.claim, seat, each, odds) for each in (own, NOTHING))
    return label_of(chance, public) in BLUFFS


def _shown(worth: Valuation, best: int) -> list[int]:
    """Return the options that are told, best first: the best ones and the one that was played."""
    worths = worth.worths
    order = sorted(range(len(worths)), key=lambda way: (way != best, -ppm_of(worths[way].value), way))
    return [way for number, way in enumerate(order) if number < OPTIONS_MAX - 1 or way == worth.played]


def _told_option(way: Way, worth: Estimate, total: int) -> ToldOption:
    return ToldOption(way.move, worth.figure, model(divide(way.weight * MILLION, total)))


def _told_challenge(ways: Sequence[Way], worth: Valuation, known: Grounds) -> ToldChallenge | UnsetType:
    found = next((each for way, each in zip(ways, worth.worths, strict=True) if way.doubts), None)
    return UNSET if found is None or known.odds is None else ToldChallenge(known.odds, found.figure)
