"""Rounds told in processes beside this one, each as it would be told here: a round alone is told as it is among all.

This process tells rounds as well, while the others begin and as long as any is left. Those with most to tell come
first, so that nobody is left with much when the others are done.
"""

from __future__ import annotations

import multiprocessing
import os
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from threading import Thread
from typing import Final

from domain.analysis.joining import rounds_of, settings_of
from domain.analysis.means import Means
from domain.analysis.record.following import FollowedRecord, FollowedRound
from domain.analysis.rounds import RoundTold, told_round
from domain.analysis.settings import RoundSetting
from domain.ids import RoundNumber
from domain.strategy.folding.fold_back import Evaluator

ALONE_MAX: Final = 200
"""So much is told sooner than another process has started: two seconds of a core."""

AHEAD: Final = 2
"""Rounds that each of the others has: one that it tells, and one to go on with."""

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
        yield from _all_told(pool, deque(first), _settings(followed, means, evaluator), AHEAD * (processes - 1))
    finally:
        pool.shutdown(cancel_futures=True)


def work_of(played: FollowedRound) -> int:
    """Return about how much there is to tell of a round: each thing that was done, for everybody who looks at it."""
    return sum([len(step.old.remaining) for step in played.steps if step.seat is not None])


def _all_told(
    pool: ProcessPoolExecutor, left: deque[RoundNumber], settings: Settings, most: int
) -> Iterator[RoundTold]:
    """Yield rounds that others tell, so many of them given out at once, and those that are told here meanwhile.

    What has been given out is never taken back: a pool whose process is ended stumbles over that, and answers nobody.
    """
    theirs: dict[RoundNumber, Future[RoundTold] | None] = {}
    while left or theirs:
        while left and len(theirs) < most:
            number = left.popleft()
            theirs[number] = _given_out(pool, number)
        if left:
            yield told_round(*settings[left.popleft()])
        done = [number for number, future in theirs.items() if not left or future is None or future.done()]
        for number in done:
            yield _told_there(theirs.pop(number), settings, number)


def _given_out(pool: ProcessPoolExecutor, number: RoundNumber) -> Future[RoundTold] | None:
    """Give a round to another process; None where none is left that could tell it."""
    try:
        return pool.submit(_told, number)
    except BrokenProcessPool:
        return None


def _told_there(future: Future[RoundTold] | None, settings: Settings, number: RoundNumber) -> RoundTold:
    """Return what another process tells of a round, or this one where the other has been ended."""
    try:
        return told_round(*settings[number]) if future is None else future.result()
    except BrokenProcessPool:
        return told_round(*settings[number])


def _settings(followed: FollowedRecord, means: Means, evaluator: Evaluator) -> Settings:
    return {played.number: (played, setting) for played, setting in settings_of(followed, means, evaluator)}


def _begin(followed: FollowedRecord, means: Means, evaluator: Evaluator) -> None:
    Thread(target=_end_with_parent, daemon=True).start()
    _OURS.update(_settings(followed, means, evaluator))


def _end_with_parent() -> None:
    """End once whoever gave the rounds out has ended, however that was: nobody would hear of them."""
    parent = multiprocessing.parent_process()
    assert parent is not None, "rounds are given out to others"
    parent.join()
    os._exit(1)


def _told(number: RoundNumber) -> RoundTold:
    return told_round(*_OURS[number])
