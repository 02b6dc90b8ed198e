"""The analysis of a record, joined from its rounds: what is said of each seat, of the match, and which moments are key.

What is learnt of seats goes from round to round, so that a round alone is told as it is among all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import cast

from msgspec import UNSET

from domain.analysis.figures import MILLION, Figure, exact
from domain.analysis.grades.moments import Candidate, moments
from domain.analysis.judges.sums import Decisions
from domain.analysis.means import Means
from domain.analysis.record.following import FollowedRecord, FollowedRound
from domain.analysis.report import Analysis, Stands, ToldLuck, ToldSeat, Unit
from domain.analysis.rounds import RoundTold, told_round
from domain.analysis.settings import RoundSetting
from domain.analysis.worths.estimates import Estimate
from domain.analysis.worths.luck import SeatLuck, luck_of
from domain.analysis.worths.scenes import Sampling
from domain.ids import Seat
from domain.rules.rules import Rules
from domain.strategy.folding.fold_back import Evaluator, fold_back
from domain.strategy.level_params import LevelParams
from domain.strategy.reading.learning import Learning
from domain.strategy.tables import unit_of


def analysis_of(followed: FollowedRecord, means: Means, evaluate: Evaluator = fold_back) -> Analysis:
    """Return the analysis of a record: see `rounds_of` for what it costs."""
    return joined(followed, means, list(rounds_of(followed, means, evaluate)))


def rounds_of(followed: FollowedRecord, means: Means, evaluate: Evaluator = fold_back) -> Iterator[RoundTold]:
    """Yield the rounds that are to be told, each once it is.

    Args:
        followed: The record.
        means: What its rounds are judged by; those that are not in it are only learnt from.
        evaluate: What folds deals back.

    Cost: for each event of a round that folds and each viewpoint, so many deals folded back.
    """
    for played, setting in settings_of(followed, means, evaluate):
        yield told_round(played, setting)


def settings_of(
    followed: FollowedRecord, means: Means, evaluate: Evaluator = fold_back
) -> Iterator[tuple[FollowedRound, RoundSetting]]:
    """Yield the rounds that are to be told, with what each is told with; otherwise as `rounds_of`.

    Cost: learning from what everybody did, some milliseconds a round.
    """
    learning: Learning | None = None
    for played in followed.rounds:
        if played.number in means.rounds:
            yield played, _setting(followed, played, means, learning, evaluate)
        learning = _learn(learning, played, means)


def _learn(learning: Learning | None, played: FollowedRound, means: Means) -> Learning:
    learning = Learning(means.params) if learning is None else learning
    for step in played.steps:
        learning = learning.after(step.old, step.event)
    return learning


def _setting(
    followed: FollowedRecord, played: FollowedRound, means: Means, learning: Learning | None, evaluate: Evaluator
) -> RoundSetting:
    chosen = means.rounds[played.number]
    learnt = Learning(means.params) if learning is None else learning
    level = chosen.play.content
    params = level if isinstance(level, LevelParams) else means.params
    doubts = {seat: learnt.doubt(seat) for seat in played.steps[0].new.remaining}
    return RoundSetting(chosen, params, doubts, Sampling(followed.head, chosen.play.id, means.samples), evaluate)


def joined(followed: FollowedRecord, means: Means, rounds: Sequence[RoundTold]) -> Analysis:
    """Return the analysis of a record whose rounds have been told, in their order."""
    match = followed.match
    return Analysis(
        match=str(match.id),
        head=followed.head,
        version=match.version,
        rules=followed.first.rules,
        rules_hash=match.rules_hash.hex(),
        complete=followed.is_complete,
        samples=means.samples,
        policies=means.used,
        worth=stands_for(followed),
        seats=tuple([_told_seat(followed, rounds, seat) for seat in sorted(match.seated)]),
        rounds=tuple([each.told for each in rounds]),
        events=tuple([event for each in rounds for event in each.events]),
        moments=moments(_candidates(followed, rounds)),
    )


def stands_for(followed: FollowedRecord) -> Stands:
    """Return what worths are counted in: the match, or the unit of a session that ends only when somebody ends it."""
    return stands_under(followed.match.rules)


def stands_under(rules: Rules) -> Stands:
    """Return what worths are counted in under these rules."""
    unit = unit_of(rules) if rules.match.open_ended else None
    return Stands("match") if unit is None else Stands("round", cast("Unit", unit.name))


def _candidates(followed: FollowedRecord, rounds: Sequence[RoundTold]) -> Iterator[Candidate]:
    """Yield the events that might be shown: of each round, where the lead changed, and the end."""
    played = {each.number: each for each in followed.rounds}
    for each in rounds:
        yield from each.candidates
        ended = _end_of(played[each.told.round])
        if _leader(each.before) != _leader(each.after):
            yield Candidate(ended, "lead", 0, (_leader(each.after),))
    if rounds and followed.is_complete:
        yield Candidate(_end_of(played[rounds[-1].told.round]), "end", 0)


def _end_of(played: FollowedRound) -> int:
    return (played.verdict or played.steps[-1]).version


def _leader(worths: Mapping[Seat, Fraction]) -> Seat:
    """Return the seat that is worth most, the first of several."""
    return max(sorted(worths), key=lambda seat: (worths[seat], -seat))


# ---- seats ----------------------------------------------------------------------------------------


def _told_seat(followed: FollowedRecord, rounds: Sequence[RoundTold], seat: Seat) -> ToldSeat:
    told = {each.told.round for each in rounds}
    asked = [step for played in followed.rounds if played.number in told for step in played.steps if step.seat == seat]
    clock = sum([step.clock for step in asked])
    forced = sum([step.forced and not step.clock for step in asked])
    own = [event for each in rounds for event in each.events if event.seat == seat]
    labels = Counter([event.label for event in own if event.label is not UNSET])
    judged = Decisions([each.decisions[e.version] for each in rounds for e in own if e.version in each.decisions])
    tags = Counter([tag for tag in judged.tags if tag is not None])
    return ToldSeat(
        seat=seat,
        bot=followed.match.seated[seat].is_bot,
        decisions=len(asked) - clock - forced,
        forced=forced,
        clock=clock,
        error_rate=judged.rate(),
        accuracy=judged.accuracy(),
        loss=judged.loss() if any(each.is_judged for each in rounds) else "no_model",
        tags={str(tag): tags[tag] for tag in sorted(tags)},
        labels={str(label): labels[label] for label in sorted(labels)},
        luck=_told_luck(followed, rounds, seat),
    )


def _told_luck(followed: FollowedRecord, rounds: Sequence[RoundTold], seat: Seat) -> ToldLuck | None:
    """Return where the change of a seat's worth came from; None where no round was judged by all dice."""
    lucky = [each.luck for each in rounds if each.luck is not None]
    if not lucky or seat not in rounds[0].before:
        return None
    session = followed.match.rules.match.open_ended
    # What a session is worth counts from each round anew.
    gained = sum([each.after[seat] for each in rounds], Fraction(0))
    start, end = (Fraction(0), gained) if session else (rounds[0].before[seat], rounds[-1].after[seat])
    found = luck_of(seat, start, end, lucky)
    ends = [rounds[0].told.before[seat], rounds[-1].told.after[seat]]
    return ToldLuck(
        start=exact(start) if session else ends[0],
        end=exact(end) if session else ends[1],
        **{name: _part(found, name) for name in ("table", "own", "theirs", "skill", "unseen", "others")},
    )


def _part(found: SeatLuck, name: str) -> Figure:
    ppm: int = getattr(found, name)
    return Estimate(Fraction(ppm, MILLION), found.half.get(name), found.proved.get(name)).printed(ppm)
