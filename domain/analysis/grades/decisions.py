"""Decisions: what a move lost beside the best there was, by what its seat could know, and what that is called.

Only bookkeeping: the worths of the options come from `worths`, labels and readings from elsewhere. All is
compared as it is printed, in millionths, so that whoever reads an analysis can work every tag out again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from domain.analysis.figures import MILLION, divide
from domain.analysis.odds.labels import BLUFFS

Tag = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
Mark = Literal["bold", "brilliant", "only", "missed_challenge", "hasty_challenge"]
POINT: Final = 10_000
"""Ppm of the stake."""
INACCURATE, MISTAKEN, BLUNDERED = 5 * POINT, 10 * POINT, 15 * POINT
"""The steps chess sites use, on the scale of a round."""
HALF: Final = MILLION // 2


class Weighed(Struct, frozen=True):
    """An option of a decision.

    Attributes:
        q: What it is worth to its seat, ppm of the match or of the unit.
        bluffs: Whether it would have been labelled a bluff or a semi-bluff; None where it is no claim.
        challenges: Whether it doubts.
        margin: Where worths are estimates: half the interval of how far it is behind the best.
    """

    q: int
    bluffs: bool | None = None
    challenges: bool = False
    margin: int = 0


class Doubted(Struct, frozen=True):
    """A claim that a decision challenged: its chance by reading, ppm, and whether the doubt was right."""

    read: int
    right: bool


class Judgement(Struct, frozen=True):
    """What is said of a decision.

    Attributes:
        best: The index of the best option, the first of several.
        loss: Ppm of the match, or of the unit.
        points: Ppm of the stake; None where nothing was at stake.
        tag: One of five, which exclude each other; None without points.
    """

    best: int
    loss: int
    points: int | None
    tag: Tag | None
    marks: tuple[Mark, ...]


def points_of(loss: int, stake: int) -> int | None:
    """Return a loss in ppm of the stake, rounded half to even; None where nothing was at stake."""
    return divide(loss * MILLION, stake) if stake else None


def tag_of(points: int, *, is_best: bool) -> Tag:
    """Return what a decision is called that lost so many ppm of the stake."""
    if points >= INACCURATE:
        return "blunder" if points >= BLUNDERED else "mistake" if points >= MISTAKEN else "inaccuracy"
    return "best" if is_best else "good"


def best_of(options: Sequence[Weighed]) -> int:
    """Return the index of the option that is worth most, the first of several."""
    return max(range(len(options)), key=lambda index: (options[index].q, -index))


def judge(
    options: Sequence[Weighed],
    played: int,
    stake: int,
    *,
    label: str | None = None,
    doubted: Doubted | None = None,
    margin: int = 0,
) -> Judgement:
    """Return what is said of a decision.

    Args:
        options: The moves the policy thinks of and the one played, in the order of the house's offers.
        played: The index of what was played.
        stake: Largest minus smallest worth that a verdict of the round can still bring the seat, ppm of the match.
        label: That of the claim that was made.
        doubted: The claim that was challenged.
        margin: Where worths are estimates: half the interval of the difference between best and played, ppm of the
            match. Tags and marks go by the lower end.
    """
    best = best_of(options)
    loss = options[best].q - options[played].q
    points = points_of(loss, stake)
    if points is None:
        return Judgement(best, loss, None, None, ())
    sure = points_of(max(0, loss - margin), stake) or 0
    tag = tag_of(sure, is_best=loss == 0)
    return Judgement(best, loss, points, tag, _marks(options, played, stake, _Told(sure, label, doubted)))


class _Told(Struct, frozen=True):
    """What else a mark may hang on: points that are sure to be lost, the label of the claim, the claim doubted."""

    points: int
    label: str | None
    doubted: Doubted | None


def _marks(options: Sequence[Weighed], played: int, stake: int, told: _Told) -> tuple[Mark, ...]:
    best = best_of(options)
    bold = told.label in BLUFFS and told.points < INACCURATE
    right = told.doubted is not None and told.doubted.right and told.doubted.read >= HALF
    brilliant = (right and told.points < INACCURATE) or (bold and _is_alone(options, stake))
    doubts = told.points >= MISTAKEN
    found: dict[Mark, bool] = {
        "bold": bold,
        "brilliant": brilliant,
        "only": options[played].q == options[best].q and _next_loses(options, played, stake) >= BLUNDERED,
        "missed_challenge": doubts and options[best].challenges,
        "hasty_challenge": doubts and options[played].challenges,
    }
    return tuple([mark for mark, holds in found.items() if holds])


def _is_alone(options: Sequence[Weighed], stake: int) -> bool:
    """Report whether there are honest options, and each loses as much as a mistake does."""
    best = options[best_of(options)].q
    honest = [(points_of(best - each.q - each.margin, stake) or 0) >= MISTAKEN for each in options if not each.bluffs]
    return bool(honest) and all(honest)


def _next_loses(options: Sequence[Weighed], played: int, stake: int) -> int:
    """Return what the next best option loses, ppm of the stake; 0 where there is no other."""
    others = [each.q + each.margin for index, each in enumerate(options) if index != played]
    return points_of(options[played].q - max(others), stake) or 0 if others else 0
