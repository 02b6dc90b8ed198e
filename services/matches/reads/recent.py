"""Recent steps: what the lines stored last have led to, so that no line is taken apart twice in a program.

A line is known by its bytes, which name the line before it: wherever the same bytes stand at the same place, all before
them is the same, and so is the match. So a decision may be noted before it is stored: if other lines are stored in its
place, it is never found.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from domain import events
from domain.match.evolve import Match
from domain.match.record import MatchAtHead, written_after
from infra.store import Recorded
from services.work.caches import LastUsed

STEPS_MAX: Final = 4_096
"""Steps kept, of all matches: some seconds of a busy house. A match shares nearly all with the one before it."""
MATCHES_MAX: Final = 2_048
"""Matches of which the newest version is kept, some tens of kilobytes each; the rest are folded again."""

Step = tuple[MatchAtHead, events.Event]
"""A match right after an event, and the event."""


class _Known(Struct, frozen=True):
    line: bytes
    step: Step


class RecentSteps:
    """The last steps of all matches, and the newest version of each that goes on."""

    def __init__(self, steps_max: int = STEPS_MAX, matches_max: int = MATCHES_MAX) -> None:
        """Know nothing yet, and keep so much at most."""
        self._steps: LastUsed[tuple[str, int], _Known] = LastUsed(steps_max)
        self._newest: LastUsed[str, MatchAtHead] = LastUsed(matches_max)

    def note(
        self,
        stream: str,
        before: MatchAtHead,
        lines: Sequence[bytes],
        happened: Sequence[events.Event],
        steps: Sequence[Match],
    ) -> MatchAtHead:
        """Note what lines lead to that may be stored behind a match as it is, and return the match after all of them.

        Args:
            stream: The match's.
            before: The match before them.
            lines: The lines, in order.
            happened: The event of each.
            steps: The match after each.
        """
        written = before
        led_to = written_after(before, lines, happened, steps)
        for line, event, written in zip(lines, happened, led_to, strict=True):
            self._steps[stream, written.match.version - 1] = _Known(line, (written, event))
        return written

    def find(self, stream: str, seq: int, line: bytes) -> Step | None:
        """Return the match after this line of its stream, with the event it holds, if that is known."""
        known = self._steps.get((stream, seq))
        return known.step if known is not None and known.line == line else None

    def on_stored(self, lines: Sequence[Recorded]) -> None:
        """Take those lines as stored that were noted: whoever is told of them next finds the matches as they are."""
        for line in lines:
            step = self.find(line.stream, line.seq, line.line)
            if step is not None:
                self.keep_newest(line.stream, step[0])

    def keep(self, stream: str, line: bytes, step: Step) -> None:
        """Remember a step that a stored line was."""
        written = step[0]
        self._steps[stream, written.match.version - 1] = _Known(line, step)
        self.keep_newest(stream, written)

    def newest(self, stream: str) -> MatchAtHead | None:
        """Return the newest version of a match that was kept; None for one that is over."""
        return self._newest.get(stream)

    def keep_newest(self, stream: str, written: MatchAtHead) -> None:
        """Remember a match that is stored, until it is over or a later version of it comes."""
        if written.match.ended:
            self._newest.drop(stream)
            return
        known = self._newest.get(stream)
        if known is None or known.match.version < written.match.version:
            self._newest[stream] = written
