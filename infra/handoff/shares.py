"""Shares of the matches among dealers: each acts at once at its own, and a little later at those of others.

Any of them may act at any match, and the store lets one of them; so a share is no right, and a wrong one costs work
that is done twice, or a moment. Whoever is gone is late nowhere: what was his is somebody's a second later, and what
was due just then is done by those who come late.
"""

from __future__ import annotations

from typing import Final, Protocol
from uuid import UUID

from infra.handoff import Handoff

LATE_MS: Final = 1_500
"""How much later a dealer acts at a match of another: longer than it takes to act, and to notice that he is gone."""


class Shares(Protocol):
    """Who acts first."""

    def is_of_another(self, about: str) -> bool:
        """Report whether another dealer is there who is the first for this."""


class SharedHandoff(Handoff, Shares, Protocol):
    """A way to whoever answers, which knows who is first at what."""


class Alone:
    """All of it, for a dealer who knows of no other."""

    def is_of_another(self, about: str) -> bool:  # noqa: ARG002 - whatever it is
        """Report that it is his."""
        return False


def late_ms(shares: Shares, match_id: UUID) -> int:
    """Return how much later than it is due a dealer acts at a match, in milliseconds."""
    return LATE_MS if shares.is_of_another(str(match_id)) else 0
