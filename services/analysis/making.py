"""Making an analysis of a record: which policies judge its rounds, and the audit that comes before.

The law of the file: nothing is computed before everything that was asked for is known to be there and to fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec import Struct

from domain.analysis.joining import joined
from domain.analysis.means import SAMPLES, SAMPLES_MAX, SAMPLES_MIN, Means, RoundMeans
from domain.analysis.record.following import FollowedRecord, follow
from domain.analysis.report import Analysis
from domain.analysis.rounds import RoundTold
from domain.fairness.faults import Fault
from domain.fairness.records import split
from domain.ids import RoundNumber
from domain.log import canonical
from domain.match.record import PREFIX, UnknownVersion, said_by
from domain.match.settings import is_known
from domain.strategy.folding.fold_back import Evaluator
from domain.strategy.level_params import LevelParams
from domain.strategy.policies.ahead import solved_ahead
from domain.strategy.policies.facts import Facts, facts_of
from domain.strategy.policies.files import Policy, must_fit, named_apart
from domain.table.state import State
from projections.casting.sentences import with_sentences
from services.analysis.beside import rounds_told
from services.audit.beacons import known_beacons
from services.audit.verdict import LAYERS, NOTHING_BESIDE, Evidence, Verdict, verdict_of
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import LEVEL, Shelf

Watch = Callable[[Iterator[RoundTold], int], Iterable[RoundTold]]
"""Passes rounds on as they are told, in any order, and knows how many there will be: whoever waits may be shown."""
LINES_MAX: Final = 200_000
"""More lines than any match has come near."""


class CannotAnalyse(Exception):  # noqa: N818 - says what happened
    """There is nothing to analyse, or not in this way; the message is a sentence without its end."""


class Faulty(Exception):  # noqa: N818 - says what the record is
    """A record with a fault is not analysed: numbers about a forged match are worth nothing."""

    def __init__(self, verdict: Verdict) -> None:
        """Keep what the audit found."""
        super().__init__(f"{verdict.code} {verdict.line}: {verdict.message}")
        self.verdict = verdict


class WantedAnalysis(Struct, frozen=True):
    """What somebody asks of an analysis.

    Attributes:
        policies: Policies to judge with, read and proved; where none of a kind is named, the house's defaults.
        samples: How many profiles an estimate is made from.
        rounds: The first and the last round to tell of; None for all.
    """

    policies: tuple[Policy, ...] = ()
    samples: int = SAMPLES
    rounds: tuple[int, int] | None = None


def record_followed(record: bytes, beside: Evidence = NOTHING_BESIDE) -> FollowedRecord:
    """Return a record that may be any bytes, audited in all three layers and followed.

    Raises:
        CannotAnalyse: It is no record of a match, too long, or of rules that this program does not know.
        Faulty: It is at fault.

    Cost: that of an audit.
    """
    check_is_match(record)
    verdict = verdict_of(record, None, LAYERS, known_beacons(None), beside)
    if verdict.status == "FAULT":
        raise Faulty(verdict)
    try:
        return follow(split(record).lines)
    except (UnknownVersion, KeyError) as trouble:
        raise CannotAnalyse("the record is of a newer version than this program knows") from trouble


def analysis_of(
    followed: FollowedRecord,
    wanted: WantedAnalysis,
    watch: Watch,
    evaluator: Evaluator = evaluate,
    jobs: int | None = 1,
) -> Analysis:
    """Return the analysis of a record with its sentences, the same wherever it is made, and by however many processes.

    Args:
        followed: The record.
        wanted: What is asked of it.
        watch: Shows how far it is.
        evaluator: What folds deals back.
        jobs: How many processes make it; for None, as many as there are cores where that is sooner.

    Raises:
        BadPolicy: Two policies have one name, or one of them fits no round.
        CannotAnalyse: There are no closed rounds, or other samples than there may be.
    """
    means = means_for(followed, wanted, Shelf())
    told = watch(rounds_told(followed, means, evaluator, jobs), len(means.rounds))
    return with_sentences(joined(followed, means, sorted(told, key=lambda each: each.told.round)))


def check_is_match(record: bytes) -> None:
    """Check that bytes begin as the record of a match does whose rules are known here. Cost: splitting them.

    Raises:
        CannotAnalyse: They do not.
    """
    if not record:
        raise CannotAnalyse("the record is empty")
    if record.count(b"\n") > LINES_MAX:
        raise CannotAnalyse(f"the record has more than {LINES_MAX:,} lines")
    try:
        line = split(record).lines[0]
        kind, data, _ = said_by(line)
        stream = str(canonical.decode(line)["stream"])
    except UnknownVersion as trouble:
        raise CannotAnalyse("the record is of a newer version than this program knows") from trouble
    except (Fault, canonical.NotCanonical, KeyError, IndexError) as trouble:
        raise CannotAnalyse("this is no record") from trouble
    if kind != "match.created" or not stream.startswith(PREFIX):
        raise CannotAnalyse("this is the record of something else than a match")
    if not isinstance(data.get("rules"), dict) or not is_known(data["rules"]):
        raise CannotAnalyse("the match is played by rules that this program does not know")


def means_for(followed: FollowedRecord, wanted: WantedAnalysis, shelf: Shelf) -> Means:
    """Return what each round of a record is judged by.

    Raises:
        BadPolicy: Two policies have one name, or one of them fits no round.
        CannotAnalyse: There are no closed rounds, other samples than there may be, or a blueprint was named.
    """
    if not SAMPLES_MIN <= wanted.samples <= SAMPLES_MAX:
        raise CannotAnalyse(f"there are {SAMPLES_MIN} to {SAMPLES_MAX:,} samples, not {wanted.samples}")
    if not followed.rounds:
        raise CannotAnalyse("no round is over")
    named = named_apart(wanted.policies)
    facts = {played.number: facts_of((played.dealt or played.steps[0]).new) for played in followed.rounds}
    for policy in named:
        must_fit(policy, facts.values())
        if policy.kind == "blueprint":
            raise CannotAnalyse(f"{policy.name} is a blueprint, which plays: nobody's moves are read by it")
    session = followed.match.rules.match.open_ended
    told = _told_rounds(followed, wanted.rounds)
    begun = {played.number: played.steps[0].old for played in followed.rounds}
    rounds = {number: _round_means(facts[number], named, shelf, None if session else begun[number]) for number in told}
    return Means(rounds, _level(named, shelf), named, wanted.samples)


def _level(named: Sequence[Policy], shelf: Shelf) -> LevelParams:
    """Return the constants of level 1 that seats are compared with: those of a level somebody named, or the house's."""
    levels = [policy for policy in named if policy.kind == "level"]
    params = (levels[0] if levels else shelf.find(LEVEL).policy).content
    assert isinstance(params, LevelParams)
    return params


def _round_means(facts: Facts, named: Sequence[Policy], shelf: Shelf, begun: State | None) -> RoundMeans:
    """Return what a round is judged by; `begun` is the game before it, None in sessions."""
    plays = [policy for policy in named if policy.kind != "rounds"]
    tables = [policy for policy in named if policy.kind == "rounds"]
    fitting = [policy for policy in plays if policy.fits(facts)]
    better = next((policy for policy in plays if not policy.fits(facts)), None)
    play = fitting[0] if fitting else shelf.find(LEVEL).policy if plays else shelf.default("play", facts)
    reason = "" if better is None or fitting[:1] else f"{better.name} is for other rounds"
    table = tables[0] if tables else shelf.default("rounds", facts)
    if begun is None:
        return RoundMeans(play, None, reason)
    return RoundMeans(play, table, reason, solved_ahead(begun, partial(_solved, [*named], None if tables else shelf)))


def _solved(named: Sequence[Policy], shelf: Shelf | None, facts: Facts) -> Policy | None:
    """Return what has solved a round of these facts, of what somebody named or of what is shipped, if that counts."""
    found = next((policy for policy in named if policy.kind == "solved" and policy.fits(facts)), None)
    return shelf.solved(facts) if found is None and shelf is not None else found


def _told_rounds(followed: FollowedRecord, rounds: tuple[int, int] | None) -> list[RoundNumber]:
    """Return the rounds to tell of: all, or from the first to the last of these."""
    every = [played.number for played in followed.rounds]
    if rounds is None:
        return every
    kept = [number for number in every if rounds[0] <= number <= rounds[1]]
    if not kept or (kept[0], kept[-1]) != rounds:
        raise CannotAnalyse(f"there are rounds {every[0]} to {every[-1]}, not {rounds[0]} to {rounds[1]}")
    return kept
