"""Rulings of layer 3 on a match: what was found, and what ends a replay before its end."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

from domain.audit.access import Rights
from domain.fairness.faults import Code
from domain.match.evolve import Match

UNJUDGED: Final = "who won was not checked: no engine here knows this game, or not every option of it that is named"
"""What is said of a record whose rules are not known here, before anything else."""
UNRULY: Final[Code] = "E_RULES"
"""The code of a line that does not follow from the rules."""
UNASKED: Final[Code] = "E_UNSIGNED"
"""The code of a line that a seat with a key is said to have asked for, and has not signed."""
OVERSIGNED: Final[Code] = "E_SIGNED"
"""The code of a line that is signed, and that nobody asked for: it follows from another."""


class ReplayResult(Struct, frozen=True):
    """What layer 3 found.

    Attributes:
        judged: Whether the rules of this record are known here.
        line: The first line the rules do not allow, from 1; None if all are as they should be.
        upto: The last line that could be judged; earlier than the last one where secrets are not published yet, or
            where the record ends in the middle of what one command led to.
        why: What is wrong, or why nothing was judged, in a sentence.
        code: What is wrong with that line, if anything is.
        match: How the match stands after the last line, if all of them were judged.
    """

    judged: bool
    line: int | None = None
    upto: int = 0
    why: str = ""
    rights: Rights = field(default_factory=Rights)
    match: Match | None = None
    code: Code = UNRULY


UNSHARED: Final = "who won was not checked: its dice are those of a board whose record is not here"
"""What is said of a match that shares its dice, without the record that has them."""


class Foul(Exception):  # noqa: N818 - the field's word
    """A line that the rules do not allow, from 1, and why; it never leaves the replay."""

    def __init__(self, line: int, why: str, code: Code = UNRULY) -> None:
        """Find this line."""
        super().__init__(why)
        self.line = line
        self.why = why
        self.code = code


class Unsettled(Exception):  # noqa: N818 - named for what happened
    """What decides about the lines after this one is not in the record, or not yet; it never leaves the replay."""

    def __init__(self, upto: int, why: str) -> None:
        """End with this line."""
        super().__init__(why)
        self.upto = upto
        self.why = why
