"""Luck of the dice alone: what those of a round brought each seat, whoever plays.

Of the parts of luck it is `own` and `theirs`: what a round is worth by all its dice, less what it is worth before
anybody knows one, and the same at every later roll.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from domain.analysis.judges.blind_cups import CupJudge
from domain.analysis.judges.doings import Doing, doings_of, last_asked
from domain.analysis.judges.judge import Judge
from domain.analysis.readings import Reading
from domain.analysis.record.following import FollowedRound, Step
from domain.analysis.settings import RoundSetting
from domain.analysis.worths.equity import all_worths, public_worths
from domain.analysis.worths.estimates import Estimate
from domain.ids import Seat
from domain.strategy.folding.bidding import folds

PerSeat = dict[Seat, Fraction]


def dice_luck(played: FollowedRound, setting: RoundSetting) -> PerSeat | None:
    """Return what the dice of a round brought each seat; None where they are not known, or nothing weighs them.

    Cost: where the round folds, its positions and its deals folded back; else some rollouts for every roll.
    """
    if played.dealt is None:
        return None
    reading = setting.reading(played.dealt.new.rules)
    if folds(played.dealt.new):
        return _at_the_deal(played, setting, reading)
    judge = setting.judge(played)
    return None if judge is None else _at_every_roll(played, setting, judge, reading)


def _at_the_deal(played: FollowedRound, setting: RoundSetting, reading: Reading) -> PerSeat | None:
    dealt = played.dealt
    assert dealt is not None
    for step in played.steps[: played.steps.index(dealt) + 1]:
        reading.take(step)
    dice = dealt.views.dice
    if any(seat not in dice for seat in dealt.new.remaining):
        return None
    scene = setting.judge_folding(played).scene(dealt.new, reading, dealt.version)
    before, after = public_worths(scene), all_worths(scene, dice)
    return {seat: after[seat].value - worth.value for seat, worth in before.items()}


def _at_every_roll(played: FollowedRound, setting: RoundSetting, judge: Judge, reading: Reading) -> PerSeat | None:
    brought, last = dict.fromkeys(judge.seats, Fraction(0)), last_asked(played)
    stood: Mapping[Seat, Estimate] | None = None
    for doing in doings_of(played):
        for step in doing.steps:
            reading.take(step)
        if doing.first is played.dealt:
            moment = judge.moment(doing, reading)
            stood, after = moment.public, moment.all
        elif stood is not None and _matters(doing, judge, last):
            # What the last doing led to is settled.
            after = _settled(played, setting, judge) if doing.first is last else judge.moment(doing, reading).all
        else:
            continue
        if after is None:
            return None
        for fell, then in _changes(doing, judge, after, played.dealt):
            if fell:
                brought = {seat: so_far + then[seat].value - stood[seat].value for seat, so_far in brought.items()}
            stood = then
    return brought


def _changes(
    doing: Doing, judge: Judge, after: Mapping[Seat, Estimate], dealt: Step | None
) -> list[tuple[bool, Mapping[Seat, Estimate]]]:
    """Return what a doing made of the round, one thing after the other, and whether that was done by dice."""
    if doing.first is dealt:
        return [(True, after)]
    return [(swing.rolled is not None, swing.after) for swing in judge.swings(doing, after, None)]


def _matters(doing: Doing, judge: Judge, last: Step | None) -> bool:
    """Report whether a doing up to the verdict is looked at: rollouts tell by themselves what was before a roll."""
    asked = last is not None and doing.first.seat is not None and doing.first.version <= last.version
    return asked and (doing.rolled is not None or isinstance(judge, CupJudge))


def _settled(played: FollowedRound, setting: RoundSetting, judge: Judge) -> dict[Seat, Estimate]:
    state = played.steps[-1].new
    worths = dict(zip(state.seats, setting.table(played).worths(state), strict=True))
    return {seat: Estimate(worths[seat]) for seat in judge.seats}
