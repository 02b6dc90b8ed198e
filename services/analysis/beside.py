"""Rounds told in processes beside this one, each as it would be told here: a round alone is told as it is among all.

This process tells rounds as well, while the others begin and as long as any is left. Those with most to tell come
first, so that nobody is left with much when the others are done.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from domain.analysis.following import FollowedRecord, FollowedRound
from domain.analysis.joining import rounds_of, settings_of
from domain.analysis.means import Means
from domain.analysis.rounds import RoundSetting, RoundTold, told_round
from domain.ids import RoundNumber
from domain.strategy.folding.fold_back import Evaluator

ALONE_MAX: Final = 200
"""So much is told sooner than another process has started: two seconds of a core."""

Settings = Mapping[RoundNumber, tuple[FollowedRound, RoundSetting]]
_OURS: dict[RoundNumber, tuple[FollowedRound, RoundSetting]] = {}
"""What a process beside another one tells rounds with; empty in all others."""


def rounds_told(followed: FollowedRecord, means: Means, evaluator: Evaluator, jobs: int | None) -> Iterator[RoundTold]:
    """Yield the rounds that are to be told, each once it is; of several processes in any order.

    Args:
        followed: The record.
        means: What its rounds are judged by.
        evaluator: What folds deals back.
        jobs: How many processes tell them, this one among them; as many as there are cores for None, unless there is so
            little to tell that others would come late.
    """
    work = {played.number: work_of(played) for played in followed.rounds if played.number in means.rounds}
    processes = min(jobs or os.cpu_count() or 1, len(work))
    if processes == 1 or (jobs is None and sum(work.values()) <= ALONE_MAX):
        yield from rounds_of(followed, means, evaluator)
        return
    # Each begins afresh: one that is forked would take the terminal's threads along, asleep with their locks.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(processes - 1, context, _begin, (followed, means, evaluator))
    try:
        first = sorted(means.rounds, key=lambda number: -work[number])
        waiting = {number: pool.submit(_told, number) for number in first}
        yield from _all_told(waiting, _settings(followed, means, evaluator))
    finally:
        pool.shutdown(cancel_futures=True)


def work_of(played: FollowedRound) -> int:
    """Return about how much there is to tell of a round: each thing that was done, for everybody who looks at it."""
    return sum([len(step.old.remaining) for step in played.steps if step.seat is not None])


def _all_told(waiting: Mapping[RoundNumber, Future[RoundTold]], settings: Settings) -> Iterator[RoundTold]:
    """Yield what nobody has begun when it is its turn here, and what others have told meanwhile."""
    theirs: dict[RoundNumber, Future[RoundTold]] = {}
    for number, future in waiting.items():
        if not future.cancel():
            theirs[number] = future
            continue
        yield told_round(*settings[number])
        for done in [each for each, future in theirs.items() if future.done()]:
            yield _told_there(theirs.pop(done), settings, done)
    for number, future in theirs.items():
        yield _told_there(future, settings, number)


def _told_there(future: Future[RoundTold], settings: Settings, number: RoundNumber) -> RoundTold:
    """Return what another process tells of a round, or this one where the other has been ended."""
    try:
        return future.result()
    except BrokenProcessPool:
        return told_round(*settings[number])


def _settings(followed: FollowedRecord, means: Means, evaluator: Evaluator) -> Settings:
    return {played.number: (played, setting) for played, setting in settings_of(followed, means, evaluator)}


def _begin(followed: FollowedRecord, means: Means, evaluator: Evaluator) -> None:
    _OURS.update(_settings(followed, means, evaluator))


def _told(number: RoundNumber) -> RoundTold:
    return told_round(*_OURS[number])
