"""Records told: what odds alone say of one, whole analyses by one process and by two, what is said live, memory."""

from __future__ import annotations

import gc
import multiprocessing
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Final

from domain.analysis.claims import claims_told
from domain.analysis.record.following import FollowedRecord, follow
from domain.analysis.report import written
from domain.match.record import fold
from domain.strategy.folding.fold_back import Evaluator
from infra.clock import cpu_s, ticks_s
from projections.casting.caster import CHANNELS, caster_frame, encode_caster_frame
from projections.frames import encode_frame, frame_of
from services.analysis.desk import Failed, Job
from services.analysis.jobs import make_analysis
from services.analysis.making import WantedAnalysis, analysis_of
from services.audit.verdict import NOTHING_BESIDE
from services.cli.bench.analysis.asked import KeptQuestions
from services.cli.bench.analysis.played import LevelMatch
from services.cli.bench.clients.matches import RULES, record
from services.cli.bench.sheets.figures import figure
from services.cli.bench.sheets.processes import peak_bytes
from services.cli.bench.sheets.sheets import BYTES, MS, Samples
from services.client.house import CannotDo
from services.evaluators.batch_evaluator import evaluate

ROUNDS: Final = 25
"""Rounds of a match that are told; one of two seats has fewer."""
WHOLE: Final = {2: "<= 1.5, 3000 ms", 6: "<= 1.5, 60000 ms"}
"""What is to be reached, by seats."""
MEMORY: Final = "<= 300 MB"


def measure_odds(match: LevelMatch, what: str, samples: Samples) -> None:
    """Measure the odds, labels and counts of a record that nobody has looked at yet."""
    took = _cpu_ms(lambda: [claims_told(played) for played in follow(match.lines).rounds])
    folded = _cpu_ms(lambda: list(fold(match.lines)))
    samples.add(f"odds, labels and counts of {what}", MS, took, f"its lines folded, {what}", folded, "<= 2")


def _cpu_ms(work: Callable[[], object]) -> float:
    gc.collect()
    begun = cpu_s()
    work()
    return 1_000 * (cpu_s() - begun)


# ---- whole analyses -------------------------------------------------------------------------------


def measure_whole(match: LevelMatch, seats: int, what: str, samples: Samples) -> None:
    """Measure a whole analysis beside the deals that it folds back, and by two processes beside one."""
    followed, kept = follow(match.lines), KeptQuestions()
    wanted = _wanted(followed)
    begun, told = cpu_s(), list[bytes]()
    one_ms = _waited_ms(lambda: told.append(_analysed(followed, wanted, kept, 1)))
    alone_ms = 1_000 * (cpu_s() - begun)
    bare_ms = _cpu_ms(kept.ask_again)
    samples.add(f"analysis of {what}", MS, alone_ms, f"its deals folded back, {what}", bare_ms, WHOLE.get(seats, ""))
    two_ms = _waited_ms(lambda: told.append(_analysed(followed, wanted, evaluate, 2)))
    if told[0] != told[1]:
        raise CannotDo(f"two processes do not tell {what} as one does")
    samples.add(f"analysis of {what} by two processes, waited for", MS, two_ms, "by one", one_ms, "<= 0.56")


def _wanted(followed: FollowedRecord) -> WantedAnalysis:
    return WantedAnalysis(rounds=(1, min(ROUNDS, len(followed.rounds))))


def _analysed(followed: FollowedRecord, wanted: WantedAnalysis, evaluator: Evaluator, jobs: int) -> bytes:
    return written(analysis_of(followed, wanted, lambda told, _: told, evaluator, jobs))


def _waited_ms(work: Callable[[], object]) -> float:
    begun = ticks_s()
    work()
    return 1_000 * (ticks_s() - begun)


# ---- what is said live ----------------------------------------------------------------------------


def measure_caster(match: LevelMatch, what: str, samples: Samples) -> None:
    """Measure what is said of each event of a match, beside the spectator's frame of the same one."""
    said, framed = list[float](), list[float]()
    for at_head, event in match.steps:
        begun = cpu_s()
        encode_frame(frame_of(at_head, event, None, None, {}, more=False))
        between = cpu_s()
        encode_caster_frame(caster_frame(at_head, event), CHANNELS)
        said.append(cpu_s() - between)
        framed.append(between - begun)
    ours, floor = figure(said, sum(said)), figure(framed, sum(framed))
    samples.add_waits(f"caster item of {what}", ours, f"the spectator's frame, {what}", floor, "<= 0.5")


# ---- the memory of a job --------------------------------------------------------------------------


def measure_memory(seats: int, dice: int, what: str, samples: Samples) -> None:
    """Measure what a job takes of memory at most, in a process of its own, as the desk has one."""
    rules = {**RULES, "seats": seats, "options": {"dice_per_player": dice}}
    job = Job("", record(rules)[0], NOTHING_BESIDE, WantedAnalysis().samples)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        at_rest = pool.submit(peak_bytes).result()
        if isinstance(found := pool.submit(make_analysis, job).result(), Failed):
            raise CannotDo(f"a job has failed: {found}")
        most = pool.submit(peak_bytes).result()
    samples.add(f"memory of a job, {what}", BYTES, most, "its process before", at_rest, MEMORY)
