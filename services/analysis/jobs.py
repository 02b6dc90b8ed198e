"""Jobs of the desk: what the process beside the program does with a record, and what names the outcome.

The process has little room and little right to the machine, so that an analysis takes nothing from those who play.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from domain.analysis.report import FORMAT, written
from domain.analysis.rounds import RoundTold
from domain.strategy.bad_policy import BadPolicy
from services.analysis.desk import TOO_MUCH, Failed, Job
from services.analysis.making import CannotAnalyse, Faulty, WantedAnalysis, analysis_of, record_followed
from services.policies.shelf import ids_for_judging
from services.work.settling import TakesTooLong, within

EDITION: Final = 2
"""Counts up when analyses of records that there were come out otherwise, so that none kept before is taken for them."""
PROGRESS_SIGNS: Final = 16
"""How long the line of progress is, however far it is: it is written over itself in one piece."""


def name_of(head: str, samples: int) -> str:
    """Return what an analysis is kept under, in hex: format, edition, record as far as a head, policies, samples."""
    policies = "\n".join(ids_for_judging())
    return hashlib.sha256(f"{FORMAT}\n{EDITION}\n{head}\n{policies}\n{samples}".encode()).hexdigest()


def make_analysis(job: Job) -> bytes | Failed:
    """Return the analysis of a job, or why there is none. Cost: seconds of a core."""
    try:
        with within(job.cpu_s):
            followed = record_followed(job.record, job.beside)
            wanted = WantedAnalysis(samples=job.samples)
            return written(analysis_of(followed, wanted, lambda told, of: _telling(told, job.progress, of)))
    except Faulty as trouble:
        return Failed(trouble.verdict.code or "", trouble.verdict.line or 0, trouble.verdict.message or "")
    except (CannotAnalyse, BadPolicy) as trouble:
        return Failed("cannot_analyse", 0, str(trouble))
    except (MemoryError, TakesTooLong):
        return TOO_MUCH


def _telling(told: Iterable[RoundTold], progress: str, of: int) -> Iterator[RoundTold]:
    """Pass rounds on, and write down how many there were."""
    _tell(progress, 0, of)
    for done, each in enumerate(told, start=1):
        _tell(progress, done, of)
        yield each


def _tell(progress: str, done: int, of: int) -> None:
    """Write down how far the analysis is, where its desk has begun a file for it, which it holds."""
    with suppress(OSError), Path(progress).open("r+b", buffering=0) as file:
        file.write(f"{done} {of}".ljust(PROGRESS_SIGNS).encode())
