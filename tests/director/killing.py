"""Stores whose user is killed before and behind each append: once here, once there, and only then it comes through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from infra.store import Append, EventStore, Outcome
from infra.store.memory import MemoryStore
from infra.store.postgres import PostgresStore


class KilledHere(BaseException):
    """Where the process ends."""


class Killing:
    """The same store as another, for somebody who is killed at every append.

    Attributes:
        before: The commands before whose append somebody was killed, in order.
        behind: Those behind whose append somebody was.
    """

    def __init__(self, store: EventStore) -> None:
        self.__dict__ = store.__dict__
        self.before: dict[tuple[str, bytes], None] = {}
        self.behind: dict[tuple[str, bytes], None] = {}

    async def append(self, append: Append) -> Outcome:
        """Append, unless this is where the process is killed; if it is killed behind it, what was stored stays."""
        name = (append.stream, append.command)
        if name not in self.before:
            self.before[name] = None
            raise KilledHere
        above: Any = super()
        outcome: Outcome = await above.append(append)
        if name not in self.behind:
            self.behind[name] = None
            raise KilledHere
        return outcome

    async def append_chain(self, chain: Sequence[Append]) -> list[Outcome]:
        """Append all of them, unless the process is killed at the first."""
        name = (chain[0].stream, chain[0].command)
        if name not in self.before:
            self.before[name] = None
            raise KilledHere
        above: Any = super()
        outcomes: list[Outcome] = await above.append_chain(chain)
        if name not in self.behind:
            self.behind[name] = None
            raise KilledHere
        return outcomes


class KillingMemory(Killing, MemoryStore):
    """The double."""


class KillingPostgres(Killing, PostgresStore):
    """Postgres, over the connections of another store."""
