"""Ears: the listeners of one program, who hear what it sends itself before the bus has it, and not once more from it.

Most of those who watch a match do so in the process that makes its frames, where there is but one. They need not wait
until a frame has been to the bus and back.
"""

from __future__ import annotations

from typing import Final

from infra.feed import FrameHeard

Who = tuple[str, int | None]
"""A match, and the seat whose frames are listened for; None for those of spectators."""

AHEAD_MAX: Final = 1_024
"""Frames of which it is remembered that the bus will bring them, too."""


class Ear:
    """One listener."""

    def __init__(self, heard: FrameHeard) -> None:
        """Hand frames on to this."""
        self._heard = heard
        self._ahead: set[int] = set()

    def hear(self, version: int, body: bytes) -> None:
        """Hear a frame that this program is about to send."""
        if len(self._ahead) >= AHEAD_MAX:
            # A bus that was away has brought none of them; what it brings after all is heard twice.
            self._ahead.clear()
        self._ahead.add(version)
        self._heard(version, body)

    def bring(self, version: int, body: bytes) -> None:
        """Hear a frame that the bus has brought, unless it is known here."""
        if version in self._ahead:
            self._ahead.discard(version)
        else:
            self._heard(version, body)


class Ears:
    """The listeners of one program."""

    def __init__(self) -> None:
        """Have none."""
        self._by_who: dict[Who, dict[Ear, None]] = {}

    def add(self, who: Who, ear: Ear) -> None:
        """Let a listener hear what is sent from now on."""
        self._by_who.setdefault(who, {})[ear] = None

    def leave(self, who: Who, ear: Ear) -> None:
        """Let it hear no more; once, or again."""
        ears = self._by_who.get(who, {})
        ears.pop(ear, None)
        if not ears:
            self._by_who.pop(who, None)

    def say(self, who: Who, version: int, body: bytes) -> None:
        """Let all who listen for it hear a frame, unless it has no body: another program's may have one."""
        if body:
            for ear in list(self._by_who.get(who, ())):
                ear.hear(version, body)
