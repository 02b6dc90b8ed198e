"""Several commands of the store's double, taken as one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from infra.store import Append, Conflict, Outcome, check_chain, check_set


class MemorySets(ABC):
    """The part of the double that stores all of some commands, or none."""

    @abstractmethod
    def _append(self, append: Append) -> Outcome:
        """Store a command, or say why not."""

    @abstractmethod
    def _against(self, append: Append) -> Outcome | None:
        """Return what stands against a command; None if nothing does."""

    @abstractmethod
    def _grown(self, stream: str) -> tuple[int, bool]:
        """Return how many lines a stream has, and whether it has ended."""

    async def append_chain(self, chain: Sequence[Append]) -> list[Outcome]:
        """Store commands of one stream, all of them or none."""
        check_chain(chain)
        version, _ = self._grown(chain[0].stream)
        known = [found for one in chain if not isinstance(found := self._against(one), Conflict | None)]
        if version == chain[0].expected and not known:
            return [self._append(one) for one in chain]
        return self._said(chain)

    async def append_all(self, appends: Sequence[Append]) -> list[Outcome]:
        """Store commands of as many streams, all of them or none."""
        check_set(appends)
        if all(self._against(one) is None for one in appends):
            return [self._append(one) for one in appends]
        return self._said(appends)

    def _said(self, appends: Sequence[Append]) -> list[Outcome]:
        return [self._against(one) or Conflict(self._grown(one.stream)[0]) for one in appends]
