"""A house that only shows: for programs without the dealer's role, which know no dice and take no commands.

It serves no seat: what such a program could tell one is half of what another would.
"""

from __future__ import annotations

from typing import Any, Literal, Never
from uuid import UUID

from domain import commands
from domain.fairness.deal import Policy
from infra.events import EventStore, Unavailable
from services.library import Library
from services.matches import Answer, Ask
from services.milestones import Milestones
from services.tokens import Bearer

WHY = "this program only shows matches to spectators; tokens and commands go to one with the dealer's role"


class Spectators(Library):
    """Every match, read only. It holds no key, and its database role cannot see the vault."""

    def __init__(self, store: EventStore, milestones: Milestones | None = None) -> None:
        """Read from this store, by these milestones, without secrets."""
        super().__init__(store, None, milestones)

    async def bearer(self, token: str) -> Bearer | None:
        """Refuse."""
        self._refuse(token)

    async def open(self, rules: dict[str, Any], ask: Ask, policy: Policy = "all") -> Answer:
        """Refuse."""
        self._refuse(rules, ask, policy)

    async def join(self, match_id: UUID, name: str, custody: Literal["client", "server"], ask: Ask) -> Answer:
        """Refuse."""
        self._refuse(match_id, name, custody, ask)

    async def seat_bots(self, match_id: UUID, count: int, ask: Ask) -> Answer:
        """Refuse."""
        self._refuse(match_id, count, ask)

    async def start(self, match_id: UUID, ask: Ask) -> Answer:
        """Refuse."""
        self._refuse(match_id, ask)

    async def submit(self, match_id: UUID, command: commands.MatchCommand, ask: Ask) -> Answer:
        """Refuse."""
        self._refuse(match_id, command, ask)

    def _refuse(self, *_given: object) -> Never:
        raise Unavailable(WHY)
