"""Matches that go on, counted by how far they are: never by what lies on a table."""

from __future__ import annotations

from collections import Counter
from typing import Final, Literal, get_args
from uuid import UUID

from domain.match.evolve import Match, is_dealing

Stage = Literal["lobby", "dealing", "playing", "paused"]
"""It waits for people; dice are being dealt; it is played; its host holds it."""
STAGES: Final = get_args(Stage)


class OpenMatches:
    """The matches that have not ended, as far as the log has been followed."""

    def __init__(self) -> None:
        """Know of none."""
        self._stages: dict[UUID, Stage] = {}

    def see(self, match: Match) -> None:
        """Take notice of a match as it stands now."""
        if match.ended:
            self._stages.pop(match.id, None)
        else:
            self._stages[match.id] = _stage(match)

    def by_stage(self) -> Counter[Stage]:
        """Return how many are at which stage."""
        return Counter(self._stages.values())


def _stage(match: Match) -> Stage:
    if match.table is None:
        return "lobby"
    if match.paused is not None:
        return "paused"
    return "dealing" if is_dealing(match) else "playing"
