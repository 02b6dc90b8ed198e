"""Cases: pairs that a screening found, each by a name that says nothing of them.

A case that was found stays, with its file as it was found last, though later rounds may not bear it out.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec import Struct

from domain.statistics.screening.screening import CaseFile, Screening
from domain.statistics.screening.sittings import Pair


class KeptCase(Struct, frozen=True):
    """A case: its name, and its file."""

    case: str
    file: CaseFile


class KeptScreening(Struct, frozen=True):
    """What is kept of screening a tournament.

    Attributes:
        stage: After which round of which stage it was done last.
        pairs: How many ordered pairs had tables enough in common.
        tests: How many statistics of them were looked at.
        judged: Whether the game has an exact chance of claims, so that decisions were looked at.
        cases: The pairs that stood out after this round or one before, in the order of their numbers.
    """

    stage: int
    round: int
    pairs: int
    tests: int
    judged: bool
    cases: tuple[KeptCase, ...]

    def case(self, name: str) -> CaseFile | None:
        """Return the file of a case; None if there is none of this name."""
        return next((each.file for each in self.cases if each.case == name), None)


def kept_after(before: KeptScreening | None, found: Screening, name: Callable[[Pair], str]) -> KeptScreening:
    """Return what is kept after a round, given what was kept before; `name` names a new case."""
    known = {} if before is None else {each.file.numbers: each for each in before.cases}
    names = {pair: each.case for pair, each in known.items()}
    known |= {file.numbers: KeptCase(names.get(file.numbers) or name(file.numbers), file) for file in found.cases}
    cases = tuple(each for _, each in sorted(known.items()))
    return KeptScreening(*found.place, found.pairs, found.tests, found.judged, cases)


def kept_from(body: bytes) -> KeptScreening:
    """Return what is kept in these bytes."""
    return msgspec.json.decode(body, type=KeptScreening)
