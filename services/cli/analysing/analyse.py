"""`truecup analyse`: what a record says about those who played, on any machine, without asking anybody."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from domain.analysis.means import SAMPLES
from domain.analysis.report import Analysis, written
from domain.ids import Seat
from domain.strategy.bad_policy import BadPolicy
from domain.strategy.folding.fold_back import Evaluator, fold_back
from domain.strategy.policies.files import Policy
from services.analysis.making import CannotAnalyse, Faulty, WantedAnalysis, analysis_of, record_followed
from services.audit.verdict import Evidence
from services.cli.analysing.telling import told
from services.cli.analysing.writing import NO_PAGE, PageAsked, place_for, write_page
from services.cli.auditing.sources import Unread, board_of, read
from services.cli.exits import FINE, FOUND, INCOMPLETE
from services.cli.screen import say, say_aside, say_document, show_progress_late
from services.evaluators.batch_evaluator import evaluate
from services.policies.shelf import NotFound, Shelf, policy_in


def analyse(
    record: str,
    /,
    *,
    json: bool = False,
    seat: Seat | None = None,
    samples: int = SAMPLES,
    policy: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    rounds: str | None = None,
    plain: bool = False,
    jobs: Annotated[int | None, Parameter(validator=Number(gte=1, lte=256))] = None,
    page: Annotated[PageAsked, Parameter(name="*")] = NO_PAGE,
) -> int:
    """Analyse a record.

    Args:
        record: A record file, or the address of a match; - reads it from stdin.
        json: Print the analysis as one canonical document.
        seat: Tell of the claims of this seat.
        samples: How many profiles an estimate is made from, 64 to 65,536.
        policy: A policy to judge with, by name or hash, or a file; once for each.
        rounds: The rounds to tell of, such as 3-5; all if nothing is said.
        plain: Fold deals back one by one, without numpy: slower, and the same to the last bit.
        jobs: How many processes to use; if nothing is said, as many as there are cores where that is sooner.
        page: The page that is one file.
    """
    try:
        place = place_for(page)
        wanted, data = WantedAnalysis(tuple(map(_policy, policy)), samples, _rounds(rounds)), read(record)
        found = _analysis(record, data, wanted, seat, fold_back if plain else evaluate, jobs)
        write_page(place, record, data, found)
    except Faulty as trouble:
        say_aside(f"truecup: {record} is at fault: {trouble}")
        return FOUND
    except (CannotAnalyse, Unread, BadPolicy, NotFound) as trouble:
        say_aside(f"truecup: {record} cannot be analysed: {trouble}")
        return INCOMPLETE
    say_document(written(found)) if json else say(*told(found, record, seat))
    return FINE if found.complete else INCOMPLETE


def _analysis(
    name: str, data: bytes, wanted: WantedAnalysis, seat: Seat | None, evaluator: Evaluator, jobs: int | None
) -> Analysis:
    followed = record_followed(data, Evidence(board=board_of(name, data)))
    if seat is not None and seat not in followed.match.seated:
        raise CannotAnalyse(f"nobody had seat {seat}")
    return analysis_of(followed, wanted, lambda told, of: show_progress_late(told, "analyse", of), evaluator, jobs)


def _policy(asked: str) -> Policy:
    """Return the policy of this name or hash, or in the file of this name."""
    path = Path(asked)
    try:
        return policy_in(path).policy if path.is_file() else Shelf().find(asked).policy
    except OSError as trouble:
        raise CannotAnalyse(f"the policy {asked} cannot be read: {trouble.strerror}") from trouble
    except BadPolicy as trouble:
        raise CannotAnalyse(f"the policy {asked} is refused: {trouble}") from trouble


def _rounds(asked: str | None) -> tuple[int, int] | None:
    """Return the first and the last round of `A-B`, or of one round alone."""
    if asked is None:
        return None
    first, dash, last = asked.partition("-")
    ends = (first, last if dash else first)
    if not all(each.isascii() and each.isdigit() for each in ends) or int(ends[0]) > int(ends[1]):
        raise CannotAnalyse(f"--rounds {asked}: rounds are named as 3-5")
    return int(ends[0]), int(ends[1])
