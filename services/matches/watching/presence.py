"""Presence of entrants: who looks at the own card, on any node, and who did and has gone."""

from __future__ import annotations

from typing import Final, Protocol
from uuid import UUID

AWAY_S: Final = 15.0
"""How long somebody has been gone who is taken for gone; longer where other nodes may not have told yet."""


class Sighted(Protocol):
    """When somebody last looked at something."""

    def has_seen(self, what: str) -> bool:
        """Report whether somebody is known to have looked at this."""

    def is_unseen(self, what: str, for_s: float) -> bool:
        """Report whether it is known that nobody has looked at this for so many seconds."""


def own_card(tournament_id: UUID, number: int) -> str:
    """Return what an entrant looks at."""
    return f"{tournament_id}-{number}"


class Presence:
    """Who has gone, as far as this program knows."""

    def __init__(self, looks: Sighted | None = None) -> None:
        """Know it from these looks; without them nobody has ever gone."""
        self._looks = looks

    def has_gone(self, tournament_id: UUID, number: int) -> bool:
        """Report whether an entrant looked at the own card, and does no more.

        Who never has, as far as is known, plays by a program that asks for something else, and is left alone.
        """
        card = own_card(tournament_id, number)
        return self._looks is not None and self._looks.has_seen(card) and self._looks.is_unseen(card, AWAY_S)
