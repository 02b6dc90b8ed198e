"""Jobs of the desk: what the process beside the program does with a record, and what names the outcome.

The process has little room and little right to the machine, so that an analysis takes nothing from those who play.
"""

from __future__ import annotations

import hashlib
import os
import resource
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from domain.analysis.joining import joined, rounds_of
from domain.analysis.report import FORMAT, written
from domain.strategy.bad_policy import BadPolicy
from projections.casting.sentences import with_sentences
from services.analysis.desk import Failed, Job
from services.analysis.making import CannotAnalyse, Faulty, WantedAnalysis, means_for, record_followed
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import Shelf

NICE: Final = 15
"""How far everybody else comes before it."""
MEMORY_BYTES: Final = 2**30
"""What it may take of addresses; a third of that is ever used."""


def name_of(head: str, samples: int) -> str:
    """Return what an analysis is kept under, in hex: its format, the record as far as this head, policies, samples."""
    policies = "\n".join(sorted(one.policy.id for one in Shelf().shipped()))
    text = f"{FORMAT}\n{head}\n{policies}\n{samples}"
    return hashlib.sha256(text.encode()).hexdigest()


def settle(begin: Callable[[int], None], parent: int) -> None:
    """Begin as a process beside a program: see to its end with the program's, step back, and take little room."""
    begin(parent)
    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))


def make_analysis(job: Job) -> bytes | Failed:
    """Return the analysis of a job, or why there is none. Cost: seconds of a core."""
    try:
        followed = record_followed(job.record, job.beside)
        means = means_for(followed, WantedAnalysis(samples=job.samples), Shelf())
        rounds = []
        for told in rounds_of(followed, means, evaluate):
            rounds.append(told)
            _tell(job.progress, len(rounds), len(means.rounds))
        return written(with_sentences(joined(followed, means, rounds)))
    except Faulty as trouble:
        return Failed(str(trouble.verdict.code), int(trouble.verdict.line or 0), str(trouble))
    except (CannotAnalyse, BadPolicy) as trouble:
        return Failed("cannot_analyse", 0, str(trouble))


def _tell(progress: str, done: int, of: int) -> None:
    """Write down how far the analysis is."""
    beside = Path(f"{progress}.part")
    with suppress(OSError):
        beside.write_text(f"{done} {of}", encoding="ascii")
        beside.replace(progress)
