"""Rounds told by several processes at once: the same ones, whoever tells them and whatever becomes of the others."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from domain.analysis.joining import rounds_of
from domain.analysis.means import SAMPLES_MIN, Means
from domain.analysis.record.following import FollowedRecord, follow
from domain.analysis.rounds import RoundTold
from domain.fairness.records import split
from domain.strategy.folding.fold_back import Deal, Evaluator, Questions, Shares
from domain.strategy.folding.verdicts import AtStake
from services.analysis.beside import rounds_told
from services.analysis.making import WantedAnalysis, means_for
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import Shelf

ROOT = Path(__file__).parents[2]
LONG_S = 120
RECORD = Path(__file__).parent / "vectors" / "records" / "two-dice-face-first.cup"


@cache
def wanted() -> tuple[FollowedRecord, Means]:
    followed = follow(split(RECORD.read_bytes()).lines)
    return followed, means_for(followed, WantedAnalysis(samples=SAMPLES_MIN), Shelf())


def told(jobs: int | None, evaluator: Evaluator = evaluate) -> list[RoundTold]:
    return sorted(rounds_told(*wanted(), evaluator, jobs), key=lambda each: each.told.round)


def evaluate_here_alone(stakes: AtStake, deals: Sequence[Deal], asked: Questions) -> Shares:
    """Fold back as always, but end the process where another one has started it, as a machine without memory would."""
    if multiprocessing.parent_process() is not None:
        os._exit(1)
    return evaluate(stakes, deals, asked)


def wait_beside(stakes: AtStake, deals: Sequence[Deal], asked: Questions) -> Shares:
    """Fold back as always, but say so and wait in a process that another one has started."""
    if multiprocessing.parent_process() is not None:
        sys.stdout.write("begun\n")
        sys.stdout.flush()
        time.sleep(LONG_S)
    return evaluate(stakes, deals, asked)


def test_whoever_is_killed_leaves_no_process_behind() -> None:
    program = [sys.executable, "-c", "from tests.analysis.test_beside import *; told(2, wait_beside)"]
    with subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE) as begun:
        assert begun.stdout is not None
        assert begun.stdout.readline() == b"begun\n"
        begun.kill()
        # What it wrote to is closed once nobody is left who could write there.
        assert begun.communicate(timeout=LONG_S / 2)[0] == b""


def test_rounds_of_several_processes_are_those_of_one() -> None:
    assert told(2) == list(rounds_of(*wanted(), evaluate))


def test_a_process_that_is_ended_takes_no_round_along() -> None:
    assert told(2, evaluate_here_alone) == told(None)
