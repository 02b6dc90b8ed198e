"""Luck taken out of a match: what its dice brought each seat, by an analysis of its record.

Of the parts of luck it is `own` and `theirs`: what a round is worth by all its dice, less what it is worth before
anybody knows one, and the same at every later roll. Dice fall alike whoever plays, so the mean of it is 0 whatever the
players do, however well the analysis knows them, and however few deals it draws: a score less it is as true as the
score, and hangs less on the dice.

Source: the laws of analysis, sections on luck and on the gauntlet.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from domain.analysis.judges.blind_cups import CupJudge
from domain.analysis.judges.doings import Doing
from domain.analysis.judges.folding import RoundJudge
from domain.analysis.judges.rollouts import RollJudge
from domain.analysis.readings import CountReading, Reading, reading_of
from domain.analysis.record.following import FollowedRecord, FollowedRound, Step, follow
from domain.analysis.rounds import RoundSetting, doings_of
from domain.analysis.worths.equity import Sampling, Scene, all_worths, public_worths
from domain.analysis.worths.estimates import Estimate
from domain.ids import Seat
from domain.strategy.folding.bidding import bidding_of, folds
from domain.strategy.folding.verdicts import stakes_by
from domain.strategy.level_params import LEVEL_ONE, LevelParams
from domain.strategy.reading.learning import Learning
from services.evaluators.batch_evaluator import evaluate
from services.policies.usual import usual_means

SAMPLES: Final = 64
"""Deals that the worth of a round before its dice is a mean of: more make the interval hardly narrower."""
PerSeat = dict[Seat, Fraction]


class MatchLuck(Struct, frozen=True):
    """What the dice of a match brought.

    Attributes:
        brought: By seat, in what the match is scored in.
        rounds: How many rounds there were.
        untold: Of how many of them it cannot be told, and is taken for nothing.
    """

    brought: PerSeat
    rounds: int
    untold: int


def luck_of_match(lines: Sequence[bytes]) -> MatchLuck:
    """Return what the dice of a finished match brought each seat, given its lines.

    Cost: of a round that folds, its positions and 65 deals folded back; of any other, some rollouts for every roll.
    """
    followed = follow(lines)
    table = followed.match.table
    assert table is not None, "it was played"
    # Where the first out has lost, the others share what a match is worth; an analysis gives each of them 1.
    shares = len(table.seats) - 1 if table.rules.match.first_out_ends else 1
    brought, untold = dict.fromkeys(table.seats, Fraction(0)), 0
    for played in followed.rounds:
        found = _luck_of_round(played, _setting(followed, played))
        untold += found is None
        for seat, change in (found or {}).items():
            brought[seat] += change / shares
    return MatchLuck(brought, len(followed.rounds), untold)


def _setting(followed: FollowedRecord, played: FollowedRound) -> RoundSetting:
    """Return what an analysis judges a round by where nobody names a policy."""
    means = usual_means(played.steps[0].old, (played.dealt or played.steps[0]).new)
    params = means.play.content if isinstance(means.play.content, LevelParams) else LEVEL_ONE
    # When dice fall nobody has moved: how far somebody's moves are to be doubted changes nothing.
    doubt = Learning(params)
    doubts = {seat: doubt.doubt(seat) for seat in played.steps[0].new.remaining}
    sampling = Sampling(followed.head, means.play.id, SAMPLES)
    return RoundSetting(means, params, doubts, sampling, evaluate)


def _luck_of_round(played: FollowedRound, setting: RoundSetting) -> PerSeat | None:
    """Return what the dice of a round brought each seat; None where they are not known, or nothing weighs them."""
    if played.dealt is None:
        return None
    table = setting.cup or setting.solved
    reading = reading_of(played.dealt.new.rules, setting.params, setting.doubts, setting.draws, table)
    if folds(played.dealt.new):
        return _at_the_deal(played, setting, reading)
    judge = setting.judge(played)
    return None if judge is None or isinstance(judge, RoundJudge) else _at_every_roll(played, setting, judge, reading)


def _at_the_deal(played: FollowedRound, setting: RoundSetting, reading: Reading) -> PerSeat | None:
    dealt = played.dealt
    assert dealt is not None
    for step in played.steps:
        reading.take(step)
        if step is dealt:
            break
    assert isinstance(reading, CountReading), "what folds back is a round of counts"
    bidding = bidding_of(dealt.new, setting.policy)
    dice = dealt.views.dice
    if any(seat not in dice for seat in bidding.seats):
        return None
    stakes = stakes_by(bidding, setting.table(played))
    scene = Scene(stakes, dealt.new, reading.beliefs.beliefs, dealt.version, setting.sampling, setting.evaluate)
    return _change(public_worths(scene), all_worths(scene, dice))


def _change(before: dict[Seat, Estimate], after: dict[Seat, Estimate]) -> PerSeat:
    return {seat: after[seat].value - worth.value for seat, worth in before.items()}


def _at_every_roll(
    played: FollowedRound, setting: RoundSetting, judge: CupJudge | RollJudge, reading: Reading
) -> PerSeat | None:
    brought: PerSeat | None = None
    stood: dict[Seat, Estimate] = {}
    last = _last_asked(played)
    for doing in doings_of(played):
        for step in doing.steps:
            reading.take(step)
        if doing.first is played.dealt:
            moment = judge.moment(doing, reading)
            if moment.all is None:
                return None
            brought, stood = _change(moment.public, moment.all), moment.all
        elif brought is not None and _matters(doing, judge, last):
            # What the last doing led to is settled.
            after = _settled(played, setting, judge) if doing.first is last else judge.moment(doing, reading).all
            if after is None:
                return None
            for swing in judge.swings(doing, after, None):
                rolled = {} if swing.rolled is None else _change(stood, dict(swing.after))
                brought = {seat: change + rolled.get(seat, 0) for seat, change in brought.items()}
                stood = dict(swing.after)
    return brought


def _matters(doing: Doing, judge: CupJudge | RollJudge, last: Step) -> bool:
    """Report whether a doing up to the verdict is looked at: rollouts tell by themselves what was before a roll."""
    asked = doing.first.seat is not None and doing.first.version <= last.version
    return asked and (doing.rolled is not None or isinstance(judge, CupJudge))


def _last_asked(played: FollowedRound) -> Step:
    verdict = played.verdict
    assert verdict is not None, "a round that is judged has a verdict"
    return [step for step in played.steps if step.seat is not None and step.version < verdict.version][-1]


def _settled(played: FollowedRound, setting: RoundSetting, judge: CupJudge | RollJudge) -> dict[Seat, Estimate]:
    state = played.steps[-1].new
    worths = dict(zip(state.seats, setting.table(played).worths(state), strict=True))
    return {seat: Estimate(worths[seat]) for seat in judge.seats}
