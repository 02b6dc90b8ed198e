"""Key moments: which events of a match somebody would want to be shown, out of candidates with a score."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct

Kind = Literal["swing", "error", "bluff", "caught", "call", "lucky", "unlucky", "lead", "end"]
BEST: Final[dict[Kind, int]] = {
    "swing": 3,
    "error": 3,
    "bluff": 2,
    "caught": 1,
    "call": 1,
    "lucky": 1,
    "unlucky": 1,
    "lead": 1,
    "end": 1,
}
"""Of each kind, how many there may be; together at most fourteen."""
LATEST: Final = "lead"
"""The kind of which not the highest is taken but the last: who leads for good."""


class Candidate(Struct, frozen=True):
    """An event that might be shown: `score` is in ppm of the match."""

    version: int
    kind: Kind
    score: int
    seats: tuple[int, ...] = ()


class Moment(Struct, frozen=True):
    """An event that is shown.

    Attributes:
        version: The line's number, from 1.
        kinds: Why, in the order of kinds.
        score: The highest of its scores.
        seats: Whom it is about, ascending.
    """

    version: int
    kinds: tuple[Kind, ...]
    score: int
    seats: tuple[int, ...]


def moments(candidates: Iterable[Candidate]) -> tuple[Moment, ...]:
    """Return the key moments by version; of each kind the best, the earlier at equal score."""
    every = list(candidates)
    taken: dict[int, list[Candidate]] = {}
    for kind, most in BEST.items():
        for each in _best([one for one in every if one.kind == kind], kind, most):
            taken.setdefault(each.version, []).append(each)
    return tuple([_merge(version, taken[version]) for version in sorted(taken)])


def _best(some: Sequence[Candidate], kind: Kind, most: int) -> list[Candidate]:
    if kind == LATEST:
        return sorted(some, key=lambda each: each.version)[-most:]
    return sorted(some, key=lambda each: (-each.score, each.version))[:most]


def _merge(version: int, some: Sequence[Candidate]) -> Moment:
    # They came kind by kind.
    kinds = tuple([each.kind for each in some])
    seats = tuple(sorted({seat for each in some for seat in each.seats}))
    return Moment(version, kinds, max(each.score for each in some), seats)
